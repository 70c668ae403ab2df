//! A change of rules between ticks.

use crate::grid::Slot;
use crate::water::ebb::evaporation::Evaporation;
use crate::water::pools::Pools;
use crate::water::store::Place;
use crate::water::{Rules, RulesError, Voxel, WaterWorld};

impl WaterWorld {
    /// Replaces the rules, from the next tick on: a dry season, springs that give less, an edge
    /// that opens. Completes a tick underway first. The same rules change nothing.
    ///
    /// Other chances of evaporation alone wake nothing. Any other change wakes every cell with
    /// water or flow, as [`wake_all`](WaterWorld::wake_all) does, since what was at rest under the
    /// old rules need not be under the new. With less throughput, each cell's
    /// [`largest`](crate::water::WaterCell::largest) is lowered to it. No water is moved and the
    /// ledger stays as it is.
    ///
    /// # Errors
    /// A rule's value is out of range; see [`Rules::check`]. Nothing is changed.
    ///
    /// ```
    /// use floodplain::water::{Rules, RulesError, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 1, 15)), 7)?;
    /// world.run(500);
    /// assert_eq!(world.ledger().evaporated, 0);
    /// world.set_rules(Rules { evaporation: 1.0 / 64.0, ..*world.rules() })?;
    /// world.run(500);
    /// assert!(world.ledger().evaporated > 1000, "a dry season");
    /// let wrong = world.set_rules(Rules { throughput: 9, ..*world.rules() });
    /// assert!(matches!(wrong, Err(RulesError::Units { rule: "throughput", value: 9, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_rules(&mut self, rules: Rules) -> Result<(), RulesError> {
        self.make_queued_edits();
        rules.check()?;
        if rules == self.rules {
            return Ok(());
        }
        self.finish_tick();
        let before = core::mem::replace(&mut self.rules, rules);
        self.restart_evaporation();
        let Rules { evaporation, film_evaporation, .. } = before;
        if (Rules { evaporation, film_evaporation, ..rules }) == before {
            return Ok(());
        }
        if rules.edges != before.edges {
            self.store.set_edges(rules.edges);
        }
        if rules.throughput < before.throughput {
            self.store.grid().sorted_slots().into_iter().for_each(|slot| self.lower(slot));
        }
        // Bodies are dropped and found anew, as after loading a world.
        self.store.keep_dirty_layers(rules.pools);
        self.tick_state.pools = Pools::default();
        self.store.note_all_unbalanced();
        self.wake_all();
        Ok(())
    }

    /// Draws what evaporates by the present rules.
    fn restart_evaporation(&mut self) {
        self.tick_state.evaporation = Evaporation::new(&self.rules, self.seed, self.tick);
        for slot in self.store.grid().sorted_slots() {
            self.tick_state.evaporation.enter(self.store.grid(), slot);
        }
    }

    /// Lowers what the cells of a chunk say that they pass on to the present throughput.
    fn lower(&mut self, slot: Slot) {
        let throughput = self.rules.throughput;
        let is_above = |voxel: Voxel| voxel.lowered_to(throughput) != voxel;
        for layer in slot.layers() {
            for cell in self.store.select(layer, is_above).iter() {
                let place = Place::in_layer(layer, cell);
                self.replace(place, self.store.read(place).lowered_to(throughput));
            }
        }
    }
}
