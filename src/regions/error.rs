//! Why a world of regions was not made, or refused an edit or a message.

use crate::codec::DecodeError;
use crate::rules_error::RulesError;
use crate::water::EditError;
use core::fmt;
use glam::IVec2;

/// Why a world of regions was not made, or refused what it was given. It changed nothing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RegionError {
    /// A side of regions that is no multiple of 16 from 16 to 4,096 cells.
    Side(i32),
    /// Rules out of range.
    Rules(RulesError),
    /// An edit that a region refused.
    Edit(EditError),
    /// An edit of cells or chunks of several regions; they are counted along x and z.
    Spans(IVec2, IVec2),
    /// An edit that a world of regions does not have, by its name.
    Unsupported(&'static str),
    /// A message for a region that is not here.
    Absent(IVec2),
    /// A damaged message.
    Message(DecodeError),
    /// A message from a region that is not beside the one that is to receive it.
    NotBeside(IVec2, IVec2),
    /// A message with cells that are not at its face, or values out of range, from this region.
    Forged(IVec2),
    /// A message of another tick than the receiver's, of regions of another size, or one that comes
    /// twice or after one that has not come.
    OutOfTurn {
        /// The region that has sent it.
        from: IVec2,
        /// The tick in the message.
        tick: u64,
        /// The tick of the message that is due.
        due: u64,
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
            RegionError::Absent(region) => write!(f, "a message for region {region}, not here"),
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
