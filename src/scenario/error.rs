//! Why a scenario cannot be run: every refusal names the thing, its value, and the line of the
//! file.

use core::fmt;
use glam::IVec3;

/// Why a scenario was refused. Lines count from 1; cells are those of the drawing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScenarioError {
    /// Not TOML, or not of this version of it.
    Syntax {
        /// Where.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// A key that means nothing here.
    UnknownKey {
        /// Where.
        line: usize,
        /// The key.
        key: String,
        /// The table that it stands in; empty for the top of the file.
        table: String,
    },
    /// A key that must be there and is not.
    MissingKey {
        /// Where the table begins.
        line: usize,
        /// The key.
        key: &'static str,
        /// The table that lacks it; empty for the top of the file.
        table: String,
    },
    /// A value of the wrong kind or out of its range.
    Value {
        /// Where.
        line: usize,
        /// The key whose value it is.
        key: String,
        /// The value.
        value: String,
        /// What may stand there.
        wanted: String,
    },
    /// A character that neither the automaton nor the `[legend]` knows.
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
    /// A layer or slice of another size than the first one, or without cells. Sizes are cells in a
    /// row, and rows.
    PlateSize {
        /// Where.
        line: usize,
        /// Its size.
        size: [usize; 2],
        /// The size of the first layer.
        first: [usize; 2],
    },
    /// A layer that does not lie above the one before, or a slice that does not lie behind it.
    PlateOrder {
        /// Where.
        line: usize,
        /// `y` or `z`.
        key: &'static str,
        /// Its y or z.
        at: i32,
        /// The least that it could have.
        least: i32,
    },
    /// More cells than a scenario may have.
    TooLarge {
        /// Where the limit was passed.
        line: usize,
        /// The limit, in cells.
        limit: usize,
    },
    /// A cell that lies outside the drawing, or that the drawing leaves out of the world.
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
        chunk: IVec3,
    },
    /// The world refused an edit when its tick came.
    Edit {
        /// Where the edit stands.
        line: usize,
        /// The tick before which it came.
        tick: u64,
        /// What the world says.
        message: String,
    },
    /// The world could not be built.
    World {
        /// What it says.
        message: String,
    },
}

impl ScenarioError {
    /// The line of the file, from 1; 0 if it lies at no one line.
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

/// The message, without the line: whoever prints it puts the file's name and the line before it.
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
