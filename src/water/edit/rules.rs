//! A change of rules between ticks.

use crate::grid::Slot;
use crate::rules_error::RulesError;
use crate::water::ebb::evaporation::Evaporation;
use crate::water::pools::Pools;
use crate::water::store::Place;
use crate::water::store::changed::dirty_layers::keep_dirty_layers;
use crate::water::{Rules, Voxel, WaterWorld};

pub(super) fn set_rules(world: &mut WaterWorld, rules: Rules) -> Result<(), RulesError> {
    world.make_queued_edits();
    rules.check()?;
    if rules == world.rules {
        return Ok(());
    }
    world.finish_tick();
    let before = core::mem::replace(&mut world.rules, rules);
    restart_evaporation(world);
    let Rules { evaporation, film_evaporation, .. } = before;
    if (Rules { evaporation, film_evaporation, ..rules }) == before {
        return Ok(());
    }
    if rules.edges != before.edges {
        world.store.set_edges(rules.edges);
    }
    if rules.throughput < before.throughput {
        world.store.grid().sorted_slots().into_iter().for_each(|slot| lower(world, slot));
    }
    // Bodies are dropped and found again, as after loading a world.
    keep_dirty_layers(&mut world.store, rules.pools);
    world.tick_state.pools = Pools::default();
    world.store.note_all_unbalanced();
    world.wake_all();
    Ok(())
}

/// Restarts evaporation under the present rules.
fn restart_evaporation(world: &mut WaterWorld) {
    world.tick_state.evaporation = Evaporation::new(&world.rules, world.seed, world.tick);
    for slot in world.store.grid().sorted_slots() {
        world.tick_state.evaporation.add_chunk(world.store.grid(), slot);
    }
}

/// Lowers the `largest` of the cells of a chunk to the present throughput.
fn lower(world: &mut WaterWorld, slot: Slot) {
    let throughput = world.rules.throughput;
    let is_above = |voxel: Voxel| voxel.lowered_to(throughput) != voxel;
    for layer in slot.layers() {
        for cell in world.store.select(layer, is_above).iter() {
            let place = Place::in_layer(layer, cell);
            world.replace(place, world.store.read(place).lowered_to(throughput));
        }
    }
}
