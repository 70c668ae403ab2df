//! The cell that a ray meets (the grid traversal of Amanatides and Woo).

use super::materials::AIR;
use floodplain::glam::{IVec3, Vec3};
use floodplain::world::World;

/// What a ray meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The first cell that is ground, or water if that was asked for.
    pub cell: IVec3,
    /// Where the ray comes from: the cell before it, one face away.
    pub before: IVec3,
}

/// Returns what a ray meets first in a world: ground, or water as well. A ray that leaves the world
/// meets nothing.
pub fn pick(world: &World, origin: Vec3, ray: Vec3, meets_water: bool) -> Option<Target> {
    let bounds = world.bounds();
    let (low, high) = (bounds.min().as_vec3(), (bounds.max() + 1).as_vec3());
    let (from, to) = clip(origin, ray, low, high)?;
    let mut cell = (origin + ray * (from + 1e-3)).floor().as_ivec3();
    let mut before = None;
    let step = IVec3::from_array(ray.to_array().map(|part| if part < 0.0 { -1 } else { 1 }));
    // The distances at which the ray leaves the cell, along each axis.
    let mut next = Vec3::from_array(std::array::from_fn(|axis| {
        let wall = cell[axis] + i32::from(step[axis] > 0);
        if ray[axis] == 0.0 { f32::INFINITY } else { (wall as f32 - origin[axis]) / ray[axis] }
    }));
    let apart = ray.abs().recip();
    let mut at = from;
    while at <= to && bounds.contains(cell) {
        let is_ground = world.material(cell) != Some(AIR);
        if is_ground || meets_water && world.units(cell) > 0 {
            let entry = before.unwrap_or_else(|| cell + entry_face(origin + ray * from, low, high));
            return Some(Target { cell, before: entry });
        }
        before = Some(cell);
        let axis = (0..3).min_by(|&a, &b| next[a].total_cmp(&next[b])).unwrap_or(0);
        at = next[axis];
        cell[axis] += step[axis];
        next[axis] += apart[axis];
    }
    None
}

/// Returns the distances at which a ray enters and leaves a box.
fn clip(origin: Vec3, ray: Vec3, low: Vec3, high: Vec3) -> Option<(f32, f32)> {
    let (a, b) = ((low - origin) / ray, (high - origin) / ray);
    // A ray along a side that does not pass the box gives infinities that leave nothing.
    let from = a.min(b).max_element().max(0.0);
    let to = a.max(b).min_element();
    (from < to).then_some((from, to))
}

/// Returns the direction out of the face of a box on which a point lies.
fn entry_face(at: Vec3, low: Vec3, high: Vec3) -> IVec3 {
    let off = (at - low).abs().min((at - high).abs());
    let axis = (0..3).min_by(|&a, &b| off[a].total_cmp(&off[b])).unwrap_or(0);
    let mut face = IVec3::ZERO;
    face[axis] = if (at - low)[axis].abs() < (at - high)[axis].abs() { -1 } else { 1 };
    face
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;

    fn down(world: &World, x: f32, z: f32, meets_water: bool) -> Option<Target> {
        pick(world, Vec3::new(x, 200.0, z), Vec3::new(0.0, -1.0, 0.0), meets_water)
    }

    #[test]
    fn a_ray_from_above_meets_the_surface_or_the_bed_of_a_lake() {
        let world = Kind::Plain.world(7).unwrap();
        let surface = down(&world, 60.5, 60.5, true).unwrap();
        assert_eq!(surface.cell, IVec3::new(60, 16, 60));
        assert_eq!(surface.before, IVec3::new(60, 17, 60));
        let bed = down(&world, 60.5, 60.5, false).unwrap();
        assert_eq!(bed.cell, IVec3::new(60, 8, 60));
    }

    #[test]
    fn a_ray_beside_the_world_meets_nothing() {
        let world = Kind::Plain.world(7).unwrap();
        assert_eq!(down(&world, -3.0, 60.5, true), None);
        assert_eq!(pick(&world, Vec3::new(60.5, 40.0, 60.5), Vec3::Y, true), None);
    }

    #[test]
    fn a_ray_at_a_side_meets_the_cut_ground_there() {
        let world = Kind::UTube.world(7).unwrap();
        let ray = Vec3::new(0.0, 0.0, -1.0);
        let side = pick(&world, Vec3::new(2.5, 8.5, 90.0), ray, false).unwrap();
        assert_eq!(side, Target { cell: IVec3::new(2, 8, 15), before: IVec3::new(2, 8, 16) });
        let tunnel = pick(&world, Vec3::new(30.5, 7.5, 90.0), ray, false).unwrap();
        assert_eq!(tunnel.cell.z, 10, "the back of the tunnel");
    }

    #[test]
    fn a_slanted_ray_meets_the_cell_after_the_one_before() {
        let world = Kind::Dam.world(7).unwrap();
        let ray = Vec3::new(-0.5, -0.6, -0.62).normalize();
        let Target { cell, before } =
            pick(&world, Vec3::new(200.0, 150.0, 200.0), ray, true).unwrap();
        assert_eq!((cell - before).abs().element_sum(), 1);
    }
}
