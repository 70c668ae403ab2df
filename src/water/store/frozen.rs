//! Frozen chunks: loaded, and standing still. Frozen chunks and all other chunks are like two
//! worlds: no chunk of one has a neighbour in the other, and the cells across a face between the
//! two read as held. So the rules of a tick need no case for frozen chunks.
//!
//! Data kept for the whole world covers only the chunks that are not frozen: the list of awake
//! chunks, the heights of the springs, the bodies of water.

use crate::chunk::LAYER_CELLS;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::water::store::Store;
use crate::water::store::changed::dirty_layers::note_chunk;
use crate::water::store::changed::touched::touch;
use crate::water::store::flow::parked::unpark_chunk;
use crate::water::store::links::cut_across;
use crate::water::store::neighbours::{is_parted, link, slot_across};
use crate::water::store::sources::count_springs_of;

/// Freezes or thaws chunks, each of which must change its state. Cuts the links across the faces at
/// which these chunks become parted from other chunks. Wakes the cells at these faces and at the
/// faces where a parting ends. The caller notifies the pools and the evaporation.
pub(crate) fn set_frozen(store: &mut Store, slots: &[Slot], is_frozen: bool) {
    store.note_links();
    for &slot in slots {
        store.leave_runs_in(slot);
        unpark_chunk(store, slot);
    }
    let joining = faces_of(store, slots, is_parted);
    slots.iter().for_each(|slot| store.caches[slot.index()].is_frozen = is_frozen);
    let parting = faces_of(store, slots, |store, slot, face| {
        let there = store.neighbour(slot, face);
        there.is_some() && store.is_frozen(there) != is_frozen
    });
    cut_across(store, &parting);
    parting.iter().for_each(|&(slot, face)| wake_face(store, slot, face));
    if is_frozen {
        slots.iter().for_each(|&slot| store.wake_depths(slot));
    }
    for &slot in slots {
        touch(store, slot);
        note_chunk(store, slot);
        store.note_unbalanced(slot);
        if is_frozen {
            store.discount_steady(slot);
        }
        link(store, slot);
        store.refresh_edges(slot);
        count_springs_of(store, slot, !is_frozen);
    }
    for &(slot, face) in &joining {
        note_chunk(store, slot);
        wake_face(store, slot, face);
    }
    if !is_frozen {
        slots.iter().for_each(|&slot| store.wake_depths(slot));
    }
    // At both kinds of faces, the cells that the sea presses on have changed.
    for (slot, face) in parting.into_iter().chain(joining) {
        [slot, slot_across(store, slot, face)].into_iter().for_each(|slot| store.wake_coast(slot));
    }
    match is_frozen {
        true => store.grid.shelve(slots),
        false => store.grid.unshelve(slots),
    }
}

/// Marks a chunk that was just inserted as frozen, as it was when it was saved. Wakes and cuts
/// nothing.
#[cfg(feature = "snapshot")]
pub(crate) fn restore_frozen(store: &mut Store, slot: Slot) {
    store.caches[slot.index()].is_frozen = true;
    link(store, slot);
    store.refresh_edges(slot);
    count_springs_of(store, slot, false);
    store.grid.shelve(&[slot]);
}

/// Returns the faces of chunks for which `is_in` holds.
fn faces_of(
    store: &Store,
    slots: &[Slot],
    is_in: impl Fn(&Store, Slot, Face) -> bool,
) -> Vec<(Slot, Face)> {
    let faces = slots.iter().flat_map(|&slot| Face::ALL.map(|face| (slot, face)));
    faces.filter(|&(slot, face)| is_in(store, slot, face)).collect()
}

/// Wakes the cells that may move when the chunks on both sides of a face become neighbours or cease
/// to be neighbours: the cells at the face, the water beside the cells above these cells, and the
/// water over full cells among them.
fn wake_face(store: &mut Store, slot: Slot, face: Face) {
    let there = slot_across(store, slot, face);
    store.wake_border(slot, face, CHUNK_CELLS);
    store.wake_border(there, face.opposite(), CHUNK_CELLS);
    let upper = match face {
        Face::Up => there,
        Face::Down => slot,
        _ => return,
    };
    for face in Face::LATERAL {
        store.wake_border(store.neighbour(upper, face), face.opposite(), LAYER_CELLS);
    }
    store.wake_over_floor(upper);
}
