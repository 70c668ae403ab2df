//! The edits that wait in a world.

use crate::codec::{DecodeError, Field, Reader};
use std::collections::VecDeque;

/// Appends how many of the edits come before the next tick, a `u32`, their number, and the edits.
pub(super) fn put_edits<'e, E: Field + 'e>(
    before: usize,
    edits: impl ExactSizeIterator<Item = &'e E>,
    out: &mut Vec<u8>,
) {
    [before, edits.len()].iter().for_each(|&count| (count as u32).put(out));
    edits.for_each(|edit| edit.put(out));
}

/// Reads what [`put_edits`] wrote.
pub(super) fn take_edits<E: Field>(
    content: &mut Reader<'_>,
) -> Result<(usize, VecDeque<E>), DecodeError> {
    let at = content.at();
    let (before, edits): (u32, Vec<E>) = (content.take()?, content.take()?);
    match before as usize <= edits.len() {
        true => Ok((before as usize, edits.into())),
        false => Err(content.malformed_at(at, "no more edits before the next tick than wait")),
    }
}
