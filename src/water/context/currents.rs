//! The currents of the last complete tick, kept while the next one is underway in slices.
//!
//! A record belongs to one tick at a time, so that the tick underway takes over the records of the
//! last one. Before that, the flows of the cells that took part are copied here, two bytes each. A
//! tick that is done in one call cannot be looked at meanwhile, and copies nothing.

use crate::chunk::LayerMask;
use crate::grid::Slot;
use crate::water::context::layer_record::{LayerRecord, NO_FLOW};
use crate::water::store::Place;
use hashbrown::HashMap;

/// The flow records of the cells of a layer that water touched, in order of their indices.
struct Flows {
    cells: LayerMask,
    flows: Box<[u16]>,
}

/// The flows of the last complete tick, by layer.
#[derive(Default)]
pub(crate) struct LastFlows {
    layers: HashMap<(Slot, u8), Flows>,
}

impl LastFlows {
    /// Keeps the flows of a layer (0 to 15) of the last tick.
    pub(crate) fn keep(&mut self, slot: Slot, layer: usize, record: &LayerRecord) {
        let cells = record.touched;
        if cells.any() {
            let flows = cells.iter().map(|cell| record.flow(cell)).collect();
            self.layers.insert((slot, layer as u8), Flows { cells, flows });
        }
    }

    /// Returns the flow record that a cell had.
    pub(crate) fn of(&self, place: Place) -> u16 {
        let Some(layer) = self.layers.get(&(place.slot, place.layer() as u8)) else {
            return NO_FLOW;
        };
        if !layer.cells.contains(place.cell()) {
            return NO_FLOW;
        }
        layer.flows[layer.cells.iter().take_while(|&cell| cell < place.cell()).count()]
    }

    /// Drops them all, and what held them.
    pub(crate) fn clear(&mut self) {
        self.layers = HashMap::new();
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        let in_layers = self.layers.values().map(|layer| size_of_val(&*layer.flows));
        self.layers.allocation_size() + in_layers.sum::<usize>()
    }
}
