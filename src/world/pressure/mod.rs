//! The ground of explosions. It is lent to them only near pressure, so that a world without
//! pressure pays nothing. Before each step, the ground of the chunks with pressure, and of the
//! chunks that share a face with one, is lent. Once a chunk and all chunks around it are silent,
//! its ground is taken back. Pressure enters only chunks beside a chunk with pressure, so no step
//! ever misses ground. Pressure never enters a chunk out of its reach, whose ground is not lent.
//!
//! | file | what |
//! |---|---|
//! | `charge`, `reach` | charges, and how far they reach |
//! | `under_water` | the effect of full cells of water on pressure |
//! | `spill`, `throws` | moisture of broken soil that becomes water; water thrown by flows |

pub(crate) mod charge;
pub(crate) mod reach;
mod spill;
pub(super) mod throws;
pub(crate) mod under_water;

use crate::automata::blast::extent::admits;
use crate::automata::blast::mirror::{
    drop_ground, has_ground_at, is_beside_audible, is_empty, set_ground,
};
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos, ChunkRegion, Cube, Face, Region, Shape};
use crate::simulation::StepReport;
use crate::world::World;
use crate::world::pressure::spill::spill;
use crate::world::pressure::under_water::{
    damp_in_water, follow_water_in, has_obstacle, is_stopped_by_water, stopping_water,
};
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use crate::world::tick::touched::touch;
use glam::IVec3;

/// Ground that pressure broke.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Broken {
    /// The tick in which it broke, from 1.
    pub tick: u64,
    /// The cell.
    pub cell: IVec3,
    /// The old material.
    pub from: MaterialId,
    /// The new material.
    pub into: MaterialId,
    /// The pressure difference across the cell, which exceeded the strength of the old material.
    pub difference: f64,
}

/// The effect of a cell on pressure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) enum Matter {
    Open,
    Solid,
    /// Solid until the pressure difference across the cell exceeds this strength.
    Wall(f32),
}

/// Returns the ground that pressure broke since the last [`take_events`](World::take_events).
#[cfg(any(feature = "snapshot", feature = "scenario"))]
pub(crate) fn events_untold(world: &World) -> &[Broken] {
    &world.events
}

/// Runs one step of explosions, whose ground is lent. Ground that breaks in it becomes the material
/// that it breaks into.
pub(in crate::world) fn step_blast(world: &mut World) -> StepReport {
    let mut report = world.blast.step();
    for broken in world.blast.take_events() {
        let cell = broken.place;
        let from = world.ground.get(cell);
        let into = world.palette.traits(from).remains;
        // A broken wall stands in a loaded chunk, where no edit is refused.
        if let Ok(replaced) = world.replace(cell, into) {
            let (tick, difference) = (world.tick.wrapping_add(1), broken.difference);
            world.events.push(Broken { tick, cell, from, into, difference });
            report.changed += spill(world, cell, replaced.moisture);
        }
    }
    report.changed += damp_in_water(world);
    report
}

/// Lends the blast the ground of these chunks and of all chunks that share a face with one.
pub(in crate::world) fn lend_beside(world: &mut World, chunks: &[ChunkPos]) {
    for &chunk in chunks {
        let around = Face::ALL.into_iter().filter_map(|face| chunk.step(face));
        for chunk in core::iter::once(chunk).chain(around) {
            // Lending the ground of a loaded chunk is never refused.
            _ = lend(world, chunk);
        }
    }
}

/// Lends the blast the ground of a loaded chunk, if the chunk is within reach, has pressure or
/// obstacles, and is not lent yet.
pub(in crate::world) fn lend(world: &mut World, chunk: ChunkPos) -> Result<(), EditError> {
    let Some(ground) = world.ground.chunk(chunk) else { return Ok(()) };
    let is_plain = || world.blast.is_blank_at(chunk) && !has_obstacle(world, chunk);
    if is_lent(world, chunk) || !admits(&world.blast, chunk) || is_plain() {
        return Ok(());
    }
    let (mut solid, mut strengths) = (stopping_water(world, chunk), Chunk::uniform(0.0));
    let matters = matters(world);
    let matter = |index: usize| matters[usize::from(ground.get(index).0)];
    match ground.as_uniform() {
        Some(_) => match matter(0) {
            Matter::Open => {}
            Matter::Solid => solid = CellMask::FULL,
            Matter::Wall(strength) => strengths.fill(strength),
        },
        None => {
            for index in 0..CHUNK_CELLS {
                match matter(index) {
                    Matter::Open => {}
                    Matter::Solid => _ = solid.insert(index),
                    Matter::Wall(strength) => _ = strengths.set(index, strength),
                }
            }
        }
    }
    touch(world, chunk);
    set_ground(&mut world.blast, chunk, &solid, &strengths)?;
    world.mirrored.insert(chunk);
    Ok(())
}

