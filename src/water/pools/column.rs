//! Deep water: the layers of a chunk that are full of water, with water over all of it, are one
//! piece, and so is the water over them in the next layer. Such a column gives and takes nothing
//! itself, so a deep body costs little more than its surface.

use crate::chunk::{LayerMask, ones};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::flow::fallen;
use crate::water::scratch::Tick;
use core::ops::Range;

/// Returns the layers, by y in the chunk, of the piece to which a layer belongs: several in deep
/// water, else only its own.
pub(super) fn layers_of(tick: &Tick, LayerId { slot, y }: LayerId) -> Range<usize> {
    let is_full = tick.store.layer(LayerId { slot, y }).full() == LayerMask::ALL;
    let inner = if is_full { inner_layers(tick, slot) } else { 0 };
    if inner >> y & 1 == 0 {
        return y..y + 1;
    }
    let (below, above) = ((inner << (15 - y)).leading_ones(), (inner >> y).trailing_ones());
    y + 1 - below as usize..y + above as usize
}

/// Returns the layers of a chunk (by bit) that are full of the water of one body and neither give
/// nor take: there is water over all of the layer, and no spring, sea or shallow beside it.
fn inner_layers(tick: &Tick, slot: Slot) -> u16 {
    let store = &*tick.store;
    if store.coast(slot).is_some() {
        return 0;
    }
    let (mut full, mut wet) = (0, 0);
    for layer in slot.layers() {
        let state = store.layer(layer);
        full |= u16::from(state.full() == LayerMask::ALL) << layer.y;
        wet |= u16::from(state.wet == LayerMask::ALL) << layer.y;
    }
    let above = store.upper_layer(LayerId::new(slot, 15));
    let is_wet_above = above.is_some_and(|above| store.layer(above).wet == LayerMask::ALL);
    let covered = full & (wet >> 1 | u16::from(is_wet_above) << 15);
    // Springs and shallows are connected. In most chunks no cell is.
    let mut beside = [slot, above.map_or(Slot::NONE, |above| above.slot)]
        .into_iter()
        .chain(Face::LATERAL.map(|face| store.neighbour(slot, face)));
    let has_inlets = beside.any(|slot| slot.is_some() && store.has_connected(slot));
    let is_inner = |&y: &usize| {
        let layer = LayerId { slot, y };
        (full << 1 >> y & 1 != 0 || store.supported(layer) == LayerMask::ALL)
            && fallen(tick, layer).is_empty()
            && (!has_inlets || has_no_inlet(tick, layer))
    };
    ones(u64::from(covered)).filter(is_inner).fold(0, |layers, y| layers | 1 << y)
}

/// Returns whether no spring is in, above or beside a layer that is full, and no shallow beside it.
fn has_no_inlet(tick: &Tick, layer: LayerId) -> bool {
    let store = &*tick.store;
    let has_no_spring = |layer| store.springs(layer).is_empty();
    let has_no_shallow = |layer| (store.connected(layer) - store.layer(layer).closed).is_empty();
    let is_still = |layer| has_no_spring(layer) && has_no_shallow(layer);
    has_no_spring(layer)
        && store.upper_layer(layer).is_none_or(has_no_spring)
        && Face::LATERAL
            .into_iter()
            .all(|face| store.layer_across(layer, face).is_none_or(is_still))
}

/// Returns whether a layer is full and all of it is of one body, so that the water over it is of
/// that body, too.
pub(super) fn is_one_piece(tick: &Tick, layer: LayerId) -> bool {
    tick.store.layer(layer).full() == LayerMask::ALL
        && tick.store.supported(layer) == LayerMask::ALL
        && fallen(tick, layer).is_empty()
}
