//! Why bytes or a text are no recording, and why a recording cannot be replayed.

use crate::edit_bytes::EditBytesError;
use crate::limits::LimitError;
use crate::snapshot::{Kind, SnapshotError};
use core::fmt;
use glam::IVec3;

/// Where something stands in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An offset among bytes, the first is 0.
    Byte(usize),
    /// A line of a text, the first is 1.
    Line(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Byte(at) => write!(f, "byte {at}"),
            Place::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// Why bytes or a text are no recording.
///
/// ```
/// use floodplain::recording::{Place, Recording, RecordingError};
/// use floodplain::water::WaterWorld;
///
/// let refused = Recording::<WaterWorld>::from_bytes(b"a holiday film").err();
/// assert_eq!(refused, Some(RecordingError::NotARecording));
/// let text = "floodplain recording 1\nworld 1 Water\ntick 5";
/// let refused = Recording::<WaterWorld>::from_text(text);
/// let wanted = "start, ticks, edit, check or keyframe";
/// assert_eq!(refused.err(), Some(RecordingError::Value { at: Place::Line(3), wanted }));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordingError {
    /// It does not begin as a recording does.
    NotARecording,
    /// Written by a newer version of the format.
    NewerVersion {
        /// The version found.
        found: u16,
        /// The newest that is read here.
        newest: u16,
    },
    /// The recording of another kind of world.
    OtherKind {
        /// The number of the kind found.
        found: u16,
        /// The kind asked for.
        wanted: Kind,
    },
    /// There are fewer or more bytes than the recording says it has.
    Length {
        /// Their number.
        found: usize,
        /// What the recording says, or the least number of bytes of a recording.
        wanted: u64,
    },
    /// The bytes are damaged: their checksum is another one.
    Checksum {
        /// The checksum at the end of the bytes.
        found: u32,
        /// That of the bytes.
        computed: u32,
    },
    /// Something does not follow the format, although the checksum is right.
    Value {
        /// Where.
        at: Place,
        /// What it should be.
        wanted: &'static str,
    },
    /// The bytes of an edit are none. Its offsets are those in the edit.
    Edit {
        /// Where the edit begins.
        at: Place,
        /// Why.
        error: EditBytesError,
    },
    /// The edits of one tick were to be made before another one.
    OtherTick {
        /// The tick that they say.
        found: u64,
        /// The tick that comes next.
        wanted: u64,
    },
    /// An edit of another machine breaks a limit.
    Limit {
        /// Which of the edits of its tick, from 0.
        nth: usize,
        /// Which limit.
        error: LimitError,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::NotARecording => {
                f.write_str("not a recording: it begins neither with FLDRECRD nor as a text")
            }
            RecordingError::NewerVersion { found, newest } => write!(
                f,
                "the recording has version {found}; the newest supported version is {newest}"
            ),
            RecordingError::OtherKind { found, wanted } => write!(
                f,
                "the recording of a world of kind {found}, not of kind {} ({wanted:?})",
                wanted.number()
            ),
            RecordingError::Length { found, wanted } => {
                write!(f, "{found} bytes, where a recording has {wanted}")
            }
            RecordingError::Checksum { found, computed } => write!(
                f,
                "a damaged recording: its checksum is {found:#010x}, not {computed:#010x}"
            ),
            RecordingError::Value { at, wanted } => write!(f, "{at}: expected {wanted}"),
            RecordingError::Edit { at, error } => write!(f, "the edit at {at}: {error}"),
            RecordingError::OtherTick { found, wanted } => {
                write!(f, "edits of tick {found}, where tick {wanted} comes next")
            }
            RecordingError::Limit { nth, error } => write!(f, "edit {nth}: {error}"),
        }
    }
}

impl core::error::Error for RecordingError {}

/// Why a recording cannot be replayed, or not to the same state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplayError {
    /// It begins with the world of a generator, which must be
    /// [given](crate::recording::Recording::start_with).
    Generator {
        /// The generator's name.
        name: String,
    },
    /// A snapshot in it is refused.
    Snapshot {
        /// The tick of the snapshot.
        tick: u64,
        /// Why.
        error: SnapshotError,
    },
    /// It ends before that tick or edit.
    Beyond {
        /// What was asked for.
        wanted: u64,
        /// How many there are.
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

/// Where a replay first differs from what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The ticks done at the first check that differs.
    pub tick: u64,
    /// The ticks done at the last check that agreed; `None` if the start differs.
    pub agreed: Option<u64>,
    /// The hash of the state that was recorded.
    pub recorded: u64,
    /// The one found.
    pub found: u64,
    /// The first chunk that differs; `None` if none does, but what belongs to no chunk: the
    /// account, the clock, flows between cells.
    pub chunk: Option<IVec3>,
    /// The first cell of it that differs; `None` if there is no keyframe at that tick.
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

/// A cell that differs from what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellDifference {
    /// Where; of a graph, the number of the node along x.
    pub cell: IVec3,
    /// What was recorded, in words.
    pub recorded: String,
    /// What is there, in words.
    pub found: String,
}
