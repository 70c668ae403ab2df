//! The address of a stored cell.

use crate::chunk::LAYER_CELLS;
use crate::grid::{LayerId, Slot};

/// A cell by slot and local index; the slot may be [`Slot::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) slot: Slot,
    pub(crate) index: usize,
}

impl Place {
    #[inline]
    pub(crate) const fn new(slot: Slot, index: usize) -> Self {
        Place { slot, index }
    }

    /// Returns the address of a cell (0 to 255) of a layer.
    #[inline]
    pub(crate) const fn in_layer(layer: LayerId, cell: usize) -> Self {
        Place { slot: layer.slot, index: layer.y * LAYER_CELLS + cell }
    }

    /// Returns whether the cell's chunk is loaded.
    #[inline]
    pub(crate) fn is_some(self) -> bool {
        self.slot.is_some()
    }

    /// Returns the layer that holds the cell.
    #[inline]
    pub(crate) const fn layer_id(self) -> LayerId {
        LayerId::new(self.slot, self.layer())
    }

    /// Returns the cell's layer in its chunk, 0 to 15.
    #[inline]
    pub(crate) const fn layer(self) -> usize {
        self.index / LAYER_CELLS
    }

    /// Returns the cell's index in its layer, 0 to 255.
    #[inline]
    pub(crate) const fn cell(self) -> usize {
        self.index % LAYER_CELLS
    }
}
