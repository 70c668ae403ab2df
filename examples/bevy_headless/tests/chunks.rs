//! Chunks as entities.

use super::app::{app, chunk_entities, request, simulation, spawn, update};
use bevy_app::FixedUpdate;
use bevy_ecs::prelude::*;
use floodplain::bevy::{
    ChunkSurface, FloodplainPlugin, FloodplainSystems, SimulationChunk, SimulationWorld,
};
use floodplain::glam::IVec3;
use floodplain::water::{ChunkRecord, Edit, Outcome, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};

/// Three open chunks in a row along x.
fn row() -> WaterWorld {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    let open = |x| (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN));
    world.insert_chunks((0..3).map(open)).unwrap();
    world
}

/// What a game adds.
#[derive(Component, Debug, PartialEq)]
struct Mesh(u32);

#[test]
fn entities_follow_chunks_that_are_loaded_and_unloaded() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let world = spawn(&mut app, row());
    update::<WaterWorld>(&mut app);
    let entity =
        |app: &bevy_app::App, x| simulation::<WaterWorld>(app, world).chunk(ChunkPos::new(x, 0, 0));
    let first: Vec<_> = (0..4).map(|x| entity(&app, x)).collect();
    assert!(first[..3].iter().all(Option::is_some) && first[3].is_none());

    request::<WaterWorld>(
        &mut app,
        world,
        Edit::RemoveChunks(vec![ChunkPos::ZERO, ChunkPos::new(1, 0, 0)]),
    );
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!(chunk_entities::<WaterWorld>(&mut app, world), [ChunkPos::new(2, 0, 0)]);
    assert!(app.world().get_entity(first[0].unwrap()).is_err(), "despawned");
    assert_eq!(entity(&app, 0), None);
    let Ok(Outcome::Records(records)) = &seen.outcomes[0].result else { panic!("records") };
    let back: Vec<ChunkRecord> = records.clone();

    request::<WaterWorld>(&mut app, world, Edit::InsertRecords(back));
    update::<WaterWorld>(&mut app);
    let all = [0, 1, 2].map(|x| ChunkPos::new(x, 0, 0));
    assert_eq!(chunk_entities::<WaterWorld>(&mut app, world), all);
    assert_eq!(entity(&app, 2), first[2], "it stayed");
}

/// Put in place of another within one update.
#[test]
fn a_chunk_that_is_replaced_keeps_its_entity_and_counts_as_changed() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let world = spawn(&mut app, row());
    update::<WaterWorld>(&mut app);
    let entity = simulation::<WaterWorld>(&app, world).chunk(ChunkPos::new(1, 0, 0)).unwrap();
    app.world_mut().entity_mut(entity).insert(Mesh(3));
    request::<WaterWorld>(&mut app, world, Edit::RemoveChunk(ChunkPos::new(1, 0, 0)));
    let chunk = Chunk::uniform(Voxel::SOLID);
    request::<WaterWorld>(
        &mut app,
        world,
        Edit::InsertChunk { position: ChunkPos::new(1, 0, 0), chunk },
    );
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!(seen.chunks, [(world, ChunkPos::new(1, 0, 0))]);
    assert_eq!(app.world().get::<Mesh>(entity), Some(&Mesh(3)));
    assert_eq!(simulation::<WaterWorld>(&app, world).chunk(ChunkPos::new(1, 0, 0)), Some(entity));
}

/// Water at a face changes how the neighbour is drawn, and not what is in it.
#[test]
fn a_surface_is_to_be_drawn_anew_for_what_changes_at_its_rim() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let mut water = row();
    water.fill_solid(Region::new(IVec3::ZERO, IVec3::new(47, 3, 15))).unwrap();
    let cell = IVec3::new(15, 3, 8);
    let world = spawn(&mut app, water);
    update::<WaterWorld>(&mut app);
    request::<WaterWorld>(&mut app, world, Edit::ClearSolid(cell));
    request::<WaterWorld>(&mut app, world, Edit::Pour { cell, units: 5 });
    let mut seen = update::<WaterWorld>(&mut app);
    seen.surfaces.sort_by_key(|(_, at)| at.x);
    assert_eq!(seen.chunks, [(world, ChunkPos::ZERO)]);
    assert_eq!(seen.surfaces, [(world, ChunkPos::ZERO), (world, ChunkPos::new(1, 0, 0))]);
}

/// A game may despawn what it has drawn, or take marks off; it is then told by messages alone.
#[test]
fn entities_that_a_game_despawned_are_no_fault() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let world = spawn(&mut app, row());
    update::<WaterWorld>(&mut app);
    let [gone, plain] = [0, 1]
        .map(|x| simulation::<WaterWorld>(&app, world).chunk(ChunkPos::new(x, 0, 0)).unwrap());
    app.world_mut().despawn(gone);
    app.world_mut().entity_mut(plain).remove::<ChunkSurface<WaterWorld>>();
    for x in [3, 19] {
        let cell = IVec3::new(x, 0, 8);
        request::<WaterWorld>(&mut app, world, Edit::Pour { cell, units: 1 });
    }
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!((seen.changes.len(), seen.surfaces.len()), (1, 0));
    assert_eq!(seen.chunks, [(world, ChunkPos::new(1, 0, 0))]);
    request::<WaterWorld>(&mut app, world, Edit::RemoveChunk(ChunkPos::ZERO));
    update::<WaterWorld>(&mut app);
    assert_eq!(
        chunk_entities::<WaterWorld>(&mut app, world),
        [ChunkPos::new(1, 0, 0), ChunkPos::new(2, 0, 0)]
    );
}

#[test]
fn a_plugin_without_chunks_writes_messages_alone() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new().without_chunks());
    let world = spawn(&mut app, row());
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!(seen.changes[0].changes.chunks().len(), 3);
    let mut chunks = app.world_mut().query::<&SimulationChunk<WaterWorld>>();
    assert_eq!(chunks.iter(app.world()).count(), 0);
    assert_eq!(simulation::<WaterWorld>(&app, world).chunk(ChunkPos::ZERO), None);
}

/// Its despawn and the spawn of its chunks are commands of one update, in whichever order.
#[test]
fn chunks_that_come_as_their_world_goes_go_with_it() {
    fn despawn(mut commands: Commands, worlds: Query<Entity, With<SimulationWorld<WaterWorld>>>) {
        worlds.iter().for_each(|world| commands.entity(world).despawn());
    }
    for is_first in [true, false] {
        let mut app = app::<WaterWorld>(FloodplainPlugin::new());
        let publish = FloodplainSystems::Publish;
        if is_first {
            app.add_systems(FixedUpdate, despawn.before_ignore_deferred(publish));
        } else {
            app.add_systems(FixedUpdate, despawn.after_ignore_deferred(publish));
        }
        let world = spawn(&mut app, row());
        assert_eq!(update::<WaterWorld>(&mut app).changes.len(), 1, "its chunks were published");
        assert_eq!(chunk_entities::<WaterWorld>(&mut app, world), [], "first: {is_first}");
    }
}
