//! Water in situations of a game.

use crate::workloads::{Water, region};
use crate::{jobs, worlds};
use floodplain::glam::IVec3;
use floodplain::import::{HeightRules, Heightmap};
use floodplain::water::{Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Cube, Region, Shape};
use std::error::Error;

/// Returns springs so many cells above a floor.
pub fn springs(drop: i32) -> Water {
    worlds::spread_world(256, drop).into()
}

/// Returns rain on a valley in Tennessee, in voxels four metres high, that drains on all sides.
pub fn storm() -> Result<Water, Box<dyn Error>> {
    let map = Heightmap::from_png(include_bytes!("../data/jacksboro_dem_m.png"))?;
    let ground = HeightRules { per: 4, ..HeightRules::default() };
    let rules = Rules { edges: Edges::DRAINING_SIDES, ..Rules::lossless() };
    let mut world = WaterWorld::with_bounds(1, rules, map.bounds(&ground)?)?;
    world.insert_chunks(map.chunks(&ground)?)?;
    Ok(Water { edit: rain, ..world.into() })
}

/// Pours 400 units on random columns.
fn rain(world: &mut WaterWorld, tick: u64) {
    let mut random = fastrand::Rng::with_seed(tick);
    let high = world.bounds().max();
    for _ in 0..400 {
        let cell = IVec3::new(random.i32(0..=high.x), high.y, random.i32(0..=high.z));
        world.pour(cell, 1).expect("the sky is open and loaded");
    }
}

/// Returns a lake that drains through its floor, some time after that was opened.
pub fn lake() -> Water {
    let mut world = worlds::draining_lake(256);
    world.run(500);
    world.into()
}

/// Returns a river. Each of its cells passes on seven units in a tick.
pub fn river() -> Water {
    let (mut world, _) = worlds::river_world(10_000, 64);
    world.run(10);
    world.into()
}

/// Returns a sea of 96² columns, 16 cells deep, and a dry cave beside it. The wall between them has
/// a breach.
pub fn sea() -> Result<Water, Box<dyn Error>> {
    let bounds = region(IVec3::new(128, 32, 96));
    let mut world = WaterWorld::with_bounds(1, Rules::lossless(), bounds)?;
    for chunk in Cube::chunks_of(Region::new(IVec3::ZERO, bounds.max())) {
        let voxel = match (chunk.x, chunk.y) {
            (..6, 0) => Voxel::SEA,
            (6.., 0) => Voxel::SOLID,
            _ => Voxel::OPEN,
        };
        world.insert_chunk(chunk, Chunk::uniform(voxel))?;
    }
    let cave = Region::new(IVec3::new(97, 2, 20), IVec3::new(126, 9, 70));
    world.fill_water(cave, 0)?;
    world.run(10);
    world.clear_solid(IVec3::new(96, 5, 45))?;
    Ok(world.into())
}

/// Returns a dam break that is followed until the water is at rest.
pub fn dam_until_rest() -> Water {
    Water { until_at_rest: true, ..jobs::dam().into() }
}

/// Returns two tanks, of which one fills the other through a pipe.
pub fn tanks() -> Water {
    Water { units_by_pressure: jobs::units_through_the_pipe, ..jobs::tanks().into() }
}

/// Returns a lake that is filled at one spot.
pub fn filled_lake() -> Water {
    Water {
        edit: jobs::pour_at_one_spot,
        units_by_pressure: jobs::units_far_from_the_spot,
        ..jobs::still_lake().into()
    }
}

/// Returns a still lake that is woken before each tick, which is not measured.
pub fn recheck() -> Water {
    Water { prepare: |world, _| world.wake_all(), ..jobs::sealed_lake().into() }
}
