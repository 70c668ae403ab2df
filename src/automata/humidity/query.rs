//! Reading a humidity world: cells, totals, changes, and the hash of its state.

use super::cell::{Cell, ROCK, UNITS};
use super::edit::units_in;
use super::ledger::Ledger;
use super::rules::Rules;
use super::step::job::{Job, Scratch};
use super::sweep::Sweep;
use super::validate::Violation;
use super::{Edit, EditError, HumidityShape, HumidityWorld, Outcome};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Region};
use crate::grid::Slot;
use crate::simulation::{ChunkChanges, simulation};
use crate::state_hash::{StateHash, hash_of};
use glam::IVec3;

impl<S: HumidityShape> HumidityWorld<S> {
    /// Returns the world's rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the cells that belong to the world, loaded or not.
    pub fn bounds(&self) -> Region {
        self.store.bounds
    }

    /// Returns the number of steps run so far.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns a cell; `None` if it is not loaded or out of bounds.
    pub fn cell(&self, cell: IVec3) -> Option<Cell> {
        if !self.store.bounds.contains(cell) {
            return None;
        }
        let slot = self.store.moisture.slot(S::chunk_of(cell))?;
        let index = S::index_of(cell);
        let humidity = self.store.sweep.humidity_of(self.store.word_of(slot, index));
        Some(self.store.ground_of(slot, index).cell(humidity))
    }

    /// Returns the humidity of a cell; 0 if it is not loaded or out of bounds.
    pub fn humidity(&self, cell: IVec3) -> f64 {
        self.cell(cell).map_or(0.0, |cell| cell.humidity)
    }

    /// Returns the impermeability of a cell; [`ROCK`] if it is not loaded or out of bounds.
    pub fn impermeability(&self, cell: IVec3) -> f32 {
        self.cell(cell).map_or(ROCK, |cell| cell.impermeability)
    }

    /// Returns whether a cell is a source; `false` if it is not loaded.
    pub fn is_rain(&self, cell: IVec3) -> bool {
        self.cell(cell).is_some_and(|cell| cell.rain)
    }

    /// Returns whether a cell is rock; `true` if it is not loaded or out of bounds, where no
    /// humidity passes either.
    pub fn is_rock(&self, cell: IVec3) -> bool {
        self.cell(cell).is_none_or(|cell| cell.is_rock())
    }

    /// Returns the humidity of all cells, rain and rock included, counted cell by cell. In the
    /// conservative sweep it is a sum of units of 1/65,536, exact below 2³⁷: if it equals
    /// [`ledger().total()`](Ledger::total), no unit was made or lost. In the other sweeps it is a
    /// sum in `f64`, chunk by chunk in order of position.
    pub fn total(&self) -> f64 {
        if self.rules.sweep == Sweep::Conservative {
            let chunks = self.store.moisture.chunks().map(|(_, chunk)| units_in(chunk));
            return chunks.sum::<u128>() as f64 / f64::from(UNITS);
        }
        let humidity = |word| self.store.sweep.humidity_of(word);
        let sum = |chunk: &Chunk<u32>| match chunk.as_dense() {
            None => humidity(chunk.get(0)) * CHUNK_CELLS as f64,
            Some(words) => words.iter().map(|&word| humidity(word)).sum(),
        };
        // An empty sum is −0.
        self.store.moisture.chunks().map(|(_, chunk)| sum(chunk)).sum::<f64>() + 0.0
    }

    /// Returns the account of all humidity that entered and left, in the conservative sweep.
    /// Returns `None` in the other sweeps: the weighted mean creates and loses humidity in every
    /// step, so that no account would balance.
    pub fn ledger(&self) -> Option<Ledger> {
        (self.rules.sweep == Sweep::Conservative).then_some(self.ledger)
    }

    /// Returns whether no cell will change until the next edit: no chunk is awake. A steady flow
    /// from rain to drains may continue: each step posts it to the ledger.
    pub fn is_at_rest(&self) -> bool {
        self.store.moisture.awake_slots().is_empty()
    }

    /// Returns the number of cells that the next step will visit: all cells of each chunk that
    /// changed or is next to a change.
    pub fn awake_cells(&self) -> usize {
        self.store.moisture.awake_cells()
    }

    /// Takes the chunks with cells that changed since the last call, in order of position, with the
    /// changed cells. Loading and unloading are not listed.
    pub fn take_changes(&mut self) -> Vec<ChunkChanges> {
        ChunkChanges::list(self.store.moisture.take_changes())
    }

