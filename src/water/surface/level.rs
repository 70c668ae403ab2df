//! The level of the water at points, and the submerged part of a box (Archimedes' principle).

use crate::coords::Region;
use crate::water::surface::corners::{column_at, height};
use crate::water::surface::view::WaterView;
use core::fmt;
use glam::{IVec3, Vec3};

/// The part of a box that is under water. See [`WaterView::submerged`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submerged {
    /// The volume under water, in cells of space: 0 to the volume of the box.
    pub volume: f32,
    /// The centre of gravity of the part under water, at which buoyancy acts; zero if nothing is
    /// under water.
    pub centre: Vec3,
}

impl Submerged {
    /// The most cells that the box of [`submerged`](WaterView::submerged) may touch.
    pub const MOST_CELLS: u64 = 32_768;

    /// Returns the force that lifts the box: `density · gravity · volume`, the weight of the
    /// displaced water, in the units of the arguments, with lengths in cells.
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
    /// The box touches too many cells: this many along x, y and z, more than
    /// [`Submerged::MOST_CELLS`] in total.
    Cells([u64; 3]),
}

impl fmt::Display for SubmergedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubmergedError::Corner(corner) => {
                write!(f, "the corner {corner} of a box is not among the cells of a world")
            }
            SubmergedError::Cells([x, y, z]) => {
                write!(f, "a box touches {x}×{y}×{z} cells, more than {}", Submerged::MOST_CELLS)
            }
        }
    }
}

impl core::error::Error for SubmergedError {}

/// Returns the cell that contains a point; `None` if it has no `i32` position.
fn cell_of(point: Vec3) -> Option<IVec3> {
    let floor = point.floor();
    let is_in_range = |value: f32| (i32::MIN as f32..-(i32::MIN as f32)).contains(&value);
    let is_cell = floor.to_array().into_iter().all(is_in_range);
    is_cell.then(|| floor.as_ivec3())
}

/// See [`WaterView::level_at`].
pub(super) fn level_at(view: &(impl WaterView + ?Sized), point: Vec3) -> Option<f32> {
    let mut cell = cell_of(point)?;
    if view.units(cell) == 0 {
        return None;
    }
    while let Some(y) = cell.y.checked_add(1)
        && view.units(cell.with_y(y)) > 0
    {
        cell.y = y;
    }
    Some(cell.y as f32 + surface_within(view, cell, point))
}

/// See [`WaterView::submerged`].
pub(super) fn submerged(
    view: &(impl WaterView + ?Sized),
    a: Vec3,
    b: Vec3,
) -> Result<Submerged, SubmergedError> {
    if let Some(corner) = [a, b].into_iter().find(|&corner| cell_of(corner).is_none()) {
        return Err(SubmergedError::Corner(corner));
    }
    let (min, max) = (a.min(b), a.max(b));
    let low = min.floor().as_ivec3();
    // A box that ends at the face of a cell does not touch the cell beyond it.
    let high = (max.ceil() - 1.0).as_ivec3().max(low);
    let region = Region::new(low, high);
    if region.volume() > u128::from(Submerged::MOST_CELLS) {
        return Err(SubmergedError::Cells(region.size()));
    }
    let (mut volume, mut moment) = (0.0, Vec3::ZERO);
    for cell in region.positions().filter(|&cell| view.units(cell) > 0) {
        let (from, to) = (min.max(cell.as_vec3()), max.min(cell.as_vec3() + 1.0));
        let above = cell.y.checked_add(1).map_or(0, |y| view.units(cell.with_y(y)));
        let surface = match above {
            0 => cell.y as f32 + surface_within(view, cell, (from + to) / 2.0),
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

/// Returns the height of the surface over the x and z of a point in a cell with water, above the
/// cell's bottom. The surface is the same two triangles as in the mesh.
fn surface_within(view: &(impl WaterView + ?Sized), cell: IVec3, point: Vec3) -> f32 {
    let [nw, ne, sw, se] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, z)| {
        let round = [(-1, -1), (0, -1), (-1, 0), (0, 0)];
        // One of the four cells is the cell itself, which holds water.
        height(round.map(|(dx, dz)| column_at(view, cell, x + dx, z + dz))).unwrap_or(0.0)
    });
    let (x, z) = (point.x - cell.x as f32, point.z - cell.z as f32);
    if z >= x { nw + z * (sw - nw) + x * (se - sw) } else { nw + x * (ne - nw) + z * (se - ne) }
}