/// Lends the blast the present ground of the loaded chunks that a region touches. A chunk without
/// pressure and obstacles no longer counts as lent.
pub(in crate::world) fn lend_region(world: &mut World, region: Region) -> Result<(), EditError> {
    let chunks = ChunkRegion::of::<Cube>(region);
    for slot in world.ground.slots_in(chunks) {
        let chunk = world.ground.position_at(slot);
        follow_water_in(world, chunk)?;
        lend(world, chunk)?;
        forget_if_plain(world, chunk);
    }
    Ok(())
}

/// Returns the chunks whose ground is lent, in order of position.
pub(in crate::world) fn lent(world: &World) -> impl Iterator<Item = ChunkPos> {
    world.mirrored.iter().copied()
}

/// Returns whether the ground of a chunk is lent.
pub(in crate::world) fn is_lent(world: &World, chunk: ChunkPos) -> bool {
    world.mirrored.contains(&chunk)
}

/// Takes back the ground of silent chunks with silent neighbours.
pub(in crate::world) fn take_back_silent(world: &mut World) {
    let mut mirrored = core::mem::take(&mut world.mirrored);
    mirrored.retain(|&chunk| {
        has_ground_at(&world.blast, chunk) && !drop_ground(&mut world.blast, chunk)
            || !world.blast.is_blank_at(chunk)
    });
    world.mirrored = mirrored;
}

/// Updates the blast after the material or the water of a cell has changed, if pressure is near.
pub(in crate::world) fn follow_in_blast(world: &mut World, cell: IVec3) -> Result<(), EditError> {
    let chunk = Cube::chunk_of(cell);
    if is_lent(world, chunk) {
        replace_in_blast(world, cell, matter_at(world, cell))?;
        forget_if_plain(world, chunk);
        Ok(())
    } else {
        lend_if_near(world, chunk)
    }
}

/// Lends the blast the ground of a chunk, if it has pressure or is beside an audible chunk.
pub(in crate::world) fn lend_if_near(world: &mut World, chunk: ChunkPos) -> Result<(), EditError> {
    if is_empty(&world.blast) {
        return Ok(());
    }
    let is_near = is_beside_audible(&world.blast, chunk) || !world.blast.is_blank_at(chunk);
    if is_near { lend(world, chunk) } else { Ok(()) }
}

/// Counts a chunk as no longer lent if it has neither obstacles nor pressure, so that the set of
/// lent chunks follows from the blast.
pub(in crate::world) fn forget_if_plain(world: &mut World, chunk: ChunkPos) {
    if !has_ground_at(&world.blast, chunk) && world.blast.is_blank_at(chunk) {
        world.mirrored.remove(&chunk);
    }
}

/// Returns the effect of a loaded cell on pressure, by its material, its water and the rules; open
/// where no cell is loaded.
pub(in crate::world) fn matter_at(world: &World, cell: IVec3) -> Matter {
    match world.material(cell).map(|material| matter_of(world, material)) {
        Some(Matter::Open) if is_stopped_by_water(world, cell) => Matter::Solid,
        Some(matter) => matter,
        None => Matter::Open,
    }
}

/// Returns the effect of a material on pressure, by the rules.
pub(in crate::world) fn matter_of(world: &World, material: MaterialId) -> Matter {
    let traits = world.palette.traits(material);
    match traits.strength.filter(|_| world.rules.breaking) {
        _ if !traits.solid => Matter::Open,
        None => Matter::Solid,
        Some(strength) => Matter::Wall(strength),
    }
}

/// Returns the effect of each material on pressure, by number; numbers without a material are open.
fn matters(world: &World) -> [Matter; 256] {
    let mut matters = [Matter::Open; 256];
    for (id, _) in world.palette.materials() {
        matters[usize::from(id.0)] = matter_of(world, id);
    }
    matters
}

/// Sets the effect of a cell on pressure, unless it is set already.
fn replace_in_blast(world: &mut World, cell: IVec3, matter: Matter) -> Result<(), EditError> {
    if matter_in_blast(world, cell) == matter {
        return Ok(());
    }
    match matter {
        Matter::Open => world.blast.clear_solid(cell).map(drop)?,
        Matter::Solid => world.blast.set_solid(cell).map(drop)?,
        Matter::Wall(strength) => world.blast.set_wall(cell, strength).map(drop)?,
    }
    Ok(())
}

/// Returns the effect on pressure that a cell has in the blast at present.
pub(in crate::world) fn matter_in_blast(world: &World, cell: IVec3) -> Matter {
    match world.blast.strength(cell) {
        Some(strength) => Matter::Wall(strength),
        None if world.blast.is_solid(cell) => Matter::Solid,
        None => Matter::Open,
    }
}
