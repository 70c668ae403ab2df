//! Which chunks the next step looks at: those in which something changed, and those next to a changed cell.
//!
//! A rule without chance gives a cell what it had if nothing in its neighbourhood changed. So a chunk may sleep as soon as
//! a step changed nothing in it nor next to it, and a world with sleepers equals one in which every chunk is awake.

use super::changed::Changes;
use super::rows::RowShape;
use crate::chunk::CellMask;
use crate::coords::Face;
use crate::grid::{Grid, Slot};

/// Notes what a step changed, puts to sleep the chunks that it looked at and need not look at again, and wakes those that
/// were touched. `stepped` has every chunk that was awake, with what changed in it; a sleeper in it has nothing.
pub(crate) fn advance<'c, T: Copy + PartialEq, S: RowShape>(
    grid: &mut Grid<T, S>,
    stepped: impl Iterator<Item = (Slot, &'c Changes)> + Clone,
) {
    // A chunk that changed stays awake, so it is not put to sleep first.
    for (slot, _) in stepped.clone().filter(|(_, changes)| changes.is_empty()) {
        grid.sleep_chunk_at(slot);
    }
    for (slot, changes) in stepped.filter(|(_, changes)| !changes.is_empty()) {
        wake_around(grid, slot, changes);
    }
    grid.drop_sleepers();
}

/// Notes what several steps changed in a chunk, and puts it to sleep or wakes it. [`Grid::drop_sleepers`] clears up.
pub(crate) fn put<T: Copy + PartialEq, S: RowShape>(
    grid: &mut Grid<T, S>,
    slot: Slot,
    changed: &CellMask,
    is_awake: bool,
) {
    if !changed.is_empty() {
        grid.mark_changes_at(slot, changed);
    }
    if is_awake {
        grid.wake_chunk_at(slot);
    } else {
        grid.sleep_chunk_at(slot);
    }
}

/// Notes what changed in a chunk, and wakes it and the neighbours that touch what did.
pub(crate) fn wake_around<T: Copy + PartialEq, S: RowShape>(grid: &mut Grid<T, S>, slot: Slot, changes: &Changes) {
    grid.mark_changes_at(slot, &changes.cells);
    grid.wake_chunk_at(slot);
    let (neighbours, touched) = (grid.neighbours_of(slot), changes.touched());
    for face in Face::ALL.map(Face::index) {
        if touched[face] && neighbours[face].is_some() {
            grid.wake_chunk_at(neighbours[face]);
        }
    }
}
