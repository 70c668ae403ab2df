//! Bit masks of a dense chunk: one bit a cell, so that a layer is tested in a few words.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::CHUNK_CELLS;
use crate::water::voxel::Voxel;

/// Bit masks of a dense chunk. `wet` and `closed` together distinguish dry, partly full, full and
/// solid cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LayerMasks {
    /// Height 1 to 7.
    pub(crate) wet: CellMask,
    /// No room: full, solid, or a mark other than a drain.
    pub(crate) closed: CellMask,
    /// The layers, by bit, whose cells are all full of water.
    pub(crate) full_layers: u16,
    /// Sources and cells connected to one; `None` if there are none, as in most chunks.
    pub(crate) connected: Option<Box<CellMask>>,
}

impl LayerMasks {
    pub(crate) fn of(cells: &[Voxel; CHUNK_CELLS]) -> Self {
        let mut masks = LayerMasks {
            wet: CellMask::EMPTY,
            closed: CellMask::EMPTY,
            full_layers: 0,
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
                masks.full_layers |= u16::from(first.is_wet() && first.is_closed()) << layer;
            }
        }
        masks
    }

    /// Recomputes the masks of a layer (0 to 15) from its cells.
    pub(crate) fn refresh(&mut self, layer: usize, cells: &[Voxel; LAYER_CELLS]) {
        self.wet.set_layer(layer, LayerMask::select(cells, Voxel::is_wet));
        self.closed.set_layer(layer, LayerMask::select(cells, Voxel::is_closed));
        self.note_full(layer, true);
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
        self.note_full(index / LAYER_CELLS, voxel.is_wet() && voxel.is_closed());
        if voxel.is_connected() {
            self.connected.get_or_insert_default().insert(index);
        } else if self.connected.as_mut().is_some_and(|connected| connected.remove(index)) {
            self.drop_empty();
        }
    }

    /// Updates the layer's bit in `full_layers`; `may_be` is a necessary condition for it.
    #[inline]
    fn note_full(&mut self, layer: usize, may_be: bool) {
        let is_full =
            may_be && (self.wet.layer(layer) & self.closed.layer(layer)) == LayerMask::ALL;
        self.full_layers = self.full_layers & !(1 << layer) | u16::from(is_full) << layer;
    }

    /// Replaces an empty mask by `None`, so that equal cells have equal masks.
    fn drop_empty(&mut self) {
        self.connected.take_if(|connected| connected.is_empty());
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.connected.as_ref().map_or(0, |_| size_of::<CellMask>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Face;
    use crate::water::cell::FULL;
    use crate::water::context::test_worlds;

    #[test]
    fn a_layer_is_full_if_each_of_its_cells_is() {
        let mut random = fastrand::Rng::with_seed(14);
        let mut cells = [Voxel::OPEN; CHUNK_CELLS];
        let mut masks = LayerMasks::of(&cells);
        let mut full = 0;
        for round in 0..600 {
            let layer = random.usize(..16);
            let of_layer = layer * LAYER_CELLS..(layer + 1) * LAYER_CELLS;
            match random.u8(..4) {
                0 => {
                    cells[of_layer.clone()].fill_with(|| {
                        Voxel::OPEN
                            .with_height(FULL)
                            .with_direction(Face::from_index(random.u8(..7)))
                    });
                    masks.refresh(layer, (&cells[of_layer]).try_into().expect("a layer"));
                }
                1 => {
                    cells[of_layer].fill(test_worlds::voxel(&mut random));
                    masks = LayerMasks::of(&cells);
                }
                _ => {
                    let index = random.usize(of_layer);
                    cells[index] = Voxel::OPEN.with_height(random.u8(5..8));
                    masks.set(index, cells[index]);
                }
            }
            let is_full = |layer: &usize| {
                cells[layer * LAYER_CELLS..][..LAYER_CELLS].iter().all(|cell| cell.height() == FULL)
            };
            let expected = (0..16).filter(is_full).fold(0, |layers, layer| layers | 1 << layer);
            full += u32::from(expected != 0);
            assert_eq!(masks.full_layers, expected, "round {round}");
        }
        assert!(full > 300, "full in {full} rounds");
    }
}
