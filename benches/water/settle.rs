//! Generated ground that settles outside any world, as on the thread that generates it. Before each
//! bench, what came of it is printed. The baseline is the same chunks in a world, by ticks.

use crate::jobs::hills;
use criterion::{BatchSize, BenchmarkId, Criterion};
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Settle, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Shape};

type Generated = Vec<(ChunkPos, Chunk<Voxel>)>;

/// Hills of 16×16 columns, dry, with so many rows of so many springs on the ground.
fn ground(springs: i32) -> Generated {
    let world = hills();
    let is_solid = |cell: IVec3| world.is_solid(cell);
    let at = |row: i32| (row * 256 + 128) / springs.max(1);
    let spring = |(x, z): (i32, i32)| {
        let ground = (0..60).rev().find(|&y| is_solid(IVec3::new(x, y, z))).unwrap_or(0);
        IVec3::new(x, ground + 1, z)
    };
    let rows = (0..springs).flat_map(|x| (0..springs).map(move |z| (at(x), at(z))));
    let springs: Vec<IVec3> = rows.map(spring).collect();
    let voxel = |chunk: ChunkPos, index: usize| {
        let cell = Cube::cell_at(chunk, index);
        match () {
            () if is_solid(cell) => Voxel::SOLID,
            () if springs.contains(&cell) => Voxel::water(WaterCell::SOURCE),
            () => Voxel::OPEN,
        }
    };
    let generate = |(chunk, _)| {
        let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(|index| voxel(chunk, index));
        (chunk, Chunk::from_cells(&cells))
    };
    world.chunks().map(generate).collect()
}

/// The same with a lump of water in the air over every column of chunks: loose, to come to rest.
fn lumps() -> Generated {
    let mut chunks = ground(0);
    for (_, chunk) in chunks.iter_mut().filter(|(position, _)| position.y == 3) {
        for index in (0..CHUNK_CELLS)
            .filter(|&index| Cube::cell_at(ChunkPos::ZERO, index).cmplt(IVec3::splat(6)).all())
        {
            chunk.set(index, Voxel::water(WaterCell::STILL));
        }
    }
    chunks
}

fn settled(chunks: Generated, most: u64) -> (u64, bool) {
    let settle =
        Settle { seed: 7, rules: Rules::lossless(), most_ticks: most, ..Settle::default() };
    let (_, settling) = settle.run(chunks).expect("lawful");
    (settling.ticks, settling.is_at_rest())
}

fn ticked(chunks: Generated, ticks: u64) {
    let mut world = WaterWorld::new(7, Rules::lossless()).expect("lawful");
    world.insert_chunks(chunks).expect("none is there");
    world.run(ticks);
}

pub fn settling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("settle");
    group.sample_size(10);
    for (name, chunks, most) in [("lumps", lumps(), 4_000), ("169_springs", ground(13), 200)] {
        let (ticks, is_at_rest) = settled(chunks.clone(), most);
        println!("settle/{name}: {ticks} ticks of {most}, at rest: {is_at_rest}");
        group.bench_function(BenchmarkId::new("alone", name), |bencher| {
            bencher.iter_batched(
                || chunks.clone(),
                |chunks| settled(chunks, most),
                BatchSize::PerIteration,
            );
        });
        group.bench_function(BenchmarkId::new("by_ticks", name), |bencher| {
            bencher.iter_batched(
                || chunks.clone(),
                |chunks| ticked(chunks, ticks),
                BatchSize::PerIteration,
            );
        });
    }
}
