//! Operations on a watched world.

use super::bytes::Bytes;
use crate::Region;

/// An operation on a [watched](super::Watched) world.
#[derive(Clone, Debug, PartialEq)]
pub enum Op<E> {
    /// An edit.
    Edit(E),
    /// This many ticks, one by one.
    Step(u8),
    /// This many ticks, which one of the twins runs by one call.
    Run(u8),
    /// One tick, which one of the twins runs in slices of this budget.
    Slices(u64),
    /// Puts back the last of the chunks that were taken out and have not been put back.
    PutBack,
    /// Puts back all chunks that were taken out and have not been put back, by as few edits as
    /// possible.
    PutAllBack,
    /// Takes the lists of changes.
    TakeChanges,
    /// Saves and loads one of the twins.
    Reload,
}

impl<E> Op<E> {
    /// Returns the operation that the next bytes encode on a world within bounds, whose edits
    /// `edit` draws. Of 48 operations, 13 are ticks and 30 are edits that `edit` draws; 5 put
    /// chunks back, take changes or reload a twin.
    pub fn draw_with(
        bytes: &mut Bytes<'_>,
        bounds: Region,
        edit: impl FnOnce(&mut Bytes<'_>, Region) -> E,
    ) -> Op<E> {
        match bytes.byte() % 48 {
            0..=10 => Op::Step(1 + bytes.byte() % 12),
            11 => Op::Run(1 + bytes.byte() % 12),
            12 => Op::Slices(u64::from(bytes.byte()) * 16),
            13 => Op::PutBack,
            14 | 15 => Op::PutAllBack,
            16 => Op::TakeChanges,
            17 => Op::Reload,
            _ => Op::Edit(edit(bytes, bounds)),
        }
    }
}
