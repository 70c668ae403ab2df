//! The feed of changes: its bytes for each cell that looks different, and the time that it takes
//! to make updates and their bytes. Before each bench, the counts of one run are printed.

use crate::jobs::{hills, storm};
use crate::worlds::open_world;
use criterion::{BenchmarkId, Criterion};
use floodplain::glam::IVec3;
use floodplain::water::{Feed, Rules, WaterWorld};
use floodplain::{ChunkPos, Region};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The ticks of which the bytes are counted.
const TICKS: u64 = 100;

/// A wall of water 32×24×96 in an open box of 128×32×96, at the moment at which it breaks.
fn dam_break() -> WaterWorld {
    let box_of = |x: i32, y: i32| Region::new(IVec3::ZERO, IVec3::new(x - 1, y - 1, 95));
    let mut world = open_world(box_of(128, 32), Rules::lossless());
    world.fill_water(box_of(32, 24), 7).expect("open");
    world
}

/// What a run of ticks came to.
#[derive(Default)]
struct Sum {
    cells: usize,
    chunks: usize,
    bytes: usize,
    spent: Duration,
}

/// Runs ticks and takes an update after each.
fn follow(world: &mut WaterWorld, feed: &mut Feed, ticks: u64, is_rainy: bool) -> Sum {
    let mut sum = Sum::default();
    for _ in 0..ticks {
        if is_rainy {
            let tick = world.ticks();
            storm(world, tick);
        }
        world.step();
        let start = Instant::now();
        let update = feed.take(world);
        let bytes = black_box(update.to_bytes());
        sum.spent += start.elapsed();
        sum.cells += update.chunks().iter().map(|chunk| chunk.cells().len()).sum::<usize>();
        sum.chunks += update.chunks().len();
        sum.bytes += bytes.len();
    }
    sum
}

/// Taking updates and writing their bytes; the ticks between them are not measured.
pub fn updates(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("feed");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for (name, mut world, is_rainy) in [("rain", hills(), true), ("dam_break", dam_break(), false)]
    {
        let mut feed = Feed::new(&mut world);
        let all: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
        let whole = feed.whole(&world, all.iter().copied()).to_bytes().len();
        let Sum { cells, chunks, bytes, spent } = follow(&mut world, &mut feed, TICKS, is_rainy);
        println!(
            "feed/{name}: {TICKS} ticks change {cells} cells in {chunks} chunks, {bytes} bytes, \
             {:.2} a cell, {:.0} ns a cell; all of {} chunks: {whole} bytes",
            bytes as f64 / cells as f64,
            spent.as_nanos() as f64 / cells as f64,
            all.len(),
        );
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_custom(|ticks| follow(&mut world, &mut feed, ticks, is_rainy).spent);
        });
    }
}
