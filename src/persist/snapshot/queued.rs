//! The edits that wait in a world.

use crate::codec::{DecodeError, Field, Reader};
use crate::edit_queue::{Ticket, Waiting};
use std::collections::VecDeque;

/// Appends the ticket of the first edit, a `u64`, the number of edits that come before the next
/// tick, a `u32`, the number of all edits, a `u32`, and the edits.
pub(super) fn put_edits<'e, E: Field + 'e>(
    Waiting { first, before, edits }: Waiting<impl ExactSizeIterator<Item = &'e E>>,
    out: &mut Vec<u8>,
) {
    first.0.put(out);
    [before, edits.len()].iter().for_each(|&count| (count as u32).put(out));
    edits.for_each(|edit| edit.put(out));
}

/// Reads what [`put_edits`] wrote.
pub(super) fn take_edits<E: Field>(
    content: &mut Reader<'_>,
) -> Result<Waiting<VecDeque<E>>, DecodeError> {
    // No world queues enough edits to run out of tickets.
    let first = Ticket(content.counter()?);
    let at = content.at();
    let (before, edits): (u32, Vec<E>) = (content.take()?, content.take()?);
    match before as usize <= edits.len() {
        true => Ok(Waiting { first, before: before as usize, edits: edits.into() }),
        false => Err(content.malformed_at(at, "no more edits before the next tick than wait")),
    }
}
