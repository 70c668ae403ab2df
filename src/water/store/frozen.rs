//! Frozen chunks: loaded, and standing still. Frozen chunks and the others are like two worlds: no
//! chunk of one has a neighbour in the other, and the cells across such a face read as held. So the
//! rules of a tick need no case for frozen chunks.
//!
//! Data kept for the whole world covers only the chunks that are not frozen: the list of awake
//! chunks, the heights of the springs, the bodies of water.

use crate::chunk::LAYER_CELLS;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::water::store::Store;

impl Store {
    /// Returns whether a chunk stands still.
    #[inline]
    pub(crate) fn is_frozen(&self, slot: Slot) -> bool {
        self.caches[slot.index()].is_frozen
    }

    /// Returns whether a chunk is loaded across a face, and one of the two is frozen and the other
    /// is not.
    #[inline]
    pub(super) fn is_parted(&self, slot: Slot, face: Face) -> bool {
        self.caches[slot.index()].parted >> face.index() & 1 != 0
    }

    /// Returns the chunk across a face, whether frozen or not; [`Slot::NONE`] where none is loaded.
    pub(crate) fn across(&self, slot: Slot, face: Face) -> Slot {
        if !self.is_parted(slot, face) {
            return self.neighbour(slot, face);
        }
        let beyond = self.grid.position_at(slot).step(face);
        beyond.and_then(|beyond| self.grid.slot(beyond)).unwrap_or(Slot::NONE)
    }

    /// Returns whether the cached parting of a chunk from its neighbours is right.
    pub(super) fn parts_truly(&self, slot: Slot) -> bool {
        Face::ALL.into_iter().all(|face| {
            let there = self.across(slot, face);
            let differs = there.is_some() && self.is_frozen(there) != self.is_frozen(slot);
            self.is_parted(slot, face) == differs
        })
    }

    /// Freezes or thaws chunks, each of which changes its state. Cuts the ties across the faces at
    /// which they become parted from others. Wakes the cells at these faces and at the faces where
    /// a parting ends. The caller tells the pools and the evaporation.
    pub(crate) fn set_frozen(&mut self, slots: &[Slot], is_frozen: bool) {
        self.note_links();
        slots.iter().for_each(|&slot| self.leave_runs_in(slot));
        let joining = self.faces_of(slots, |store, slot, face| store.is_parted(slot, face));
        slots.iter().for_each(|slot| self.caches[slot.index()].is_frozen = is_frozen);
        let parting = self.faces_of(slots, |store, slot, face| {
            let there = store.neighbour(slot, face);
            there.is_some() && store.is_frozen(there) != is_frozen
        });
        self.cut_across(&parting);
        parting.iter().for_each(|&(slot, face)| self.wake_face(slot, face));
        if is_frozen {
            slots.iter().for_each(|&slot| self.wake_depths(slot));
        }
        for &slot in slots {
            self.touch(slot);
            self.note_chunk(slot);
            self.note_unbalanced(slot);
            self.link(slot);
            self.refresh_edges(slot);
            self.count_springs_of(slot, !is_frozen);
        }
        for &(slot, face) in &joining {
            self.note_chunk(slot);
            self.wake_face(slot, face);
        }
        if !is_frozen {
            slots.iter().for_each(|&slot| self.wake_depths(slot));
        }
        // The cells that the sea presses on have changed at both.
        for (slot, face) in parting.into_iter().chain(joining) {
            [slot, self.across(slot, face)].into_iter().for_each(|slot| self.wake_coast(slot));
        }
        match is_frozen {
            true => self.grid.shelve(slots),
            false => self.grid.unshelve(slots),
        }
    }

    /// Restores that a chunk that was just inserted is frozen: wakes and cuts nothing.
    #[cfg(feature = "snapshot")]
    pub(crate) fn restore_frozen(&mut self, slot: Slot) {
        self.caches[slot.index()].is_frozen = true;
        self.link(slot);
        self.refresh_edges(slot);
        self.count_springs_of(slot, false);
        self.grid.shelve(&[slot]);
    }

    /// Returns the faces of chunks for which `is_in` holds.
    fn faces_of(
        &self,
        slots: &[Slot],
        is_in: impl Fn(&Store, Slot, Face) -> bool,
    ) -> Vec<(Slot, Face)> {
        let faces = slots.iter().flat_map(|&slot| Face::ALL.map(|face| (slot, face)));
        faces.filter(|&(slot, face)| is_in(self, slot, face)).collect()
    }

    /// Wakes the cells that may move when the chunks on both sides of a face become neighbours or
    /// cease to be: the cells at the face, the water beside the cells above them, and the water
    /// over them.
    fn wake_face(&mut self, slot: Slot, face: Face) {
        let there = self.across(slot, face);
        self.wake_border(slot, face, CHUNK_CELLS);
        self.wake_border(there, face.opposite(), CHUNK_CELLS);
        let upper = match face {
            Face::Up => there,
            Face::Down => slot,
            _ => return,
        };
        for face in Face::LATERAL {
            self.wake_border(self.neighbour(upper, face), face.opposite(), LAYER_CELLS);
        }
        self.wake_over_floor(upper);
    }
}
