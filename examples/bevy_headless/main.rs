//! A Bevy app without a window: a dam breaks, its lake floods a valley, and it rains meanwhile.
//! Edits go in as messages; what changed comes out as messages and by the entities of chunks. At
//! the end all cells are counted, and the ledger must balance.
//!
//! ```text
//! cargo run --release -p bevy_headless
//! ```

#[path = "../shared/file_or_help.rs"]
mod file_or_help;
#[path = "../shared/dammed_valley.rs"]
mod valley;

use bevy_app::{App, AppExit, FixedUpdate, ScheduleRunnerPlugin, Startup, Update};
use bevy_diagnostic::DiagnosticsStore;
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use core::time::Duration;
use file_or_help::Asked;
use floodplain::bevy::{
    ChunkSurface, EditOutcome, EditRequest, FloodplainPlugin, FloodplainSystems, Measure,
    SimulationChanges, SimulationWorld, StepBudget,
};
use floodplain::glam::IVec3;
use floodplain::water::{Edit, WaterWorld};

const HELP: &str = "\
A dam breaks in a Bevy app without a window; lines say what changed, and the ledger is checked.

Usage: cargo run --release -p bevy_headless
";

/// The tick before which the dam breaks, and the last.
const BREACH: u64 = 20;
const TICKS: u64 = 400;
/// Ticks from one line of the report to the next.
const LINE: u64 = 40;

/// What was seen since the last line.
#[derive(Resource, Default)]
struct Seen {
    cells: usize,
    surfaces: usize,
    refused: usize,
    line: u64,
}

fn main() -> AppExit {
    match file_or_help::parse(std::env::args_os().skip(1), false) {
        Ok(Asked::Run(_)) => flood(),
        Ok(Asked::Help) => {
            print!("{HELP}");
            AppExit::Success
        }
        Err(error) => {
            eprintln!("bevy_headless: {error}");
            AppExit::from_code(2)
        }
    }
}

/// Runs the app until the flood has passed.
fn flood() -> AppExit {
    let plugin = FloodplainPlugin::<WaterWorld>::new()
        .with_budget(StepBudget::Cells(400_000))
        .with_ledger_check(1);
    App::new()
        // As fast as it goes: a fixed update in each frame, and no wait between frames.
        .add_plugins((TimePlugin, ScheduleRunnerPlugin::run_loop(Duration::ZERO), plugin))
        .insert_resource(Time::<Fixed>::from_hz(20.0))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .init_resource::<Seen>()
        .add_systems(Startup, load)
        .add_systems(FixedUpdate, (breach, rain).before(FloodplainSystems::Edit))
        .add_systems(Update, (watch, report).chain())
        .run()
}

fn load(mut commands: Commands) -> Result<(), BevyError> {
    commands.spawn(SimulationWorld::new(valley::world()?));
    Ok(())
}

type TheWorld<'w, 's> = Single<'w, 's, (Entity, &'static SimulationWorld<WaterWorld>)>;

/// Opens the dam, once.
fn breach(
    world: TheWorld,
    mut edits: MessageWriter<EditRequest<WaterWorld>>,
    mut is_done: Local<bool>,
) {
    let (world, simulation) = *world;
    let water = simulation.world();
    if water.ticks() >= BREACH && !core::mem::replace(&mut *is_done, true) {
        assert_eq!(water.ledger().drained, 0, "the dam has held");
        edits.write(EditRequest {
            world,
            edit: Edit::FillWater { region: valley::gap(), height: 0 },
        });
    }
}

/// A few drops in each update, at places that depend on the tick alone. Those that would fall into
/// a slope are refused.
fn rain(world: TheWorld, mut edits: MessageWriter<EditRequest<WaterWorld>>) {
    let (world, simulation) = *world;
    let mut random = fastrand::Rng::with_seed(simulation.world().ticks());
    for _ in 0..4 {
        let cell = IVec3::new(random.i32(0..valley::LENGTH), 36, random.i32(4..44));
        edits.write(EditRequest { world, edit: Edit::Pour { cell, units: 1 } });
    }
}

fn watch(
    mut seen: ResMut<Seen>,
    mut changes: MessageReader<SimulationChanges<WaterWorld>>,
    mut outcomes: MessageReader<EditOutcome<WaterWorld>>,
    surfaces: Query<(), Changed<ChunkSurface<WaterWorld>>>,
) {
    for message in changes.read() {
        let spans = message.changes.chunks().iter().flat_map(|chunk| &chunk.spans);
        seen.cells += spans.map(|span| usize::from(span.cells)).sum::<usize>();
    }
    seen.refused += outcomes.read().filter(|outcome| outcome.result.is_err()).count();
    seen.surfaces += surfaces.iter().count();
}

/// Prints a line now and then; after the last tick, checks the ledger and ends the app.
fn report(
    world: TheWorld,
    diagnostics: Res<DiagnosticsStore>,
    mut seen: ResMut<Seen>,
    mut exit: MessageWriter<AppExit>,
) {
    let water = world.1.world();
    if water.ticks() < seen.line + LINE {
        return;
    }
    let mean = |measure: Measure| {
        let diagnostic = diagnostics.get(&measure.path::<WaterWorld>());
        diagnostic.and_then(|diagnostic| diagnostic.average()).unwrap_or(f64::NAN)
    };
    println!(
        "tick {:3}: {:6} units left over the edge, {:6.0} cells awake, {:5.2} ms an update, \
         {:7} cells look different, {:5} meshes to make, {} edits refused",
        water.ticks(),
        water.ledger().drained,
        mean(Measure::AwakeCells),
        mean(Measure::StepTime),
        seen.cells,
        seen.surfaces,
        seen.refused,
    );
    *seen = Seen { line: water.ticks(), ..Seen::default() };
    if water.ticks() >= TICKS {
        let counted: u64 = water.chunks().map(|(_, chunk)| chunk.units()).sum();
        assert_eq!(counted, water.ledger().total(), "no unit is made or lost");
        assert_eq!(mean(Measure::Imbalance), 0.0, "nor was in any update");
        assert!(water.ledger().drained > 0, "the flood has passed the valley");
        println!("{counted} units counted, and as many in the ledger: {:?}", water.ledger());
        exit.write(AppExit::Success);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flood_passes_the_valley_and_the_ledger_balances() {
        assert_eq!(flood(), AppExit::Success);
    }
}
