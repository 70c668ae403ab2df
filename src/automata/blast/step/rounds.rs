//! The rounds of a step, between which the parts of a divided world send each other what rims do
//! not contain: walls that break, chunks that fall silent, chunks that the front opens. A step that
//! is not divided runs them one after the other.

use super::ahead::Ahead;
#[cfg(feature = "snapshot")]
use super::job::Job;
use crate::automata::blast::field::walls::break_walls;
use crate::automata::blast::{BlastShape, BlastWorld};
use crate::coords::{ChunkPos, Face};
use crate::grid::Slot;
use glam::IVec3;
use hashbrown::HashSet;

/// The faces at which a chunk of another column may be.
pub(crate) const SIDES: [Face; 4] = [Face::West, Face::East, Face::North, Face::South];

/// A step between two of its rounds.
pub(crate) struct Underway<S: BlastShape> {
    pub(super) ahead: Ahead<S>,
    /// Where walls have broken.
    pub(super) broken: Vec<IVec3>,
    /// Where walls of ghosts have broken.
    pub(crate) broken_beside: Vec<IVec3>,
    pub(crate) silent: Vec<Silent>,
    /// The number of cells that changed in chunks that fell silent.
    pub(super) absorbed: u64,
    pub(crate) opened: HashSet<Slot>,
    /// The last exchange that it has come to, in a divided world.
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
    /// Whether it is no longer audible.
    pub(crate) has_faded: bool,
}

impl<S: BlastShape> BlastWorld<S> {
    /// Opens the walls that break, and finds the chunks that edits have made inaudible: the first
    /// round. Returns the step, and these chunks.
    pub(crate) fn break_walls_first(&mut self) -> (Underway<S>, Vec<Slot>) {
        let mut ahead = self.ahead.take().unwrap_or_else(|| Ahead::new(Vec::new()));
        let left = ahead.left_of(self.pressure.awake_slots());
        let broken = break_walls(self, ahead.take_broken(), &left);
        self.tick = self.tick.wrapping_add(1);
        let faded = self.recheck_audibility();
        let step = Underway {
            ahead,
            broken,
            broken_beside: Vec::new(),
            silent: Vec::new(),
            absorbed: 0,
            opened: HashSet::new(),
            #[cfg(feature = "snapshot")]
            exchange: 0,
        };
        (step, faded)
    }

    /// Returns the chunks that fall silent, in order of position: the second round.
    pub(crate) fn names_of_silent(&self) -> Vec<Silent> {
        let name = |slot| Silent { chunk: self.pressure.position_at(slot), ghost: None };
        self.falling_silent().into_iter().map(name).collect()
    }

    /// Absorbs the chunks that fall silent, and opens those that the front enters: the third round.
    pub(crate) fn open_chunks(&mut self, step: &mut Underway<S>) {
        step.silent.sort_unstable_by_key(|silent| silent.chunk.sort_key());
        for &Silent { chunk, ghost } in &step.silent {
            let Some(slot) = self.pressure.slot(chunk) else { continue };
            match ghost {
                None => step.absorbed += self.absorb(slot),
                Some(had_any) => self.absorb_ghost(slot, had_any),
            }
        }
        step.opened = self.open_front();
    }

    /// Sets a ghost that has fallen silent to pressure 0, and frees it if it has no obstacles.
    fn absorb_ghost(&mut self, slot: Slot, had_any: bool) {
        self.pressure.chunk_at_mut(slot).fill(0.0);
        self.rims.invalidate(slot);
        let state = &mut self.states[slot.index()];
        (state.flows, state.highest) = (None, 0.0);
        (state.is_audible, state.ghost_is_blank) = (false, Some(true));
        self.end_flows_into(slot);
        if had_any {
            self.wake_with_neighbours(slot);
        }
        if self.ground(slot).is_none() {
            self.states[slot.index()] = Default::default();
            self.pressure.remove(self.pressure.position_at(slot));
        }
    }

    /// Notes which chunks a step of a divided world has stepped.
    #[cfg(feature = "snapshot")]
    pub(super) fn note_stepped(&mut self, jobs: &[Job<S>], faded: &[Slot]) {
        if self.pressure.is_divided() {
            let stepped = |job: &Job<S>| Stepped {
                slot: job.slot,
                touched: job.changes.touched(),
                has_faded: faded.contains(&job.slot),
            };
            self.stepped = jobs.iter().map(stepped).collect();
        }
    }

    /// Returns whether another part owns a column beside a chunk's.
    pub(crate) fn is_beside_foreign(&self, slot: Slot) -> bool {
        self.pressure.is_divided() && self.is_foreign_beside(self.pressure.position_at(slot))
    }

    /// Returns whether another part owns a column beside that of a chunk position.
    pub(crate) fn is_foreign_beside(&self, chunk: ChunkPos) -> bool {
        let is_foreign =
            |&face: &Face| chunk.step(face).is_some_and(|there| self.pressure.is_foreign(there));
        SIDES.iter().take(S::NEIGHBOURS - 2).any(is_foreign)
    }

    /// Wakes the chunks of the cells that a cell of a ghost is linked to.
    pub(crate) fn wake_beside(&mut self, cell: IVec3) {
        for face in Self::FACES {
            let there = face.step(cell).and_then(|there| self.pressure.slot(S::chunk_of(there)));
            there.into_iter().for_each(|slot| self.pressure.wake_chunk_at(slot));
        }
    }
}
