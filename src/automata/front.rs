//! Which chunks the next step looks at: those in which something changed, and those next to a changed cell.
//!
//! A rule without chance gives a cell what it had if nothing in its neighbourhood changed. So a chunk may sleep as soon as
//! a step changed nothing in it nor next to it, and a world with sleepers equals one in which every chunk is awake.

use super::rows::FieldShape;
use crate::chunk::CellMask;
use crate::coords::Face;
use crate::grid::{Grid, Slot};

/// Notes what a step changed, puts to sleep the chunks that it looked at and need not look at again, and wakes those that
/// were touched. `stepped` holds every chunk that was awake, with its changed cells.
///
/// Returns the faces behind which a chunk is missing that would have been woken.
pub(crate) fn advance<T: Copy + PartialEq, S: FieldShape>(
    grid: &mut Grid<T, S>,
    stepped: &[(Slot, CellMask)],
) -> Vec<(Slot, Face)> {
    // A chunk that changed stays awake, so it is not put to sleep first.
    for (slot, _) in stepped.iter().filter(|(_, changed)| changed.is_empty()) {
        grid.sleep_chunk_at(*slot);
    }
    let mut missing = Vec::new();
    for (slot, changed) in stepped.iter().filter(|(_, changed)| !changed.is_empty()) {
        grid.mark_changes_at(*slot, changed);
        grid.wake_chunk_at(*slot);
        missing.extend(wake_touched(grid, *slot, changed));
    }
    grid.drop_sleepers();
    missing
}

/// Wakes the neighbours that touch one of these cells. Returns the faces behind which such a neighbour is missing.
pub(crate) fn wake_touched<T: Copy + PartialEq, S: FieldShape>(
    grid: &mut Grid<T, S>,
    slot: Slot,
    cells: &CellMask,
) -> impl Iterator<Item = (Slot, Face)> + use<T, S> {
    let neighbours = grid.neighbours_of(slot);
    let touched = |face: &Face| cells.intersects(&S::FACE_CELLS[face.index()]);
    let faces: smallvec::SmallVec<[Face; 6]> = Face::ALL.into_iter().filter(touched).collect();
    for neighbour in faces.iter().map(|face| neighbours[face.index()]).filter(|slot| slot.is_some()) {
        grid.wake_chunk_at(neighbour);
    }
    faces.into_iter().filter(move |face| !neighbours[face.index()].is_some()).map(move |face| (slot, face))
}
