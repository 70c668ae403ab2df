//! Light along a ray: sun with shadows, sky with ambient occlusion, water that swallows red first
//! (Beer and Lambert's law), spray, and the glow of pressure.

use crate::colours::{albedo, from_bytes};
use crate::scene::{Look, PIECE, Scene, Step};
use floodplain::glam::{IVec3, Vec3};

/// Where the sun is, of length 1.
const SUN: Vec3 = Vec3::new(0.466_569, 0.699_854, 0.540_887);
const SUNLIGHT: Vec3 = Vec3::new(1.28, 1.18, 0.98);
const SKYLIGHT: Vec3 = Vec3::new(0.42, 0.50, 0.62);
/// The share of light that a cell of water lets through, as exponents.
const SWALLOWED: Vec3 = Vec3::new(0.50, 0.20, 0.13);

/// Where a ray ends: at a face of a solid cell.
#[derive(Clone, Copy)]
pub struct Hit {
    pub cell: IVec3,
    pub look: Look,
    pub at: Vec3,
    pub normal: IVec3,
}

/// Where a ray enters water.
#[derive(Clone, Copy)]
struct Surface {
    at: Vec3,
    is_top: bool,
    foam: u8,
}

/// What a ray passes, and where it ends.
#[derive(Default)]
struct Path {
    hit: Option<Hit>,
    surface: Option<Surface>,
    /// Cells of water, of spray weighted by its units, and of pressure weighted by it.
    water: f32,
    spray: f32,
    glow: f32,
}

/// Returns the colour that is seen along a ray, 0 to 1 in each part, before a background of this
/// colour.
pub fn colour(scene: &Scene, origin: Vec3, ray: Vec3, background: Vec3) -> Vec3 {
    let path = Path::trace(scene, origin, ray);
    let mut colour = path.hit.map_or(background, |hit| lit(scene, hit));
    if let Some(surface) = path.surface {
        colour = through_water(scene, colour, path.water, surface, ray);
    }
    let spray = 1.0 - (-path.spray * 0.9).exp();
    colour = colour.lerp(Vec3::new(0.93, 0.97, 1.0), spray);
    // Weak pressure is a pale wave, strong pressure is fire.
    let heat = 1.0 - (-path.glow * 0.005).exp();
    colour + Vec3::new(1.3, 0.62, 0.22) * heat + Vec3::splat(0.5 * heat * heat)
}

impl Path {
    fn trace(scene: &Scene, origin: Vec3, ray: Vec3) -> Path {
        let mut path = Path::default();
        scene.walk(origin, ray, |step| path.pass(origin, ray, &step));
        path
    }

    /// Adds what the ray meets in a cell. Returns `false` if that ends it.
    fn pass(&mut self, origin: Vec3, ray: Vec3, step: &Step) -> bool {
        let &Step { cell, look, from, to, axis } = step;
        if look.is_solid() {
            let mut normal = IVec3::ZERO;
            normal[axis] = -ray[axis].signum() as i32;
            self.hit = Some(Hit { cell, look, at: origin + ray * from, normal });
            return false;
        }
        self.glow += f32::from(look.glow) * (to - from);
        if look.is_falling {
            self.spray += f32::from(look.water) / 7.0 * (to - from);
        } else if look.water > 0 {
            self.pass_water(origin, ray, step);
        }
        true
    }

    fn pass_water(&mut self, origin: Vec3, ray: Vec3, step: &Step) {
        let &Step { cell, look, from, to, axis } = step;
        let level = cell.y as f32 + f32::from(look.water) / 7.0;
        let begin =
            if origin.y + ray.y * from <= level { from } else { (level - origin.y) / ray.y };
        if !(from..to).contains(&begin) {
            return;
        }
        self.water += to - begin;
        let is_top = begin > from || axis == 1;
        let at = origin + ray * begin;
        self.surface.get_or_insert(Surface { at, is_top, foam: look.foam });
    }
}

