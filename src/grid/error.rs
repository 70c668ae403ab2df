//! Why a grid refuses a write, and how one can be broken.

use crate::coords::Face;
use core::fmt;
use glam::IVec3;

/// Why a write to a grid was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GridError {
    /// No cell of the chunk at this chunk position has an `i32` position.
    ChunkOutOfRange(IVec3),
    /// The chunk at this chunk position is not there.
    NoChunk(IVec3),
    /// A flat slice has not as many cells as the region it stands for.
    SliceLength {
        /// Cells in the slice.
        slice: usize,
        /// Cells in the region.
        region: u128,
    },
    /// More chunks would have to be made than [`FILL_CHUNK_LIMIT`](crate::FILL_CHUNK_LIMIT).
    RegionTooLarge {
        /// Chunks that would have to be made.
        chunks: u128,
    },
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GridError::ChunkOutOfRange(chunk) => {
                write!(f, "chunk {chunk} lies outside the i32 range of cells")
            }
            GridError::NoChunk(chunk) => write!(f, "chunk {chunk} is not there"),
            GridError::SliceLength { slice, region } => {
                write!(f, "a slice of {slice} cells cannot stand for a region of {region}")
            }
            GridError::RegionTooLarge { chunks } => {
                write!(f, "the region would need {chunks} new chunks, more than one fill may make")
            }
        }
    }
}

impl core::error::Error for GridError {}

/// What [`Grid::validate`](crate::Grid::validate) found wrong, and at which chunk position.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridFault {
    /// A chunk of equal cells is stored one by one.
    NotCanonical(IVec3),
    /// The chunk's cells have no `i32` positions.
    OutOfRange(IVec3),
    /// The map has the chunk under another position, or twice.
    Misplaced(IVec3),
    /// Places in the slab that are neither in use nor vacant, or both.
    Places {
        /// In the slab.
        all: usize,
        /// In the map.
        used: usize,
        /// Free for the next chunk.
        vacant: usize,
    },
    /// The kept order is not that of the positions, or not of these chunks.
    Order,
    /// The chunk's link across a face does not lead to its neighbour.
    Link(IVec3, Face),
    /// The chunk and its activity do not belong together.
    Activity(IVec3),
}
