//! Where chunks lie: the slab, the map from chunk positions to places in it, and steps from one
//! place to the next.
//!
//! The map is a chained hash table whose links lie in the slab: four buckets for each place, so
//! that most lookups end at the first chunk of a chain, and neither probing nor tags stand between
//! a position and its chunk.

use super::activity::NO_ACTIVITY;
use super::{Grid, GridFault};
use crate::chunk::Chunk;
use crate::coords::{Face, Region, Shape};
use core::hash::BuildHasher;
use glam::IVec3;
use hashbrown::DefaultHashBuilder;

/// A chunk's place in a grid's slab. Valid until that chunk is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

impl Default for Slot {
    fn default() -> Self {
        Slot::NONE
    }
}

impl Slot {
    /// Stands where a chunk is missing.
    pub(crate) const NONE: Slot = Slot(u32::MAX);

    /// The place with this index. Panics for 2³²−1 and more, as [`Grid`] documents.
    fn new(index: usize) -> Slot {
        match u32::try_from(index) {
            Ok(index) if index != u32::MAX => Slot(index),
            _ => panic!("a grid holds fewer than 2³²−1 chunks"),
        }
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn is_some(self) -> bool {
        self != Slot::NONE
    }
}

/// Buckets for each place of the slab. With four, one chunk in nine shares its bucket and comes
/// second there; with two it is one in five. A chunk that comes second costs a mispredicted branch,
/// as much as the rest of a lookup.
const BUCKETS_PER_PLACE: usize = 4;

/// Marks a vacant place. In either shape no chunk has this position.
const NOWHERE: IVec3 = IVec3::MIN;

/// One place of the slab: half a cache line for cells of up to eight bytes, and aligned so that it
/// never lies in two.
#[derive(Clone)]
#[repr(align(32))]
pub(super) struct Entry<T> {
    pub(super) chunk: Chunk<T>,
    pub(super) position: IVec3,
    /// The next chunk of the bucket; in a vacant place, the next vacant place.
    next: Slot,
}

/// The hash of chunk positions in one grid.
///
/// A player who places blocks chooses positions, so the seed differs from grid to grid: chunks that
/// share a bucket in one do not in the next. Nothing but the time of a lookup depends on it.
#[derive(Clone, Copy)]
pub(super) struct PositionHash {
    seed: u64,
}

impl PositionHash {
    pub(super) fn new() -> Self {
        PositionHash { seed: DefaultHashBuilder::default().hash_one(0u64) }
    }

    /// The folded product of two 64-bit halves, as in wyhash and foldhash.
    #[inline]
    fn of(self, chunk: IVec3) -> u64 {
        let flat = u64::from(chunk.x as u32) | u64::from(chunk.z as u32) << 32;
        let height = u64::from(chunk.y as u32) ^ 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(flat ^ self.seed) * u128::from(height);
        product as u64 ^ (product >> 64) as u64
    }

    /// The bucket, of so many (2³²−1 at most), in which a chunk position is to be found.
    #[inline]
    fn bucket(self, chunk: IVec3, buckets: usize) -> usize {
        (((self.of(chunk) >> 32) * buckets as u64) >> 32) as usize
    }
}

/// What kernels use: slots instead of positions. Each call takes the same time whatever the number
/// of chunks.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// The place of the chunk at a chunk position, and what lies there.
    #[inline]
    pub(super) fn find(&self, chunk: IVec3) -> Option<(Slot, &Entry<T>)> {
        let bucket = self.hash.bucket(chunk, self.buckets.len());
        let mut slot = *self.buckets.get(bucket)?;
        loop {
            let entry = self.entries.get(slot.index())?;
            if entry.position == chunk {
                return Some((slot, entry));
            }
            slot = entry.next;
        }
    }

    /// The place of the chunk at a chunk position.
    #[inline]
    pub(crate) fn slot(&self, chunk: IVec3) -> Option<Slot> {
        self.find(chunk).map(|(slot, _)| slot)
    }

    /// Like [`slot`](Grid::slot), with [`Slot::NONE`] for a missing chunk.
    #[inline]
    pub(super) fn slot_or_none(&self, chunk: IVec3) -> Slot {
        self.slot(chunk).unwrap_or(Slot::NONE)
    }

