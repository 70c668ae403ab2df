//! One chunk: 4096 cells, stored as one value if they are equal, else as an array, which copies of
//! the chunk may share until one of them is written (copy on write). A chunk does not depend on its
//! position or on the meaning of its cells.

mod layer_mask;
mod mask;

pub(crate) use layer_mask::{LAYER_CELLS, LayerMask};
pub use mask::CellMask;
pub(crate) use mask::ones;

use crate::coords::CHUNK_CELLS;
use crate::simd::Aligned;
use core::fmt;
use std::sync::Arc;

/// 4096 cells of `T`.
///
/// A chunk whose cells are all equal is stored as that one value (uniform); any other as an array
/// (dense). [`set`](Chunk::set), [`fill`](Chunk::fill) and [`canonicalize`](Chunk::canonicalize)
/// leave it uniform wherever possible, so two chunks with equal cells are equal.
///
/// Equal means `==` throughout, and equal cells may replace each other: a chunk of `0.0` stays as
/// it is when a cell is set to `-0.0`, and a cell that is not equal to itself (a NaN) is never part
/// of a uniform chunk. Where such values must be kept bit for bit, store the bits.
///
/// Cells should be a few bytes: in unoptimised builds all 4096 are copied over the stack when a
/// chunk becomes dense.
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "bevy", reflect(opaque, Clone, Debug, PartialEq))]
#[cfg_attr(feature = "bevy", reflect(where T: Copy + PartialEq + fmt::Debug))]
pub struct Chunk<T> {
    cells: Cells<T>,
}

#[derive(Clone)]
enum Cells<T> {
    Uniform(T),
    Dense {
        cells: Array<T>,
        seam: Seam,
    },
    /// Dense, with an array that other chunks may share. Sharing and unsharing do not move the box,
    /// and a write to a chunk that is not shared counts no references.
    Shared {
        cells: Arc<Array<T>>,
        seam: Seam,
    },
}

/// The array is copied over the stack in unoptimised builds: safe Rust has no other way to make an
/// aligned box.
type Array<T> = Box<Aligned<[T; CHUNK_CELLS]>>;

/// A witness that a dense chunk is not uniform: the cell at `at` and the next one differ.
///
/// A write to any other cell does not change that, so [`Chunk::set`] keeps the chunk canonical
/// without reading a cell, and need not wait for memory.
#[derive(Clone, Copy, Debug)]
struct Seam {
    /// The index of the first of the two cells, 0 to 4094.
    at: u16,
    /// A write to a cell from `at` to `at + reach` may remove the seam. The reach is 1 or
    /// [`Seam::STALE`].
    reach: u16,
}

impl Seam {
    /// The reach of a seam that may be gone, because the cells have been lent mutably since it was
    /// found.
    const STALE: u16 = u16::MAX;

    /// Returns whether the seam may be gone after a write at `index`.
    #[inline]
    fn is_touched_by(self, index: usize) -> bool {
        (index as u16).wrapping_sub(self.at) <= self.reach
    }
}

/// Prints runs of equal cells as `12 × cell`, the first few runs only.
impl<T: Copy + PartialEq + fmt::Debug> fmt::Debug for Chunk<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST_RUNS: usize = 6;
        let Some(cells) = self.as_dense() else {
            return write!(f, "Chunk({CHUNK_CELLS} × {:?})", self.get(0));
        };
        let runs = cells.chunk_by(|one, next| one == next);
        f.write_str("Chunk(")?;
        for (at, run) in runs.clone().take(MOST_RUNS).enumerate() {
            write!(f, "{}{} × {:?}", if at > 0 { ", " } else { "" }, run.len(), run[0])?;
        }
        f.write_str(if runs.count() > MOST_RUNS { ", …)" } else { ")" })
    }
}

/// A dense chunk has equal cells, or its seam is wrong; see [`Chunk::validate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct NotCanonical;

impl<T: Copy + PartialEq> Chunk<T> {
    /// Returns a chunk of 4096 cells with the same value.
    pub const fn uniform(value: T) -> Self {
        Chunk { cells: Cells::Uniform(value) }
    }

