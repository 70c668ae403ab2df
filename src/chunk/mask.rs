//! A set of cells of one chunk: 4096 bits.

use crate::chunk::LayerMask;
use crate::coords::CHUNK_CELLS;
use crate::simd;
use core::fmt;

/// A set of cells of one chunk, by local index.
///
/// 64 words of 64 bits; the cell with index `i` is bit `i % 64` of word `i / 64`. In a
/// [`Cube`](crate::Cube) chunk four words are one horizontal layer.
#[derive(Clone, PartialEq, Eq)]
pub struct CellMask {
    words: [u64; CHUNK_CELLS / 64],
}

impl CellMask {
    /// The empty mask.
    pub const EMPTY: CellMask = CellMask { words: [0; CHUNK_CELLS / 64] };

    /// The mask of all cells.
    pub const FULL: CellMask = CellMask { words: [u64::MAX; CHUNK_CELLS / 64] };

    /// Returns whether the cell is in the mask. Indices wrap at 4096.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.words[(index >> 6) & 63] >> (index & 63) & 1 != 0
    }

    /// Adds the cell and returns whether it is new. Indices wrap at 4096.
    #[inline]
    pub fn insert(&mut self, index: usize) -> bool {
        let word = &mut self.words[(index >> 6) & 63];
        let before = *word;
        *word |= 1 << (index & 63);
        before != *word
    }

    /// Adds the cell in a `const` context. `index` must be below 4096.
    pub(crate) const fn insert_const(&mut self, index: usize) {
        self.words[index >> 6] |= 1 << (index & 63);
    }

    /// Removes the cell and returns whether it was there. Indices wrap at 4096.
    #[inline]
    pub fn remove(&mut self, index: usize) -> bool {
        let word = &mut self.words[(index >> 6) & 63];
        let before = *word;
        *word &= !(1 << (index & 63));
        before != *word
    }

    /// Adds the cell if `present`, else removes it. Indices wrap at 4096.
    #[inline]
    pub fn set(&mut self, index: usize, present: bool) {
        let word = &mut self.words[(index >> 6) & 63];
        *word = *word & !(1 << (index & 63)) | u64::from(present) << (index & 63);
    }

    /// Returns the 256 cells from `256 * layer` (0 to 15) on: in a [`Cube`](crate::Cube) chunk, one
    /// horizontal layer.
    #[inline]
    pub(crate) fn layer(&self, layer: usize) -> LayerMask {
        let words = &self.words[(layer & 15) * 4..][..4];
        LayerMask::from_words([words[0], words[1], words[2], words[3]])
    }

    /// Adds cells to a layer.
    #[inline]
    pub(crate) fn insert_layer(&mut self, layer: usize, cells: LayerMask) {
        for (word, more) in self.words[(layer & 15) * 4..][..4].iter_mut().zip(cells.words()) {
            *word |= more;
        }
    }

    /// Replaces the cells of a layer.
    #[inline]
    pub(crate) fn set_layer(&mut self, layer: usize, cells: LayerMask) {
        self.words[(layer & 15) * 4..][..4].copy_from_slice(&cells.words());
    }

    /// Returns the number of cells in the mask, 0 to 4096.
    pub fn len(&self) -> usize {
        simd::run(Count(&self.words))
    }

    /// Returns whether the mask is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns whether all cells are in the mask.
    pub fn is_full(&self) -> bool {
        // Blocks keep the early exit, and each block is vectorised.
        let full =
            |block: &[u64; 8]| block.iter().fold(u64::MAX, |all, word| all & word) == u64::MAX;
        self.words.as_chunks().0.iter().all(full)
    }

    /// Returns the bits, 64 to a word, lowest index first.
    #[inline]
    pub fn words(&self) -> &[u64; CHUNK_CELLS / 64] {
        &self.words
    }

    /// Returns the bits, to be changed.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64; CHUNK_CELLS / 64] {
        &mut self.words
    }

    /// Returns whether the masks share a cell.
    pub fn intersects(&self, other: &CellMask) -> bool {
        // Blocks keep the early exit, and each block is vectorised.
        let both = |(block, other): (&[u64], &[u64])| {
            block.iter().zip(other).fold(0, |any, (a, b)| any | a & b)
        };
        self.words.chunks(8).zip(other.words.chunks(8)).any(|blocks| both(blocks) != 0)
    }

    /// Adds all cells of `other`.
    pub fn union_with(&mut self, other: &CellMask) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Returns the cells' indices in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words
            .iter()
            .enumerate()
            .flat_map(|(word, &bits)| ones(bits).map(move |bit| word * 64 + bit))
    }
}

