//! Water in motion as a game has it: falls, rain on hills, a lake that is fed, a sea that is built
//! into or breached, springs at several heights. Times are those of all ticks of a job. Before each
//! bench, one run prints its mean, 99th percentile and worst tick: sums hide what a player notices.

use crate::worlds::{open_world, spread_world};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Chunk, Cube, Region, Shape};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Builds a world, edits it before each tick, and measures that many ticks from the start on. The
/// edits of a tick are measured with it.
struct Job<'a> {
    group: BenchmarkGroup<'a, WallTime>,
    ticks: u64,
}

impl Job<'_> {
    fn of<'a>(criterion: &'a mut Criterion, group: &str, ticks: u64) -> Job<'a> {
        let mut group = criterion.benchmark_group(group);
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(500))
            .measurement_time(Duration::from_secs(2))
            .throughput(Throughput::Elements(ticks));
        Job { group, ticks }
    }

    fn run(
        &mut self,
        name: &str,
        build: impl Fn() -> WaterWorld,
        edit: impl Fn(&mut WaterWorld, u64),
    ) {
        let run = || -> Vec<Duration> {
            let mut world = build();
            let tick = |at| {
                let start = Instant::now();
                edit(&mut world, at);
                black_box(world.step());
                start.elapsed()
            };
            (0..self.ticks).map(tick).collect()
        };
        let mut spent = run();
        spent.sort_unstable();
        let sum: Duration = spent.iter().sum();
        println!(
            "{name}: {} ticks take {sum:.2?}; mean {:.2?}, p99 {:.2?}, worst {:.2?}",
            self.ticks,
            sum / self.ticks as u32,
            spent[spent.len() * 99 / 100],
            spent[spent.len() - 1],
        );
        self.group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_custom(|jobs| (0..jobs).map(|_| run().iter().sum::<Duration>()).sum());
        });
    }
}

fn no_edit(_: &mut WaterWorld, _: u64) {}

/// The number of ticks until every cell of the floor, at y = 64 − `drop`, is wet.
fn ticks_until_wet(side: i32, drop: i32) -> u64 {
    let mut world = spread_world(side, drop);
    let (low, high) = (IVec3::new(0, 64 - drop, 0), IVec3::new(side - 1, 64 - drop, side - 1));
    let floor = Region::new(low, high);
    while !floor.positions().all(|cell| world.height(cell) > 0) {
        world.step();
    }
    world.ticks()
}

/// Luanti's own job: 1,024 springs above a floor of 256², until all of it is wet.
pub fn falls(criterion: &mut Criterion) {
    for (name, drop) in [("luanti", 63), ("of_16", 16)] {
        let ticks = ticks_until_wet(256, drop);
        let mut job = Job::of(criterion, "falls", ticks);
        job.run(name, || spread_world(256, drop), no_edit);
    }
}

/// Ground of 256 by 256 columns, with hills of three sizes, in the rain for a hundred ticks.
pub fn hills() -> WaterWorld {
    let wave = |at: i32, length: i32, height: i32| {
        let phase = at.rem_euclid(length);
        phase.min(length - phase) * 2 * height / length
    };
    let height = |x: i32, z: i32| {
        4 + wave(x + z / 3, 97, 24) + wave(z - x / 4, 61, 16) + wave(x * 2 + z * 3, 23, 3)
    };
    let mut world =
        open_world(Region::new(IVec3::ZERO, IVec3::new(255, 63, 255)), Rules::lossless());
    for at in Region::new(IVec3::ZERO, IVec3::new(255, 0, 255)).positions() {
        let top = at.with_y(height(at.x, at.z));
        world.fill_solid(Region::new(at, top)).expect("loaded");
    }
    (0..100).for_each(|tick| {
        storm(&mut world, tick);
        world.step();
    });
    world
}

/// In every tick a unit of rain falls on each 256th column.
pub fn storm(world: &mut WaterWorld, tick: u64) {
    let mut random = fastrand::Rng::with_seed(tick);
    for _ in 0..256 {
        let cell = IVec3::new(random.i32(0..256), 60, random.i32(0..256));
        world.pour(cell, 1).expect("open");
    }
}

/// Twenty ticks of a storm that has lasted for a hundred.
pub fn rain(criterion: &mut Criterion) {
    let mut job = Job::of(criterion, "rain", 20);
    job.run("on_hills", hills, |world, tick| storm(world, 100 + tick));
}

