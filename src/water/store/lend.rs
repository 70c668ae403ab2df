//! Lending: chunks of a water world, with their cached data, move to the store of a thread and
//! back.

use crate::grid::Slot;
use crate::water::store::wake::PendingChanges;
use crate::water::store::{ChunkCache, Store};

impl Store {
    /// Returns a store to which chunks can be lent.
    pub(crate) fn borrower(&self) -> Store {
        let mut borrower = Store::new(self.bounds, self.edges);
        borrower.keep_dirty_layers(self.dirty.is_some());
        borrower
    }

    /// Moves chunks to `borrower`, which gets a copy of this store's edges and springs.
    pub(crate) fn lend(&mut self, borrower: &mut Store, slots: &[Slot]) {
        self.grid.lend(&mut borrower.grid, slots);
        borrower.pending = self.pending.is_some().then(PendingChanges::default);
        borrower.has_runs = self.has_runs;
        borrower.edges = self.edges;
        borrower.column_edges.clone_from(&self.column_edges);
        self.lend_period(borrower);
        borrower.source_heights.clone_from(&self.source_heights);
        borrower.caches.resize_with(self.caches.len(), ChunkCache::default);
        self.swap_beside(borrower, slots);
    }

    /// Takes back the chunks that were lent to `borrower`, and its records of changes.
    pub(crate) fn take_back(&mut self, borrower: &mut Store, slots: &[Slot]) {
        self.grid.take_back(&mut borrower.grid, slots);
        self.swap_beside(borrower, slots);
        self.links_changed |= core::mem::take(&mut borrower.links_changed);
        if let (Some(dirty), Some(other)) = (&mut self.dirty, &mut borrower.dirty) {
            dirty.append(other);
        }
        if let (Some(pending), Some(mut other)) = (&mut self.pending, borrower.pending.take()) {
            pending.append(&mut other);
        }
    }

    fn swap_beside(&mut self, borrower: &mut Store, slots: &[Slot]) {
        for slot in slots {
            core::mem::swap(&mut self.caches[slot.index()], &mut borrower.caches[slot.index()]);
        }
    }
}
