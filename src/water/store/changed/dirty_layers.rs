//! The record of writes for the pools, which keep the bodies of joined water between ticks: the
//! layers that have changed since the pools last read them.

use crate::chunk::LayerMask;
#[cfg(feature = "rayon")]
use crate::chunk::ones;
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::cell::{CellFlags, HEIGHT};
use crate::water::store::{LayerState, Place, Store};
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// The changed layers of a chunk, by bit.
#[derive(Clone, Copy, Default)]
pub(crate) struct Marks {
    /// Cells may have begun or ceased to hold still water, or to be full.
    pub(crate) structure: u16,
    /// Heights, or the places where water could go, may have changed.
    pub(crate) levels: u16,
}

/// The changed layers of a world.
#[derive(Default)]
pub(crate) struct DirtyLayers {
    /// By slot.
    marks: Vec<Marks>,
    /// The chunks with marks, and some without.
    slots: Vec<Slot>,
}

impl DirtyLayers {
    fn mark(&mut self, layer: LayerId, structure: bool) {
        if self.marks.len() <= layer.slot.index() {
            self.marks.resize(layer.slot.index() + 1, Marks::default());
        }
        let marks = &mut self.marks[layer.slot.index()];
        if marks.levels == 0 {
            self.slots.push(layer.slot);
        }
        marks.levels |= 1 << layer.y;
        marks.structure |= u16::from(structure) << layer.y;
    }

    /// Adds another record.
    #[cfg(feature = "rayon")]
    pub(in crate::water::store) fn append(&mut self, other: &mut DirtyLayers) {
        while let Some(slot) = other.slots.pop() {
            let Marks { structure, levels } = other.take(slot);
            for layer in ones(u64::from(levels)) {
                self.mark(LayerId::new(slot, layer), structure >> layer & 1 != 0);
            }
        }
    }

    fn take(&mut self, slot: Slot) -> Marks {
        self.marks.get_mut(slot.index()).map_or_else(Marks::default, core::mem::take)
    }

    pub(in crate::water::store) fn memory_bytes(&self) -> usize {
        self.marks.capacity() * size_of::<Marks>() + self.slots.capacity() * size_of::<Slot>()
    }
}

/// Forgets all changes. From now on, changes are recorded if `kept`.
pub(crate) fn keep_dirty_layers(store: &mut Store, kept: bool) {
    store.dirty = kept.then(DirtyLayers::default);
}

/// Records changes in a chunk and in the chunks within two steps of it from now on, since the chunk
/// gets a label. Two steps are needed: a cell that becomes full supports water in the next chunk,
/// which joins a body in the chunk after that.
pub(crate) fn note_label(store: &mut Store, slot: Slot) {
    for slot in within_two_steps(store, slot) {
        store.caches[slot.index()].is_near_label = true;
    }
}

/// Returns a chunk and the loaded chunks within two steps from it, some of them several times.
pub(crate) fn within_two_steps(store: &Store, slot: Slot) -> SmallVec<[Slot; 64]> {
    let around = |slot: Slot| {
        let near = store.caches[slot.index()].neighbours.into_iter();
        near.filter(|slot| slot.is_some())
    };
    let mut found: SmallVec<[Slot; 64]> = SmallVec::new();
    found.push(slot);
    for near in around(slot) {
        found.push(near);
        found.extend(around(near));
    }
    found
}

/// Records no changes in a chunk from now on, since no chunk within two steps has labels.
pub(crate) fn note_no_label(store: &mut Store, slot: Slot) {
    store.caches[slot.index()].is_near_label = false;
}

/// Takes and returns a chunk with changed layers; `None` if none is left.
pub(crate) fn next_dirty(store: &mut Store) -> Option<(Slot, Marks)> {
    let dirty = store.dirty.as_mut()?;
    loop {
        let slot = dirty.slots.pop()?;
        let marks = dirty.take(slot);
        if marks.levels != 0 {
            return Some((slot, marks));
        }
    }
}

