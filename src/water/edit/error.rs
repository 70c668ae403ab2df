//! Why an edit was refused.

use crate::coords::ChunkPos;
use crate::rules_error::RulesError;
use core::fmt;
use glam::IVec3;

/// Why an edit was refused. A refused edit has changed nothing.
///
/// Variants hold the cell, the chunk position or the height in question.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum EditError {
    /// The cell's chunk is not loaded.
    NotLoaded(IVec3),
    /// The cell lies outside the world's bounds.
    OutOfBounds(IVec3),
    /// The cell is solid ground.
    Solid(IVec3),
    /// A chunk is already loaded at this chunk position.
    ChunkPresent(ChunkPos),
    /// No chunk is loaded at this chunk position.
    ChunkAbsent(ChunkPos),
    /// The chunk at this chunk position would hold no cell inside the world's bounds.
    ChunkOutOfBounds(ChunkPos),
    /// A height above 7.
    Height(u8),
    /// A fixture with a rate out of range: not 1 to 7.
    Rate(u8),
    /// Rules with a value out of range.
    Rules(RulesError),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::NotLoaded(cell) => write!(f, "the chunk of cell {cell} is not loaded"),
            EditError::OutOfBounds(cell) => write!(f, "cell {cell} lies beyond the world's bounds"),
            EditError::Solid(cell) => write!(f, "cell {cell} is solid ground"),
            EditError::ChunkPresent(chunk) => write!(f, "chunk {chunk} is loaded already"),
            EditError::ChunkAbsent(chunk) => write!(f, "chunk {chunk} is not loaded"),
            EditError::ChunkOutOfBounds(chunk) => {
                write!(f, "chunk {chunk} lies beyond the world's bounds")
            }
            EditError::Rules(error) => error.fmt(f),
            EditError::Rate(rate) => write!(f, "a rate of {rate} units a tick, not 1 to 7"),
            EditError::Height(height) => write!(f, "a height of {height}, above 7"),
        }
    }
}

impl From<RulesError> for EditError {
    fn from(error: RulesError) -> Self {
        EditError::Rules(error)
    }
}

impl core::error::Error for EditError {}
