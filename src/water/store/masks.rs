//! Bit masks of a dense chunk: one bit a cell, so that a layer is tested in a few words.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::CHUNK_CELLS;
use crate::water::voxel::Voxel;

/// Bit masks of a dense chunk. `wet` and `closed` together distinguish dry, partly full, full and
/// solid cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LayerMasks {
    /// Cells with a height of 1 to 7.
    pub(crate) wet: CellMask,
    /// Cells without room: full, solid, the sea, or a mark other than a drain.
    pub(crate) closed: CellMask,
    /// The sea; `None` if there is none, as in most chunks.
    pub(crate) sea: Option<Box<CellMask>>,
    /// Sources and cells connected to a source; `None` if there are none, as in most chunks.
    pub(crate) connected: Option<Box<CellMask>>,
}

impl LayerMasks {
    pub(crate) fn of(cells: &[Voxel; CHUNK_CELLS]) -> Self {
        let mut masks = LayerMasks {
            wet: CellMask::EMPTY,
            closed: CellMask::EMPTY,
            sea: None,
            connected: None,
        };
        for (layer, cells) in cells.as_chunks::<LAYER_CELLS>().0.iter().enumerate() {
            // Common case: a layer of ground or air, whose cells are all equal.
            let first = cells[0];
            if first.is_connected() || LayerMask::any_cell(cells, |voxel| voxel != first) {
                masks.refresh(layer, cells);
            } else {
                masks.wet.set_layer(layer, LayerMask::all_if(first.is_wet()));
                masks.closed.set_layer(layer, LayerMask::all_if(first.is_closed()));
            }
            if LayerMask::any_cell(cells, Voxel::is_sea) {
                let sea = LayerMask::select(cells, Voxel::is_sea);
                masks.sea.get_or_insert_default().set_layer(layer, sea);
            }
        }
        masks
    }

    /// Recomputes the masks of a layer (0 to 15) from its cells. The sea must not have changed.
    pub(crate) fn refresh(&mut self, layer: usize, cells: &[Voxel; LAYER_CELLS]) {
        self.wet.set_layer(layer, LayerMask::select(cells, Voxel::is_wet));
        self.closed.set_layer(layer, LayerMask::select(cells, Voxel::is_closed));
        let connected = LayerMask::select(cells, Voxel::is_connected);
        if self.connected.is_some() || connected.any() {
            self.connected.get_or_insert_default().set_layer(layer, connected);
            self.drop_empty();
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, index: usize, voxel: Voxel) {
        self.wet.set(index, voxel.is_wet());
        self.closed.set(index, voxel.is_closed());
        if voxel.is_sea() {
            self.sea.get_or_insert_default().insert(index);
        } else if self.sea.as_mut().is_some_and(|sea| sea.remove(index)) {
            self.sea.take_if(|sea| sea.is_empty());
        }
        if voxel.is_connected() {
            self.connected.get_or_insert_default().insert(index);
        } else if self.connected.as_mut().is_some_and(|connected| connected.remove(index)) {
            self.drop_empty();
        }
    }

    /// Replaces an empty mask by `None`, so that equal cells have equal masks.
    fn drop_empty(&mut self) {
        self.connected.take_if(|connected| connected.is_empty());
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let further = [&self.sea, &self.connected].into_iter().flatten().count();
        size_of::<Self>() + further * size_of::<CellMask>()
    }
}