/// Notes that a cell was written.
#[inline]
pub(in crate::water::store) fn note_cell(store: &mut Store, place: Place, old: Voxel, new: Voxel) {
    const SEEN: u16 = HEIGHT | CellFlags::IS_SOURCE.bits() | CellFlags::HAS_SOURCE.bits();
    let is_like_before = (old.word() ^ new.word()) & SEEN == 0 && old.is_mark() == new.is_mark();
    if is_like_before || store.dirty.is_none() || !store.caches[place.slot.index()].is_near_label {
        return;
    }
    let cell = LayerMask::single(place.cell());
    let closed = old.is_closed() != new.is_closed();
    let other = old.is_wet() != new.is_wet()
        || old.is_mark() != new.is_mark()
        || old.is_source() != new.is_source()
        || old.is_connected() != new.is_connected();
    let cells = |is_in: bool| if is_in { cell } else { LayerMask::NONE };
    note_layer(store, place.layer_id(), cells(other), cells(closed));
}

/// Notes that a layer was written whose masks were `before`.
pub(in crate::water::store) fn note_masks(store: &mut Store, layer: LayerId, before: LayerState) {
    if !store.caches[layer.slot.index()].is_near_label {
        return;
    }
    let now = store.layer(layer);
    note_layer(store, layer, before.wet ^ now.wet, before.closed ^ now.closed);
}

/// Notes a change in a layer. `closed` are the cells that became closed or ceased to be closed;
/// `other` are the cells in which something besides the height has changed.
fn note_layer(store: &mut Store, layer: LayerId, other: LayerMask, closed: LayerMask) {
    let seen = other | closed;
    let above = store.upper_layer(layer).filter(|&above| is_wet_at(store, above, closed));
    let below = store.lower_layer(layer).filter(|&below| is_wet_at(store, below, seen));
    let beside = Face::LATERAL.map(|face| store.neighbour(layer.slot, face));
    let Some(dirty) = &mut store.dirty else { return };
    dirty.mark(layer, seen.any());
    if let Some(layer) = above {
        dirty.mark(layer, true);
    }
    if let Some(layer) = below {
        dirty.mark(layer, false);
    }
    for (there, cells) in beside.into_iter().zip(seen.leaving()) {
        if cells.any() && there.is_some() {
            dirty.mark(layer.in_chunk(there), false);
        }
    }
}

/// Returns whether any of these cells of a layer is wet.
fn is_wet_at(store: &Store, layer: LayerId, cells: LayerMask) -> bool {
    cells.any() && (cells & store.layer(layer).wet).any()
}

/// Notes that the level of the sea at a layer may have changed.
pub(in crate::water::store) fn note_levels(store: &mut Store, layer: LayerId) {
    if let Some(dirty) = &mut store.dirty {
        dirty.mark(layer, false);
    }
}

/// Notes that a cell became sea or ceased to be sea: water on the cell may fall or rest now.
pub(in crate::water::store) fn note_floor(store: &mut Store, place: Place) {
    let cell = LayerMask::single(place.cell());
    note_layer(store, place.layer_id(), LayerMask::NONE, cell);
}

/// Notes that a chunk comes or goes, so that the cells at its faces have changed.
pub(in crate::water::store) fn note_chunk(store: &mut Store, slot: Slot) {
    let neighbours = store.caches[slot.index()].neighbours;
    let Some(dirty) = &mut store.dirty else { return };
    dirty.take(slot);
    for (face, there) in Face::ALL.into_iter().zip(neighbours) {
        if !there.is_some() {
            continue;
        }
        match face {
            Face::Up => dirty.mark(LayerId::new(there, 0), true),
            Face::Down => dirty.mark(LayerId::new(there, 15), true),
            _ => (0..16).for_each(|layer| dirty.mark(LayerId::new(there, layer), true)),
        }
    }
}
