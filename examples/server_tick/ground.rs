//! Ground that is made as players come near: hills of value noise, a sea in the east, lakes in
//! bowls, rivers on beds that fall towards the sea, and a reservoir behind a dam.

use floodplain::glam::{IVec2, IVec3};
use floodplain::water::{Voxel, WaterCell};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, ColumnPos, Cube, Region, Shape};

/// Chunks in a column, from y = 0 up.
pub const COLUMN: i32 = 6;
/// The top of the sea.
pub const SEA: i32 = 31;
/// Where the shore begins and the sea is deep.
const COAST: [f64; 2] = [430.0, 580.0];

/// The least and the greatest x of the rivers.
const RIVER: [i32; 2] = [-800, 560];
/// Every so many cells, springs feed a river.
const SPRINGS_APART: i32 = 64;
/// The side of the squares of which some hold a lake.
const LAKES_APART: i32 = 96;

/// The least and the greatest cell of the reservoir, and the thickness of its dam.
const RESERVOIR: [IVec3; 2] = [IVec3::new(-240, 45, -391), IVec3::new(-192, 56, -360)];
const DAM: i32 = 2;

/// The ground, in which the springs of the rivers can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ground {
    pub has_rivers: bool,
}

/// The cells at one x and z.
#[derive(Clone, Copy)]
pub struct Stack {
    /// The highest solid cell.
    pub ground: i32,
    /// The highest cell of still water.
    pub water: i32,
    is_spring: bool,
}

impl Ground {
    /// Returns the chunks of a column, by the x and z of their positions.
    pub fn column(self, column: ColumnPos) -> Vec<(ChunkPos, Chunk<Voxel>)> {
        let stacks: Vec<Stack> = (0..256)
            .map(|at| self.stack(16 * column.x + (at & 15), 16 * column.z + (at >> 4)))
            .collect();
        (0..COLUMN)
            .map(|y| {
                let voxel = |index: usize| {
                    let cell = Cube::cell_at(column.chunk(y), index);
                    Self::voxel(&stacks[index % 256], cell.y)
                };
                let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(voxel);
                (column.chunk(y), Chunk::from_cells(&cells))
            })
            .collect()
    }

    /// Returns the height of the highest solid cell.
    pub fn height(self, x: i32, z: i32) -> i32 {
        self.stack(x, z).ground
    }

    /// Returns the x of the first cell without water to the east of one in a lake.
    pub fn shore_east_of(self, x: i32, z: i32) -> i32 {
        let is_wet = |x: i32| self.stack(x, z).water > self.stack(x, z).ground;
        (x..).find(|&x| !is_wet(x)).unwrap_or(x)
    }

    fn voxel(stack: &Stack, y: i32) -> Voxel {
        match y {
            _ if y <= stack.ground => Voxel::SOLID,
            _ if stack.is_spring && y == stack.ground + 1 => Voxel::water(WaterCell::SOURCE),
            _ if y <= stack.water => Voxel::water(WaterCell::STILL),
            _ if y <= SEA => Voxel::SEA,
            _ => Voxel::OPEN,
        }
    }

    /// Returns the cells at an x and z.
    pub fn stack(self, x: i32, z: i32) -> Stack {
        let natural = hills(x, z);
        let mut stack = Stack { ground: natural, water: i32::MIN, is_spring: false };
        if let Some((bowl, water)) = lake(x, z, natural) {
            (stack.ground, stack.water) = (bowl, water);
        }
        if let Some((ground, is_bed)) = river(x, z, stack.ground) {
            let is_spring = is_bed && self.has_rivers && x.rem_euclid(SPRINGS_APART) == 0;
            stack = Stack { ground, water: i32::MIN, is_spring };
        }
        if let Some((ground, water)) = reservoir(x, z) {
            stack = Stack { ground, water, is_spring: false };
        }
        stack
    }
}

