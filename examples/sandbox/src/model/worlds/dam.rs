//! A lake behind a dam of concrete, and a village in the valley below it. The river runs east.

use super::plan::Plan;
use crate::model::materials::{AIR, CONCRETE, SAND, SOIL};
use crate::noise::noise;
use floodplain::Face;
use floodplain::glam::IVec3;

/// The highest cells of the lake and of the dam.
const LEVEL: i32 = 30;
const CREST: i32 = 33;

pub const CHUNKS: IVec3 = IVec3::new(11, 4, 6);
pub const COAST: &[Face] = &[Face::East];

pub fn plan() -> Plan {
    let mut plan = Plan::new(CHUNKS);
    plan.lay_ground(top, |x, z| {
        let is_bed = (z as f32 - centre(x)).abs() < 6.0;
        // Soil is thick in the valley and ends where the slopes are high.
        let thick = 7 - (top(x, z) - floor(x)).clamp(0, 40) / 6;
        (if is_bed { SAND } else { SOIL }, thick)
    });
    for z in 0..plan.size.z {
        for x in 0..plan.size.x {
            build_dam(&mut plan, x, z);
        }
    }
    for (x, z) in [(112, 46), (126, 40), (141, 48), (118, 78), (135, 80), (152, 76), (158, 45)] {
        plan.build_house(x, z);
    }
    plan.flood(LEVEL, |cell| cell.x < dam_face(cell.z));
    plan.line_lakes();
    plan.plant(0.04);
    plan
}

/// The middle of the river, across the valley.
fn centre(x: i32) -> f32 {
    53.0 + 14.0 * noise(x as f32 / 34.0, 3.0)
}

/// The height of the valley's floor.
fn floor(x: i32) -> i32 {
    13 - x * 6 / 176
}

/// The upstream face of the dam: an arch against the lake.
fn dam_face(z: i32) -> i32 {
    let off = (z as f32 - 58.0) / 40.0;
    66 + (off * off * 9.0) as i32
}

/// Half of the floor's width: narrow at the dam, wide above and below.
fn half_width(x: i32) -> f32 {
    let narrow = |from: f32, to: f32| ((x as f32 - from) / (to - from)).clamp(0.0, 1.0);
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    20.0 - 10.0 * ease(narrow(40.0, 66.0)) + 9.0 * ease(narrow(84.0, 115.0))
}

/// The highest cell of ground.
fn top(x: i32, z: i32) -> i32 {
    let off = z as f32 - centre(x);
    let rise = (off.abs() - half_width(x)).max(0.0);
    let rough = noise(x as f32 / 17.0, z as f32 / 17.0) - 0.5;
    let fine = noise(x as f32 / 6.0 + 40.0, z as f32 / 6.0) - 0.5;
    // The southern slope is low, so that one looks over it into the valley.
    let slope = if off < 0.0 { 0.95 * rise } else { 0.4 * rise };
    let hill = slope + slope.min(14.0) * (1.1 * rough + 0.35 * fine);
    let bed = if off.abs() < 4.5 { -2 } else { 0 };
    (floor(x) + bed + (hill + fine + 0.5).floor() as i32).min(54)
}

/// Builds the wall of a column, thicker towards its foot.
fn build_dam(plan: &mut Plan, x: i32, z: i32) {
    for y in floor(x) - 4..=CREST {
        let thickness = 4 + (CREST - y) / 8;
        let cell = IVec3::new(x, y, z);
        let is_free = plan.get(cell) == AIR || y > top(x, z) - 4;
        if is_free && (0..thickness).contains(&(x - dam_face(z))) {
            plan.set(cell, CONCRETE);
        }
    }
}