/// A sleeping lake of this size, with room above it, and a spring of one unit a tick at its rim.
fn fed_lake(size: IVec3) -> WaterWorld {
    let rules = Rules { source_supply: 1, ..Rules::lossless() };
    let mut world = open_world(Region::new(IVec3::ZERO, size + IVec3::new(-1, 7, -1)), rules);
    world.fill_water(Region::new(IVec3::ZERO, size - IVec3::ONE), 7).expect("loaded");
    world.run(10);
    assert!(world.is_at_rest());
    world.add_source(IVec3::new(0, size.y + 2, 0)).expect("open");
    world.run(10);
    world
}

pub fn trickle(criterion: &mut Criterion) {
    let mut job = Job::of(criterion, "trickle", 1000);
    job.run("into_16_16_8", || fed_lake(IVec3::new(16, 8, 16)), no_edit);
    job.run("into_160_160_24", || fed_lake(IVec3::new(160, 24, 160)), no_edit);
}

/// A sea of 96 by 96 columns, 16 deep, of springs or not, and behind a wall a cave below its level.
fn sea(water: Voxel) -> WaterWorld {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(127, 31, 95));
    let mut world = WaterWorld::with_bounds(1, Rules::lossless(), bounds).expect("rules in range");
    for chunk in Region::new(IVec3::ZERO, Cube::chunk_of(bounds.max())).positions() {
        let voxel = match (chunk.x, chunk.y) {
            (..6, 0) => water,
            (6.., 0) => Voxel::SOLID,
            _ => Voxel::OPEN,
        };
        world.insert_chunk(chunk, Chunk::uniform(voxel)).expect("free");
    }
    let cave = Region::new(IVec3::new(97, 2, 20), IVec3::new(126, 9, 70));
    world.fill_water(cave, 0).expect("loaded");
    world.run(10);
    assert!(world.is_at_rest());
    world
}

/// A block is built into the sea and taken out again, each in every eighth tick; and the wall to the
/// cave is breached.
pub fn seas(criterion: &mut Criterion) {
    let finite = WaterCell::with_height(7).expect("in range").into();
    let block = IVec3::new(50, 15, 40);
    let mut job = Job::of(criterion, "sea", 400);
    for (kind, water) in [("of_springs", WaterCell::SOURCE.into()), ("finite", finite)] {
        job.run(
            &format!("built_into_{kind}"),
            || sea(water),
            |world, tick| match tick % 8 {
                0 => _ = world.set_solid(block).expect("loaded"),
                4 => _ = world.clear_solid(block).expect("loaded"),
                _ => {}
            },
        );
        job.run(
            &format!("breached_{kind}"),
            || sea(water),
            |world, tick| {
                if tick == 0 {
                    world.clear_solid(IVec3::new(96, 5, 45)).expect("loaded");
                }
            },
        );
    }
}

/// Springs at one or several heights in one box.
pub fn springs(criterion: &mut Criterion) {
    let mut job = Job::of(criterion, "springs", 1000);
    for (name, heights) in [
        ("at_one_height", &[3][..]),
        ("at_two_heights", &[2, 5]),
        ("at_four_heights", &[1, 2, 4, 6]),
    ] {
        let build = || {
            let mut world =
                open_world(Region::new(IVec3::ZERO, IVec3::new(39, 6, 23)), Rules::lossless());
            for (at, &y) in heights.iter().enumerate() {
                world.add_source(IVec3::new(5 + 9 * at as i32, y, 11)).expect("open");
            }
            world
        };
        job.run(name, build, no_edit);
    }
}

/// A thousand chunks of still water under the default rules.
pub fn still(criterion: &mut Criterion) {
    let build = |pools| {
        let rules = Rules { pools, ..Rules::default() };
        let mut world = open_world(Region::new(IVec3::ZERO, IVec3::new(511, 15, 511)), rules);
        let water = Region::new(IVec3::ZERO, IVec3::new(511, 1, 511));
        world.fill_water(water, 7).expect("loaded");
        world.run(10);
        world
    };
    let mut job = Job::of(criterion, "still", 4000);
    job.run("pond_of_1024_chunks", || build(true), no_edit);
    job.run("pond_of_1024_chunks_without_pools", || build(false), no_edit);
}
