//! Which chunks of ground, soil and pressure have been touched since the last save, so that a save
//! can skip all other chunks. Water keeps its own record, in `water/store/changed/touched.rs`,
//! whose periods are used here. For soil, the record of its steps is used, and awake chunks count
//! as touched. Pressure counts as touched in each of its steps and in each save. So only writes
//! that wake nothing are noted one by one. Before the first save, little is kept.

use crate::coords::ChunkPos;
use crate::world::World;

#[cfg(feature = "store")]
use {
    crate::automata::humidity::step::stepped::{self, is_stepped_since, steps_done},
    crate::grid::Slot,
    crate::water::Since,
    crate::world::tick::Stage,
    core::sync::atomic::AtomicBool,
    core::sync::atomic::Ordering,
    hashbrown::HashMap,
};

/// When chunks were touched.
#[cfg(feature = "store")]
#[derive(Default)]
pub(in crate::world) struct Touched {
    /// Whether there has been a save. Atomic, since a save that only reads the world sets it, too.
    is_kept: AtomicBool,
    /// The period in which each chunk was last touched, for chunks touched since the first save.
    periods: HashMap<ChunkPos, u64>,
}

/// Notes that the ground, soil or pressure of a chunk is touched.
#[cfg(feature = "store")]
#[inline]
pub(in crate::world) fn touch(world: &mut World, chunk: ChunkPos) {
    if *world.touched.is_kept.get_mut() {
        world.touched.periods.insert(chunk, world.water.period());
    }
}

/// Does nothing, since without the feature `store` no save asks for touched chunks.
#[cfg(not(feature = "store"))]
#[inline]
pub(in crate::world) fn touch(_: &mut World, _: ChunkPos) {}

/// Notes that the chunks with pressure, and the chunks whose ground is lent to explosions, are
/// touched. Must be called before any change that may drop such a chunk.
#[cfg(feature = "store")]
pub(in crate::world) fn touch_pressure(world: &mut World) {
    if *world.touched.is_kept.get_mut() {
        let period = world.water.period();
        let chunks: Vec<ChunkPos> = world
            .mirrored
            .iter()
            .copied()
            .chain(world.blast.chunks().map(|(chunk, _)| chunk))
            .collect();
        world.touched.periods.extend(chunks.into_iter().map(|chunk| (chunk, period)));
    }
}

/// Does nothing, since without the feature `store` no save asks for touched chunks.
#[cfg(not(feature = "store"))]
#[inline]
pub(in crate::world) fn touch_pressure(_: &mut World) {}

/// Returns the present as a time for queries of touched chunks; `None` while a tick is underway.
#[cfg(feature = "store")]
pub(crate) fn since_now(world: &World) -> Option<Since> {
    if world.stage != Stage::Rest {
        return None;
    }
    world.touched.is_kept.store(true, Ordering::Relaxed);
    let now = world.water.since_now()?;
    Some(now.with_soil_steps(steps_done(&world.soil)))
}

/// Returns the loaded chunks whose saved state may have changed since `since`, in no order, and the
/// time until which this holds. Returns all loaded chunks if `since` is `None` or belongs to
/// another world.
#[cfg(feature = "store")]
pub(crate) fn touched_since(world: &mut World, since: Option<Since>) -> (Vec<ChunkPos>, Since) {
    world.touched.is_kept.store(true, Ordering::Relaxed);
    touch_pressure(world);
    let (of_water, now) = world.water.touched_since(since);
    let now = now.with_soil_steps(steps_done(&world.soil));
    let grid = world.water.grid();
    let Some(since) = since.filter(|since| since.is_of_world(now)) else {
        return (grid.occupied().map(|slot| grid.position_at(slot)).collect(), now);
    };
    // Chunks that are removed are touched when they are loaded again.
    world.touched.periods.retain(|&chunk, _| grid.slot(chunk).is_some());
    let mut of_water = of_water.into_iter().peekable();
    let is_touched = |&(slot, chunk): &(Slot, ChunkPos)| {
        of_water.next_if_eq(&slot).is_some() || is_part_touched_since(world, chunk, since)
    };
    let chunks = grid.occupied().map(|slot| (slot, grid.position_at(slot)));
    (chunks.filter(is_touched).map(|(_, chunk)| chunk).collect(), now)
}

/// Returns whether the saved state of a chunk may have changed since `since`.
#[cfg(feature = "store")]
pub(crate) fn is_touched_since(world: &World, chunk: ChunkPos, since: Since) -> bool {
    let slot = world.water.grid().slot(chunk);
    slot.is_none_or(|slot| world.water.is_touched_since(slot, since))
        || is_part_touched_since(world, chunk, since)
}

/// Returns whether the saved state of a chunk, except for its water, may have changed since
/// `since`.
#[cfg(feature = "store")]
fn is_part_touched_since(world: &World, chunk: ChunkPos, since: Since) -> bool {
    let period = world.touched.periods.get(&chunk);
    period.is_some_and(|&period| since.is_reached_by(period))
        || is_stepped_since(&world.soil, chunk, since.soil_steps())
}

/// Returns whether no tick touches a chunk in its present state: its water and its soil sleep or
/// are frozen, and there is no pressure.
#[cfg(feature = "store")]
pub(crate) fn rests(world: &World, chunk: ChunkPos) -> bool {
    let is_awake = |slot| world.water.grid().awake_at(slot).is_some();
    let is_water_awake = world.water.grid().slot(chunk).is_some_and(is_awake);
    (world.water.is_frozen(chunk) || !is_water_awake && !stepped::is_awake(&world.soil, chunk))
        && world.blast.grid().slot(chunk).is_none()
}
