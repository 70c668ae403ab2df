//! The set of cells that a step changed, one bit each.

use super::rows::RowShape;
use crate::chunk::CellMask;
use crate::grid::LentMarks;
use crate::simd::{self, Aligned};
use core::marker::PhantomData;

/// A summary of the cells of a chunk that a step changed. It is computed by the worker that changed
/// the cells, while they are in the worker's cache.
#[derive(Default)]
pub(crate) struct Changes {
    /// The grid's change marks of this chunk, while they are on loan.
    pub(crate) marks: LentMarks,
    /// How many cells the step changed.
    count: usize,
    /// By face, whether changed cells touch it.
    touched: [bool; 6],
}

impl Changes {
    /// Counts the cells that a step changed, and marks them.
    pub(crate) fn summarize<S: RowShape>(&mut self, cells: &CellMask) {
        (self.count, self.touched) = simd::run(Sum::<S>(cells, PhantomData));
        if !self.is_empty() {
            self.marks.add(cells);
        }
    }

    /// Returns the number of cells changed.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns, by face, whether changed cells touch it; `None` if no cell changed.
    pub(crate) fn touched(&self) -> Option<[bool; 6]> {
        (!self.is_empty()).then_some(self.touched)
    }
}

/// Returns, by face, whether some of these cells touch it.
pub(crate) fn faces_touched<S: RowShape>(cells: &CellMask) -> [bool; 6] {
    simd::run(Sum::<S>(cells, PhantomData)).1
}

/// Counts cells and finds the faces that some of them touch.
struct Sum<'a, S>(&'a CellMask, PhantomData<S>);

impl<S: RowShape> simd::Kernel for Sum<'_, S> {
    type Output = (usize, [bool; 6]);

    #[inline(always)]
    fn run(self) -> (usize, [bool; 6]) {
        let words = self.0.words();
        let mut touched = [false; 6];
        for (touched, face) in touched.iter_mut().zip(&S::FACE_CELLS) {
            // No early exit: the last face's words come last, and stopping at the first hit is
            // slower than reading all words.
            *touched = face.words().iter().zip(words).fold(0, |all, (a, b)| all | a & b) != 0;
        }
        (words.iter().map(|word| word.count_ones() as usize).sum(), touched)
    }
}

/// Marks cells among the 64 around an index, one bit each, with the lowest bit for the first cell.
#[inline(always)]
pub(crate) fn mark(changed: &mut CellMask, index: usize, cells: u64) {
    changed.words_mut()[index / 64] |= cells;
}

/// Collects rows before and after a step until there are 64 cells to compare, which takes four rows
/// in cubes. Comparing one row of 16 cells takes as long as comparing 64 cells, since the compiler
/// then compares cell by cell.
pub(crate) struct Rows<T> {
    before: Aligned<[T; 64]>,
    after: Aligned<[T; 64]>,
}

impl<T: Copy + PartialEq> Rows<T> {
    /// Returns a collection without rows; `any` is an arbitrary cell.
    #[inline(always)]
    pub(crate) fn new(any: T) -> Self {
        Rows { before: Aligned([any; 64]), after: Aligned([any; 64]) }
    }

    /// Adds the row that begins at index `first`. Rows come in index order; a repeated row replaces
    /// its predecessor. When 64 cells are complete, returns one bit for each cell that differs,
    /// with the lowest bit for the first cell.
    #[inline(always)]
    pub(crate) fn differing<const W: usize>(
        &mut self,
        first: usize,
        before: &[T; W],
        after: &[T; W],
    ) -> Option<u64> {
        if let (Some(before), Some(after)) = (before.first_chunk(), after.first_chunk()) {
            return Some(differing(before, after));
        }
        let at = first % 64;
        self.before.0[at..][..W].copy_from_slice(before);
        self.after.0[at..][..W].copy_from_slice(after);
        (at + W == 64).then(|| differing(&self.before.0, &self.after.0))
    }

