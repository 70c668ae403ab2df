//! Where the sources of a water world are: by chunk, and by height.

use super::{LAYER_CELLS, Place, Store};
use crate::grid::Slot;

impl Store {
    /// Local indices of the chunk's source cells, ascending.
    #[inline]
    pub(in crate::water) fn sources(&self, slot: Slot) -> &[u16] {
        self.beside[slot.index()].rarities.as_ref().map_or(&[], |rarities| &rarities.sources)
    }

    pub(in crate::water) fn note_source(&mut self, (slot, index): Place, present: bool) {
        let beside = &mut self.beside[slot.index()];
        let mut rarities = beside.rarities.take().unwrap_or_default();
        let found = rarities.sources.binary_search(&(index as u16));
        match (found, present) {
            (Err(at), true) => rarities.sources.insert(at, index as u16),
            (Ok(at), false) => {
                rarities.sources.remove(at);
            }
            _ => {}
        }
        beside.rarities = rarities.boxed();
        if found.is_ok() != present {
            self.count_sources(slot, &[index as u16], present);
        }
    }

    /// The height of the lowest source in the world.
    #[inline]
    pub(in crate::water) fn lowest_source(&self) -> Option<i32> {
        self.source_heights.keys().next().copied()
    }

    /// The height of the highest source in the world.
    #[inline]
    pub(in crate::water) fn highest_source(&self) -> Option<i32> {
        self.source_heights.keys().next_back().copied()
    }

    pub(super) fn count_sources(&mut self, slot: Slot, sources: &[u16], present: bool) {
        let bottom = self.grid.position_at(slot).y * 16;
        for &index in sources {
            let y = bottom + i32::from(index) / LAYER_CELLS as i32;
            let count = self.source_heights.entry(y).or_default();
            if present {
                *count += 1;
            } else {
                *count -= 1;
            }
            if *count == 0 {
                self.source_heights.remove(&y);
            }
        }
    }
}
