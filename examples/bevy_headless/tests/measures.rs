//! Diagnostics.

use super::app::{app, simulation, spawn};
use bevy_app::App;
use bevy_diagnostic::DiagnosticsStore;
use bevy_ecs::entity::Entity;
use floodplain::bevy::{FloodplainPlugin, Measure, Simulated, StepBudget};
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region, Sheet};
use support::worlds;

fn value<W: Simulated>(app: &App, measure: Measure) -> Option<f64> {
    let store = app.world().resource::<DiagnosticsStore>();
    store.get(&measure.path::<W>()).expect("it is registered").value()
}

/// Water that falls in the middle of a tick.
fn falling() -> WaterWorld {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_water(Region::new(IVec3::new(3, 8, 3), IVec3::new(9, 14, 9)), 7).unwrap();
    world
}

#[test]
fn diagnostics_are_sums_over_the_worlds() {
    let plugin = FloodplainPlugin::<WaterWorld>::new().with_budget(StepBudget::Cells(300));
    let mut app = app(plugin);
    let worlds: [Entity; 2] = [(); 2].map(|()| spawn(&mut app, falling()));
    let mut has_backlog = false;
    for _ in 0..10 {
        app.update();
        let simulations = worlds.map(|world| simulation::<WaterWorld>(&app, world));
        let sum = |of: &dyn Fn(&WaterWorld) -> f64| {
            Some(simulations.iter().map(|simulation| of(simulation.world())).sum())
        };
        let awake = sum(&|world| world.awake_cells() as f64);
        let backlog = sum(&|world| world.backlog() as f64);
        let times = simulations.map(|simulation| simulation.step_time().as_secs_f64() * 1_000.0);
        assert_eq!(value::<WaterWorld>(&app, Measure::AwakeCells), awake);
        assert_eq!(value::<WaterWorld>(&app, Measure::Backlog), backlog);
        assert_eq!(value::<WaterWorld>(&app, Measure::StepTime), Some(times.iter().sum()));
        has_backlog |= backlog > Some(0.0);
        assert!(awake > Some(0.0));
        assert_eq!(value::<WaterWorld>(&app, Measure::Imbalance), None, "not asked for");
    }
    assert!(has_backlog, "no update has left a tick unfinished");
}

#[test]
fn ledgers_are_counted_as_often_as_asked_and_balance() {
    fn balances<W: Simulated>(world: W, most: f64) {
        let mut app = app(FloodplainPlugin::<W>::new().with_ledger_check(4));
        spawn(&mut app, world);
        let counted = |app: &App| {
            let store = app.world().resource::<DiagnosticsStore>();
            store.get(&Measure::Imbalance.path::<W>()).unwrap().history_len()
        };
        (0..3).for_each(|_| app.update());
        assert_eq!(counted(&app), 0, "{}", W::NAME);
        (0..9).for_each(|_| app.update());
        assert_eq!(counted(&app), 3, "{}", W::NAME);
        let imbalance = value::<W>(&app, Measure::Imbalance).unwrap();
        assert!(imbalance <= most, "{}: {imbalance}", W::NAME);
    }
    for seed in 0..6 {
        balances(worlds::water(seed), 0.0);
        balances(worlds::water_2d(seed), 0.0);
        balances(worlds::humidity::<Sheet>(3 * seed), 0.0);
        balances(worlds::blast::<Sheet>(seed), 1e-3);
    }
}
