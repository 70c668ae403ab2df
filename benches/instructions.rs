//! Instructions of the hottest operations, counted by callgrind: the same on a busy machine as on
//! an idle one.
//!
//! `.ci/instructions` runs this, compares the counts with `benches/instructions.txt` and fails if
//! one is more than two per cent above; `.ci/instructions record` updates that file. It needs
//! valgrind, and installs `gungraun-runner` if that is missing.
//!
//! Every function does one operation on a world from its set-up, which is not counted.

#![expect(missing_docs, reason = "the macros generate undocumented public items")]

use floodplain::glam::IVec3;
use floodplain::humidity::{HumidityWorld, Sweep};
use floodplain::snapshot::Saved;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{
    CHUNK_CELLS, Chunk, ChunkPos, Cube, FaceBuffer, FieldShape, Grid, Region, Shape, Sheet,
    StepReport, blast, water2d,
};
use gungraun::prelude::*;
use std::hint::black_box;
use worlds::{fields, water};

mod worlds;

/// Chunks along each side of the box of random cells.
const SIDE: i32 = 4;

/// Grids of the same cells. The cost of looking up a chunk depends on the hash seed, and each grid
/// has its own; the sum over this many grids is nearly the same in every process.
const GRIDS: usize = 64;

/// Every other chunk of a box, all dense.
fn store() -> Grid<u16> {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut grid = Grid::new(0);
    for place in fields::chunks([SIDE; 3]).positions().filter(|place| place.element_sum() % 2 == 0)
    {
        let cells: Vec<u16> = (0..CHUNK_CELLS).map(|_| rng.u16(..)).collect();
        grid.insert(
            place.into(),
            Chunk::from_cells(cells.first_chunk().expect("a chunk of cells")),
        )
        .expect("in range");
    }
    grid
}

/// Grids of the same cells, and random positions in them.
fn stores() -> (Vec<Grid<u16>>, Vec<IVec3>) {
    let grids: Vec<_> = (0..GRIDS).map(|_| store()).collect();
    let places: Vec<ChunkPos> = grids[0].chunks().map(|(place, _)| place).collect();
    let mut rng = fastrand::Rng::with_seed(2);
    let visits =
        (0..64).map(|_| Cube::cell_at(places[rng.usize(..places.len())], rng.usize(..CHUNK_CELLS)));
    let visits = visits.collect();
    (grids, visits)
}

#[library_benchmark]
#[bench::random(stores())]
fn grid_get((grids, visits): (Vec<Grid<u16>>, Vec<IVec3>)) -> (u16, Vec<Grid<u16>>) {
    let read =
        |grid: &Grid<u16>| visits.iter().fold(0u16, |sum, &cell| sum.wrapping_add(grid.get(cell)));
    (grids.iter().map(read).fold(0, u16::wrapping_add), grids)
}

#[library_benchmark]
#[bench::random(stores())]
fn grid_set((mut grids, visits): (Vec<Grid<u16>>, Vec<IVec3>)) -> Vec<Grid<u16>> {
    for grid in &mut grids {
        (0..).zip(&visits).for_each(|(value, &cell)| {
            grid.set(cell, value);
        });
    }
    grids
}

fn copied() -> (Grid<u16>, Region, Vec<u16>) {
    let region = Region::new(IVec3::splat(3), IVec3::splat(60));
    (store(), region, vec![0; region.volume() as usize])
}

#[library_benchmark]
#[bench::box_of_58(copied())]
fn region_copy((grid, region, mut flat): (Grid<u16>, Region, Vec<u16>)) -> (Grid<u16>, Vec<u16>) {
    grid.copy_out(region, &mut flat).expect("as long as the region");
    (grid, flat)
}

#[library_benchmark]
#[bench::dense(store())]
fn sweep(grid: Grid<u16>) -> (u16, Grid<u16>) {
    let add = |sum: u16, &cell: &u16| sum.wrapping_add(cell);
    (
        grid.chunks()
            .filter_map(|(_, chunk)| chunk.as_dense())
            .fold(0, |sum, cells| cells.iter().fold(sum, add)),
        grid,
    )
}

#[library_benchmark]
#[bench::dense(stores())]
fn faces((grids, _): (Vec<Grid<u16>>, Vec<IVec3>)) -> Vec<Grid<u16>> {
    let mut buffer = FaceBuffer::new(0);
    for grid in &grids {
        for (chunk, _) in grid.chunks() {
            black_box(grid.faces(chunk, &mut buffer).row(0, 0));
        }
    }
    grids
}

/// Water that spreads over a floor, after this many ticks.
fn spread(ticks: u64) -> WaterWorld {
    let mut world = water::spread_world(64, 0);
    world.run(ticks);
    world
}

