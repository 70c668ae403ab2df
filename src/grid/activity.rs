//! Which cells are awake and which have changed: per-chunk masks, and lists of the chunks that have any.
//!
//! Plain storage marks nothing by itself: a rule knows which of its writes matter, so it says so.

use super::{Grid, Slot, order_key};
use crate::chunk::CellMask;
use crate::coords::Shape;
use glam::IVec3;

impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Marks a cell awake; `false` if its chunk is missing, and then nothing is marked.
    pub fn wake(&mut self, position: IVec3) -> bool {
        let slot = self.slot(S::chunk_of(position));
        if let Some(slot) = slot {
            self.wake_at(slot, S::index_of(position));
        }
        slot.is_some()
    }

    /// Cells marked awake.
    pub fn awake_cells(&self) -> usize {
        self.awake.iter().filter_map(|&slot| self.awake_at(slot)).map(CellMask::len).sum()
    }

    /// The chunks with awake cells and those cells, in order of position. Costs what is awake, not what is stored.
    pub fn awake_chunks(&self) -> impl Iterator<Item = (IVec3, &CellMask)> {
        let mut slots = self.awake.clone();
        self.sort_slots(&mut slots);
        slots.into_iter().filter_map(|slot| Some((self.position_at(slot), self.awake_at(slot)?)))
    }

    /// Marks a cell changed; `false` if its chunk is missing, and then nothing is marked.
    pub fn mark_changed(&mut self, position: IVec3) -> bool {
        let slot = self.slot(S::chunk_of(position));
        if let Some(slot) = slot {
            self.mark_changed_at(slot, S::index_of(position));
        }
        slot.is_some()
    }

    /// The chunks with changed cells and those cells, in order of position; from here on none is changed.
    pub fn take_changes(&mut self) -> Vec<(IVec3, CellMask)> {
        let mut slots = core::mem::take(&mut self.changed);
        self.sort_slots(&mut slots);
        let take =
            |slot: Slot| Some((self.entries[slot.index()].position, *self.entries[slot.index()].changed.take()?));
        slots.into_iter().filter_map(take).collect()
    }

    #[inline]
    pub(crate) fn wake_at(&mut self, slot: Slot, index: usize) {
        let entry = &mut self.entries[slot.index()];
        let awake = entry.awake.get_or_insert_with(|| {
            self.awake.push(slot);
            Box::default()
        });
        awake.insert(index);
    }

    /// Marks 256 consecutive cells awake, those of the set bits; `layer` is 0 to 15.
    #[inline]
    pub(crate) fn wake_layer_at(&mut self, slot: Slot, layer: usize, bits: [u64; 4]) {
        let entry = &mut self.entries[slot.index()];
        let awake = entry.awake.get_or_insert_with(|| {
            self.awake.push(slot);
            Box::default()
        });
        for (word, more) in awake.words_mut()[layer * 4..][..4].iter_mut().zip(bits) {
            *word |= more;
        }
    }

    #[inline]
    pub(crate) fn mark_changed_at(&mut self, slot: Slot, index: usize) {
        let entry = &mut self.entries[slot.index()];
        let changed = entry.changed.get_or_insert_with(|| {
            self.changed.push(slot);
            Box::default()
        });
        changed.insert(index);
    }

    /// Marks 256 consecutive cells changed, those of the set bits; `layer` is 0 to 15.
    #[inline]
    pub(crate) fn mark_layer_changed_at(&mut self, slot: Slot, layer: usize, bits: [u64; 4]) {
        let entry = &mut self.entries[slot.index()];
        let changed = entry.changed.get_or_insert_with(|| {
            self.changed.push(slot);
            Box::default()
        });
        for (word, more) in changed.words_mut()[layer * 4..][..4].iter_mut().zip(bits) {
            *word |= more;
        }
    }

    /// The chunks with awake cells, in no particular order.
    pub(crate) fn awake_slots(&self) -> &[Slot] {
        &self.awake
    }

    /// The awake mask of a chunk in the awake list, to change.
    #[inline]
    pub(crate) fn awake_at_mut(&mut self, slot: Slot) -> Option<&mut CellMask> {
        self.entries[slot.index()].awake.as_deref_mut()
    }

    /// Takes the chunks whose awake masks have become empty out of the awake list.
    pub(crate) fn drop_sleepers(&mut self) {
        let entries = &mut self.entries;
        self.awake.retain(|slot| {
            let awake = &mut entries[slot.index()].awake;
            if awake.as_ref().is_some_and(|mask| mask.is_empty()) {
                *awake = None;
            }
            awake.is_some()
        });
    }

    /// Sorts slots by the positions of their chunks.
    pub(crate) fn sort_slots(&self, slots: &mut [Slot]) {
        slots.sort_unstable_by_key(|&slot| order_key(self.position_at(slot)));
    }
}
