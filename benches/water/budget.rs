//! What one call of `step_within(256)` takes, in worlds where much happens at once.

use crate::jobs::{hills, storm};
use crate::slices::{BUDGET, in_slices, print_calls};
use crate::worlds::{open_world, river_world, spread_world};
use criterion::{BenchmarkId, Criterion, Throughput};
use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::water::{Edges, Rules, WaterWorld};
use std::time::Duration;

fn job(
    criterion: &mut Criterion,
    name: &str,
    ticks: u64,
    build: impl Fn() -> WaterWorld,
    edit: impl Fn(&mut WaterWorld, u64),
) {
    let slice = |world: &mut WaterWorld| world.step_within(BUDGET).finished;
    let run = || in_slices(build(), ticks, &edit, &slice);
    let count = print_calls(name, ticks, run);
    let mut group = criterion.benchmark_group("budget");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(1))
        .throughput(Throughput::Elements(count as u64));
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        bencher.iter_custom(|jobs| (0..jobs).map(|_| run().iter().sum::<Duration>()).sum());
    });
}

/// Springs at two heights in a box, after a while.
fn springs() -> WaterWorld {
    let mut world = open_world(Region::new(IVec3::ZERO, IVec3::new(39, 6, 23)), Rules::lossless());
    world.add_source(IVec3::new(5, 2, 11)).expect("open");
    world.add_source(IVec3::new(14, 5, 11)).expect("open");
    world.run(200);
    world
}

/// Springs at two heights feed a plain of 256 by 256 cells that drains on all sides.
fn plain() -> WaterWorld {
    let rules = Rules { edges: Edges::DRAINING_SIDES, ..Rules::lossless() };
    let mut world = open_world(Region::new(IVec3::ZERO, IVec3::new(255, 7, 255)), rules);
    for (x, y, z) in [(40, 1, 60), (128, 2, 128), (200, 4, 90)] {
        for at in 0..9 {
            world.add_source(IVec3::new(x + at, y, z)).expect("open");
        }
    }
    world.run(150);
    world
}

/// A channel of 100,000 cells whose only spring is removed.
fn dried_river() -> WaterWorld {
    let (mut world, _) = river_world(100_000, 512);
    assert!(world.remove_source(IVec3::ZERO).expect("loaded"));
    world
}

/// A river of 60,000 cells that is dammed up near its end and opened again: what flows on below is
/// sought among all that feeds the water that comes.
fn dammed_river() -> WaterWorld {
    let (mut world, _) = river_world(60_000, 512);
    let (min, max) = (world.bounds().min(), world.bounds().max());
    let end = Region::new(min, max.with_y(min.y)).positions().find(|&cell| !world.is_solid(cell));
    let end = end.expect("the river drains in its lowest layer");
    let near = [-20, 20].map(|by| end + IVec3::new(by, 1, 0));
    let dam = near.into_iter().find(|&cell| min.x <= cell.x && !world.is_solid(cell));
    let dam = dam.expect("the river comes from one side");
    world.set_solid(dam).expect("loaded");
    world.clear_solid(dam).expect("loaded");
    world
}

/// A tunnel of 16,000 cells full of water, with a full shaft at one end and an empty one at the
/// other.
fn tunnel() -> WaterWorld {
    const ROWS: i32 = 64;
    let bounds = Region::new(IVec3::ZERO, IVec3::new(255, 15, 2 * ROWS - 1));
    let mut world = open_world(bounds, Rules::lossless());
    world.fill_solid(bounds).expect("loaded");
    let mut fill = |from: [i32; 3], to: [i32; 3], height: u8| {
        world.fill_water(Region::new(from.into(), to.into()), height).expect("loaded");
    };
    for row in 0..ROWS {
        let (turn, z) = (255 * (1 - row % 2), 2 * row);
        fill([0, 1, z], [255, 1, z], 7);
        if row + 1 < ROWS {
            fill([turn, 1, z + 1], [turn, 1, z + 1], 7);
        }
    }
    fill([0, 2, 0], [0, 12, 0], 7);
    fill([0, 2, 2 * ROWS - 2], [0, 12, 2 * ROWS - 2], 0);
    world
}

/// 20,000 chunks with a drop of water in each.
fn drops() -> WaterWorld {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(2271, 15, 2255));
    let mut world = open_world(bounds, Rules::lossless());
    for x in 0..142 {
        for z in 0..141 {
            world.pour(IVec3::new(16 * x + 8, 3, 16 * z + 8), 2).expect("open");
        }
    }
    world
}

fn no_edit(_: &mut WaterWorld, _: u64) {}

/// See the top of this file.
pub fn budget(criterion: &mut Criterion) {
    job(criterion, "storm_on_hills", 3, hills, |world, tick| storm(world, 100 + tick));
    job(criterion, "springs_at_two_heights", 100, springs, no_edit);
    job(criterion, "plain_that_drains", 10, plain, no_edit);
    job(criterion, "river_of_100000_dries_up", 30, dried_river, no_edit);
    job(criterion, "river_of_60000_dammed_and_opened", 8, dammed_river, no_edit);
    job(criterion, "tunnel_of_16000_between_shafts", 8, tunnel, no_edit);
    job(criterion, "drop_in_each_of_20000_chunks", 4, drops, no_edit);
    job(
        criterion,
        "falls_of_luanti",
        4,
        || {
            let mut world = spread_world(256, 63);
            world.run(60);
            world
        },
        no_edit,
    );
}
