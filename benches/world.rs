//! Speed of worlds of materials: rest, edits of ground, the ground that pressure is lent, and what
//! the world costs beside its parts.
//!
//! `cargo bench --bench world`. The baselines are the parts in the same run: water alone, and each
//! part apart on the same ground. A world of water alone must cost what water does; one with all
//! parts in motion, at most 15 % more than their sum.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::water::{self, WaterWorld};
use floodplain::world::{
    ChunkContent, Couplings, Edit, MaterialId, Palette, Rules, UnderWater, World,
};
use floodplain::{CHUNK_CELLS, Cube, Region, Shape};
use std::hint::black_box;

#[path = "world/budget.rs"]
mod budget;
#[path = "worlds/slices.rs"]
mod slices;
#[path = "world/soil.rs"]
mod soil;
#[path = "worlds/stopwatch.rs"]
mod stopwatch;

/// Chunks along each side of the land.
const SIDE: i32 = 6;

/// Ticks that one sample runs, and those before.
const TICKS: u64 = 8;

/// The y of the highest ground.
const TOP: i32 = 5;

fn chunks() -> Region {
    Region::new(IVec3::ZERO, IVec3::new(SIDE - 1, 0, SIDE - 1))
}

fn bounds() -> Region {
    Region::new(
        Cube::region_of(chunks().min().into()).min(),
        Cube::region_of(chunks().max().into()).max(),
    )
}

fn id(name: &str) -> MaterialId {
    Palette::natural().id(name).expect("natural")
}

/// The rules of all benches but those of couplings.
fn rules() -> Rules {
    Rules { soil_period: 1, water: water::Rules::lossless(), ..Rules::default() }
}

/// Flat ground of a material.
fn land(ground: &str) -> World {
    land_with(ground, rules())
}

/// The same with other rules.
fn land_with(ground: &str, rules: Rules) -> World {
    let mut world =
        World::with_bounds(7, Palette::natural(), rules, bounds()).expect("rules in range");
    let (ground, air) = (id(ground), id("air"));
    for chunk in chunks().positions() {
        let content = ChunkContent::from_heights(chunk.into(), |_, _| TOP, |_| ground, air);
        world.insert_chunk(chunk.into(), content).expect("none is there");
    }
    world
}

/// The corner of each chunk, above the ground.
fn corners() -> impl Iterator<Item = IVec3> {
    chunks().positions().map(|chunk| Cube::region_of(chunk.into()).min() + IVec3::Y * (TOP + 1))
}

/// What sets each part in motion.
fn water_edits() -> Vec<water::Edit> {
    let columns = corners().map(|at| Region::new(at, at + IVec3::new(7, 8, 7)));
    columns.map(|region| water::Edit::FillWater { region, height: 7 }).collect()
}

fn soil_edits() -> Vec<humidity::Edit> {
    let cells = corners().map(|at| at - IVec3::Y);
    cells.map(|cell| humidity::Edit::SetHumidity { cell, humidity: 900.0 }).collect()
}

fn blast_edits() -> Vec<blast::Edit> {
    let cells = corners().map(|at| at + IVec3::new(12, 4, 12));
    cells.map(|centre| blast::Edit::AddCharge { centre, radius: 3.0, pressure: 300.0 }).collect()
}

fn rest(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("world/asleep");
    for ground in ["rock", "soil"] {
        let mut world = land(ground);
        world.run(64);
        assert!(world.is_at_rest(), "dry land sleeps");
        group.bench_function(ground, |bencher| bencher.iter(|| black_box(world.step())));
    }
    group.finish();
}

fn edits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("world/set_material");
    group.throughput(Throughput::Elements(1));
    for (name, materials) in
        [("rock_and_air", ["rock", "air"]), ("soil_and_sand", ["soil", "sand"])]
    {
        let (mut world, materials) = (land("soil"), materials.map(id));
        let cell = IVec3::new(8, TOP, 8);
        let mut turn = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                turn = 1 - turn;
                world.set_material(cell, materials[turn]).expect("loaded")
            });
        });
    }
    group.finish();
}

