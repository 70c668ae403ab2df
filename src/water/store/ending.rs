//! While a tick ends, piece by piece: who was awake before it, and what has changed and is not told yet.
//!
//! A world saved meanwhile is saved as it was when the tick began. What was told before would be told again when the saved
//! world comes to the same place, so it is told when the tick is complete.

use super::{Place, Store};
use crate::chunk::CellMask;
use crate::grid::Slot;
use hashbrown::HashMap;

/// What is kept while a tick ends.
#[derive(Default)]
pub(super) struct Ending {
    /// The awake cells of chunks where cells were woken, as they were before.
    awake_before: HashMap<Slot, CellMask>,
    /// Cells that are to be marked changed.
    untold: Vec<Place>,
}

impl Store {
    /// From now on it is kept who was awake, and changes are not told.
    pub(in crate::water) fn begin_ending(&mut self) {
        self.ending = Some(Ending::default());
    }

    /// Tells what has changed since the tick began to end.
    pub(in crate::water) fn end(&mut self) {
        for (slot, index) in self.ending.take().map_or_else(Vec::new, |ending| ending.untold) {
            self.grid.mark_changed_at(slot, index);
        }
    }

    /// Marks a cell changed.
    pub(in crate::water) fn mark_changed(&mut self, place: Place) {
        match &mut self.ending {
            Some(ending) => ending.untold.push(place),
            None => {
                self.grid.mark_changed_at(place.0, place.1);
            }
        }
    }

    /// Wakes a loaded cell, whatever is in it.
    pub(in crate::water) fn wake_at(&mut self, (slot, index): Place) {
        if let Some(ending) = &mut self.ending {
            let awake = self.grid.awake_at(slot);
            if awake.is_some_and(|awake| awake.contains(index)) {
                return;
            }
            ending.awake_before.entry(slot).or_insert_with(|| awake.cloned().unwrap_or(CellMask::EMPTY));
        }
        self.grid.wake_at(slot, index);
    }

    /// The awake cells of a chunk, if it has any; those before the tick began to end, if it does.
    pub(in crate::water) fn awake_before_ending(&self, slot: Slot) -> Option<&CellMask> {
        let kept = self.ending.as_ref().and_then(|ending| ending.awake_before.get(&slot));
        kept.or_else(|| self.grid.awake_at(slot))
    }
}
