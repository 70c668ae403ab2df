//! A set of cells of a whole world: a mask for each chunk that has one of them.

use crate::chunk::CellMask;
use crate::water::store::Place;

/// Cells by chunk. Memory grows with the chunks, not with the cells.
#[derive(Default)]
pub(crate) struct PlaceSet {
    masks: Vec<Option<Box<CellMask>>>,
}

impl PlaceSet {
    /// Adds a cell; `true` if it was not there.
    pub(crate) fn insert(&mut self, (slot, index): Place) -> bool {
        if self.masks.len() <= slot.index() {
            self.masks.resize_with(slot.index() + 1, || None);
        }
        self.masks[slot.index()].get_or_insert_default().insert(index)
    }

    /// Whether the cell is in the set.
    pub(crate) fn contains(&self, (slot, index): Place) -> bool {
        let mask = self.masks.get(slot.index()).and_then(Option::as_deref);
        mask.is_some_and(|mask| mask.contains(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::rules::Edges;
    use crate::water::store::Store;
    use crate::water::voxel::Voxel;
    use glam::IVec3;
    use hashbrown::HashSet;

    #[test]
    fn what_was_added_is_there_and_nothing_else() {
        let mut random = fastrand::Rng::with_seed(4);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for x in 0..4 {
            store.insert(IVec3::X * x, Chunk::uniform(Voxel::OPEN));
        }
        let slots = store.grid.sorted_slots();
        let (mut set, mut expected) = (PlaceSet::default(), HashSet::new());
        for _ in 0..2_000 {
            let place = (slots[random.usize(..4)], random.usize(..200));
            assert_eq!(set.contains(place), expected.contains(&place));
            if random.bool() {
                assert_eq!(set.insert(place), expected.insert(place));
            }
        }
    }
}
