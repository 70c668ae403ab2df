//! Why a scenario cannot be run: every error names the thing, its value, and the line of the file.

use crate::coords::ChunkPos;
use core::fmt;
use glam::IVec3;

/// Why a scenario was refused. Lines count from 1; cells are cells of the drawing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScenarioError {
    /// Not valid TOML.
    Syntax {
        /// Where.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// An unknown key.
    UnknownKey {
        /// Where.
        line: usize,
        /// The key.
        key: String,
        /// Its table; empty for the top of the file.
        table: String,
    },
    /// A required key is missing.
    MissingKey {
        /// Where the table begins.
        line: usize,
        /// The key.
        key: &'static str,
        /// Its table; empty for the top of the file.
        table: String,
    },
    /// A value of the wrong type or out of range.
    Value {
        /// Where.
        line: usize,
        /// Its key.
        key: String,
        /// The value.
        value: String,
        /// The allowed values.
        wanted: String,
    },
    /// A character that is neither in the automaton's default legend nor in `[legend]`.
    UnknownCharacter {
        /// Where.
        line: usize,
        /// The character.
        character: char,
    },
    /// A row longer or shorter than the first one of its layer or slice.
    RaggedRow {
        /// Where.
        line: usize,
        /// Cells in this row.
        cells: usize,
        /// Cells in the first row.
        first: usize,
    },
    /// A layer or slice that differs in size from the first one, or has no cells. A size is the
    /// cells in a row, and the rows.
    PlateSize {
        /// Where.
        line: usize,
        /// Its size.
        size: [usize; 2],
        /// The size of the first layer.
        first: [usize; 2],
    },
    /// A layer that is not above the one before, or a slice that is not behind it.
    PlateOrder {
        /// Where.
        line: usize,
        /// `y` or `z`.
        key: &'static str,
        /// Its y or z.
        at: i32,
        /// The least allowed.
        least: i32,
    },
    /// More cells than a scenario may have.
    TooLarge {
        /// Where the limit was exceeded.
        line: usize,
        /// The limit, in cells.
        limit: usize,
    },
    /// A cell outside the drawing, or drawn as not part of the world.
    OutOfDrawing {
        /// Where.
        line: usize,
        /// The cell.
        cell: IVec3,
    },
    /// A chunk position that the drawing does not touch.
    ChunkOutOfDrawing {
        /// Where.
        line: usize,
        /// The chunk position.
        chunk: ChunkPos,
    },
    /// The world refused an edit.
    Edit {
        /// Where the edit is.
        line: usize,
        /// The tick before which it was made.
        tick: u64,
        /// The world's message.
        message: String,
    },
    /// The world could not be built.
    World {
        /// Its message.
        message: String,
    },
}

impl ScenarioError {
    /// Returns the line of the file, from 1; 0 if the error belongs to no single line.
    pub fn line(&self) -> usize {
        match *self {
            ScenarioError::Syntax { line, .. }
            | ScenarioError::UnknownKey { line, .. }
            | ScenarioError::MissingKey { line, .. }
            | ScenarioError::Value { line, .. }
            | ScenarioError::UnknownCharacter { line, .. }
            | ScenarioError::RaggedRow { line, .. }
            | ScenarioError::PlateSize { line, .. }
            | ScenarioError::PlateOrder { line, .. }
            | ScenarioError::TooLarge { line, .. }
            | ScenarioError::OutOfDrawing { line, .. }
            | ScenarioError::ChunkOutOfDrawing { line, .. }
            | ScenarioError::Edit { line, .. } => line,
            ScenarioError::World { .. } => 0,
        }
    }
}

/// The message without the line, so that a caller can put the file's name and the line before it.
impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScenarioError::Syntax { message, .. } => write!(f, "{}", message.trim_end()),
            ScenarioError::UnknownKey { key, table, .. } => {
                write!(f, "unknown key `{key}`{}", In(table))
            }
            ScenarioError::MissingKey { key, table, .. } => write!(f, "no `{key}`{}", In(table)),
            ScenarioError::Value { key, value, wanted, .. } => {
                write!(f, "`{key}` must be {wanted}, not {value}")
            }
            ScenarioError::UnknownCharacter { character, .. } => {
                write!(f, "character {character:?} is neither a default one nor in [legend]")
            }
            ScenarioError::RaggedRow { cells, first, .. } => {
                write!(f, "a row of {cells} cells; the first row has {first}")
            }
            ScenarioError::PlateSize { size: [x, z], first: [width, depth], .. } => {
                write!(f, "{x}×{z} cells; the first drawing has {width}×{depth}")
            }
            ScenarioError::PlateOrder { key, at, least, .. } => {
                write!(f, "{key} = {at} is not beyond the drawing before; the least is {least}")
            }
            ScenarioError::TooLarge { limit, .. } => {
                write!(f, "the drawing has more than {limit} cells")
            }
            ScenarioError::OutOfDrawing { cell, .. } => {
                write!(f, "cell {cell} is not part of the drawn world")
            }
            ScenarioError::ChunkOutOfDrawing { chunk, .. } => {
                write!(f, "chunk {chunk} holds no cell of the drawing")
            }
            ScenarioError::Edit { tick, message, .. } => {
                write!(f, "the edit before tick {tick} was refused: {message}")
            }
            ScenarioError::World { message } => write!(f, "the world was refused: {message}"),
        }
    }
}

impl core::error::Error for ScenarioError {}

struct In<'a>(&'a str);

impl fmt::Display for In<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " in {}", self.0) }
    }
}
