//! What tests of pressure on grids begin with: positions, rules and rooms.

use floodplain::Region;
use floodplain::blast::{BlastWorld, Border, Borders, Rules};
use floodplain::glam::IVec3;

/// A cell of a sheet.
pub const fn at(x: i32, y: i32) -> IVec3 {
    IVec3::new(x, y, 0)
}

/// Rules by which nothing falls silent.
pub fn exact(rules: Rules) -> Rules {
    Rules { threshold: 0.0, ..rules }
}

/// A sheet of this size around 0, which is its middle or beside it.
pub fn room(rules: Rules, size: [i32; 2], border: Border) -> BlastWorld {
    let bounds =
        Region::new(at(-size[0] / 2, -size[1] / 2), at((size[0] - 1) / 2, (size[1] - 1) / 2));
    BlastWorld::with_bounds(rules, bounds, Borders::all(border)).unwrap()
}