    /// Adds the row that begins at index `first`. Marks the cells that differ once 64 cells are
    /// complete.
    #[inline(always)]
    pub(crate) fn mark<const W: usize>(
        &mut self,
        first: usize,
        before: &[T; W],
        after: &[T; W],
        changed: &mut CellMask,
    ) {
        if let Some(cells) = self.differing(first, before, after) {
            mark(changed, first, cells);
        }
    }
}

/// Returns one bit for each cell in which two rows differ, with the lowest bit for the first cell.
#[inline(always)]
pub(crate) fn differing<T: PartialEq>(a: &[T; 64], b: &[T; 64]) -> u64 {
    /// For each cell, the bit of its group of eight.
    const EIGHTS: [u8; 64] = {
        let mut eights = [0; 64];
        let mut x = 0;
        while x < 64 {
            eights[x] = 1 << (x / 8);
            x += 1;
        }
        eights
    };
    // Fast path: in active areas most rows change in every cell.
    if a.iter().zip(b).fold(true, |all, (a, b)| all & (a != b)) {
        return u64::MAX;
    }
    let mut bytes = [0; 64];
    for x in 0..64 {
        bytes[x] = if a[x] != b[x] { EIGHTS[x] } else { 0 };
    }
    // Bit i of byte j is the cell 8·i + j.
    transposed(
        bytes.as_chunks::<8>().0.iter().fold(0, |all, eight| all | u64::from_le_bytes(*eight)),
    )
}

/// Transposes an 8×8 bit matrix by swapping blocks of 1, 2 and 4 bits (H. S. Warren, "Hacker's
/// Delight", section 7-3).
#[inline(always)]
fn transposed(mut bits: u64) -> u64 {
    for (shift, half) in
        [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)]
    {
        let swapped = (bits ^ bits >> shift) & half;
        bits ^= swapped ^ swapped << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::super::rows::part;
    use super::*;
    use crate::coords::{CHUNK_CELLS, Cube, Face, Sheet};

    fn cells_touch_the_faces_that_they_lie_at<S: RowShape>() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..500 {
            let mut cells = CellMask::EMPTY;
            (0..rng.usize(..4)).for_each(|_| _ = cells.insert(rng.usize(..CHUNK_CELLS)));
            let mut changes = Changes::default();
            changes.summarize::<S>(&cells);
            assert_eq!(changes.touched(), (!cells.is_empty()).then(|| faces_touched::<S>(&cells)));
            assert_eq!((changes.count(), changes.is_empty()), (cells.len(), cells.is_empty()));
            for (face, &touched) in Face::ALL.iter().zip(&faces_touched::<S>(&cells)) {
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

    #[test]
    fn differing_cells_are_found_one_by_one() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..100 {
            let a: [u8; 64] = core::array::from_fn(|_| rng.u8(..3));
            let b: [u8; 64] = core::array::from_fn(|_| rng.u8(..3));
            let expected = (0..64).filter(|&x| a[x] != b[x]).fold(0, |mask, x| mask | 1u64 << x);
            assert_eq!(differing(&a, &b), expected);
            let mut rows = Rows::new(9);
            let quarters = [0, 16, 32, 48];
            let differing_cells = quarters.map(|first| {
                rows.differing::<16>(128 + first, part(&b, first), &[5; 16]);
                rows.differing::<16>(128 + first, part(&a, first), part(&b, first))
            });
            assert_eq!(differing_cells, [None, None, None, Some(expected)]);
            assert_eq!(rows.differing(64, &a, &b), Some(expected));
            let mut changed = CellMask::EMPTY;
            quarters.iter().for_each(|&first| {
                rows.mark::<16>(128 + first, part(&a, first), part(&b, first), &mut changed)
            });
            assert_eq!(
                (changed.words()[2], changed.len()),
                (expected, expected.count_ones() as usize)
            );
        }
        assert_eq!(differing(&[1; 64], &[2; 64]), u64::MAX);
    }

    #[test]
    fn bit_matrices_are_transposed() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..100 {
            let bits = rng.u64(..);
            let at = |bits: u64, row: u32, column: u32| bits >> (8 * row + column) & 1;
            for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
                assert_eq!(at(transposed(bits), row, column), at(bits, column, row));
            }
        }
    }
}
