//! A hamlet by a river that runs from the first tick on: a fall feeds it, a tarn lies on the hill
//! above it, over a cave with a mouth in the hillside, and a tunnel leads from the foot of the well
//! to below the bed of a pond.

use super::plan::Plan;
use crate::model::floats::Craft;
use crate::model::materials::{AIR, CLAY, CONCRETE, ROCK, SAND, SOIL, WOOD};
use crate::noise::noise;
use floodplain::Face;
use floodplain::glam::{IVec3, Vec3};

/// The floor of the river, its highest water at first, and the meadows beside it.
const BED: i32 = 12;
const RIVER: i32 = 14;
const MEADOW: i32 = 15;

/// The ledge in the west from which the river falls.
const LEDGE: i32 = 20;
const LEDGE_HEIGHT: i32 = 25;

/// The weir at which the river leaves the hamlet.
const WEIR: i32 = 142;

/// The middle of the tarn, its radius, its highest water, and the floor in its middle.
const TARN: (f32, f32) = (72.0, 30.0);
const TARN_RADIUS: f32 = 10.0;
const TARN_LEVEL: i32 = 33;
const TARN_FLOOR: i32 = 31;

/// The cave below the tarn: a middle, and half its size.
const CAVE: ([f32; 3], [f32; 3]) = ([72.0, 18.0, 32.0], [13.0, 9.0, 13.0]);
const CAVE_FLOOR: i32 = 17;

/// The middle of the pond, its radius, and its lowest water.
const POND: (f32, f32) = (112.0, 53.0);
const POND_RADIUS: f32 = 8.0;
const POND_FLOOR: i32 = 12;

/// The middle of the well, the lowest cell of its water, and the end of its tunnel below the pond.
const WELL: (i32, i32) = (96, 53);
const WELL_FOOT: i32 = 8;
const TUNNEL_END: i32 = 108;

pub const CHUNKS: IVec3 = IVec3::new(10, 4, 7);
pub const COAST: &[Face] = &[Face::East];

/// What floats here from the first tick on.
pub const FLOATS: &[(Craft, [i32; 3])] = &[
    (Craft::Boat, [40, 15, 70]),
    (Craft::Crate, [62, 15, 70]),
    (Craft::Boat, [96, 15, 70]),
    (Craft::Crate, [120, 15, 70]),
];

pub fn plan() -> Plan {
    let mut plan = Plan::new(CHUNKS);
    plan.lay_ground(top, cover);
    carve_cave(&mut plan);
    for (x, z) in [(84, 84), (98, 88), (114, 82), (84, 50), (124, 46)] {
        plan.build_house(x, z);
    }
    plan.flood(RIVER, |cell| cell.y >= BED && is_bed(cell.x, cell.z) && cell.x <= WEIR);
    plan.flood(TARN_LEVEL, |cell| cell.y >= TARN_FLOOR && out_of_tarn(cell.x, cell.z) < 0.0);
    plan.flood(RIVER, |cell| cell.y >= POND_FLOOR && is_in_pond(cell.x, cell.z));
    plan.line_lakes();
    dig_well(&mut plan);
    for z in -3..=3 {
        plan.springs.push(IVec3::new(4, LEDGE_HEIGHT + 1, centre(4) as i32 + z));
        plan.springs.push(IVec3::new(7, LEDGE_HEIGHT + 1, centre(7) as i32 + z));
    }
    plan.plant(0.018);
    plan
}

/// The middle of the river.
fn centre(x: i32) -> f32 {
    64.0 + 12.0 * noise(x as f32 / 40.0, 21.0)
}

fn is_bed(x: i32, z: i32) -> bool {
    (z as f32 - centre(x)).abs() <= 5.0
}

fn is_in_pond(x: i32, z: i32) -> bool {
    Vec3::new(x as f32 - POND.0, 0.0, z as f32 - POND.1).length() <= POND_RADIUS
}

/// How far a column lies outside the tarn; inside, less than 0.
fn out_of_tarn(x: i32, z: i32) -> f32 {
    let off = Vec3::new(x as f32 - TARN.0, 0.0, z as f32 - TARN.1).length();
    off - TARN_RADIUS - 3.0 * (noise(x as f32 / 6.0, z as f32 / 6.0) - 0.5)
}

