//! Parked films: connected cells that wait for a draw and do nothing else. Without the rule of
//! pools, full cells that wait to draw for the cell above them are parked, too.
//!
//! The last tick drew nothing into a parked film, moved no water in it except steady flow, and did
//! not wake it. So the flow, the search for bodies and the ebb would find nothing to do, and skip
//! it. The draws, the sea and fixtures visit it as an awake cell; its bit is in the mask of awake
//! cells.
//!
//! The set of parked films is not part of the state, and changes no byte: each wake removes the
//! woken cells from the set; see [`Store::wake_layer`]. In a tick, a wake must also mark the cell
//! as [woken](crate::water::scratch::chunk_record::Mark::Woken): a film that is no longer parked
//! falls asleep unless it is marked as woken or waiting. Only budgets notice parked films: a call
//! with a budget does more of a tick.

use crate::chunk::LayerMask;
use crate::grid::{LayerId, Slot};
use crate::water::store::{Place, Store};

/// Returns the parked films of a layer.
#[inline]
pub(crate) fn parked(store: &Store, layer: LayerId) -> LayerMask {
    let parked = store.caches[layer.slot.index()].parked.as_ref();
    parked.map_or(LayerMask::NONE, |parked| parked.layer(layer.y) & store.awake(layer))
}

/// Makes `films` the parked films of a layer. They must be awake.
pub(crate) fn set_parked(store: &mut Store, layer: LayerId, films: LayerMask) {
    #[cfg(test)]
    if store.parking_forbidden {
        return;
    }
    let parked = &mut store.caches[layer.slot.index()].parked;
    if parked.is_some() || films.any() {
        parked.get_or_insert_default().set_layer(layer.y, films);
    }
}

/// Removes cells of a layer from the parked films.
#[inline]
pub(crate) fn unpark(store: &mut Store, layer: LayerId, cells: LayerMask) {
    if let Some(parked) = &mut store.caches[layer.slot.index()].parked {
        parked.set_layer(layer.y, parked.layer(layer.y) - cells);
    }
}

/// Removes a cell from the parked films. Returns whether it was parked.
#[inline]
pub(crate) fn unpark_at(store: &mut Store, Place { slot, index }: Place) -> bool {
    let parked = store.caches[slot.index()].parked.as_mut();
    parked.is_some_and(|parked| parked.remove(index))
}

/// Forgets the parked films of a chunk.
pub(crate) fn unpark_chunk(store: &mut Store, slot: Slot) {
    store.caches[slot.index()].parked = None;
}

/// Frees the set of a chunk in which no film is parked.
pub(crate) fn drop_unused_parking(store: &mut Store, slot: Slot) {
    store.caches[slot.index()].parked.take_if(|parked| parked.is_empty());
}

/// Forbids films to be parked from now on.
#[cfg(test)]
pub(crate) fn forbid_parking(store: &mut Store) {
    store.parking_forbidden = true;
    store.caches.iter_mut().for_each(|cache| cache.parked = None);
}
