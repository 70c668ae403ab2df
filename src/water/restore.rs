//! What a saved world consists of beside its chunks, and how a world is put together again.

use super::ledger::Ledger;
use super::rules::Rules;
use super::voxel::Voxel;
use super::{RulesError, WaterWorld};
use crate::chunk::{CellMask, Chunk};
use crate::coords::{Cube, Region, Shape};
use crate::grid::Grid;
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

    /// For each cell with more than one parent, in order of position: the faces behind which they lie, by bit.
    pub(crate) fn further_parents(&self) -> Vec<(IVec3, u8)> {
        self.store.further_parents()
    }

    /// A world with this clock and no chunks.
    pub(crate) fn restored(rules: Rules, bounds: Region, clock: Clock) -> Result<Self, RulesError> {
        let mut world = WaterWorld::with_bounds(clock.seed, rules, bounds)?;
        (world.tick, world.ledger) = (clock.tick, clock.ledger);
        Ok(world)
    }

    /// Puts a chunk back without entering its water in the ledger. `false` if no chunk of such cells can lie there.
    pub(crate) fn restore_chunk(&mut self, position: IVec3, chunk: Chunk<Voxel>) -> bool {
        let inside = self.store.bounds().intersection(&Cube::region_of(position)).is_some();
        if !inside {
            return false;
        }
        self.store.insert(position, chunk.clone());
        self.store.grid.chunk(position) == Some(&chunk)
    }

    /// Wakes and marks cells of a chunk that is there.
    pub(crate) fn restore_marks(&mut self, position: IVec3, awake: Option<&CellMask>, changed: Option<&CellMask>) {
        let Some(slot) = self.store.grid.slot(position) else { return };
        if let Some(cells) = awake {
            self.store.grid.wake_cells_at(slot, cells);
        }
        if let Some(cells) = changed {
            self.store.grid.mark_changes_at(slot, cells);
        }
    }

    /// Gives a cell more than one parent again. `false` if it does not say that it has.
    pub(crate) fn restore_parents(&mut self, cell: IVec3, faces: u8) -> bool {
        match self.place(cell) {
            Ok(place) => self.store.restore_parents(place, faces),
            Err(_) => false,
        }
    }
}
