//! A set of cells, kept as a bit mask for each chunk. It is for searches from cell to cell, which
//! mostly look up cells of the same chunk one after the other.

use crate::chunk::CellMask;
use crate::grid::Slot;
use crate::water::store::Place;
use hashbrown::HashMap;

/// A set of cells of loaded chunks.
#[derive(Default)]
pub(crate) struct PlaceSet {
    masks: Vec<CellMask>,
    /// The index of the mask of each chunk that has one.
    by_chunk: HashMap<Slot, u32>,
    /// The chunk of the last cell added, and the index of its mask.
    last: Option<(Slot, u32)>,
}

impl PlaceSet {
    /// Returns whether a cell is in the set.
    #[inline]
    pub(crate) fn contains(&self, place: Place) -> bool {
        let index = match self.last {
            Some((slot, index)) if slot == place.slot => Some(index),
            _ => self.by_chunk.get(&place.slot).copied(),
        };
        index.is_some_and(|index| self.masks[index as usize].contains(place.index))
    }

    /// Adds a cell, and returns whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, place: Place) -> bool {
        let index = match self.last {
            Some((slot, index)) if slot == place.slot => index,
            _ => self.mask_of(place.slot),
        };
        self.masks[index as usize].insert(place.index)
    }

    /// Returns the index of the mask of a chunk, which is added if there is none.
    fn mask_of(&mut self, slot: Slot) -> u32 {
        let masks = &mut self.masks;
        let index = *self.by_chunk.entry(slot).or_insert_with(|| {
            masks.push(CellMask::EMPTY);
            masks.len() as u32 - 1
        });
        self.last = Some((slot, index));
        index
    }

    /// Removes all cells. Buffers are kept.
    pub(crate) fn clear(&mut self) {
        self.masks.clear();
        self.by_chunk.clear();
        self.last = None;
    }

    /// Removes all cells, and frees the buffers that only a search of more than `most` cells needs.
    pub(crate) fn shrink(&mut self, most: usize) {
        /// The number of cells of a chunk that a search visits, roughly.
        const CELLS: usize = 64;
        self.clear();
        self.masks.shrink_to(most / CELLS);
        self.by_chunk.shrink_to(most / CELLS);
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.masks.capacity() * size_of::<CellMask>() + self.by_chunk.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::CHUNK_CELLS;
    use crate::water::scratch::test_worlds;
    use hashbrown::HashSet;

    #[test]
    fn it_holds_the_cells_that_a_hash_set_holds() {
        let mut random = fastrand::Rng::with_seed(12);
        let (mut set, mut model) = (PlaceSet::default(), HashSet::new());
        let slots = test_worlds::springs(0).store.grid().sorted_slots();
        for _ in 0..4 {
            for _ in 0..20_000 {
                let place =
                    Place::new(slots[random.usize(..slots.len())], random.usize(..CHUNK_CELLS));
                assert_eq!(set.contains(place), model.contains(&place));
                if random.bool() {
                    assert_eq!(set.insert(place), model.insert(place));
                }
            }
            assert!(model.len() > 5_000, "{} cells", model.len());
            set.clear();
            model.clear();
        }
        assert!(slots.len() > 1 && set.memory_bytes() >= slots.len() * 512);
        set.shrink(0);
        assert_eq!(set.memory_bytes(), 0);
    }
}
