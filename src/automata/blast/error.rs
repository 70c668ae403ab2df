//! Why an edit is refused.

use super::rules::{FILL_CHUNK_LIMIT, LEAST_CHARGE_RADIUS, PRESSURE_LIMIT, WEIGHT_LIMIT};
use crate::coords::{ChunkPos, Face};
use core::fmt;
use glam::IVec3;

/// Why an edit was refused. The edit changed nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum EditError {
    /// The cell lies beyond the world's bounds.
    OutOfBounds(IVec3),
    /// The cell is removed, so that it has no pressure.
    Solid(IVec3),
    /// A pressure that is not a number, or beyond [`PRESSURE_LIMIT`], or negative under the
    /// diffusive rule.
    Pressure {
        /// The cell, or the first cell of a region.
        cell: IVec3,
        /// The resulting pressure; for [`add_pressure`](super::BlastWorld::add_pressure) the sum.
        value: f32,
    },
    /// A weight that is not a number from 0 to [`WEIGHT_LIMIT`].
    Weight {
        /// The cell at one end of the link.
        cell: IVec3,
        /// The face that the link crosses.
        face: Face,
        /// The refused value.
        value: f32,
    },
    /// A strength that is not a number above 0 (infinity is not one).
    Strength {
        /// The cell, or the first cell of a region.
        cell: IVec3,
        /// The refused value.
        value: f32,
    },
    /// The radius of a charge that is not a number from
    /// [`LEAST_CHARGE_RADIUS`](super::LEAST_CHARGE_RADIUS) on.
    Radius {
        /// The charge's centre.
        centre: IVec3,
        /// The refused value.
        value: f32,
    },
    /// There is no cell behind this face: the world ends there, or the shape has no links that way.
    NoLink(IVec3, Face),
    /// With this weight the fastest ripple at a cell would grow from step to step.
    Unstable {
        /// The cell.
        cell: IVec3,
        /// The resulting sum of the weights of the cell's links.
        weights: f64,
        /// The most that the coefficient times this sum may be, by
        /// [`Rule::limit`](super::Rule::limit).
        limit: f64,
    },
    /// There is a chunk at this chunk position already.
    ChunkPresent(ChunkPos),
    /// There is no chunk at this chunk position.
    ChunkAbsent(ChunkPos),
    /// The chunk at this chunk position would hold no cell inside the world's bounds.
    ChunkOutOfBounds(ChunkPos),
    /// The region touches more chunks than [`FILL_CHUNK_LIMIT`].
    RegionTooLarge {
        /// The number of chunks that the region touches.
        chunks: u128,
    },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::OutOfBounds(cell) => write!(f, "cell {cell} lies beyond the world's bounds"),
            EditError::Solid(cell) => write!(f, "cell {cell} is removed and has no pressure"),
            EditError::Pressure { cell, value } => {
                write!(
                    f,
                    "a pressure of {value} in cell {cell}; it must be finite, at most \
                     {PRESSURE_LIMIT:e}, and not negative where it diffuses"
                )
            }
            EditError::Weight { cell, face, value } => {
                write!(
                    f,
                    "a weight of {value} of cell {cell} to the {face:?}, not from 0 to \
                     {WEIGHT_LIMIT:e}"
                )
            }
            EditError::Strength { cell, value } => {
                write!(f, "a strength of {value} in cell {cell}, not a number above 0")
            }
            EditError::Radius { centre, value } => {
                write!(
                    f,
                    "a charge of radius {value} at cell {centre}; it must be finite, and at least \
                     {LEAST_CHARGE_RADIUS}"
                )
            }
            EditError::NoLink(cell, face) => {
                write!(f, "no cell is linked to {cell} behind its {face:?} face")
            }
            EditError::Unstable { cell, weights, limit } => {
                write!(
                    f,
                    "cell {cell} would have weights of {weights}; times the coefficient that is \
                     above {limit}: unstable"
                )
            }
            EditError::ChunkPresent(chunk) => write!(f, "chunk {chunk} is loaded already"),
            EditError::ChunkAbsent(chunk) => write!(f, "chunk {chunk} is not loaded"),
            EditError::ChunkOutOfBounds(chunk) => {
                write!(f, "chunk {chunk} lies beyond the world's bounds")
            }
            EditError::RegionTooLarge { chunks } => {
                write!(
                    f,
                    "the region touches {chunks} chunks, and one edit may touch {FILL_CHUNK_LIMIT}"
                )
            }
        }
    }
}

impl core::error::Error for EditError {}
