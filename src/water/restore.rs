//! What a saved world consists of beside its chunks, and how a world is put together again.

use super::ledger::Ledger;
use super::rules::Rules;
use super::voxel::Voxel;
use super::{RulesError, WaterWorld};
use crate::chunk::Chunk;
use crate::coords::{Cube, Region, Shape};
use crate::grid::{Grid, Slot};
use glam::IVec3;

/// The numbers that decide the future, beside the cells.
pub(crate) struct Clock {
    pub(crate) seed: u64,
    pub(crate) tick: u64,
    pub(crate) ledger: Ledger,
}

impl WaterWorld {
    /// Seed, tick and ledger.
    pub(crate) fn clock(&self) -> Clock {
        Clock { seed: self.seed, tick: self.tick, ledger: self.ledger }
    }

    /// Chunks with their awake and changed cells. Cells beyond the bounds are marks.
    pub(crate) fn grid(&self) -> &Grid<Voxel> {
        &self.store.grid
    }

    /// The same, to wake and mark cells.
    pub(crate) fn grid_mut(&mut self) -> &mut Grid<Voxel> {
        &mut self.store.grid
    }

    /// The chunk's cells with more than one parent, by index: the faces behind which they lie, by bit.
    pub(crate) fn further_parents(&self, slot: Slot) -> Vec<(u16, u8)> {
        self.store.further_parents(slot)
    }

    /// A world with this clock and no chunks.
    pub(crate) fn restored(rules: Rules, bounds: Region, clock: Clock) -> Result<Self, RulesError> {
        let mut world = WaterWorld::with_bounds(clock.seed, rules, bounds)?;
        (world.tick, world.ledger) = (clock.tick, clock.ledger);
        Ok(world)
    }

    /// Puts a chunk back without entering its water in the ledger. `None` if no chunk of such cells can lie there.
    pub(crate) fn restore_chunk(&mut self, position: IVec3, chunk: Chunk<Voxel>) -> Option<Slot> {
        if !Cube::holds_chunk(position) {
            return None;
        }
        self.store.bounds().intersection(&Cube::region_of(position))?;
        let slot = self.store.insert(position, chunk.clone())?;
        (*self.store.grid.chunk_at(slot) == chunk).then_some(slot)
    }

    /// Gives a cell more than one parent again. `false` if it does not say that it has.
    pub(crate) fn restore_parents(&mut self, slot: Slot, index: u16, faces: u8) -> bool {
        self.store.restore_parents((slot, usize::from(index)), faces)
    }
}
