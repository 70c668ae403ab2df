//! Pools: each body of connected water levels out, by pressure, as a whole.
//!
//! What is known of bodies is kept between ticks, so that one that is level costs nothing, whatever
//! its size. None of it is state: the bytes do not depend on what is known.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `layer` | which cells are of bodies, and which give and take water | bit masks |
//! | `labels` | what is known: labels with bounds for bodies that are level | union–find |
//! | `walk` | the extent and the levels of a body | breadth-first search over pieces |
//! | `shore` | what gives and takes in a body, and the level that it is brought to | bisection |
//! | `pass` | moves water in all of a body at once | |
//! | `network` | how much passes between pieces | blocking flows (Dinic) |
//! | `plan` | what is to change in each cell | |
//! | `trim` | how much of that has a way from cell to cell | |
//! | `wide` | pieces whose cells need no network | min cuts |
//! | `max_flow` | how much passes between cells | max flow (Boykov and Kolmogorov) |
//! | `level` | which bodies are levelled in a tick, and in which order | |
//!
//! A body is walked through and levelled at once. That counts for its pieces, and is charged to the
//! pieces of the tick that follow.

mod labels;
mod layer;
pub(crate) mod level;
mod max_flow;
mod network;
mod pass;
mod plan;
mod shore;
#[cfg(test)]
mod tests;
mod trim;
mod walk;
mod wide;

use crate::chunk::LayerMask;
use crate::grid::{LayerId, Slot};
use crate::water::pools::labels::Labels;
use crate::water::pools::level::{Stage, Start};
use crate::water::pools::walk::Walk;
use crate::water::store::Place;
use hashbrown::HashMap;

/// What is known of the bodies of water of a world, and how far the tick underway has levelled
/// them.
#[derive(Default)]
pub(crate) struct Pools {
    labels: Labels,
    stage: Stage,
    walk: Walk,
    /// A cell of each piece in which something is awake, the first last.
    starts: Vec<Start>,
    /// A cell of each body that is not level, by a random number, the first last.
    unlevel: Vec<(u64, Place)>,
    /// The cells of bodies over which a pass was made in this tick. Two of them may join by that;
    /// then the second pass waits for the next tick, since its ways may have been used.
    passed: HashMap<LayerId, LayerMask>,
    /// What is still to be charged for what was done at once.
    debt: usize,
}

impl Pools {
    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.labels.memory_bytes()
            + self.walk.memory_bytes()
            + self.unlevel.capacity() * size_of::<(u64, Place)>()
            + self.passed.allocation_size()
    }

    /// Forgets a chunk that is being removed.
    pub(crate) fn forget(&mut self, slot: Slot) {
        self.labels.forget(slot);
    }
}
