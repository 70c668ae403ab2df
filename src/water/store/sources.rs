//! The sources of a water world, indexed by chunk and by height.

use crate::chunk::{CellMask, LAYER_CELLS};
use crate::grid::{LayerId, Slot};
use crate::water::cell::FULL;
use crate::water::store::{Place, Store, boxed};

/// Records whether a cell is a source.
pub(crate) fn note_source(store: &mut Store, Place { slot, index }: Place, present: bool) {
    let beside = &mut store.caches[slot.index()];
    let mut sources = beside.sources.take().map_or(CellMask::EMPTY, |sources| *sources);
    let was_present = sources.contains(index);
    sources.set(index, present);
    beside.sources = boxed(sources);
    if was_present != present {
        store.note_unbalanced(slot);
    }
    if was_present != present && !store.is_frozen(slot) {
        count_sources(store, LayerId::new(slot, index / LAYER_CELLS), 1, present);
    }
}

/// Returns the y of the highest source in the world, frozen chunks left out.
#[inline]
pub(crate) fn highest_source(store: &Store) -> Option<i32> {
    store.source_heights.keys().next_back().copied()
}

/// Returns the units of water in all sources, frozen chunks left out.
pub(crate) fn units_of_sources(store: &Store) -> u64 {
    let sources: usize = store.source_heights.values().sum();
    sources as u64 * u64::from(FULL)
}

/// Adds the sources of a chunk to the index by height, or removes them.
pub(super) fn count_springs_of(store: &mut Store, slot: Slot, present: bool) {
    let Some(sources) = store.caches[slot.index()].sources.take() else { return };
    for layer in 0..16 {
        count_sources(
            store,
            LayerId::new(slot, layer),
            sources.layer(layer).count() as usize,
            present,
        );
    }
    store.caches[slot.index()].sources = Some(sources);
}

/// Returns whether the world has any source, frozen chunks left out.
#[inline]
pub(crate) fn has_sources(store: &Store) -> bool {
    !store.source_heights.is_empty()
}

/// Returns the number of sources in the world, frozen chunks left out.
pub(crate) fn source_count(store: &Store) -> usize {
    store.source_heights.values().sum()
}

fn count_sources(store: &mut Store, layer: LayerId, sources: usize, present: bool) {
    if sources == 0 {
        return;
    }
    let y = store.grid.position_at(layer.slot).y * 16 + layer.y as i32;
    let count = store.source_heights.entry(y).or_default();
    if present {
        *count += sources;
    } else {
        *count -= sources;
    }
    if *count == 0 {
        store.source_heights.remove(&y);
    }
}