    /// Returns a chunk of the given cells, in index order.
    pub fn from_cells(cells: &[T; CHUNK_CELLS]) -> Self {
        match find_seam(cells) {
            Some(seam) => Chunk { cells: Cells::Dense { cells: Box::new(Aligned(*cells)), seam } },
            None => Chunk::uniform(cells[0]),
        }
    }

    /// Returns the cell at `index`. Indices wrap at 4096.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        match &self.cells {
            Cells::Uniform(value) => *value,
            Cells::Dense { cells, .. } => cells.0[index & (CHUNK_CELLS - 1)],
            Cells::Shared { cells, .. } => cells.0[index & (CHUNK_CELLS - 1)],
        }
    }

    /// Writes the cell at `index` and returns its old value. Indices wrap at 4096.
    #[inline]
    pub fn set(&mut self, index: usize, value: T) -> T {
        let index = index & (CHUNK_CELLS - 1);
        let Cells::Dense { cells, seam } = &mut self.cells else {
            return self.set_in_other(index, value);
        };
        let old = core::mem::replace(&mut cells.0[index], value);
        if seam.is_touched_by(index) {
            self.seek_seam(index);
        }
        old
    }

    #[cold]
    #[inline(never)]
    fn set_in_other(&mut self, index: usize, value: T) -> T {
        if let Cells::Shared { .. } = self.cells {
            self.unshare();
            return self.set(index, value);
        }
        let old = self.get(index);
        if old != value {
            self.cells_mut()[index] = value;
            self.seek_seam(index);
        }
        old
    }

    /// Finds a seam after a write at `index`. Looks beside the written cell first, where the seam
    /// is while a chunk is filled cell by cell.
    #[cold]
    #[inline(never)]
    fn seek_seam(&mut self, index: usize) {
        let Cells::Dense { cells, seam } = &mut self.cells else { return };
        let pairs = index.saturating_sub(1)..(index + 1).min(CHUNK_CELLS - 1);
        match pairs.into_iter().find(|&at| cells.0[at] != cells.0[at + 1]) {
            Some(at) => *seam = Seam { at: at as u16, reach: 1 },
            None => {
                self.canonicalize();
            }
        }
    }

    /// Writes all cells.
    pub fn fill(&mut self, value: T) {
        self.cells = Cells::Uniform(value);
    }

    /// Returns the value of all cells if the chunk is uniform.
    #[inline]
    pub fn as_uniform(&self) -> Option<T> {
        match &self.cells {
            Cells::Uniform(value) => Some(*value),
            Cells::Dense { .. } | Cells::Shared { .. } => None,
        }
    }

    /// Returns the cells in index order if the chunk is dense.
    #[inline]
    pub fn as_dense(&self) -> Option<&[T; CHUNK_CELLS]> {
        match &self.cells {
            Cells::Uniform(_) => None,
            Cells::Dense { cells, .. } => Some(&cells.0),
            Cells::Shared { cells, .. } => Some(&cells.0),
        }
    }

    /// Returns the values of the cells in index order.
    ///
    /// ```
    /// use floodplain::Chunk;
    ///
    /// let mut chunk = Chunk::uniform(0u8);
    /// chunk.set(300, 7);
    /// assert_eq!(chunk.iter().position(|value| value == 7), Some(300));
    /// assert_eq!(chunk.iter().count(), 4096);
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> {
        (0..CHUNK_CELLS).map(|index| self.get(index))
    }

    /// Makes the chunk and its later clones share one array, until one of them is written. Takes
    /// constant time, and so does each clone from then on.
    #[cfg_attr(not(feature = "store"), expect(dead_code, reason = "only saves share arrays"))]
    pub(crate) fn share(&mut self) {
        if let Cells::Dense { .. } = self.cells {
            let any = Cells::Uniform(self.get(0));
            if let Cells::Dense { cells, seam } = core::mem::replace(&mut self.cells, any) {
                self.cells = Cells::Shared { cells: Arc::new(cells), seam };
            }
        }
    }

    /// Gives a chunk with a shared array its own array: the same one if no other chunk shares it.
    #[cold]
    #[inline(never)]
    pub(crate) fn unshare(&mut self) {
        if let Cells::Shared { .. } = self.cells {
            let any = Cells::Uniform(self.get(0));
            if let Cells::Shared { cells, seam } = core::mem::replace(&mut self.cells, any) {
                self.cells = Cells::Dense { cells: Arc::unwrap_or_clone(cells), seam };
            }
        }
    }

    /// Makes the chunk dense and returns its cells in index order. Call
    /// [`canonicalize`](Chunk::canonicalize) after writing to them.
    #[inline]
    pub fn cells_mut(&mut self) -> &mut [T; CHUNK_CELLS] {
        if let Cells::Uniform(value) = self.cells {
            let seam = Seam { at: 0, reach: Seam::STALE };
            self.cells = Cells::Dense { cells: Box::new(Aligned([value; CHUNK_CELLS])), seam };
        } else if let Cells::Shared { .. } = self.cells {
            self.unshare();
        }
        match &mut self.cells {
            Cells::Dense { cells, seam } => {
                seam.reach = Seam::STALE;
                &mut cells.0
            }
            Cells::Uniform(_) | Cells::Shared { .. } => unreachable!("made dense above"),
        }
    }

    /// Makes the chunk uniform if its cells are all equal. Returns whether it is uniform now.
    pub fn canonicalize(&mut self) -> bool {
        let (cells, seam) = match &mut self.cells {
            Cells::Uniform(_) => return true,
            Cells::Dense { cells, seam } => (&**cells, seam),
            Cells::Shared { cells, seam } => (&***cells, seam),
        };
        // The seam has usually not moved.
        if cells.0[usize::from(seam.at)] != cells.0[usize::from(seam.at) + 1] {
            seam.reach = 1;
        } else if let Some(found) = find_seam(&cells.0) {
            *seam = found;
        } else {
            self.cells = Cells::Uniform(cells.0[0]);
        }
        matches!(self.cells, Cells::Uniform(_))
    }

    /// Returns the bytes on the heap: 0 for a uniform chunk, the size of 4096 cells for a dense
    /// one.
    pub fn heap_bytes(&self) -> usize {
        if self.as_dense().is_some() { size_of::<[T; CHUNK_CELLS]>() } else { 0 }
    }

    /// Checks that the chunk is uniform if its cells are equal.
    ///
    /// # Errors
    /// [`NotCanonical`] after a change through [`cells_mut`](Chunk::cells_mut) without
    /// [`canonicalize`](Chunk::canonicalize).
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), NotCanonical> {
        let (cells, seam) = match &self.cells {
            Cells::Uniform(_) => return Ok(()),
            Cells::Dense { cells, seam } => (&**cells, seam),
            Cells::Shared { cells, seam } => (&***cells, seam),
        };
        let at = usize::from(seam.at);
        let found = if seam.reach == Seam::STALE {
            find_seam(&cells.0).is_some()
        } else {
            cells.0[at] != cells.0[at + 1]
        };
        if found { Ok(()) } else { Err(NotCanonical) }
    }
}

