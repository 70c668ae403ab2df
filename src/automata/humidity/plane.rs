//! The ground of a chunk. Ground usually has few kinds: then a byte for each cell and a table of
//! the kinds take a quarter of the memory of words. If there are more kinds, or if steps read the
//! words, each cell has a word.

use super::cell::{Cell, Ground};
use crate::automata::engine::rims::rims_of_chunk;
use crate::automata::engine::rows::RowShape;
use crate::chunk::{CellMask, Chunk, NotCanonical};
use crate::coords::CHUNK_CELLS;
use smallvec::SmallVec;
use std::borrow::Cow;

/// The most kinds in a table, which is searched linearly.
const MOST_KINDS: usize = 16;

/// The ground of the cells of a chunk.
#[derive(Clone)]
pub(crate) enum Plane {
    /// The number of each cell's kind, and the word of each kind.
    Kinds(Chunk<u8>, SmallVec<[u32; 4]>),
    Words(Chunk<u32>),
}

impl Plane {
    /// Returns a plane of equal ground.
    pub(super) fn uniform(ground: Ground) -> Plane {
        Plane::Kinds(Chunk::uniform(0), SmallVec::from_slice(&[ground.0]))
    }

    /// Returns a plane of these words, with a table if there are few kinds.
    pub(super) fn packed(words: Chunk<u32>) -> Plane {
        let Some(cells) = words.as_dense() else { return Plane::uniform(Ground(words.get(0))) };
        let (mut numbers, mut kinds) = (Chunk::uniform(0), SmallVec::new());
        for (number, &word) in numbers.cells_mut().iter_mut().zip(cells) {
            match number_of(&mut kinds, word) {
                Some(kind) => *number = kind,
                None => return Plane::Words(words),
            }
        }
        numbers.canonicalize();
        Plane::Kinds(numbers, kinds)
    }

    /// Returns a plane without rain. The impermeability of a cell depends only on the number of its
    /// material.
    pub(crate) fn of<T: Copy + PartialEq>(
        cells: &Chunk<T>,
        number_of_material: impl Fn(T) -> u8,
        impermeability: impl Fn(T) -> f32,
    ) -> Plane {
        let word = |of: T| Ground::of(Cell::soil(0.0, impermeability(of))).0;
        let Some(cells) = cells.as_dense() else {
            return Plane::uniform(Ground(word(cells.get(0))));
        };
        let (mut numbers, mut kinds) = (Chunk::uniform(0), SmallVec::new());
        // The numbers of kinds, by the number of the material.
        let mut known = [u8::MAX; 256];
        for (number, &cell) in numbers.cells_mut().iter_mut().zip(cells) {
            let known = &mut known[usize::from(number_of_material(cell))];
            if *known == u8::MAX {
                let Some(kind) = number_of(&mut kinds, word(cell)) else {
                    return Plane::Words(Chunk::from_cells(&cells.map(word)));
                };
                *known = kind;
            }
            *number = *known;
        }
        numbers.canonicalize();
        Plane::Kinds(numbers, kinds)
    }

    /// Returns the cells that are rain.
    pub(super) fn rain(&self) -> CellMask {
        let mut rain = CellMask::EMPTY;
        let may_rain = match self {
            Plane::Kinds(_, kinds) => kinds.iter().any(|&kind| Ground(kind).is_rain()),
            Plane::Words(_) => true,
        };
        if may_rain {
            let cells = (0..CHUNK_CELLS).filter(|&index| self.get(index).is_rain());
            cells.for_each(|index| _ = rain.insert(index));
        }
        rain
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Ground {
        match self {
            Plane::Kinds(numbers, kinds) => Ground(kinds[usize::from(numbers.get(index))]),
            Plane::Words(words) => Ground(words.get(index)),
        }
    }

    pub(super) fn set(&mut self, index: usize, ground: Ground) {
        match self {
            Plane::Words(words) => _ = words.set(index, ground.0),
            Plane::Kinds(numbers, kinds) => match number_of(kinds, ground.0) {
                Some(kind) => _ = numbers.set(index, kind),
                None => {
                    // Some kinds may no longer occur in any cell.
                    let mut words = self.words().into_owned();
                    words.set(index, ground.0);
                    *self = Plane::packed(words);
                }
            },
        }
    }

    /// Returns the words of all cells.
    pub(crate) fn words(&self) -> Cow<'_, Chunk<u32>> {
        let (numbers, kinds) = match self {
            Plane::Words(words) => return Cow::Borrowed(words),
            Plane::Kinds(numbers, kinds) => (numbers, kinds),
        };
        let Some(numbers) = numbers.as_dense() else {
            return Cow::Owned(Chunk::uniform(self.get(0).0));
        };
        let mut table = [0; MOST_KINDS];
        table[..kinds.len()].copy_from_slice(kinds);
        let mut words = Chunk::uniform(0);
        for (word, &number) in words.cells_mut().iter_mut().zip(numbers) {
            *word = table[usize::from(number) % MOST_KINDS];
        }
        words.canonicalize();
        Cow::Owned(words)
    }

