//! Streaks of rain round what the camera looks at. A streak is a function of its number and of the
//! time, so nothing is kept of it.

use super::camera::Camera;
use super::mesh::{FlatMesh, Quad};
use super::scene::Scene;
use crate::noise::hash;
use floodplain::glam::Vec3;

/// How many there are.
const STREAKS: i32 = 420;

/// Cells a second.
const SPEED: f32 = 26.0;

const COLOUR: [u8; 4] = [222, 234, 244, 150];

/// Adds the rain of a moment to a mesh.
pub fn add_to(mesh: &mut FlatMesh, scene: &Scene, camera: &Camera, seconds: f32) {
    let (middle, distance) = camera.focus();
    // Round the eyes of a player, or round what one looks at from outside.
    let side = (0.9 * distance).clamp(24.0, 90.0);
    let centre = if distance < 24.0 { camera.eye() } else { middle };
    let (right, _) = camera.sides();
    let half_width = right * (0.0009 * distance.max(24.0));
    for number in 0..STREAKS {
        let part = |salt: i32| (hash(number, salt, 3) & 0xffff) as f32 / 65_535.0;
        // Each keeps its column of the world, so that rain does not move with the camera.
        let column =
            |lot: f32, centre: f32| centre + (lot * side - centre).rem_euclid(side) - side / 2.0;
        let fallen = (part(3) + seconds * SPEED / side).fract();
        let foot = Vec3::new(
            column(part(1), centre.x),
            centre.y + side * (0.5 - fallen),
            column(part(2), centre.z),
        );
        if scene.is_under_sky(foot.floor().as_ivec3()) {
            let top = foot + Vec3::new(0.05, 1.0, 0.0) * (0.02 * side + 0.5);
            let corners =
                [foot - half_width, foot + half_width, top + half_width, top - half_width];
            mesh.add(Quad(corners), COLOUR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;

    #[test]
    fn rain_falls_straight_down_and_not_below_ground() {
        let scene = Scene::of(&Kind::Plain.world(7).unwrap());
        let camera = Camera::new([0.0, 30.0, 100.0], Vec3::new(60.0, 17.0, 60.0));
        let at = |seconds: f32| {
            let mut mesh = FlatMesh::default();
            add_to(&mut mesh, &scene, &camera, seconds);
            mesh.0
        };
        let (now, soon) = (at(3.0), at(3.01));
        assert!(now.len() > 4 * 150 && now.len() < 4 * STREAKS as usize, "{}", now.len());
        let is_same_fallen = |(a, b): (&super::super::mesh::Flat, &super::super::mesh::Flat)| {
            a.at[0] == b.at[0] && (a.at[1] - b.at[1] - 0.26).abs() < 1e-3
        };
        assert!(now.iter().zip(&soon).take(40).all(is_same_fallen));
        assert!(now.iter().all(|vertex| vertex.at[1] > 8.0));
    }
}