/// A number from 0 to 1 for a point of a lattice.
fn lattice(x: i32, z: i32, salt: u64) -> f64 {
    let mut hash = u64::from(x as u32) << 32 | u64::from(z as u32);
    hash = (hash ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((hash ^ hash >> 32) & 0xffff_ffff) as f64 / f64::from(u32::MAX)
}

/// Value noise from −1 to 1, smooth over `period` cells.
fn noise(x: i32, z: i32, period: i32, salt: u64) -> f64 {
    let smooth = |at: i32| {
        let along = f64::from(at.rem_euclid(period)) / f64::from(period);
        along * along * (3.0 - 2.0 * along)
    };
    let (left, top) = (x.div_euclid(period), z.div_euclid(period));
    let (east, south) = (smooth(x), smooth(z));
    let row = |z: i32| {
        let (west, there) = (lattice(left, z, salt), lattice(left + 1, z, salt));
        west + (there - west) * east
    };
    let (north, there) = (row(top), row(top + 1));
    2.0 * (north + (there - north) * south) - 1.0
}

fn hills(x: i32, z: i32) -> i32 {
    let [shore, deep] = COAST;
    let seaward = ((f64::from(x) - shore) / (deep - shore)).clamp(0.0, 1.0);
    let height = 48.0 + 9.0 * noise(x, z, 150, 1) + 4.0 * noise(x, z, 40, 2);
    (height + 1.5 * noise(x, z, 11, 3) - 34.0 * seaward) as i32
}

/// Returns the ground and the level in a lake and on its rim.
fn lake(x: i32, z: i32, natural: i32) -> Option<(i32, i32)> {
    let square = IVec2::new(x.div_euclid(LAKES_APART), z.div_euclid(LAKES_APART));
    let chance = lattice(square.x, square.y, 4);
    let middle = square * LAKES_APART + LAKES_APART / 2;
    if chance > 0.5 || f64::from(middle.x) > COAST[0] - 60.0 || near_river(middle) {
        return None;
    }
    let radius = 12.0 + 16.0 * chance;
    let apart = (IVec2::new(x, z) - middle).as_dvec2().length();
    if apart >= radius + 3.0 {
        return None;
    }
    let level = hills(middle.x, middle.y) - 2;
    if apart >= radius {
        return Some((natural.max(level + 1), i32::MIN));
    }
    let depth = 7.0 * (1.0 - (apart / radius).powi(2));
    Some((level - 1 - depth as i32, level))
}

/// The rivers run from west to east, 250 cells apart. Returns the z of the one nearest to a cell.
pub fn river_at(x: i32, z: i32) -> i32 {
    let middle = (f64::from(z) / 250.0).round() * 250.0;
    (middle + 20.0 * (f64::from(x) / 70.0).sin()).round() as i32
}

fn near_river(at: IVec2) -> bool {
    (at.y - river_at(at.x, at.y)).abs() < 60
}

/// Returns the ground in and beside a river, and whether it is the bed, three cells wide.
fn river(x: i32, z: i32, natural: i32) -> Option<(i32, bool)> {
    let [from, to] = RIVER;
    let apart = (z - river_at(x, z)).abs();
    if !(from..to).contains(&x) || apart > 30 {
        return None;
    }
    let bed = 46 - (x - from) * (46 - SEA + 1) / (to - from);
    match apart {
        0..=1 => Some((bed, true)),
        // The banks stand three cells over the bed, and the valley rises beyond.
        2..=4 => Some((bed + 3, false)),
        _ => Some((natural.clamp(bed + 3, bed + 3 + (apart - 4) / 2), false)),
    }
}

/// Returns the ground and the level at the reservoir, its rim, and the channel below the dam.
fn reservoir(x: i32, z: i32) -> Option<(i32, i32)> {
    let [min, max] = RESERVOIR;
    let across = (min.z..=max.z).contains(&z);
    let rim = (min.z - 3..=max.z + 3).contains(&z);
    match x {
        _ if across && (min.x..=max.x).contains(&x) => Some((min.y - 1, max.y)),
        _ if rim && (min.x - 3..=max.x + DAM).contains(&x) => Some((max.y + 2, i32::MIN)),
        _ if across && (max.x..max.x + 120).contains(&x) => {
            Some((min.y - 1 - (x - max.x) / 12, i32::MIN))
        }
        _ => None,
    }
}

/// Returns what is to break of the dam.
pub fn breach() -> Region {
    let [_, max] = RESERVOIR;
    Region::new(IVec3::new(max.x + 1, max.y - 9, -379), IVec3::new(max.x + DAM, max.y - 1, -372))
}

/// Returns whether a river passes through a column of chunks.
pub fn has_river(column: ColumnPos) -> bool {
    let (x, z) = (16 * column.x + 8, 16 * column.z + 8);
    (RIVER[0] - 16..RIVER[1] + 16).contains(&x) && (z - river_at(x, z)).abs() < 24
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ground is the same however it is asked for, and lakes lie in bowls.
    #[test]
    fn lakes_and_the_reservoir_are_shut_in_and_springs_lie_on_beds() {
        let ground = Ground { has_rivers: true };
        let (mut springs, mut lakes) = (0, 0);
        for x in -400..400 {
            for z in -420..-300 {
                let stack = ground.stack(x, z);
                springs += usize::from(stack.is_spring);
                if stack.water <= stack.ground {
                    continue;
                }
                lakes += 1;
                for (x, z) in [(x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1)] {
                    let beside = ground.stack(x, z);
                    let is_shut = beside.ground >= stack.water || beside.water == stack.water;
                    assert!(is_shut, "open at {x}, {z}");
                }
            }
        }
        assert!(lakes > 2_000, "{lakes} cells of lakes");
        let bed = |x: i32| ground.stack(x, river_at(x, 0));
        assert!(bed(-64).is_spring && !bed(-63).is_spring && springs == 0);
        assert_eq!(ground.column(ColumnPos::new(9, -3)), ground.column(ColumnPos::new(9, -3)));
    }
}
