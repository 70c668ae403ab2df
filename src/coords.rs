//! Cell and chunk coordinates: faces, regions, and the split of a cell position into chunk and
//! local index.
//!
//! Positions cover the whole `i32` range in each axis. Nothing here stores cells, and nothing
//! wraps: a step that would leave the range gives `None`.

use core::fmt;
use glam::IVec3;

/// Cells in a chunk, whatever its shape.
pub const CHUNK_CELLS: usize = 4096;

/// One of the six faces of a cell or chunk.
///
/// The discriminant is the face's index, 0 to 5; opposite faces differ in the lowest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Face {
    /// Towards smaller x.
    West = 0,
    /// Towards larger x.
    East = 1,
    /// Towards smaller y.
    Down = 2,
    /// Towards larger y.
    Up = 3,
    /// Towards smaller z.
    North = 4,
    /// Towards larger z.
    South = 5,
}

impl Face {
    /// All six faces, by index.
    pub const ALL: [Face; 6] =
        [Face::West, Face::East, Face::Down, Face::Up, Face::North, Face::South];

    /// The four faces that are neither up nor down.
    pub const LATERAL: [Face; 4] = [Face::West, Face::East, Face::North, Face::South];

    /// The face with this index, or `None` if `index` is above 5.
    pub const fn from_index(index: u8) -> Option<Face> {
        match index {
            0 => Some(Face::West),
            1 => Some(Face::East),
            2 => Some(Face::Down),
            3 => Some(Face::Up),
            4 => Some(Face::North),
            5 => Some(Face::South),
            _ => None,
        }
    }

    /// This face's index, 0 to 5.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The face on the other side.
    ///
    /// ```
    /// use floodplain::Face;
    /// assert_eq!(Face::Up.opposite(), Face::Down);
    /// ```
    pub const fn opposite(self) -> Face {
        match self {
            Face::West => Face::East,
            Face::East => Face::West,
            Face::Down => Face::Up,
            Face::Up => Face::Down,
            Face::North => Face::South,
            Face::South => Face::North,
        }
    }

    /// The unit vector that points out of this face.
    pub const fn offset(self) -> IVec3 {
        match self {
            Face::West => IVec3::NEG_X,
            Face::East => IVec3::X,
            Face::Down => IVec3::NEG_Y,
            Face::Up => IVec3::Y,
            Face::North => IVec3::NEG_Z,
            Face::South => IVec3::Z,
        }
    }

    /// The neighbour of `position` across this face, or `None` where that would leave the `i32`
    /// range.
    pub const fn step(self, position: IVec3) -> Option<IVec3> {
        let offset = self.offset();
        match (
            position.x.checked_add(offset.x),
            position.y.checked_add(offset.y),
            position.z.checked_add(offset.z),
        ) {
            (Some(x), Some(y), Some(z)) => Some(IVec3::new(x, y, z)),
            _ => None,
        }
    }
}

/// A box of cells, given by its two corners, both of which belong to it.
///
/// Inclusive corners let a region reach the ends of the `i32` range without overflow. A region is
/// never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region {
    min: IVec3,
    max: IVec3,
}

impl Region {
    /// Every position there is.
    pub const EVERYWHERE: Region = Region { min: IVec3::MIN, max: IVec3::MAX };

    /// The smallest region that holds both corners, in whichever order they come.
    ///
    /// ```
    /// use floodplain::{Region, glam::IVec3};
    /// let region = Region::new(IVec3::new(3, 0, 0), IVec3::new(0, 1, 0));
    /// assert_eq!(region.size(), [4, 2, 1]);
    /// ```
    pub fn new(a: IVec3, b: IVec3) -> Region {
        Region { min: a.min(b), max: a.max(b) }
    }

    /// The region that holds one cell.
    pub const fn cell(position: IVec3) -> Region {
        Region { min: position, max: position }
    }

    /// The corner with the smallest coordinates.
    pub const fn min(&self) -> IVec3 {
        self.min
    }

    /// The corner with the largest coordinates; it belongs to the region.
    pub const fn max(&self) -> IVec3 {
        self.max
    }

    /// Cells along x, y and z, each 1 to 2³².
    pub const fn size(&self) -> [u64; 3] {
        [
            (self.max.x as i64 - self.min.x as i64) as u64 + 1,
            (self.max.y as i64 - self.min.y as i64) as u64 + 1,
            (self.max.z as i64 - self.min.z as i64) as u64 + 1,
        ]
    }

    /// Cells in the region, 1 to 2⁹⁶.
    pub const fn volume(&self) -> u128 {
        let [x, y, z] = self.size();
        x as u128 * y as u128 * z as u128
    }

    /// Whether `position` lies inside.
    pub const fn contains(&self, position: IVec3) -> bool {
        self.min.x <= position.x
            && position.x <= self.max.x
            && self.min.y <= position.y
            && position.y <= self.max.y
            && self.min.z <= position.z
            && position.z <= self.max.z
    }

    /// What this region shares with `other`, or `None` if that is nothing.
    pub fn intersection(&self, other: &Region) -> Option<Region> {
        let min = self.min.max(other.min);
        let max = self.max.min(other.max);
        (min.cmple(max).all()).then_some(Region { min, max })
    }

