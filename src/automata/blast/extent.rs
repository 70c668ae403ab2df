//! The extent of a world of pressure, set by the code above it: which chunks pressure may enter,
//! which of them stand still, and how fast pressure fades.
//!
//! Pressure leaves at the faces of chunks that it may not enter, as across an open border, so no
//! pressure gathers there. No pressure passes the faces of a chunk that stands still, as at a rigid
//! border. No step visits such a chunk, but edits change it.

use super::field::flows::Conductances;
use super::field::space::{axis, outermost, plane_cells};
use super::{BlastShape, BlastWorld};
use crate::coords::{ChunkPos, Face};
use crate::grid::Slot;
use hashbrown::HashSet;

/// Returns whether pressure may enter a chunk.
pub(crate) fn admits<S: BlastShape>(world: &BlastWorld<S>, chunk: ChunkPos) -> bool {
    world.space.admits(chunk)
}

/// Confines pressure to [admitted](admit) chunks from now on. No chunk may be loaded yet.
pub(crate) fn confine<S: BlastShape>(world: &mut BlastWorld<S>) {
    debug_assert!(world.pressure.chunk_count() == 0, "a chunk that pressure may not enter");
    world.space.extent = Some(HashSet::new());
}

/// Lets pressure enter a chunk of a confined world. Ends the flows that left the world at the faces
/// of the chunk.
pub(crate) fn admit<S: BlastShape>(world: &mut BlastWorld<S>, chunk: ChunkPos) {
    if restore_admitted(world, chunk) {
        for (face, there) in beside(world, chunk) {
            end_flows_across(world, there, face.opposite());
            world.pressure.wake_chunk_at(there);
        }
    }
}

/// Lets pressure enter a chunk, but wakes no chunk and ends no flow, as for a world that is
/// restored. Returns whether the chunk was not admitted before.
pub(crate) fn restore_admitted<S: BlastShape>(world: &mut BlastWorld<S>, chunk: ChunkPos) -> bool {
    world.space.extent.as_mut().is_some_and(|extent| extent.insert(chunk))
}

/// Stops pressure from entering a chunk, which must have been removed.
pub(crate) fn dismiss<S: BlastShape>(world: &mut BlastWorld<S>, chunk: ChunkPos) {
    debug_assert!(world.pressure.slot(chunk).is_none(), "chunk {chunk} is there");
    if world.space.extent.as_mut().is_some_and(|extent| extent.remove(&chunk)) {
        for (_, there) in beside(world, chunk) {
            world.pressure.wake_chunk_at(there);
        }
    }
}

/// Admits pressure only to those admitted chunks for which `keeps` holds. No other admitted chunk
/// may be loaded.
pub(crate) fn retain_admitted<S: BlastShape>(
    world: &mut BlastWorld<S>,
    keeps: impl Fn(ChunkPos) -> bool,
) {
    let admitted = world.space.extent.iter().flatten().copied();
    let gone: Vec<ChunkPos> = admitted.filter(|&chunk| !keeps(chunk)).collect();
    gone.into_iter().for_each(|chunk| dismiss(world, chunk));
}

/// Stops or resumes a chunk, loaded or not. Flows across its faces end.
pub(crate) fn set_still<S: BlastShape>(world: &mut BlastWorld<S>, chunk: ChunkPos, is_still: bool) {
    if world.space.still.contains(&chunk) == is_still {
        return;
    }
    let slot = world.pressure.slot(chunk);
    for (face, there) in beside(world, chunk) {
        end_flows_across(world, there, face.opposite());
        world.states[there.index()].conductances = Conductances::Unknown;
        world.pressure.wake_chunk_at(there);
    }
    match is_still {
        true => _ = world.space.still.insert(chunk),
        false => _ = world.space.still.remove(&chunk),
    }
    let Some(slot) = slot else { return };
    BlastWorld::<S>::FACES.iter().for_each(|&face| end_flows_across(world, slot, face));
    world.states[slot.index()].conductances = Conductances::Unknown;
    if is_still {
        world.pressure.shelve(&[slot]);
    } else {
        world.pressure.unshelve(&[slot]);
        world.pressure.wake_chunk_at(slot);
    }
}

/// Makes a chunk that is not loaded stand still, as in the saved world. Wakes nothing.
#[cfg(feature = "snapshot")]
pub(crate) fn restore_still<S: BlastShape>(world: &mut BlastWorld<S>, chunk: ChunkPos) {
    world.space.still.insert(chunk);
}

/// Returns whether a chunk stands still.
pub(crate) fn is_still<S: BlastShape>(world: &BlastWorld<S>, chunk: ChunkPos) -> bool {
    world.space.still.contains(&chunk)
}

/// Sets the share of each pressure that remains after a step, 0 to 1. Faded pressure counts as
/// removed, or as placed if it was below 0.
pub(crate) fn keep<S: BlastShape>(world: &mut BlastWorld<S>, share: f32) {
    world.keep = share;
}

/// Returns the loaded chunks that share a face with a chunk, each with that face of the chunk.
fn beside<S: BlastShape>(world: &BlastWorld<S>, chunk: ChunkPos) -> Vec<(Face, Slot)> {
    let there = |&face: &Face| Some((face, world.pressure.slot(chunk.step(face)?)?));
    BlastWorld::<S>::FACES.iter().filter_map(there).collect()
}

/// Ends the flow out of a chunk across a face.
fn end_flows_across<S: BlastShape>(world: &mut BlastWorld<S>, slot: Slot, face: Face) {
    for index in plane_cells::<S>(axis(face), outermost::<S>(face)) {
        let flows = world.states[slot.index()].flows.as_ref();
        if flows.is_some_and(|flows| flows.at::<S>(face, index) != 0.0) {
            world.set_flow(slot, face, index, 0.0);
        }
    }
}
