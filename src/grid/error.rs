//! Why a grid refuses a write, and which invariants `validate` can find broken.

use crate::coords::{ChunkPos, Face};
use core::fmt;

/// Why a write to a grid was refused. The grid is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GridError {
    /// No cell of the chunk at this chunk position has an `i32` position.
    ChunkOutOfRange(ChunkPos),
    /// There is no chunk at this chunk position.
    NoChunk(ChunkPos),
    /// A flat slice has another number of cells than its region.
    SliceLength {
        /// Cells in the slice.
        slice: usize,
        /// Cells in the region.
        region: u128,
    },
    /// The fill would make more chunks than [`FILL_CHUNK_LIMIT`](crate::FILL_CHUNK_LIMIT).
    RegionTooLarge {
        /// The chunks that the fill would make.
        chunks: u128,
    },
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GridError::ChunkOutOfRange(chunk) => {
                write!(f, "chunk {chunk} is outside the i32 range of cells")
            }
            GridError::NoChunk(chunk) => write!(f, "there is no chunk {chunk}"),
            GridError::SliceLength { slice, region } => {
                write!(f, "the slice has {slice} cells, the region has {region}")
            }
            GridError::RegionTooLarge { chunks } => {
                write!(f, "the fill would make {chunks} chunks; the limit is 2²⁰")
            }
        }
    }
}

impl core::error::Error for GridError {}

/// A broken invariant that [`Grid::validate`](crate::Grid::validate) found, with the chunk
/// position.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridFault {
    /// A chunk of equal cells is stored as an array.
    NotCanonical(ChunkPos),
    /// The chunk's cells have no `i32` positions.
    OutOfRange(ChunkPos),
    /// The map holds the chunk under another position, twice or not at all, or the free list holds
    /// it.
    Misplaced(ChunkPos),
    /// Some slab entries are neither in use nor vacant, or are both.
    Places {
        /// The number of slab entries.
        all: usize,
        /// The number of chunks.
        used: usize,
        /// The number of entries in the free list.
        vacant: usize,
    },
    /// The cached order is not the order of the positions, or lists wrong chunks.
    Order,
    /// The cached slot across a face is not the neighbour's slot.
    Link(ChunkPos, Face),
    /// The chunk's activity, its masks and the two lists disagree.
    Activity(ChunkPos),
}
