//! The extent of a world of pressure, set by the code above it: which chunks pressure may enter,
//! which of them stand still, and how fast pressure fades.
//!
//! Pressure leaves at the faces of chunks that it may not enter, as over an open border, so none
//! gathers there. No pressure passes the faces of a chunk that stands still, as at a rigid border,
//! and no step visits it; edits do.

use super::field::flows::Conductances;
use super::field::space::{axis, outermost, plane_cells};
use super::{BlastShape, BlastWorld};
use crate::coords::{ChunkPos, Face};
use crate::grid::Slot;
use hashbrown::HashSet;

impl<S: BlastShape> BlastWorld<S> {
    /// Returns whether pressure may enter a chunk.
    pub(crate) fn admits(&self, chunk: ChunkPos) -> bool {
        self.space.admits(chunk)
    }

    /// Confines pressure to [admitted](BlastWorld::admit) chunks from now on. There must be no
    /// chunk.
    pub(crate) fn confine(&mut self) {
        debug_assert!(self.is_empty(), "a chunk that pressure may not enter");
        self.space.extent = Some(HashSet::new());
    }

    /// Lets pressure enter a chunk of a confined world. Flows that left the world there end.
    pub(crate) fn admit(&mut self, chunk: ChunkPos) {
        if self.restore_admitted(chunk) {
            for (face, there) in self.beside(chunk) {
                self.end_flows_across(there, face.opposite());
                self.pressure.wake_chunk_at(there);
            }
        }
    }

    /// Restores that a chunk is admitted: wakes and ends nothing. Returns whether it was not
    /// admitted.
    pub(crate) fn restore_admitted(&mut self, chunk: ChunkPos) -> bool {
        self.space.extent.as_mut().is_some_and(|extent| extent.insert(chunk))
    }

    /// Stops pressure from entering a chunk, which must have been removed.
    pub(crate) fn dismiss(&mut self, chunk: ChunkPos) {
        debug_assert!(self.pressure.slot(chunk).is_none(), "chunk {chunk} is there");
        if self.space.extent.as_mut().is_some_and(|extent| extent.remove(&chunk)) {
            for (_, there) in self.beside(chunk) {
                self.pressure.wake_chunk_at(there);
            }
        }
    }

    /// Admits pressure only to the admitted chunks for which `keeps` holds. The others must not be
    /// loaded.
    pub(crate) fn retain_admitted(&mut self, keeps: impl Fn(ChunkPos) -> bool) {
        let admitted = self.space.extent.iter().flatten().copied();
        let gone: Vec<ChunkPos> = admitted.filter(|&chunk| !keeps(chunk)).collect();
        gone.into_iter().for_each(|chunk| self.dismiss(chunk));
    }

    /// Stops or resumes a chunk, loaded or not. Flows across its faces end.
    pub(crate) fn set_still(&mut self, chunk: ChunkPos, is_still: bool) {
        if self.space.still.contains(&chunk) == is_still {
            return;
        }
        let slot = self.pressure.slot(chunk);
        for (face, there) in self.beside(chunk) {
            self.end_flows_across(there, face.opposite());
            self.states[there.index()].conductances = Conductances::Unknown;
            self.pressure.wake_chunk_at(there);
        }
        match is_still {
            true => _ = self.space.still.insert(chunk),
            false => _ = self.space.still.remove(&chunk),
        }
        let Some(slot) = slot else { return };
        Self::FACES.iter().for_each(|&face| self.end_flows_across(slot, face));
        self.states[slot.index()].conductances = Conductances::Unknown;
        if is_still {
            self.pressure.shelve(&[slot]);
        } else {
            self.pressure.unshelve(&[slot]);
            self.pressure.wake_chunk_at(slot);
        }
    }

    /// Restores that a chunk that is not loaded stands still: wakes nothing.
    #[cfg(feature = "snapshot")]
    pub(crate) fn restore_still(&mut self, chunk: ChunkPos) {
        self.space.still.insert(chunk);
    }

    /// Returns whether a chunk stands still.
    pub(crate) fn is_still(&self, chunk: ChunkPos) -> bool {
        self.space.still.contains(&chunk)
    }

    /// Sets the share of each pressure that remains after a step, 0 to 1. Faded pressure counts as
    /// removed, or as placed if it was below 0.
    pub(crate) fn keep(&mut self, share: f32) {
        self.keep = share;
    }

    /// Returns the loaded chunks that share a face with a chunk, by its faces.
    fn beside(&self, chunk: ChunkPos) -> Vec<(Face, Slot)> {
        let there = |&face: &Face| Some((face, self.pressure.slot(chunk.step(face)?)?));
        Self::FACES.iter().filter_map(there).collect()
    }

    /// Ends the flow out of a chunk across a face.
    fn end_flows_across(&mut self, slot: Slot, face: Face) {
        for index in plane_cells::<S>(axis(face), outermost::<S>(face)) {
            let flows = self.states[slot.index()].flows.as_ref();
            if flows.is_some_and(|flows| flows.at::<S>(face, index) != 0.0) {
                self.set_flow(slot, face, index, 0.0);
            }
        }
    }
}
