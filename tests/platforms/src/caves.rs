//! Caves of one chunk, part of them full, with springs and ends, whose water presses through narrow
//! ways: where not all of it finds one, chance decides which finds it.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water::{Edges, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Region};
use std::error::Error;

const CAVES: u64 = 24;
const TICKS: u64 = 100;

/// Returns the hashes of all caves at every tenth tick, mixed into one.
pub fn state_hash() -> Result<u64, Box<dyn Error>> {
    let mut mixed = 0_u64;
    for seed in 0..CAVES {
        let mut world = cave(seed)?;
        for tick in 1..=TICKS {
            world.step();
            if tick % 10 == 0 {
                mixed = mixed.rotate_left(7) ^ world.state_hash();
            }
        }
    }
    Ok(mixed)
}

fn cave(seed: u64) -> Result<WaterWorld, Box<dyn Error>> {
    let mut rng = Rng::with_seed(seed);
    let (open, full) = (0.6 + 0.3 * rng.f64(), if rng.bool() { 0.8 } else { 0.2 });
    let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(|_| match rng.f64() {
        spring if spring < 0.01 => Voxel::water(WaterCell::SOURCE),
        _ if rng.f64() >= open => Voxel::SOLID,
        _ if rng.f64() < full => Voxel::water(WaterCell::STILL),
        _ => Voxel::OPEN,
    });
    let rules = Rules { edges: Edges::DRAINING_SIDES, ..Rules::default() };
    let bounds = Region::new(IVec3::ZERO, IVec3::splat(15));
    let mut world = WaterWorld::with_bounds(seed, rules, bounds)?;
    world.insert_chunk(ChunkPos::ZERO, Chunk::from_cells(&cells))?;
    Ok(world)
}
