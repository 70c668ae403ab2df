//! The sources of a water world, by chunk, and their number.

use crate::chunk::CellMask;
use crate::grid::Slot;
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
        count_sources(store, 1, present);
    }
}

/// Returns the units of water in all sources, frozen chunks left out.
pub(crate) fn units_of_sources(store: &Store) -> u64 {
    store.source_count as u64 * u64::from(FULL)
}

/// Adds the sources of a chunk to their number, or subtracts them.
pub(super) fn count_springs_of(store: &mut Store, slot: Slot, present: bool) {
    let sources = store.caches[slot.index()].sources.as_ref();
    count_sources(store, sources.map_or(0, |sources| sources.len()), present);
}

fn count_sources(store: &mut Store, sources: usize, present: bool) {
    let count = &mut store.source_count;
    *count = if present { *count + sources } else { *count - sources };
}
