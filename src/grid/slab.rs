//! Where chunks are stored: a slab (an array of entries) whose vacant entries form a free list.
//! Also the list of the chunks in order of position, which is sorted when it is first needed, then
//! cached.

use super::slot::{Entry, NOWHERE};
use super::{Grid, GridFault, Slot};
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, ChunkRegion, Shape};
use crate::grid::map::{chain, find, find_neighbours, rehash, unchain};

/// Stands for no activity.
pub(super) const NO_ACTIVITY: u32 = u32::MAX;

/// For rules: access by slot instead of position, in constant time.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Returns one more than the largest slot index ever in use.
    pub(crate) fn slot_capacity(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(crate) fn position_at(&self, slot: Slot) -> ChunkPos {
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

    /// Returns the occupied slots, in the order of the slab.
    pub(crate) fn occupied(&self) -> impl Iterator<Item = Slot> {
        let places = self.entries.iter().enumerate();
        places.filter(|(_, entry)| entry.position != NOWHERE).map(|(index, _)| Slot::new(index))
    }

    /// Returns the occupied slots without ghosts, in the order of the slab.
    fn owned(&self) -> impl Iterator<Item = Slot> {
        self.occupied().filter(|&slot| !self.is_ghost_at(slot))
    }

    /// Stores a chunk and returns its slot. `position` must be free.
    pub(super) fn occupy(&mut self, position: ChunkPos, chunk: Chunk<T>) -> Slot {
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
        chain(self, slot);
        self.chunk_count += 1;
        self.order.take();
        self.link_neighbours(position, slot);
        if self.is_foreign(position) {
            self.shelve(&[slot]);
        }
        slot
    }

    /// Removes and returns the chunk at `position`; returns `None` if it is missing.
    pub(super) fn vacate(&mut self, position: ChunkPos) -> Option<Chunk<T>> {
        let slot = self.slot(position)?;
        self.retire(slot);
        unchain(self, slot);
        self.chunk_count -= 1;
        self.order.take();
        self.link_neighbours(position, Slot::NONE);
        let next = core::mem::replace(&mut self.vacant, slot);
        let vacant = Entry { chunk: Chunk::uniform(self.background), position: NOWHERE, next };
        Some(core::mem::replace(&mut self.entries[slot.index()], vacant).chunk)
    }

    /// Grows the slab by an eighth: doubling could leave as much spare room as there are chunks.
    fn grow(&mut self) {
        let more = (self.entries.len() / 8).max(2);
        self.entries.reserve_exact(more);
        self.activity_of.reserve_exact(more);
        rehash(self);
    }

    /// Returns the bytes of the slab and the map, spare room included, without the chunks' own heap
    /// memory.
    pub(super) fn slab_bytes(&self) -> usize {
        let slots = self.buckets.capacity() + self.order.get().map_or(0, Vec::capacity);
        self.entries.capacity() * size_of::<Entry<T>>()
            + self.activity_of.capacity() * size_of::<u32>()
            + slots * size_of::<Slot>()
    }

    /// Checks the invariants of slab, map and order.
    pub(super) fn validate_slab(&self) -> Result<(), GridFault> {
        let (all, used) = (self.entries.len(), self.chunk_count);
        // A cyclic chain would never end; a correct chain is no longer than the slab.
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
        let sorted = |order: &Vec<Slot>| *order == self.in_order(self.owned());
        if !self.order.get().is_none_or(sorted) {
            return Err(GridFault::Order);
        }
        Ok(())
    }

    /// Returns the slot of the chunk at a chunk position.
    #[inline]
    pub(crate) fn slot(&self, chunk: ChunkPos) -> Option<Slot> {
        find(self, chunk).map(|(slot, _)| slot)
    }

    /// Returns the slots of the six neighbours by [`Face`], [`Slot::NONE`] where one is missing.
    /// Chunks that have been awake cache these slots; for other chunks each slot is looked up.
    #[inline]
    pub(crate) fn neighbours_of(&self, slot: Slot) -> [Slot; 6] {
        let cached = self.activity_at(slot).and_then(|activity| activity.neighbours);
        cached.unwrap_or_else(|| find_neighbours(self, self.position_at(slot)))
    }

    /// Returns the occupied slots without ghosts, in order of position.
    pub(crate) fn sorted_slots(&self) -> Vec<Slot> {
        self.order().to_vec()
    }

    /// Returns the occupied slots without ghosts, in order of position. The first call after an
    /// insertion or removal sorts them, and later calls use the cache.
    pub(super) fn order(&self) -> &[Slot] {
        self.order.get_or_init(|| self.in_order(self.owned()))
    }

    /// Returns the occupied slots of a box of chunk positions, in order of position. Ghosts are
    /// included only if the box has no more positions than the grid has chunks. Takes time linear
    /// in the volume of the box or the number of chunks in the grid, whichever is smaller.
    pub(crate) fn slots_in(&self, chunks: ChunkRegion) -> Vec<Slot> {
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

    /// Returns the given slots in order of position.
    pub(super) fn in_order(&self, slots: impl Iterator<Item = Slot>) -> Vec<Slot> {
        let mut keyed: Vec<(u128, Slot)> =
            slots.map(|slot| (self.position_at(slot).sort_key(), slot)).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, slot)| slot).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Cube;
    use glam::IVec3;

    /// Validates a grid with three chunks and a vacant entry after `damage`.
    fn found(damage: impl FnOnce(&mut Grid<u16, Cube>, [Slot; 3])) -> Result<(), GridFault> {
        let mut grid = Grid::<u16, Cube>::new(0);
        for x in 0..4 {
            grid.insert(ChunkPos::new(x, 0, 0), Chunk::uniform(1)).unwrap();
        }
        grid.remove(ChunkPos::new(3, 0, 0)).unwrap();
        assert_eq!(grid.chunks().count(), 3);
        assert_eq!(grid.validate(), Ok(()));
        let slots = [0, 1, 2].map(|x| grid.slot(ChunkPos::new(x, 0, 0)).unwrap());
        damage(&mut grid, slots);
        grid.validate()
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
            "the free list is a cycle"
        );
        let swapped = found(|grid, [first, ..]| {
            let vacant = grid.vacant;
            grid.entries[vacant.index()].position = ChunkPos::new(0, 1, 0);
            grid.entries[first.index()].position = NOWHERE;
        });
        assert_eq!(swapped, Err(GridFault::Misplaced(ChunkPos::new(0, 1, 0))));
        let moved = found(|grid, [first, ..]| {
            grid.entries[first.index()].position = ChunkPos::new(1, 0, 0)
        });
        assert_eq!(
            moved,
            Err(GridFault::Misplaced(ChunkPos::new(1, 0, 0))),
            "two chunks at one position"
        );
        let unchained = found(|grid, [_, second, _]| unchain(grid, second));
        assert_eq!(unchained, Err(GridFault::Misplaced(ChunkPos::new(1, 0, 0))));
        let twice = found(|grid, [first, ..]| {
            let empty = grid.buckets.iter().position(|head| !head.is_some()).unwrap();
            grid.buckets[empty] = first;
        });
        assert_eq!(twice, Err(GridFault::Misplaced(ChunkPos::ZERO)), "in two buckets");
        let far = found(|grid, _| _ = grid.occupy(IVec3::MAX.into(), Chunk::uniform(1)));
        assert_eq!(far, Err(GridFault::OutOfRange(IVec3::MAX.into())));
        let loose = found(|grid, [_, _, third]| _ = grid.chunk_at_mut(third).cells_mut());
        assert_eq!(loose, Err(GridFault::NotCanonical(ChunkPos::new(2, 0, 0))));
        let shuffled =
            found(|grid, [first, second, third]| grid.order = vec![second, first, third].into());
        assert_eq!(shuffled, Err(GridFault::Order));
    }
}
