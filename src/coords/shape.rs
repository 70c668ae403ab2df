//! The arrangement of a chunk's cells in space: the split of a cell position into chunk position
//! and local index, and back.

use super::{CHUNK_CELLS, ChunkPos, ChunkRegion, Region};
use core::fmt;
use glam::IVec3;

/// The constants in which the shapes differ.
pub trait Layout: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// [`Shape::BITS`].
    const SIDES_LOG2: [u32; 3];
    /// The change of the local index in a step along x, y and z.
    const STRIDES: [usize; 3];
    /// [`Shape::NEIGHBOURS`].
    const FACES: usize;
}

/// The arrangement of the 4096 cells of a chunk. Implemented by [`Cube`] and [`Sheet`] only.
pub trait Shape: Layout {
    /// Base-two logarithms of the numbers of cells along x, y and z; they add up to 12.
    const BITS: [u32; 3] = Self::SIDES_LOG2;
    /// The number of neighbours of a cell across its faces: 4 or 6.
    const NEIGHBOURS: usize = Self::FACES;

    /// Returns the chunk that holds the cell. The shift rounds towards minus infinity, so negative
    /// positions are correct.
    #[inline]
    fn chunk_of(cell: IVec3) -> ChunkPos {
        let [x, y, z] = Self::BITS;
        ChunkPos::new(cell.x >> x, cell.y >> y, cell.z >> z)
    }

    /// Returns the cell's index in its chunk, 0 to 4095.
    #[inline]
    fn index_of(cell: IVec3) -> usize {
        let local = |value: i32, bits: u32| (value & ((1 << bits) - 1)) as usize;
        local(cell.x, Self::BITS[0]) * Self::STRIDES[0]
            + local(cell.y, Self::BITS[1]) * Self::STRIDES[1]
            + local(cell.z, Self::BITS[2]) * Self::STRIDES[2]
    }

    /// Returns the position of the cell at `index` (0 to 4095) of `chunk`, the inverse of
    /// [`chunk_of`](Shape::chunk_of) with [`index_of`](Shape::index_of). `chunk` must satisfy
    /// [`holds_chunk`](Shape::holds_chunk).
    #[inline]
    fn cell_at(chunk: ChunkPos, index: usize) -> IVec3 {
        let local =
            |axis: usize| ((index / Self::STRIDES[axis]) & ((1 << Self::BITS[axis]) - 1)) as i32;
        let [x, y, z] = Self::BITS;
        IVec3::new((chunk.x << x) | local(0), (chunk.y << y) | local(1), (chunk.z << z) | local(2))
    }

    /// Returns the cells of `chunk`.
    fn region_of(chunk: ChunkPos) -> Region {
        Region::new(Self::cell_at(chunk, 0), Self::cell_at(chunk, CHUNK_CELLS - 1))
    }

    /// Returns the chunks that share cells with a region, in order of position.
    ///
    /// ```
    /// use floodplain::{ChunkPos, Cube, Region, Shape, glam::IVec3};
    ///
    /// let region = Region::new(IVec3::new(14, 0, 0), IVec3::new(17, 3, 3));
    /// assert!(Cube::chunks_of(region).eq([ChunkPos::new(0, 0, 0), ChunkPos::new(1, 0, 0)]));
    /// ```
    fn chunks_of(region: Region) -> impl Iterator<Item = ChunkPos> {
        ChunkRegion::of::<Self>(region).positions()
    }

    /// Returns whether the cells of `chunk` have `i32` positions.
    fn holds_chunk(chunk: ChunkPos) -> bool {
        ChunkRegion::of::<Self>(Region::EVERYWHERE).contains(chunk)
    }
}

impl<S: Layout> Shape for S {}

/// A chunk of 16×16×16 cells. The index runs along x, then z, then y, so a horizontal layer is
/// 256 consecutive cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::TypePath), type_path = "floodplain")]
pub struct Cube;

impl Layout for Cube {
    const SIDES_LOG2: [u32; 3] = [4, 4, 4];
    const STRIDES: [usize; 3] = [1, 256, 16];
    const FACES: usize = 6;
}

/// A chunk of 64×64×1 cells, for single-layer worlds in the x-y plane. The index runs along x,
/// then y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::TypePath), type_path = "floodplain")]
pub struct Sheet;

impl Layout for Sheet {
    const SIDES_LOG2: [u32; 3] = [6, 6, 0];
    const STRIDES: [usize; 3] = [1, 64, 4096];
    const FACES: usize = 4;
}
