//! The level of the water at points, and the submerged part of a box (Archimedes' principle).

use crate::coords::Region;
use crate::water::WaterWorld;
use crate::water::surface::corners::height;
use core::fmt;
use glam::{IVec3, Vec3};

/// The part of a box that is under water. See [`WaterWorld::submerged`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submerged {
    /// In cells of space, 0 to the volume of the box.
    pub volume: f32,
    /// Its centre of gravity, at which buoyancy acts; zero if nothing is under water.
    pub centre: Vec3,
}

impl Submerged {
    /// Returns the force that lifts the box: `density · gravity · volume`, the weight of the water
    /// in its place, in the units of the arguments, with cells for lengths.
    pub fn buoyancy(&self, density: f32, gravity: f32) -> f32 {
        density * gravity * self.volume
    }
}

/// Why a box was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SubmergedError {
    /// A corner is not a number, or not in the `i32` range.
    Corner(Vec3),
    /// The box touches too many cells: this many along x, y and z, in which more than
    /// [`WaterWorld::SUBMERGED_LIMIT`] lie.
    Cells([u64; 3]),
}

impl fmt::Display for SubmergedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubmergedError::Corner(corner) => {
                write!(f, "the corner {corner} of a box is not among the cells of a world")
            }
            SubmergedError::Cells([x, y, z]) => write!(
                f,
                "a box touches {x}×{y}×{z} cells, more than {}",
                WaterWorld::SUBMERGED_LIMIT
            ),
        }
    }
}

impl core::error::Error for SubmergedError {}

/// Returns the cell that a point lies in; `None` if it has no `i32` position.
fn cell_of(point: Vec3) -> Option<IVec3> {
    let floor = point.floor();
    let is_in_range = |value: f32| (i32::MIN as f32..-(i32::MIN as f32)).contains(&value);
    let is_cell = floor.to_array().into_iter().all(is_in_range);
    is_cell.then(|| floor.as_ivec3())
}

impl WaterWorld {
    /// The most cells that the box of [`submerged`](WaterWorld::submerged) may touch.
    pub const SUBMERGED_LIMIT: u64 = 32_768;

    /// Returns the y of the water's surface over or under a point that lies in a cell with water:
    /// the top of the water that stands in this cell and, without a gap, in those above it. `None`
    /// if the point's cell holds no water.
    ///
    /// The surface is that of [`surface_mesh`](WaterWorld::surface_mesh); in still water that is
    /// level, exactly the height of its cells. The point may lie above the surface, in a cell that
    /// is not full. Takes time linear in the depth.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, Region, glam::{IVec3, Vec3}};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 2, 15)), 7)?;
    /// world.fill_water(Region::new(IVec3::new(0, 3, 0), IVec3::new(15, 3, 15)), 3)?;
    /// let diver = Vec3::new(4.2, 1.0, 7.9);
    /// assert_eq!(world.level_at(diver), Some(3.0 + 3.0 / 7.0));
    /// assert_eq!(world.depth_below(diver), 2.0 + 3.0 / 7.0);
    /// assert_eq!(world.level_at(Vec3::new(4.2, 4.1, 7.9)), None, "in the air");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn level_at(&self, point: Vec3) -> Option<f32> {
        let mut cell = cell_of(point)?;
        if self.height(cell) == 0 {
            return None;
        }
        while let Some(y) = cell.y.checked_add(1)
            && self.height(cell.with_y(y)) > 0
        {
            cell.y = y;
        }
        Some(cell.y as f32 + self.surface_within(cell, point))
    }

    /// Returns how far a point lies below the surface of the water that it is in, in cells; 0 if it
    /// lies above it or in no water. See [`level_at`](WaterWorld::level_at).
    pub fn depth_below(&self, point: Vec3) -> f32 {
        self.level_at(point).map_or(0.0, |level| (level - point.y).max(0.0))
    }

    /// Returns the part of a box between two corners that is under water, for its buoyancy.
    ///
    /// Each cell counts with the part of the box in it, up to the surface over the middle of that
    /// part. In still water that is level this is exact but for rounding.
    ///
    /// # Errors
    /// A corner is not a number or out of the `i32` range, or the box touches more than
    /// [`SUBMERGED_LIMIT`](WaterWorld::SUBMERGED_LIMIT) cells.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, Region, glam::{IVec3, Vec3}};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 2, 15)), 7)?;
    /// // A raft of 2×1×2 cells, half under water.
    /// let raft = world.submerged(Vec3::new(4.0, 2.5, 4.0), Vec3::new(6.0, 3.5, 6.0))?;
    /// assert_eq!(raft.volume, 2.0);
    /// assert_eq!(raft.centre, Vec3::new(5.0, 2.75, 5.0));
    /// assert_eq!(raft.buoyancy(1000.0, 9.81), 19_620.0, "newtons, if cells are cubic metres");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn submerged(&self, a: Vec3, b: Vec3) -> Result<Submerged, SubmergedError> {
        if let Some(corner) = [a, b].into_iter().find(|&corner| cell_of(corner).is_none()) {
            return Err(SubmergedError::Corner(corner));
        }
        let (min, max) = (a.min(b), a.max(b));
        let low = min.floor().as_ivec3();
        // A box that ends at the face of a cell does not touch the cell beyond it.
        let high = (max.ceil() - 1.0).as_ivec3().max(low);
        let region = Region::new(low, high);
        if region.volume() > u128::from(WaterWorld::SUBMERGED_LIMIT) {
            return Err(SubmergedError::Cells(region.size()));
        }
        let (mut volume, mut moment) = (0.0, Vec3::ZERO);
        for cell in region.positions().filter(|&cell| self.height(cell) > 0) {
            let (from, to) = (min.max(cell.as_vec3()), max.min(cell.as_vec3() + 1.0));
            let above = cell.y.checked_add(1).map_or(0, |y| self.height(cell.with_y(y)));
            let surface = match above {
                0 => cell.y as f32 + self.surface_within(cell, (from + to) / 2.0),
                _ => to.y,
            };
            let to = to.with_y(to.y.min(surface)).max(from);
            let part = (to - from).element_product();
            volume += part;
            moment += part * ((from + to) / 2.0 - min);
        }
        let centre = if volume > 0.0 { min + moment / volume } else { Vec3::ZERO };
        Ok(Submerged { volume, centre })
    }

    /// Returns the height of the surface over the x and z of a point in a cell with water, above
    /// the cell's bottom. The same two triangles as in the mesh.
    fn surface_within(&self, cell: IVec3, point: Vec3) -> f32 {
        let [nw, ne, sw, se] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, z)| {
            let round = [(-1, -1), (0, -1), (-1, 0), (0, 0)];
            // One of the four is the cell itself, which holds water.
            height(round.map(|(dx, dz)| self.column(cell, x + dx, z + dz))).unwrap_or(0.0)
        });
        let (x, z) = (point.x - cell.x as f32, point.z - cell.z as f32);
        if z >= x { nw + z * (sw - nw) + x * (se - sw) } else { nw + x * (ne - nw) + z * (se - ne) }
    }
}
