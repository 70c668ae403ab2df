//! Rollback: the world as it was when the tick underway began. Queries, `state_hash` and snapshots
//! read this state.

use crate::chunk::{CellMask, Chunk, ones};
use crate::grid::{LayerId, Slot};
use crate::water::WaterWorld;
use crate::water::context::schedule::Phase;
use crate::water::ledger::Ledger;
use crate::water::store::Place;
use crate::water::store::flow::steady::FaceFlows;
use crate::water::voxel::Voxel;
use std::borrow::Cow;

impl WaterWorld {
    /// Returns whether a tick has begun and is not complete.
    pub(crate) fn is_underway(&self) -> bool {
        self.scratch.phase != Phase::Rest
    }

    /// Returns whether the next tick has begun and is not complete. Making the edits queued before
    /// it counts as having begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.is_underway() || self.queue.has_begun()
    }

    /// Returns the ledger as it was before the tick underway, if there is one.
    pub(crate) fn ledger_before(&self) -> Ledger {
        if self.is_underway() { self.scratch.ledger_before } else { self.ledger }
    }

    /// Returns the number of awake cells before the tick underway, if there is one.
    pub(crate) fn awake_before(&self) -> usize {
        if self.is_underway() && self.scratch.have_entered() {
            self.scratch.awake_before
        } else {
            self.store.grid().awake_cells() + self.store.cells_asleep_in_runs()
        }
    }

    /// Returns the awake cells of a chunk before the tick underway, if there is one.
    pub(crate) fn awake_cells_before(&self, slot: Slot) -> CellMask {
        let mut awake = self.store.awake_before(slot).cloned().unwrap_or(CellMask::EMPTY);
        if self.scratch.have_entered() {
            for layer in ones(u64::from(self.scratch.open_layers(slot))) {
                if let Some(work) = self.scratch.get(LayerId::new(slot, layer)) {
                    awake.set_layer(layer, work.awake_before);
                }
            }
        }
        self.store.add_cells_in_runs(slot, self.scratch.have_entered(), &mut awake);
        awake
    }

    /// Returns a voxel as it was before the tick underway, if there is one.
    pub(crate) fn voxel_before(&self, place: Place) -> Voxel {
        let now = self.store.read(place);
        if !self.scratch.have_entered() {
            return now;
        }
        let record = self.scratch.get(place.layer_id());
        record.and_then(|record| record.before(place.cell())).unwrap_or(now)
    }

    /// Returns the steady flow that leaves a chunk's cells, by index; if a tick is underway, as it
    /// was when the tick began.
    pub(crate) fn steady_before(&self, slot: Slot) -> Vec<(u16, FaceFlows)> {
        if self.scratch.have_entered() {
            self.store.steady_list_before(slot)
        } else {
            self.store.steady_list(slot)
        }
    }

    /// Returns the cells of a chunk as they were before the tick underway, if there is one.
    pub(crate) fn cells_before(&self, slot: Slot) -> Cow<'_, Chunk<Voxel>> {
        let mut cells = Cow::Borrowed(self.store.grid().chunk_at(slot));
        if self.scratch.have_entered() {
            for layer in ones(u64::from(self.scratch.open_layers(slot))) {
                let Some(work) = self.scratch.get(LayerId::new(slot, layer)) else { continue };
                if work.may_have_changed() {
                    work.revert(&mut cells.to_mut().cells_mut().as_chunks_mut().0[layer]);
                }
            }
        }
        if let Cow::Owned(cells) = &mut cells {
            cells.canonicalize();
        }
        cells
    }
}
