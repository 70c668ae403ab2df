//! How much of a tick an update does.

use super::app::{app, simulation, spawn, update};
use floodplain::bevy::{FloodplainPlugin, StepBudget};
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use std::time::Duration;

/// A dam that breaks, across four chunks.
fn dam_break() -> WaterWorld {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    let open = |position| (position, Chunk::uniform(Voxel::OPEN));
    let chunks = Region::new(IVec3::ZERO, IVec3::new(1, 0, 1));
    world.insert_chunks(chunks.positions().map(ChunkPos::from).map(open)).unwrap();
    world.fill_water(Region::new(IVec3::ZERO, IVec3::new(7, 11, 31)), 7).unwrap();
    world
}

#[test]
fn a_budget_of_cells_is_that_of_step_within() {
    let budget = 500;
    let plugin = FloodplainPlugin::new().with_budget(StepBudget::Cells(budget));
    let mut app = app::<WaterWorld>(plugin);
    let world = spawn(&mut app, dam_break());
    let mut by_hand = dam_break();
    let mut slices = 0;
    for _ in 0..500 {
        app.update();
        let simulation = simulation::<WaterWorld>(&app, world);
        assert_eq!(simulation.progress(), by_hand.step_within(budget));
        // As the plugin does: changes that are not taken count in the next tick.
        by_hand.take_changes();
        // The largest piece of a tick.
        assert!(simulation.progress().visited <= budget + 4_112);
        assert_eq!(simulation.world().backlog(), by_hand.backlog());
        slices += u32::from(!simulation.progress().finished);
    }
    let water = simulation::<WaterWorld>(&app, world).world();
    assert_eq!(water.state_hash(), by_hand.state_hash());
    assert!(slices > 100 && water.ticks() > 10, "{slices} {}", water.ticks());
}

/// No time at all is one piece in each update.
#[test]
fn a_budget_of_time_stops_after_the_piece_that_exhausts_it() {
    let plugin = FloodplainPlugin::new().with_budget(StepBudget::Time(Duration::ZERO));
    let mut app = app::<WaterWorld>(plugin);
    let world = spawn(&mut app, dam_break());
    let mut by_hand = dam_break();
    for _ in 0..200 {
        app.update();
        let simulation = simulation::<WaterWorld>(&app, world);
        assert_eq!(simulation.progress(), by_hand.step_within(0));
        by_hand.take_changes();
    }
    assert!(!by_hand.is_at_rest());
    app.world_mut().entity_mut(world).insert(StepBudget::Time(Duration::MAX));
    app.update();
    by_hand.step();
    let simulation = simulation::<WaterWorld>(&app, world);
    assert!(simulation.progress().finished);
    assert_eq!(simulation.world().state_hash(), by_hand.state_hash());
}

#[test]
fn the_budget_of_a_world_goes_before_that_of_the_plugin() {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let [whole, sliced] = [(); 2].map(|()| spawn(&mut app, dam_break()));
    app.world_mut().entity_mut(sliced).insert(StepBudget::Cells(100));
    (0..5).for_each(|_| app.update());
    let ticks = [whole, sliced].map(|world| simulation::<WaterWorld>(&app, world).world().ticks());
    assert_eq!(ticks, [5, 0]);
    app.world_mut().entity_mut(sliced).remove::<StepBudget>();
    app.update();
    assert_eq!(simulation::<WaterWorld>(&app, sliced).world().ticks(), 1);
}

/// What a tick does in slices is published once, when it is complete.
#[test]
fn changes_go_out_when_a_tick_is_complete() {
    let plugin = FloodplainPlugin::new().with_budget(StepBudget::Cells(500));
    let mut app = app::<WaterWorld>(plugin);
    let world = spawn(&mut app, dam_break());
    update::<WaterWorld>(&mut app);
    let mut published = 0;
    for _ in 0..200 {
        let seen = update::<WaterWorld>(&mut app);
        let is_complete = simulation::<WaterWorld>(&app, world).progress().finished;
        assert_eq!(seen.changes.len(), usize::from(is_complete));
        published += seen.changes.len();
    }
    assert!(published > 5, "{published}");
}
