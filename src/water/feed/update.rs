//! The changes between two calls of a feed, chunk by chunk, in runs of equal cells.

use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Region, Shape};
use crate::simulation::ChunkChanges;
use crate::water::feed::look::Look;
use crate::water::feed::run::Run;
use crate::water::store::border_cells;
use crate::water::voxel::Voxel;
use glam::IVec3;

/// Why a cell looks different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cause {
    /// A tick changed the cell: water flowed, levelled, rose from a spring or evaporated.
    Flow,
    /// A tick changed the cell, and water leaves the world there: the cell is beside, above or
    /// below an edge that drains, or has a drain.
    Drain,
    /// An edit changed the cell, or a chunk beside it was loaded or unloaded; ticks may have
    /// changed it, too.
    Edit,
    /// The chunk of the cell was loaded.
    Load,
    /// A tick changed the cell, and the cell is sea, or beside or below sea: the sea filled it,
    /// closed over it, or took its water.
    Sea,
}

/// Successive cells of a chunk, by local index, that look the same and changed for the same cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The local index of the first cell, 0 to 4095; see [`Shape`](crate::Shape).
    pub start: u16,
    /// The number of cells, 1 to 4096.
    pub cells: u16,
    /// The present look of the cells.
    pub look: Look,
    /// Why the cells look different.
    pub cause: Cause,
}

impl Span {
    /// Returns the local indices of the cells.
    pub fn indices(&self) -> core::ops::Range<usize> {
        usize::from(self.start)..self.end()
    }

    pub(super) fn end(&self) -> usize {
        usize::from(self.start) + usize::from(self.cells)
    }
}

/// The event of a chunk in an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkEvent {
    /// Some cells of the chunk look different.
    Changed,
    /// The chunk was loaded, perhaps in place of a chunk that was unloaded.
    Loaded,
    /// The chunk was unloaded.
    Unloaded,
}

/// The changes of one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkUpdate {
    /// The chunk position.
    pub position: ChunkPos,
    /// The event.
    pub event: ChunkEvent,
    /// The cells that may look different, in order of index, in runs that do not overlap. For a
    /// chunk that was loaded, these are all cells that are not [`Look::DRY`].
    pub spans: Vec<Span>,
}

/// The cells of a chunk whose current differs from that in the update before; for a chunk that was
/// loaded, all cells that are not still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkCurrents {
    /// The chunk position.
    pub position: ChunkPos,
    /// The currents of these cells, in units along x, y and z, each −7 to 7, in order of index, in
    /// runs that do not overlap.
    pub currents: Vec<Run<IVec3>>,
}

impl ChunkUpdate {
    /// Returns the update that replaces the whole of a chunk of a world with these bounds.
    pub(super) fn loaded(position: ChunkPos, chunk: &Chunk<Voxel>, bounds: Region) -> Self {
        let mut spans = Vec::new();
        let is_inside = holds(bounds, position);
        if let Some(cell) = chunk.as_uniform().filter(|_| is_inside) {
            let (start, cells) = (0, CHUNK_CELLS as u16);
            spans.push(Span { start, cells, look: Look::of(cell), cause: Cause::Load });
            spans.retain(|span| span.look != Look::DRY);
        } else {
            for index in 0..CHUNK_CELLS {
                let look = match is_inside {
                    true => Look::of(chunk.get(index)),
                    false => look_within(bounds, Cube::cell_at(position, index), chunk.get(index)),
                };
                if look != Look::DRY {
                    add(&mut spans, index, look, Cause::Load);
                }
            }
        }
        ChunkUpdate { position, event: ChunkEvent::Loaded, spans }
    }

    pub(super) fn unloaded(position: ChunkPos) -> Self {
        ChunkUpdate { position, event: ChunkEvent::Unloaded, spans: Vec::new() }
    }

    /// Returns the cells that may look different: all cells if the chunk was loaded or unloaded.
    pub fn cells(&self) -> CellMask {
        if self.event != ChunkEvent::Changed {
            return CellMask::FULL;
        }
        let mut cells = CellMask::EMPTY;
        self.spans.iter().flat_map(Span::indices).for_each(|index| _ = cells.insert(index));
        cells
    }

    /// Returns the faces of the chunk at which cells may look different. The chunks beyond these
    /// faces may have to be redrawn, too.
    pub fn faces(&self) -> impl Iterator<Item = Face> {
        faces_of(self.cells())
    }

