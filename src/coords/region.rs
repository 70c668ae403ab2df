//! Boxes of cells or chunk positions.

use core::fmt;
use glam::IVec3;

/// A box of cells, given by two corners that both belong to it.
///
/// Inclusive corners let a region reach the ends of the `i32` range without overflow. A region is
/// never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "bevy", reflect(opaque, Clone, Debug, PartialEq))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Serialize))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Deserialize))]
pub struct Region {
    min: IVec3,
    max: IVec3,
}

impl Region {
    /// All positions.
    pub const EVERYWHERE: Region = Region { min: IVec3::MIN, max: IVec3::MAX };

    /// Returns the smallest region that holds both corners, in either order.
    ///
    /// ```
    /// use floodplain::{Region, glam::IVec3};
    /// let region = Region::new(IVec3::new(3, 0, 0), IVec3::new(0, 1, 0));
    /// assert_eq!(region.size(), [4, 2, 1]);
    /// ```
    pub fn new(a: IVec3, b: IVec3) -> Region {
        Region { min: a.min(b), max: a.max(b) }
    }

    /// Returns the region of one cell.
    pub const fn cell(position: IVec3) -> Region {
        Region { min: position, max: position }
    }

    /// Returns the corner with the smallest coordinates.
    pub const fn min(&self) -> IVec3 {
        self.min
    }

    /// Returns the corner with the largest coordinates, which belongs to the region.
    pub const fn max(&self) -> IVec3 {
        self.max
    }

    /// Returns the cells along x, y and z, each 1 to 2³².
    pub const fn size(&self) -> [u64; 3] {
        [
            (self.max.x as i64 - self.min.x as i64) as u64 + 1,
            (self.max.y as i64 - self.min.y as i64) as u64 + 1,
            (self.max.z as i64 - self.min.z as i64) as u64 + 1,
        ]
    }

    /// Returns the number of cells, 1 to 2⁹⁶.
    pub const fn volume(&self) -> u128 {
        let [x, y, z] = self.size();
        x as u128 * y as u128 * z as u128
    }

    /// Returns whether `position` is in the region.
    pub const fn contains(&self, position: IVec3) -> bool {
        self.min.x <= position.x
            && position.x <= self.max.x
            && self.min.y <= position.y
            && position.y <= self.max.y
            && self.min.z <= position.z
            && position.z <= self.max.z
    }

    /// Returns the cells shared with `other`, or `None` if there are none.
    pub fn intersection(&self, other: &Region) -> Option<Region> {
        let min = self.min.max(other.min);
        let max = self.max.min(other.max);
        (min.cmple(max).all()).then_some(Region { min, max })
    }

    /// Returns every position, y slowest, then z, then x: the order of all flat slices in this
    /// crate.
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
