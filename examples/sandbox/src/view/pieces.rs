//! Pieces of walls that fly from a charge when they break, for the eye only: the world has no
//! falling ground. Each is a ball in free flight.

use super::mesh::FlatMesh;
use crate::model::materials::{AIR, CONCRETE, LEAVES, SAND, SOIL, TILES, WOOD};
use crate::noise::hash;
use floodplain::glam::{IVec3, Vec3};
use floodplain::world::World;
use floodplain::world::{Broken, MaterialId};

/// In cells a tick: the speed of a piece beside the charge, and what gravity adds.
const SPEED: f32 = 2.0;
const GRAVITY: f32 = 0.11;

/// The most pieces in flight.
const MOST: usize = 1_500;

struct Piece {
    at: Vec3,
    speed: Vec3,
    half: f32,
    colour: [u8; 4],
}

/// The pieces in flight.
#[derive(Default)]
pub struct Pieces(Vec<Piece>);

impl Pieces {
    /// Throws a third of what broke away from the charge that is nearest.
    pub fn throw(&mut self, broken: &[Broken], charges: &[IVec3]) {
        for Broken { cell, from, .. } in broken {
            let dice = hash(cell.x, cell.y, cell.z);
            let apart = |charge: &&IVec3| (**charge - *cell).length_squared();
            let Some(charge) = charges.iter().min_by_key(apart) else { return };
            if !dice.is_multiple_of(3) || self.0.len() >= MOST {
                continue;
            }
            let part = |shift: u32| (dice >> shift & 255) as f32 / 255.0 - 0.5;
            let away = (*cell - *charge).as_vec3().normalize_or_zero();
            let out = away + Vec3::new(part(4), part(12) + 0.9, part(20));
            self.0.push(Piece {
                at: cell.as_vec3() + 0.5,
                speed: out.normalize_or_zero() * SPEED * (0.4 + part(8).abs()),
                half: 0.2 + 0.3 * part(16).abs(),
                colour: colour(*from),
            });
        }
    }

    /// Moves all pieces by a tick. Those that meet ground or water are gone. Returns where they met
    /// water.
    pub fn step(&mut self, world: &World) -> Vec<Vec3> {
        let mut splashes = Vec::new();
        for piece in &mut self.0 {
            piece.at += piece.speed;
            piece.speed.y -= GRAVITY;
        }
        self.0.retain(|piece| {
            let cell = piece.at.floor().as_ivec3();
            // Above the world they fly on, and come down again.
            let is_above = cell.y > world.bounds().max().y;
            let is_wet = world.units(cell) >= 4;
            if is_wet {
                splashes.push(piece.at);
            }
            is_above || world.material(cell) == Some(AIR) && !is_wet
        });
        splashes
    }

    /// Adds the pieces to a mesh.
    pub fn add_to(&self, mesh: &mut FlatMesh) {
        for piece in &self.0 {
            mesh.add_box(piece.at - piece.half, piece.at + piece.half, piece.colour);
        }
    }
}

fn colour(material: MaterialId) -> [u8; 4] {
    let [red, green, blue] = match material {
        CONCRETE => [172, 170, 165],
        SOIL => [122, 92, 62],
        SAND => [206, 186, 140],
        WOOD => [112, 80, 52],
        LEAVES => [80, 128, 56],
        TILES => [176, 72, 52],
        _ => [180, 166, 150],
    };
    [red, green, blue, 255]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;

    #[test]
    fn pieces_fly_off_and_come_down() {
        let mut world = Kind::Dam.world(7).unwrap();
        let charge = IVec3::new(75, 22, 58);
        world.charge(charge, 9.0, 720.0).unwrap();
        let mut pieces = Pieces::default();
        for _ in 0..4 {
            world.step();
            pieces.throw(&world.take_events(), &[charge]);
            pieces.step(&world);
        }
        let mut mesh = FlatMesh::default();
        pieces.add_to(&mut mesh);
        assert!(mesh.0.len() > 20 * 24, "{}", mesh.0.len());
        let splashes: usize = (0..300).map(|_| pieces.step(&world).len()).sum();
        assert!(pieces.0.is_empty() && splashes > 0);
    }
}
