//! What one call of `step_within(256)` takes in a world of materials while a dam is blown: the
//! charge, waves over all of the valley, walls that break, water that is thrown, and the flood.

use crate::slices::{BUDGET, in_slices, print_calls};
use criterion::{BenchmarkId, Criterion, Throughput};
use floodplain::blast::{self, Border, Borders};
use floodplain::glam::IVec3;
use floodplain::world::{ChunkContent, Edit, MaterialId, Palette, Rules, World};
use floodplain::{Cube, Region, Shape, water};
use std::time::Duration;

/// Cells of the valley, which falls towards the east.
const SIZE: IVec3 = IVec3::new(160, 48, 96);

/// Where the dam stands, how thick it is, and the highest cells of the lake behind it.
const DAM: i32 = 48;
const THICKNESS: i32 = 4;
const LAKE: i32 = 32;

/// Ticks that are timed: in the first the charge goes off.
const TICKS: u64 = 40;

/// Returns the lowest open height of a column without a dam.
fn ground(x: i32, z: i32) -> i32 {
    let bank = (z - SIZE.z / 2).abs();
    (6 + (SIZE.x - x) / 12 + bank * bank / 48).min(SIZE.y - 2)
}

fn material(cell: IVec3, [air, rock, soil, concrete]: [MaterialId; 4]) -> MaterialId {
    let IVec3 { x, y, z } = cell;
    let is_dam = (DAM..DAM + THICKNESS).contains(&x) && y <= LAKE + 2;
    match ground(x, z) - y {
        6.. => rock,
        1.. => soil,
        _ if is_dam => concrete,
        _ => air,
    }
}

/// The valley with its lake.
fn valley() -> World {
    let bounds = Region::new(IVec3::ZERO, SIZE - 1);
    let rules = Rules {
        water: water::Rules::lossless(),
        blast: blast::Rules { threshold: 2.0, ..blast::Rules::wave(0.25, 0.92) },
        borders: Borders { x: Border::Open, y: Border::Open, z: Border::Open },
        blast_steps: 8,
        soil_period: 2,
        ..Rules::default()
    };
    let palette = Palette::natural();
    let ids = ["air", "rock", "soil", "concrete"].map(|name| palette.id(name).expect("natural"));
    let mut world = World::with_bounds(7, palette, rules, bounds).expect("rules in range");
    let chunks = Cube::chunks_of(Region::new(IVec3::ZERO, bounds.max()));
    let contents =
        chunks.map(|chunk| (chunk, ChunkContent::from_fn(chunk, |cell| material(cell, ids))));
    world.insert_chunks(contents).expect("none is there");
    for z in 0..SIZE.z {
        for x in 0..DAM {
            if ground(x, z) <= LAKE {
                let low = IVec3::new(x, ground(x, z), z);
                let region = Region::new(low, low.with_y(LAKE));
                let edit = water::Edit::FillWater { region, height: 7 };
                world.apply(Edit::Water(edit)).expect("open cells");
            }
        }
    }
    world.run(4);
    world
}

/// Queues the charge at the foot of the dam.
fn blow(world: &mut World, tick: u64) {
    if tick == 0 {
        let (x, z) = (DAM + THICKNESS + 4, SIZE.z / 2);
        let centre = IVec3::new(x, ground(x, z) + 3, z);
        world.queue(Edit::Charge { centre, radius: 10.0, pressure: 800.0 });
    }
}

/// See the top of this file.
pub fn budget(criterion: &mut Criterion) {
    let slice = |world: &mut World| world.step_within(BUDGET).finished;
    let run = || in_slices(valley(), TICKS, &blow, &slice);
    let calls = print_calls("dam_is_blown", TICKS, run);
    let mut group = criterion.benchmark_group("world/budget");
    group.sample_size(10).throughput(Throughput::Elements(calls as u64));
    group.bench_function(BenchmarkId::from_parameter("dam_is_blown"), |bencher| {
        bencher.iter_custom(|jobs| (0..jobs).map(|_| run().iter().sum::<Duration>()).sum());
    });
    group.bench_function(BenchmarkId::from_parameter("whole_ticks"), |bencher| {
        let whole = |world: &mut World| world.step_within(u64::MAX).finished;
        bencher.iter_custom(|jobs| {
            let run = || in_slices(valley(), TICKS, &blow, &whole);
            (0..jobs).map(|_| run().iter().sum::<Duration>()).sum()
        });
    });
    group.finish();
}
