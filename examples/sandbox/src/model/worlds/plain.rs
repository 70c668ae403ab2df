//! A plain with a reservoir behind dikes, 112 × 112 cells and 8 deep, and a village beside it.

use super::plan::Plan;
use crate::model::materials::{CLAY, CONCRETE, SOIL};
use crate::noise::noise;
use floodplain::Face;
use floodplain::glam::IVec3;

/// The first and the last cell of the reservoir, along x and z.
const WEST: i32 = 16;
const EAST: i32 = WEST + 111;
const NORTH: i32 = 24;
const SOUTH: i32 = NORTH + 111;

/// The lowest and the highest cells of its water.
const FLOOR: i32 = 9;
const LEVEL: i32 = FLOOR + 7;

pub const CHUNKS: IVec3 = IVec3::new(12, 3, 10);
pub const COAST: &[Face] = &[Face::East];

pub fn plan() -> Plan {
    let mut plan = Plan::new(CHUNKS);
    plan.lay_ground(top, |x, z| (if out(x, z) == 0 { CLAY } else { SOIL }, 5));
    // The weir, in the middle of the eastern dike.
    let middle = (NORTH + SOUTH) / 2;
    plan.fill([EAST + 1, 5, middle - 10], [EAST + 3, LEVEL + 2, middle + 10], CONCRETE);
    plan.flood(LEVEL, |cell| out(cell.x, cell.z) == 0);
    plan.line_lakes();
    for (x, z) in [(152, 60), (163, 72), (150, 84), (166, 92), (154, 104), (172, 60), (174, 82)] {
        plan.build_house(x, z);
    }
    plan.plant(0.012);
    plan
}

/// How far a column lies outside the reservoir.
fn out(x: i32, z: i32) -> i32 {
    (WEST - x).max(x - EAST).max(NORTH - z).max(z - SOUTH).max(0)
}

fn top(x: i32, z: i32) -> i32 {
    let out = out(x, z);
    let plain = FLOOR - 2 + (2.2 * noise(x as f32 / 30.0, z as f32 / 30.0)) as i32;
    // The dike: three cells wide at its crest, then a cell down for each cell out.
    let dike = if out > 0 { LEVEL + 2 - (out - 3).max(0) } else { FLOOR - 1 };
    if out == 0 { dike } else { dike.max(plain) }
}