/// The edit of pressure that lends the ground of all chunks, with and without ground.
fn lent(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("world/lent_ground");
    group.sample_size(20).throughput(Throughput::Elements(chunks().volume() as u64));
    let region = Region::new(bounds().min() + IVec3::Y * (TOP + 1), bounds().max());
    for ground in ["rock", "air"] {
        group.bench_function(ground, |bencher| {
            let edit = Edit::Blast(blast::Edit::FillPressure { region, pressure: 1.0 });
            bencher.iter_batched_ref(
                || land(ground),
                |world| world.apply(edit.clone()).expect("open cells"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// Water alone on rock, in a world and by itself.
fn water_alone(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("world/water_alone");
    group.sample_size(20);
    let begun = || {
        let mut world = land("rock");
        for edit in water_edits() {
            world.apply(Edit::Water(edit)).expect("open cells");
        }
        world
    };
    let visited = begun().run(TICKS).visited;
    group.throughput(Throughput::Elements(visited));
    group.bench_function("world", |bencher| {
        bencher.iter_batched_ref(begun, |world| world.run(TICKS), BatchSize::PerIteration);
    });
    group.bench_function("water", |bencher| {
        let build = || water_of(&begun());
        bencher.iter_batched_ref(build, |world| world.run(TICKS), BatchSize::PerIteration);
    });
    group.finish();
}

/// The rules with all couplings off, and with one of them on at a time, or all.
fn couplings() -> [(&'static str, Rules); 5] {
    let on = rules();
    let (breaking, under_water) = (false, UnderWater::Passes);
    let off = Rules { couplings: Couplings::OFF, throw_flow: None, breaking, under_water, ..on };
    [
        ("world_without_couplings", off),
        ("world_exchange_alone", Rules { couplings: on.couplings, ..off }),
        ("world_water_stops_pressure_alone", Rules { under_water: on.under_water, ..off }),
        ("world_throws_alone", Rules { throw_flow: on.throw_flow, ..off }),
        ("world", on),
    ]
}

/// All parts in motion, in a world and apart, which are to be added up. Without couplings, the
/// parts of a world do what they do apart, and what it takes more is its own work; couplings set
/// more in motion, which is printed.
fn all_parts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("world/all_parts");
    group.sample_size(20).throughput(Throughput::Elements(
        TICKS * (chunks().volume() as usize * CHUNK_CELLS) as u64,
    ));
    let begun_with = |rules| {
        let mut world = land_with("soil", rules);
        let water = water_edits().into_iter().map(Edit::Water);
        let soil = soil_edits().into_iter().map(Edit::Soil);
        let blast = blast_edits().into_iter().map(Edit::Blast);
        water.chain(soil).chain(blast).for_each(|edit| _ = world.apply(edit).expect("fits"));
        world
    };
    for (name, rules) in couplings() {
        let mut world = begun_with(rules);
        let (report, ledger) = (world.run(TICKS), world.ledger());
        println!(
            "all_parts/{name}: {TICKS} ticks visit {} cells and move {} units of water; {} are \
             thrown, {} soaked up",
            report.visited, report.moved, ledger.thrown, ledger.soaked
        );
        let begun = || begun_with(rules);
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(begun, |world| world.run(TICKS), BatchSize::PerIteration);
        });
    }
    let begun = || begun_with(rules());
    let steps = TICKS * u64::from(begun().rules().blast_steps);
    group.bench_function("water", |bencher| {
        let build = || water_of(&begun());
        bencher.iter_batched_ref(build, |world| world.run(TICKS), BatchSize::PerIteration);
    });
    group.bench_function("soil", |bencher| {
        let build = || soil_of(&begun());
        bencher.iter_batched_ref(build, |world| world.run(TICKS), BatchSize::PerIteration);
    });
    group.bench_function("blast", |bencher| {
        let build = || blast_of(&begun());
        bencher.iter_batched_ref(build, |world| world.run(steps), BatchSize::PerIteration);
    });
    group.finish();
}

/// The water of a world that was just filled, by itself.
fn water_of(world: &World) -> WaterWorld {
    let mut water = WaterWorld::with_bounds(world.seed(), world.rules().water, world.bounds())
        .expect("rules in range");
    let chunks = world.water().chunks().map(|(chunk, cells)| (chunk, cells.into_owned()));
    water.insert_chunks(chunks.collect::<Vec<_>>()).expect("none is there");
    water
}

fn soil_of(world: &World) -> HumidityWorld<Cube> {
    let mut soil =
        HumidityWorld::with_bounds(world.rules().soil, world.bounds()).expect("in range");
    for (chunk, cells) in world.soil().chunks() {
        soil.insert_chunk(chunk, cells).expect("none is there");
    }
    soil
}

/// The explosions of a world that was just filled, with all of its ground.
fn blast_of(world: &World) -> BlastWorld<Cube> {
    let rules = world.rules();
    let mut blast =
        BlastWorld::with_bounds(rules.blast, world.bounds(), rules.borders).expect("stable");
    let ground = Region::new(bounds().min(), bounds().max().with_y(TOP));
    blast.fill_solid(ground).expect("in bounds");
    for edit in blast_edits() {
        blast.apply(edit).expect("open cells");
    }
    blast
}

criterion_group!(benches, rest, edits, lent, water_alone, all_parts, budget::budget, soil::soil);
criterion_main!(benches);
