//! Drops of water in the air, for the eye only: where falls end, where something falls into water,
//! and where a charge throws it. Each is a square towards the camera in free flight.

use super::mesh::{FlatMesh, Quad};
use super::scene::Scene;
use crate::noise::hash;
use floodplain::ChunkPos;
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::Fall;
use std::collections::BTreeMap;

/// The most drops in the air.
const MOST: usize = 700;

/// The most drops that falls throw in a tick.
const MOST_OF_FALLS: usize = 60;

/// What gravity adds, in cells a tick.
const GRAVITY: f32 = 0.0245;

/// The ticks that a drop of a fall lasts, and that one of a splash does.
const SHORT: u8 = 16;
const LONG: u8 = 40;

/// The drops of a splash, and those of a charge in water.
const SPLASH: u32 = 14;
const THROWN: u32 = 150;

/// How far round a charge it throws water, in cells.
const REACH: i32 = 5;

/// The cells of the smallest fall that throws drops.
const LEAST_FALL: u8 = 2;

struct Drop {
    at: Vec3,
    speed: Vec3,
    half: f32,
    /// Ticks until it is gone.
    left: u8,
}

/// The drops in the air.
#[derive(Default)]
pub struct Spray {
    drops: Vec<Drop>,
    /// The feet of falls, and how thick those are, by chunk.
    feet: BTreeMap<ChunkPos, Vec<(Vec3, f32)>>,
    /// Numbers the drops, for numbers that look random.
    count: i32,
}

impl Spray {
    /// Learns of the falls of a chunk.
    pub fn learn(&mut self, scene: &Scene, chunk: ChunkPos, falls: &[Fall]) {
        let feet: Vec<_> = falls.iter().filter_map(|fall| foot(scene, fall)).collect();
        if feet.is_empty() {
            self.feet.remove(&chunk);
        } else {
            self.feet.insert(chunk, feet);
        }
    }

    /// Throws a splash up.
    pub fn splash(&mut self, at: Vec3) {
        self.burst(at, SPLASH, 0.16, LONG);
    }

    /// Throws up the water round a charge.
    pub fn throw(&mut self, scene: &Scene, charge: IVec3) {
        for _ in 0..THROWN {
            let side = 2 * REACH + 1;
            let lot = self.lot() as i32 & 0xffff;
            let off = IVec3::new(lot % side, 0, lot / side % side) - IVec3::new(REACH, 0, REACH);
            let column = (charge.y - REACH..=charge.y + REACH).rev();
            let mut cells = column.map(|y| (charge + off).with_y(y));
            if let Some(surface) = cells.find(|&cell| scene.is_surface(cell)) {
                self.burst(surface.as_vec3() + Vec3::new(0.5, 1.0, 0.5), 1, 0.55, LONG);
            }
        }
    }

    /// Moves all drops by a tick; those that meet ground or water are gone. Falls throw new ones.
    pub fn step(&mut self, scene: &Scene) {
        for drop in &mut self.drops {
            drop.at += drop.speed;
            drop.speed.y -= GRAVITY;
            drop.left = drop.left.saturating_sub(1);
        }
        self.drops.retain(|drop| {
            let cell = drop.at.floor().as_ivec3();
            let is_in_water = scene.water(cell) > 3 && drop.speed.y < 0.0;
            drop.left > 0 && !scene.is_solid(cell) && !is_in_water
        });
        let feet: Vec<(Vec3, f32)> = self.feet.values().flatten().copied().collect();
        let share = (MOST_OF_FALLS as f32 / feet.len().max(1) as f32).min(1.0);
        for (foot, thickness) in feet {
            if self.part() < share * (0.25 + thickness) {
                self.burst(foot, 1, 0.075 + 0.07 * thickness, SHORT);
            }
        }
    }