    /// Every position, y slowest, then z, then x: the order of all flat slices in this crate.
    pub fn positions(self) -> impl Iterator<Item = IVec3> {
        (self.min.y..=self.max.y).flat_map(move |y| {
            (self.min.z..=self.max.z)
                .flat_map(move |z| (self.min.x..=self.max.x).map(move |x| IVec3::new(x, y, z)))
        })
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.min, self.max)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// How the 4096 cells of a chunk lie in space. Implemented by [`Cube`] and [`Sheet`] only.
pub trait Shape: sealed::Sealed + Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// Base-two logarithms of the cells along x, y and z; they add up to 12.
    const BITS: [u32; 3];
    /// What a step along x, y and z adds to a local index.
    const STRIDES: [usize; 3];
    /// Neighbours of a cell across its faces: 4 or 6.
    const NEIGHBOURS: usize;

    /// The chunk that holds the cell. Correct for negative positions: the shift rounds towards
    /// minus infinity.
    #[inline]
    fn chunk_of(cell: IVec3) -> IVec3 {
        let [x, y, z] = Self::BITS;
        IVec3::new(cell.x >> x, cell.y >> y, cell.z >> z)
    }

    /// The cell's index inside its chunk, 0 to 4095.
    #[inline]
    fn index_of(cell: IVec3) -> usize {
        let local = |value: i32, bits: u32| (value & ((1 << bits) - 1)) as usize;
        local(cell.x, Self::BITS[0]) * Self::STRIDES[0]
            + local(cell.y, Self::BITS[1]) * Self::STRIDES[1]
            + local(cell.z, Self::BITS[2]) * Self::STRIDES[2]
    }

    /// The position of the cell at `index` (0 to 4095) of `chunk`; the inverse of
    /// [`chunk_of`](Shape::chunk_of) with [`index_of`](Shape::index_of). `chunk` must satisfy
    /// [`holds_chunk`](Shape::holds_chunk).
    #[inline]
    fn cell_at(chunk: IVec3, index: usize) -> IVec3 {
        let local =
            |axis: usize| ((index / Self::STRIDES[axis]) & ((1 << Self::BITS[axis]) - 1)) as i32;
        let [x, y, z] = Self::BITS;
        IVec3::new((chunk.x << x) | local(0), (chunk.y << y) | local(1), (chunk.z << z) | local(2))
    }

    /// The cells of `chunk`.
    fn region_of(chunk: IVec3) -> Region {
        Region { min: Self::cell_at(chunk, 0), max: Self::cell_at(chunk, CHUNK_CELLS - 1) }
    }

    /// Whether `chunk` is a chunk position whose cells have `i32` positions.
    fn holds_chunk(chunk: IVec3) -> bool {
        Region { min: Self::chunk_of(IVec3::MIN), max: Self::chunk_of(IVec3::MAX) }.contains(chunk)
    }
}

/// 16×16×16 cells; the index runs along x, then z, then y, so that a horizontal layer is 256
/// consecutive cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cube;

impl sealed::Sealed for Cube {}
impl Shape for Cube {
    const BITS: [u32; 3] = [4, 4, 4];
    const STRIDES: [usize; 3] = [1, 256, 16];
    const NEIGHBOURS: usize = 6;
}

/// 64×64×1 cells for single-layer worlds in the x-y plane; the index runs along x, then y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sheet;

impl sealed::Sealed for Sheet {}
impl Shape for Sheet {
    const BITS: [u32; 3] = [6, 6, 0];
    const STRIDES: [usize; 3] = [1, 64, 4096];
    const NEIGHBOURS: usize = 4;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_and_join_agree<S: Shape>() {
        for x in [
            i32::MIN,
            i32::MIN + 1,
            -65,
            -64,
            -17,
            -16,
            -1,
            0,
            1,
            15,
            16,
            63,
            64,
            i32::MAX - 1,
            i32::MAX,
        ] {
            for y in [i32::MIN, -16, -1, 0, 15, 16, i32::MAX] {
                let cell = IVec3::new(x, y, x.wrapping_mul(7));
                let chunk = S::chunk_of(cell);
                assert!(S::holds_chunk(chunk));
                assert!(S::region_of(chunk).contains(cell));
                assert_eq!(S::cell_at(chunk, S::index_of(cell)), cell);
            }
        }
    }

    #[test]
    fn split_and_join_agree_for_both_shapes() {
        split_and_join_agree::<Cube>();
        split_and_join_agree::<Sheet>();
    }

    #[test]
    fn indices_cover_a_chunk_once() {
        for index in 0..CHUNK_CELLS {
            assert_eq!(Cube::index_of(Cube::cell_at(IVec3::new(-3, 2, 7), index)), index);
            assert_eq!(Sheet::index_of(Sheet::cell_at(IVec3::new(-3, 2, 7), index)), index);
        }
    }

    #[test]
    fn steps_stop_at_the_ends_of_the_range() {
        assert_eq!(Face::East.step(IVec3::MAX), None);
        assert_eq!(Face::Down.step(IVec3::MIN), None);
        assert_eq!(Face::West.step(IVec3::ZERO), Some(IVec3::NEG_X));
        for face in Face::ALL {
            assert_eq!(face.offset() + face.opposite().offset(), IVec3::ZERO);
            assert_eq!(Face::from_index(face.index() as u8), Some(face));
        }
    }

    #[test]
    fn the_whole_range_is_a_region() {
        assert_eq!(Region::EVERYWHERE.volume(), 1 << 96);
        assert_eq!(Region::new(IVec3::MAX, IVec3::MAX).positions().count(), 1);
    }
}
