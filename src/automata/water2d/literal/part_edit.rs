//! Edits of a divided slice of water. Each part makes an edit on its own cells only, for which the
//! two columns of cells beyond its sides suffice, and then sends its sides as after a step.

use super::part::send_sides;
use crate::automata::engine::halo_exchange::{Outbox, PartEdits};
use crate::automata::water2d::{Edit, EditError, Outcome, Water2dWorld};
use crate::chunk::CellMask;
use crate::edit_table::Tabled;
use crate::limits::EditScope;
use std::collections::BTreeMap;

impl PartEdits for Water2dWorld {
    /// Returns 1 for an edit that moves water out of its region, by one cell where a step moves it
    /// by two, and 0 for any other edit.
    fn steps_for_edit(edit: &Edit) -> u64 {
        u64::from(edit.scope().writes_beside())
    }

    fn scope(edit: &Edit) -> EditScope {
        edit.scope()
    }

    fn check_own(&self, edit: &Edit) -> Result<(), EditError> {
        let effect = self.effect_of(edit)?;
        self.ledger_with(effect.placed, effect.removed).map(drop)
    }

    fn make_edit(&mut self, edit: &Edit, send: Outbox<'_>) -> Option<Outcome> {
        let mut changed = BTreeMap::new();
        for (region, cell) in self.effect_of(edit).ok()?.writes {
            for slot in self.own_slots(region) {
                let others = self.others_in(slot, region, cell);
                changed.entry(slot).or_insert(CellMask::EMPTY).union_with(&others);
            }
        }
        let outcome = self.apply(edit.clone()).ok()?;
        for (&slot, changed) in &changed {
            send_sides(&self.cells, slot, changed, send);
        }
        let region = edit.scope().region();
        region.is_none_or(|region| self.cells.owns_any_of(region)).then_some(outcome)
    }
}