impl<T: Clone> Clone for Chunk<T> {
    fn clone(&self) -> Self {
        Chunk { cells: self.cells.clone() }
    }

    /// Keeps the array of a dense chunk if the source is dense, too.
    fn clone_from(&mut self, source: &Self) {
        let (of, of_seam) = match &source.cells {
            Cells::Uniform(_) => return *self = source.clone(),
            Cells::Dense { cells, seam } => (&**cells, seam),
            Cells::Shared { cells, seam } => (&***cells, seam),
        };
        match &mut self.cells {
            Cells::Dense { cells, seam } => {
                cells.0.clone_from_slice(&of.0);
                *seam = *of_seam;
            }
            _ => *self = source.clone(),
        }
    }
}

/// Canonical chunks are equal if and only if their cells are equal.
impl<T: Copy + PartialEq> PartialEq for Chunk<T> {
    fn eq(&self, other: &Self) -> bool {
        match (self.as_dense(), other.as_dense()) {
            (None, None) => self.get(0) == other.get(0),
            (cells, others) => cells == others,
        }
    }
}

impl<T: Copy + Eq> Eq for Chunk<T> {}

/// Finds the first cell that differs from the next cell.
fn find_seam<T: Copy + PartialEq>(cells: &[T; CHUNK_CELLS]) -> Option<Seam> {
    // Blocks keep the early exit for chunks that differ soon, and each block is vectorised.
    const BLOCK: usize = 64;
    let pairs = |block: usize| {
        let end = (block + BLOCK).min(CHUNK_CELLS - 1);
        cells[block..end].iter().zip(&cells[block + 1..=end])
    };
    let differs =
        |&block: &usize| pairs(block).fold(false, |differs, (cell, next)| differs | (cell != next));
    let block = (0..CHUNK_CELLS).step_by(BLOCK).find(differs)?;
    let offset = pairs(block).position(|(cell, next)| cell != next)?;
    Some(Seam { at: (block + offset) as u16, reach: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_that_becomes_uniform_is_stored_as_one_value() {
        let mut chunk = Chunk::uniform(3u16);
        assert_eq!(chunk.set(100, 4), 3);
        assert_eq!(chunk.heap_bytes(), 8192);
        assert_eq!(chunk.set(100, 3), 4);
        assert_eq!(chunk.as_uniform(), Some(3));
        for index in 0..CHUNK_CELLS {
            chunk.set(index, 9);
        }
        assert_eq!(chunk, Chunk::uniform(9));
        assert_eq!(chunk.validate(), Ok(()));
    }

    #[test]
    fn cells_begin_at_a_cache_line() {
        let mut chunk = Chunk::uniform(1u16);
        chunk.cells_mut()[0] = 2;
        let chunks: Vec<Chunk<u16>> =
            (0..9).map(|_| Chunk::from_cells(chunk.as_dense().unwrap())).collect();
        for chunk in chunks.iter().chain(&chunks.clone()).chain([&chunk]) {
            assert_eq!(chunk.as_dense().unwrap().as_ptr().align_offset(64), 0);
        }
    }

    #[test]
    fn one_odd_cell_anywhere_keeps_a_chunk_dense() {
        for odd in [0, 1, 2, 63, 64, 2047, 4094, 4095] {
            let mut chunk = Chunk::uniform(5u8);
            chunk.set(odd, 6);
            chunk.set(odd ^ 1, 6);
            chunk.set(odd ^ 1, 5);
            assert!(chunk.as_dense().is_some());
            assert_eq!(chunk.set(odd, 5), 6);
            assert_eq!(chunk.as_uniform(), Some(5));
        }
    }

    #[test]
    fn writing_the_last_odd_cell_makes_a_chunk_uniform_in_any_order_of_writes() {
        let order = |step: usize| (0..CHUNK_CELLS).map(move |count| count * step % CHUNK_CELLS);
        for step in [1, CHUNK_CELLS - 1, 17, 257, 2049] {
            let mut chunk = Chunk::uniform(1u16);
            for index in order(step).take(CHUNK_CELLS - 1) {
                chunk.set(index, 2);
                assert_eq!(chunk.validate(), Ok(()), "{index} by {step}");
            }
            assert!(chunk.as_dense().is_some());
            // Cells written through `cells_mut` may be equal or not at the next write.
            let last = order(step).next_back().unwrap();
            chunk.cells_mut()[last] = 2;
            chunk.cells_mut()[0] = 3;
            assert_eq!((chunk.set(0, 2), chunk.as_uniform()), (3, Some(2)));
        }
    }

    #[test]
    fn chunks_are_equal_if_all_their_cells_are() {
        let with = |index: usize, value: u8| {
            let mut chunk = Chunk::uniform(5u8);
            chunk.set(index, value);
            chunk
        };
        assert_eq!(with(9, 5), Chunk::uniform(5));
        assert_ne!(Chunk::uniform(5u8), Chunk::uniform(6));
        assert_ne!(with(9, 6), Chunk::uniform(5));
        assert_eq!(with(9, 6), with(9, 6));
        assert_ne!(with(9, 6), with(9, 7));
        assert_ne!(with(9, 6), with(10, 6));
    }

    /// A write to one of two chunks that share an array never changes the other.
    #[test]
    fn chunks_that_share_an_array_are_as_chunks_that_do_not() {
        for seed in 0..100 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let cells = core::array::from_fn(|_| rng.u8(..2));
            let mut models = [cells; 2];
            let mut one = Chunk::from_cells(&cells);
            one.share();
            let mut chunks = [one.clone(), one];
            let [here, there] = chunks.each_ref().map(|chunk| chunk.as_dense().unwrap().as_ptr());
            assert_eq!(here, there);
            for _ in 0..8 {
                let which = rng.usize(..2);
                let (index, value) = (rng.usize(..CHUNK_CELLS), rng.u8(..3));
                let model = &mut models[which];
                match rng.u8(..4) {
                    0 => {
                        chunks[which].fill(value);
                        model.fill(value);
                    }
                    1 => {
                        chunks[which].cells_mut()[index..].fill(value);
                        chunks[which].canonicalize();
                        model[index..].fill(value);
                    }
                    2 => {
                        if rng.bool() {
                            chunks[which].share();
                        }
                        let copied = chunks[which].clone();
                        chunks[1 - which].clone_from(&copied);
                        models[1 - which] = models[which];
                    }
                    _ => {
                        let old = core::mem::replace(&mut model[index], value);
                        assert_eq!(chunks[which].set(index, value), old, "seed {seed}");
                    }
                }
                for (chunk, model) in chunks.iter().zip(&models) {
                    assert_eq!(chunk, &Chunk::from_cells(model), "seed {seed}");
                    assert_eq!(chunk.validate(), Ok(()), "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn validate_compares_the_form_with_the_cells() {
        let mut chunk = Chunk::uniform(5u8);
        chunk.cells_mut();
        assert_eq!(chunk.validate(), Err(NotCanonical), "equal cells in an array");
        chunk.cells_mut()[100] = 6;
        assert_eq!(chunk.validate(), Ok(()), "cells that differ, with a stale seam");
        if let Cells::Dense { seam, .. } = &mut chunk.cells {
            *seam = Seam { at: 50, reach: 1 };
        }
        assert_eq!(chunk.validate(), Err(NotCanonical), "a seam between equal cells");
        if let Cells::Dense { seam, .. } = &mut chunk.cells {
            *seam = Seam { at: 100, reach: 1 };
        }
        assert_eq!(chunk.validate(), Ok(()));
    }

    #[test]
    fn a_chunk_with_a_nan_is_dense_and_valid() {
        let mut chunk = Chunk::uniform(0.0f32);
        chunk.set(7, f32::NAN);
        assert!(chunk.get(7).is_nan() && !chunk.canonicalize());
        chunk.fill(f32::NAN);
        assert!(chunk.as_uniform().is_some_and(f32::is_nan));
        assert_eq!(chunk.validate(), Ok(()));
        assert!(chunk.set(0, 1.0).is_nan());
    }

    #[test]
    fn a_chunk_is_printed_by_its_runs() {
        assert_eq!(format!("{:?}", Chunk::uniform(3)), "Chunk(4096 × 3)");
        let mut chunk = Chunk::uniform(0u8);
        chunk.set(10, 5);
        assert_eq!(format!("{chunk:?}"), "Chunk(10 × 0, 1 × 5, 4085 × 0)");
        (0..9).for_each(|index| _ = chunk.set(2 * index, 1));
        let printed = "Chunk(1 × 1, 1 × 0, 1 × 1, 1 × 0, 1 × 1, 1 × 0, …)";
        assert_eq!(format!("{chunk:?}"), printed);
    }
}
