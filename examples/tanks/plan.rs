//! The ground plan: boxes of ground, with pipes cut out of them.

use floodplain::glam::IVec3;
use floodplain::water2d::{Cell, Rules, Water2dWorld};
use floodplain::{Chunk, Region, Shape, Sheet};
use std::error::Error;
use std::ops::Range;

/// The columns of the spout, along x.
pub const SPOUT: Range<i32> = 10..14;

/// Boxes of ground: lower left and upper right corner, both included.
const GROUND: [[[i32; 2]; 2]; 12] = [
    // The floor, and a wall at each side.
    [[0, 0], [159, 5]],
    [[0, 0], [1, 99]],
    [[158, 0], [159, 99]],
    // The first tank, on a tower, with its lip at the right.
    [[2, 6], [42, 55]],
    [[38, 56], [42, 74]],
    // The second, lower and wider, with a lip of its own.
    [[43, 6], [88, 30]],
    [[85, 31], [88, 44]],
    // The third, on the floor, with a roofed cistern beside it.
    [[112, 6], [115, 40]],
    [[116, 20], [137, 23]],
    // The chimney between two walls.
    [[138, 6], [140, 84]],
    [[141, 6], [147, 9]],
    [[148, 6], [157, 84]],
];

/// Pipes: boxes cut out of the ground.
const PIPES: [[[i32; 2]; 2]; 4] = [
    // From the first tank down the tower, below everything, and up into the chimney.
    [[20, 2], [22, 56]],
    [[20, 2], [145, 3]],
    [[143, 2], [145, 9]],
    // Between the third tank and the cistern.
    [[112, 6], [115, 8]],
];

/// Cells along x and y.
pub fn size() -> IVec3 {
    IVec3::new(160, 100, 1)
}

/// The world, with all tanks dry.
pub fn build(rules: Rules) -> Result<Water2dWorld, Box<dyn Error>> {
    let bounds = Region::new(IVec3::ZERO, size() - IVec3::ONE);
    let mut world = Water2dWorld::with_bounds(0, rules, bounds)?;
    for chunk in Sheet::chunks_of(bounds) {
        world.insert_chunk(chunk, Chunk::uniform(Cell::AIR))?;
    }
    let region = |[from, to]: [[i32; 2]; 2]| {
        Region::new(IVec3::new(from[0], from[1], 0), IVec3::new(to[0], to[1], 0))
    };
    for ground in GROUND {
        world.fill_solid(region(ground))?;
    }
    for pipe in PIPES {
        world.fill_water(region(pipe), 0)?;
    }
    Ok(world)
}
