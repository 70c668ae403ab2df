//! Jobs: a chunk to step and the step's results, and the memory that a worker needs.

use crate::automata::engine::changes::Changes;
use crate::automata::engine::tiles;
use crate::automata::humidity::HumidityShape;
use crate::automata::humidity::stirred::RowMask;
use crate::chunk::Chunk;
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;

/// The memory that a worker needs to step a chunk.
pub(in crate::automata::humidity) struct Scratch<S: HumidityShape> {
    pub(in crate::automata::humidity) halo: Box<S::Halo<u32>>,
    pub(in crate::automata::humidity) ground: Option<Box<[u32; CHUNK_CELLS]>>,
}

impl<S: HumidityShape> Scratch<S> {
    pub(in crate::automata::humidity) fn new() -> Self {
        Scratch { halo: S::uniform_halo(0), ground: None }
    }

    pub(in crate::automata::humidity) fn memory_bytes(&self) -> usize {
        size_of::<S::Halo<u32>>()
            + self.ground.as_ref().map_or(0, |_| size_of::<[u32; CHUNK_CELLS]>())
    }
}

/// The cells of a row of a cube after a step.
pub(in crate::automata::humidity) struct Row {
    /// The index of the row's first cell.
    pub(in crate::automata::humidity) first: u16,
    pub(in crate::automata::humidity) cells: [u32; 16],
}

/// A chunk to step, and the step's results: changes, cells, rims and tally.
pub(in crate::automata::humidity) struct Job<S: HumidityShape> {
    pub(in crate::automata::humidity) slot: Slot,
    /// Whether the step leaves the cells in place and returns the changed rows; otherwise it
    /// changes the cells in `moisture`.
    pub(in crate::automata::humidity) is_by_rows: bool,
    pub(in crate::automata::humidity) changed_rows: Vec<Row>,
    pub(in crate::automata::humidity) moisture: Chunk<u32>,
    pub(in crate::automata::humidity) changes: Changes,
    /// The rims after a step of all cells.
    pub(in crate::automata::humidity) rims: Option<Box<S::Rims<u32>>>,
    pub(in crate::automata::humidity) tally: Tally,
    /// The changed rows, and the other rows to visit in the next step; `None` if all rows are to be
    /// visited.
    pub(in crate::automata::humidity) rows: Option<[RowMask; 2]>,
}

impl<S: HumidityShape> Job<S> {
    pub(in crate::automata::humidity) fn new(slot: Slot, moisture: Chunk<u32>) -> Self {
        Job {
            slot,
            is_by_rows: false,
            changed_rows: Vec::new(),
            moisture,
            changes: Changes::default(),
            rims: None,
            tally: Tally::default(),
            rows: None,
        }
    }

    /// Writes the rows that the step has changed.
    pub(in crate::automata::humidity) fn write_rows(&self, chunk: &mut Chunk<u32>) {
        if !self.changed_rows.is_empty() {
            let cells = chunk.cells_mut();
            for row in &self.changed_rows {
                cells[usize::from(row.first)..][..16].copy_from_slice(&row.cells);
            }
            chunk.canonicalize();
        }
    }

    /// Returns the bytes that a job holds on the heap, marks of changed cells not counted.
    pub(in crate::automata::humidity) fn heap_bytes(&self) -> usize {
        self.moisture.heap_bytes()
            + self.rims.as_ref().map_or(0, |_| size_of::<S::Rims<u32>>())
            + self.changed_rows.capacity() * size_of::<Row>()
    }
}

impl<S: HumidityShape> tiles::Job<u32, S> for Job<S> {
    type Yield = Tally;

    fn changes(&self) -> &Changes {
        &self.changes
    }

    fn rims(&mut self) -> &mut Box<S::Rims<u32>> {
        self.rims.get_or_insert_with(|| Box::new(S::uniform_rims(0)))
    }

    fn take_yield(&mut self) -> Tally {
        core::mem::take(&mut self.tally)
    }
}

/// Units that a step moved, added and removed in one chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Units from the sources of fed cells.
    pub(crate) fed: u64,
    pub(crate) rained: i64,
    pub(crate) runoff: u64,
    pub(crate) drained: u64,
    /// Units that flowed over borders and over faces between cells, each face counted at the cell
    /// with the smaller coordinates.
    pub(crate) moved: u64,
}

impl Tally {
    /// Returns whether the ledger changes, by fed cells, rain, the cap or borders.
    pub(in crate::automata::humidity) fn has_entries(&self) -> bool {
        Tally { moved: 0, ..*self } != Tally::default()
    }
}