    /// Adds drops at a point, which fly upwards and to all sides.
    fn burst(&mut self, at: Vec3, count: u32, speed: f32, left: u8) {
        for _ in 0..count {
            if self.drops.len() >= MOST {
                return;
            }
            let [x, y, z, size] = std::array::from_fn(|_| self.part());
            let out = Vec3::new(x - 0.5, 0.0, z - 0.5);
            self.drops.push(Drop {
                at: at + out * 0.9,
                speed: (out + Vec3::Y * (0.5 + y)) * speed,
                half: 0.05 + 0.07 * size,
                left,
            });
        }
    }

    fn lot(&mut self) -> u32 {
        self.count = self.count.wrapping_add(1);
        hash(self.count, 11, 5)
    }

    /// Returns the next number from 0 to 1.
    fn part(&mut self) -> f32 {
        (self.lot() >> 8 & 0xffff) as f32 / 65_535.0
    }

    /// Adds the drops to a mesh, for a camera with these directions to the right and upwards.
    pub fn add_to(&self, mesh: &mut FlatMesh, (right, up): (Vec3, Vec3)) {
        for Drop { at, half, left, .. } in &self.drops {
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let corners = corners.map(|(a, b)| *at + (right * a + up * b) * *half);
            // They fade at last.
            mesh.add(Quad(corners), [236, 246, 252, 40 + 12 * (*left).min(14)]);
        }
    }
}

/// Returns where a fall meets ground or standing water; `None` if it goes on below or is small.
fn foot(scene: &Scene, fall: &Fall) -> Option<(Vec3, f32)> {
    let below = fall.lowest - IVec3::Y;
    let ends = scene.is_solid(below) || scene.water(below) > 4 || scene.water(fall.lowest) > 0;
    let is_shown = fall.cells >= LEAST_FALL && fall.units > 0 && fall.direction.offset().y != 0;
    let at = fall.lowest.as_vec3() + Vec3::new(0.5, 0.4, 0.5);
    (ends && is_shown).then(|| (at, fall.thickness()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;
    use floodplain::Face;

    #[test]
    fn splashes_rise_and_are_gone() {
        let scene = Scene::of(&Kind::Plain.world(7).unwrap());
        let mut spray = Spray::default();
        spray.splash(Vec3::new(60.5, 17.2, 60.5));
        assert_eq!(spray.drops.len(), SPLASH as usize);
        spray.step(&scene);
        assert!(spray.drops.iter().all(|drop| drop.at.y > 17.2));
        (0..LONG).for_each(|_| spray.step(&scene));
        assert!(spray.drops.is_empty());
    }

    #[test]
    fn a_charge_throws_water_and_not_ground() {
        let scene = Scene::of(&Kind::Plain.world(7).unwrap());
        let mut spray = Spray::default();
        spray.throw(&scene, IVec3::new(150, 10, 140));
        assert!(spray.drops.is_empty());
        spray.throw(&scene, IVec3::new(60, 16, 60));
        assert_eq!(spray.drops.len(), THROWN as usize);
        (0..9).for_each(|_| spray.throw(&scene, IVec3::new(60, 16, 60)));
        assert_eq!(spray.drops.len(), MOST);
    }

    #[test]
    fn falls_throw_drops_at_their_feet_as_long_as_they_fall() {
        let scene = Scene::of(&Kind::Plain.world(7).unwrap());
        let lowest = IVec3::new(60, 17, 60);
        let fall = Fall { lowest, cells: 5, direction: Face::Down, units: 7 };
        let chunk = ChunkPos::new(3, 1, 3);
        let mut spray = Spray::default();
        spray.learn(&scene, chunk, &[fall, Fall { cells: 1, ..fall }]);
        assert_eq!(spray.feet[&chunk].len(), 1);
        spray.step(&scene);
        assert_eq!(spray.drops.len(), 1);
        assert!(spray.drops[0].at.distance(lowest.as_vec3() + 0.5) < 1.0);
        spray.learn(&scene, chunk, &[]);
        (0..=SHORT).for_each(|_| spray.step(&scene));
        assert!(spray.drops.is_empty());
    }
}
