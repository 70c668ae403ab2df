//! Silence: which chunks take part in a step. Chunks below the threshold are absorbed and closed,
//! and audible pressure opens the closed chunks that it is about to enter.

use super::formulas::{diffusive_flux, quantized};
use crate::automata::blast::field::conductances::conductance_at;
use crate::automata::blast::field::space::{Beyond, axis, plane_cells};
use crate::automata::blast::ledger::sum_of;
use crate::automata::blast::rules::Rule;
use crate::automata::blast::{BlastShape, BlastWorld, ChunkState};
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, ChunkPos, Face};
use crate::grid::Slot;
use hashbrown::HashSet;
use smallvec::SmallVec;

impl<S: BlastShape> BlastWorld<S> {
    /// Returns whether a chunk is at pressure 0 and has no flows.
    pub(crate) fn is_blank(&self, slot: Slot) -> bool {
        let state = &self.states[slot.index()];
        let is_blank =
            || self.pressure.chunk_at(slot).as_uniform() == Some(0.0) && state.flows.is_none();
        state.ghost_is_blank.unwrap_or_else(is_blank)
    }

    /// Returns whether the chunk at a chunk position, loaded or not, is at pressure 0 and has no
    /// flows.
    pub(crate) fn is_blank_at(&self, chunk: ChunkPos) -> bool {
        self.pressure.slot(chunk).is_none_or(|slot| self.is_blank(slot))
    }

    /// Returns whether a chunk, loaded or not, is closed, so that it takes no part in this step.
    pub(crate) fn is_closed(&self, slot: Slot, opened: &HashSet<Slot>) -> bool {
        !slot.is_some() || self.is_blank(slot) && !opened.contains(&slot)
    }

    /// Returns whether a pressure or a flow of a chunk reaches the threshold.
    pub(crate) fn reaches_threshold(&self, slot: Slot) -> bool {
        self.states[slot.index()].reaches(self.pressure.chunk_at(slot), self.audible())
    }

    /// Returns whether a chunk marked as audible is below the threshold.
    pub(crate) fn has_faded(&self, slot: Slot) -> bool {
        self.states[slot.index()].is_audible && !self.reaches_threshold(slot)
    }

    /// Returns whether neither a chunk nor any chunk next to it is audible.
    pub(crate) fn is_quiet_around(&self, slot: Slot) -> bool {
        let is_audible = |slot: Slot| self.states[slot.index()].is_audible;
        !is_audible(slot) && !self.chunks_behind(slot).iter().any(|&(_, there)| is_audible(there))
    }

    /// Opens the silent chunks that audible pressure is about to enter, and creates the missing
    /// chunks among them. All other silent chunks stay closed: pressure below the threshold does
    /// not seep into them, or an explosion would drain away across the borders of the chunks that
    /// it has reached.
    ///
    /// The neighbours of an opened chunk wake with it: its faces were closed to them, and now
    /// pressure flows across its faces.
    pub(crate) fn open_front(&mut self) -> HashSet<Slot> {
        let mut opened = HashSet::new();
        for slot in self.pressure.awake_slots().to_vec() {
            for there in self.front_of(slot) {
                let there = self.ensure_chunk(there);
                self.wake_with_neighbours(there);
                opened.insert(there);
            }
        }
        opened
    }

    /// Returns whether pressure is about to enter a silent chunk, loaded or not.
    pub(crate) fn is_about_to_open(&self, chunk: ChunkPos) -> bool {
        let behind = |&face: &Face| match self.space.side::<S>(chunk, face).beyond {
            Beyond::There(there) => self.pressure.slot(there),
            Beyond::Open | Beyond::Rigid => None,
        };
        Self::FACES.iter().filter_map(behind).any(|slot| self.front_of(slot).contains(&chunk))
    }

    /// Returns the silent chunks, loaded or not, that a chunk's pressure is about to enter.
    pub(crate) fn front_of(&self, slot: Slot) -> SmallVec<[ChunkPos; 6]> {
        if self.is_blank(slot) {
            return SmallVec::new();
        }
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let entered = |&face: &Face| {
            // Fast path: this neighbour is not silent.
            if neighbours[face.index()].is_some() && !self.is_blank(neighbours[face.index()]) {
                return None;
            }
            let side = self.space.side::<S>(chunk, face);
            let Beyond::There(there) = side.beyond else { return None };
            let beyond = self.slot_behind(&neighbours, face, &side);
            let is_silent = !beyond.is_some() || self.is_blank(beyond);
            let mut rim = plane_cells::<S>(axis(face), side.plane);
            (is_silent && rim.any(|index| self.enters(slot, index, face))).then_some(there)
        };
        Self::FACES.iter().filter_map(entered).collect()
    }

