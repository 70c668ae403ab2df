//! Why a snapshot was refused.

use super::Kind;
use core::fmt;

/// Why a snapshot was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin with `FLDPLAIN`.
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
    /// The sixteen bytes of the header are damaged or incomplete.
    Header,
    /// A section is incomplete or missing.
    Truncated {
        /// Its name.
        section: &'static str,
    },
    /// A section's checksum is wrong.
    Damaged {
        /// Its name.
        section: &'static str,
    },
    /// A section does not follow the format, although its checksum is right.
    Malformed {
        /// Its name.
        section: &'static str,
        /// The offset in its content at which reading stopped.
        at: usize,
        /// What the format has there.
        wanted: &'static str,
    },
    /// There are bytes after the last section.
    Trailing {
        /// Their number.
        bytes: usize,
    },
    /// The sections are well formed, but the world that they describe breaks a law.
    Unlawful {
        /// The message of the world's `validate`.
        law: String,
    },
}

impl SnapshotError {
    /// Returns the error of a broken law.
    pub(crate) fn unlawful(law: impl ToString) -> Self {
        SnapshotError::Unlawful { law: law.to_string() }
    }
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
                    "the snapshot has version {found}; the newest supported version is {newest}"
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
                write!(f, "section {section} is incomplete or missing")
            }
            SnapshotError::Damaged { section } => {
                write!(f, "section {section} is damaged: its checksum is wrong")
            }
            SnapshotError::Malformed { section, at, wanted } => {
                write!(f, "section {section}, byte {at}: expected {wanted}")
            }
            SnapshotError::Trailing { bytes } => write!(f, "{bytes} bytes after the last section"),
            SnapshotError::Unlawful { law } => {
                write!(f, "the snapshot describes a world that breaks a law: {law}")
            }
        }
    }
}

impl core::error::Error for SnapshotError {}
