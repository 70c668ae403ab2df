//! Places: cells and chunk positions as three numbers, regions, faces.

use crate::status::{Answer, Fault};
use floodplain::glam::IVec3;
use floodplain::{ChunkPos, ColumnPos, Face, Region};

/// A box of cells: its least and its greatest cell, both within it. x, y and z; y is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpRegion {
    /// The least cell.
    pub min: [i32; 3],
    /// The greatest cell; on no axis below the least one.
    pub max: [i32; 3],
}

impl FpRegion {
    /// Returns the region, checked.
    pub(crate) fn region(self) -> Answer<Region> {
        let (min, max) = (IVec3::from(self.min), IVec3::from(self.max));
        if min.cmple(max).all() {
            return Ok(Region::new(min, max));
        }
        Err(Fault::value(format_args!("a region from {min} to {max} is turned round")))
    }
}

impl From<Region> for FpRegion {
    fn from(region: Region) -> FpRegion {
        FpRegion { min: region.min().to_array(), max: region.max().to_array() }
    }
}

/// Returns the chunk position of three numbers.
pub(crate) fn chunk_at(position: [i32; 3]) -> ChunkPos {
    position.into()
}

/// Returns the three numbers of a chunk position.
pub(crate) fn chunk_numbers(position: ChunkPos) -> [i32; 3] {
    position.into()
}

/// Returns the column of chunks of the x and z of a chunk position.
pub(crate) fn column_at([x, _, z]: [i32; 3]) -> ColumnPos {
    ColumnPos::new(x, z)
}

/// Returns the face of a number, 0 to 5: west, east, down, up, north, south.
pub(crate) fn face(number: u32) -> Answer<Face> {
    let face = u8::try_from(number).ok().and_then(Face::from_index);
    face.ok_or_else(|| Fault::tag("face", number))
}
