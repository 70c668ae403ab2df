//! Growth of cost: nanoseconds of a step per active cell, from a thousand to ten million cells, and
//! bytes per chunk, from one chunk to a million.
//!
//! `cargo bench --bench growth` prints both tables and writes them to `benches/growth.csv` and, as
//! a plot, to `benches/growth.png`. It takes minutes, mostly to build the large worlds. With a
//! series' name, or a part of it, only that series is measured and nothing is written. One thread;
//! each figure is the median of several steps, and on Linux it leaves out the time of other
//! programs.

use floodplain::glam::IVec3;
use floodplain::humidity::Sweep;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Cube, Sheet, Simulation, blast, humidity, water2d};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use stopwatch::Stopwatch;
use worlds::{fields, water};

#[path = "../examples/shared/labels.rs"]
mod labels;
#[path = "growth/plot.rs"]
mod plot;
#[path = "../examples/shared/png_file.rs"]
mod png_file;
#[path = "worlds/stopwatch.rs"]
mod stopwatch;
#[expect(dead_code, reason = "other benches use the rest")]
mod worlds;

/// One line of a plot.
struct Series {
    name: &'static str,
    /// Counts, and the cost of each cell or chunk at that count.
    points: Vec<(f64, f64)>,
}

/// Measured steps; the median is reported.
const STEPS: usize = 7;

/// Returns how many cells a step visits, and nanoseconds per cell.
fn cost(mut world: impl Simulation, warm: u64) -> (f64, f64) {
    world.run(warm);
    let mut samples: Vec<(f64, f64)> = (0..STEPS)
        .map(|_| {
            let stopwatch = Stopwatch::start();
            let visited = black_box(world.step()).visited as f64;
            (stopwatch.stop().as_nanos() as f64 / visited, visited)
        })
        .collect();
    assert!(samples.iter().all(|(_, visited)| *visited > 0.0), "a measured world is awake");
    samples.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (nanoseconds, visited) = samples[STEPS / 2];
    (visited, nanoseconds)
}