    /// Returns the causes of the changes, each once.
    pub fn causes(&self) -> impl Iterator<Item = Cause> {
        let all = [Cause::Flow, Cause::Drain, Cause::Edit, Cause::Load, Cause::Sea];
        all.into_iter().filter(|&cause| match self.event {
            ChunkEvent::Changed => self.spans.iter().any(|span| span.cause == cause),
            _ => cause == Cause::Load,
        })
    }
}

/// Returns whether all of a chunk is within these bounds.
pub(crate) fn holds(bounds: Region, chunk: ChunkPos) -> bool {
    let cells = Cube::region_of(chunk);
    bounds.contains(cells.min()) && bounds.contains(cells.max())
}

/// Returns the look of a voxel of a world with these bounds. A voxel beyond the bounds is a mark of
/// the edge, or sea, and no cell of the world.
pub(crate) fn look_within(bounds: Region, cell: IVec3, voxel: Voxel) -> Look {
    if bounds.contains(cell) { Look::of(voxel) } else { Look::BEYOND }
}

/// Returns the faces of a chunk that some of these cells touch.
pub(crate) fn faces_of(cells: CellMask) -> impl Iterator<Item = Face> {
    Face::ALL.into_iter().filter(move |&face| border_cells(face).any(|at| cells.contains(at)))
}

/// Adds a cell after the cells of the runs.
pub(super) fn add(spans: &mut Vec<Span>, index: usize, look: Look, cause: Cause) {
    match spans.last_mut() {
        Some(last) if last.end() == index && (last.look, last.cause) == (look, cause) => {
            last.cells += 1;
        }
        _ => spans.push(Span { start: index as u16, cells: 1, look, cause }),
    }
}

/// The visible changes since the previous update, or whole chunks. See
/// [`Feed`](crate::water::Feed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub(super) number: u64,
    pub(super) ticks: u64,
    pub(super) is_whole: bool,
    /// The number of complete ticks when the world had the currents that a reader of all updates up
    /// to this one has.
    pub(super) current_tick: Option<u64>,
    pub(super) chunks: Vec<ChunkUpdate>,
    pub(super) currents: Vec<ChunkCurrents>,
}

impl Update {
    /// Returns the number of the update: 1 for the first that a feed took. An update of whole
    /// chunks has the number of the last update that was taken before it, or 0.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of complete ticks of the world when the update was made.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns whether this holds whole chunks, from [`Feed::whole`](crate::water::Feed::whole),
    /// and not the changes since the update before.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the chunks in order of position: y slowest, then z, then x.
    pub fn chunks(&self) -> &[ChunkUpdate] {
        &self.chunks
    }

    /// Returns the update with only the chunks at positions for which `is_wanted` is true, for a
    /// client that follows a part of the world.
    pub fn only(&self, is_wanted: impl Fn(ChunkPos) -> bool) -> Update {
        let chunks = self.chunks.iter().filter(|chunk| is_wanted(chunk.position));
        let currents = self.currents.iter().filter(|chunk| is_wanted(chunk.position));
        let (chunks, currents) = (chunks.cloned().collect(), currents.cloned().collect());
        Update { chunks, currents, ..*self }
    }

    /// Returns the number of complete ticks when the world had the currents that a reader has with
    /// this update; `None` if the feed does not [send](crate::water::Feed::send_currents) currents.
    pub fn current_tick(&self) -> Option<u64> {
        self.current_tick
    }

    /// Returns the changed currents by chunk, in order of position; none if the feed does not
    /// [send](crate::water::Feed::send_currents) currents.
    pub fn currents(&self) -> &[ChunkCurrents] {
        &self.currents
    }

    /// Returns the cells that may look different in the form of
    /// [`take_changes`](crate::water::WaterWorld::take_changes), for
    /// [`meshes_touched`](crate::water::meshes_touched); all cells of chunks that were loaded or
    /// unloaded.
    pub fn changes(&self) -> Vec<ChunkChanges> {
        let changes =
            |chunk: &ChunkUpdate| ChunkChanges { chunk: chunk.position, cells: chunk.cells() };
        self.chunks.iter().map(changes).collect()
    }

    /// Returns the update as one of a world that has run `ticks` ticks.
    pub(crate) fn at_tick(self, ticks: u64) -> Update {
        Update { ticks, ..self }
    }
}
