//! Cost of a save: comparing every chunk with the last save, and writing those that differ.
//!
//! `cargo bench --bench save`. The baselines are a snapshot in memory: `snapshot` encodes the whole
//! world, `load` decodes it. `look` saves an unchanged world to a disk in memory, so it waits for
//! no sync. `insert` loads chunks one by one, as a game does.

use criterion::{
    BatchSize, Bencher, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use floodplain::glam::IVec3;
use floodplain::save_file::SaveFile;
use floodplain::snapshot::Saved;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Grid, Region};
use redb::backends::InMemoryBackend;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// An open chunk, or one with ground in its lower half.
fn chunk(dense: bool) -> Chunk<Voxel> {
    let mut cells = [Voxel::OPEN; CHUNK_CELLS];
    if dense {
        cells[..CHUNK_CELLS / 2].fill(Voxel::SOLID);
    }
    Chunk::from_cells(&cells)
}

/// A world of chunks that are not neighbours: with ground and air, or all air.
fn world(chunks: i32, dense: bool) -> WaterWorld {
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    for index in 0..chunks {
        world.insert_chunk(ChunkPos::new(2 * index, 0, 0), chunk(dense)).expect("none is there");
    }
    world.run(1);
    world.take_changes();
    world.take_all_changes();
    world
}

/// Inserts neighbouring chunks one by one; the baseline is a grid, which only stores them.
fn insert(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("insert");
    group.sample_size(20);
    for (name, side, dense) in [("uniform", 128, false), ("dense", 32, true)] {
        let floor = Region::new(IVec3::ZERO, IVec3::new(side - 1, 0, side - 1));
        let chunks = || {
            floor
                .positions()
                .map(ChunkPos::from)
                .map(|position| (position, chunk(dense)))
                .collect::<Vec<_>>()
        };
        group.throughput(Throughput::Elements((side * side) as u64));
        let water = || WaterWorld::new(1, Rules::lossless()).expect("rules in range");
        group.bench_function(BenchmarkId::new("water", name), |bencher| {
            insert_each(bencher, water, chunks, |world, position, chunk| {
                world.insert_chunk(position.into(), chunk).expect("none is there");
            });
        });
        let grid = || Grid::<Voxel>::new(Voxel::OPEN);
        group.bench_function(BenchmarkId::new("grid", name), |bencher| {
            insert_each(bencher, grid, chunks, |grid, position, chunk| {
                grid.insert(position.into(), chunk).expect("in range");
            });
        });
    }
}

fn insert_each<W>(
    bencher: &mut Bencher,
    empty: impl Fn() -> W,
    chunks: impl Fn() -> Vec<(ChunkPos, Chunk<Voxel>)>,
    insert: impl Fn(&mut W, IVec3, Chunk<Voxel>),
) {
    bencher.iter_batched(
        || (empty(), chunks()),
        |(mut world, chunks)| {
            for (position, chunk) in chunks {
                insert(&mut world, position.into(), chunk);
            }
            world
        },
        BatchSize::PerIteration,
    );
}

fn save(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("save");
    group.sample_size(10);
    for (name, chunks, dense) in [("uniform", 20_000, false), ("dense", 2_000, true)] {
        let mut world = world(chunks, dense);
        let id = |what: &str| BenchmarkId::new(what, format!("{chunks}_{name}"));
        group.bench_function(id("snapshot"), |bencher| bencher.iter(|| black_box(world.save())));

        let snapshot = world.save();
        group.bench_function(id("load"), |bencher| {
            bencher.iter(|| WaterWorld::load(&snapshot).expect("lawful"))
        });

        let mut file = SaveFile::create_on(InMemoryBackend::new(), &world).expect("memory");
        let report = file.save(&world).expect("memory");
        println!("save/look of {chunks} {name}: {} chunks written", report.chunks_written);
        group.bench_function(id("look"), |bencher| {
            bencher.iter(|| file.save(&world).expect("memory"))
        });

        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench_save.redb");
        let _ = fs::remove_file(&path);
        let mut file = SaveFile::create(&path, &world).expect("a disk");
        println!(
            "save: {chunks} {name} chunks take {} KB on disk",
            fs::metadata(&path).expect("created").len() / 1000
        );
        let mut edits = 0;
        let mut edit = |world: &mut WaterWorld| {
            edits += 1;
            let cell = Region::cell(IVec3::new(8, 9, 8));
            world.fill_water(cell, edits % 2).expect("loaded");
        };
        edit(&mut world);
        println!(
            "save/one of {chunks} {name}: {} chunk written",
            file.save(&world).expect("a disk").chunks_written
        );
        group.bench_function(id("one_to_disk"), |bencher| {
            bencher.iter(|| {
                edit(&mut world);
                file.save(&world).expect("a disk")
            });
        });
        drop(file);
        group.bench_function(id("open"), |bencher| {
            bencher.iter(|| SaveFile::<WaterWorld>::open(&path).expect("saved"));
        });
        fs::remove_file(&path).expect("created");
    }
}

/// Saves of a streamed world of 20,000 dense chunks: what the thread of the game pays to prepare a
/// job, with so many chunks changed since the last, and what the writer pays, without a disk. The
/// baseline is `look` in the group `save`, by chunk.
fn stream(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("stream");
    group.sample_size(20);
    let mut world = world(20_000, true);
    let mut file = SaveFile::create_on(InMemoryBackend::new(), &world).expect("memory");
    let mut stream = file.stream();
    for what in ["first", "whole, after one that was dropped"] {
        let start = Instant::now();
        let job = stream.prepare(&mut world);
        let spent = start.elapsed();
        println!("stream/{what}: {} chunks copied, in {spent:?}", job.chunks_copied());
    }
    let (mut calls, mut longest) = (1, Duration::ZERO);
    loop {
        let start = Instant::now();
        let left = stream.copy_ahead(&mut world, 200);
        longest = longest.max(start.elapsed());
        if left == 0 {
            break;
        }
        calls += 1;
    }
    println!("stream/ahead: {calls} calls for 200 chunks, the longest {longest:?}");
    let start = Instant::now();
    let job = stream.prepare(&mut world);
    println!("stream/whole, copied ahead: prepared in {:?}", start.elapsed());
    assert_eq!((job.chunks(), job.chunks_copied()), (20_000, 0));
    file.commit(job).expect("memory");
    let mut rounds = 0;
    for touched in [0, 20, 200, 2_000] {
        for (name, is_prepared) in [("prepare", true), ("commit", false)] {
            group.bench_function(BenchmarkId::new(name, touched), |bencher| {
                bencher.iter_custom(|jobs| {
                    let mut spent = Duration::ZERO;
                    for _ in 0..jobs {
                        rounds += 1;
                        for at in 0..touched {
                            let cell = IVec3::new(32 * at + 8, 9, 8);
                            let height = (rounds % 2) as u8;
                            world.fill_water(Region::cell(cell), height).expect("loaded");
                        }
                        let start = Instant::now();
                        let job = stream.prepare(&mut world);
                        let prepared = start.elapsed();
                        file.commit(job).expect("memory");
                        spent += if is_prepared { prepared } else { start.elapsed() - prepared };
                    }
                    spent
                });
            });
        }
    }
}

criterion_group!(benches, insert, save, stream);
criterion_main!(benches);
