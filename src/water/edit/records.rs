//! Edits that take chunks out as records and put records in, with the flows between them.

use crate::coords::ChunkPos;
use crate::water::edit::EditError;
use crate::water::edit::frozen::thaw_slots;
use crate::water::record::{ChunkRecord, ChunkState};
use crate::water::store::chunks;
use crate::water::store::chunks::without_marks;
use crate::water::store::fixtures::wake_fixtures;
use crate::water::store::links::{detach, relink};
use crate::water::{CutCell, WaterWorld};
use hashbrown::HashSet;

pub(crate) fn remove_chunks(
    world: &mut WaterWorld,
    positions: impl IntoIterator<Item = ChunkPos>,
) -> Result<Vec<ChunkRecord>, EditError> {
    world.make_queued_edits();
    let positions: Vec<ChunkPos> = positions.into_iter().collect();
    let (mut seen, mut slots) = (HashSet::new(), Vec::with_capacity(positions.len()));
    for &position in &positions {
        let slot = world.store.grid().slot(position).filter(|_| seen.insert(position));
        slots.push(slot.ok_or(EditError::ChunkAbsent(position))?);
    }
    world.finish_tick();
    thaw_slots(world, &slots);
    let mut records: Vec<ChunkRecord> = slots
        .iter()
        .map(|&slot| {
            let position = world.store.grid().position_at(slot);
            let cells = world.store.grid().chunk_at(slot).clone();
            ChunkRecord {
                position,
                state: ChunkState {
                    cells: without_marks(&world.store, position, cells),
                    lists: chunks::lists(&world.store, slot),
                },
                cut: Vec::new(),
            }
        })
        .collect();
    for (record, cut) in records.iter_mut().zip(detach(&mut world.store, &slots)) {
        record.cut = cut;
    }
    world.unload(&slots);
    world.ledger.unloaded += records.iter().map(ChunkRecord::units).sum::<u64>();
    Ok(records)
}

pub(crate) fn insert_records(
    world: &mut WaterWorld,
    records: impl IntoIterator<Item = ChunkRecord>,
) -> Result<(), EditError> {
    world.make_queued_edits();
    let mut records: Vec<ChunkRecord> = records.into_iter().collect();
    world.check_vacant(records.iter().map(|record| record.position))?;
    world.finish_tick();
    records.sort_unstable_by_key(|record| record.position);
    let (mut slots, mut cut) = (Vec::with_capacity(records.len()), Vec::new());
    for record in records {
        let ChunkRecord { position, state: ChunkState { cells, lists }, cut: around } = record;
        let slot = world.load(position, cells)?;
        world.ledger.loaded += world.store.grid().chunk_at(slot).units();
        chunks::restore_lists(&mut world.store, slot, &lists);
        slots.push(slot);
        let throughput = world.rules.throughput;
        let lowered = |cut: CutCell| CutCell { voxel: cut.voxel.lowered_to(throughput), ..cut };
        let is_inside = |cut: &CutCell| world.store.bounds().contains(cut.cell);
        cut.extend(around.into_iter().filter(is_inside).map(lowered));
    }
    for place in relink(&mut world.store, &slots, &cut) {
        // Such a cell may be the only active one of its chunk.
        world.tick_state.ageing.add_chunk(&world.store, place.slot);
    }
    for slot in slots {
        world.store.wake_coast(slot);
        wake_fixtures(&mut world.store, slot);
    }
    Ok(())
}