/// Sizes of worlds of about 10³, 10⁴, … 10⁷ cells. One chunk, the smallest, has 4,096.
const FLOORS: [i32; 5] = [32, 96, 320, 1008, 3168];
const SHEETS: [[i32; 3]; 5] = [[1, 1, 1], [2, 2, 1], [5, 5, 1], [16, 16, 1], [49, 49, 1]];
const CUBES: [[i32; 3]; 5] = [[1, 1, 1], [2, 1, 1], [3, 3, 3], [6, 6, 7], [13, 14, 13]];
const RIVERS: [usize; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Steps before the clock starts: enough for the spreading water to meet, and for lazy set-up.
const WARM: u64 = 12;

fn costs(wanted: &dyn Fn(&str) -> bool) -> Vec<Series> {
    type Run = Box<dyn Fn(usize) -> (f64, f64)>;
    let sheets = |at: usize| fields::chunks(SHEETS[at]);
    let cubes = |at: usize| fields::chunks(CUBES[at]);
    let runs: [(&'static str, Run); 8] = [
        ("water, spreading", Box::new(|at| cost(water::spread_world(FLOORS[at], 0), WARM))),
        ("water, a river", Box::new(|at| cost(water::river_world(RIVERS[at], 64).0, 3))),
        (
            "humidity, conservative",
            Box::new(move |at| cost(fields::humidity::<Sheet>(Sweep::Conservative, sheets(at)), 2)),
        ),
        (
            "humidity, synchronous",
            Box::new(move |at| cost(fields::humidity::<Sheet>(Sweep::Synchronous, sheets(at)), 2)),
        ),
        (
            "blast, sheets",
            Box::new(move |at| {
                cost(fields::blast::<Sheet>(blast::Rules::diffusive(0.24), sheets(at)), 2)
            }),
        ),
        (
            "blast, cubes",
            Box::new(move |at| {
                cost(fields::blast::<Cube>(blast::Rules::diffusive(0.16), cubes(at)), 2)
            }),
        ),
        (
            "water2d, literal",
            Box::new(move |at| cost(fields::water2d(water2d::Rules::literal(), sheets(at)), 4)),
        ),
        (
            "water2d, settling",
            Box::new(move |at| cost(fields::water2d(water2d::Rules::default(), sheets(at)), 4)),
        ),
    ];
    let runs = runs.into_iter().filter(|(name, _)| wanted(name));
    runs.map(|(name, run)| Series { name, points: (0..5).map(run).collect() }).collect()
}

/// Returns the bytes per chunk at each power of ten of chunks up to `most`.
fn bytes<W: Simulation>(
    most: i32,
    mut world: W,
    insert: impl Fn(&mut W, IVec3),
) -> Vec<(f64, f64)> {
    let empty = world.memory_bytes();
    let mut points = Vec::new();
    for at in 0..most {
        insert(&mut world, IVec3::new(at % 1000, at / 1000, 0));
        let count = at + 1;
        if count.ilog10() > at.max(1).ilog10() || count == 1 {
            points
                .push((f64::from(count), (world.memory_bytes() - empty) as f64 / f64::from(count)));
        }
    }
    points
}

fn sizes(wanted: &dyn Fn(&str) -> bool) -> Vec<Series> {
    const UNIFORM: i32 = 1_000_000;
    const DENSE: i32 = 10_000;
    type Run = Box<dyn Fn() -> Vec<(f64, f64)>>;
    /// One odd cell makes a chunk dense.
    fn dense<T: Copy + PartialEq>(value: T, odd: T) -> Chunk<T> {
        let mut chunk = Chunk::uniform(value);
        chunk.set(7, odd);
        chunk
    }
    fn in_water(most: i32, chunk: Chunk<Voxel>) -> Vec<(f64, f64)> {
        let world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
        bytes(most, world, |world, at| world.insert_chunk(at.into(), chunk.clone()).expect("free"))
    }
    fn in_humidity(most: i32, chunk: Chunk<humidity::Cell>) -> Vec<(f64, f64)> {
        let world = humidity::HumidityWorld::<Sheet>::new(humidity::Rules::default())
            .expect("rules in range");
        bytes(most, world, |world, at| world.insert_chunk(at.into(), chunk.clone()).expect("free"))
    }
    fn in_blast(most: i32, chunk: Chunk<f32>) -> Vec<(f64, f64)> {
        let world =
            blast::BlastWorld::<Sheet>::new(blast::Rules::default()).expect("rules in range");
        bytes(most, world, |world, at| world.insert_chunk(at.into(), chunk.clone()).expect("free"))
    }
    fn in_water2d(most: i32, chunk: Chunk<water2d::Cell>) -> Vec<(f64, f64)> {
        let world =
            water2d::Water2dWorld::new(1, water2d::Rules::default()).expect("rules in range");
        bytes(most, world, |world, at| world.insert_chunk(at.into(), chunk.clone()).expect("free"))
    }
    let soil = |humidity: f64| humidity::Cell::soil(humidity, 1.0);
    let level = |level: u32| water2d::Cell::water(level).expect("in range");
    let runs: [(&'static str, Run); 8] = [
        ("water, uniform", Box::new(|| in_water(UNIFORM, Chunk::uniform(Voxel::OPEN)))),
        ("water, dense", Box::new(|| in_water(DENSE, dense(Voxel::OPEN, Voxel::SOLID)))),
        ("humidity, uniform", Box::new(move || in_humidity(UNIFORM, Chunk::uniform(soil(0.0))))),
        ("humidity, dense", Box::new(move || in_humidity(DENSE, dense(soil(0.0), soil(1.0))))),
        ("blast, uniform", Box::new(|| in_blast(UNIFORM, Chunk::uniform(0.0)))),
        ("blast, dense", Box::new(|| in_blast(DENSE, dense(0.0, 1.0)))),
        ("water2d, uniform", Box::new(move || in_water2d(UNIFORM, Chunk::uniform(level(0))))),
        ("water2d, dense", Box::new(move || in_water2d(DENSE, dense(level(0), level(1))))),
    ];
    let runs = runs.into_iter().filter(|(name, _)| wanted(name));
    runs.map(|(name, run)| Series { name, points: run() }).collect()
}

/// Prints a table in Markdown: a line per series with its counts and costs.
fn print(title: &str, series: &[Series]) {
    println!("\n{title}\n");
    for Series { name, points } in series {
        let points: Vec<String> =
            points.iter().map(|(count, each)| format!("{count:.0}: {each:.1}")).collect();
        println!("| {name} | {} |", points.join(" | "));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo appends `--bench` to the arguments.
    let filter = std::env::args().nth(1).filter(|argument| argument != "--bench");
    let wanted = |name: &str| filter.as_ref().is_none_or(|part| name.contains(part.as_str()));
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let (costs, sizes) = (costs(&wanted), sizes(&wanted));
    print("Nanoseconds for each active cell, by active cells", &costs);
    print("Bytes for each chunk, by chunks", &sizes);
    if filter.is_none() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        plot::table(&folder.join("growth.csv"), &costs, &sizes)?;
        plot::draw(&folder.join("growth.png"), &costs, &sizes)?;
    }
    Ok(())
}
