//! The parts of a saved 2D water world, and how a world is restored from them.

use super::lines::Cells;
use super::{Cell, Ledger, Rules, Water2dWorld};
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Region, Shape, Sheet};
use crate::grid::Slot;
use crate::rules_error::RulesError;

impl Water2dWorld {
    /// Returns the grid of cells, with its awake and changed cells.
    pub(crate) fn grid(&self) -> &Cells {
        &self.cells
    }

    /// Returns the grid of cells, mutable to wake and mark cells.
    pub(crate) fn grid_mut(&mut self) -> &mut Cells {
        &mut self.cells
    }

    /// Returns the number of steps for which a chunk will stay awake; `None` if it sleeps.
    pub(crate) fn steps_awake(&self, slot: Slot) -> Option<u8> {
        self.cells.awake_at(slot).and_then(|_| self.wake_timers.steps_left(slot))
    }

    /// Sets for how many steps an awake chunk stays awake. Returns `false` if no step can leave
    /// that number.
    pub(crate) fn restore_steps_awake(&mut self, slot: Slot, steps: u8) -> bool {
        self.wake_timers.restore(&self.cells, slot, steps)
    }

    /// Returns a world with this state and without chunks.
    pub(crate) fn restored(
        seed: u64,
        rules: Rules,
        bounds: Region,
        tick: u64,
        ledger: Ledger,
    ) -> Result<Self, RulesError> {
        let mut world = Water2dWorld::with_bounds(seed, rules, bounds)?;
        (world.tick, world.ledger) = (tick, ledger);
        Ok(world)
    }

    /// Restores a chunk without recording its water in the ledger. Returns `None` if no chunk can
    /// be there.
    pub(crate) fn restore_chunk(&mut self, position: ChunkPos, chunk: Chunk<Cell>) -> Option<Slot> {
        if !Sheet::holds_chunk(position) {
            return None;
        }
        self.bounds.intersection(&Sheet::region_of(position))?;
        self.cells.insert(position, chunk).ok()?;
        self.cells.slot(position)
    }
}
