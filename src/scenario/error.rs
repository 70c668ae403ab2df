//! Why a scenario cannot be run: every error names the thing, its value, and the line of the file.

use crate::coords::ChunkPos;
use core::fmt;
use glam::IVec3;

/// Why a scenario was refused. Its text names the thing and its value; cells are cells of the
/// drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioError {
    /// The line of the file, from 1; 0 if the error belongs to no single line.
    pub line: usize,
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    /// The file is not valid TOML; the message is that of the parser.
    Syntax { message: String },
    /// A table has an unknown key. The name of the table is empty for the top of the file.
    UnknownKey { key: String, table: String },
    /// A table, which begins at the line of the error, lacks a key.
    MissingKey { key: &'static str, table: String },
    /// A value has the wrong type or is out of range.
    Value { key: String, value: String, wanted: String },
    /// A key inside a value is unknown or missing; the message is that of serde.
    Inside { key: String, message: String },
    /// A character is neither in the automaton's default legend nor in `[legend]`.
    UnknownCharacter { character: char },
    /// A row is longer or shorter, in cells, than the first row of its layer or slice.
    RaggedRow { cells: usize, first: usize },
    /// A layer or slice differs in size from the first one, or has no cells. A size is the number
    /// of cells in a row, and the number of rows.
    PlateSize { size: [usize; 2], first: [usize; 2] },
    /// A layer is not above the layer before it, or a slice is not behind the slice before it; the
    /// key is `y` or `z`.
    PlateOrder { key: &'static str, at: i32, least: i32 },
    /// The drawing has more cells than a scenario may have.
    TooLarge { limit: usize },
    /// A cell is outside the drawing, or is drawn as not part of the world.
    OutOfDrawing { cell: IVec3 },
    /// The drawing does not touch the chunk at a chunk position.
    ChunkOutOfDrawing { chunk: ChunkPos },
    /// The world refused an edit before this tick.
    Edit { tick: u64, message: String },
    /// The world could not be built.
    World { message: String },
}

impl Problem {
    /// Returns the error of this problem at a line of the file.
    pub(super) fn at_line(self, line: usize) -> ScenarioError {
        ScenarioError { line, problem: self }
    }
}

impl ScenarioError {
    /// Returns the error of a world that could not be built.
    pub(super) fn of_world(message: impl ToString) -> ScenarioError {
        Problem::World { message: message.to_string() }.at_line(0)
    }
}

/// Writes the message without the line, so that a caller can put the file's name and the line
/// before it.
impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Syntax { message } => write!(f, "{}", message.trim_end()),
            Problem::UnknownKey { key, table } => {
                write!(f, "unknown key `{key}`{}", In(table))
            }
            Problem::MissingKey { key, table } => write!(f, "no `{key}`{}", In(table)),
            Problem::Value { key, value, wanted } => {
                write!(f, "`{key}` must be {wanted}, not {value}")
            }
            Problem::Inside { key, message } => write!(f, "`{key}`: {message}"),
            Problem::UnknownCharacter { character } => {
                write!(f, "character {character:?} is neither a default one nor in [legend]")
            }
            Problem::RaggedRow { cells, first } => {
                write!(f, "a row of {cells} cells; the first row has {first}")
            }
            Problem::PlateSize { size: [x, z], first: [width, depth] } => {
                write!(f, "{x}×{z} cells; the first drawing has {width}×{depth}")
            }
            Problem::PlateOrder { key, at, least } => {
                write!(f, "{key} = {at} is not beyond the drawing before; the least is {least}")
            }
            Problem::TooLarge { limit } => {
                write!(f, "the drawing has more than {limit} cells")
            }
            Problem::OutOfDrawing { cell } => {
                write!(f, "cell {cell} is not part of the drawn world")
            }
            Problem::ChunkOutOfDrawing { chunk } => {
                write!(f, "chunk {chunk} holds no cell of the drawing")
            }
            Problem::Edit { tick, message } => {
                write!(f, "the edit before tick {tick} was refused: {message}")
            }
            Problem::World { message } => write!(f, "the world was refused: {message}"),
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
