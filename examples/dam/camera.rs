//! The camera, and pictures taken with it: each pixel one ray, and two others where it differs from
//! its neighbours (adaptive antialiasing).

use crate::colours::to_bytes;
use crate::light::{background, colour};
use crate::scene::Scene;
use floodplain::glam::Vec3;
use rayon::prelude::*;

/// Where the camera stands, and the point in the middle of its pictures.
const EYE: Vec3 = Vec3::new(228.0, 152.0, 262.0);
const TARGET: Vec3 = Vec3::new(92.0, 19.0, 50.0);
/// Half the width of a picture at a distance of 1.
const HALF_WIDTH: f32 = 0.35;

/// The difference between neighbouring pixels, of 255, from which on more rays are traced.
const EDGE: u8 = 18;

/// Red, green and blue of each pixel, row by row from the top.
pub type Picture = Vec<[u8; 3]>;

/// A picture of one ray a pixel, and the same with its edges smoothed.
pub struct Shot {
    plain: Picture,
    pub smooth: Picture,
}

/// A camera for pictures of a size in pixels.
pub struct Camera {
    width: usize,
    height: usize,
}

impl Camera {
    pub fn new(width: usize, height: usize) -> Camera {
        Camera { width, height }
    }

    /// Takes a picture.
    pub fn take(&self, scene: &Scene) -> Shot {
        let plain = self.pixels(|at| to_bytes(self.seen(scene, at, 0.5, 0.5)));
        let smooth = self.pixels(|at| self.smoothed(scene, &plain, at));
        Shot { plain, smooth }
    }

    /// Takes a picture after the last one: where a ray passes nothing that is new, nor do those of
    /// the pixels beside it, that one is kept. What mirrors show is then of an earlier picture.
    pub fn take_after(&self, scene: &Scene, last: &Shot) -> Shot {
        if scene.has_new_shadows {
            return self.take(scene);
        }
        let is_new: Vec<bool> = self.pixels(|at| self.passes_new(scene, at));
        let is_stale = |at: usize| is_new[at] || self.beside(at).any(|other| is_new[other]);
        let plain = self.pixels(|at| match is_stale(at) {
            true => to_bytes(self.seen(scene, at, 0.5, 0.5)),
            false => last.plain[at],
        });
        let smooth = self.pixels(|at| match is_stale(at) {
            true => self.smoothed(scene, &plain, at),
            false => last.smooth[at],
        });
        Shot { plain, smooth }
    }

    fn passes_new(&self, scene: &Scene, at: usize) -> bool {
        let mut is_new = false;
        scene.walk(EYE, self.ray(at, 0.5, 0.5), |step| {
            is_new = step.look.is_new;
            !is_new && !step.look.is_solid()
        });
        is_new
    }

    fn pixels<T: Send>(&self, pixel: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
        let all = (0..self.width * self.height).into_par_iter();
        all.with_min_len(self.width).map(pixel).collect()
    }

    fn smoothed(&self, scene: &Scene, plain: &Picture, at: usize) -> [u8; 3] {
        if self.is_edge(plain, at) { self.two(scene, at) } else { plain[at] }
    }

    fn two(&self, scene: &Scene, at: usize) -> [u8; 3] {
        let corners = [(0.25, 0.25), (0.75, 0.75)];
        let seen = corners.map(|(right, down)| self.seen(scene, at, right, down));
        // What is brighter than white counts as white, or bright edges would have steps.
        to_bytes(seen.into_iter().map(|colour| colour.min(Vec3::ONE)).sum::<Vec3>() / 2.0)
    }

    fn is_edge(&self, picture: &Picture, at: usize) -> bool {
        let differs = |other: usize| {
            let parts = picture[at].iter().zip(&picture[other]);
            parts.map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0) > EDGE
        };
        self.beside(at).any(differs)
    }

    /// Returns the pixels to the left and right, above and below.
    fn beside(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let (x, y) = (at % self.width, at / self.width);
        let beside = [
            (x > 0).then(|| at - 1),
            (x + 1 < self.width).then(|| at + 1),
            (y > 0).then(|| at - self.width),
            (y + 1 < self.height).then(|| at + self.width),
        ];
        beside.into_iter().flatten()
    }

    /// Returns the colour in a pixel, at a place in it from 0 to 1 right and down.
    fn seen(&self, scene: &Scene, at: usize, right: f32, down: f32) -> Vec3 {
        let line = ((at / self.width) as f32 + down) / self.height as f32;
        colour(scene, EYE, self.ray(at, right, down), background(line))
    }

    fn ray(&self, at: usize, right: f32, down: f32) -> Vec3 {
        let (width, height) = (self.width as f32, self.height as f32);
        let across = ((at % self.width) as f32 + right) / width * 2.0 - 1.0;
        let line = ((at / self.width) as f32 + down) / height;
        let ahead = (TARGET - EYE).normalize();
        let side = ahead.cross(Vec3::Y).normalize();
        let up = side.cross(ahead);
        let rise = (1.0 - 2.0 * line) * height / width;
        (ahead + (side * across + up * rise) * HALF_WIDTH).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground;
    use floodplain::glam::IVec3;

    #[test]
    fn pictures_differ_where_something_changed_only() {
        let mut world = ground::world(7).unwrap();
        let mut scene = Scene::new(&mut world);
        let camera = Camera::new(64, 36);
        let first = camera.take(&scene);
        scene.update(&mut world, Vec::new());
        assert!(camera.take_after(&scene, &first).smooth == first.smooth, "nothing changed");
        let pieces = |at| IVec3::new(90, 40, 64) + IVec3::new(at % 8, at / 8, 0);
        scene.update(&mut world, (0..64).map(pieces).collect());
        let later = camera.take_after(&scene, &first);
        assert!(later.smooth != first.smooth);
        scene.update(&mut world, Vec::new());
        let gone = camera.take_after(&scene, &later);
        assert!(gone.plain == first.plain, "they are gone without a trace");
    }

    #[test]
    fn ground_is_drawn_where_a_ray_ends_and_sky_where_none_does() {
        let mut world = ground::world(7).unwrap();
        let scene = Scene::new(&mut world);
        let camera = Camera::new(64, 36);
        let picture = camera.take(&scene).plain;
        assert_eq!(picture[63], to_bytes(background(0.5 / 36.0)), "the corner above the hills");
        let [red, green, blue] = picture[64 * 18 + 44];
        assert!(green > red && green > blue, "woods: {red} {green} {blue}");
    }
}
