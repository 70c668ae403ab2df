//! Water in motion as a game has it: falls, rain on hills, a dam that is gone, pressure between
//! tanks and in a lake, a lake that is fed, a sea that is built into or breached, springs at
//! several heights. A sample is the thread's CPU time for all ticks of a job. Before each bench,
//! one run prints the mean, 99th percentile and worst tick, because a sum hides the stutter that a
//! player notices.

use crate::jobs::{self, fed_lake, hills, storm};
use crate::stopwatch::Stopwatch;
use crate::worlds::{open_world, spread_world};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Chunk, Cube, Region, Shape};
use std::hint::black_box;
use std::time::Duration;

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
        let run = || ticks(&mut build(), self.ticks, &edit);
        print_ticks(name, run());
        self.group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_custom(|jobs| (0..jobs).map(|_| run().iter().sum::<Duration>()).sum());
        });
    }
}

/// Runs `ticks` ticks of a world with an edit before each, and returns the time of each.
pub fn ticks(
    world: &mut WaterWorld,
    ticks: u64,
    edit: impl Fn(&mut WaterWorld, u64),
) -> Vec<Duration> {
    let tick = |at| {
        let stopwatch = Stopwatch::start();
        edit(world, at);
        black_box(world.step());
        stopwatch.stop()
    };
    (0..ticks).map(tick).collect()
}

/// Prints the sum, mean, 99th percentile and worst of ticks. Returns the sum.
pub fn print_ticks(name: &str, mut spent: Vec<Duration>) -> Duration {
    spent.sort_unstable();
    let (count, sum) = (spent.len(), spent.iter().sum::<Duration>());
    println!(
        "{name}: {count} ticks take {sum:.2?}; mean {:.2?}, p99 {:.2?}, worst {:.2?}",
        sum / count as u32,
        spent[count * 99 / 100],
        spent[count - 1],
    );
    sum
}

pub fn no_edit(_: &mut WaterWorld, _: u64) {}

/// The number of ticks until every cell of the floor, at y = 64 − `drop`, is wet.
fn ticks_until_wet(side: i32, drop: i32) -> u64 {
    let mut world = spread_world(side, drop);
    let (low, high) = (IVec3::new(0, 64 - drop, 0), IVec3::new(side - 1, 64 - drop, side - 1));
    let floor = Region::new(low, high);
    while !floor.positions().all(|cell| world.units(cell) > 0) {
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

/// Twenty ticks of a storm that has lasted for a hundred.
pub fn rain(criterion: &mut Criterion) {
    let mut job = Job::of(criterion, "rain", 20);
    job.run("on_hills", hills, |world, tick| storm(world, 100 + tick));
}

/// The ticks of a dam break in which a player looks on. Then, once and not by criterion, until the
/// water is at rest; it is given up after 4,000 ticks.
pub fn dam(criterion: &mut Criterion) {
    let mut job = Job::of(criterion, "dam", 400);
    job.run("into_a_valley", jobs::dam, no_edit);
    let mut world = jobs::dam();
    let mut spent = Vec::new();
    while !world.is_at_rest() && spent.len() < 4_000 {
        spent.append(&mut ticks(&mut world, 1, no_edit));
    }
    print_ticks("until_at_rest", spent);
    println!("until_at_rest: at rest: {}", world.is_at_rest());
}

/// Water that moves by pressure alone, and what a unit costs that has come to where only pressure
/// brings it.
pub fn pressure(criterion: &mut Criterion) {
    let mut job = Job::of(criterion, "pressure", 400);
    let mut run = |name, build: fn() -> WaterWorld, edit: fn(&mut WaterWorld, u64), moved| {
        let moved: fn(&WaterWorld) -> u64 = moved;
        job.run(name, build, edit);
        let mut world = build();
        let sum: Duration = ticks(&mut world, 400, edit).iter().sum();
        let units = moved(&world);
        println!("{name}: {units} units, {:.2?} each", sum / units.max(1) as u32);
    };
    run("tanks_and_a_pipe", jobs::tanks, no_edit, jobs::units_through_the_pipe);
    let fill = jobs::pour_at_one_spot;
    run("lake_filled_at_one_spot", jobs::still_lake, fill, jobs::units_far_from_the_spot);
}

/// A spring on a plain, until its water reaches far.
pub fn plain(criterion: &mut Criterion) {
    let mut job = Job::of(criterion, "plain", 1_500);
    job.run("one_spring", jobs::plain, no_edit);
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
    for chunk in Cube::chunks_of(Region::new(IVec3::ZERO, bounds.max())) {
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

/// A block is built into the sea and taken out again, each in every eighth tick; and the wall to
/// the cave is breached.
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
