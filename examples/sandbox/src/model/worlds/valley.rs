//! A valley between wooded hills. Springs at its head and in its sides feed a river, which leaves
//! the world in the east.

use super::plan::Plan;
use crate::model::materials::{SAND, SOIL};
use crate::noise::noise;
use floodplain::Face;
use floodplain::glam::IVec3;

pub const CHUNKS: IVec3 = IVec3::new(10, 4, 8);
pub const COAST: &[Face] = &[Face::East];

pub fn plan() -> Plan {
    let mut plan = Plan::new(CHUNKS);
    plan.lay_ground(top, |x, z| {
        let is_bed = depth(x, z) > 0.0;
        (if is_bed { SAND } else { SOIL }, 6 - (top(x, z) / 12).min(4))
    });
    for (x, z) in [(3, centre(3) as i32), (4, centre(4) as i32 + 1)] {
        let y = plan.top(x, z) + 1;
        plan.springs.push(IVec3::new(x, y, z));
    }
    for x in [52, 118] {
        // At the head of the brook from the north.
        let z = 22;
        let y = plan.top(x, z) + 1;
        plan.springs.push(IVec3::new(x, y, z));
    }
    for (x, z) in [(96, 78), (112, 84), (86, 86)] {
        plan.build_house(x, z);
    }
    plan.plant(0.05);
    plan
}

/// The middle of the river.
fn centre(x: i32) -> f32 {
    48.0 + 36.0 * noise(x as f32 / 45.0, 1.0)
}

/// How deep the beds of river and brooks are cut, in cells.
fn depth(x: i32, z: i32) -> f32 {
    let river = (4.0 - (z as f32 - centre(x)).abs()).clamp(0.0, 2.6);
    let brook = |at: i32| {
        let bend = at as f32 + 10.0 * (noise(z as f32 / 16.0, at as f32) - 0.5);
        let is_upstream = (z as f32) < centre(x) && z >= 20;
        if is_upstream { (2.4 - (x as f32 - bend).abs()).clamp(0.0, 1.6) } else { 0.0 }
    };
    river.max(brook(52)).max(brook(118))
}

/// The highest cell of ground.
fn top(x: i32, z: i32) -> i32 {
    let off = (z as f32 - centre(x)).abs();
    let rise = (off - 8.0).max(0.0);
    let rough = noise(x as f32 / 22.0 + 3.0, z as f32 / 22.0);
    let fine = noise(x as f32 / 7.0 + 60.0, z as f32 / 7.0) - 0.5;
    let hill = rise * (0.25 + 0.55 * rough) + 1.2 * fine * (rise / 6.0).min(1.0);
    let floor = 16.0 - x as f32 / 14.0;
    (floor + hill - depth(x, z)).floor() as i32
}
