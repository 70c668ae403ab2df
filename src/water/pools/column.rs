//! Deep water. A column is one piece: the successive layers of a chunk that are full of water and
//! have water over all their cells, where at least [`DEEP`] such layers lie above each other. It
//! gives and takes nothing itself. The water in the layer on a column is one piece, too, since the
//! column joins it. If that layer is full, the water in the layer on it is also one piece. So a
//! deep body costs little more than its surface.
//!
//! A vertical plane through a column has 16 cells in each layer. Suppose that the column and the
//! layer on it pass no more units in all than such a plane lets through, and that none of their
//! cells gives, takes, or passes to another piece more than its throughput. Then the cells around
//! any part of them let through what the part gives and takes, and their units need no network of
//! cells.

use crate::chunk::{LayerMask, ones};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::flow::fallen;
use crate::water::scratch::Tick;
use core::ops::Range;

/// The least number of layers of deep water.
const DEEP: u32 = 8;

/// Where a layer lies in relation to deep water.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// It belongs to a column.
    Column,
    /// It lies on a column.
    OnColumn,
    /// It lies on a full layer that lies on a column.
    OnFull,
    /// None of these.
    Shallow,
}

/// Returns the layers, by y in the chunk, of the column to which a layer belongs, or only its own,
/// and where they lie in relation to deep water. `inner` returns the [`inner_layers`] of a chunk.
pub(super) fn depth_of(
    tick: &Tick,
    layer: LayerId,
    inner: &mut impl FnMut(Slot) -> u16,
) -> (Range<usize>, Depth) {
    if let Some(column) = column_of(tick, layer, inner) {
        return (column, Depth::Column);
    }
    let mut is_column = |layer: LayerId| column_of(tick, layer, inner).is_some();
    let is_full = |layer: LayerId| {
        tick.store.layer(layer).full() == LayerMask::ALL && fallen(tick, layer).is_empty()
    };
    let depth = match tick.store.lower_layer(layer) {
        Some(below) if is_column(below) => Depth::OnColumn,
        Some(below) if is_full(below) && tick.store.lower_layer(below).is_some_and(is_column) => {
            Depth::OnFull
        }
        _ => Depth::Shallow,
    };
    (layer.y..layer.y + 1, depth)
}

/// Returns the layers, by y in the chunk, of the column to which a layer belongs, if any.
fn column_of(
    tick: &Tick,
    LayerId { slot, y }: LayerId,
    inner: &mut impl FnMut(Slot) -> u16,
) -> Option<Range<usize>> {
    if tick.store.layer(LayerId { slot, y }).full() != LayerMask::ALL {
        return None;
    }
    let layers = inner(slot);
    if layers >> y & 1 == 0 {
        return None;
    }
    let (up, down) = ((layers >> y).trailing_ones(), (layers << (15 - y)).leading_ones());
    let column = y + 1 - down as usize..y + up as usize;
    let below = tick.store.neighbour(slot, Face::Down);
    let under = match column.start {
        0 if below.is_some() => inner(below).leading_ones(),
        _ => 0,
    };
    (column.len() as u32 + under >= DEEP).then_some(column)
}

/// Returns the layers of a chunk (by bit) that are full of the water of one body and neither give
/// nor take: there is water over all of the layer, no spring in, above or beside it, no shallow
/// beside it, and no cell of the chunk is at the sea.
pub(super) fn inner_layers(tick: &Tick, slot: Slot) -> u16 {
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
