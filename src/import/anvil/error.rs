//! Why a region file was refused.

use super::nbt::Malformed;
use crate::coords::ColumnPos;
use crate::import::MAX_CHUNKS;
use crate::import::budget::OverBudget;
use core::fmt;

/// Why a region file was refused, or could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegionError {
    /// The file ends within its header of 8,192 bytes.
    Header {
        /// The length of the file in bytes.
        bytes: usize,
    },
    /// The requested column of chunks is damaged.
    Column {
        /// The column's place in the file, x and z, each 0 to 31.
        at: [u8; 2],
        /// Where in the file the column begins, in bytes.
        offset: usize,
        /// The fault.
        fault: ColumnFault,
    },
    /// The file has more than [`MAX_CHUNKS`] chunks.
    TooManyChunks,
    /// The file needs more work than its [`Budget`](crate::import::Budget).
    OverBudget {
        /// The units that the file may take.
        units: u64,
    },
}

/// A fault of a column of chunks in a region file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnFault {
    /// The column would be in the file's header, or beyond the end of the file.
    Place {
        /// The length of the file in bytes.
        file: usize,
    },
    /// The column is longer than the sectors that the header gives it, or empty.
    Length {
        /// The length of the column in bytes.
        length: u32,
        /// The sectors of the column, of 4,096 bytes each.
        sectors: u8,
    },
    /// The column shares bytes of the file with another one.
    Overlap {
        /// The place of the other column in the file, x and z.
        with: [u8; 2],
    },
    /// The column is compressed by a method other than zlib, gzip or none; LZ4 is number 4.
    Compression {
        /// The number of the compression.
        found: u8,
    },
    /// The column is in a separate file, `c.x.z.mcc`, because it is large.
    External,
    /// The compressed bytes are damaged or end too soon.
    Inflate,
    /// The column has more bytes than the limit when decompressed.
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// With its new water, the column would need more than the 255 sectors of 4,096 bytes that it
    /// may have.
    TooLongToWrite {
        /// The bytes of the column, compressed.
        bytes: usize,
    },
    /// The decompressed bytes do not follow the format.
    Malformed {
        /// The offset in the decompressed bytes at which reading stopped.
        at: usize,
        /// What the format requires there.
        wanted: &'static str,
    },
    /// A part that every column has is missing.
    Missing {
        /// The name of the part.
        name: &'static str,
    },
    /// The position that the column names differs from its place in the file, or no cell there has
    /// an `i32` position.
    Position {
        /// The position that the column names, in chunks.
        named: ColumnPos,
    },
    /// A section, a chunk of the column, is damaged.
    Section {
        /// The y of the section, in chunks.
        y: i32,
        /// The fault.
        fault: SectionFault,
    },
}

/// A fault of a section of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SectionFault {
    /// The section's y is not −128 to 127, or another section has the same y.
    Place,
    /// The section's palette has no states.
    NoStates,
    /// An array has the wrong length for 4,096 cells.
    Length {
        /// The name of the array.
        name: &'static str,
        /// The length found, in elements.
        found: usize,
        /// The length that it should have.
        wanted: usize,
    },
    /// A cell names a state beyond the palette.
    Index {
        /// The cell's index in the section.
        cell: usize,
        /// The index that the cell names.
        found: u16,
        /// The number of states in the palette.
        states: usize,
    },
    /// A state of the palette is malformed.
    State {
        /// The state's index in the palette.
        index: usize,
        /// What the format requires in the state.
        wanted: &'static str,
    },
    /// The decompressed bytes do not follow the format.
    Malformed {
        /// The offset, in the bytes of the column, at which reading stopped.
        at: usize,
        /// What the format requires there.
        wanted: &'static str,
    },
}

/// Why the work on a column ended.
#[derive(Debug)]
pub(super) enum Failure {
    /// The column is refused; other columns can be read.
    Column(ColumnFault),
    /// The whole file is refused.
    File(RegionError),
}

impl From<ColumnFault> for Failure {
    fn from(fault: ColumnFault) -> Self {
        Failure::Column(fault)
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Self {
        Failure::Column(malformed.into())
    }
}

impl From<OverBudget> for Failure {
    fn from(over: OverBudget) -> Self {
        Failure::File(over.into())
    }
}

impl From<OverBudget> for RegionError {
    fn from(OverBudget { units }: OverBudget) -> Self {
        RegionError::OverBudget { units }
    }
}

impl From<Malformed> for ColumnFault {
    fn from(Malformed { at, wanted }: Malformed) -> Self {
        ColumnFault::Malformed { at, wanted }
    }
}

impl From<Malformed> for SectionFault {
    fn from(Malformed { at, wanted }: Malformed) -> Self {
        SectionFault::Malformed { at, wanted }
    }
}

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegionError::Header { bytes } => {
                write!(f, "the file ends at byte {bytes}, within its header of 8192")
            }
            RegionError::Column { at: [x, z], offset, fault } => {
                write!(f, "column {x}, {z}, at byte {offset}: {fault}")
            }
            RegionError::TooManyChunks => write!(f, "the file has more than {MAX_CHUNKS} chunks"),
            RegionError::OverBudget { units } => {
                write!(f, "the file asks for more than its {units} units of work")
            }
        }
    }
}

impl fmt::Display for ColumnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnFault::Place { file } => {
                write!(f, "it does not lie between the header and the file's end at byte {file}")
            }
            ColumnFault::Length { length, sectors } => {
                write!(f, "it has {length} bytes in {sectors} sectors of 4096")
            }
            ColumnFault::Overlap { with: [x, z] } => write!(f, "it overlaps column {x}, {z}"),
            ColumnFault::Compression { found } => {
                write!(f, "compression {found}; only 1 (gzip), 2 (zlib) and 3 (none) are read")
            }
            ColumnFault::External => write!(f, "it lies in a file of its own"),
            ColumnFault::Inflate => write!(f, "its compressed bytes are damaged"),
            ColumnFault::TooLong { limit } => {
                write!(f, "it has more than {limit} bytes when decompressed")
            }
            ColumnFault::TooLongToWrite { bytes } => {
                write!(f, "it would need {bytes} bytes, more than 255 sectors of 4096 hold")
            }
            ColumnFault::Malformed { at, wanted } => {
                write!(f, "decompressed byte {at}: expected {wanted}")
            }
            ColumnFault::Missing { name } => write!(f, "it has no {name}"),
            ColumnFault::Position { named } => {
                write!(f, "it says that it lies at {}, {}", named.x, named.z)
            }
            ColumnFault::Section { y, fault } => write!(f, "section {y}: {fault}"),
        }
    }
}

impl fmt::Display for SectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SectionFault::Place => write!(f, "its place is taken, or not from -128 to 127"),
            SectionFault::NoStates => write!(f, "its palette is empty"),
            SectionFault::Length { name, found, wanted } => {
                write!(f, "{name} has the length {found}, not {wanted}")
            }
            SectionFault::Index { cell, found, states } => {
                write!(f, "cell {cell} has state {found} of {states}")
            }
            SectionFault::State { index, wanted } => {
                write!(f, "state {index} of its palette: expected {wanted}")
            }
            SectionFault::Malformed { at, wanted } => {
                write!(f, "decompressed byte {at}: expected {wanted}")
            }
        }
    }
}

impl core::error::Error for RegionError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            RegionError::Column { fault, .. } => Some(fault),
            _ => None,
        }
    }
}

impl core::error::Error for ColumnFault {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            ColumnFault::Section { fault, .. } => Some(fault),
            _ => None,
        }
    }
}

impl core::error::Error for SectionFault {}
