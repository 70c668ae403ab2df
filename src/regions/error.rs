//! Why a world of regions was not made, or refused an edit, a message or a record.

use crate::codec::DecodeError;
use crate::coords::Region;
use crate::rules_error::RulesError;
use crate::water::EditError;
use core::fmt;
use glam::IVec2;

/// Why a world of regions was not made, or refused what it was given. The world is unchanged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RegionError {
    /// A side of regions that is not a multiple of 16 from 16 to 4,096 cells.
    Side(i32),
    /// Rules out of range.
    Rules(RulesError),
    /// An edit that a region refused.
    Edit(EditError),
    /// An edit of cells or chunks of several regions. The regions are counted along x and z.
    Spans(IVec2, IVec2),
    /// An edit, by its name, that a world of regions does not support.
    Unsupported(&'static str),
    /// A region that is not here, but to which a message was sent or of which a record was
    /// requested.
    Absent(IVec2),
    /// A damaged message.
    Message(DecodeError),
    /// A message from the first region to the second, which is not beside it.
    NotBeside(IVec2, IVec2),
    /// A message from this region with cells that are not at its face, or with values out of range.
    Forged(IVec2),
    /// A message of another tick than the receiver's, or of regions of another size, or a message
    /// that is received twice or after one that is missing.
    OutOfTurn {
        /// The region that sent the message.
        from: IVec2,
        /// The tick of the message.
        tick: u64,
        /// The tick of the message that is due.
        due: u64,
    },
    /// A record of a region that is here already.
    Occupied(IVec2),
    /// A region without cells in the bounds of the world.
    OutOfBounds(IVec2),
    /// A damaged record, or the damaged save of a world of regions.
    Record(DecodeError),
    /// A damaged snapshot of the water in a region's record. The offsets in the error count from
    /// the beginning of the snapshot.
    Water {
        /// The region.
        region: IVec2,
        /// What is damaged.
        error: DecodeError,
    },
    /// A record of a world with another seed.
    OtherSeed {
        /// The seed in the record.
        found: u64,
        /// The seed of this world.
        wanted: u64,
    },
    /// A record of a world with regions of another side.
    OtherSide {
        /// The side in the record, in cells.
        found: i32,
        /// The side in this world, in cells.
        wanted: i32,
    },
    /// A record of a world with other bounds.
    OtherBounds {
        /// The bounds in the record.
        found: Region,
        /// The bounds of this world.
        wanted: Region,
    },
    /// A record of another tick.
    OtherTick {
        /// The ticks that the region in the record has run.
        found: u64,
        /// The ticks that this world has run.
        wanted: u64,
    },
    /// The record of a region whose rules are not those of this world.
    OtherRules(IVec2),
    /// A world with regions, which cannot begin at another tick.
    HasRegions,
    /// A region that breaks a law, in a record or, if this crate has a bug, in this world.
    Unlawful {
        /// The region.
        region: IVec2,
        /// The law that is broken, in words.
        law: String,
    },
}

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegionError::Side(side) => {
                write!(f, "regions of {side} cells, not a multiple of 16 from 16 to 4096")
            }
            RegionError::Rules(error) => error.fmt(f),
            RegionError::Edit(error) => error.fmt(f),
            RegionError::Spans(one, other) => {
                write!(f, "an edit of the regions {one} and {other} at once")
            }
            RegionError::Unsupported(name) => {
                write!(f, "an edit {name}, which a world of regions does not have")
            }
            RegionError::Absent(region) => write!(f, "region {region} is not here"),
            RegionError::Message(error) => error.fmt(f),
            RegionError::NotBeside(from, to) => {
                write!(f, "a message from region {from} to {to}, which is not beside it")
            }
            RegionError::Forged(from) => {
                write!(f, "a message from region {from} with cells or values out of range")
            }
            RegionError::OutOfTurn { from, tick, due } => {
                write!(f, "a message from region {from} of tick {tick}; that of tick {due} is due")
            }
            RegionError::Occupied(region) => write!(f, "region {region} is here already"),
            RegionError::OutOfBounds(region) => write!(f, "region {region} is out of bounds"),
            RegionError::Record(error) => error.fmt(f),
            RegionError::Water { region, error } => write!(f, "region {region}: {error}"),
            RegionError::OtherSeed { found, wanted } => {
                write!(f, "a record of a world with the seed {found}, not {wanted}")
            }
            RegionError::OtherSide { found, wanted } => {
                write!(f, "a record of a world with regions of {found} cells, not {wanted}")
            }
            RegionError::OtherBounds { found, wanted } => {
                write!(f, "a record of a world with the bounds {found:?}, not {wanted:?}")
            }
            RegionError::OtherTick { found, wanted } => {
                write!(f, "a record of tick {found}, not {wanted}")
            }
            RegionError::OtherRules(region) => {
                write!(f, "a record of region {region} with other rules")
            }
            RegionError::HasRegions => {
                f.write_str("a world with regions, which cannot begin at another tick")
            }
            RegionError::Unlawful { region, law } => write!(f, "region {region}: {law}"),
        }
    }
}

impl core::error::Error for RegionError {}

impl From<EditError> for RegionError {
    fn from(error: EditError) -> Self {
        RegionError::Edit(error)
    }
}

impl From<RulesError> for RegionError {
    fn from(error: RulesError) -> Self {
        RegionError::Rules(error)
    }
}