    /// One more than the largest slot index in use, now or before.
    pub(crate) fn slot_capacity(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(crate) fn position_at(&self, slot: Slot) -> IVec3 {
        self.entries[slot.index()].position
    }

    #[inline]
    pub(crate) fn chunk_at(&self, slot: Slot) -> &Chunk<T> {
        &self.entries[slot.index()].chunk
    }

    #[inline]
    pub(crate) fn chunk_at_mut(&mut self, slot: Slot) -> &mut Chunk<T> {
        &mut self.entries[slot.index()].chunk
    }

    /// The six neighbours, [`Slot::NONE`] where one is missing. Chunks with activity keep them at
    /// hand; for another each is looked up.
    #[inline]
    pub(crate) fn neighbours_of(&self, slot: Slot) -> [Slot; 6] {
        match self.activity_at(slot) {
            Some(activity) => activity.neighbours,
            None => self.find_neighbours(self.position_at(slot)),
        }
    }

    /// Occupied slots in order of position.
    pub(crate) fn sorted_slots(&self) -> Vec<Slot> {
        self.order().to_vec()
    }

    /// The same, sorted by the first call after a chunk has come or gone.
    pub(super) fn order(&self) -> &[Slot] {
        self.order.get_or_init(|| self.in_order(self.occupied()))
    }

    /// Occupied slots, in the order of the slab.
    fn occupied(&self) -> impl Iterator<Item = Slot> {
        let places = self.entries.iter().enumerate();
        places.filter(|(_, entry)| entry.position != NOWHERE).map(|(index, _)| Slot::new(index))
    }

    /// Occupied slots of a box of chunk positions, in order of position. Costs about the number of
    /// chunk positions in the box or the number of chunks in the grid, whichever is smaller.
    pub(super) fn slots_in(&self, chunks: Region) -> Vec<Slot> {
        if chunks.volume() <= self.chunk_count as u128 {
            chunks.positions().filter_map(|chunk| self.slot(chunk)).collect()
        } else {
            self.order()
                .iter()
                .copied()
                .filter(|&slot| chunks.contains(self.position_at(slot)))
                .collect()
        }
    }

    /// Sorts slots by the positions of their chunks.
    pub(crate) fn sort_slots(&self, slots: &mut [Slot]) {
        let sorted = self.in_order(slots.iter().copied());
        slots.copy_from_slice(&sorted);
    }

    /// These slots in order of position.
    pub(super) fn in_order(&self, slots: impl Iterator<Item = Slot>) -> Vec<Slot> {
        let mut keyed: Vec<(u128, Slot)> =
            slots.map(|slot| (order_key(self.position_at(slot)), slot)).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, slot)| slot).collect()
    }

    #[inline]
    pub(super) fn find_neighbour(&self, chunk: IVec3, face: Face) -> Slot {
        face.step(chunk).map_or(Slot::NONE, |beyond| self.slot_or_none(beyond))
    }

    pub(super) fn find_neighbours(&self, chunk: IVec3) -> [Slot; 6] {
        Face::ALL.map(|face| self.find_neighbour(chunk, face))
    }

    /// Gives the chunk a place; none may lie at `position` yet.
    pub(super) fn occupy(&mut self, position: IVec3, chunk: Chunk<T>) -> Slot {
        let entry = Entry { chunk, position, next: Slot::NONE };
        let slot = match self.entries.get_mut(self.vacant.index()) {
            Some(place) => {
                let slot = core::mem::replace(&mut self.vacant, place.next);
                *place = entry;
                slot
            }
            None => {
                let slot = Slot::new(self.entries.len());
                if self.entries.len() == self.entries.capacity() {
                    self.grow();
                }
                self.entries.push(entry);
                self.activity_of.push(NO_ACTIVITY);
                slot
            }
        };
        self.chain(slot);
        self.chunk_count += 1;
        self.order.take();
        self.link_neighbours(position, slot);
        slot
    }

    /// Takes the chunk at `position` from its place.
    pub(super) fn vacate(&mut self, position: IVec3) -> Option<Chunk<T>> {
        let slot = self.slot(position)?;
        self.retire(slot);
        self.unchain(slot);
        self.chunk_count -= 1;
        self.order.take();
        self.link_neighbours(position, Slot::NONE);
        let next = core::mem::replace(&mut self.vacant, slot);
        let vacant = Entry { chunk: Chunk::uniform(self.background), position: NOWHERE, next };
        Some(core::mem::replace(&mut self.entries[slot.index()], vacant).chunk)
    }

    /// Makes room for more places, by an eighth: doubling could leave as much empty room as there
    /// are chunks.
    fn grow(&mut self) {
        let more = (self.entries.len() / 8).max(2);
        self.entries.reserve_exact(more);
        self.activity_of.reserve_exact(more);
        let buckets =
            self.entries.capacity().saturating_mul(BUCKETS_PER_PLACE).min(u32::MAX as usize);
        self.buckets.clear();
        self.buckets.reserve_exact(buckets);
        self.buckets.resize(buckets, Slot::NONE);
        for index in 0..self.entries.len() {
            self.chain(Slot::new(index));
        }
    }

    /// Puts a place at the head of the chain of its bucket.
    fn chain(&mut self, slot: Slot) {
        let bucket = self.hash.bucket(self.position_at(slot), self.buckets.len());
        self.entries[slot.index()].next = core::mem::replace(&mut self.buckets[bucket], slot);
    }

    /// Takes a place out of the chain of its bucket.
    fn unchain(&mut self, slot: Slot) {
        let next = self.entries[slot.index()].next;
        let bucket = self.hash.bucket(self.position_at(slot), self.buckets.len());
        let mut before = self.buckets[bucket];
        if before == slot {
            self.buckets[bucket] = next;
            return;
        }
        while self.entries[before.index()].next != slot {
            before = self.entries[before.index()].next;
        }
        self.entries[before.index()].next = next;
    }

    /// Bytes of the slab and the map, with their spare room, without what chunks hold on the heap.
    pub(super) fn slab_bytes(&self) -> usize {
        let slots = self.buckets.capacity() + self.order.get().map_or(0, Vec::capacity);
        self.entries.capacity() * size_of::<Entry<T>>()
            + self.activity_of.capacity() * size_of::<u32>()
            + slots * size_of::<Slot>()
    }

    /// Checks what the functions of this file keep true.
    pub(super) fn validate_slab(&self) -> Result<(), GridFault> {
        let (all, used) = (self.entries.len(), self.chunk_count);
        // A chain that bites its tail would never end; none is longer than the slab.
        let chain = |head: Slot| {
            let next = |slot: &Slot| self.entries.get(slot.index()).map(|entry| entry.next);
            core::iter::successors(Some(head), next).take_while(|slot| slot.is_some()).take(all + 1)
        };
        let vacant = chain(self.vacant).count();
        if all != used + vacant || self.activity_of.len() != all || self.occupied().count() != used
        {
            return Err(GridFault::Places { all, used, vacant });
        }
        if let Some(slot) = chain(self.vacant).find(|&slot| self.position_at(slot) != NOWHERE) {
            return Err(GridFault::Misplaced(self.position_at(slot)));
        }
        let mut seen = vec![false; all];
        for slot in self.buckets.iter().flat_map(|&head| chain(head)) {
            let position = self.position_at(slot);
            if self.slot(position) != Some(slot)
                || core::mem::replace(&mut seen[slot.index()], true)
            {
                return Err(GridFault::Misplaced(position));
            }
            if !S::holds_chunk(position) {
                return Err(GridFault::OutOfRange(position));
            }
            if self.chunk_at(slot).validate().is_err() {
                return Err(GridFault::NotCanonical(position));
            }
        }
        let unseen = |slot: &Slot| !seen[slot.index()];
        if let Some(slot) = self.occupied().find(unseen) {
            return Err(GridFault::Misplaced(self.position_at(slot)));
        }
        let sorted = |order: &Vec<Slot>| *order == self.in_order(self.occupied());
        if !self.order.get().is_none_or(sorted) {
            return Err(GridFault::Order);
        }
        Ok(())
    }
}

