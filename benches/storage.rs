//! The chunk store against a `HashMap` of cells and a dense array: 1,009 random chunks of a
//! 16³-chunk box, `u16` cells.
//!
//! `cargo bench --bench storage`; dated results are in `benches/README.md`. The dense array is the
//! whole box, 256³ cells and a rim, so it needs no lookup and no branch. Get, set and sweep visit
//! the same cells in all three; the store is also swept with two threads. The stencil has a second
//! dense array, `dense_small`, with as many cells as the 1,009 chunks and so as much of the caches.

use core::hint::black_box;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use floodplain::glam::IVec3;
use floodplain::{
    CHUNK_CELLS, Chunk, ChunkPos, Cube, Face, FaceBuffer, FaceRow, Faces, Grid, Region, Shape,
};
use hashbrown::HashMap;
use rayon::prelude::*;

const CHUNKS: usize = 1009;
const SIDE: usize = 256;
/// Counts of random positions. The cells at 4,096 positions stay in the second-level cache, those
/// at 65,536 do not.
const VISITS: [usize; 2] = [1 << 12, 1 << 16];

/// The cells of a chunk by y, z and x.
type Cells = [[[u16; 16]; 16]; 16];

/// A dense box with a rim one cell wide.
struct Dense {
    size: [usize; 3],
    cells: Vec<u16>,
}

impl Dense {
    fn new(size: [usize; 3]) -> Dense {
        Dense { size, cells: vec![0; (size[0] + 2) * (size[1] + 2) * (size[2] + 2)] }
    }

    #[inline]
    fn at(&self, x: usize, y: usize, z: usize) -> usize {
        ((y + 1) * (self.size[2] + 2) + z + 1) * (self.size[0] + 2) + x + 1
    }

    #[inline]
    fn index(&self, cell: IVec3) -> usize {
        self.at(cell.x as usize, cell.y as usize, cell.z as usize)
    }

    /// Sums each cell and its six neighbours, row by row.
    fn stencil(&self, out: &mut [u16]) {
        let [along_z, along_y] = [self.size[0] + 2, (self.size[0] + 2) * (self.size[2] + 2)];
        let out = &mut out[..self.size[0]];
        for y in 0..self.size[1] {
            for z in 0..self.size[2] {
                let start = self.at(0, y, z);
                let row = |from: usize| &self.cells[from..from + out.len()];
                let [here, west, east] = [row(start), row(start - 1), row(start + 1)];
                let [down, up] = [row(start - along_y), row(start + along_y)];
                let [north, south] = [row(start - along_z), row(start + along_z)];
                for x in 0..out.len() {
                    out[x] = here[x]
                        .wrapping_add(west[x])
                        .wrapping_add(east[x])
                        .wrapping_add(down[x])
                        .wrapping_add(up[x])
                        .wrapping_add(north[x])
                        .wrapping_add(south[x]);
                }
                black_box(&mut *out);
            }
        }
    }
}

/// The same for one chunk and the faces of its neighbours.
fn face_stencil(faces: &Faces<u16>, out: &mut Cells) {
    for (y, layer) in out.iter_mut().enumerate() {
        for (z, out) in layer.iter_mut().enumerate() {
            let FaceRow { here, west, east, down, up, north, south } = faces.row(y, z);
            let mut sums = [0u16; 16];
            for x in 0..16 {
                sums[x] = here[x]
                    .wrapping_add(west[x])
                    .wrapping_add(east[x])
                    .wrapping_add(down[x])
                    .wrapping_add(up[x])
                    .wrapping_add(north[x])
                    .wrapping_add(south[x]);
            }
            *out = sums;
        }
    }
}

/// The same for one chunk and its halo.
fn halo_stencil(halo: &[[[u16; 18]; 18]; 18], out: &mut Cells) {
    for y in 0..16 {
        for z in 0..16 {
            let [down, here, up] = [&halo[y][z + 1], &halo[y + 1][z + 1], &halo[y + 2][z + 1]];
            let [north, south] = [&halo[y + 1][z], &halo[y + 1][z + 2]];
            let out = &mut out[y][z];
            for x in 0..16 {
                out[x] = here[x + 1]
                    .wrapping_add(here[x])
                    .wrapping_add(here[x + 2])
                    .wrapping_add(down[x + 1])
                    .wrapping_add(up[x + 1])
                    .wrapping_add(north[x + 1])
                    .wrapping_add(south[x + 1]);
            }
        }
    }
}