/// Counts the ones in all words (population count).
struct Count<'a>(&'a [u64; CHUNK_CELLS / 64]);

impl simd::Kernel for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Returns the positions of the ones in `bits`, lowest first.
#[inline]
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let bit = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(bit)
    })
}

impl Default for CellMask {
    fn default() -> Self {
        CellMask::EMPTY
    }
}

impl fmt::Debug for CellMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn iteration_is_in_ascending_order() {
        let mut mask = CellMask::EMPTY;
        for index in [4095, 0, 63, 64, 1000] {
            assert!(mask.insert(index));
            assert!(!mask.insert(index));
        }
        assert_eq!(mask.iter().collect::<Vec<_>>(), [0, 63, 64, 1000, 4095]);
        assert_eq!(mask.len(), 5);
        assert!(mask.remove(64) && !mask.contains(64));
        mask.set(64, true);
        mask.set(0, false);
        assert_eq!(mask.iter().collect::<Vec<_>>(), [63, 64, 1000, 4095]);
    }

    #[test]
    fn a_layer_is_256_cells_and_no_others() {
        let mut random = fastrand::Rng::with_seed(3);
        for layer in 0..16 {
            let mut mask = CellMask { words: core::array::from_fn(|_| random.u64(..)) };
            let before = mask.clone();
            let words: [u64; 4] = core::array::from_fn(|_| random.u64(..));
            let cells = LayerMask::from_words(words);
            let has = |cell: usize| words[cell / 64] >> (cell % 64) & 1 != 0;
            mask.insert_layer(layer, cells);
            for index in 0..CHUNK_CELLS {
                let inserted = index / 256 == layer && has(index % 256);
                assert_eq!(mask.contains(index), before.contains(index) || inserted, "{index}");
            }
            mask.set_layer(layer, cells);
            assert_eq!(mask.layer(layer), cells);
            for index in 0..CHUNK_CELLS {
                let expected =
                    if index / 256 == layer { has(index % 256) } else { before.contains(index) };
                assert_eq!(mask.contains(index), expected, "{index}");
            }
        }
    }

    #[test]
    fn is_full_and_intersects_agree_with_the_cells() {
        let mut random = fastrand::Rng::with_seed(9);
        for _ in 0..200 {
            let few = [random.usize(..CHUNK_CELLS), random.usize(..CHUNK_CELLS)];
            let (mut mask, mut other) = (CellMask::EMPTY, CellMask::FULL);
            few.iter().for_each(|&index| _ = mask.insert(index));
            assert!(mask.intersects(&other) && !mask.is_full() && other.is_full());
            few.iter().for_each(|&index| _ = other.remove(index));
            assert!(!mask.intersects(&other) && !other.is_full());
            other.insert(few[0]);
            assert!(mask.intersects(&other) && other.intersects(&mask));
        }
    }

    #[test]
    fn insert_const_equals_insert() {
        let (mut early, mut late) = (CellMask::EMPTY, CellMask::EMPTY);
        for index in (0..CHUNK_CELLS).step_by(37) {
            early.insert_const(index);
            late.insert(index);
            assert_eq!(early, late, "{index}");
        }
        assert_eq!(
            format!("{early:?}"),
            format!("{:?}", (0..CHUNK_CELLS).step_by(37).collect::<BTreeSet<_>>())
        );
    }
}
