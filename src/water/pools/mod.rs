//! Pools: each body of connected water levels out, by pressure, as a whole.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `layer` | which cells belong to bodies, and which give and take water | bit masks |
//! | `column` | columns: several layers of deep water as one piece | bit masks |
//! | `labels` | labels with bounds for bodies that are known to be level | union–find |
//! | `walk` | the pieces of bodies, and where they touch | flood fill |
//! | `survey` | the extent and the levels of a body | breadth-first search over pieces |
//! | `level` | which bodies are levelled in a tick | |
//! | `stages` | the order: bodies beyond tiles, then tile by tile | domain decomposition |
//! | `shore` | what gives and takes in a body, and the level that it is brought to | bisection |
//! | `pass` | moves water in all of a body at once | |
//! | `network` | how much passes between pieces | blocking flows (Dinic) |
//! | `plan` | the planned change of each cell | |
//! | `trim` | how much of the plan has a way from cell to cell | |
//! | `wide` | pieces whose cells need no network | min cuts |
//! | `max_flow` | how much passes between cells | max flow (Boykov and Kolmogorov) |
//!
//! # How a body is levelled
//!
//! 1. Flood: the labels are updated for the layers that were written. A body with a label is level.
//! 2. Each piece with an awake or touched cell and no label is the start of a survey of its body.
//!    If the levels at which the body gives and takes differ by two units or more, the body is
//!    listed.
//! 3. Level: for each listed body, the goal is the greatest level at which no more water is wanted
//!    below it than stands above it. In a steep body, the highest third gives to the lowest third.
//!    Bodies beyond the columns of a single tile come first, then the others, tile by tile; within
//!    each group the order is that of a hash.
//! 4. A network of pieces determines how many units pass from where the body gives to where it
//!    takes. A contact passes the throughput of its cells, a piece the throughput of its narrowest
//!    row or column.
//! 5. The units of each piece become a plan for its cells. A network of cells then lowers the plan
//!    to the units that have a way through cells that may still pass units in this tick.
//! 6. The plan is carried out. If nothing could move, the fullest cell of its lowest layer is
//!    woken, so that the body is listed again.
//!
//! # Why it ends
//!
//! Within a tick: the surveys list each body once, and each entry gets one pass at most. From tick
//! to tick: each unit that moves ends lower than it stood, and potential energy is bounded below.
//! So without inflow only a finite number of units moves. A body that is not level keeps a cell
//! awake; at rest its levels differ by a unit at most.
//!
//! # What it costs
//!
//! A level body costs nothing, whatever its size: its cells sleep, or its label says that it is
//! level. A survey visits each piece twice, by flood fill of bit masks; in deep water, most pieces
//! have several layers. A pass takes at most 24 breadth-first searches over the pieces; the network
//! of cells has at most 2,048 cells of narrow pieces, or 1,024 in a body of more than 8,192, and is
//! left out if it would have more. A large body in which little flows is levelled in every second
//! tick, or more rarely, by chance. A survey and a pass can stop after any piece of a body, and
//! after each phase of a network. The steps that treat all pieces at once take less than half a
//! microsecond a piece.
//!
//! Labels are kept between ticks and are no part of the state: the bytes do not depend on them.

mod column;
mod labels;
mod layer;
pub(crate) mod level;
mod max_flow;
mod network;
mod pass;
mod plan;
mod shore;
pub(crate) mod stages;
mod survey;
#[cfg(test)]
mod tests;
mod trim;
pub(crate) mod walk;
mod wide;

use crate::grid::{LayerId, Slot};
use crate::water::pools::labels::Labels;
use crate::water::pools::level::{Found, Levelling, Passed, Start, Unlevel};
use crate::water::pools::stages::Stage;
use crate::water::pools::survey::Survey;
use crate::water::pools::walk::Walk;
use crate::water::scratch::budget::Debt;
use crate::water::scratch::tiles::Rank;

/// The labels of the bodies of water of a world, and the state of the levelling in the tick
/// underway.
#[derive(Default)]
pub(crate) struct Pools {
    labels: Labels,
    stage: Stage,
    walk: Walk,
    /// A cell of each piece with awake cells or moved water that is still to be surveyed: of the
    /// tile, or of the bodies that reach beyond a tile. The next one is the last.
    starts: Vec<Start>,
    /// The tile in which bodies are looked for; `None` for bodies that reach beyond a tile.
    tile: Option<Rank>,
    /// The layer that is gathered next, if it has been taken from the sweep.
    next: Option<LayerId>,
    /// What has been found. In Level, the body that is levelled next is the last of `unlevel`.
    found: Found,
    /// The body that is being surveyed.
    survey: Option<(Start, Survey)>,
    /// The body that is being levelled.
    levelling: Option<Levelling>,
    /// The bodies that have grown beyond their tile since they were found.
    outgrown: Vec<Unlevel>,
    passed: Passed,
    /// The cost of the levelling so far that is still to be charged, in cells.
    debt: Debt,
}

impl Pools {
    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.labels.memory_bytes()
            + self.walk.memory_bytes()
            + self.starts.capacity() * size_of::<Start>()
            + self.found.memory_bytes()
            + self.levelling.as_ref().map_or(0, Levelling::memory_bytes)
            + self.outgrown.capacity() * size_of::<Unlevel>()
            + self.passed.allocation_size()
    }

    /// Returns the units that cells and the sea have received and that no cell has given yet, while
    /// a pass is carried out.
    pub(crate) fn units_ahead(&self) -> i64 {
        self.levelling.as_ref().map_or(0, Levelling::units_ahead)
    }

    /// Forgets a chunk that is being removed.
    pub(crate) fn forget(&mut self, slot: Slot) {
        self.labels.forget(slot);
    }
}
