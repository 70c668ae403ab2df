//! Positions of chunks and of columns of chunks. They have types of their own, so that neither can
//! be passed for the position of a cell.

use super::Face;
use core::fmt;
use core::ops::{Add, Sub};
use glam::{IVec2, IVec3};

/// The position of a chunk, counted in chunks: the position of its cells divided by the chunk's
/// size, rounded down. Chunk positions are ordered as all lists of chunks are: y slowest, then z,
/// then x.
///
/// ```
/// use floodplain::{ChunkPos, Cube, Shape, glam::IVec3};
///
/// assert_eq!(Cube::chunk_of(IVec3::new(17, 0, -1)), ChunkPos::new(1, 0, -1));
/// assert_eq!(ChunkPos::from([1, 0, -1]), IVec3::new(1, 0, -1).into());
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChunkPos {
    /// Chunks to the east of the origin.
    pub x: i32,
    /// Chunks above the origin.
    pub y: i32,
    /// Chunks to the south of the origin.
    pub z: i32,
}

impl ChunkPos {
    /// The chunk of the cell at the origin.
    pub const ZERO: ChunkPos = ChunkPos::new(0, 0, 0);

    /// Returns the chunk position with these coordinates.
    #[inline]
    pub const fn new(x: i32, y: i32, z: i32) -> ChunkPos {
        ChunkPos { x, y, z }
    }

    /// Returns the column that the chunk belongs to.
    pub const fn column(self) -> ColumnPos {
        ColumnPos::new(self.x, self.z)
    }

    /// Returns the neighbour across a face, or `None` if it would leave the `i32` range.
    #[inline]
    pub fn step(self, face: Face) -> Option<ChunkPos> {
        face.step(self.into()).map(ChunkPos::from)
    }

    /// Returns a key that sorts as the position does, and is compared in one or two instructions.
    #[inline]
    pub(crate) fn sort_key(self) -> u128 {
        let ordered = |value: i32| u128::from(value as u32 ^ 1 << 31);
        ordered(self.y) << 64 | ordered(self.z) << 32 | ordered(self.x)
    }
}

impl Ord for ChunkPos {
    fn cmp(&self, other: &ChunkPos) -> core::cmp::Ordering {
        self.sort_key().cmp(&other.sort_key())
    }
}

impl PartialOrd for ChunkPos {
    fn partial_cmp(&self, other: &ChunkPos) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Moves the position by an offset in chunks; overflows as `i32` does.
impl Add<IVec3> for ChunkPos {
    type Output = ChunkPos;

    #[inline]
    fn add(self, offset: IVec3) -> ChunkPos {
        (IVec3::from(self) + offset).into()
    }
}

/// Returns the offset in chunks from one chunk to another; overflows as `i32` does.
impl Sub for ChunkPos {
    type Output = IVec3;

    #[inline]
    fn sub(self, other: ChunkPos) -> IVec3 {
        IVec3::from(self) - IVec3::from(other)
    }
}

/// Writes the position in one line, as glam writes vectors, because recordings and laws list many
/// positions.
impl fmt::Debug for ChunkPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkPos({}, {}, {})", self.x, self.y, self.z)
    }
}

impl fmt::Display for ChunkPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&IVec3::from(*self), f)
    }
}

impl From<IVec3> for ChunkPos {
    #[inline]
    fn from(position: IVec3) -> ChunkPos {
        ChunkPos::new(position.x, position.y, position.z)
    }
}

impl From<ChunkPos> for IVec3 {
    #[inline]
    fn from(chunk: ChunkPos) -> IVec3 {
        IVec3::new(chunk.x, chunk.y, chunk.z)
    }
}

impl From<[i32; 3]> for ChunkPos {
    #[inline]
    fn from([x, y, z]: [i32; 3]) -> ChunkPos {
        ChunkPos::new(x, y, z)
    }
}

impl From<ChunkPos> for [i32; 3] {
    #[inline]
    fn from(chunk: ChunkPos) -> [i32; 3] {
        [chunk.x, chunk.y, chunk.z]
    }
}

/// The position of a column of chunks, counted in chunks. Columns are ordered by x, then z.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ColumnPos {
    /// Chunks to the east of the origin.
    pub x: i32,
    /// Chunks to the south of the origin.
    pub z: i32,
}

impl ColumnPos {
    /// Returns the column position with these coordinates.
    pub const fn new(x: i32, z: i32) -> ColumnPos {
        ColumnPos { x, z }
    }

    /// Returns the column's chunk at this height.
    pub const fn chunk(self, y: i32) -> ChunkPos {
        ChunkPos::new(self.x, y, self.z)
    }

    /// Returns the columns at most `away` columns away along each axis, including this column.
    pub(crate) fn around(self, away: i32) -> impl Iterator<Item = ColumnPos> {
        let sides = move || -away..=away;
        sides().flat_map(move |x| {
            sides().filter_map(move |z| {
                Some(ColumnPos::new(self.x.checked_add(x)?, self.z.checked_add(z)?))
            })
        })
    }
}

impl fmt::Debug for ColumnPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ColumnPos({}, {})", self.x, self.z)
    }
}

impl fmt::Display for ColumnPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&IVec2::from(*self), f)
    }
}

impl From<IVec2> for ColumnPos {
    fn from(position: IVec2) -> ColumnPos {
        ColumnPos::new(position.x, position.y)
    }
}

impl From<ColumnPos> for IVec2 {
    fn from(column: ColumnPos) -> IVec2 {
        IVec2::new(column.x, column.z)
    }
}

impl From<[i32; 2]> for ColumnPos {
    fn from([x, z]: [i32; 2]) -> ColumnPos {
        ColumnPos::new(x, z)
    }
}
