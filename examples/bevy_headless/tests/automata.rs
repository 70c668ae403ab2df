//! Humidity, explosions and 2D water in an app are what they are by hand.

use super::app::{app, chunk_entities, request, simulation, spawn, update};
use fastrand::Rng;
use floodplain::bevy::{EditFailure, FieldChanges, FloodplainPlugin, Simulated};
use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::snapshot::Saved;
use floodplain::water::ChunkEvent;
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkChanges, ChunkPos, Cube, Region, Shape, Sheet, Simulation};
use support::worlds;

/// What the tests do with an automaton besides what the plugin does.
trait Kind:
    Simulated<Changes = FieldChanges, EditError: PartialEq> + Simulation<Change = ChunkChanges> + Saved
{
    fn make(seed: u64) -> Self;
    /// Any edit; some are refused.
    fn any_edit(rng: &mut Rng, at: IVec3, chunk: ChunkPos) -> Self::Edit;
    /// The chunk that an edit loads.
    fn loads(edit: &Self::Edit) -> Option<ChunkPos>;
    fn positions(&self) -> Vec<ChunkPos>;
    fn chunk_of(cell: IVec3) -> ChunkPos;
}

macro_rules! kind {
    ($world:ty, $shape:ty, $part:ident, $make:expr, $any_edit:expr) => {
        impl Kind for $world {
            fn make(seed: u64) -> Self {
                $make(seed)
            }
            fn any_edit(rng: &mut Rng, at: IVec3, chunk: ChunkPos) -> $part::Edit {
                let any_edit: fn(&mut Rng, IVec3, ChunkPos) -> $part::Edit = $any_edit;
                any_edit(rng, at, chunk)
            }
            fn loads(edit: &$part::Edit) -> Option<ChunkPos> {
                match edit {
                    $part::Edit::InsertChunk { position, .. } => Some(*position),
                    _ => None,
                }
            }
            fn positions(&self) -> Vec<ChunkPos> {
                self.chunks().map(|(position, _)| position).collect()
            }
            fn chunk_of(cell: IVec3) -> ChunkPos {
                <$shape>::chunk_of(cell)
            }
        }
    };
}

fn humidity_edit(rng: &mut Rng, cell: IVec3, position: ChunkPos) -> humidity::Edit {
    use humidity::Edit::*;
    let soil = humidity::Cell::soil(20.0 * rng.f64(), 0.5 + 4.0 * rng.f32());
    match rng.u8(..8) {
        0 => SetRock(cell),
        1 => SetRain { cell, humidity: 80.0 * rng.f64() },
        2 => ClearRain(cell),
        3 => SetHumidity { cell, humidity: 90.0 * rng.f64() - 10.0 },
        4 => FillCells { region: Region::new(cell, cell + 1), value: soil },
        5 => InsertChunk { position, chunk: Chunk::uniform(soil) },
        6 => SetCell { cell, value: soil },
        _ => RemoveChunk(position),
    }
}

fn blast_edit(rng: &mut Rng, cell: IVec3, position: ChunkPos) -> blast::Edit {
    use blast::Edit::*;
    match rng.u8(..7) {
        0 => SetPressure { cell, pressure: 300.0 * rng.f32() },
        1 => AddPressure { cell, more: [90.0, f32::INFINITY][usize::from(rng.u8(..4) == 0)] },
        2 => SetSolid(cell),
        3 => SetWall { cell, strength: 5.0 },
        4 => ClearSolid(cell),
        5 => InsertChunk { position, chunk: Chunk::uniform(2.0) },
        _ => RemoveChunk(position),
    }
}

fn water_2d_edit(rng: &mut Rng, cell: IVec3, position: ChunkPos) -> water2d::Edit {
    use water2d::Edit::*;
    match rng.u8(..7) {
        0 => SetSolid(cell),
        1 => ClearSolid(cell),
        2 => Pour { cell, units: rng.u32(..900) },
        3 => Scoop { cell, units: rng.u32(..90) },
        4 => FillWater { region: Region::new(cell, cell + IVec3::X), level: 130 },
        5 => InsertChunk { position, chunk: Chunk::uniform(water2d::Cell::AIR) },
        _ => RemoveChunk(position),
    }
}

kind!(HumidityWorld<Sheet>, Sheet, humidity, worlds::humidity, humidity_edit);
kind!(HumidityWorld<Cube>, Cube, humidity, worlds::humidity, humidity_edit);
kind!(BlastWorld<Sheet>, Sheet, blast, worlds::blast, blast_edit);
kind!(BlastWorld<Cube>, Cube, blast, worlds::blast, blast_edit);
kind!(Water2dWorld, Sheet, water2d, worlds::water_2d, water_2d_edit);

