//! Why an edit was refused.

use crate::coords::ChunkPos;
use crate::rules_error::RulesError;
use crate::world::rules::material::MaterialId;
use crate::{blast, humidity, water};
use core::fmt;
use glam::IVec3;

/// Why an edit was refused. A refused edit changes nothing.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum EditError {
    /// The cell's chunk is not loaded.
    NotLoaded(IVec3),
    /// The cell lies outside the world's bounds.
    OutOfBounds(IVec3),
    /// A chunk is already loaded at this chunk position, or comes twice in a list.
    ChunkPresent(ChunkPos),
    /// No chunk is loaded at this chunk position.
    ChunkAbsent(ChunkPos),
    /// The chunk at this chunk position would hold no cell inside the world's bounds.
    ChunkOutOfBounds(ChunkPos),
    /// The palette has no material of this number.
    Material(MaterialId),
    /// Moisture in a cell of this material, which is not permeable.
    Impermeable {
        /// The cell.
        cell: IVec3,
        /// Its material.
        material: MaterialId,
    },
    /// More moisture than a cell can hold: [`MOST_HUMIDITY`](crate::humidity::MOST_HUMIDITY).
    Moisture {
        /// The cell.
        cell: IVec3,
        /// The refused value, in units of 1/65,536.
        value: u32,
    },
    /// Water, sea or a spring in a solid cell, or solid ground in an open one.
    Ground {
        /// The cell.
        cell: IVec3,
        /// Its material.
        material: MaterialId,
    },
    /// An edit of a part that would change its ground, its chunks or its links. The world has its
    /// own edits for such changes.
    ChangesGround {
        /// The part: `"water"`, `"soil"` or `"blast"`.
        part: &'static str,
        /// The name of the edit.
        edit: &'static str,
    },
    /// A charge with a radius above [`most_radius`](crate::world::Rules::most_radius).
    Radius {
        /// The charge's centre.
        centre: IVec3,
        /// The refused value.
        value: f32,
        /// The most that the rules allow.
        most: f32,
    },
    /// A pressure above [`most_pressure`](crate::world::Rules::most_pressure) in size.
    Pressure {
        /// The cell, or the first cell of a region.
        cell: IVec3,
        /// The resulting pressure.
        value: f32,
        /// The most that the rules allow.
        most: f32,
    },
    /// Rules that are out of range, or that do not fit the palette.
    Rules(RulesError),
    /// The part of water refused the edit.
    Water(water::EditError),
    /// The part of soil refused the edit.
    Soil(humidity::EditError),
    /// The part of pressure refused the edit.
    Blast(blast::EditError),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::NotLoaded(cell) => write!(f, "the chunk of cell {cell} is not loaded"),
            EditError::OutOfBounds(cell) => write!(f, "cell {cell} lies beyond the world's bounds"),
            EditError::ChunkPresent(chunk) => write!(f, "chunk {chunk} is loaded already"),
            EditError::ChunkAbsent(chunk) => write!(f, "chunk {chunk} is not loaded"),
            EditError::ChunkOutOfBounds(chunk) => {
                write!(f, "chunk {chunk} lies beyond the world's bounds")
            }
            EditError::Material(id) => write!(f, "the palette has no material {}", id.0),
            EditError::Impermeable { cell, material } => {
                write!(f, "cell {cell} of material {} takes no moisture", material.0)
            }
            EditError::Moisture { cell, value } => {
                write!(f, "{value} units of moisture in cell {cell}, more than it can hold")
            }
            EditError::Ground { cell, material } => {
                write!(f, "cell {cell} has water that does not go with material {}", material.0)
            }
            EditError::ChangesGround { part, edit } => {
                write!(f, "{edit} would change the ground of {part} alone")
            }
            EditError::Radius { centre, value, most } => {
                write!(f, "a charge of radius {value} at cell {centre}, above the most, {most}")
            }
            EditError::Pressure { cell, value, most } => {
                write!(f, "a pressure of {value} in cell {cell}, above the most, {most}")
            }
            EditError::Rules(error) => error.fmt(f),
            EditError::Water(error) => error.fmt(f),
            EditError::Soil(error) => error.fmt(f),
            EditError::Blast(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for EditError {}

macro_rules! of_parts {
    ($($part:ident: $error:ty),*) => {$(
        impl From<$error> for EditError {
            fn from(error: $error) -> EditError {
                EditError::$part(error)
            }
        }
    )*};
}
of_parts!(Water: water::EditError, Soil: humidity::EditError, Blast: blast::EditError);