    /// Writes the words of the row that begins at an index.
    #[inline]
    pub(super) fn write_row(&self, first: usize, row: &mut [u32]) {
        match self {
            Plane::Words(words) => match words.as_dense() {
                Some(words) => row.copy_from_slice(&words[first..][..row.len()]),
                None => row.fill(words.get(0)),
            },
            Plane::Kinds(numbers, kinds) => match numbers.as_dense() {
                Some(numbers) => {
                    let cells = row.iter_mut().zip(&numbers[first..]);
                    cells.for_each(|(word, &number)| *word = kinds[usize::from(number)]);
                }
                None => row.fill(self.get(0).0),
            },
        }
    }

    /// Returns the words at the faces of the chunk.
    pub(super) fn rims<S: RowShape>(&self) -> S::Rims<u32> {
        match self {
            Plane::Words(words) => rims_of_chunk::<u32, S>(words),
            Plane::Kinds(numbers, kinds) => {
                let numbers = rims_of_chunk::<u8, S>(numbers);
                S::zip_rims(&numbers, &numbers, |number, _| kinds[usize::from(number)])
            }
        }
    }

    /// Makes copies of the plane share its array until the array is written.
    #[cfg(feature = "store")]
    pub(super) fn share(&mut self) {
        match self {
            Plane::Words(words) => words.share(),
            Plane::Kinds(numbers, _) => numbers.share(),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Plane::Words(words) => words.heap_bytes(),
            Plane::Kinds(numbers, kinds) => {
                let table = if kinds.spilled() { kinds.capacity() * size_of::<u32>() } else { 0 };
                numbers.heap_bytes() + table
            }
        }
    }

    pub(super) fn validate(&self) -> Result<(), NotCanonical> {
        match self {
            Plane::Kinds(numbers, _) => numbers.validate(),
            Plane::Words(words) => words.validate(),
        }
    }
}

/// Returns the number of a kind, adding it if necessary; `None` if the table is full.
fn number_of(kinds: &mut SmallVec<[u32; 4]>, word: u32) -> Option<u8> {
    let known = kinds.iter().position(|&kind| kind == word);
    let number = known.or_else(|| {
        (kinds.len() < MOST_KINDS).then(|| {
            kinds.push(word);
            kinds.len() - 1
        })
    });
    number.map(|number| number as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares random writes, of few kinds and of many, with plain words.
    #[test]
    fn a_plane_holds_what_is_written() {
        for seed in 0..20 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let kinds = [1, 3, 16, 17, 500][rng.usize(..5)];
            let mut words = Box::new([9; CHUNK_CELLS]);
            let mut plane = Plane::uniform(Ground(9));
            for _ in 0..200 {
                let (index, word) = (rng.usize(..CHUNK_CELLS), rng.u32(..kinds));
                words[index] = word;
                plane.set(index, Ground(word));
            }
            let expected = Chunk::from_cells(&words);
            assert_eq!(*plane.words(), expected, "seed {seed}");
            let packed = Plane::packed(expected.clone());
            assert_eq!(*packed.words(), expected, "seed {seed}");
            for plane in [&plane, &packed] {
                assert!((0..CHUNK_CELLS).all(|index| plane.get(index).0 == words[index]));
                assert_eq!(plane.validate(), Ok(()), "seed {seed}");
                let bytes = if kinds < 16 { 5_000 } else { 4 * CHUNK_CELLS + 100 };
                assert!(plane.heap_bytes() < bytes, "seed {seed}");
            }
        }
    }

    #[test]
    fn kinds_that_are_gone_make_room() {
        let mut plane = Plane::uniform(Ground(0));
        (0..1000).for_each(|word| plane.set(5, Ground(word)));
        assert!(plane.heap_bytes() < 5_000 && plane.get(5) == Ground(999));
        plane.set(5, Ground(0));
        assert_eq!(*plane.words(), Chunk::uniform(0));
    }
}
