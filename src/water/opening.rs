//! The world as it was when the tick underway began: what is hashed and saved of it, with the number of pieces that are done.

use super::WaterWorld;
use super::ledger::Ledger;
use super::schedule::Phase;
use super::store::LAYER_CELLS;
use super::voxel::Voxel;
use crate::chunk::{Chunk, ones};
use crate::grid::Slot;
use std::borrow::Cow;

impl WaterWorld {
    /// Whether a tick has begun and is not complete.
    pub(super) fn is_underway(&self) -> bool {
        self.pieces_done() > 0
    }

    /// Pieces of the tick underway that are done, or that were when the world was saved; 0 between ticks.
    pub(crate) fn pieces_done(&self) -> u64 {
        match self.work.phase {
            Phase::Rest => self.work.to_redo,
            _ => self.work.pieces,
        }
    }

    /// The account when the tick underway began, if there is one.
    pub(crate) fn opening_ledger(&self) -> Ledger {
        match self.work.phase {
            Phase::Rest => self.ledger,
            _ => self.work.opening,
        }
    }

    /// The cells of a chunk when the tick underway began, if there is one.
    pub(super) fn opening_cells(&self, slot: Slot) -> Cow<'_, Chunk<Voxel>> {
        let mut cells = Cow::Borrowed(self.store.grid.chunk_at(slot));
        if self.work.phase != Phase::Rest {
            for layer in ones(u64::from(self.work.open_layers(slot))) {
                let Some(before) = self.work.get(slot, layer).and_then(|work| work.cells_before()) else { continue };
                cells.to_mut().cells_mut()[layer * LAYER_CELLS..][..LAYER_CELLS].copy_from_slice(before);
            }
        }
        if let Cow::Owned(cells) = &mut cells {
            cells.canonicalize();
        }
        cells
    }
}
