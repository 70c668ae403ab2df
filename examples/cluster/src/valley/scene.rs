//! The valley: its regions, its ground and its weather. All depend on place and tick only, so that
//! each rank can compute the ground and weather of its own regions alone.

use crate::faults::Fault;
use floodplain::glam::{IVec2, IVec3};
use floodplain::regions::RegionWorld;
use floodplain::water::{Edges, Edit, Rules, Voxel};
use floodplain::{Chunk, ColumnPos, Cube, Region, Shape};

/// The cells along the side of a region, and its columns of chunks.
pub const SIDE: i32 = 64;
const COLUMNS: i32 = SIDE / 16;

/// The height of the world in chunks.
pub const HEIGHT: i32 = 3;

/// Drops in a tick and region in the storm, and the units of each.
const DROPS: u32 = 24;
const DROP: u32 = 3;

/// The tick in which springs begin to flow at the valley's head.
const SPRINGS: u64 = 30;

/// The valley, by its size in columns.
#[derive(Clone, Copy)]
pub struct Valley {
    pub size: i32,
}

impl Valley {
    /// Returns the regions along each axis.
    pub fn regions(self) -> i32 {
        (self.size + COLUMNS - 1) / COLUMNS
    }

    /// Returns all regions, each as the column of the same x and z of a plan.
    pub fn places(self) -> impl Iterator<Item = ColumnPos> {
        let along = 0..self.regions();
        along.flat_map(move |x| (0..self.regions()).map(move |z| ColumnPos::new(x, z)))
    }

    pub fn cells(self) -> i32 {
        16 * self.size
    }

    /// Returns the world without chunks.
    pub fn empty(self) -> Result<RegionWorld, Fault> {
        let bounds = IVec3::new(self.cells(), 16 * HEIGHT, self.cells());
        let rules = Rules { edges: Edges::DRAINING_SIDES, ..Rules::rain() };
        Ok(RegionWorld::new(7, rules, Region::new(IVec3::ZERO, bounds - 1), SIDE)?)
    }

    /// Makes the ground of a region.
    pub fn fill(self, world: &mut RegionWorld, region: IVec2) -> Result<(), Fault> {
        let first = region * COLUMNS;
        let end = (first + COLUMNS).min(IVec2::splat(self.size));
        for column in (first.x..end.x).flat_map(|x| (first.y..end.y).map(move |z| [x, z])) {
            for y in 0..HEIGHT {
                let position = ColumnPos::new(column[0], column[1]).chunk(y);
                let chunk = Chunk::from_cells(&core::array::from_fn(|index| {
                    let cell = Cube::cell_at(position, index);
                    let is_ground = cell.y <= self.ground(cell.x, cell.z);
                    if is_ground { Voxel::SOLID } else { Voxel::OPEN }
                }));
                world.apply(Edit::InsertChunk { position, chunk })?;
            }
        }
        Ok(())
    }

    /// Makes the weather before a tick in the regions that are here: a storm over a third of the
    /// valley, which moves east by a cell a tick and comes again in the west, and springs from one
    /// tick on.
    pub fn weather(self, world: &mut RegionWorld) -> Result<(), Fault> {
        let (tick, here) = (world.ticks(), world.regions().collect::<Vec<IVec2>>());
        for region in here {
            let first = region * SIDE;
            for drop in 0..DROPS {
                let random = hash(first.x, first.y, tick << 8 | u64::from(drop));
                let at = first + IVec2::new((random % 64) as i32, (random >> 8 & 63) as i32);
                let behind = (at.x - tick as i32).rem_euclid(self.cells());
                if 3 * behind < self.cells() && at.x < self.cells() && at.y < self.cells() {
                    let cell = IVec3::new(at.x, self.ground(at.x, at.y) + 1, at.y);
                    world.apply(Edit::Pour { cell, units: DROP })?;
                }
            }
        }
        for z in (0..3).filter(|_| tick == SPRINGS) {
            let (x, z) = (3, self.cells() / 2 + 6 + z);
            // Above the ponds that the rain has left.
            let cell = IVec3::new(x, self.ground(x, z) + 4, z);
            if z < self.cells() && world.region_of(cell).is_some() {
                world.apply(Edit::AddSource(cell))?;
            }
        }
        Ok(())
    }

    /// Returns the y of the highest ground: a valley that winds and falls towards the east, with a
    /// lake in its middle and rough slopes.
    pub fn ground(self, x: i32, z: i32) -> i32 {
        let wide = f64::from(self.cells());
        let (along, across) = (f64::from(x) / wide, f64::from(z) / wide);
        let bed = 0.5 + 0.2 * (along * 9.0).sin();
        let slope = 26.0 * (1.0 - along) * 0.5 + 50.0 * (across - bed).abs().powf(1.3);
        let basin = 9.0 * (-60.0 * ((along - 0.55).powi(2) + (across - bed).powi(2))).exp();
        let rough = (hash(x / 5, z / 5, 0) % 3) as f64;
        (4.0 + slope - basin + rough).clamp(1.0, f64::from(16 * HEIGHT - 4)) as i32
    }
}

/// Returns a number that depends on a place and a time only.
fn hash(x: i32, z: i32, time: u64) -> u64 {
    let mut mixed =
        (x as u64) << 32 ^ u64::from(z as u32) ^ time.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2 {
        mixed = (mixed ^ mixed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    mixed ^ mixed >> 29
}
