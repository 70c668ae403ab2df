//! What a save costs: looking at every chunk, and writing those that differ.
//!
//! `cargo bench --bench save`. The baselines are those of a snapshot in memory: `snapshot` encodes the whole world, `load` makes
//! a world of it. `look` saves a world that did not change to a disk in memory, so it has no sync to wait for.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use floodplain::glam::IVec3;
use floodplain::save_file::SaveFile;
use floodplain::snapshot::Saved;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Region};
use redb::backends::InMemoryBackend;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;

/// Chunks apart from each other: with ground and air in them, or all air.
fn world(chunks: i32, dense: bool) -> WaterWorld {
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    let mut chunk = Chunk::uniform(Voxel::OPEN);
    if dense {
        (0..2048).for_each(|index| {
            chunk.set(index, Voxel::SOLID);
        });
    }
    for index in 0..chunks {
        world.insert_chunk(IVec3::new(2 * index, 0, 0), chunk.clone()).expect("none is there");
    }
    world.run(1);
    world.take_changes();
    world
}

fn save(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("save");
    group.sample_size(10);
    for (name, chunks, dense) in [("uniform", 20_000, false), ("dense", 2_000, true)] {
        let mut world = world(chunks, dense);
        let id = |what: &str| BenchmarkId::new(what, format!("{chunks}_{name}"));
        group.bench_function(id("snapshot"), |bencher| bencher.iter(|| black_box(world.save())));

        let snapshot = world.save();
        group.bench_function(id("load"), |bencher| bencher.iter(|| WaterWorld::load(&snapshot).expect("lawful")));

        let mut file = SaveFile::create_on(InMemoryBackend::new(), &world).expect("memory");
        let report = file.save(&world).expect("memory");
        println!("save/look of {chunks} {name}: {} chunks written", report.chunks_written);
        group.bench_function(id("look"), |bencher| bencher.iter(|| file.save(&world).expect("memory")));

        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench_save.redb");
        let _ = fs::remove_file(&path);
        let mut file = SaveFile::create(&path, &world).expect("a disk");
        println!("save: {chunks} {name} chunks take {} KB on disk", fs::metadata(&path).expect("created").len() / 1000);
        let mut turn = 0;
        let mut edit = |world: &mut WaterWorld| {
            turn += 1;
            let cell = Region::cell(IVec3::new(8, 9, 8));
            world.fill_water(cell, turn % 2).expect("loaded");
        };
        edit(&mut world);
        println!("save/one of {chunks} {name}: {} chunk written", file.save(&world).expect("a disk").chunks_written);
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

criterion_group!(benches, save);
criterion_main!(benches);
