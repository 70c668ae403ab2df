//! The sources of a water world, indexed by chunk and by height.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::grid::{LayerId, Slot};
use crate::water::cell::FULL;
use crate::water::store::{Place, Store, boxed};

impl Store {
    /// Returns the source cells of a layer.
    #[inline]
    pub(crate) fn springs(&self, layer: LayerId) -> LayerMask {
        self.caches[layer.slot.index()]
            .sources
            .as_ref()
            .map_or(LayerMask::NONE, |sources| sources.layer(layer.y))
    }

    /// Records whether a cell is a source.
    pub(crate) fn note_source(&mut self, Place { slot, index }: Place, present: bool) {
        let beside = &mut self.caches[slot.index()];
        let mut sources = beside.sources.take().map_or(CellMask::EMPTY, |sources| *sources);
        let was_present = sources.contains(index);
        sources.set(index, present);
        beside.sources = boxed(sources);
        if was_present != present {
            self.note_unbalanced(slot);
        }
        if was_present != present && !self.is_frozen(slot) {
            self.count_sources(LayerId::new(slot, index / LAYER_CELLS), 1, present);
        }
    }

    /// Returns the y of the highest source in the world, frozen chunks left out.
    #[inline]
    pub(crate) fn highest_source(&self) -> Option<i32> {
        self.source_heights.keys().next_back().copied()
    }

    /// Returns the units of water in all sources, frozen chunks left out.
    pub(crate) fn units_of_sources(&self) -> u64 {
        let sources: usize = self.source_heights.values().sum();
        sources as u64 * u64::from(FULL)
    }

    /// Adds the sources of a chunk to the index by height, or removes them.
    pub(super) fn count_springs_of(&mut self, slot: Slot, present: bool) {
        let Some(sources) = self.caches[slot.index()].sources.take() else { return };
        for layer in 0..16 {
            self.count_sources(
                LayerId::new(slot, layer),
                sources.layer(layer).count() as usize,
                present,
            );
        }
        self.caches[slot.index()].sources = Some(sources);
    }

    /// Returns whether the world has any source, frozen chunks left out.
    #[inline]
    pub(crate) fn has_sources(&self) -> bool {
        !self.source_heights.is_empty()
    }

    /// Returns the number of sources in the world, frozen chunks left out.
    pub(crate) fn source_count(&self) -> usize {
        self.source_heights.values().sum()
    }

    fn count_sources(&mut self, layer: LayerId, sources: usize, present: bool) {
        if sources == 0 {
            return;
        }
        let y = self.grid.position_at(layer.slot).y * 16 + layer.y as i32;
        let count = self.source_heights.entry(y).or_default();
        if present {
            *count += sources;
        } else {
            *count -= sources;
        }
        if *count == 0 {
            self.source_heights.remove(&y);
        }
    }
}
