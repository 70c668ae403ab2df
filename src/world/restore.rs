//! The parts of a saved world, and restoring a world from them. Derived data is computed again. A
//! world whose water has a tick underway is saved as it was when that tick began.

use super::edit::Edit;
use super::edit::queue::Queue;
use super::rules::Rules;
use super::rules::palette::Palette;
use super::tick::Stage;
use super::tick::exchange::Passed;
use super::{Broken, MaterialId, World};
use crate::automata::blast::extent;
use crate::automata::blast::extent::{confine, keep, restore_admitted};
use crate::automata::humidity::step::still::restore_still;
use crate::blast::BlastWorld;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Shape};
use crate::edit_queue::Waiting;
use crate::humidity::HumidityWorld;
use crate::water::WaterWorld;
use crate::world::pressure::reach::is_within_reach;
use crate::world::tick::contacts::note_chunk;
use std::collections::VecDeque;

/// The three parts, each with its rules and its account.
pub(crate) struct Parts {
    pub(crate) water: WaterWorld,
    pub(crate) soil: HumidityWorld<Cube>,
    pub(crate) blast: BlastWorld<Cube>,
}

/// The state outside of parts and chunks.
pub(crate) struct Common {
    /// [`Stage::number`] of the next stage of the tick.
    pub(crate) stage: u32,
    /// [`Stage::after`] of that stage.
    pub(crate) after: Option<ChunkPos>,
    pub(crate) edits: Waiting<VecDeque<Edit>>,
    pub(crate) events: Vec<Broken>,
    /// The chunks in which pressure was added to the world.
    pub(crate) origins: Vec<ChunkPos>,
    pub(crate) counts: Counts,
}

/// The units of water that passed between the parts, as in [`Ledger`](super::Ledger).
pub(crate) struct Counts {
    pub(crate) soaked: u64,
    pub(crate) sprung: u64,
    pub(crate) ebbed: u64,
    pub(crate) thrown: u64,
    pub(crate) spilled: u64,
}

/// The ground of a chunk.
pub(crate) struct SavedGround<'a> {
    pub(crate) materials: &'a Chunk<MaterialId>,
    pub(crate) changed: Option<&'a CellMask>,
    pub(crate) is_lent: bool,
}

/// Returns [`Stage::number`] of the next stage of the tick, 0 if the tick has not begun, and
/// [`Stage::after`] of that stage.
pub(crate) fn saved_stage(world: &World) -> (u32, Option<ChunkPos>) {
    (world.stage.number(), world.stage.after())
}

/// Returns the queued edits.
pub(crate) fn edits_that_wait(world: &World) -> Waiting<impl ExactSizeIterator<Item = &Edit>> {
    world.queue.saved()
}

pub(crate) fn saved_ground(world: &World, chunk: ChunkPos) -> Option<SavedGround<'_>> {
    let slot = world.ground.slot(chunk)?;
    Some(SavedGround {
        materials: world.ground.chunk_at(slot),
        changed: world.ground.changed_at(slot),
        is_lent: world.mirrored.contains(&chunk),
    })
}

/// Makes copies of a chunk's ground share its array until the ground is written.
#[cfg(feature = "store")]
pub(crate) fn share_ground(world: &mut World, chunk: ChunkPos) {
    if let Some(slot) = world.ground.slot(chunk) {
        world.ground.chunk_at_mut(slot).share();
    }
}

/// Returns a world of these parts, which have no chunks yet.
///
/// # Errors
/// A message that says why the palette, rules, parts and common state do not fit together.
pub(crate) fn restored(
    palette: Palette,
    rules: Rules,
    parts: Parts,
    common: Common,
) -> Result<World, String> {
    let Parts { water, soil, blast } = parts;
    let (seed, bounds) = (water.seed(), water.bounds());
    if soil.bounds() != bounds || blast.bounds() != bounds {
        return Err("parts with other bounds".to_owned());
    }
    if water.queued_edits().len() > 0 || !blast.events_untold().is_empty() {
        return Err("edits or events of a part, which a world has itself".to_owned());
    }
    let mut world =
        World::with_bounds(seed, palette, rules, bounds).map_err(|refused| refused.to_string())?;
    let stage = Stage::from_number(common.stage, common.after, &world.rules);
    world.stage = stage.ok_or("a stage that no tick has")?;
    // From the end of its own tick until the end of the world's tick, water is one tick ahead.
    let is_closing = world.stage != Stage::Rest;
    world.tick = water.ticks().wrapping_sub(is_closing.into());
    (world.water, world.soil, world.blast) = (water, soil, blast);
    world.soil.count_no_moves();
    keep(&mut world.blast, 1.0 - rules.blast_fading);
    confine(&mut world.blast);
    world.origins = common.origins.into_iter().collect();
    world.queue = Queue::restored(is_closing, common.edits);
    world.events = common.events;
    let Counts { soaked, sprung, ebbed, thrown, spilled } = common.counts;
    world.passed = Passed { soaked, sprung, ebbed };
    (world.thrown, world.spilled) = (thrown, spilled);
    // Lent ground is saved as it is; it may date from before an edit of water.
    world.is_water_edited = true;
    Ok(world)
}

/// Restores the ground of a chunk. Returns whether the chunk may be there and its materials are in
/// the palette.
pub(crate) fn restore_ground(
    world: &mut World,
    position: ChunkPos,
    materials: Chunk<MaterialId>,
    changed: Option<&CellMask>,
    is_lent: bool,
) -> bool {
    let Ok(inside) = world.vacant(position) else { return false };
    let is_whole = inside == Cube::region_of(position);
    let fits = |index: usize| {
        let material = materials.get(index);
        let is_inside = is_whole || inside.contains(Cube::cell_at(position, index));
        if is_inside {
            usize::from(material.0) < world.palette.len()
        } else {
            material == MaterialId(0)
        }
    };
    let checked = if materials.as_uniform().is_some() && is_whole { 1 } else { CHUNK_CELLS };
    if !(0..checked).all(fits) || world.ground.insert(position, materials).is_err() {
        return false;
    }
    if let (Some(cells), Some(slot)) = (changed, world.ground.slot(position)) {
        world.ground.mark_changes_at(slot, cells);
    }
    if is_lent {
        world.mirrored.insert(position);
    }
    true
}

/// Returns whether the part of soil must have the chunk at a chunk position: whether a cell of its
/// ground is permeable.
pub(crate) fn is_of_soil(world: &World, chunk: ChunkPos) -> bool {
    world.has_soil(chunk)
}

/// Notes that a chunk is fully restored, except for its pressure.
pub(crate) fn note_restored(world: &mut World, chunk: ChunkPos) {
    if is_within_reach(world, chunk) {
        restore_admitted(&mut world.blast, chunk);
    }
    if world.rules.couplings.seepage == 0.0 {
        world.soil.set_fed(chunk, Vec::new());
    }
    if world.water.is_frozen(chunk) {
        restore_still(&mut world.soil, chunk);
        extent::restore_still(&mut world.blast, chunk);
    }
    note_chunk(world, chunk);
}

/// Returns the parts, whose chunks are to be restored.
pub(crate) fn parts_mut(
    world: &mut World,
) -> (&mut WaterWorld, &mut HumidityWorld<Cube>, &mut BlastWorld<Cube>) {
    (&mut world.water, &mut world.soil, &mut world.blast)
}
