//! Choices made from bytes: fuzz targets and property tests alike draw worlds, rules and edits from
//! them.

use crate::{CHUNK_CELLS, Chunk, Region};
use arbitrary::{Arbitrary, Result, Unstructured};
use fastrand::Rng;
use glam::IVec3;

/// The content of a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Filling<T> {
    /// Equal cells.
    Equal(T),
    /// Cells of up to three kinds at random places.
    Strewn {
        /// The kinds.
        kinds: [T; 3],
        /// The number of cells in 256 that are not of the first kind.
        share: u8,
        /// The seed of the places. If it is odd, the chunk is dense even if its cells are equal.
        seed: u8,
    },
}

impl<T: Copy + PartialEq> Filling<T> {
    /// Returns a chunk with this content.
    pub(super) fn chunk(&self) -> Chunk<T> {
        let (kinds, share, seed) = match *self {
            Filling::Equal(cell) => return Chunk::uniform(cell),
            Filling::Strewn { kinds, share, seed } => (kinds, share, seed),
        };
        let mut rng = Rng::with_seed(seed.into());
        let mut kind = |_| if rng.u8(..) < share { rng.usize(1..3) } else { 0 };
        let cells: [T; CHUNK_CELLS] = std::array::from_fn(|index| kinds[kind(index)]);
        if seed.is_multiple_of(2) {
            return Chunk::from_cells(&cells);
        }
        let mut chunk = Chunk::uniform(cells[0]);
        *chunk.cells_mut() = cells;
        chunk
    }
}

/// Bytes not used up yet, from which choices are made. Once they are used up, every byte is 0, and
/// every choice is the first one.
///
/// ```
/// use floodplain::testing::Bytes;
///
/// let mut bytes = Bytes(&[7, 2]);
/// assert_eq!((bytes.byte(), bytes.pick(&["air", "soil", "sand"])), (7, "sand"));
/// assert_eq!(bytes.pick(&["air", "soil", "sand"]), "air");
/// ```
#[derive(Clone, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// Returns the value that `draw` makes of the bytes that are left, and consumes the bytes that
    /// it used. This implements an [`Arbitrary`] for which any bytes encode a value.
    pub(super) fn of<T>(
        from: &mut Unstructured<'_>,
        draw: impl FnOnce(&mut Bytes<'_>) -> T,
    ) -> Result<T> {
        let left = from.peek_bytes(from.len()).unwrap_or_default();
        let mut bytes = Bytes(left);
        let value = draw(&mut bytes);
        from.bytes(left.len() - bytes.0.len())?;
        Ok(value)
    }

    /// Returns the value that the next bytes encode.
    ///
    /// # Panics
    /// Panics if the bytes encode no value. For the types of this crate, any bytes encode one.
    pub fn any<T: for<'a> Arbitrary<'a>>(&mut self) -> T {
        let mut from = Unstructured::new(self.0);
        let value = T::arbitrary(&mut from).expect("a value of any bytes");
        self.0 = from.take_rest();
        value
    }

    /// Takes the next byte and returns it, 0 at the end.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Returns an element of `from`, picked by the next byte.
    ///
    /// # Panics
    /// Panics if `from` is empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    /// Returns the bounds of a world of this size in cells: across a border between two chunks,
    /// across a corner of chunks, or at an end of the range of positions. A side below 1 counts as
    /// 1.
    pub fn bounds(&mut self, size: IVec3) -> Region {
        let last = size.max(IVec3::ONE) - 1;
        let half = size / 2;
        let min = match self.byte() % 16 {
            0..=7 => IVec3::new(-half.x, 2, 0),
            8..=11 => IVec3::new(3, -half.y, 0),
            12 | 13 => -half,
            14 => IVec3::MAX - last,
            _ => IVec3::MIN,
        };
        Region::new(min, min.saturating_add(last))
    }

    /// Returns a cell within bounds, near their least corner if they are large. One cell in 43 is
    /// just beyond the bounds, to the east of their greatest corner.
    pub fn cell(&mut self, bounds: Region) -> IVec3 {
        let size = IVec3::from_array(bounds.size().map(|side| side.min(1 << 16) as i32));
        let place = i32::from(self.byte()) | i32::from(self.byte()) << 8;
        let local =
            IVec3::new(place % size.x, place / size.x % size.y, place / size.x / size.y % size.z);
        if place < 0xfa00 { bounds.min() + local } else { bounds.max().saturating_add(IVec3::X) }
    }

    /// Returns a filling of three kinds of cells, each made by `cell`, scattered at random. The
    /// next two bytes are the share of the cells that are not of the first kind, and the seed.
    pub(super) fn strewn<T>(&mut self, mut cell: impl FnMut(&mut Self) -> T) -> Filling<T> {
        Filling::Strewn {
            kinds: [cell(self), cell(self), cell(self)],
            share: self.byte(),
            seed: self.byte(),
        }
    }

    /// Returns the region between two cells, which are drawn as by [`cell`](Bytes::cell).
    pub fn region(&mut self, bounds: Region) -> Region {
        Region::new(self.cell(bounds), self.cell(bounds))
    }

    /// Calls `push` until the bytes are used up, at most `most` times, and returns the list to
    /// which it adds.
    pub fn operations<T>(&mut self, most: usize, push: impl Fn(&mut Self, &mut Vec<T>)) -> Vec<T> {
        let mut all = Vec::new();
        for _ in 0..most {
            if !self.0.is_empty() {
                push(self, &mut all);
            }
        }
        all
    }
}
