//! The marks of one chunk.

use crate::chunk::CellMask;
use crate::codec::{DecodeError, Field, Reader};
use crate::coords::Shape;
use crate::grid::{Grid, Slot};

/// Reads a mask that is not empty.
pub(crate) fn take_mask(content: &mut Reader<'_>) -> Result<CellMask, DecodeError> {
    let (at, mask): (usize, CellMask) = (content.at(), content.take()?);
    match mask.is_empty() {
        true => Err(content.malformed_at(at, "a mask with at least one cell")),
        false => Ok(mask),
    }
}

/// Appends the masks of a chunk's awake and changed cells. A shelved chunk is written without awake
/// cells, since all of it wakes when it thaws.
pub(crate) fn put_marks<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    slot: Slot,
    out: &mut Vec<u8>,
) {
    put_masks(marks_at(grid, slot), out);
}

/// Appends the mask of a chunk's awake cells, as [`put_marks`] does where no cells have changed.
pub(super) fn put_awake<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    slot: Slot,
    out: &mut Vec<u8>,
) {
    let [awake, _] = marks_at(grid, slot);
    put_masks([awake, None], out);
}

/// Returns the masks that [`put_marks`] appends.
pub(crate) fn marks_at<T: Copy + PartialEq, S: Shape>(
    grid: &Grid<T, S>,
    slot: Slot,
) -> [Option<&CellMask>; 2] {
    let awake = grid.awake_at(slot).filter(|_| !grid.is_shelved(slot));
    [awake, grid.changed_at(slot)]
}

/// Appends a byte with a bit set for each mask that is not empty, then the masks that are not
/// empty.
pub(crate) fn put_masks<const N: usize>(masks: [Option<&CellMask>; N], out: &mut Vec<u8>) {
    put_flagged_masks(masks, false, out);
}

/// Appends masks as [`put_masks`] does, with a flag of the chunk in the bit after those of the
/// masks.
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
    content: &mut Reader<'_>,
) -> Result<[Option<CellMask>; N], DecodeError> {
    let wrong = content.malformed(if N == 2 { "marks: 0 to 3" } else { "marks: 0 to 7" });
    match take_flagged_masks(content)? {
        (masks, false) => Ok(masks),
        (_, true) => Err(wrong),
    }
}

/// Reads what [`put_flagged_masks`] wrote.
pub(crate) fn take_flagged_masks<const N: usize>(
    content: &mut Reader<'_>,
) -> Result<([Option<CellMask>; N], bool), DecodeError> {
    const WANTED: [&str; 2] = ["marks: 0 to 7", "marks: 0 to 15"];
    let wrong = content.malformed(WANTED[usize::from(N > 2)]);
    let marks: u8 = content.take()?;
    if marks >> (N + 1) != 0 {
        return Err(wrong);
    }
    let mut masks = [const { None }; N];
    for (bit, mask) in masks.iter_mut().enumerate() {
        if marks >> bit & 1 != 0 {
            *mask = Some(take_mask(content)?);
        }
    }
    Ok((masks, marks >> N != 0))
}

/// Reads the masks that [`put_marks`] wrote, wakes the awake cells, and marks the changed ones.
pub(crate) fn take_marks<T: Copy + PartialEq, S: Shape>(
    grid: &mut Grid<T, S>,
    slot: Slot,
    content: &mut Reader<'_>,
) -> Result<(), DecodeError> {
    let [awake, changed] = take_masks(content)?;
    awake.iter().for_each(|cells| grid.wake_cells_at(slot, cells));
    changed.iter().for_each(|cells| grid.mark_changes_at(slot, cells));
    Ok(())
}

/// Reads marks as [`take_marks`] does, for automata whose chunks are wholly awake or wholly asleep.
pub(crate) fn take_whole_marks<T: Copy + PartialEq, S: Shape>(
    grid: &mut Grid<T, S>,
    slot: Slot,
    content: &mut Reader<'_>,
) -> Result<(), DecodeError> {
    let wrong = content.malformed("marks of a chunk that is awake in every cell or in none");
    take_marks(grid, slot, content)?;
    if grid.awake_at(slot).is_none_or(CellMask::is_full) { Ok(()) } else { Err(wrong) }
}
