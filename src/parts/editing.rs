//! Edits of a divided world between steps. All parts check an edit, and make it if none refuses it.
//! Each part makes the edit on its own chunks, with entries in its ledger, and on its ghosts.

use super::{InParts, Message, PartEditError, PartError, Plan};
use crate::coords::{ColumnPos, Shape};

/// What an edit did in a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited<O> {
    /// The outcome. For an edit of a region or a charge it is the share of this part, and the
    /// shares of all parts add up. `None` if no cell of the edit is in a column of this part.
    pub outcome: Option<O>,
    /// The messages that other parts must receive before the next edit and the next step.
    pub messages: Vec<Message>,
}

/// Checks an edit; see [`InParts::check_edit`].
pub(super) fn check<W: InParts>(
    world: &W,
    plan: &Plan,
    edit: &W::Edit,
) -> Result<(), PartEditError<W::EditError>> {
    let scope = W::scope(edit);
    if let Some(chunk) = scope.first_chunk() {
        return Err(PartEditError::Part(PartError::WholeChunk(chunk)));
    }
    world.check_own(edit).map_err(PartEditError::Edit)?;
    let Some(cells) = scope.region().filter(|_| W::NEEDS_LOADED_CHUNKS) else { return Ok(()) };
    let [low, high] = [cells.min(), cells.max()].map(W::Shape::chunk_of);
    let mut columns =
        (low.z..=high.z).flat_map(|z| (low.x..=high.x).map(move |x| ColumnPos::new(x, z)));
    // The search ends at the first column that is not planned.
    match columns.find(|&column| plan.owner(column).is_none()) {
        Some(column) => Err(PartEditError::Part(PartError::Column(column))),
        None => Ok(()),
    }
}

/// Makes an edit that no part refuses; see [`InParts::edit`].
pub(super) fn make<W: InParts>(world: &mut W, edit: &W::Edit) -> Edited<W::Outcome> {
    let mut messages = Vec::new();
    let mut send = |chunk, bytes| messages.push(Message { chunk, bytes });
    let outcome = world.make_edit(edit, &mut send);
    Edited { outcome, messages }
}
