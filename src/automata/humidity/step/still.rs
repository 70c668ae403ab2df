//! Chunks that stand still: no step visits them, and nothing passes their faces, as if there were
//! rock behind them. They can be read and edited like other chunks.

use crate::automata::humidity::step::kernel::Kernel;
#[cfg(feature = "store")]
use crate::automata::humidity::step::stepped::note_stepped;
use crate::automata::humidity::{HumidityShape, HumidityWorld};
use crate::coords::{ChunkPos, Face};
use crate::grid::Slot;

/// Stops or resumes a chunk, loaded or not. Neighbours wake if moisture flows across the face
/// between them. A chunk that resumes is awake if it was awake when it stopped, or if moisture
/// flows across one of its faces or flowed steadily through it.
pub(crate) fn set_still<S: HumidityShape>(
    world: &mut HumidityWorld<S>,
    chunk: ChunkPos,
    is_still: bool,
) {
    if world.store.is_still(chunk) == is_still {
        return;
    }
    world.store.set_still(chunk, is_still);
    let Some(slot) = world.store.moisture.slot(chunk) else { return };
    let flows = wake_across(world, slot);
    if is_still {
        if flows || world.steady.has(slot) {
            // The steady flow may be cut off by the time that the chunk resumes.
            world.steady.forget(slot);
            world.store.moisture.wake_chunk_at(slot);
        }
        if world.store.moisture.awake_at(slot).is_some() {
            // The chunk may have woken since the last step; from now on it does not count as awake.
            #[cfg(feature = "store")]
            note_stepped(world, slot);
        }
        world.store.moisture.shelve(&[slot]);
        world.kernel.free(slot);
    } else {
        world.store.moisture.unshelve(&[slot]);
        if flows {
            world.store.moisture.wake_chunk_at(slot);
        }
    }
}

/// Wakes the neighbours with which a chunk exchanges moisture, when the chunk is about to stop or
/// to be unloaded, or has just been loaded or resumed. Returns whether there are any such
/// neighbours. The next steps of the chunk and its neighbours visit the rows between which moisture
/// flows, and the rows beside cells changed in the last step.
pub(in crate::automata::humidity) fn wake_across<S: HumidityShape>(
    world: &mut HumidityWorld<S>,
    slot: Slot,
) -> bool {
    let neighbours = world.store.moisture.neighbours_of(slot);
    let mut flows = false;
    for (face, beside) in Face::ALL.into_iter().zip(neighbours).take(S::NEIGHBOURS) {
        if !beside.is_some() || world.store.is_still(world.store.moisture.position_at(beside)) {
            continue;
        }
        let Kernel { stirred, .. } = &world.kernel;
        let [here, there] = [slot, beside].map(|at| stirred.changed_at(&world.store, at));
        let [own, other] = world.kernel.flows_across(&world.store, [slot, beside], face);
        let stirred = &mut world.kernel.stirred;
        stirred.look_at(slot, own.union(there.across(face)));
        stirred.look_at(beside, other.union(here.across(face.opposite())));
        world.kernel.note_ground_behind(beside, face.opposite());
        if !own.is_empty() {
            flows = true;
            world.store.moisture.wake_chunk_at(beside);
        }
    }
    flows
}

/// Makes a chunk stand still, as in the saved world. Wakes nothing.
#[cfg(feature = "snapshot")]
pub(crate) fn restore_still<S: HumidityShape>(world: &mut HumidityWorld<S>, chunk: ChunkPos) {
    world.store.set_still(chunk, true);
    if let Some(slot) = world.store.moisture.slot(chunk) {
        world.steady.forget(slot);
        world.store.moisture.shelve(&[slot]);
    }
}