/// Sorts positions with y slowest, then z, then x.
#[inline]
fn order_key(position: IVec3) -> u128 {
    let ordered = |value: i32| u128::from(value as u32 ^ 1 << 31);
    ordered(position.y) << 64 | ordered(position.z) << 32 | ordered(position.x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Cube;
    use std::collections::BTreeSet;

    /// What is found in a grid of three chunks and a vacant place after this was done behind its
    /// back.
    fn found(damage: impl FnOnce(&mut Grid<u16, Cube>, [Slot; 3])) -> Result<(), GridFault> {
        let mut grid = Grid::<u16, Cube>::new(0);
        for x in 0..4 {
            grid.insert(IVec3::X * x, Chunk::uniform(1)).unwrap();
        }
        grid.remove(IVec3::X * 3).unwrap();
        assert_eq!(grid.chunks().count(), 3);
        assert_eq!(grid.validate(), Ok(()));
        let slots = [0, 1, 2].map(|x| grid.slot(IVec3::X * x).unwrap());
        damage(&mut grid, slots);
        grid.validate()
    }

    /// Rows, columns, layers and blocks of chunks, as worlds have them. One seed may be bad for one
    /// of them: on average none is.
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
            let chunks = Region::new(IVec3::splat(-3), IVec3::from(size) - 4);
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
        for chunk in
            Region::new(IVec3::NEG_ONE, IVec3::ONE).positions().filter(|_| random.u8(..4) > 0)
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

    #[test]
    fn every_fault_of_the_slab_is_found() {
        let places = found(|grid, _| grid.chunk_count = 4);
        assert_eq!(places, Err(GridFault::Places { all: 4, used: 4, vacant: 1 }));
        let lost = found(|grid, _| grid.vacant = Slot::NONE);
        assert_eq!(lost, Err(GridFault::Places { all: 4, used: 3, vacant: 0 }));
        let emptied = found(|grid, [first, ..]| grid.entries[first.index()].position = NOWHERE);
        assert_eq!(emptied, Err(GridFault::Places { all: 4, used: 3, vacant: 1 }));
        let unpaired = found(|grid, _| grid.activity_of.push(NO_ACTIVITY));
        assert_eq!(unpaired, Err(GridFault::Places { all: 4, used: 3, vacant: 1 }));
        let endless = found(|grid, slots| {
            for slot in slots {
                grid.vacate(grid.position_at(slot));
            }
            let vacant = grid.vacant;
            grid.entries[vacant.index()].next = vacant;
        });
        assert_eq!(
            endless,
            Err(GridFault::Places { all: 4, used: 0, vacant: 5 }),
            "it leads to itself"
        );
        let swapped = found(|grid, [first, ..]| {
            let vacant = grid.vacant;
            grid.entries[vacant.index()].position = IVec3::Y;
            grid.entries[first.index()].position = NOWHERE;
        });
        assert_eq!(swapped, Err(GridFault::Misplaced(IVec3::Y)));
        let moved = found(|grid, [first, ..]| grid.entries[first.index()].position = IVec3::X);
        assert_eq!(moved, Err(GridFault::Misplaced(IVec3::X)), "two chunks at one position");
        let unchained = found(|grid, [_, second, _]| grid.unchain(second));
        assert_eq!(unchained, Err(GridFault::Misplaced(IVec3::X)));
        let twice = found(|grid, [first, ..]| {
            let empty = grid.buckets.iter().position(|head| !head.is_some()).unwrap();
            grid.buckets[empty] = first;
        });
        assert_eq!(twice, Err(GridFault::Misplaced(IVec3::ZERO)), "in two buckets");
        let far = found(|grid, _| _ = grid.occupy(IVec3::MAX, Chunk::uniform(1)));
        assert_eq!(far, Err(GridFault::OutOfRange(IVec3::MAX)));
        let loose = found(|grid, [_, _, third]| _ = grid.chunk_at_mut(third).cells_mut());
        assert_eq!(loose, Err(GridFault::NotCanonical(IVec3::X * 2)));
        let shuffled =
            found(|grid, [first, second, third]| grid.order = vec![second, first, third].into());
        assert_eq!(shuffled, Err(GridFault::Order));
    }
}
