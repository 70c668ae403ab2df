//! Lending: chunks of a water world, with their cached data, move to the store of a thread and
//! back.

use crate::grid::{Slot, lend};
use crate::water::store::changed::dirty_layers::keep_dirty_layers;
use crate::water::store::changed::touched::lend_period;
use crate::water::store::wake::PendingChanges;
use crate::water::store::{ChunkCache, Store};

/// Returns a store to which chunks can be lent.
pub(crate) fn borrower(store: &Store) -> Store {
    Store::new(store.bounds, store.edges)
}

/// Moves chunks to `borrower`, which gets a copy of this store's edges.
pub(crate) fn lend(store: &mut Store, borrower: &mut Store, slots: &[Slot]) {
    lend::lend(&mut store.grid, &mut borrower.grid, slots);
    borrower.pending = store.pending.is_some().then(PendingChanges::default);
    borrower.has_runs = store.has_runs;
    if borrower.dirty.is_some() != store.dirty.is_some() {
        keep_dirty_layers(borrower, store.dirty.is_some());
    }
    #[cfg(test)]
    {
        borrower.runs_forbidden = store.runs_forbidden;
        borrower.parking_forbidden = store.parking_forbidden;
    }
    borrower.edges = store.edges;
    borrower.column_edges.clone_from(&store.column_edges);
    lend_period(store, borrower);
    borrower.caches.resize_with(store.caches.len(), ChunkCache::default);
    swap_beside(store, borrower, slots);
}

/// Takes back the chunks that were lent to `borrower`, and its records of changes.
pub(crate) fn take_back(store: &mut Store, borrower: &mut Store, slots: &[Slot]) {
    lend::take_back(&mut store.grid, &mut borrower.grid, slots);
    swap_beside(store, borrower, slots);
    store.links_changed |= core::mem::take(&mut borrower.links_changed);
    if let (Some(dirty), Some(other)) = (&mut store.dirty, &mut borrower.dirty) {
        dirty.append(other);
    }
    if let (Some(pending), Some(mut other)) = (&mut store.pending, borrower.pending.take()) {
        pending.append(&mut other);
    }
}

fn swap_beside(store: &mut Store, borrower: &mut Store, slots: &[Slot]) {
    for slot in slots {
        core::mem::swap(&mut store.caches[slot.index()], &mut borrower.caches[slot.index()]);
    }
}
