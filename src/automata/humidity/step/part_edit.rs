//! Edits of a divided world of humidity. Each part makes an edit on its own chunks and on its
//! ghosts. The edit writes words and ground that depend on the cell alone, and the rims and the
//! ground of ghosts are exact, so no message is needed.

use crate::automata::engine::halo_exchange::{Outbox, PartEdits};
use crate::automata::humidity::{Edit, EditError, HumidityShape, HumidityWorld, Outcome};
use crate::edit_table::Tabled;
use crate::limits::EditScope;

impl<S: HumidityShape> PartEdits for HumidityWorld<S> {
    /// Returns 0: nothing moves in an edit, so a copy of columns is as exact as before.
    fn steps_for_edit(_edit: &Edit) -> u64 {
        0
    }

    fn scope(edit: &Edit) -> EditScope {
        edit.scope()
    }

    fn check_own(&self, edit: &Edit) -> Result<(), EditError> {
        edit.scope().region().map_or(Ok(()), |region| self.check_edit(region, edit))
    }

    fn make_edit(&mut self, edit: &Edit, _send: Outbox<'_>) -> Option<Outcome> {
        let region = edit.scope().region();
        let is_own = region.is_none_or(|region| self.store.moisture.owns_any_of(region));
        self.apply(edit.clone()).ok().filter(|_| is_own)
    }
}