/// The events that chunks give rise to: by what was there before and is now, was inserted, and
/// changed.
fn events(
    before: &[ChunkPos],
    now: &[ChunkPos],
    inserted: &[ChunkPos],
    changes: &[ChunkChanges],
) -> Vec<(ChunkPos, ChunkEvent)> {
    let changed = changes.iter().map(|changes| changes.chunk);
    let mut all: Vec<ChunkPos> = before.iter().chain(now).copied().chain(changed.clone()).collect();
    all.sort();
    all.dedup();
    let event = |at: &ChunkPos| {
        let [was, is] = [before, now].map(|chunks| chunks.contains(at));
        match (was, is) {
            (false, true) => Some(ChunkEvent::Loaded),
            (true, true) if inserted.contains(at) => Some(ChunkEvent::Loaded),
            (true, false) => Some(ChunkEvent::Unloaded),
            (true, true) if changed.clone().any(|chunk| chunk == *at) => Some(ChunkEvent::Changed),
            _ => None,
        }
    };
    all.into_iter().filter_map(|at| Some((at, event(&at)?))).collect()
}

/// Edits and steps in an app and by hand. Returns how many events of each sort there were.
fn run<W: Kind>(seed: u64) -> [usize; 3] {
    let mut rng = Rng::with_seed(seed);
    let mut app = app::<W>(FloodplainPlugin::new());
    let (world, mut by_hand) = (spawn(&mut app, W::make(seed)), W::make(seed));
    let (mut before, mut counts) = (Vec::new(), [0; 3]);
    for update_number in 0..24 {
        let (mut inserted, mut answers) = (Vec::new(), Vec::new());
        for _ in 0..rng.usize(..4) {
            let at = IVec3::new(rng.i32(-4..4), rng.i32(1..7), rng.i32(-1..2).max(0));
            let edit = W::any_edit(&mut rng, at, W::chunk_of(at));
            request::<W>(&mut app, world, edit.clone());
            let (tick, loads) = (by_hand.ticks(), W::loads(&edit));
            let result = by_hand.apply(edit).map_err(EditFailure::Refused);
            inserted.extend(loads.filter(|_| result.is_ok()));
            answers.push((tick, result));
        }
        by_hand.step();
        let seen = update::<W>(&mut app);
        let answered = seen.outcomes.into_iter().map(|outcome| (outcome.tick, outcome.result));
        assert_eq!(answered.collect::<Vec<_>>(), answers);
        let in_app = simulation::<W>(&app, world).world();
        let changes = by_hand.take_changes();
        assert!(in_app.save() == by_hand.save(), "{} {seed} {update_number}", W::NAME);

        let now = by_hand.positions();
        let expected = events(&before, &now, &inserted, &changes);
        let published: Vec<_> =
            seen.changes.iter().flat_map(|message| &message.changes.chunks).collect();
        let told: Vec<_> = published.iter().map(|chunk| (chunk.position, chunk.event)).collect();
        assert_eq!(told, expected, "{} {seed} {update_number}", W::NAME);
        for chunk in published {
            counts[chunk.event as usize] += 1;
            let whole = ChunkChanges { chunk: chunk.position, cells: floodplain::CellMask::FULL };
            let listed = changes.iter().find(|changes| changes.chunk == chunk.position);
            let is_change = chunk.event == ChunkEvent::Changed;
            let cells = &listed.filter(|_| is_change).unwrap_or(&whole).cells;
            assert!(chunk.cells == *cells, "{} {seed} {}", W::NAME, chunk.position);
        }
        let drawn = told.iter().filter(|(_, event)| *event != ChunkEvent::Unloaded);
        let mut marked: Vec<ChunkPos> = seen.chunks.into_iter().map(|(_, at)| at).collect();
        marked.sort();
        assert_eq!(marked, drawn.map(|&(at, _)| at).collect::<Vec<_>>());
        assert_eq!(seen.surfaces.len(), marked.len());
        assert_eq!(chunk_entities::<W>(&mut app, world), now);
        before = now;
    }
    counts
}

fn run_many<W: Kind>() {
    let mut sums = [0; 3];
    for seed in 0..12 {
        let counts = run::<W>(seed);
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    assert!(sums.iter().all(|&sum| sum > 5), "{}: {sums:?}", W::NAME);
}

#[test]
fn automata_in_an_app_are_those_by_hand() {
    run_many::<HumidityWorld<Sheet>>();
    run_many::<HumidityWorld<Cube>>();
    run_many::<BlastWorld<Sheet>>();
    run_many::<BlastWorld<Cube>>();
    run_many::<Water2dWorld>();
}

/// Several kinds in one app, each by its own plugin and messages, on one entity.
#[test]
fn kinds_share_an_app_and_an_entity() {
    let mut app = app::<Water2dWorld>(FloodplainPlugin::new());
    app.add_plugins(FloodplainPlugin::<HumidityWorld>::new());
    let entity = spawn(&mut app, worlds::water_2d(1));
    let humidity = floodplain::bevy::SimulationWorld::new(worlds::humidity::<Sheet>(1));
    app.world_mut().entity_mut(entity).insert(humidity);
    let (mut water, mut soil) = (worlds::water_2d(1), worlds::humidity::<Sheet>(1));
    (0..5).for_each(|_| app.update());
    water.run(5);
    soil.run(5);
    let in_app = simulation::<Water2dWorld>(&app, entity).world().state_hash();
    assert_eq!(in_app, water.state_hash());
    let in_app = simulation::<HumidityWorld>(&app, entity).world().state_hash();
    assert_eq!(in_app, soil.state_hash());
}
