//! The map from chunk positions to slots: a chained hash table whose links are stored in the slab.
//!
//! With four buckets for each slab entry, most lookups end at the first chunk of a chain; there are
//! no tags and no probing.

use super::slot::Entry;
use super::{Grid, Slot};
use crate::coords::{ChunkPos, Face, Shape};
use core::hash::BuildHasher;
use hashbrown::DefaultHashBuilder;

/// Buckets for each entry of the slab. With four buckets, one chunk in nine is second in its
/// bucket; with two buckets, one in five is. A lookup of the second chunk costs a mispredicted
/// branch, as much as the rest of the lookup.
const BUCKETS_PER_PLACE: usize = 4;

/// The hash of chunk positions in one grid.
///
/// A player who places blocks chooses positions, so each grid has its own random seed: chunks that
/// collide in one grid do not collide in the next. Only the time of a lookup depends on the seed.
#[derive(Clone, Copy)]
pub(super) struct PositionHash {
    seed: u64,
}

impl PositionHash {
    pub(super) fn new() -> Self {
        PositionHash { seed: DefaultHashBuilder::default().hash_one(0u64) }
    }

    /// Returns the hash by a folded multiplication of two 64-bit halves, as in wyhash and foldhash.
    #[inline]
    fn of(self, chunk: ChunkPos) -> u64 {
        let flat = u64::from(chunk.x as u32) | u64::from(chunk.z as u32) << 32;
        let height = u64::from(chunk.y as u32) ^ 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(flat ^ self.seed) * u128::from(height);
        product as u64 ^ (product >> 64) as u64
    }

    /// Returns the bucket of a chunk position: a number below `buckets`, which must be at most
    /// 2³²−1.
    #[inline]
    fn bucket(self, chunk: ChunkPos, buckets: usize) -> usize {
        (((self.of(chunk) >> 32) * buckets as u64) >> 32) as usize
    }
}

/// Returns the slot and the entry of the chunk at a chunk position.
#[inline]
pub(super) fn find<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    chunk: ChunkPos,
) -> Option<(Slot, &Entry<T>)> {
    let bucket = grid.hash.bucket(chunk, grid.buckets.len());
    let mut slot = *grid.buckets.get(bucket)?;
    loop {
        let entry = grid.entries.get(slot.index())?;
        if entry.position == chunk {
            return Some((slot, entry));
        }
        slot = entry.next;
    }
}

/// Returns the same as [`slot`](Grid::slot), with [`Slot::NONE`] for a missing chunk.
#[inline]
pub(super) fn slot_or_none<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    chunk: ChunkPos,
) -> Slot {
    find(grid, chunk).map_or(Slot::NONE, |(slot, _)| slot)
}

#[inline]
pub(super) fn find_neighbour<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    chunk: ChunkPos,
    face: Face,
) -> Slot {
    chunk.step(face).map_or(Slot::NONE, |beyond| slot_or_none(grid, beyond))
}

pub(super) fn find_neighbours<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    chunk: ChunkPos,
) -> [Slot; 6] {
    Face::ALL.map(|face| find_neighbour(grid, chunk, face))
}

/// Rebuilds the buckets for the slab's capacity.
pub(super) fn rehash<T: Copy + PartialEq, S: Shape>(grid: &mut Grid<T, S>) {
    let buckets = grid.entries.capacity().saturating_mul(BUCKETS_PER_PLACE);
    let buckets = buckets.min(u32::MAX as usize);
    grid.buckets.clear();
    grid.buckets.reserve_exact(buckets);
    grid.buckets.resize(buckets, Slot::NONE);
    for index in 0..grid.entries.len() {
        chain(grid, Slot::new(index));
    }
}

/// Adds a slot at the head of the chain of its bucket.
pub(super) fn chain<T: Copy + PartialEq, S: Shape>(grid: &mut Grid<T, S>, slot: Slot) {
    let bucket = grid.hash.bucket(grid.entries[slot.index()].position, grid.buckets.len());
    grid.entries[slot.index()].next = core::mem::replace(&mut grid.buckets[bucket], slot);
}

/// Removes a slot from the chain of its bucket.
pub(super) fn unchain<T: Copy + PartialEq, S: Shape>(grid: &mut Grid<T, S>, slot: Slot) {
    let next = grid.entries[slot.index()].next;
    let bucket = grid.hash.bucket(grid.entries[slot.index()].position, grid.buckets.len());
    let mut before = grid.buckets[bucket];
    if before == slot {
        grid.buckets[bucket] = next;
        return;
    }
    while grid.entries[before.index()].next != slot {
        before = grid.entries[before.index()].next;
    }
    grid.entries[before.index()].next = next;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{ChunkRegion, Cube, Region};
    use glam::IVec3;
    use std::collections::BTreeSet;

    /// Tests rows, columns, layers and blocks of chunks, as in real worlds. A single seed may be
    /// bad for one of these shapes, so the bound is on the sum over 16 seeds.
    #[test]
    fn few_chunks_come_second_in_their_bucket() {
        for size in [
            [343, 1, 1],
            [1, 343, 1],
            [1, 1, 343],
            [18, 1, 18],
            [18, 18, 1],
            [1, 18, 18],
            [7, 7, 7],
        ] {
            let chunks =
                ChunkRegion::new(ChunkPos::new(-3, -3, -3), (IVec3::from(size) - 4).into());
            let count = chunks.volume() as usize;
            let mut second = 0;
            for seed in 0..16 {
                let hash = PositionHash { seed: fastrand::Rng::with_seed(seed).u64(..) };
                let bucket = |chunk| hash.bucket(chunk, BUCKETS_PER_PLACE * count);
                let buckets: BTreeSet<usize> = chunks.positions().map(bucket).collect();
                assert!(buckets.last() < Some(&(BUCKETS_PER_PLACE * count)));
                second += count - buckets.len();
            }
            assert!(5 * second < 16 * count, "{second} of {} come second: {size:?}", 16 * count);
        }
    }

    #[test]
    fn neighbours_are_those_of_the_position_asleep_or_awake() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut grid = Grid::<u16, Cube>::new(0);
        for chunk in Region::new(IVec3::NEG_ONE, IVec3::ONE)
            .positions()
            .map(ChunkPos::from)
            .filter(|_| random.u8(..4) > 0)
        {
            grid.insert(chunk, Chunk::uniform(1)).unwrap();
        }
        let slots = grid.sorted_slots();
        for slot in slots.iter().copied().filter(|_| random.bool()).collect::<Vec<_>>() {
            grid.wake_at(slot, 0);
        }
        for (slot, face) in slots.into_iter().flat_map(|slot| Face::ALL.map(|face| (slot, face))) {
            let beyond = grid.slot(grid.position_at(slot) + face.offset());
            assert_eq!(grid.neighbours_of(slot)[face.index()], beyond.unwrap_or(Slot::NONE));
        }
    }
}
