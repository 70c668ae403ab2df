//! Terraces on a hillside: each is a paddy with a rim and a notch in it, through which water falls
//! into the next. A spring fills the highest.

use super::plan::Plan;
use crate::model::materials::{AIR, CLAY, SOIL};
use crate::noise::noise;
use floodplain::Face;
use floodplain::glam::IVec3;

/// The terraces, and the cells from one to the next, out and down.
const COUNT: i32 = 7;
const RUN: i32 = 12;
const DROP: i32 = 5;

pub const CHUNKS: IVec3 = IVec3::new(7, 4, 6);
pub const COAST: &[Face] = &[Face::East, Face::South];

pub fn plan() -> Plan {
    let mut plan = Plan::new(CHUNKS);
    plan.lay_ground(top, |x, z| (if is_paddy(x, z) { CLAY } else { SOIL }, 4));
    for terrace in 0..COUNT {
        cut_notch(&mut plan, terrace);
        let level = base(terrace) + 1;
        plan.flood(level, |cell| {
            cell.y == level && is_paddy(cell.x, cell.z) && place(cell.x, cell.z).0 == terrace
        });
    }
    plan.springs = vec![IVec3::new(3, base(0) + 2, 3), IVec3::new(5, base(0) + 2, 1)];
    plan.plant(0.02);
    plan
}

/// The distance from the top of the hill, in cells, along bent contours.
fn way(x: i32, z: i32) -> f32 {
    let bend = 10.0 * (noise(x as f32 / 26.0, z as f32 / 26.0 + 7.0) - 0.5);
    let (x, z) = (x as f32, z as f32);
    (x * x + z * z).sqrt() + bend - 4.0
}

/// Returns the number of a column's terrace, from the top, and how far out it lies on that.
fn place(x: i32, z: i32) -> (i32, f32) {
    let way = way(x, z).max(0.0);
    let terrace = ((way / RUN as f32) as i32).min(COUNT);
    (terrace, way - (terrace * RUN) as f32)
}

/// Returns the height of the ground of a terrace.
fn base(terrace: i32) -> i32 {
    5 + DROP * (COUNT - terrace)
}

fn is_paddy(x: i32, z: i32) -> bool {
    let (terrace, out) = place(x, z);
    terrace < COUNT && out <= (RUN - 3) as f32
}

fn top(x: i32, z: i32) -> i32 {
    let (terrace, out) = place(x, z);
    if terrace == COUNT {
        return 4 + (1.8 * noise(x as f32 / 15.0, z as f32 / 15.0)) as i32;
    }
    // The rim, two cells high and three wide.
    if out > (RUN - 3) as f32 { base(terrace) + 2 } else { base(terrace) }
}

/// Cuts a notch into the rim of a terrace, in turn near one end and near the other.
fn cut_notch(plan: &mut Plan, terrace: i32) {
    let crest = base(terrace) + 2;
    for z in 0..plan.size.z {
        for x in 0..plan.size.x {
            // Along one of two rays from the top of the hill.
            let (along, across) = if terrace % 2 == 0 { (x, z) } else { (z, x) };
            let is_on_ray = (3 * across - along).abs() <= 4;
            if is_on_ray && place(x, z).0 == terrace {
                plan.set(IVec3::new(x, crest, z), AIR);
            }
        }
    }
}