#[library_benchmark]
#[bench::spread(spread(12))]
#[bench::falls(falls())]
#[bench::river(steady_river())]
#[bench::lake_drain(lake_drain())]
#[bench::recheck(awake_lake())]
fn water_tick(mut world: WaterWorld) -> (StepReport, WaterWorld) {
    (world.step(), world)
}

/// Water that falls 63 cells from 64 springs and spreads below.
fn falls() -> WaterWorld {
    let mut world = water::spread_world(64, 63);
    world.run(70);
    world
}

/// A river in steady flow.
fn steady_river() -> WaterWorld {
    let mut world = water::river_world(10_000, 64).0;
    world.run(10);
    world
}

/// A lake that drains through one hole.
fn lake_drain() -> WaterWorld {
    let mut world = water::draining_lake(64);
    world.run(40);
    world
}

/// A full lake, brought to rest and then woken everywhere.
fn awake_lake() -> WaterWorld {
    let mut world = water::lake(IVec3::new(64, 16, 64), Rules::lossless());
    world.run(60);
    world.wake_all();
    world
}

fn open_chunks() -> (WaterWorld, Vec<(ChunkPos, Chunk<Voxel>)>) {
    let world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    (
        world,
        fields::chunks([8; 3])
            .positions()
            .map(|chunk| (chunk.into(), Chunk::uniform(Voxel::OPEN)))
            .collect(),
    )
}

#[library_benchmark]
#[bench::uniform(open_chunks())]
fn water_load((mut world, chunks): (WaterWorld, Vec<(ChunkPos, Chunk<Voxel>)>)) -> WaterWorld {
    for (position, chunk) in chunks {
        world.insert_chunk(position, chunk).expect("none is there");
    }
    world
}

/// Only the thread that runs a function is counted, so that thread must do all the work.
fn one_thread() {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()
        .expect("each function has a process of its own");
}

fn humid(sweep: Sweep) -> HumidityWorld {
    one_thread();
    let mut world = fields::humidity(sweep, fields::chunks([2, 2, 1]));
    world.step();
    world
}

#[library_benchmark]
#[bench::conservative(humid(Sweep::Conservative))]
#[bench::synchronous(humid(Sweep::Synchronous))]
fn humidity_step(mut world: HumidityWorld) -> (StepReport, HumidityWorld) {
    (world.step(), world)
}

fn exploding<S: FieldShape>(rules: blast::Rules, chunks: [i32; 3]) -> blast::BlastWorld<S> {
    one_thread();
    let mut world = fields::blast(rules, fields::chunks(chunks));
    world.step();
    world
}

#[library_benchmark]
#[bench::cube(exploding(blast::Rules::diffusive(0.16), [2, 2, 1]))]
#[bench::cube_of_waves(exploding(blast::Rules::wave(0.16, 0.98), [2, 2, 1]))]
fn blast_step_in_cubes(
    mut world: blast::BlastWorld<Cube>,
) -> (StepReport, blast::BlastWorld<Cube>) {
    (world.step(), world)
}

#[library_benchmark]
#[bench::sheet(exploding(blast::Rules::diffusive(0.24), [2, 2, 1]))]
#[bench::sheet_of_waves(exploding(blast::Rules::wave(0.24, 0.98), [2, 2, 1]))]
fn blast_step(mut world: blast::BlastWorld<Sheet>) -> (StepReport, blast::BlastWorld<Sheet>) {
    (world.step(), world)
}

fn falling(rules: water2d::Rules) -> water2d::Water2dWorld {
    one_thread();
    let mut world = fields::water2d(rules, fields::chunks([2, 2, 1]));
    world.run(4);
    world
}

#[library_benchmark]
#[bench::literal(falling(water2d::Rules::literal()))]
#[bench::settling(falling(water2d::Rules::default()))]
fn water2d_step(mut world: water2d::Water2dWorld) -> (StepReport, water2d::Water2dWorld) {
    (world.step(), world)
}

#[library_benchmark]
#[bench::water(spread(12))]
fn snapshot_save(world: WaterWorld) -> (Vec<u8>, WaterWorld) {
    (world.save(), world)
}

#[library_benchmark]
#[bench::water(spread(12).save())]
fn snapshot_load(bytes: Vec<u8>) -> (WaterWorld, Vec<u8>) {
    (WaterWorld::load(&bytes).expect("lawful"), bytes)
}

library_benchmark_group!(
    name = hottest,
    benchmarks = [
        grid_get,
        grid_set,
        region_copy,
        sweep,
        faces,
        water_tick,
        water_load,
        humidity_step,
        blast_step,
        blast_step_in_cubes,
        water2d_step,
        snapshot_save,
        snapshot_load
    ]
);
main!(library_benchmark_groups = hottest);
