//! The cells that a step changed, by chunk.

use crate::chunk::CellMask;
use crate::grid::Slot;
use hashbrown::HashMap;

/// Changed cells; each counts once, however many phases of a step changed it.
#[derive(Default)]
pub(super) struct Changes {
    masks: HashMap<Slot, CellMask>,
}

impl Changes {
    /// Adds a cell of a chunk.
    pub(super) fn add(&mut self, slot: Slot, index: usize) {
        self.masks.entry(slot).or_default().insert(index);
    }

    /// Adds cells of a chunk.
    pub(super) fn add_all(&mut self, slot: Slot, cells: &CellMask) {
        if !cells.is_empty() {
            self.masks.entry(slot).or_default().union_with(cells);
        }
    }

    /// Returns the chunks with their changed cells, in order of slots.
    pub(super) fn sorted(&self) -> Vec<(Slot, &CellMask)> {
        let mut masks: Vec<_> = self.masks.iter().map(|(&slot, mask)| (slot, mask)).collect();
        masks.sort_unstable_by_key(|&(slot, _)| slot);
        masks
    }
}
