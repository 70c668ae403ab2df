//! Edits of a divided world of explosions. Each part makes an edit on its own chunks and on its
//! ghosts, because links, walls and flows at the side of a part depend on the cells beyond it.
//! Pressures inside a ghost are older than in its owner's chunk, so the owner then sends what a
//! step would send: rims, and whether the chunk is audible.

use crate::automata::blast::{BlastShape, BlastWorld, Edit, EditError, Outcome};
use crate::automata::engine::halo_exchange::{Outbox, PartEdits};
use crate::edit_table::Tabled;
use crate::limits::EditScope;

impl<S: BlastShape> PartEdits for BlastWorld<S> {
    /// Returns 1: an edit wakes the chunks beside its cells and makes chunks audible, so like a
    /// step it reaches further than the cells that it writes.
    fn steps_for_edit(_edit: &Edit) -> u64 {
        1
    }

    fn scope(edit: &Edit) -> EditScope {
        edit.scope()
    }

    const NEEDS_LOADED_CHUNKS: bool = false;

    fn check_own(&self, edit: &Edit) -> Result<(), EditError> {
        self.check_edit(edit)
    }

    fn make_edit(&mut self, edit: &Edit, send: Outbox<'_>) -> Option<Outcome> {
        self.ahead = None;
        let outcome = self.apply(edit.clone()).ok()?;
        let chunks = self.regions_of(edit).into_iter().map(|region| S::chunk_of(region.min()));
        let own: Vec<_> = chunks.filter(|&chunk| !self.pressure.is_foreign(chunk)).collect();
        own.iter().for_each(|&chunk| self.send_edited(chunk, send));
        (edit.scope().region().is_none() || !own.is_empty()).then_some(outcome)
    }
}