struct World {
    chunks: Vec<ChunkPos>,
    grid: Grid<u16, Cube>,
    map: HashMap<IVec3, u16>,
    dense: Dense,
}

fn world() -> World {
    let mut rng = fastrand::Rng::with_seed(1009);
    let mut places: Vec<ChunkPos> =
        Region::new(IVec3::ZERO, IVec3::splat(15)).positions().map(ChunkPos::from).collect();
    rng.shuffle(&mut places);
    let chunks = places[..CHUNKS].to_vec();
    let mut world = World {
        grid: Grid::new(0),
        map: HashMap::with_capacity(CHUNKS * CHUNK_CELLS),
        dense: Dense::new([SIDE; 3]),
        chunks,
    };
    for &chunk in &world.chunks {
        let mut cells = [0u16; CHUNK_CELLS];
        cells.fill_with(|| rng.u16(..));
        for (index, &value) in cells.iter().enumerate() {
            let cell = Cube::cell_at(chunk, index);
            world.map.insert(cell, value);
            let at = world.dense.index(cell);
            world.dense.cells[at] = value;
        }
        world.grid.insert(chunk, Chunk::from_cells(&cells)).expect("a chunk of the box");
    }
    world
}

fn random_cells(chunks: &[ChunkPos], count: usize) -> Vec<IVec3> {
    let mut rng = fastrand::Rng::with_seed(5);
    (0..count)
        .map(|_| Cube::cell_at(chunks[rng.usize(..chunks.len())], rng.usize(..CHUNK_CELLS)))
        .collect()
}

fn get(criterion: &mut Criterion, world: &World) {
    let World { grid, map, dense, chunks } = world;
    let mut group = criterion.benchmark_group("random_get");
    for count in VISITS {
        let visits = random_cells(chunks, count);
        group.throughput(Throughput::Elements(count as u64));
        let sum = |read: &dyn Fn(IVec3) -> u16| {
            visits.iter().fold(0u16, |sum, &cell| sum.wrapping_add(read(cell)))
        };
        assert_eq!(sum(&|cell| grid.get(cell)), sum(&|cell| map[&cell]));
        assert_eq!(sum(&|cell| grid.get(cell)), sum(&|cell| dense.cells[dense.index(cell)]));
        group.bench_function(BenchmarkId::new("floodplain", count), |bench| {
            bench.iter(|| {
                black_box(&visits).iter().fold(0u16, |sum, &cell| sum.wrapping_add(grid.get(cell)))
            });
        });
        group.bench_function(BenchmarkId::new("hashmap", count), |bench| {
            bench.iter(|| {
                black_box(&visits).iter().fold(0u16, |sum, cell| sum.wrapping_add(map[cell]))
            });
        });
        group.bench_function(BenchmarkId::new("dense", count), |bench| {
            let read = |cell| dense.cells[dense.index(cell)];
            bench.iter(|| {
                black_box(&visits).iter().fold(0u16, |sum, &cell| sum.wrapping_add(read(cell)))
            });
        });
    }
    group.finish();
}

fn set(criterion: &mut Criterion, world: &mut World) {
    let World { grid, map, dense, chunks } = world;
    let mut group = criterion.benchmark_group("random_set");
    for count in VISITS {
        let visits = random_cells(chunks, count);
        group.throughput(Throughput::Elements(count as u64));
        // The value differs in each iteration, so that no write is skipped.
        let mut value = 0u16;
        group.bench_function(BenchmarkId::new("floodplain", count), |bench| {
            bench.iter(|| {
                value = value.wrapping_add(1);
                for (at, &cell) in black_box(&visits).iter().enumerate() {
                    grid.set(cell, value.wrapping_add(at as u16));
                }
            });
        });
        group.bench_function(BenchmarkId::new("hashmap", count), |bench| {
            bench.iter(|| {
                value = value.wrapping_add(1);
                for (at, &cell) in black_box(&visits).iter().enumerate() {
                    map.insert(cell, value.wrapping_add(at as u16));
                }
            });
        });
        group.bench_function(BenchmarkId::new("dense", count), |bench| {
            bench.iter(|| {
                value = value.wrapping_add(1);
                for (at, &cell) in black_box(&visits).iter().enumerate() {
                    let index = dense.index(cell);
                    dense.cells[index] = value.wrapping_add(at as u16);
                }
            });
        });
    }
    group.finish();
}

