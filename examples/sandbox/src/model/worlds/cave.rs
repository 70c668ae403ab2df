//! A cavern under a hill, cut open towards the south: a lake on its floor, a sinkhole in its roof,
//! and a brook that falls through that.

use super::plan::Plan;
use crate::model::materials::{AIR, ROCK, SOIL};
use crate::noise::noise;
use floodplain::Face;
use floodplain::glam::{IVec3, Vec3};

/// The caverns: a middle and half the size along each axis.
const HALLS: [([f32; 3], [f32; 3]); 4] = [
    ([50.0, 15.0, 64.0], [34.0, 10.0, 24.0]),
    ([44.0, 22.0, 58.0], [20.0, 10.0, 18.0]),
    ([88.0, 12.0, 66.0], [16.0, 6.0, 20.0]),
    ([44.0, 34.0, 50.0], [5.0, 16.0, 5.0]),
];

pub const CHUNKS: IVec3 = IVec3::new(7, 4, 5);
pub const COAST: &[Face] = &[Face::West, Face::East, Face::North];

pub fn plan() -> Plan {
    let mut plan = Plan::new(CHUNKS);
    plan.lay_ground(top, |_, _| (SOIL, 4));
    carve(&mut plan);
    plan.flood(9, |_| true);
    let (x, z) = (66, 22);
    let y = plan.top(x, z) + 1;
    plan.springs.push(IVec3::new(x, y, z));
    plan.plant(0.03);
    plan
}

/// The bed of the brook, from its spring to the sinkhole.
fn bed(x: i32, z: i32) -> f32 {
    let along = ((z as f32 - 22.0) / 28.0).clamp(0.0, 1.0);
    let middle = 66.0 - 22.0 * along + 6.0 * (noise(z as f32 / 9.0, 5.0) - 0.5);
    let is_between = (20..=50).contains(&z);
    if is_between { (3.0 - (x as f32 - middle).abs()).clamp(0.0, 2.0) } else { 0.0 }
}

fn top(x: i32, z: i32) -> i32 {
    let towards = (z as f32 - 20.0) / 34.0;
    let rough = noise(x as f32 / 18.0, z as f32 / 18.0);
    // It falls towards the sinkhole from the spring, and to all sides further out.
    let slope = 44.0 - 5.0 * towards.clamp(0.0, 1.0);
    let off = (x as f32 - 55.0).abs() / 56.0;
    (slope + 3.0 * rough - 7.0 * off * off - bed(x, z)).floor() as i32
}

fn carve(plan: &mut Plan) {
    for z in 0..plan.size.z {
        for x in 0..plan.size.x {
            for y in 3..plan.size.y {
                let cell = IVec3::new(x, y, z);
                if plan.get(cell) != AIR && is_in_hall(cell) {
                    plan.set(cell, AIR);
                }
            }
        }
    }
    // Pillars that were left standing.
    for (x, z) in [(30, 66), (62, 58)] {
        plan.fill([x, 3, z], [x + 3, 30, z + 3], ROCK);
    }
}

fn is_in_hall(cell: IVec3) -> bool {
    let IVec3 { x, y, z } = cell;
    let rough = noise(x as f32 / 5.0, z as f32 / 5.0 + y as f32 / 4.0) - 0.5;
    HALLS.iter().any(|&(middle, half)| {
        let off = (cell.as_vec3() - Vec3::from_array(middle)) / Vec3::from_array(half);
        off.length_squared() < 1.0 + 0.35 * rough
    })
}
