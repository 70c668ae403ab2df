//! A U-tube: two shafts in rock that a tunnel joins at their feet, cut open towards the south. One
//! is full, the other dry.

use super::plan::Plan;
use crate::model::materials::{AIR, ROCK, SOIL};
use floodplain::Face;
use floodplain::glam::IVec3;

pub const CHUNKS: IVec3 = IVec3::new(4, 3, 1);
pub const COAST: &[Face] = &[];

pub fn plan() -> Plan {
    let mut plan = Plan::new(CHUNKS);
    plan.fill([0, 0, 0], [63, 33, 15], ROCK);
    plan.fill([0, 34, 0], [63, 36, 15], SOIL);
    // Shafts, the tunnel, and a basin round the top of each.
    plan.fill([14, 5, 11], [19, 36, 15], AIR);
    plan.fill([44, 5, 11], [49, 36, 15], AIR);
    plan.fill([14, 5, 11], [49, 9, 15], AIR);
    plan.fill([10, 34, 7], [23, 36, 15], AIR);
    plan.fill([40, 34, 7], [53, 36, 15], AIR);
    plan.flood(35, |cell| (10..=23).contains(&cell.x) && cell.y > 9);
    plan
}
