//! Pieces of the dam that fly from the charge when they break, for the eye only: the world has no
//! falling ground. Each is a ball in free flight, drawn as the cell that it is in.

use crate::ground::{AIR, CONCRETE};
use crate::noise::hash;
use floodplain::glam::{IVec3, Vec3};
use floodplain::world::{Broken, World};

/// In cells a tick: the speed of a piece beside the charge, and what gravity adds.
const SPEED: f32 = 2.4;
const GRAVITY: f32 = 0.11;

struct Piece {
    at: Vec3,
    speed: Vec3,
}

/// The pieces in flight.
#[derive(Default)]
pub struct Pieces {
    flying: Vec<Piece>,
}

impl Pieces {
    /// Throws a third of the concrete that broke away from `charge`.
    pub fn throw(&mut self, broken: &[Broken], charge: IVec3) {
        for Broken { cell, .. } in broken.iter().filter(|broken| broken.from == CONCRETE) {
            let dice = hash(cell.x, cell.y, cell.z);
            if !dice.is_multiple_of(3) {
                continue;
            }
            let part = |shift: u32| (dice >> shift & 255) as f32 / 255.0 - 0.5;
            let away = (*cell - charge).as_vec3();
            let scatter = Vec3::new(part(4), part(12) + 0.5, part(20));
            // The lake behind it turns most of them back.
            let out = Vec3::new(away.x.abs() * 0.8, away.y.abs() * 0.7 + 4.0, away.z);
            let speed = (out.normalize() + scatter) * SPEED * (0.5 + part(8));
            self.flying.push(Piece { at: cell.as_vec3() + 0.5, speed });
        }
    }

    /// Moves all pieces by a tick. Those that meet ground or water are gone.
    pub fn step(&mut self, world: &World) {
        for piece in &mut self.flying {
            piece.at += piece.speed;
            piece.speed.y -= GRAVITY;
        }
        self.flying.retain(|piece| {
            let cell = piece.cell();
            let is_open = world.material(cell) == Some(AIR);
            is_open && world.units(cell) < 4
        });
    }

    /// Returns the cells that pieces are in.
    pub fn cells(&self) -> Vec<IVec3> {
        self.flying.iter().map(Piece::cell).collect()
    }
}

impl Piece {
    fn cell(&self) -> IVec3 {
        self.at.floor().as_ivec3()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground;

    #[test]
    fn pieces_of_concrete_fly_off_and_come_down() {
        let mut world = ground::world(7).unwrap();
        let charge = ground::charge();
        world.charge(charge, 6.5, 520.0).unwrap();
        let mut pieces = Pieces::default();
        for _ in 0..4 {
            world.step();
            pieces.throw(&world.take_events(), charge);
            pieces.step(&world);
        }
        assert!(pieces.cells().len() > 20, "{}", pieces.cells().len());
        for _ in 0..200 {
            pieces.step(&world);
        }
        assert_eq!(pieces.cells(), []);
    }
}
