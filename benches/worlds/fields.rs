//! Worlds of the automata on fields in which every cell is in motion: so many chunks, filled at
//! random.

use floodplain::blast::{self, BlastWorld, Border, Borders};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, FieldShape, Region};

/// Returns the same chunk for the same `seed`.
fn chunk<T: Copy + PartialEq>(seed: u64, of: impl Fn(&mut fastrand::Rng) -> T) -> Chunk<T> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let cells: Vec<T> = (0..CHUNK_CELLS).map(|_| of(&mut rng)).collect();
    Chunk::from_cells(cells.first_chunk().expect("as many cells as a chunk has"))
}

/// Returns a box of chunk positions of this size.
pub fn chunks(size: [i32; 3]) -> Region {
    Region::new(IVec3::ZERO, IVec3::from_array(size) - IVec3::ONE)
}

/// Soils of three kinds with random humidity, some rock and rain.
pub fn humidity<S: FieldShape>(sweep: Sweep, chunks: Region) -> HumidityWorld<S> {
    let mut world = HumidityWorld::new(humidity::Rules::with_sweep(sweep)).expect("rules in range");
    for (seed, position) in (0..).zip(chunks.positions().map(ChunkPos::from)) {
        let ground = chunk(seed, |rng| match rng.u32(..100) {
            0..5 => humidity::Cell::ROCK,
            5 => humidity::Cell::rain(1024.0, 1.0),
            _ => humidity::Cell::soil(f64::from(rng.u32(..900)), [0.75, 1.0, 2.5][rng.usize(..3)]),
        });
        world.insert_chunk(position, ground).expect("in range");
    }
    world
}

/// Pressures that differ everywhere, within rigid borders.
pub fn blast<S: FieldShape>(rules: blast::Rules, chunks: Region) -> BlastWorld<S> {
    let ends = Region::new(
        S::region_of(chunks.min().into()).min(),
        S::region_of(chunks.max().into()).max(),
    );
    let mut world =
        BlastWorld::with_bounds(rules, ends, Borders::all(Border::Rigid)).expect("stable");
    for (seed, position) in (0..).zip(chunks.positions().map(ChunkPos::from)) {
        world.insert_chunk(position, chunk(seed, |rng| 1.0 + 99.0 * rng.f32())).expect("in bounds");
    }
    world
}

/// Rocks, air and water of all levels.
pub fn water2d(rules: water2d::Rules, chunks: Region) -> Water2dWorld {
    let mut world = Water2dWorld::new(1, rules).expect("rules in range");
    for (seed, position) in (0..).zip(chunks.positions().map(ChunkPos::from)) {
        let water = chunk(seed, |rng| match rng.u32(..100) {
            0..15 => water2d::Cell::SOLID,
            15..50 => water2d::Cell::water(0).expect("in range"),
            _ => water2d::Cell::water(rng.u32(1..200)).expect("in range"),
        });
        world.insert_chunk(position, water).expect("in range");
    }
    world
}
