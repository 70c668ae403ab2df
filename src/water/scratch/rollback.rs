//! Rollback: the world as it was when the tick underway began. Queries, `state_hash` and snapshots
//! read this state.

use crate::chunk::{CellMask, Chunk, ones};
use crate::grid::{LayerId, Slot};
use crate::water::WaterWorld;
use crate::water::flow_record::FaceFlows;
use crate::water::ledger::Ledger;
use crate::water::scratch::schedule::Phase;
use crate::water::store::Place;
use crate::water::voxel::Voxel;
use std::borrow::Cow;

/// Returns whether a tick has begun and is not complete.
pub(crate) fn is_underway(world: &WaterWorld) -> bool {
    world.scratch.phase != Phase::Rest
}

/// Returns whether the next tick has begun and is not complete. A tick counts as begun once the
/// edits queued before it are being made.
pub(crate) fn has_begun(world: &WaterWorld) -> bool {
    is_underway(world) || world.queue.has_begun()
}

/// Returns the ledger as it was before the tick underway, if there is one.
pub(crate) fn ledger_before(world: &WaterWorld) -> Ledger {
    if is_underway(world) { world.scratch.ledger_before } else { world.ledger }
}

/// Returns the number of awake cells before the tick underway, if there is one.
pub(crate) fn awake_before(world: &WaterWorld) -> usize {
    if is_underway(world) && world.scratch.have_entered() {
        world.scratch.awake_before
    } else {
        world.store.grid().awake_cells() + world.store.cells_asleep_in_runs()
    }
}

/// Returns the awake cells of a chunk before the tick underway, if there is one.
pub(crate) fn awake_cells_before(world: &WaterWorld, slot: Slot) -> CellMask {
    let mut awake = world.store.awake_before(slot).cloned().unwrap_or(CellMask::EMPTY);
    if world.scratch.have_entered() {
        let record = world.scratch.of_chunk(slot);
        if let Some(before) = record.and_then(|record| record.awake_before.as_deref()) {
            awake.clone_from(before);
        }
    }
    world.store.add_cells_in_runs(slot, world.scratch.have_entered(), &mut awake);
    awake
}

/// Returns a voxel as it was before the tick underway, if there is one.
pub(crate) fn voxel_before(world: &WaterWorld, place: Place) -> Voxel {
    let now = world.store.read(place);
    if !world.scratch.have_entered() {
        return now;
    }
    let record = world.scratch.get(place.layer_id());
    record.and_then(|record| record.before(place.cell())).unwrap_or(now)
}

/// Returns the steady flow that leaves a chunk's cells, by index; if a tick is underway, as it was
/// when the tick began.
pub(crate) fn steady_before(world: &WaterWorld, slot: Slot) -> Vec<(u16, FaceFlows)> {
    if world.scratch.have_entered() {
        world.store.steady_list_before(slot)
    } else {
        world.store.steady_list(slot)
    }
}

/// Returns the cells of a chunk as they were before the tick underway, if there is one.
pub(crate) fn cells_before(world: &WaterWorld, slot: Slot) -> Cow<'_, Chunk<Voxel>> {
    let mut cells = Cow::Borrowed(world.store.grid().chunk_at(slot));
    if world.scratch.have_entered() {
        for layer in ones(u64::from(world.scratch.open_layers(slot))) {
            let Some(work) = world.scratch.get(LayerId::new(slot, layer)) else { continue };
            if work.may_have_changed() {
                work.revert(&mut cells.to_mut().cells_mut().as_chunks_mut().0[layer]);
            }
        }
    }
    if let Cow::Owned(cells) = &mut cells {
        cells.canonicalize();
    }
    cells
}
