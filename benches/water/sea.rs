//! The sea: a block built into it and taken out, a breach of a wide sea, and the loading of a large
//! one. Before each bench, the counts of one run are printed.

use criterion::{BatchSize, Criterion};
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use std::hint::black_box;

/// Chunks along each side of the wide sea, and in its depth.
const SIDE: i32 = 100;
const DEPTH: i32 = 4;

/// The chunks of a sea 64 cells deep under two layers of air, 1600 cells to a side.
fn columns() -> Vec<(ChunkPos, Chunk<Voxel>)> {
    Region::new(IVec3::ZERO, IVec3::new(SIDE - 1, DEPTH + 1, SIDE - 1))
        .positions()
        .map(ChunkPos::from)
        .map(|at| (at, Chunk::uniform(if at.y < DEPTH { Voxel::SEA } else { Voxel::OPEN })))
        .collect()
}

fn loaded(chunks: Vec<(ChunkPos, Chunk<Voxel>)>) -> WaterWorld {
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    world.insert_chunks(chunks).expect("none is there");
    world
}

/// The sea with a chunk of rock at its floor that has a cave in it, 14×14×14, and its lid of rock.
fn sea_over_a_cave() -> (WaterWorld, IVec3) {
    let mut chunks = columns();
    let middle = IVec3::new(SIDE / 2, 0, SIDE / 2);
    chunks.iter_mut().filter(|(at, _)| *at == middle.into()).for_each(|(_, chunk)| {
        *chunk = Chunk::uniform(Voxel::SOLID);
    });
    let mut world = loaded(chunks);
    let corner = middle * 16;
    world.fill_water(Region::new(corner + 1, corner + 14), 0).expect("loaded");
    (world, corner + IVec3::new(7, 15, 7))
}

pub fn sea(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sea");
    group.sample_size(10);
    let columns = columns();
    let world = loaded(columns.clone());
    let each = world.memory_bytes() / columns.len();
    println!("sea/load: {} chunks, {each} bytes each", columns.len());
    drop(world);
    group.bench_function("load_100x100_columns", |bencher| {
        bencher.iter_batched(|| columns.clone(), loaded, BatchSize::PerIteration);
    });

    let (mut world, lid) = sea_over_a_cave();
    world.run(3);
    let block = IVec3::new(400, 40, 400);
    group.bench_function("built_into_and_taken_out", |bencher| {
        bencher.iter(|| {
            world.set_solid(block).expect("loaded");
            world.clear_solid(block).expect("loaded");
            // It closes.
            black_box(world.step());
        });
    });
    world.clear_solid(lid).expect("loaded");
    let (mut ticks, before) = (0, world.ledger().from_sea);
    while world.awake_cells() > 0 {
        world.step();
        ticks += 1;
    }
    println!("sea/breached: {} units in {ticks} ticks", world.ledger().from_sea - before);
    group.bench_function("breached_until_at_rest", |bencher| {
        bencher.iter_batched(
            || {
                let (mut world, lid) = sea_over_a_cave();
                world.run(3);
                world.clear_solid(lid).expect("loaded");
                world
            },
            |mut world| {
                while world.awake_cells() > 0 {
                    world.step();
                }
                world
            },
            BatchSize::PerIteration,
        );
    });
}
