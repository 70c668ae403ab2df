//! The small world that the tests of water's laws share.

use floodplain::glam::IVec3;
use floodplain::testing::{Small, Start, Watched};
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Cube, Region, Shape};

/// The world lies across eight chunks, so that borders are crossed in every direction.
pub const LOW: IVec3 = IVec3::new(-6, -5, -6);
pub const HIGH: IVec3 = IVec3::new(5, 6, 5);

/// An open world with two layers of ground.
pub fn world(seed: u64, rules: Rules) -> WaterWorld {
    let mut world = WaterWorld::with_bounds(seed, rules, Region::new(LOW, HIGH)).unwrap();
    for chunk in Region::new(IVec3::NEG_ONE, IVec3::ZERO).positions() {
        world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::OPEN)).unwrap();
    }
    world.fill_solid(Region::new(LOW, IVec3::new(HIGH.x, LOW.y + 1, HIGH.z))).unwrap();
    world
}

pub fn region(from: [i32; 3], to: [i32; 3]) -> Region {
    Region::new(from.into(), to.into())
}

/// A closed world with these bounds, whose cells are all like this.
pub fn uniform(bounds: Region, voxel: Voxel) -> WaterWorld {
    let mut world = WaterWorld::with_bounds(1, Rules::lossless(), bounds).unwrap();
    world.insert_chunks(Cube::chunks_of(bounds).map(|at| (at, Chunk::uniform(voxel)))).unwrap();
    world
}

/// A world within bounds, all of whose chunks are loaded and open, on a floor of solid ground.
pub fn built(seed: u64, rules: Rules, bounds: Region) -> WaterWorld {
    WaterWorld::build(&Start { seed, rules, bounds })
}

/// The same, watched.
pub fn watched(seed: u64, rules: Rules, bounds: Region) -> Watched<WaterWorld> {
    Watched::new(|| built(seed, rules, bounds))
}
