//! The effect of full cells of water on pressure. If the rules say that water stops pressure, full
//! cells are solid in the ground lent to explosions. The lent ground is updated from the water at
//! the beginning of the steps of each tick.

use crate::automata::blast::extent::is_still;
use crate::automata::blast::mirror::{audible_chunks, damp, is_empty, set_solid_cells};
use crate::chunk::CellMask;
use crate::coords::ChunkPos;
use crate::water::WaterCell;
use crate::water::query::cover::closed_cells;
use crate::world::World;
use crate::world::pressure::{forget_if_plain, is_lent, lend_beside, lent};
use crate::world::rules::UnderWater;
use crate::world::rules::error::EditError;
use glam::IVec3;

/// Updates the ground lent to explosions from the present water, at the beginning of the steps of a
/// tick. During these steps only explosions move water. The ground of a chunk that stands still is
/// left as it is until the chunk resumes, since no tick changes such a chunk. Returns the number of
/// cells of the blast that changed.
pub(in crate::world) fn follow_water(world: &mut World) -> u64 {
    world.is_water_edited = false;
    if is_empty(&world.blast) {
        return 0;
    }
    // Chunks without lent ground may have water now.
    lend_beside(world, &audible_chunks(&world.blast));
    let lent: Vec<ChunkPos> = lent(world).filter(|&chunk| !is_still(&world.blast, chunk)).collect();
    // A lent chunk is loaded, where no edit is refused.
    let changed: u64 =
        lent.into_iter().map(|chunk| follow_water_in(world, chunk).unwrap_or(0)).sum();
    changed + damp_in_water(world)
}

/// Damps the pressure in full cells of water, if the rules say so. This is done before the steps of
/// a tick, so that cells that filled up while they slept wake, and after each step. Returns the
/// number of cells that lost pressure.
pub(in crate::world) fn damp_in_water(world: &mut World) -> u64 {
    let UnderWater::Damps(part) = world.rules.under_water else { return 0 };
    let chunks = world.blast.chunks().map(|(chunk, _)| chunk);
    let chunks: Vec<ChunkPos> = chunks.filter(|&chunk| !is_still(&world.blast, chunk)).collect();
    // Solid cells have no pressure.
    let damp = |chunk| damp(&mut world.blast, chunk, &closed_cells(&world.water, chunk), part);
    chunks.into_iter().map(damp).sum()
}

/// Updates the ground of a chunk from its present water, if the ground is lent to explosions and
/// water stops pressure. Returns the number of cells that changed.
pub(in crate::world) fn follow_water_in(
    world: &mut World,
    chunk: ChunkPos,
) -> Result<u64, EditError> {
    if world.rules.under_water != UnderWater::Stops || !is_lent(world, chunk) {
        return Ok(0);
    }
    let changed = set_solid_cells(&mut world.blast, chunk, &closed_cells(&world.water, chunk))?;
    forget_if_plain(world, chunk);
    Ok(changed)
}

/// Returns the cells of a chunk whose water stops pressure; some of the cells may be solid ground.
pub(in crate::world) fn stopping_water(world: &World, chunk: ChunkPos) -> CellMask {
    match world.rules.under_water {
        UnderWater::Stops => closed_cells(&world.water, chunk),
        UnderWater::Passes | UnderWater::Damps(_) => CellMask::EMPTY,
    }
}

/// Returns whether a cell of a chunk stops pressure.
pub(in crate::world) fn has_obstacle(world: &World, chunk: ChunkPos) -> bool {
    !stopping_water(world, chunk).is_empty() || world.has_solid(chunk)
}

/// Returns whether the water in a cell stops pressure.
pub(in crate::world) fn is_stopped_by_water(world: &World, cell: IVec3) -> bool {
    world.rules.under_water == UnderWater::Stops
        && world.water.units(cell) == WaterCell::STILL.height()
}
