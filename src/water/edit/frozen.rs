//! Freezing: chunks that stay loaded and stand still, until they are thawed.

use crate::coords::ChunkPos;
use crate::grid::Slot;
use crate::water::WaterWorld;
use crate::water::edit::EditError;
use crate::water::store::frozen::set_frozen;

pub(crate) fn freeze(
    world: &mut WaterWorld,
    chunks: impl IntoIterator<Item = ChunkPos>,
) -> Result<bool, EditError> {
    let slots = slots_to_change(world, chunks, true)?;
    for &slot in &slots {
        world.tick_state.pools.forget(slot);
    }
    if !slots.is_empty() {
        set_frozen(&mut world.store, &slots, true);
        slots.iter().for_each(|&slot| world.scratch.note_frozen(slot, true));
    }
    Ok(!slots.is_empty())
}

pub(crate) fn thaw(
    world: &mut WaterWorld,
    chunks: impl IntoIterator<Item = ChunkPos>,
) -> Result<bool, EditError> {
    let slots = slots_to_change(world, chunks, false)?;
    thaw_slots(world, &slots);
    Ok(!slots.is_empty())
}

/// Thaws the frozen chunks among `slots`, between two ticks.
pub(super) fn thaw_slots(world: &mut WaterWorld, slots: &[Slot]) {
    let is_frozen = |&slot: &Slot| world.store.is_frozen(slot);
    let slots: Vec<Slot> = slots.iter().copied().filter(is_frozen).collect();
    if slots.is_empty() {
        return;
    }
    set_frozen(&mut world.store, &slots, false);
    for slot in slots {
        world.scratch.note_frozen(slot, false);
        world.tick_state.ageing.add_chunk(&world.store, slot);
        world.tick_state.evaporation.watch(slot);
    }
}

/// Makes the queued edits. Returns the chunks of `chunks` that are frozen if they are to be thawed,
/// or not frozen if they are to be frozen, in order of position. If there are any, completes a tick
/// that is underway.
fn slots_to_change(
    world: &mut WaterWorld,
    chunks: impl IntoIterator<Item = ChunkPos>,
    is_frozen: bool,
) -> Result<Vec<Slot>, EditError> {
    world.make_queued_edits();
    let grid = world.store.grid();
    let mut slots = Vec::new();
    for chunk in chunks {
        let slot = grid.slot(chunk).ok_or(EditError::ChunkAbsent(chunk))?;
        if world.store.is_frozen(slot) != is_frozen {
            slots.push(slot);
        }
    }
    slots.sort_unstable_by_key(|&slot| grid.position_at(slot));
    slots.dedup();
    if !slots.is_empty() {
        world.finish_tick();
    }
    Ok(slots)
}
