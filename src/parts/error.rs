//! Why a world does not fit a plan, or a message a part.

use crate::automata::engine::halo_exchange::Indivisible;
use crate::codec::DecodeError;
use crate::coords::{ChunkPos, ColumnPos};
use core::fmt;

/// Why a world cannot be divided, or why a part refused what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartError {
    /// A plan of no parts.
    NoParts,
    /// A plan with more parts than columns: this part would have none.
    NoColumns {
        /// The part's number.
        part: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A column is named twice.
    Twice(ColumnPos),
    /// A part's number that is not below the number of parts of the plan.
    Part {
        /// The number of the part.
        part: usize,
        /// The number of parts of the plan.
        parts: usize,
    },
    /// A column that the plan gives to no part: one with chunks, one with cells of an edit, or for
    /// explosions one within the bounds.
    Column(ColumnPos),
    /// A column to be loaded that is loaded already, or a column to be planned that is planned
    /// already.
    Loaded(ColumnPos),
    /// A column to be unloaded that is not loaded, or a column to be left out of a plan that is not
    /// planned.
    NotLoaded(ColumnPos),
    /// A column of explosions, which are never loaded or unloaded. A column without chunks is open
    /// space, in which pressure makes chunks, and not a column that is away. No record has the
    /// links and flows between a column and the columns beside it.
    NeverLoaded,
    /// Explosions whose bounds have more columns than the plan.
    Unbounded {
        /// The columns within the bounds.
        columns: u64,
        /// The columns of the plan.
        planned: usize,
    },
    /// A world whose steps depend on the order of chunks: humidity with the in-place sweep.
    InPlace,
    /// A slice of water that settles, in which a body moves as a whole, however far it reaches.
    Settling,
    /// Explosions with a periodic border along this axis, across columns.
    Periodic(char),
    /// An edit that loads or unloads this chunk. In a divided world, chunks come and go by
    /// [columns](super::InParts::load_column).
    WholeChunk(ChunkPos),
    /// A message that is not for the part, or is damaged.
    Message {
        /// The chunk that it is about.
        chunk: ChunkPos,
        /// What is wrong with its bytes.
        error: DecodeError,
    },
    /// A record that does not fit.
    Record {
        /// The chunk's position.
        chunk: ChunkPos,
        /// What is wrong with its bytes.
        error: DecodeError,
    },
    /// An account with another number of fields than the ledger.
    Account {
        /// The number of fields of the account.
        fields: usize,
        /// The number of fields of the ledger.
        wanted: usize,
    },
    /// An account with a field that is out of range, or units that a ledger has no room for.
    Units(i128),
    /// A step or an edit for which the copied columns beside a part no longer stand for the rest of
    /// the world.
    Stale {
        /// The steps run since the copy was renewed; `u64::MAX` if it never was.
        steps: u64,
        /// The depth of the copy, in columns.
        columns: u32,
    },
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartError::NoParts => f.write_str("a world divided into no parts"),
            PartError::NoColumns { part, columns } => {
                write!(f, "part {part} would have none of the {columns} columns of chunks")
            }
            PartError::Twice(column) => write!(f, "column {column} is named twice"),
            PartError::Part { part, parts } => write!(f, "no part {part}: there are {parts}"),
            PartError::Column(column) => {
                write!(f, "column {column} is in the world, and no part owns it")
            }
            PartError::Loaded(column) => write!(f, "column {column} is there already"),
            PartError::NotLoaded(column) => write!(f, "column {column} is not there"),
            PartError::NeverLoaded => {
                f.write_str("columns of explosions are neither loaded nor unloaded")
            }
            PartError::Unbounded { columns, planned } => {
                write!(f, "the bounds have {columns} columns of chunks, the plan {planned}")
            }
            PartError::InPlace => f.write_str("the sweep in place cannot be divided"),
            PartError::Settling => f.write_str("the settling rule cannot be divided"),
            PartError::Periodic(axis) => {
                write!(f, "a periodic border along {axis}, across the columns, cannot be divided")
            }
            PartError::WholeChunk(chunk) => {
                write!(f, "chunk {chunk} of a divided world comes and goes with its column")
            }
            PartError::Message { chunk, error } => {
                write!(f, "message about chunk {chunk}: {error}")
            }
            PartError::Record { chunk, error } => write!(f, "record of chunk {chunk}: {error}"),
            PartError::Account { fields, wanted } => {
                write!(f, "an account has {wanted} fields, not {fields}")
            }
            PartError::Units(units) => write!(f, "{units} units are out of range for the ledger"),
            PartError::Stale { steps, columns } => write!(
                f,
                "{columns} columns beside a part do not stand for the world beyond {steps} steps"
            ),
        }
    }
}

impl From<Indivisible> for PartError {
    fn from(why: Indivisible) -> PartError {
        match why {
            Indivisible::InPlace => PartError::InPlace,
            Indivisible::Settling => PartError::Settling,
            Indivisible::Periodic(axis) => PartError::Periodic(axis),
        }
    }
}

impl core::error::Error for PartError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            PartError::Message { error, .. } | PartError::Record { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Why a part refuses an edit; `E` is the error of the kind of world.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartEditError<E> {
    /// The undivided world would refuse the edit.
    Edit(E),
    /// The edit cannot be made in a divided world, or cannot be made now.
    Part(PartError),
}

impl<E: fmt::Display> fmt::Display for PartEditError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartEditError::Edit(error) => error.fmt(f),
            PartEditError::Part(error) => error.fmt(f),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for PartEditError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(match self {
            PartEditError::Edit(error) => error,
            PartEditError::Part(error) => error,
        })
    }
}
