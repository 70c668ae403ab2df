//! Why a text is not a recording, and why a recording cannot be replayed.

use crate::codec::{DecodeError, DecodeProblem};
use crate::coords::ChunkPos;
use crate::limits::LimitError;
use core::fmt;
use glam::IVec3;

/// Why a text is not a recording, or why edits that were sent are not made.
///
/// ```
/// use floodplain::DecodeProblem;
/// use floodplain::recording::{Recording, RecordingError};
/// use floodplain::water::WaterWorld;
///
/// let text = "floodplain recording 1\nworld 1 Water\ntick 5";
/// let refused = Recording::<WaterWorld>::from_text(text);
/// let wanted = "start, ticks, edit, check or keyframe";
/// let problem = DecodeProblem::Value { wanted, found: None };
/// assert_eq!(refused.err(), Some(RecordingError::Text { line: 3, problem }));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordingError {
    /// The bytes that were sent are not edits.
    Bytes(DecodeError),
    /// A line of a text is not as it should be.
    Text {
        /// The line; the first is 1.
        line: usize,
        /// What is wrong with the line.
        problem: DecodeProblem,
    },
    /// The bytes of an edit in a text are malformed. The offset in `error` counts from the start of
    /// the edit.
    Edit {
        /// The line of the edit.
        line: usize,
        /// What is wrong with the edit.
        error: DecodeError,
    },
    /// The edits belong to a tick that is not the next one.
    OtherTick {
        /// The tick to which the edits belong.
        found: u64,
        /// The tick that comes next.
        wanted: u64,
    },
    /// An edit from another machine breaks a limit.
    Limit {
        /// The number of the edit among the edits of its tick, from 0.
        nth: usize,
        /// The limit that the edit breaks.
        error: LimitError,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::Bytes(error) => error.fmt(f),
            RecordingError::Text { line, problem } => write!(f, "line {line}: {problem}"),
            RecordingError::Edit { line, error } => write!(f, "the edit at line {line}: {error}"),
            RecordingError::OtherTick { found, wanted } => {
                write!(f, "edits of tick {found}, where tick {wanted} comes next")
            }
            RecordingError::Limit { nth, error } => write!(f, "edit {nth}: {error}"),
        }
    }
}

impl core::error::Error for RecordingError {}

impl From<DecodeError> for RecordingError {
    fn from(error: DecodeError) -> Self {
        RecordingError::Bytes(error)
    }
}

/// Why a recording cannot be replayed, or does not lead to the same state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplayError {
    /// The recording begins with the world of a generator, and this world must be
    /// [given](crate::recording::Recording::start_with).
    Generator {
        /// The generator's name.
        name: String,
    },
    /// A snapshot in the recording is refused.
    Snapshot {
        /// The tick of the snapshot.
        tick: u64,
        /// Why the snapshot is refused.
        error: DecodeError,
    },
    /// The recording ends before the tick or edit asked for.
    Beyond {
        /// The tick or edit asked for.
        wanted: u64,
        /// The number of ticks or edits that there are.
        end: u64,
    },
    /// The world differs from the one that was recorded.
    Differs(Divergence),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Generator { name } => {
                write!(f, "it begins with a world of the generator {name}, which is not given")
            }
            ReplayError::Snapshot { tick, error } => {
                write!(f, "the snapshot of tick {tick}: {error}")
            }
            ReplayError::Beyond { wanted, end } => {
                write!(f, "the recording ends at {end}, before {wanted}")
            }
            ReplayError::Differs(divergence) => divergence.fmt(f),
        }
    }
}

impl core::error::Error for ReplayError {}

/// Where a replay first differs from its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The ticks done at the first check that differs.
    pub tick: u64,
    /// The ticks done at the last check that agreed; `None` if the start differs.
    pub agreed: Option<u64>,
    /// The hash of the state that was recorded.
    pub recorded: u64,
    /// The hash of the state found.
    pub found: u64,
    /// The first chunk that differs; `None` if only state outside chunks differs: the account, the
    /// clock, flows between cells.
    pub chunk: Option<ChunkPos>,
    /// The first cell of the chunk that differs; `None` if there is no keyframe at that tick.
    pub cell: Option<CellDifference>,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Divergence { tick, agreed, recorded, found, chunk, cell } = self;
        write!(f, "after {tick} ticks the state is {found:016x}, recorded was {recorded:016x}")?;
        match agreed {
            Some(agreed) if agreed + 1 < *tick => write!(f, " (it agreed after {agreed})")?,
            Some(_) => {}
            None => f.write_str(": another start")?,
        }
        if let Some(chunk) = chunk {
            write!(f, "; chunk {chunk} differs")?;
        }
        if let Some(cell) = cell {
            write!(f, ", in cell {}: {}, recorded was {}", cell.cell, cell.found, cell.recorded)?;
        }
        Ok(())
    }
}

/// A cell that differs from its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellDifference {
    /// The position of the cell; in a graph, its x is the number of the node.
    pub cell: IVec3,
    /// The recorded content, in words.
    pub recorded: String,
    /// The content found, in words.
    pub found: String,
}
