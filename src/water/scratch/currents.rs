//! The currents of the last complete tick, kept while the next tick is underway in slices.
//!
//! A record belongs to one tick at a time: the tick underway takes over the records of the last
//! tick. Before that, the flows of the cells that took part are copied here, two bytes each. If a
//! tick is done in one call, the world cannot be read meanwhile, and nothing is copied.
//!
//! The layers are in one list, and a sparse array finds them by chunk (sparse set). Dropping them
//! all, as the end of a tick does, takes constant time.

use crate::chunk::LayerMask;
use crate::grid::LayerId;
use crate::water::flow_record::NO_FLOW;
use crate::water::scratch::chunk_record::LayerRecord;
use crate::water::store::Place;

/// A layer with flows.
struct Layer {
    layer: LayerId,
    /// The cells in which water has flowed.
    cells: LayerMask,
    /// Where the flow records of these cells begin. The records are in order of the cells' indices.
    start: usize,
}

/// The flows of the last complete tick, by layer.
#[derive(Default)]
pub(crate) struct LastFlows {
    /// For each slot, where its first layer is in `layers`. Valid only if that layer belongs to
    /// this slot.
    first: Vec<u32>,
    /// The layers of a chunk follow one another.
    layers: Vec<Layer>,
    flows: Vec<u16>,
}

impl LastFlows {
    /// Keeps the flows of a layer of the last tick. The layers of a chunk must be kept
    /// one after the other.
    pub(crate) fn keep(&mut self, layer: LayerId, record: LayerRecord) {
        let cells = record.flowed();
        if cells.is_empty() {
            return;
        }
        if self.layers.last().is_none_or(|last| last.layer.slot != layer.slot) {
            if self.first.len() <= layer.slot.index() {
                self.first.resize(layer.slot.index() + 1, 0);
            }
            self.first[layer.slot.index()] = self.layers.len() as u32;
        }
        self.layers.push(Layer { layer, cells, start: self.flows.len() });
        self.flows.extend(cells.iter().map(|cell| record.flow(cell)));
    }

    /// Returns the flow record that a cell had in the last complete tick.
    pub(crate) fn of(&self, place: Place) -> u16 {
        let first = self.first.get(place.slot.index()).map_or(usize::MAX, |&first| first as usize);
        let of_chunk = self.layers.get(first..).unwrap_or_default();
        let of_chunk = of_chunk.iter().take_while(|kept| kept.layer.slot == place.slot);
        let found = of_chunk.into_iter().find(|kept| kept.layer == place.layer_id());
        match found {
            Some(layer) if layer.cells.contains(place.cell()) => {
                let before = layer.cells.iter().take_while(|&cell| cell < place.cell()).count();
                self.flows[layer.start + before]
            }
            _ => NO_FLOW,
        }
    }

    /// Drops all layers. Their buffers are kept for the next tick in slices.
    pub(crate) fn clear(&mut self) {
        self.layers.clear();
        self.flows.clear();
    }

    /// Frees the buffers.
    pub(crate) fn free(&mut self) {
        *self = LastFlows::default();
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.first.capacity() * size_of::<u32>()
            + self.layers.capacity() * size_of::<Layer>()
            + self.flows.capacity() * size_of::<u16>()
    }
}
