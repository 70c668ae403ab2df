//! Which chunks the next step looks at: those in which something changed, and those next to a changed cell.
//!
//! A rule without chance gives a cell what it had if nothing in its neighbourhood changed. So a chunk may sleep as soon as
//! a step changed nothing in it nor next to it, and a world with sleepers equals one in which every chunk is awake.

use super::rows::FieldShape;
use crate::chunk::CellMask;
use crate::coords::Face;
use crate::grid::{Grid, Slot};
use crate::simd;
use core::marker::PhantomData;

/// Notes what a step changed, puts to sleep the chunks that it looked at and need not look at again, and wakes those that
/// were touched. `stepped` has every chunk that was awake, with its changed cells; a sleeper in it has none.
///
/// Returns the faces behind which a chunk is missing that would have been woken.
pub(crate) fn advance<'c, T: Copy + PartialEq, S: FieldShape>(
    grid: &mut Grid<T, S>,
    stepped: impl Iterator<Item = (Slot, &'c CellMask)> + Clone,
) -> Vec<(Slot, Face)> {
    // A chunk that changed stays awake, so it is not put to sleep first.
    for (slot, _) in stepped.clone().filter(|(_, changed)| changed.is_empty()) {
        grid.sleep_chunk_at(slot);
    }
    let mut missing = Vec::new();
    for (slot, changed) in stepped.filter(|(_, changed)| !changed.is_empty()) {
        grid.mark_changes_at(slot, changed);
        grid.wake_chunk_at(slot);
        missing.extend(wake_touched(grid, slot, changed));
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
    let touched = simd::run(Touched::<S>(cells, PhantomData));
    let faces: smallvec::SmallVec<[Face; 6]> = Face::ALL.into_iter().filter(|face| touched[face.index()]).collect();
    for neighbour in faces.iter().map(|face| neighbours[face.index()]).filter(|slot| slot.is_some()) {
        grid.wake_chunk_at(neighbour);
    }
    faces.into_iter().filter(move |face| !neighbours[face.index()].is_some()).map(move |face| (slot, face))
}

/// At which faces of a chunk some of these cells lie.
struct Touched<'a, S>(&'a CellMask, PhantomData<S>);

impl<S: FieldShape> simd::Kernel for Touched<'_, S> {
    type Output = [bool; 6];

    #[inline(always)]
    fn run(self) -> [bool; 6] {
        // All words of each: those of the last face come last, and to stop at the first hit is slower than to go on.
        let common = |face: &CellMask| face.words().iter().zip(self.0.words()).fold(0, |all, (a, b)| all | a & b);
        S::FACE_CELLS.each_ref().map(|face| common(face) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{CHUNK_CELLS, Cube, Sheet};

    fn cells_touch_the_faces_that_they_lie_at<S: FieldShape>() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..500 {
            let mut cells = CellMask::EMPTY;
            (0..rng.usize(..4)).for_each(|_| _ = cells.insert(rng.usize(..CHUNK_CELLS)));
            let touched = simd::run(Touched::<S>(&cells, PhantomData));
            for (face, &touched) in Face::ALL.iter().zip(&touched) {
                let expected = cells.iter().any(|cell| S::FACE_CELLS[face.index()].contains(cell));
                assert_eq!(touched, expected, "{face:?} {cells:?}");
            }
        }
    }

    #[test]
    fn cells_touch_the_faces_that_they_lie_at_in_both_shapes() {
        cells_touch_the_faces_that_they_lie_at::<Sheet>();
        cells_touch_the_faces_that_they_lie_at::<Cube>();
    }
}
