//! Deep water: the layers of a chunk that are full of water, with water over all of it, are one
//! piece, and so is the water over them in the next layer. Such a column gives and takes nothing
//! itself, so a deep body costs little more than its surface.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::flow::fallen;
use crate::water::scratch::Tick;
use core::ops::Range;
use smallvec::SmallVec;

/// Returns the layers, by y in the chunk, of the piece to which a layer belongs: several in deep
/// water, else only its own.
pub(super) fn layers_of(tick: &Tick, layer: LayerId) -> Range<usize> {
    let LayerId { slot, y } = layer;
    let own = y..y + 1;
    if !is_covered(tick, layer) || tick.store.coast(slot).is_some() {
        return own;
    }
    // The chunks beside this one that may have springs or shallows: both are connected.
    let has_connected = |slot: &Slot| slot.is_some() && tick.store.has_connected(*slot);
    let beside = Face::LATERAL.map(|face| tick.store.neighbour(slot, face));
    let beside: SmallVec<[Slot; 4]> = beside.into_iter().filter(has_connected).collect();
    let is_inner = |&y: &usize| is_inner(tick, LayerId::new(slot, y), &beside);
    if !is_inner(&y) {
        return own;
    }
    let above = (y + 1..16).take_while(is_inner).count();
    let below = (0..y).rev().take_while(is_inner).count();
    y - below..y + 1 + above
}

/// Returns whether a layer is full of the water of one body and none of it gives or takes: there is
/// water over all of it, and no spring or shallow beside it. `beside` has the chunks beside it with
/// connected cells. The chunk must not lie at the sea.
fn is_inner(tick: &Tick, layer: LayerId, beside: &[Slot]) -> bool {
    let store = &*tick.store;
    let has_no_spring = |layer| store.springs(layer).is_empty();
    let has_no_shallow = |layer| (store.connected(layer) - store.layer(layer).closed).is_empty();
    is_covered(tick, layer)
        && is_one_piece(tick, layer)
        && has_no_spring(layer)
        && store.upper_layer(layer).is_none_or(has_no_spring)
        && beside.iter().all(|&slot| {
            let layer = layer.in_chunk(slot);
            has_no_spring(layer) && has_no_shallow(layer)
        })
}

/// Returns whether a layer is full, with water over all of it.
fn is_covered(tick: &Tick, layer: LayerId) -> bool {
    let is_wet = |layer| tick.store.layer(layer).wet == LayerMask::ALL;
    tick.store.layer(layer).full() == LayerMask::ALL
        && tick.store.upper_layer(layer).is_some_and(is_wet)
}

/// Returns whether a layer is full and all of it is of one body, so that the water over it is of
/// that body, too.
pub(super) fn is_one_piece(tick: &Tick, layer: LayerId) -> bool {
    tick.store.layer(layer).full() == LayerMask::ALL
        && tick.store.supported(layer) == LayerMask::ALL
        && fallen(tick, layer).is_empty()
}
