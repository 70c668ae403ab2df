//! A world at rest: nothing is published, nothing counts as changed, and time goes on.

use super::app::{app, request, simulation, spawn, update};
use floodplain::bevy::{FloodplainPlugin, SimulationWorld};
use floodplain::glam::IVec3;
use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};

/// A pond in rock.
fn pond() -> WaterWorld {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
    world.fill_water(Region::new(IVec3::splat(4), IVec3::splat(8)), 7).unwrap();
    world
}

#[test]
fn a_world_at_rest_is_silent_and_its_ticks_continue() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let world = spawn(&mut app, pond());
    (0..20).for_each(|_| _ = update::<WaterWorld>(&mut app));
    assert!(simulation::<WaterWorld>(&app, world).world().is_at_rest());
    for _ in 0..20 {
        let seen = update::<WaterWorld>(&mut app);
        assert!(seen.changes.is_empty() && seen.outcomes.is_empty());
        assert!(seen.worlds.is_empty() && seen.chunks.is_empty() && seen.surfaces.is_empty());
    }
    let simulation = simulation::<WaterWorld>(&app, world);
    assert_eq!((simulation.world().ticks(), simulation.progress().report.visited), (40, 0));
}

/// Whoever only reads a world does not wake its drawing.
#[test]
fn reading_a_world_by_a_mutable_query_publishes_nothing() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let world = spawn(&mut app, pond());
    (0..20).for_each(|_| _ = update::<WaterWorld>(&mut app));
    let simulation = app.world_mut().get_mut::<SimulationWorld<WaterWorld>>(world).unwrap();
    assert_eq!(simulation.world().units(IVec3::splat(5)), 7);
    assert!(update::<WaterWorld>(&mut app).changes.is_empty());
}

#[test]
fn an_edit_ends_the_rest() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let world = spawn(&mut app, pond());
    (0..20).for_each(|_| _ = update::<WaterWorld>(&mut app));
    request::<WaterWorld>(&mut app, world, Edit::ClearSolid(IVec3::new(9, 8, 5)));
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!((seen.changes.len(), &seen.worlds[..]), (1, &[world][..]));
    assert_eq!(seen.chunks, [(world, ChunkPos::ZERO)]);
}
