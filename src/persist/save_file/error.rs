//! Why saving or opening failed.

use crate::codec::{DecodeError, DecodeProblem, Format};
use crate::coords::ChunkPos;
use core::fmt;
use std::io;

/// The part of a save that a [`SaveError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The entry of this name: `format`, `rules`, `state` or `count`.
    Entry(&'static str),
    /// The table of chunks.
    Chunks,
    /// The record of the chunk at this chunk position.
    Chunk(ChunkPos),
    /// The table of unloaded chunks.
    UnloadedChunks,
    /// The record of the unloaded chunk at this chunk position.
    Unloaded(ChunkPos),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Entry(name) => write!(f, "entry {name}"),
            Part::Chunks => write!(f, "the table of chunks"),
            Part::Chunk(position) => write!(f, "chunk {position}"),
            Part::UnloadedChunks => write!(f, "the table of unloaded chunks"),
            Part::Unloaded(position) => write!(f, "unloaded chunk {position}"),
        }
    }
}

/// Why saving or opening failed.
///
/// A file that could not be opened is unchanged. After a failed save, the file holds the last save,
/// or the new one if the error came after it was complete.
#[derive(Debug)]
#[non_exhaustive]
pub enum SaveError {
    /// There already is a file at the path of the new one, or the disk is not empty.
    Exists,
    /// The file is empty, or its creation was interrupted.
    Empty,
    /// The file is not a redb database.
    NotADatabase,
    /// The file is a redb database of another program.
    OtherProgram,
    /// The file is open already, here or in another process.
    InUse,
    /// The database is damaged beyond repair, or has a newer version of redb's own format.
    DamagedDatabase {
        /// The message of redb.
        reason: String,
    },
    /// A part is missing or its checksum is wrong, in an undamaged database.
    Damaged {
        /// The part.
        part: Part,
    },
    /// A part does not follow the format, although its checksum is right. If it is the entry
    /// `format`, the save has another version or another kind of world.
    Malformed {
        /// The part.
        part: Part,
        /// What is wrong with the part.
        error: DecodeError,
    },
    /// A job does not follow the last job written: a job before it was not written, or it belongs
    /// to another stream. The next job that is prepared holds the whole world.
    OutOfOrder {
        /// The number of the job in its stream, from 1.
        job: u64,
        /// The number of the last job of the same stream in the file, 0 for none.
        last: u64,
    },
    /// The file is closed: the last save failed and the next one will reopen it, or it was dropped.
    Closed,
    /// Every part is well formed, but the world that the parts describe breaks a law.
    Unlawful {
        /// The message of the world's `validate`.
        law: String,
    },
    /// The operating system reported an error: no such file, no permission to write (which opening
    /// needs too), a full or broken disk. See its [`kind`](io::Error::kind).
    Io(io::Error),
    /// The database failed in another way.
    Database(Box<dyn core::error::Error + Send + Sync>),
}

impl SaveError {
    /// Returns the error of a database operation.
    pub(super) fn of(error: impl Into<redb::Error>) -> Self {
        match error.into() {
            // redb reads past the end of a file that is shorter than its header says.
            redb::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                SaveError::DamagedDatabase { reason: error.to_string() }
            }
            redb::Error::Io(error) => SaveError::Io(error),
            redb::Error::Corrupted(reason) => SaveError::DamagedDatabase { reason },
            redb::Error::DatabaseAlreadyOpen => SaveError::InUse,
            error => SaveError::Database(Box::new(error)),
        }
    }

    /// Returns the error of reading rules or state.
    pub(super) fn in_entry(error: DecodeError) -> Self {
        let name = if error.format == Format::Rules { "rules" } else { "state" };
        SaveError::in_part(Part::Entry(name))(error)
    }

    /// Returns the error of reading a part.
    pub(super) fn in_part(part: Part) -> impl FnOnce(DecodeError) -> Self {
        move |error| match error.problem {
            DecodeProblem::Law { law } => SaveError::Unlawful { law },
            _ => SaveError::Malformed { part, error },
        }
    }
}

impl From<io::Error> for SaveError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists => SaveError::Exists,
            _ => SaveError::Io(error),
        }
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SaveError::Exists => {
                write!(f, "there is a file already where the save should be created")
            }
            SaveError::Empty => {
                write!(f, "the file holds no save: it is empty, or its creation was interrupted")
            }
            SaveError::NotADatabase => write!(f, "not a save: the file is not a redb database"),
            SaveError::OtherProgram => write!(f, "not a save: a redb database of another program"),
            SaveError::InUse => write!(f, "the save is open already"),
            SaveError::DamagedDatabase { reason } => write!(f, "the database is damaged: {reason}"),
            SaveError::Damaged { part } => write!(f, "{part} is missing, or its checksum is wrong"),
            SaveError::Malformed { part, error } => write!(f, "{part}: {error}"),
            SaveError::OutOfOrder { job, last } => {
                write!(f, "job {job} does not follow the last one written, {last}")
            }
            SaveError::Closed => {
                write!(f, "the file is closed: the last save failed, or it was dropped")
            }
            SaveError::Unlawful { law } => {
                write!(f, "the save describes a world that breaks a law: {law}")
            }
            SaveError::Io(error) => write!(f, "the file cannot be read or written: {error}"),
            SaveError::Database(error) => write!(f, "the database: {error}"),
        }
    }
}

impl core::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            SaveError::Malformed { error, .. } => Some(error),
            SaveError::Io(error) => Some(error),
            SaveError::Database(error) => Some(&**error),
            _ => None,
        }
    }
}
