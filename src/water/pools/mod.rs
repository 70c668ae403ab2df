//! Pools: each body of connected water levels out, as water moves from its highest surface to its
//! lowest places, but not to cells that a spring within reach feeds: they draw from it.
//!
//! Bodies are kept between ticks, and follow the water where it changes. A body that is level costs
//! nothing, whatever its size. Nothing of it is state: it is found anew in a world that is loaded,
//! as far as that has to be known, and the bytes do not depend on what is known.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `pieces` | what is known of each layer of a chunk | |
//! | `levels` | the highest surface and the lowest place of a piece | bit masks |
//! | `bodies` | which pieces hang together, and the extremes of a body | union–find, ordered maps |
//! | `slab` | the lists of pieces and bodies | slab in pages |
//! | `upkeep` | follows changes of the water | incremental connected components |
//! | `splits` | finds what no longer hangs together | searches from all sides in turns |
//! | `search` | finds the nearest counterpart of a place | best-first search over pieces |
//! | `way` | the way that a search has found, and the water that passes along it | |
//! | `choice` | where a draw begins, at both ends | |
//! | `level` | levels body by body, draw by draw | |
//! | `eviction` | forgets small bodies in a world at rest | |
//!
//! Everything stops when the budget of a piece of the tick is spent, and resumes in the next piece.

pub(crate) mod bodies;
mod choice;
pub(crate) mod eviction;
pub(crate) mod level;
pub(crate) mod levels;
pub(crate) mod pieces;
pub(crate) mod search;
mod slab;
pub(crate) mod splits;
#[cfg(test)]
mod tests;
pub(crate) mod upkeep;
mod way;

use crate::grid::Slot;
use crate::water::pools::bodies::Bodies;
use crate::water::pools::eviction::Eviction;
use crate::water::pools::level::Levelling;
use crate::water::pools::pieces::{Pieces, ToDo};
use crate::water::pools::splits::Events;

/// The bodies of water of a world, and how far the tick underway has levelled them.
#[derive(Default)]
pub(crate) struct Pools {
    pub(crate) pieces: Pieces,
    pub(crate) bodies: Bodies,
    to_build: ToDo,
    to_join: ToDo,
    to_level: ToDo,
    /// What is still to be charged for layers that were looked at.
    debt: usize,
    /// Chunks with cells that have moved in this tick.
    moving: Vec<Slot>,
    events: Events,
    /// Chunks of which something became known since the last eviction.
    fresh: Vec<Slot>,
    eviction: Option<Eviction>,
    /// The number of the last search, to tell its marks from others.
    epoch: u64,
    /// The number of levellings, one a tick.
    pub(crate) round: u64,
    levelling: Levelling,
}

impl Pools {
    pub(crate) fn next_epoch(&mut self) -> u64 {
        self.epoch += 1;
        self.epoch
    }

    /// Returns the bytes held, searches underway left out.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.pieces.memory_bytes()
            + self.bodies.memory_bytes()
            + self.events.memory_bytes()
            + [&self.to_build, &self.to_join, &self.to_level]
                .into_iter()
                .map(ToDo::memory_bytes)
                .sum::<usize>()
            + (self.moving.capacity() + self.fresh.capacity()) * size_of::<Slot>()
            + self.levelling.memory_bytes()
    }
}