fn sweep(criterion: &mut Criterion, world: &World) {
    let World { grid, map, dense, chunks } = world;
    let add = |sum: u16, cells: &[u16]| cells.iter().fold(sum, |sum, &cell| sum.wrapping_add(cell));
    let add_chunk = |sum: u16, chunk: &Chunk<u16>| match (chunk.as_dense(), chunk.as_uniform()) {
        (Some(cells), _) => add(sum, cells),
        (None, value) => sum.wrapping_add(value.unwrap_or(0).wrapping_mul(CHUNK_CELLS as u16)),
    };
    let sweep_grid = || grid.chunks().fold(0u16, |sum, (_, chunk)| add_chunk(sum, chunk));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let sweep_in_pool = || {
        let sums = || grid.par_chunks().fold(|| 0u16, |sum, (_, chunk)| add_chunk(sum, chunk));
        pool.install(|| sums().reduce(|| 0, u16::wrapping_add))
    };
    // The dense array has no chunks: the whole box is swept, and its throughput counts all cells.
    let sweep_dense = || add(0, &dense.cells);
    assert_eq!(sweep_grid(), map.values().fold(0u16, |sum, &cell| sum.wrapping_add(cell)));
    assert_eq!([sweep_grid(), sweep_in_pool()], [sweep_dense(); 2]);

    let mut group = criterion.benchmark_group("sweep");
    group.throughput(Throughput::Elements((chunks.len() * CHUNK_CELLS) as u64));
    group.bench_function("floodplain", |bench| bench.iter(|| black_box(sweep_grid())));
    group.bench_function("floodplain_two_threads", |bench| {
        bench.iter(|| black_box(sweep_in_pool()))
    });
    group.bench_function("hashmap", |bench| {
        bench.iter(|| black_box(map).values().fold(0u16, |sum, &cell| sum.wrapping_add(cell)));
    });
    // The lower bound for any layout: the same cells in one array, in order of position.
    let flat: Vec<u16> =
        grid.chunks().filter_map(|(_, chunk)| chunk.as_dense()).flatten().copied().collect();
    assert_eq!(add(0, &flat), sweep_grid());
    group.bench_function("floor", |bench| bench.iter(|| add(0, black_box(&flat))));
    group.throughput(Throughput::Elements(dense.cells.len() as u64));
    group.bench_function("dense", |bench| bench.iter(|| black_box(sweep_dense())));
    group.finish();
}

