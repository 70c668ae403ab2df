//! What is drawn and felt: meshes of all chunks with water, and an update of the smoothed currents.
//! Before each bench, the counts of one run are printed.

use crate::jobs::{hills, storm};
use crate::worlds::{lake, spread_world};
use criterion::{BenchmarkId, Criterion, Throughput};
use floodplain::ChunkPos;
use floodplain::glam::IVec3;
use floodplain::water::{FlowField, Rules, WaterView, WaterWorld};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The chunks that hold water, as their meshes show.
fn chunks(world: &WaterWorld) -> Vec<ChunkPos> {
    let loaded = world.chunks().map(|(chunk, _)| chunk);
    loaded.filter(|&chunk| !world.surface_mesh(chunk, None).is_empty()).collect()
}

fn still_lake() -> WaterWorld {
    lake(IVec3::new(256, 8, 256), Rules::lossless())
}

fn springs_in_the_air() -> WaterWorld {
    let mut world = spread_world(128, 16);
    world.run(60);
    world
}

/// Three worlds: rain on hills (thin water), springs 16 cells above a floor, a still lake.
fn worlds() -> [(&'static str, WaterWorld); 3] {
    [("rain", hills()), ("falls", springs_in_the_air()), ("lake", still_lake())]
}

pub fn meshes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("surface/mesh");
    group.sample_size(10);
    for (name, world) in worlds() {
        let chunks = chunks(&world);
        let quads: usize =
            chunks.iter().map(|&chunk| world.surface_mesh(chunk, None).indices.len() / 6).sum();
        println!("surface/mesh/{name}: {} chunks, {quads} quadrilaterals", chunks.len());
        group.throughput(Throughput::Elements(chunks.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| {
                chunks.iter().for_each(|&chunk| {
                    black_box(world.surface_mesh(chunk, None));
                });
            });
        });
    }
}

/// Updates alone; the ticks between them are not measured.
pub fn flow(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("surface/flow");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for (name, mut world) in worlds() {
        let mut flow = FlowField::new();
        let mut next = |ticks: u64| {
            let mut spent = Duration::ZERO;
            for _ in 0..ticks {
                if name == "rain" {
                    let tick = world.ticks();
                    storm(&mut world, tick);
                }
                world.step();
                let start = Instant::now();
                flow.update(&world);
                spent += start.elapsed();
            }
            (spent, flow.chunks().len(), flow.memory_bytes())
        };
        let (_, chunks, bytes) = next(20);
        println!("surface/flow/{name}: {chunks} chunks with flow, {} KB", bytes / 1024);
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_custom(|ticks| next(ticks).0);
        });
    }
}