/// The highest cell of ground.
fn top(x: i32, z: i32) -> i32 {
    let off = z as f32 - centre(x);
    if is_bed(x, z) {
        return match x {
            ..LEDGE => LEDGE_HEIGHT,
            LEDGE..=WEIR => BED - 1,
            _ => BED - 3,
        };
    }
    if is_in_pond(x, z) {
        return POND_FLOOR - 1;
    }
    let rough = noise(x as f32 / 20.0, z as f32 / 20.0 + 11.0);
    let fine = noise(x as f32 / 7.0 + 31.0, z as f32 / 7.0) - 0.5;
    // The valley is wide in the hamlet, and closes in the west and a little in the east.
    let wide = 9.0 + 14.0 * ((x as f32 - 24.0) / 44.0).clamp(0.0, 1.0);
    let rise = (off.abs() - wide).max(0.0);
    let hill = rise * (0.45 + 0.75 * rough) + 1.6 * fine * (rise / 8.0).min(1.0);
    let west = ((LEDGE + 6 - x) as f32).clamp(0.0, 10.0) * 1.4;
    let ground = (MEADOW as f32 + hill + west).min(50.0 + 4.0 * rough);
    terrace_of_tarn(x, z, ground).floor() as i32
}

/// Levels the hill round the tarn, and sinks its basin.
fn terrace_of_tarn(x: i32, z: i32, ground: f32) -> f32 {
    let out = out_of_tarn(x, z);
    let is_ravine = z > 47 && (x as f32 - CAVE.0[0]).abs() < 7.0 - (z - 47) as f32 * 0.1;
    if is_ravine {
        return ground.min(CAVE_FLOOR as f32 - 1.0);
    }
    if out < 0.0 {
        let floor = TARN_FLOOR as f32 - 1.0;
        return floor + (1.0 + out).clamp(0.0, 1.0);
    }
    let rim = TARN_LEVEL as f32 + 1.0;
    // Near the tarn at least and at most the height of its rim, farther off as the hill has it.
    let reach = (out - 3.0).max(0.0);
    ground.clamp(rim - 1.5 * reach, rim + 0.9 * reach)
}

fn cover(x: i32, z: i32) -> (floodplain::world::MaterialId, i32) {
    match (is_bed(x, z), out_of_tarn(x, z) < 2.5) {
        (true, _) => (if x < LEDGE { ROCK } else { SAND }, 2),
        (_, true) => (CLAY, 2),
        _ => (SOIL, 4),
    }
}

/// Carves the cave and its mouth in the hillside.
fn carve_cave(plan: &mut Plan) {
    let (middle, half) = CAVE;
    for z in 12..66 {
        for x in 52..94 {
            for y in CAVE_FLOOR..30 {
                let cell = IVec3::new(x, y, z);
                let rough = noise(x as f32 / 4.0, z as f32 / 4.0 + y as f32 / 3.0) - 0.5;
                let off = (cell.as_vec3() - Vec3::from_array(middle)) / Vec3::from_array(half);
                let is_hall = off.length_squared() < 1.0 + 0.3 * rough;
                let (across, above) = ((x as f32 - middle[0]) / 5.0, (y - CAVE_FLOOR) as f32 / 6.0);
                let is_mouth = z > 40 && across * across + above * above < 1.0 + 0.4 * rough;
                // In front of the mouth, the hillside is a cliff.
                if is_hall || is_mouth && z <= 47 {
                    plan.set(cell, AIR);
                }
            }
        }
    }
}

/// Digs the well and its tunnel, which ends two cells below the bed of the pond.
fn dig_well(plan: &mut Plan) {
    let (x, z) = WELL;
    let ground = plan.top(x, z);
    plan.fill([x - 3, WELL_FOOT - 2, z - 3], [x + 3, ground, z + 3], ROCK);
    plan.fill([x - 3, ground + 1, z - 3], [x + 3, ground + 1, z + 3], CONCRETE);
    plan.fill([x + 3, WELL_FOOT - 2, z - 2], [TUNNEL_END + 2, POND_FLOOR - 2, z + 2], ROCK);
    plan.fill([x, WELL_FOOT, z - 1], [TUNNEL_END, WELL_FOOT + 1, z + 1], AIR);
    plan.fill([x - 2, WELL_FOOT, z - 2], [x + 2, ground + 1, z + 2], AIR);
    // A beam on two posts, for the rope.
    for dz in [-3, 3] {
        plan.fill([x, ground + 2, z + dz], [x, ground + 4, z + dz], WOOD);
    }
    plan.fill([x, ground + 5, z - 3], [x, ground + 5, z + 3], WOOD);
}
