//! Every cell of a small bounded world of an automaton, as its naive model keeps it.

use super::findings::Findings;
use crate::coords::{ChunkPos, ChunkRegion};
use crate::{CHUNK_CELLS, Chunk, Region, Shape};
use core::fmt::Debug;
use glam::IVec3;

/// A cell for every place within bounds; `None` where no chunk is loaded. Refusals have the names
/// of the variants of the automata's errors.
#[derive(Clone, Debug)]
pub(super) struct Board<T> {
    bounds: Region,
    /// The cells, in the order of the positions of the bounds.
    cells: Vec<Option<T>>,
}

impl<T: Copy + PartialEq + Debug> Board<T> {
    /// Returns a board of the cells that `cell` returns for every place within bounds.
    pub(super) fn of(bounds: Region, cell: impl Fn(IVec3) -> Option<T>) -> Board<T> {
        Board { bounds, cells: bounds.positions().map(cell).collect() }
    }

    pub(super) fn bounds(&self) -> Region {
        self.bounds
    }

    /// Returns the cells of all places, in the order of their positions.
    pub(super) fn cells(&self) -> &[Option<T>] {
        &self.cells
    }

    pub(super) fn cells_mut(&mut self) -> &mut [Option<T>] {
        &mut self.cells
    }

    fn slot(&self, cell: IVec3) -> Option<usize> {
        let [width, _, depth] = self.bounds.size().map(|size| size as usize);
        self.bounds.contains(cell).then(|| {
            let local = (cell - self.bounds.min()).as_usizevec3();
            (local.y * depth + local.z) * width + local.x
        })
    }

    pub(super) fn get(&self, cell: IVec3) -> Option<T> {
        self.cells[self.slot(cell)?]
    }

    /// Returns the cell at a place. Refuses a place that is out of bounds or not loaded.
    pub(super) fn loaded(&self, cell: IVec3) -> Result<T, &'static str> {
        let slot = self.slot(cell).ok_or("OutOfBounds")?;
        self.cells[slot].ok_or("NotLoaded")
    }

    /// Checks that every cell of a region is loaded.
    pub(super) fn check(&self, region: Region) -> Result<(), &'static str> {
        if !self.bounds.contains(region.min()) || !self.bounds.contains(region.max()) {
            return Err("OutOfBounds");
        }
        region.positions().try_for_each(|cell| self.loaded(cell).map(drop))
    }

    /// Writes a cell within the bounds.
    pub(super) fn put(&mut self, cell: IVec3, new: T) {
        if let Some(slot) = self.slot(cell) {
            self.cells[slot] = Some(new);
        }
    }

    /// Returns the number of chunks that are loaded.
    pub(super) fn chunks<S: Shape>(&self) -> usize {
        let chunks = ChunkRegion::of::<S>(self.bounds);
        chunks.positions().filter(|&chunk| self.is_loaded::<S>(chunk)).count()
    }

    /// Returns the cells of a chunk that are within the bounds, if there are any.
    fn inside<S: Shape>(&self, chunk: ChunkPos) -> Option<Region> {
        let is_there = S::holds_chunk(chunk);
        is_there.then(|| self.bounds.intersection(&S::region_of(chunk))).flatten()
    }

    fn is_loaded<S: Shape>(&self, chunk: ChunkPos) -> bool {
        self.inside::<S>(chunk).is_some_and(|cells| self.get(cells.min()).is_some())
    }

    /// Loads a chunk, unless `kept` refuses one of its cells within the bounds. `kept` returns a
    /// cell as the world keeps it. Returns the cells as they are kept.
    pub(super) fn insert<S: Shape>(
        &mut self,
        position: ChunkPos,
        chunk: &Chunk<T>,
        kept: impl Fn(T) -> Result<T, &'static str>,
    ) -> Result<Vec<T>, &'static str> {
        if self.is_loaded::<S>(position) {
            return Err("ChunkPresent");
        }
        let inside = self.inside::<S>(position).ok_or("ChunkOutOfBounds")?;
        let new: Vec<T> = inside
            .positions()
            .map(|cell| kept(chunk.get(S::index_of(cell))))
            .collect::<Result<_, _>>()?;
        inside.positions().zip(&new).for_each(|(cell, &new)| self.put(cell, new));
        Ok(new)
    }

    /// Unloads a chunk, and returns it. Beyond the bounds each of its cells is `beyond`.
    pub(super) fn remove<S: Shape>(
        &mut self,
        position: ChunkPos,
        beyond: T,
    ) -> Result<Chunk<T>, &'static str> {
        if !self.is_loaded::<S>(position) {
            return Err("ChunkAbsent");
        }
        let mut removed = [beyond; CHUNK_CELLS];
        for cell in self.inside::<S>(position).into_iter().flat_map(Region::positions) {
            if let Some(taken) = self.slot(cell).and_then(|slot| self.cells[slot].take()) {
                removed[S::index_of(cell)] = taken;
            }
        }
        Ok(Chunk::from_cells(&removed))
    }

    /// Enters `law` as broken unless each cell of a world equals the cell of the board.
    pub(super) fn compare(
        &self,
        law: &'static str,
        cell: impl Fn(IVec3) -> Option<T>,
        found: &mut Findings,
    ) {
        for (at, expected) in self.bounds.positions().zip(&self.cells) {
            found.same(law, &cell(at), expected, || at.to_string());
        }
    }
}
