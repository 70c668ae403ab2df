//! The automata that a scenario can run, one file each: how each reads its part of a scenario file,
//! and its implementation of [`ScenarioWorld`](subject::ScenarioWorld).
//!
//! A new automaton needs such a file and a line in [`reader_of`].

mod explosion;
mod humidity;
mod picture;
pub(crate) mod subject;
mod water;
mod water_2d;
mod world;

use crate::scenario::error::ScenarioError;
use crate::scenario::parse::tree::{Field, Table};
use subject::Setup;

/// Reads an automaton's `[rules]`, `[legend]`, and its part of `[world]`.
pub(crate) type ReadSetup = fn(Table, Table, Table) -> Result<Box<dyn Setup>, ScenarioError>;

/// Returns the reader of the automaton with this name.
pub(crate) fn reader_of(name: &Field) -> Result<ReadSetup, ScenarioError> {
    match name.text()? {
        "water" => Ok(water::read),
        "water-2d" => Ok(water_2d::read),
        "humidity" => Ok(humidity::read),
        "explosion" => Ok(explosion::read),
        "world" => Ok(world::read),
        _ => Err(name.refuse("\"water\", \"humidity\", \"explosion\", \"water-2d\" or \"world\"")),
    }
}
