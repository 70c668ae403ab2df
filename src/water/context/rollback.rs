//! The world as it was when the tick underway began: what is hashed and saved of it, with the
//! number of pieces that are done.

use crate::chunk::{Chunk, ones};
use crate::grid::Slot;
use crate::water::WaterWorld;
use crate::water::context::schedule::Phase;
use crate::water::ledger::Ledger;
use crate::water::voxel::Voxel;
use std::borrow::Cow;

impl WaterWorld {
    /// Whether a tick has begun and is not complete.
    pub(crate) fn is_underway(&self) -> bool {
        self.pieces_done() > 0
    }

    /// Pieces of the tick underway that are done, or that were when the world was saved; 0 between
    /// ticks.
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
    pub(crate) fn opening_cells(&self, slot: Slot) -> Cow<'_, Chunk<Voxel>> {
        let mut cells = Cow::Borrowed(self.store.grid.chunk_at(slot));
        if self.work.have_entered() {
            for layer in ones(u64::from(self.work.open_layers(slot))) {
                let Some(work) = self.work.get(slot, layer) else { continue };
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
