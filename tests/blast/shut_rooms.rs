//! A world of pressure of which a part is shut.

use super::rooms::at;
use floodplain::blast::{BlastWorld, Border, Borders, Rules};
use floodplain::glam::IVec3;
use floodplain::{Chunk, Face, Region};

/// A chunk below a threshold of 1, at 0.5, and east of it a loud one, at 2, without a link to any
/// other, which keeps the quiet one from falling silent. North of both is nothing: that is shut.
pub fn quiet_beside_loud(rules: Rules) -> BlastWorld {
    let bounds = Region::new(at(0, 0), at(127, 127));
    let rules = Rules { threshold: 1.0, ..rules };
    let mut world: BlastWorld =
        BlastWorld::with_bounds(rules, bounds, Borders::all(Border::Rigid)).unwrap();
    for (chunk, pressure) in [(IVec3::ZERO, 0.5), (IVec3::X, 2.0)] {
        world.insert_chunk(chunk.into(), Chunk::uniform(pressure)).unwrap();
    }
    for along in 0..64 {
        world.set_link(at(63, along), Face::East, 0.0).unwrap();
        world.set_link(at(64 + along, 63), Face::Up, 0.0).unwrap();
    }
    world
}
