//! The parts of a saved humidity world, and restoring a world from them.

use super::{HumidityShape, HumidityWorld, Ledger, Rules, RulesError};
use crate::chunk::Chunk;
use crate::coords::Region;
use crate::grid::{Grid, Slot};
use glam::IVec3;

impl<S: HumidityShape> HumidityWorld<S> {
    /// Words of humidity, with awake and changed cells.
    pub(crate) fn grid(&self) -> &Grid<u32, S> {
        &self.store.moisture
    }

    /// Mutable, to wake and mark cells.
    pub(crate) fn grid_mut(&mut self) -> &mut Grid<u32, S> {
        &mut self.store.moisture
    }

    /// Returns whether something flows through a chunk while it sleeps.
    pub(crate) fn is_steady(&self, slot: Slot) -> bool {
        self.steady.has(slot)
    }

    /// Words of ground.
    pub(crate) fn ground_words(&self, slot: Slot) -> &Chunk<u32> {
        self.store.ground_at(slot)
    }

    /// The ledger; empty in sweeps without one.
    pub(crate) fn account(&self) -> Ledger {
        self.ledger
    }

    /// A world without chunks.
    pub(crate) fn restored(
        rules: Rules,
        bounds: Region,
        ticks: u64,
        ledger: Ledger,
    ) -> Result<Self, RulesError> {
        let mut world = HumidityWorld::with_bounds(rules, bounds)?;
        (world.ticks, world.ledger) = (ticks, ledger);
        Ok(world)
    }

    /// Restores a chunk without recording it in the ledger. `None` if no chunk can lie there, or if
    /// a humidity is not stored in its canonical word.
    pub(crate) fn restore_chunk(
        &mut self,
        position: IVec3,
        moisture: Chunk<u32>,
        ground: Chunk<u32>,
    ) -> Option<Slot> {
        if !S::holds_chunk(position) {
            return None;
        }
        self.store.bounds.intersection(&S::region_of(position))?;
        let sweep = self.store.sweep;
        let is_plain = |&word: &u32| sweep.word_of(sweep.humidity_of(word)) == word;
        let all_plain = match moisture.as_dense() {
            Some(words) => words.iter().all(is_plain),
            None => is_plain(&moisture.get(0)),
        };
        if all_plain { self.store.insert(position, moisture, ground) } else { None }
    }
}
