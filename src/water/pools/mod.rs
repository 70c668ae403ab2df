//! Pools: each body of connected water levels out, by pressure, as a whole.
//!
//! The labels of bodies are kept between ticks, so that a level body costs nothing, whatever its
//! size. They are not part of the state: the bytes do not depend on them.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `layer` | which cells belong to bodies, and which give and take water | bit masks |
//! | `labels` | labels with bounds for bodies that are known to be level | union–find |
//! | `walk` | the extent and the levels of a body | breadth-first search over pieces |
//! | `shore` | the cells of a body that give and take, and the level that it is brought to | bisection |
//! | `pass` | moves water in all of a body at once | |
//! | `network` | how much passes between pieces | blocking flows (Dinic) |
//! | `plan` | the planned change of each cell | |
//! | `trim` | how much of the plan has a way from cell to cell | |
//! | `wide` | pieces whose cells need no network | min cuts |
//! | `max_flow` | how much passes between cells | max flow (Boykov and Kolmogorov) |
//! | `level` | which bodies are levelled in a tick, and in which order | |
//!
//! A body is walked through and levelled at once. That costs its number of pieces, which is charged
//! to the following pieces of the tick.

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

/// The labels of the bodies of water of a world, and the state of the levelling in the tick
/// underway.
#[derive(Default)]
pub(crate) struct Pools {
    labels: Labels,
    stage: Stage,
    walk: Walk,
    /// A cell of each piece with awake cells, in reverse order.
    starts: Vec<Start>,
    /// A cell of each body that is not level, sorted by a random number, in reverse order.
    unlevel: Vec<(u64, Place)>,
    /// The cells of bodies over which a pass was made in this tick. Two of these bodies may join
    /// because of that. Then the second pass is left to the next tick, since its ways may have been
    /// used.
    passed: HashMap<LayerId, LayerMask>,
    /// The cost of work done at once that is still to be charged.
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
