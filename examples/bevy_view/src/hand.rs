//! What the player does: edits that wait for the end of the tick, as in a game.

use crate::valley;
use crate::water::Game;
use bevy::prelude::*;
use floodplain::glam::{IVec3, Vec3 as Point};
use floodplain::water::{Edit, WaterWorld};

/// Cells that the eye reaches, and the part of a cell that it looks on at once.
const REACH: f32 = 400.0;
const STEP: f32 = 0.05;

/// Does what the keys ask for, at the block under the mouse.
pub fn act(
    keys: Res<ButtonInput<KeyCode>>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform)>,
    mut game: ResMut<Game>,
) {
    if keys.just_pressed(KeyCode::KeyB) {
        break_dam(&mut game);
    }
    let asked = [KeyCode::KeyD, KeyCode::KeyW, KeyCode::KeyS];
    let Some(mouse) = window.cursor_position().filter(|_| keys.any_pressed(asked)) else { return };
    let (camera, place) = *camera;
    let Ok(ray) = camera.viewport_to_world(place, mouse) else { return };
    let (eye, along) = (ray.origin.to_array().into(), ray.direction.to_array().into());
    let Some((block, before)) = hit(&game.world, eye, along) else { return };
    if keys.just_pressed(KeyCode::KeyD) {
        game.world.queue(Edit::ClearSolid(block));
        game.to_dig.push(block);
    }
    if keys.pressed(KeyCode::KeyW) {
        game.world.queue(Edit::FillBody { cell: before, units: 7 });
    }
    if keys.just_pressed(KeyCode::KeyS) {
        game.world.queue(Edit::AddSource(before));
    }
}

/// Opens a gap in the dam.
pub fn break_dam(game: &mut Game) {
    game.world.queue(Edit::FillWater { region: valley::gap(), height: 0 });
    game.to_dig.extend(valley::gap().positions());
}

/// Returns the first block that a ray meets, and the cell before it.
fn hit(world: &WaterWorld, eye: Point, along: Point) -> Option<(IVec3, IVec3)> {
    let cell = |step: u32| (eye + along * (STEP * step as f32)).floor().as_ivec3();
    let steps = (REACH / STEP) as u32;
    let first = (1..steps).find(|&step| world.is_solid(cell(step)))?;
    Some((cell(first), cell(first - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eye_meets_the_ground_and_not_the_water() {
        let world = valley::world().expect("the valley is valid");
        let (eye, lake) = (Point::new(20.5, 80.0, 24.5), IVec3::new(20, 34, 24));
        assert_eq!(world.units(lake), 7);
        let (block, before) = hit(&world, eye, Point::NEG_Y).expect("there is ground");
        assert!(world.is_solid(block) && block.y < lake.y);
        assert_eq!(before, block + IVec3::Y);
        assert_eq!(hit(&world, eye, Point::Y), None, "there is nothing in the sky");
    }
}
