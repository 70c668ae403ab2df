//! Which sources of a region are the sea: sources under the sky, sources at the level in an ocean,
//! and all sources connected to them. They are found by a flood fill of the sources at and below
//! the level, cell by cell.

use super::column::Column;
use super::rules::{BlockRules, Sources};
use crate::chunk::{CellMask, Chunk, LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, ChunkPos, ColumnPos, Cube, Face, Shape};
use crate::import::budget::{OverBudget, Work};
use crate::water::Voxel;
use glam::IVec3;
use hashbrown::HashMap;

/// Sources at and below the level of the sea, and where the sea begins among them.
#[derive(Default)]
pub(super) struct Coastline {
    /// The index in `positions` of each chunk with such sources.
    slots: HashMap<ChunkPos, usize>,
    positions: Vec<ChunkPos>,
    /// For each chunk, its sources that the sea has not reached.
    inland: Vec<CellMask>,
    /// Sources that the sea has reached, whose neighbours are still to be visited: the index of the
    /// chunk, and the cell.
    waiting: Vec<(usize, usize)>,
}

impl Coastline {
    /// Adds the chunks of a column, from the highest, with their sources at and below the level.
    /// There is only sky above the first chunk. In cells of `ocean` the sea also begins at its
    /// level and, since ice may cover it, one below.
    pub fn add_column<'a>(
        &mut self,
        level: i32,
        ocean: LayerMask,
        chunks: impl Iterator<Item = (ChunkPos, &'a Chunk<Voxel>, CellMask)>,
    ) {
        let mut sky = LayerMask::ALL;
        for (position, chunk, sources) in chunks {
            let slot = self.positions.len();
            for layer in (0..CHUNK_CELLS / LAYER_CELLS).rev() {
                if sky.is_empty() {
                    break;
                }
                sky &= open_cells(chunk, layer);
                let under_sky = sources.layer(layer) & sky;
                self.waiting
                    .extend(under_sky.iter().map(|cell| (slot, layer * LAYER_CELLS + cell)));
            }
            if sources.is_empty() {
                continue;
            }
            for y in [level, level.saturating_sub(1)] {
                let at = IVec3::new(0, y, 0);
                if Cube::chunk_of(at).y == position.y {
                    let first = Cube::index_of(at);
                    let in_ocean = sources.layer(first / LAYER_CELLS) & ocean;
                    self.waiting.extend(in_ocean.iter().map(|cell| (slot, first + cell)));
                }
            }
            self.slots.insert(position, slot);
            self.positions.push(position);
            self.inland.push(sources);
        }
    }

    /// Returns the sources that are not part of the sea, by chunk.
    pub fn inland(mut self, work: &mut Work) -> Result<HashMap<ChunkPos, CellMask>, OverBudget> {
        work.take((self.positions.len() * CHUNK_CELLS) as u64)?;
        let waiting = core::mem::take(&mut self.waiting);
        waiting.into_iter().for_each(|(slot, cell)| self.reach(slot, cell));
        while let Some((slot, cell)) = self.waiting.pop() {
            for face in Face::ALL {
                self.reach_across(slot, cell, face);
            }
        }
        Ok(self.positions.into_iter().zip(self.inland).collect())
    }

    fn reach(&mut self, slot: usize, cell: usize) {
        if self.inland[slot].remove(cell) {
            self.waiting.push((slot, cell));
        }
    }

    fn reach_across(&mut self, slot: usize, cell: usize, face: Face) {
        // The position is relative to the chunk; one step leads at most into the next chunk.
        let next = Cube::cell_at(ChunkPos::ZERO, cell) + face.offset();
        let across = Cube::chunk_of(next);
        let slot = if across == ChunkPos::ZERO {
            Some(slot)
        } else {
            self.slots.get(&(self.positions[slot] + across.into())).copied()
        };
        if let Some(slot) = slot {
            self.reach(slot, Cube::index_of(next));
        }
    }
}

/// Returns the cells of a layer that are not solid.
fn open_cells(chunk: &Chunk<Voxel>, layer: usize) -> LayerMask {
    match chunk.as_dense() {
        None => LayerMask::all_if(!chunk.get(0).is_solid()),
        Some(cells) => {
            let (layers, _) = cells.as_chunks::<LAYER_CELLS>();
            LayerMask::select(&layers[layer], |voxel| !voxel.is_solid())
        }
    }
}

/// The cells of oceans at the level of the sea, by the position of their column.
#[derive(Default)]
pub(super) struct Oceans(HashMap<ColumnPos, LayerMask>);

impl Oceans {
    /// Notes the ocean of a column, if the rules have a sea.
    pub fn note(&mut self, column: &Column<'_>, rules: &BlockRules<'_>) {
        if let Sources::Sea(level) = rules.sources {
            self.0.insert(column.position, column.ocean(level));
        }
    }
}

/// Turns cells of sea that the sea does not reach into inland water. The chunks are given column by
/// column, each from the lowest.
pub(super) fn part(
    chunks: &mut [(ChunkPos, Chunk<Voxel>)],
    Oceans(oceans): &Oceans,
    rules: &BlockRules<'_>,
    work: &mut Work,
) -> Result<(), OverBudget> {
    let Sources::Sea(level) = rules.sources else { return Ok(()) };
    let mut coastline = Coastline::default();
    for column in chunks.chunk_by(|(one, _), (next, _)| one.column() == next.column()) {
        let ocean = oceans.get(&column[0].0.column()).copied().unwrap_or(LayerMask::NONE);
        let chunks = column.iter().rev().map(|(at, chunk)| {
            (*at, chunk, sources_below(level, *at, |cell| chunk.get(cell).is_sea()))
        });
        coastline.add_column(level, ocean, chunks);
    }
    let inland = coastline.inland(work)?;
    for (at, chunk) in chunks {
        let Some(cells) = inland.get(at) else { continue };
        for cell in cells.iter() {
            chunk.set(cell, rules.source(Cube::cell_at(*at, cell).y, false));
        }
    }
    Ok(())
}

/// Returns the sources of the chunk at a position that are at or below the level of the sea.
pub(super) fn sources_below(
    level: i32,
    at: ChunkPos,
    is_source: impl Fn(usize) -> bool,
) -> CellMask {
    let y = |cell| Cube::cell_at(at, cell).y;
    if y(0) > level {
        return CellMask::EMPTY;
    }
    let mut sources = CellMask::EMPTY;
    let is_below = |&cell: &usize| y(cell) <= level && is_source(cell);
    (0..CHUNK_CELLS).filter(is_below).for_each(|cell| _ = sources.insert(cell));
    sources
}
