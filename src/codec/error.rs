//! Why bytes do not follow their format.

#[cfg(feature = "snapshot")]
use super::kind::Kind;
use core::fmt;

/// Why bytes do not follow their [format](Format), such as that of an edit or a snapshot.
///
/// ```
/// use floodplain::water::Edit;
/// use floodplain::{DecodeError, DecodeProblem, EditValue, Format};
///
/// let error = Edit::from_bytes(&[4, 0, 0]);
/// let (format, problem) = (Format::Edit, DecodeProblem::EndsEarly);
/// assert_eq!(error, Err(DecodeError { format, at: 3, problem }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The expected format. In a part of another value, such as a record in an edit, the format of
    /// the part.
    pub format: Format,
    /// The offset of the wrong byte in the whole input; the first is 0.
    pub at: usize,
    /// The problem.
    pub problem: DecodeProblem,
}

/// A format of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// An edit of a world.
    Edit,
    /// The record of a chunk that was taken out of a world.
    Record,
    /// An update of a feed.
    Update,
    /// A snapshot: the frame around its sections.
    Snapshot,
    /// The rules of a saved world.
    Rules,
    /// The state of a saved world that belongs to no chunk.
    State,
    /// The chunks of a saved world.
    Chunks,
    /// A recording, or the edits of one of its ticks.
    Recording,
    /// The entry `format` of a save file.
    SaveFile,
    /// A message between the parts of a divided world about a chunk, or between regions.
    Message,
    /// The record of a region that was taken out of a world of regions.
    Region,
    /// The save of a world of regions, without the records in it.
    Regions,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Edit => "edit",
            Format::Record => "record of a chunk",
            Format::Update => "update",
            Format::Snapshot => "snapshot",
            Format::Rules => "rules (RULE)",
            Format::State => "state (WRLD)",
            Format::Chunks => "chunks (CHNK)",
            Format::Recording => "recording",
            Format::SaveFile => "save file",
            Format::Message => "message",
            Format::Region => "record of a region",
            Format::Regions => "save of regions",
        })
    }
}

/// What is wrong with a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeProblem {
    /// The bytes end where more should follow.
    EndsEarly,
    /// There are bytes after the end.
    Trailing {
        /// The number of bytes after the end.
        bytes: usize,
    },
    /// The bytes do not begin as the format requires.
    Magic {
        /// The beginning that the format requires.
        wanted: &'static str,
    },
    /// The version is not the one that is read here, such as a newer one.
    Version {
        /// The version found.
        found: u16,
        /// The version that is read here.
        wanted: u16,
    },
    /// The bytes belong to another kind of world.
    #[cfg(feature = "snapshot")]
    Kind {
        /// The number of the kind found.
        found: u16,
        /// The kind asked for.
        wanted: Kind,
    },
    /// The preceding bytes are damaged: their checksum does not match.
    Checksum {
        /// The checksum found.
        found: u32,
        /// The checksum computed from the bytes.
        computed: u32,
    },
    /// No value has this tag.
    Tag {
        /// The tag found.
        found: u8,
    },
    /// A value is not as it should be.
    Value {
        /// What the value should be.
        wanted: &'static str,
        /// The value found, if it is a single number.
        found: Option<i64>,
    },
    /// The bytes are well formed, but describe a state that breaks a law.
    Law {
        /// The law, and the values that break it.
        law: String,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecodeError { format, at, problem } = self;
        write!(f, "{format}, byte {at}: {problem}")
    }
}

impl fmt::Display for DecodeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeProblem::EndsEarly => f.write_str("it ends here, where more should follow"),
            DecodeProblem::Trailing { bytes } => {
                write!(f, "it should end here, before {bytes} more bytes")
            }
            DecodeProblem::Magic { wanted } => write!(f, "it does not begin with {wanted}"),
            DecodeProblem::Version { found, wanted } => {
                write!(f, "version {found}, where {wanted} is read")
            }
            #[cfg(feature = "snapshot")]
            DecodeProblem::Kind { found, wanted } => {
                write!(f, "a world of kind {found}, not of kind {} ({wanted:?})", wanted.number())
            }
            DecodeProblem::Checksum { found, computed } => {
                write!(f, "damaged: the checksum is {found:#010x}, not {computed:#010x}")
            }
            DecodeProblem::Tag { found } => write!(f, "nothing has the tag {found}"),
            DecodeProblem::Value { wanted, found: Some(found) } => {
                write!(f, "expected {wanted}, not {found}")
            }
            DecodeProblem::Value { wanted, found: None } => write!(f, "expected {wanted}"),
            DecodeProblem::Law { law } => write!(f, "what it describes breaks a law: {law}"),
        }
    }
}

impl core::error::Error for DecodeError {}
