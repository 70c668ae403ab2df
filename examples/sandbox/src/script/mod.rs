//! Scripted runs: a text that does at given ticks what keys and the mouse do.
//!
//! A script is lines of `TICK VERB ARGUMENTS`. `TICK` counts the ticks since the script began and
//! never falls from line to line; what stands at a tick is done after so many ticks are complete,
//! before the next one. `#` begins a comment. Cells are `X Y Z`, y up.
//!
//! | verb | arguments | what |
//! |---|---|---|
//! | `world` | `valley`, `dam`, `u-tube`, `cave`, `plain`, `terraces` or `hamlet` | begins that world |
//! | `dig` | cell, radius | takes ground away |
//! | `build` | material, cell, radius | `concrete`, `rock`, `soil`, `sand`, `clay` or `wood` |
//! | `pour` | cell, radius | fills open cells with water |
//! | `spring`, `drain` | cell | puts one there, or takes it away |
//! | `sea` | height or `off` | the sea at the shore of the world |
//! | `charge` | cell, radius | sets off a charge |
//! | `boat`, `crate` | cell | lets one fall there |
//! | `rain`, `pause` | `on` or `off` | |
//! | `step` | | a tick while paused |
//! | `speed` | 1 to 16 | times 20 ticks a second |
//! | `save`, `load` | | keeps the world, goes back to it |
//! | `overlay` | `none`, `direction`, `activity`, `largest`, `awake`, `current`, `humidity` or `pressure` | |
//! | `camera` | degrees round the world, degrees above it, distance, and x y z of the middle | |
//! | `eyes` | x y z of a player's eyes, x y z of what they look at | |
//! | `caption` | words | a line of text in large letters; without words, none |
//! | `screen` | `on` or `off` | shows or hides meters, buttons and help |
//! | `meters` | `on` or `off` | those of a developer, or of a player |
//! | `shot` | name | writes `NAME.png` into the folder of `--shots` |
//! | `film` | name, ticks | from now on writes `NAME-00000.png` and so on, one each so many ticks; 0: no more |
//! | `print` | | one line: the tick, the hash of the state, the account of all water |
//! | `end` | | ends the script; with `--script`, the program too |

mod parse;
#[cfg(test)]
mod tour;

pub use parse::parse;

use crate::model::action::{Action, Refusal};
use crate::view::camera::Camera;
use crate::view::overlay::Overlay;
use std::collections::VecDeque;
use std::fmt;

/// What a line of a script does.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Play(Action),
    Overlay(Overlay),
    Camera(Camera),
    Caption(String),
    Screen(bool),
    Meters(bool),
    Shot(String),
    /// The name of the pictures, and the ticks from one to the next.
    Film(String, u32),
    Print,
    End,
}

/// A line: after so many ticks, do this.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// From 1, for messages.
    pub number: usize,
    pub tick: u64,
    pub command: Command,
}

/// Why a text is no script.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    pub fault: Fault,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// It does not begin with a tick.
    Tick(String),
    /// Its tick lies before that of the line above.
    Earlier { tick: u64, before: u64 },
    /// No such verb; empty if there is none.
    Verb(String),
    /// It ends before this argument.
    Missing(&'static str),
    /// An argument that is none of what may stand there.
    Argument { wanted: &'static str, found: String },
    /// More than the verb takes.
    Extra(String),
    /// The sandbox refused what it does.
    Refused(Refusal),
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.fault {
            Fault::Tick(found) => write!(f, "a line begins with a tick, not {found:?}"),
            Fault::Earlier { tick, before } => write!(f, "tick {tick} comes after tick {before}"),
            Fault::Verb(found) if found.is_empty() => f.write_str("a tick is followed by a verb"),
            Fault::Verb(found) => write!(f, "no verb is called {found:?}"),
            Fault::Missing(wanted) => write!(f, "{wanted} is missing"),
            Fault::Argument { wanted, found } => write!(f, "{wanted} is wanted, not {found:?}"),
            Fault::Extra(found) => write!(f, "nothing follows here, but {found:?} does"),
            Fault::Refused(refusal) => write!(f, "{refusal}"),
        }
    }
}

impl std::error::Error for ScriptError {}

/// A script that is being played.
#[derive(Debug)]
pub struct Player {
    lines: VecDeque<Line>,
    /// Complete ticks since it began.
    ticks: u64,
}

impl Player {
    /// Returns a script at its beginning.
    pub fn new(lines: Vec<Line>) -> Player {
        Player { lines: lines.into(), ticks: 0 }
    }

    /// Returns the next line that is due now, if any.
    pub fn next_due(&mut self) -> Option<Line> {
        if self.lines.front()?.tick > self.ticks {
            return None;
        }
        self.lines.pop_front()
    }

    /// Returns whether no line is left.
    pub fn is_done(&self) -> bool {
        self.lines.is_empty()
    }

    /// Counts a tick.
    pub fn count_tick(&mut self) {
        self.ticks += 1;
    }
}
