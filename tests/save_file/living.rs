//! A small world of water that changes between saves: random edits, steps, chunks that come
//! and go.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use std::collections::BTreeMap;
use support::water::small::{HIGH, LOW, world};

/// A world with drains somewhere, and rules, by seed.
pub fn born(seed: u64) -> WaterWorld {
    let mut rng = Rng::with_seed(seed);
    let mut edge = || [Edge::Wall, Edge::Drain, Edge::Held][rng.usize(..3)];
    let edges = Edges { outer: core::array::from_fn(|_| edge()), unloaded: edge() };
    world(seed, Rules { edges, ..Rules::default() })
}

/// Lets a little happen, or nothing.
pub fn live(world: &mut WaterWorld, rng: &mut Rng) {
    let cell = |rng: &mut Rng| {
        IVec3::new(rng.i32(LOW.x..=HIGH.x), rng.i32(LOW.y..=HIGH.y), rng.i32(LOW.z..=HIGH.z))
    };
    for _ in 0..rng.usize(..3) {
        let at = cell(rng);
        let there = at.min(cell(rng));
        let chunk = ChunkPos::new(rng.i32(-1..1), rng.i32(-1..1), rng.i32(-1..1));
        // Edits of solid cells and missing chunks are refused; that is as good as none.
        let _ = match rng.u8(..8) {
            0 => world.set_solid(at).is_ok(),
            1 => world.fill_water(Region::new(at, there), rng.u8(..=7)).is_ok(),
            2 => world.pour(at, 7).is_ok(),
            3 => world.remove_chunk(chunk).is_ok(),
            4 => world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).is_ok(),
            5 => world.take_changes().is_empty(),
            6 => world.remove_source(at).is_ok(),
            _ => world.add_source(at).is_ok(),
        };
    }
    world.run(rng.u64(..4));
    if rng.bool() {
        // It may be saved in the middle of a tick.
        world.step_within(rng.u64(..100));
    }
}

/// Every record of a world, by position.
pub fn records(world: &WaterWorld) -> BTreeMap<[i32; 3], Vec<u8>> {
    let record = |position: IVec3| {
        let mut record = Vec::new();
        world.put_chunk(position.into(), &mut record);
        (position.to_array(), record)
    };
    world.chunks().map(|(position, _)| record(position.into())).collect()
}
