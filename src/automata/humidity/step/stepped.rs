//! Which chunks have taken part in steps since the last save. A step that is done ahead notes its
//! chunks before it is complete, so each note is dated by the number of its step, not by when it
//! was made.

use crate::automata::humidity::{HumidityShape, HumidityWorld};
use crate::coords::ChunkPos;
use crate::grid::Slot;

/// Returns the number of complete steps since this world was made or loaded.
pub(crate) fn steps_done<S: HumidityShape>(world: &HumidityWorld<S>) -> u64 {
    world.steps
}

/// Returns whether the next step visits a chunk; `false` if it is not loaded.
pub(crate) fn is_awake<S: HumidityShape>(world: &HumidityWorld<S>, chunk: ChunkPos) -> bool {
    let slot = world.store.moisture.slot(chunk);
    slot.is_some_and(|slot| world.store.moisture.awake_at(slot).is_some())
}

/// Returns whether a step may have changed a chunk, or its awake cells, since this many steps were
/// [done](steps_done); `false` if the chunk is not loaded.
pub(crate) fn is_stepped_since<S: HumidityShape>(
    world: &HumidityWorld<S>,
    chunk: ChunkPos,
    steps: u64,
) -> bool {
    let Some(slot) = world.store.moisture.slot(chunk) else { return false };
    let moisture = &world.store.moisture;
    // A chunk that a step woke is still awake or has taken part in the next step.
    world.stepped.get(slot.index()).is_some_and(|&last| last > steps)
        || moisture.awake_at(slot).is_some() && !moisture.is_shelved(slot)
}

/// Notes that a chunk takes part in the next step.
pub(in crate::automata::humidity) fn note_stepped<S: HumidityShape>(
    world: &mut HumidityWorld<S>,
    slot: Slot,
) {
    if world.stepped.len() <= slot.index() {
        world.stepped.resize(world.store.moisture.slot_capacity(), 0);
    }
    world.stepped[slot.index()] = world.steps + 1;
}

/// Notes that a step is complete.
pub(in crate::automata::humidity) fn count_step<S: HumidityShape>(world: &mut HumidityWorld<S>) {
    world.steps += 1;
}
