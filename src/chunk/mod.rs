//! One chunk: 4096 cells, all alike or one by one. Knows neither where it lies nor what its cells mean.

mod mask;

pub use mask::CellMask;
pub(crate) use mask::ones;

use crate::coords::CHUNK_CELLS;

/// 4096 cells of `T`.
///
/// A chunk whose cells are all equal is stored as that one value; any other as an array. [`set`](Chunk::set),
/// [`fill`](Chunk::fill) and [`canonicalize`](Chunk::canonicalize) leave the short form wherever it fits, so two chunks
/// with equal cells are equal.
///
/// Equal means `==` throughout: cells that compare equal may stand for each other. So a chunk of `0.0` in which a cell is
/// set to `-0.0` stays as it was, and a cell that is not equal to itself (a NaN) never joins a uniform chunk. Where such
/// values must come back bit for bit, store the bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk<T> {
    cells: Cells<T>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Cells<T> {
    Uniform(T),
    Dense(Box<[T; CHUNK_CELLS]>),
}

/// A chunk of equal cells is stored one by one; see [`Chunk::validate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct NotCanonical;

impl<T: Copy + PartialEq> Chunk<T> {
    /// A chunk of 4096 cells with this value.
    pub const fn uniform(value: T) -> Self {
        Chunk { cells: Cells::Uniform(value) }
    }

    /// A chunk of these cells, in index order.
    pub fn from_cells(cells: &[T; CHUNK_CELLS]) -> Self {
        if all_equal(cells) {
            return Chunk::uniform(cells[0]);
        }
        Chunk { cells: Cells::Dense(boxed(cells.to_vec())) }
    }

    /// The cell at `index`. Indices wrap at 4096.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        match &self.cells {
            Cells::Uniform(value) => *value,
            Cells::Dense(cells) => cells[index & (CHUNK_CELLS - 1)],
        }
    }

    /// Writes the cell at `index` and returns what stood there. Indices wrap at 4096.
    #[inline]
    pub fn set(&mut self, index: usize, value: T) -> T {
        let index = index & (CHUNK_CELLS - 1);
        match &mut self.cells {
            Cells::Uniform(old) if *old == value => *old,
            Cells::Uniform(old) => {
                let old = *old;
                self.cells_mut()[index] = value;
                old
            }
            Cells::Dense(cells) => {
                let old = core::mem::replace(&mut cells[index], value);
                // The chunk can have become uniform only if the cell next to this one and both ends hold the new value.
                // The next cell is asked first: it mostly says no, and lies in the cache line just written.
                if cells[index ^ 1] == value && old != value && cells[0] == value && cells[CHUNK_CELLS - 1] == value {
                    self.canonicalize();
                }
                old
            }
        }
    }

    /// Writes every cell.
    pub fn fill(&mut self, value: T) {
        self.cells = Cells::Uniform(value);
    }

    /// The value of all cells, if the chunk is stored as one.
    #[inline]
    pub fn as_uniform(&self) -> Option<T> {
        match &self.cells {
            Cells::Uniform(value) => Some(*value),
            Cells::Dense(_) => None,
        }
    }

    /// The cells in index order, if they are stored one by one.
    #[inline]
    pub fn as_dense(&self) -> Option<&[T; CHUNK_CELLS]> {
        match &self.cells {
            Cells::Uniform(_) => None,
            Cells::Dense(cells) => Some(cells),
        }
    }

    /// The cells in index order, to change; stores them one by one from here on. Call
    /// [`canonicalize`](Chunk::canonicalize) when done.
    pub fn cells_mut(&mut self) -> &mut [T; CHUNK_CELLS] {
        if let Cells::Uniform(value) = self.cells {
            self.cells = Cells::Dense(boxed(vec![value; CHUNK_CELLS]));
        }
        match &mut self.cells {
            Cells::Dense(cells) => cells,
            Cells::Uniform(_) => unreachable!("made dense above"),
        }
    }

    /// Stores the chunk as one value if its cells are all equal; `true` if it is uniform now.
    pub fn canonicalize(&mut self) -> bool {
        if let Cells::Dense(cells) = &self.cells
            && all_equal(cells)
        {
            self.cells = Cells::Uniform(cells[0]);
        }
        matches!(self.cells, Cells::Uniform(_))
    }

    /// Bytes on the heap: none for a uniform chunk, 4096 cells for any other.
    pub fn heap_bytes(&self) -> usize {
        match self.cells {
            Cells::Uniform(_) => 0,
            Cells::Dense(_) => size_of::<[T; CHUNK_CELLS]>(),
        }
    }

    /// Whether the chunk is stored in the form that its cells call for.
    ///
    /// # Errors
    /// [`NotCanonical`] after a change through [`cells_mut`](Chunk::cells_mut) that nobody canonicalised.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), NotCanonical> {
        match &self.cells {
            Cells::Dense(cells) if all_equal(cells) => Err(NotCanonical),
            _ => Ok(()),
        }
    }
}

fn all_equal<T: Copy + PartialEq>(cells: &[T; CHUNK_CELLS]) -> bool {
    // Blocks keep the early exit for chunks that differ soon, and vectorise inside.
    let first = cells[0];
    cells.as_chunks::<64>().0.iter().all(|block| block.iter().fold(true, |equal, cell| equal & (*cell == first)))
}

/// The array form of a vector of 4096 cells. `Box::new` of an array would pass through the stack in debug builds.
fn boxed<T: Copy>(cells: Vec<T>) -> Box<[T; CHUNK_CELLS]> {
    match cells.into_boxed_slice().try_into() {
        Ok(boxed) => boxed,
        Err(_) => unreachable!("4096 cells"),
    }
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
    fn a_chunk_of_nan_is_not_taken_for_uniform_and_does_not_fail() {
        let mut chunk = Chunk::uniform(0.0f32);
        chunk.set(7, f32::NAN);
        assert!(chunk.get(7).is_nan() && !chunk.canonicalize());
        chunk.fill(f32::NAN);
        assert!(chunk.as_uniform().is_some_and(f32::is_nan));
        assert_eq!(chunk.validate(), Ok(()));
        assert!(chunk.set(0, 1.0).is_nan());
    }
}
