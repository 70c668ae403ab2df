//! The reach of explosions: through loaded chunks, up to a number of chunks from where pressure was
//! added to the world. Pressure that gets to the end of these chunks leaves. So a charge costs no
//! more than the chunks within its reach, however strong it is, and never creates a chunk where
//! none is loaded.

use crate::automata::blast::extent::{admit, retain_admitted};
use crate::coords::{ChunkPos, ChunkRegion};
use crate::world::World;
use glam::IVec3;
use std::collections::BTreeSet;

/// Admits pressure to the loaded chunks within reach of these chunks, until explosions are at rest.
pub(in crate::world) fn reach_from(world: &mut World, chunks: ChunkRegion) {
    for origin in chunks.positions().filter(|&chunk| world.ground.chunk(chunk).is_some()) {
        if world.origins.insert(origin) {
            let reach = IVec3::splat(world.rules.blast_reach as i32);
            let within = ChunkRegion::new(origin, origin).grown(reach);
            for slot in world.ground.slots_in(within) {
                admit(&mut world.blast, world.ground.position_at(slot));
            }
        }
    }
}

/// Returns whether a chunk is within reach of a chunk where pressure was added.
pub(in crate::world) fn is_within_reach(world: &World, chunk: ChunkPos) -> bool {
    origins(world).any(|origin| is_within(chunk, origin, world.rules.blast_reach))
}

/// Returns the chunks in which pressure was added and that are not yet forgotten, in order of
/// position. See [`forget_origins`](forget_origins).
pub(crate) fn origins(world: &World) -> impl ExactSizeIterator<Item = ChunkPos> {
    world.origins.iter().copied()
}

/// Forgets the origins of pressure once explosions are at rest. Origins within reach of a chunk
/// that still has pressure are kept: the chunk may be frozen, and its pressure may spread once the
/// chunk is thawed.
pub(in crate::world) fn forget_origins(world: &mut World) {
    if world.origins.is_empty() || !world.blast.is_at_rest() {
        return;
    }
    let reach = world.rules.blast_reach;
    let is_needed =
        |&origin: &ChunkPos| world.blast.chunks().any(|(chunk, _)| is_within(chunk, origin, reach));
    let needed: BTreeSet<ChunkPos> = world.origins.iter().copied().filter(is_needed).collect();
    if needed.len() < world.origins.len() {
        world.origins = needed;
        let kept: Vec<ChunkPos> = origins(world).collect();
        let keeps = |chunk| kept.iter().any(|&origin| is_within(chunk, origin, reach));
        retain_admitted(&mut world.blast, keeps);
    }
}

/// Returns whether two chunks are at most `reach` apart along each axis (Chebyshev distance).
fn is_within(chunk: ChunkPos, other: ChunkPos, reach: u32) -> bool {
    let apart = [chunk.x.abs_diff(other.x), chunk.y.abs_diff(other.y), chunk.z.abs_diff(other.z)];
    apart.iter().all(|&apart| apart <= reach)
}
