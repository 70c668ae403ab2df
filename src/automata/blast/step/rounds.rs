//! The rounds of a step, between which the parts of a divided world send each other what rims do
//! not contain: walls that break, chunks that fall silent, chunks that the front opens. A world
//! that is not divided runs the rounds one after the other.

use super::ahead::Ahead;
use crate::automata::blast::BlastShape;
use crate::coords::{ChunkPos, Face};
use crate::grid::Slot;
use glam::IVec3;
use hashbrown::HashSet;

/// The faces at which a chunk of another column may be.
pub(crate) const SIDES: [Face; 4] = [Face::West, Face::East, Face::North, Face::South];

/// A step between two of its rounds.
pub(crate) struct Underway<S: BlastShape> {
    pub(super) ahead: Ahead<S>,
    /// The cells where walls have broken.
    pub(super) broken: Vec<IVec3>,
    /// The cells of ghosts where walls have broken.
    pub(crate) broken_beside: Vec<IVec3>,
    pub(crate) silent: Vec<Silent>,
    /// The number of cells that changed in chunks that fell silent.
    pub(super) absorbed: u64,
    pub(crate) opened: HashSet<Slot>,
    /// The last exchange that the step has reached, in a divided world.
    #[cfg(feature = "snapshot")]
    pub(super) exchange: usize,
}

impl<S: BlastShape> Underway<S> {
    /// Returns the cells of this part in which walls have broken.
    #[cfg(feature = "snapshot")]
    pub(crate) fn broken_cells(&self) -> Vec<IVec3> {
        self.broken.clone()
    }
}

/// A chunk that falls silent.
#[derive(Clone, Copy)]
pub(crate) struct Silent {
    pub(crate) chunk: ChunkPos,
    /// Of a ghost, whether it has pressures or flows.
    pub(crate) ghost: Option<bool>,
}

/// A chunk that was stepped, for other parts.
#[cfg(feature = "snapshot")]
#[derive(Clone, Copy)]
pub(crate) struct Stepped {
    pub(crate) slot: Slot,
    /// By face, whether changed cells touch it; `None` if no cell changed.
    pub(crate) touched: Option<[bool; 6]>,
    /// Whether the chunk is no longer audible.
    pub(crate) has_faded: bool,
}
