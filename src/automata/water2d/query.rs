//! Reading a 2D water world: cells, totals, changes, and the hash of its state.

use super::cell::Cell;
use super::edit::units_in;
use super::ledger::Ledger;
use super::rules::Rules;
use super::{Edit, EditError, Outcome, Water2dWorld};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Region, Shape, Sheet};
use crate::simulation::{ChunkChanges, simulation};
use crate::state_hash::{StateHash, hash_of};
use glam::IVec3;

impl Water2dWorld {
    /// Returns the world's rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the cells that belong to the world, loaded or not.
    pub fn bounds(&self) -> Region {
        self.bounds
    }

    /// Returns the seed of the world's only random choice.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the number of steps run so far.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Returns a cell; `None` if it is not loaded or out of bounds.
    pub fn cell(&self, cell: IVec3) -> Option<Cell> {
        self.place(cell).ok().map(|(slot, index)| self.cells.chunk_at(slot).get(index))
    }

    /// Returns the units of water in a cell, 0 to [`MAX_LEVEL`](super::MAX_LEVEL); 0 where there is
    /// no open cell.
    pub fn level(&self, cell: IVec3) -> u32 {
        self.cell(cell).map_or(0, Cell::level)
    }

    /// Returns whether a cell is ground; `false` if it is not loaded.
    pub fn is_solid(&self, cell: IVec3) -> bool {
        self.cell(cell).is_some_and(Cell::is_solid)
    }

    /// Returns the units of water in the world, counted cell by cell. If the sum equals
    /// [`ledger().total()`](Ledger::total), no unit was made or lost.
    pub fn total(&self) -> u64 {
        self.chunks().map(|(_, chunk)| units_in(chunk)).sum()
    }

    /// Returns the account of all water that entered and left.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// Returns the number of cells that the next step will visit: all cells of each chunk near
    /// which something changed in the last two steps.
    pub fn awake_cells(&self) -> usize {
        self.cells.awake_slots().len() * CHUNK_CELLS
    }

    /// Returns whether the world will not change until the next edit: no chunk is awake.
    pub fn is_at_rest(&self) -> bool {
        self.cells.awake_slots().is_empty()
    }

    /// Takes the chunks with cells that changed since the last call, in order of position, with the
    /// changed cells. Loading and unloading are not listed.
    pub fn take_changes(&mut self) -> Vec<ChunkChanges> {
        ChunkChanges::list(self.cells.take_changes())
    }

    /// Returns the loaded chunks, in order of position. Cells beyond the world's bounds are ground.
    pub fn chunks(&self) -> impl Iterator<Item = (ChunkPos, &Chunk<Cell>)> {
        self.cells.chunks()
    }

    /// Returns the number of bytes that the world holds on the heap, scratch memory included.
    pub fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes() + self.wake_timers.memory_bytes() + self.kernel.memory_bytes()
    }

    /// Returns a hash of the state that decides the future: seed, tick count, ledger, and every
    /// cell of every chunk in order of position. It is the same on every platform, and independent
    /// of the order in which chunks were loaded. Rules and bounds are not included.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for value in [self.seed, self.tick, self.ledger.placed, self.ledger.removed] {
            hash.add(value);
        }
        for (position, chunk) in self.chunks() {
            hash.add_position(position.into());
            hash.add_chunk::<_, 2>(chunk, |cell| u64::from(cell.0 as u32));
        }
        hash.finish()
    }
}

simulation! {
    [] Water2dWorld;
    edits: Edit, Outcome, EditError;
    sums: u64, Ledger;
    changes: ChunkChanges;
    events: ();
    awake: awake_cells;

    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64)) {
        let word = |cell: Cell| match cell.is_solid() {
            true => u64::from(u32::MAX),
            false => u64::from(cell.level()),
        };
        for (position, chunk) in self.chunks() {
            visit(position, hash_of(|hash| hash.add_chunk::<_, 2>(chunk, word)));
        }
    }

    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String) {
        let cell = Sheet::cell_at(chunk, index);
        (cell, format!("{:?}", self.cell(cell)))
    }

    fn describe(&self) -> String {
        let (seed, bounds, rules) = (self.seed(), self.bounds(), self.rules());
        format!("seed {seed}, bounds {bounds:?}, {rules:?}")
    }
}
