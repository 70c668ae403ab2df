//! Where chunks lie: the slab, the map from chunk positions to places in it, and steps from one place to the next.

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

/// One place of the slab: 32 bytes for cells of up to eight bytes.
#[derive(Clone)]
pub(super) struct Entry<T> {
    pub(super) position: IVec3,
    /// The index of the chunk's activity, or [`NO_ACTIVITY`].
    pub(super) activity: u32,
    pub(super) chunk: Chunk<T>,
}

/// The hash of chunk positions in one grid.
///
/// A player who places blocks chooses positions, so the seed differs from grid to grid: chunks that share a bucket in
/// one do not in the next. Nothing but the time of a lookup depends on it.
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
    pub(super) fn of(self, chunk: IVec3) -> u64 {
        let flat = u64::from(chunk.x as u32) | u64::from(chunk.z as u32) << 32;
        let height = u64::from(chunk.y as u32) ^ 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(flat ^ self.seed) * u128::from(height);
        product as u64 ^ (product >> 64) as u64
    }
}

/// What kernels use: slots instead of positions. Each call takes the same time whatever the number of chunks.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// The place of the chunk at a chunk position.
    #[inline]
    pub(crate) fn slot(&self, chunk: IVec3) -> Option<Slot> {
        let same = |slot: &Slot| self.entries[slot.index()].position == chunk;
        self.slots.find(self.hash.of(chunk), same).copied()
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

    /// The six neighbours, [`Slot::NONE`] where one is missing. Chunks with activity keep them at hand; for another each
    /// is looked up.
    #[inline]
    pub(crate) fn neighbours_of(&self, slot: Slot) -> [Slot; 6] {
        match self.activity_at(slot) {
            Some(activity) => activity.neighbours,
            None => self.find_neighbours(self.position_at(slot)),
        }
    }

    /// Occupied slots in order of position.
    pub(crate) fn sorted_slots(&self) -> Vec<Slot> {
        self.in_order(self.slots.iter().copied())
    }

    /// Occupied slots of a box of chunk positions, in order of position. Costs about the number of chunk positions in the
    /// box or the number of chunks in the grid, whichever is smaller.
    pub(super) fn slots_in(&self, chunks: Region) -> Vec<Slot> {
        if chunks.volume() <= self.slots.len() as u128 {
            chunks.positions().filter_map(|chunk| self.slot(chunk)).collect()
        } else {
            self.in_order(self.slots.iter().copied().filter(|&slot| chunks.contains(self.position_at(slot))))
        }
    }

    /// Sorts slots by the positions of their chunks.
    pub(crate) fn sort_slots(&self, slots: &mut [Slot]) {
        let sorted = self.in_order(slots.iter().copied());
        slots.copy_from_slice(&sorted);
    }

    /// These slots in order of position.
    pub(super) fn in_order(&self, slots: impl Iterator<Item = Slot>) -> Vec<Slot> {
        let mut keyed: Vec<(u128, Slot)> = slots.map(|slot| (order_key(self.position_at(slot)), slot)).collect();
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
        let entry = Entry { position, activity: NO_ACTIVITY, chunk };
        let slot = match self.vacant.pop() {
            Some(slot) => {
                self.entries[slot.index()] = entry;
                slot
            }
            None => {
                let slot = Slot::new(self.entries.len());
                if self.entries.len() == self.entries.capacity() {
                    // By a quarter: doubling could leave as much empty room as there are chunks.
                    self.entries.reserve_exact((self.entries.len() / 4).max(4));
                }
                self.entries.push(entry);
                slot
            }
        };
        let (hash, entries) = (self.hash, &self.entries);
        self.slots.insert_unique(hash.of(position), slot, |slot| hash.of(entries[slot.index()].position));
        self.link_neighbours(position, slot);
        slot
    }

    /// Takes the chunk at `position` from its place.
    pub(super) fn vacate(&mut self, position: IVec3) -> Option<Chunk<T>> {
        let entries = &self.entries;
        let same = |slot: &Slot| entries[slot.index()].position == position;
        let (slot, _) = self.slots.find_entry(self.hash.of(position), same).ok()?.remove();
        self.retire(slot);
        self.link_neighbours(position, Slot::NONE);
        self.vacant.push(slot);
        let empty = Chunk::uniform(self.background);
        Some(core::mem::replace(self.chunk_at_mut(slot), empty))
    }

    /// Checks what the functions of this file keep true.
    pub(super) fn validate_slab(&self) -> Result<(), GridFault> {
        let (all, used, vacant) = (self.entries.len(), self.slots.len(), self.vacant.len());
        if all != used + vacant {
            return Err(GridFault::Places { all, used, vacant });
        }
        let mut seen = vec![false; all];
        self.vacant.iter().for_each(|slot| seen[slot.index()] = true);
        for &slot in &self.slots {
            let position = self.position_at(slot);
            if self.slot(position) != Some(slot) || core::mem::replace(&mut seen[slot.index()], true) {
                return Err(GridFault::Misplaced(position));
            }
            if !S::holds_chunk(position) {
                return Err(GridFault::OutOfRange(position));
            }
            if self.chunk_at(slot).validate().is_err() {
                return Err(GridFault::NotCanonical(position));
            }
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