fn stencil(criterion: &mut Criterion, world: &World) {
    let World { grid, map, dense, chunks } = world;
    let mut small = Dense::new([160, 161, 160]);
    let count = small.cells.len();
    small.cells.copy_from_slice(&dense.cells[..count]);

    let run_faces = |each: &mut dyn FnMut(&Cells)| {
        let mut buffer = FaceBuffer::new(0);
        let mut out = [[[0u16; 16]; 16]; 16];
        grid.for_each_faces(&mut buffer, |_, faces| {
            face_stencil(faces, &mut out);
            each(black_box(&out));
        });
    };
    let run_halo = |each: &mut dyn FnMut(&Cells)| {
        let mut halo = [[[0u16; 18]; 18]; 18];
        let mut out = [[[0u16; 16]; 16]; 16];
        for (chunk, _) in grid.chunks() {
            grid.halo(chunk, &mut halo);
            halo_stencil(&halo, &mut out);
            each(black_box(&out));
        }
    };
    let run_cursor = |chunks: &[ChunkPos]| {
        let mut cursor = grid.cursor(IVec3::ZERO);
        let mut check = 0u16;
        for &chunk in chunks {
            for cell in Cube::region_of(chunk).positions() {
                cursor.move_to(cell);
                check = Face::ALL.iter().fold(check.wrapping_add(cursor.get()), |check, face| {
                    check.wrapping_add(cursor.neighbour(*face))
                });
            }
        }
        check
    };
    let run_map = |chunks: &[ChunkPos]| {
        let read = |cell: IVec3| map.get(&cell).copied().unwrap_or(0);
        let mut check = 0u16;
        for &chunk in chunks {
            for cell in Cube::region_of(chunk).positions() {
                check = Face::ALL.iter().fold(check.wrapping_add(read(cell)), |check, face| {
                    check.wrapping_add(read(cell + face.offset()))
                });
            }
        }
        check
    };
    let sum = |out: &Cells| {
        out.as_flattened().as_flattened().iter().fold(0u16, |sum, &cell| sum.wrapping_add(cell))
    };
    let (mut by_faces, mut by_halo) = (0u16, 0u16);
    run_faces(&mut |out| by_faces = by_faces.wrapping_add(sum(out)));
    run_halo(&mut |out| by_halo = by_halo.wrapping_add(sum(out)));
    assert_eq!([by_faces, by_halo, run_cursor(chunks)], [run_map(chunks); 3]);

    let mut group = criterion.benchmark_group("stencil_7");
    group.throughput(Throughput::Elements((chunks.len() * CHUNK_CELLS) as u64));
    group.bench_function("floodplain", |bench| bench.iter(|| run_faces(&mut |_| ())));
    group.bench_function("floodplain_halo", |bench| bench.iter(|| run_halo(&mut |_| ())));
    // The slow variants visit every sixteenth chunk.
    let few: Vec<ChunkPos> = chunks.iter().copied().step_by(16).collect();
    group.throughput(Throughput::Elements((few.len() * CHUNK_CELLS) as u64));
    group.bench_function("floodplain_cursor", |bench| bench.iter(|| black_box(run_cursor(&few))));
    group.bench_function("hashmap", |bench| bench.iter(|| black_box(run_map(&few))));
    for (name, dense) in [("dense", dense), ("dense_small", &small)] {
        let mut out = vec![0u16; dense.size[0]];
        group.throughput(Throughput::Elements(dense.size.iter().product::<usize>() as u64));
        group.bench_function(name, |bench| bench.iter(|| black_box(dense).stencil(&mut out)));
    }
    group.finish();
}

/// Prints the bytes that a chunk adds to `memory_bytes`, spare capacity of slab and map included.
fn print_bytes() {
    let each = |count: i32, chunk: &Chunk<u16>, marked: bool| {
        let mut grid = Grid::<u16, Cube>::new(0);
        let empty = grid.memory_bytes();
        for at in 0..count {
            let position = IVec3::new(at % 16, at / 256, at / 16 % 16);
            grid.insert(position.into(), chunk.clone()).expect("a chunk of the box");
            if marked {
                let cell = Cube::region_of(position.into()).min();
                grid.wake(cell).and(grid.mark_changed(cell)).expect("the chunk is there");
            }
        }
        (grid.memory_bytes() - empty) as f64 / f64::from(count)
    };
    let mut dense = Chunk::uniform(0u16);
    dense.set(7, 7);
    let uniform = Chunk::uniform(1u16);
    println!("bytes a chunk, spare room included (least and most over 100 to 4,096 chunks):");
    let mut grid = Grid::<u16, Cube>::new(0);
    let before = grid.memory_bytes();
    black_box(grid.get(IVec3::splat(1000)));
    grid.set(IVec3::splat(1000), 0);
    println!("  absent, read and written with the background: {}", grid.memory_bytes() - before);
    for (name, chunk, marked) in [
        ("uniform", &uniform, false),
        ("dense u16", &dense, false),
        ("dense u16 with two masks", &dense, true),
    ] {
        let counts =
            [100, 225, 449, 897, 1009, 1793, 3585, 4096].map(|count| each(count, chunk, marked));
        let least = counts.iter().copied().fold(f64::INFINITY, f64::min);
        let most = counts.iter().copied().fold(0.0, f64::max);
        println!("  {name}: {least:.0} to {most:.0}; at 1,009 chunks {:.0}", counts[4]);
    }
}

fn storage(criterion: &mut Criterion) {
    print_bytes();
    let mut world = world();
    get(criterion, &world);
    sweep(criterion, &world);
    stencil(criterion, &world);
    set(criterion, &mut world);
}

criterion_group!(benches, storage);
criterion_main!(benches);
