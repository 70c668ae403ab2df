//! A set of cells of a whole world: a mask for each chunk that has one of them.

use super::store::Place;
use crate::chunk::CellMask;

/// Cells by chunk. Memory grows with the chunks, not with the cells.
#[derive(Default)]
pub(super) struct PlaceSet {
    masks: Vec<Option<Box<CellMask>>>,
}

impl PlaceSet {
    /// Adds a cell; `true` if it was not there.
    pub(super) fn insert(&mut self, (slot, index): Place) -> bool {
        if self.masks.len() <= slot.index() {
            self.masks.resize_with(slot.index() + 1, || None);
        }
        self.masks[slot.index()].get_or_insert_default().insert(index)
    }

    /// Whether the cell is in the set.
    pub(super) fn contains(&self, (slot, index): Place) -> bool {
        let mask = self.masks.get(slot.index()).and_then(Option::as_deref);
        mask.is_some_and(|mask| mask.contains(index))
    }
}