/// Returns the colour of ground seen through so many cells of water.
fn through_water(scene: &Scene, ground: Vec3, cells: f32, surface: Surface, ray: Vec3) -> Vec3 {
    let left = (-SWALLOWED * cells).exp();
    let sun = sunlight(scene, surface.at);
    let murk = Vec3::new(0.05, 0.27, 0.46) * (0.55 + 0.6 * sun);
    let mut colour = ground * left + murk * (1.0 - left);
    if surface.is_top {
        let mirrored = Vec3::new(ray.x, -ray.y, ray.z);
        let path = Path::trace(scene, surface.at + Vec3::Y * 1e-3, mirrored);
        let sky = Vec3::new(0.74, 0.87, 0.98);
        let seen = path.hit.map_or(sky, |hit| flat(scene, hit));
        colour = colour.lerp(seen, 0.30);
    } else {
        // The cut side of the block, as behind glass.
        colour = colour.lerp(Vec3::new(0.35, 0.62, 0.80), 0.18);
    }
    let foam = (f32::from(surface.foam) / 255.0).powi(2);
    colour.lerp(Vec3::new(0.86, 0.93, 0.97) * (0.72 + 0.28 * sun), 0.55 * foam)
}

/// Returns the colour of a face in sun and sky.
fn lit(scene: &Scene, hit: Hit) -> Vec3 {
    let normal = hit.normal.as_vec3();
    let facing = normal.dot(SUN).max(0.0);
    let sun = if facing > 0.0 { facing * sunlight(scene, hit.at + normal * 1e-3) } else { 0.0 };
    let sky = (0.62 + 0.38 * normal.y) * openness(scene, hit);
    albedo(scene, hit) * (SUNLIGHT * sun + SKYLIGHT * sky)
}

/// Returns the colour of a face as mirrors show it, without shadows.
fn flat(scene: &Scene, hit: Hit) -> Vec3 {
    let normal = hit.normal.as_vec3();
    albedo(scene, hit) * (SUNLIGHT * normal.dot(SUN).max(0.0) * 0.8 + SKYLIGHT * 0.7)
}

/// Returns 1 in the sun and 0 in the shadow of a solid cell.
fn sunlight(scene: &Scene, at: Vec3) -> f32 {
    let mut light = 1.0;
    scene.walk(at, SUN, |step| {
        // Flying pieces have none, so that pictures can be kept where nothing changed.
        let stops = step.look.is_solid() && step.look.material != PIECE;
        light = if stops { 0.0 } else { light };
        light > 0.0
    });
    light
}

/// Returns the share of the sky that a point of a face sees, by the cells beside the one in front
/// of the face (ambient occlusion of corners, interpolated).
fn openness(scene: &Scene, hit: Hit) -> f32 {
    let front = hit.cell + hit.normal;
    let is_cut = front.cmplt(IVec3::ZERO).any() || front.cmpge(scene.end).any();
    if is_cut {
        return 1.0;
    }
    let (u, v) = match hit.normal.abs().to_array() {
        [1, _, _] => (IVec3::Y, IVec3::Z),
        [_, 1, _] => (IVec3::X, IVec3::Z),
        _ => (IVec3::X, IVec3::Y),
    };
    let within = hit.at - hit.cell.as_vec3();
    let (s, t) = (within.dot(u.as_vec3()).clamp(0.0, 1.0), within.dot(v.as_vec3()).clamp(0.0, 1.0));
    let stops = |offset: IVec3| i32::from(scene.look(front + offset).is_solid());
    let corner = |du: i32, dv: i32| {
        let (a, b, both) = (stops(u * du), stops(v * dv), stops(u * du + v * dv));
        1.0 - 0.2 * (if a + b == 2 { 3 } else { a + b + both }) as f32
    };
    let along = |dv: i32| corner(-1, dv) * (1.0 - s) + corner(1, dv) * s;
    along(-1) * (1.0 - t) + along(1) * t
}

/// Returns the colour of the air behind the block, for a height on the picture from 0 at the top
/// to 1.
pub fn background(down: f32) -> Vec3 {
    from_bytes([214, 228, 238]).lerp(from_bytes([244, 243, 238]), (down * 6.0).floor() / 6.0)
}
