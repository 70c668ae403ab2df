//! The note of a cell in the log of a tick: ten bytes.

use crate::chunk::LAYER_CELLS;
use crate::water::scratch::chunk_record::MARKS;
use crate::water::voxel::Voxel;

/// The bit of a note whose cell is saved. The bits below it are the marks: see [`Mark`].
pub(super) const SAVED: u8 = 1 << MARKS;

/// A tick's note of one cell.
#[derive(Clone, Copy)]
pub(super) struct Note {
    /// The flow record.
    pub(super) flow: u16,
    /// The cell as it was before the tick, once it is saved.
    pub(super) before: Voxel,
    /// The index of the cell in the chunk.
    pub(super) index: u16,
    /// The index of the next note of the same layer, or [`NONE`].
    pub(super) next: u16,
    /// The faces, by bit, that water entered through.
    pub(super) inflow: u8,
    pub(super) marks: u8,
}

impl Note {
    #[inline]
    pub(super) fn layer(&self) -> usize {
        usize::from(self.index) / LAYER_CELLS
    }

    #[inline]
    pub(super) fn cell(&self) -> usize {
        usize::from(self.index) % LAYER_CELLS
    }

    /// Saves the cell, unless it is saved.
    #[inline]
    pub(super) fn save(&mut self, now: Voxel) {
        if self.marks & SAVED == 0 {
            (self.before, self.marks) = (now, self.marks | SAVED);
        }
    }
}
