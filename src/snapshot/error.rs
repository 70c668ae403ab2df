//! Why a snapshot was refused.

use super::Kind;
use core::fmt;

/// Why a snapshot was refused. No world was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The first eight bytes are not those of a snapshot.
    NotASnapshot,
    /// Written by a newer version of the format.
    NewerVersion {
        /// The version found.
        found: u16,
        /// The newest that is read here.
        newest: u16,
    },
    /// The snapshot of another kind of world.
    OtherKind {
        /// The kind found, as its number.
        found: u16,
        /// The kind asked for.
        wanted: Kind,
    },
    /// The sixteen bytes at the beginning are damaged or cut short.
    Header,
    /// A section is cut short or missing.
    Truncated {
        /// Its name.
        section: &'static str,
    },
    /// A section's checksum is wrong.
    Damaged {
        /// Its name.
        section: &'static str,
    },
    /// A section says something that the format does not have, under a right checksum.
    Malformed {
        /// Its name.
        section: &'static str,
        /// Bytes from the start of its content to where reading stopped.
        at: usize,
        /// What should have stood there.
        wanted: &'static str,
    },
    /// There are bytes after the last section.
    Trailing {
        /// How many.
        bytes: usize,
    },
    /// The sections are well formed, but the world that they describe breaks a law.
    Unlawful {
        /// The law, in the words of the world's `validate`.
        law: String,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::NotASnapshot => {
                write!(f, "not a snapshot: it does not begin with FLDPLAIN")
            }
            SnapshotError::NewerVersion { found, newest } => {
                write!(
                    f,
                    "the snapshot has version {found}, and versions up to {newest} can be read"
                )
            }
            SnapshotError::OtherKind { found, wanted } => {
                write!(
                    f,
                    "the snapshot is of kind {found}, not of kind {} ({wanted:?})",
                    wanted.number()
                )
            }
            SnapshotError::Header => write!(f, "the header is damaged"),
            SnapshotError::Truncated { section } => {
                write!(f, "section {section} is cut short or missing")
            }
            SnapshotError::Damaged { section } => {
                write!(f, "section {section} is damaged: its checksum is wrong")
            }
            SnapshotError::Malformed { section, at, wanted } => {
                write!(f, "section {section}, byte {at}: expected {wanted}")
            }
            SnapshotError::Trailing { bytes } => write!(f, "{bytes} bytes after the last section"),
            SnapshotError::Unlawful { law } => {
                write!(f, "the snapshot describes a world that cannot be: {law}")
            }
        }
    }
}

impl core::error::Error for SnapshotError {}
