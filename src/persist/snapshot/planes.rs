//! The planes and marks of one chunk.

use super::bytes::{Content, Encode};
use super::error::SnapshotError;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, Shape};
use crate::grid::{Grid, Slot};

impl<T: Encode + Copy + PartialEq> Encode for Chunk<T> {
    fn put(&self, out: &mut Vec<u8>) {
        match self.as_dense() {
            None => {
                out.push(0);
                self.get(0).put(out);
            }
            Some(cells) => {
                out.push(1);
                cells.iter().for_each(|cell| cell.put(out));
            }
        }
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        if !content.take::<bool>()? {
            return Ok(Chunk::uniform(content.take()?));
        }
        let wrong = content.malformed("cells that are not all equal");
        let mut cells = Vec::with_capacity(CHUNK_CELLS);
        for _ in 0..CHUNK_CELLS {
            cells.push(content.take()?);
        }
        let chunk = Chunk::from_cells(cells.first_chunk().expect("as many cells as a chunk has"));
        if chunk.as_dense().is_some() { Ok(chunk) } else { Err(wrong) }
    }
}

/// Appends the masks of a chunk's awake and changed cells; of a shelved one none awake, as all of
/// it wakes when it goes on.
pub(crate) fn put_marks<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    slot: Slot,
    out: &mut Vec<u8>,
) {
    put_masks(marks_at(grid, slot), out);
}

/// Returns the masks that [`put_marks`] appends.
pub(crate) fn marks_at<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    slot: Slot,
) -> [Option<&CellMask>; 2] {
    let awake = grid.awake_at(slot).filter(|_| !grid.is_shelved(slot));
    [awake, grid.changed_at(slot)]
}

/// Appends a byte that says by bits which masks hold a cell, then these masks.
pub(crate) fn put_masks<const N: usize>(masks: [Option<&CellMask>; N], out: &mut Vec<u8>) {
    put_flagged_masks(masks, false, out);
}

/// The same, with the bit after those of the masks for a flag of the chunk.
pub(crate) fn put_flagged_masks<const N: usize>(
    masks: [Option<&CellMask>; N],
    flag: bool,
    out: &mut Vec<u8>,
) {
    let masks = masks.map(|mask| mask.filter(|mask| !mask.is_empty()));
    let flag = u8::from(flag) << N;
    out.push((0..N).fold(flag, |bits, mask| bits | u8::from(masks[mask].is_some()) << mask));
    masks.iter().flatten().for_each(|mask| mask.put(out));
}

/// Reads what [`put_masks`] wrote.
pub(crate) fn take_masks<const N: usize>(
    content: &mut Content<'_>,
) -> Result<[Option<CellMask>; N], SnapshotError> {
    let wrong = content.malformed(if N == 2 { "marks: 0 to 3" } else { "marks: 0 to 7" });
    match take_flagged_masks(content)? {
        (masks, false) => Ok(masks),
        (_, true) => Err(wrong),
    }
}

/// Reads what [`put_flagged_masks`] wrote.
pub(crate) fn take_flagged_masks<const N: usize>(
    content: &mut Content<'_>,
) -> Result<([Option<CellMask>; N], bool), SnapshotError> {
    const WANTED: [&str; 2] = ["marks: 0 to 7", "marks: 0 to 15"];
    let wrong = content.malformed(WANTED[usize::from(N > 2)]);
    let marks: u8 = content.take()?;
    if marks >> (N + 1) != 0 {
        return Err(wrong);
    }
    let mut masks = [const { None }; N];
    for (bit, mask) in masks.iter_mut().enumerate() {
        if marks >> bit & 1 != 0 {
            *mask = Some(content.take()?);
        }
    }
    Ok((masks, marks >> N != 0))
}

/// Reads what [`put_marks`] wrote; wakes and marks these cells.
pub(crate) fn take_marks<T: Copy + PartialEq, S: Shape>(
    grid: &mut Grid<T, S>,
    slot: Slot,
    content: &mut Content<'_>,
) -> Result<(), SnapshotError> {
    let [awake, changed] = take_masks(content)?;
    awake.iter().for_each(|cells| grid.wake_cells_at(slot, cells));
    changed.iter().for_each(|cells| grid.mark_changes_at(slot, cells));
    Ok(())
}

/// The same for automata whose chunks are wholly awake or wholly asleep.
pub(crate) fn take_whole_marks<T: Copy + PartialEq, S: Shape>(
    grid: &mut Grid<T, S>,
    slot: Slot,
    content: &mut Content<'_>,
) -> Result<(), SnapshotError> {
    let wrong = content.malformed("marks of a chunk that is awake in every cell or in none");
    take_marks(grid, slot, content)?;
    if grid.awake_at(slot).is_none_or(CellMask::is_full) { Ok(()) } else { Err(wrong) }
}
