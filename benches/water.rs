//! Speed of water: cells changed and visited per second, and the cost of rest, edits and drains.
//!
//! `cargo bench --bench water`. Before each group the bench prints the counts of one sample, so
//! that a rate can be checked.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use floodplain::StepReport;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Shape};
use jobs::{puddle, puddles, sealed_lake};
use motion::{no_edit, print_ticks, ticks};
use std::hint::black_box;
use std::time::Duration;
use worlds::{draining_lake, river_world, spread_world};

#[path = "water/budget.rs"]
mod budget;
#[path = "water/feed.rs"]
mod feed;
#[path = "worlds/jobs.rs"]
mod jobs;
#[path = "water/motion.rs"]
mod motion;
#[path = "water/records.rs"]
mod records;
#[path = "water/sea.rs"]
mod sea;
#[path = "water/settle.rs"]
mod settle;
#[path = "worlds/slices.rs"]
mod slices;
#[path = "worlds/stopwatch.rs"]
mod stopwatch;
#[path = "water/surface.rs"]
mod surface;
#[path = "worlds/water.rs"]
mod worlds;

fn spread(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spread");
    group.sample_size(10);
    for (name, drop) in [("on_the_floor", 0), ("fall_of_16", 16), ("fall_of_63", 63)] {
        let report = spread_world(256, drop).run(100);
        println!(
            "spread/{name}: 100 ticks visit {} cells, change {}",
            report.visited, report.changed
        );
        for (rate, elements) in [("changed", report.changed), ("visited", report.visited)] {
            group.throughput(Throughput::Elements(elements));
            group.bench_function(BenchmarkId::new(rate, name), |bencher| {
                bencher.iter_batched(
                    || spread_world(256, drop),
                    |mut world| world.run(100),
                    BatchSize::PerIteration,
                );
            });
        }
    }
}

fn recheck(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("recheck");
    let mut world = sealed_lake();
    world.wake_all();
    let visited = world.step().visited;
    println!("recheck: a tick visits {visited} cells");
    let recheck = |world: &mut WaterWorld| {
        world.wake_all();
        ticks(world, 1, no_edit)[0]
    };
    print_ticks("recheck", (0..100).map(|_| recheck(&mut world)).collect());
    group.throughput(Throughput::Elements(visited));
    group.bench_function("sealed_lake", |bencher| {
        bencher.iter_custom(|ticks| (0..ticks).map(|_| recheck(&mut world)).sum());
    });
}

fn river(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("river");
    group.sample_size(10);
    // In a tower one chunk wide, a hundred cells fill a chunk's layer as densely as longer rivers
    // do in a wider tower. In the wide one they lie thin: some 25 in each of four chunk layers.
    let rivers =
        [("100", 100, 16), ("1000", 1_000, 64), ("10000", 10_000, 64), ("100000", 100_000, 64)];
    for (name, length, side) in
        rivers.into_iter().chain([("1000000", 1_000_000, 64), ("100_thin", 100, 64)])
    {
        let (mut world, cells) = river_world(length, side);
        world.run(10);
        let before = world.ledger();
        world.step();
        let after = world.ledger();
        assert_eq!(after.drained - before.drained, 7, "the river flows");
        assert_eq!(after.injected - before.injected, 7, "and is steady");
        let count = (1_000_000 / length as u64).clamp(20, 1_000);
        print_ticks(&format!("river/{name}"), ticks(&mut world, count, no_edit));
        group.throughput(Throughput::Elements(cells as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| world.step())
        });
    }
}

/// The lake sinks round its plug, and a tick levels more the wider the hollow, until a layer is
/// gone. So every run measures the same ticks: 2,000 from the first mark on, 2,000 from the second.
fn lake_drain(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lake_drain");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    let build = |ticks| {
        let mut world = draining_lake(256);
        world.run(ticks);
        world
    };
    for first in [500, 16_000] {
        let mut world = build(first);
        println!("lake_drain: after {first} ticks {} units drained", world.ledger().drained);
        print_ticks("lake_drain", ticks(&mut world, 2_000, no_edit));
        group.bench_function(BenchmarkId::new("million_cells_one_plug", first), |bencher| {
            let mut tick = || {
                if world.ticks() == first + 2_000 {
                    world = build(first);
                }
                ticks(&mut world, 1, no_edit)[0]
            };
            bencher.iter_custom(|count| (0..count).map(|_| tick()).sum());
        });
    }
}

/// Prints the bytes that a chunk adds to a water world, spare capacity of slab and map included.
fn print_bytes() {
    let add = |chunk: &Chunk<Voxel>, rest: bool| {
        let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
        for at in 0..1_000 {
            world.insert_chunk(ChunkPos::new(at % 32, 0, at / 32), chunk.clone()).expect("free");
        }
        if rest {
            world.run(60);
            assert!(world.is_at_rest());
            world.take_changes();
            world.take_all_changes();
        } else {
            world.step();
        }
        world.memory_bytes() / 1_000
    };
    let puddle = puddle();
    println!("bytes a water chunk: uniform {}", add(&Chunk::uniform(Voxel::OPEN), true));
    println!("bytes a water chunk: dense, at rest {}", add(&puddle, true));
    println!("bytes a water chunk: dense, awake {}", add(&puddle, false));
}

fn asleep(criterion: &mut Criterion) {
    print_bytes();
    let mut group = criterion.benchmark_group("asleep");
    for chunks in [1, 100_000] {
        let mut world = puddles(chunks);
        print_ticks(&format!("asleep/{chunks}"), ticks(&mut world, 1_000, no_edit));
        group.bench_function(BenchmarkId::new("tick", chunks), |bencher| {
            bencher.iter(|| world.step())
        });
        let puddle = Cube::cell_at(ChunkPos::ZERO, 300);
        group.bench_function(BenchmarkId::new("edit", chunks), |bencher| {
            bencher.iter(|| {
                world.pour(puddle, 1).expect("open");
                world.scoop(puddle, 1).expect("open");
                black_box(world.awake_cells());
            });
        });
        group.bench_function(BenchmarkId::new("edit_and_tick", chunks), |bencher| {
            bencher.iter(|| {
                world.pour(puddle, 1).expect("open");
                world.scoop(puddle, 1).expect("open");
                let report: StepReport = world.step();
                black_box(report)
            });
        });
    }
}

criterion_group!(
    benches,
    spread,
    recheck,
    river,
    lake_drain,
    asleep,
    motion::falls,
    motion::rain,
    motion::dam,
    motion::pressure,
    motion::plain,
    motion::trickle,
    motion::seas,
    sea::sea,
    motion::springs,
    motion::still,
    budget::budget,
    surface::meshes,
    surface::flow,
    feed::updates,
    records::travel,
    settle::settling,
);
criterion_main!(benches);
