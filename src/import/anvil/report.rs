//! Reports of the parts of a region file that reading or writing left out, and why.

use super::error::ColumnFault;
use crate::chunk::Chunk;
use crate::coords::ChunkPos;
use crate::water::Voxel;
use core::fmt;

/// The chunks read from a region file.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct RegionChunks {
    /// The chunks, with their positions in the game's world: the argument of
    /// [`insert_chunks`](crate::water::WaterWorld::insert_chunks).
    pub chunks: Vec<(ChunkPos, Chunk<Voxel>)>,
    /// The parts that were left out.
    pub report: RegionReport,
}

/// The bytes of a region file with new water.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct RegionBytes {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The columns that did not change, whatever water the world has there.
    pub report: RegionReport,
}

/// The parts of a region file that reading or writing left out, and why. As text it is a line with
/// the counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionReport {
    /// The number of columns that were read or written, in part or whole.
    pub columns: usize,
    /// The columns left out, in order of [`columns`](crate::import::RegionFile::columns).
    pub left_out: Vec<LeftOut>,
}

/// A column of a region file that was left out, or whose lowest sections were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The column's place in the file, x and z, each 0 to 31.
    pub at: [u8; 2],
    /// Where in the file the column begins, in bytes.
    pub offset: usize,
    /// Why the column or its lowest sections were left out.
    pub why: WhyLeftOut,
}

/// Why a column was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyLeftOut {
    /// The game has not finished the blocks of the column.
    Unfinished {
        /// The progress of the column: the status in the file; before 1.13 `TerrainPopulated`,
        /// which is 0.
        status: String,
    },
    /// No section of the column has blocks.
    NoBlocks,
    /// The column is older than 1.18, and the game has not made its lowest sections yet. The other
    /// sections were read.
    BelowZero {
        /// The number of sections that were left out.
        sections: usize,
    },
    /// The column is damaged, or stored in an unsupported way.
    Unreadable(ColumnFault),
}

/// The kinds of [`WhyLeftOut`], in the order of a report's line.
const KINDS: [&str; 4] =
    ["unfinished", "without blocks", "unreadable", "without their lowest sections"];

impl WhyLeftOut {
    /// Returns the index of the kind in [`KINDS`].
    fn kind(&self) -> usize {
        match self {
            WhyLeftOut::Unfinished { .. } => 0,
            WhyLeftOut::NoBlocks => 1,
            WhyLeftOut::Unreadable(_) => 2,
            WhyLeftOut::BelowZero { .. } => 3,
        }
    }
}

impl RegionReport {
    /// Records a column that was left out, or whose lowest sections were.
    pub(super) fn push(&mut self, at: [u8; 2], offset: usize, why: WhyLeftOut) {
        self.left_out.push(LeftOut { at, offset, why });
    }

    /// Sorts the entries in the order of the file's columns.
    pub(super) fn sort(&mut self) {
        self.left_out.sort_by_key(|&LeftOut { at: [x, z], .. }| [z, x]);
    }
}

impl fmt::Display for RegionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} columns", self.columns)?;
        let mut counts = [0; KINDS.len()];
        self.left_out.iter().for_each(|left_out| counts[left_out.why.kind()] += 1);
        for (count, what) in counts.into_iter().zip(KINDS) {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        self.left_out.iter().take(1).try_for_each(|first| write!(f, "; the first: {first}"))
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LeftOut { at: [x, z], offset, why } = self;
        write!(f, "column {x}, {z}, at byte {offset}: ")?;
        match why {
            WhyLeftOut::Unfinished { status } => write!(f, "its blocks are unfinished ({status})"),
            WhyLeftOut::NoBlocks => write!(f, "it has no blocks"),
            WhyLeftOut::BelowZero { sections } => {
                write!(f, "its lowest {sections} sections are not made yet")
            }
            WhyLeftOut::Unreadable(fault) => fault.fmt(f),
        }
    }
}