    /// Returns the loaded chunks, in order of position, converted one by one. Cells beyond the
    /// world's bounds are dry rock.
    pub fn chunks(&self) -> impl Iterator<Item = (ChunkPos, Chunk<Cell>)> {
        let slots = self.store.moisture.sorted_slots().into_iter();
        slots.map(|slot| (self.store.moisture.position_at(slot), self.cells_at(slot)))
    }

    /// Returns the chunk at a chunk position, converted as [`chunks`](HumidityWorld::chunks) does;
    /// `None` if it is not loaded.
    pub fn chunk(&self, position: ChunkPos) -> Option<Chunk<Cell>> {
        self.store.moisture.slot(position).map(|slot| self.cells_at(slot))
    }

    fn cells_at(&self, slot: Slot) -> Chunk<Cell> {
        self.cells_of(self.store.moisture.chunk_at(slot), &self.store.ground_at(slot).words())
    }

    /// Returns the positions of the loaded chunks, in order, without converting their cells.
    pub(crate) fn chunk_positions(&self) -> impl Iterator<Item = ChunkPos> {
        let slots = self.store.moisture.sorted_slots().into_iter();
        slots.map(|slot| self.store.moisture.position_at(slot))
    }

    /// Returns the number of bytes that the world holds, scratch memory included.
    pub fn memory_bytes(&self) -> usize {
        let jobs = self.jobs.capacity() * size_of::<Job<S>>()
            + self.jobs.iter().map(Job::heap_bytes).sum::<usize>();
        let scratch: usize = self.workers.scratch().iter().map(Scratch::memory_bytes).sum();
        let closing = self.closing.as_ref().map_or(0, super::Closing::memory_bytes);
        #[cfg(feature = "store")]
        let jobs = jobs + self.stepped.capacity() * size_of::<u64>();
        self.store.memory_bytes()
            + self.kernel.memory_bytes()
            + scratch
            + jobs
            + closing
            + self.steady.memory_bytes()
            + self.leavings.memory_bytes()
            + self.touched.capacity() * size_of::<(Slot, [bool; 6])>()
    }

    /// Returns a hash of the state that decides the future: tick count, ledger, and every cell of
    /// every chunk in order of position. It is the same on every platform, and independent of the
    /// order in which chunks were loaded. Rules and bounds are not included.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        let Ledger { placed, rained, removed, runoff, drained } = self.ledger;
        hash.add(self.ticks);
        for value in [placed, rained as u128, removed, runoff, drained] {
            hash.add(value as u64);
            hash.add((value >> 64) as u64);
        }
        for slot in self.store.moisture.sorted_slots() {
            hash.add_position(self.store.moisture.position_at(slot).into());
            hash.add_chunk::<_, 2>(self.store.moisture.chunk_at(slot), u64::from);
            hash.add_chunk::<_, 2>(&self.store.ground_at(slot).words(), u64::from);
        }
        hash.finish()
    }

    /// Checks every invariant between steps, over the whole world. Slow: for tests, fuzzers and bug
    /// reports.
    ///
    /// # Errors
    /// The first broken invariant, with its place and figures.
    pub fn validate(&self) -> Result<(), crate::Violation> {
        self.check_laws().map_err(crate::Violation::of)
    }

    /// Returns the first broken law as a typed error.
    pub(crate) fn check_laws(&self) -> Result<(), Violation> {
        S::validate_humidity(self)
    }
}

simulation! {
    [S: HumidityShape] HumidityWorld<S>;
    edits: Edit, Outcome, EditError;
    sums: f64, Option<Ledger>;
    changes: ChunkChanges;
    events: ();
    awake: awake_cells;

    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64)) {
        for (position, chunk) in self.chunks() {
            let hash = hash_of(|hash| {
                hash.add_chunk::<_, 1>(&chunk, |cell| cell.humidity.to_bits());
                let ground = |cell: Cell| {
                    u64::from(cell.impermeability.to_bits()) << 1 | u64::from(cell.rain)
                };
                hash.add_chunk::<_, 1>(&chunk, ground);
            });
            visit(position, hash);
        }
    }

    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String) {
        let cell = S::cell_at(chunk, index);
        (cell, format!("{:?}", self.cell(cell)))
    }

    fn describe(&self) -> String {
        format!("bounds {:?}, {:?}", self.bounds(), self.rules())
    }
}