    /// Returns whether a cell's pressure is audible and would flow across its face into a silent
    /// chunk.
    fn enters(&self, slot: Slot, index: usize, face: Face) -> bool {
        let pressure = self.pressure.chunk_at(slot).get(index);
        if pressure.abs() < self.audible() {
            return false;
        }
        let flow = diffusive_flux(conductance_at(self, slot, index, face), pressure, 0.0);
        let damping =
            if let Rule::Wave { damping, .. } = self.rules.rule { damping as f32 } else { 1.0 };
        quantized(damping * flow, pressure.abs()) != 0.0
    }

    /// Returns the chunks that fall silent, in order of position: the chunks that are inaudible and
    /// have no audible neighbour. Inaudible chunks next to an audible one are kept, since the front
    /// may be about to enter them.
    ///
    /// Only awake chunks are checked: a chunk that fades wakes its neighbours.
    pub(crate) fn falling_silent(&self) -> Vec<Slot> {
        let awake = self.pressure.awake_slots().iter().copied();
        let mut silent: Vec<Slot> = awake.filter(|&slot| self.is_quiet_around(slot)).collect();
        self.pressure.sort_slots(&mut silent);
        silent
    }

    /// Recomputes which chunks are audible after edits that lowered pressures or flows. Such chunks
    /// are awake. Returns the chunks that are no longer audible.
    pub(crate) fn recheck_audibility(&mut self) -> Vec<Slot> {
        let needs_check = |&slot: &Slot| self.states[slot.index()].needs_audibility_check;
        let to_check: Vec<Slot> =
            self.pressure.awake_slots().iter().copied().filter(needs_check).collect();
        let mut faded = Vec::new();
        for slot in to_check {
            self.states[slot.index()].needs_audibility_check = false;
            if self.has_faded(slot) {
                self.states[slot.index()].is_audible = false;
                self.wake_with_neighbours(slot);
                faded.push(slot);
            }
        }
        faded
    }

    /// Absorbs the pressure of a chunk that falls silent, and frees it if it is without walls,
    /// removed cells and weights. Returns the number of cells that changed.
    pub(crate) fn absorb(&mut self, slot: Slot) -> u64 {
        let chunk = self.pressure.chunk_at_mut(slot);
        self.books.absorb(sum_of(chunk));
        let flows = self.states[slot.index()].flows.as_ref();
        let flowing = |index: usize| {
            flows.is_some_and(|flows| {
                Self::FACES.iter().any(|&face| flows.at::<S>(face, index) != 0.0)
            })
        };
        let mut changed = CellMask::EMPTY;
        for index in (0..CHUNK_CELLS).filter(|&index| chunk.get(index) != 0.0 || flowing(index)) {
            changed.insert(index);
        }
        chunk.fill(0.0);
        self.rims.invalidate(slot);
        (self.states[slot.index()].flows, self.states[slot.index()].highest) = (None, 0.0);
        self.end_flows_into(slot);
        if !changed.is_empty() {
            self.pressure.mark_changes_at(slot, &changed);
            for (_, there) in self.chunks_behind(slot) {
                self.pressure.wake_chunk_at(there);
            }
        }
        if self.ground(slot).is_none() {
            self.free(slot);
        }
        changed.len() as u64
    }

    /// Frees a chunk at pressure 0, and keeps its changed cells for the next list of changes.
    pub(crate) fn free(&mut self, slot: Slot) {
        let position = self.pressure.position_at(slot);
        if let (Some(changed), false) =
            (self.pressure.changed_at(slot), self.states[slot.index()].is_unreported)
        {
            self.freed.entry(position).or_default().union_with(changed);
        }
        self.states[slot.index()] = ChunkState::default();
        self.pressure.remove(position);
    }

    /// Ends the flows from other chunks into a silent chunk, and wakes the other chunks.
    pub(crate) fn end_flows_into(&mut self, slot: Slot) {
        let chunk = self.pressure.position_at(slot);
        for (face, there) in self.chunks_behind(slot) {
            let side = self.space.side::<S>(self.pressure.position_at(there), face.opposite());
            let Some(flows) = &self.states[there.index()].flows else { continue };
            let flowing = |&index: &usize| flows.at::<S>(face.opposite(), index) != 0.0;
            let ended: Vec<usize> =
                plane_cells::<S>(axis(face), side.plane).filter(flowing).collect();
            if ended.is_empty() {
                continue;
            }
            ended.into_iter().for_each(|index| self.set_flow(there, face.opposite(), index, 0.0));
            if self.pressure.position_at(there) != chunk {
                self.pressure.wake_chunk_at(there);
            }
        }
    }
}
