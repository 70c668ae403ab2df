//! What is withheld while a tick ends, piece by piece: what has changed is not told, and it is kept
//! who was awake.
//!
//! A world saved meanwhile is saved as it was when the tick began. What was told before would be
//! told again in the loaded world, in which the tick starts again, so it is told when the tick is
//! complete.

use crate::chunk::CellMask;
use crate::grid::Slot;
use crate::water::store::{Place, Store};
use hashbrown::HashMap;

/// What is kept while a tick ends.
#[derive(Default)]
pub(crate) struct Withheld {
    /// The awake cells of chunks where cells were woken, as they were before.
    awake_before: HashMap<Slot, CellMask>,
    /// Cells that are to be marked changed.
    untold: Vec<Place>,
}

impl Withheld {
    pub(crate) fn memory_bytes(&self) -> usize {
        self.awake_before.capacity() * size_of::<(Slot, CellMask)>()
            + self.untold.capacity() * size_of::<Place>()
    }
}

impl Store {
    /// From now on it is kept who was awake, and changes are not told.
    pub(crate) fn withhold_changes(&mut self) {
        self.withheld = Some(Withheld::default());
    }

    /// Tells what has changed since then; from now on changes are told at once.
    pub(crate) fn publish_changes(&mut self) {
        for Place { slot, index } in
            self.withheld.take().map_or_else(Vec::new, |withheld| withheld.untold)
        {
            self.grid.mark_changed_at(slot, index);
        }
    }

    /// Marks a cell changed.
    pub(crate) fn mark_changed(&mut self, place: Place) {
        match &mut self.withheld {
            Some(withheld) => withheld.untold.push(place),
            None => {
                self.grid.mark_changed_at(place.slot, place.index);
            }
        }
    }

    /// Wakes a loaded cell, whatever is in it.
    pub(crate) fn wake_at(&mut self, Place { slot, index }: Place) {
        if let Some(withheld) = &mut self.withheld {
            let awake = self.grid.awake_at(slot);
            if awake.is_some_and(|awake| awake.contains(index)) {
                return;
            }
            withheld
                .awake_before
                .entry(slot)
                .or_insert_with(|| awake.cloned().unwrap_or(CellMask::EMPTY));
        }
        self.grid.wake_at(slot, index);
    }

    /// The awake cells of a chunk, if it has any; those before the tick began to end, if it does.
    pub(crate) fn awake_before(&self, slot: Slot) -> Option<&CellMask> {
        let kept = self.withheld.as_ref().and_then(|withheld| withheld.awake_before.get(&slot));
        kept.or_else(|| self.grid.awake_at(slot))
    }
}
