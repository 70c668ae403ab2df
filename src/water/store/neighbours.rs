//! The neighbours of a chunk across its faces. A chunk is parted from a chunk loaded across a face
//! if one of the two is frozen and the other is not. Each chunk caches its neighbours and its
//! partings.

use crate::coords::Face;
use crate::grid::Slot;
use crate::water::store::Store;

/// Returns whether a chunk is loaded across a face, and one of the two chunks is frozen and the
/// other is not.
#[inline]
pub(super) fn is_parted(store: &Store, slot: Slot, face: Face) -> bool {
    store.caches[slot.index()].parted >> face.index() & 1 != 0
}

/// Returns the chunk across a face, whether frozen or not; [`Slot::NONE`] where none is loaded.
pub(crate) fn slot_across(store: &Store, slot: Slot, face: Face) -> Slot {
    if !is_parted(store, slot, face) {
        return store.neighbour(slot, face);
    }
    let beyond = store.grid.position_at(slot).step(face);
    beyond.and_then(|beyond| store.grid.slot(beyond)).unwrap_or(Slot::NONE)
}

/// Returns whether the cached parting of a chunk from its neighbours is right.
pub(super) fn parts_truly(store: &Store, slot: Slot) -> bool {
    Face::ALL.into_iter().all(|face| {
        let there = slot_across(store, slot, face);
        let differs = there.is_some() && store.is_frozen(there) != store.is_frozen(slot);
        is_parted(store, slot, face) == differs
    })
}

/// Sets a chunk and the chunks around it as each other's neighbours, or as parted. The caller
/// refreshes the outlets and the coast of the chunk itself.
pub(super) fn link(store: &mut Store, slot: Slot) {
    for (face, there) in Face::ALL.into_iter().zip(store.grid.neighbours_of(slot)) {
        if !there.is_some() {
            continue;
        }
        let is_parted = store.is_frozen(slot) != store.is_frozen(there);
        set_across(store, slot, face, there, is_parted);
        set_across(store, there, face.opposite(), slot, is_parted);
        store.refresh_edges(there);
    }
}

/// Removes a chunk from the neighbours of the chunks around it.
pub(super) fn unlink_from(store: &mut Store, around: [Slot; 6], had_steady: bool) {
    for (face, there) in Face::ALL.into_iter().zip(around) {
        if there.is_some() {
            set_across(store, there, face.opposite(), Slot::NONE, false);
            store.refresh_edges(there);
            if had_steady {
                store.note_unbalanced(there);
            }
        }
    }
}

/// Sets the chunk loaded across a face of a chunk: its neighbour, or a chunk that it is parted
/// from.
fn set_across(store: &mut Store, slot: Slot, face: Face, there: Slot, is_parted: bool) {
    let beside = &mut store.caches[slot.index()];
    beside.neighbours[face.index()] = if is_parted { Slot::NONE } else { there };
    // The chunk across the face, or a chunk beyond it, may have labels.
    beside.is_near_label = true;
    beside.parted = beside.parted & !(1 << face.index()) | u8::from(is_parted) << face.index();
}
