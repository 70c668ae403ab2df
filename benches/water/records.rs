//! Chunks that travel: the bytes of a column's records, and the time to take one out, to put it in,
//! and to write and read its bytes. Before each bench, the bytes are printed.

use crate::jobs::hills;
use crate::worlds::open_world;
use criterion::{BenchmarkId, Criterion};
use floodplain::glam::IVec3;
use floodplain::water::{ChunkRecord, Rules, WaterWorld};
use floodplain::{ChunkPos, Region};
use std::hint::black_box;

/// Hills of 16×16 columns in the rain, with lakes up to y = 14 and sixteen springs on the slopes.
fn valley() -> WaterWorld {
    let mut world = hills();
    let columns = Region::new(IVec3::ZERO, IVec3::new(255, 0, 255)).positions();
    for at in columns.flat_map(|column| (5..15).map(move |y| column.with_y(y))) {
        if !world.is_solid(at) {
            world.fill_water(Region::cell(at), 7).expect("loaded");
        }
    }
    for at in (0..16).map(|at| IVec3::new(8 + at % 4 * 64, 63, 8 + at / 4 * 64)) {
        let ground = (0..60).rev().find(|&y| world.is_solid(at.with_y(y))).unwrap_or(0);
        world.add_source(at.with_y(ground + 3)).expect("open");
    }
    world.run(300);
    world
}

fn still_lake() -> WaterWorld {
    let region = Region::new(IVec3::ZERO, IVec3::new(255, 63, 255));
    let mut world = open_world(region, Rules::lossless());
    world.fill_water(Region::new(IVec3::ZERO, region.max().with_y(40)), 7).expect("loaded");
    world.run(20);
    world
}

/// Columns of four chunks each.
pub fn travel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("records");
    group.sample_size(20);
    for (name, mut world) in [("rain", hills()), ("valley", valley()), ("lake", still_lake())] {
        let all: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
        let records = world.remove_chunks(all.iter().copied()).expect("loaded");
        let bytes: Vec<Vec<u8>> = records.iter().map(ChunkRecord::to_bytes).collect();
        let total: usize = bytes.iter().map(Vec::len).sum();
        let largest = bytes.iter().map(Vec::len).max();
        println!(
            "records/{name}: {} bytes a column of four chunks, at most {largest:?} a chunk",
            total / 256
        );
        world.insert_records(records.clone()).expect("none is there");
        let column: Vec<ChunkPos> = (0..4).map(|y| ChunkPos::new(7, y, 7)).collect();
        let of_column: Vec<ChunkRecord> =
            records.into_iter().filter(|record| column.contains(&record.position())).collect();
        let bytes: Vec<Vec<u8>> = of_column.iter().map(ChunkRecord::to_bytes).collect();
        group.bench_function(BenchmarkId::new("out_and_in", name), |bencher| {
            bencher.iter(|| {
                let records = world.remove_chunks(column.iter().copied()).expect("loaded");
                world.insert_records(records).expect("none is there");
            });
        });
        group.bench_function(BenchmarkId::new("to_bytes", name), |bencher| {
            bencher.iter(|| of_column.iter().for_each(|record| _ = black_box(record.to_bytes())));
        });
        group.bench_function(BenchmarkId::new("from_bytes", name), |bencher| {
            let read = |bytes: &Vec<u8>| ChunkRecord::from_bytes(bytes).expect("those of a record");
            bencher.iter(|| bytes.iter().for_each(|bytes| _ = black_box(read(bytes))));
        });
    }
}
