//! What the player asks for, by keys and mouse.

use crate::valley;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use floodplain::water::{Edit, Look, WaterView};

/// Cells that the eye reaches, and the part of a cell that it looks on at once.
const REACH: f32 = 400.0;
const STEP: f32 = 0.05;

pub fn plugin(app: &mut App) {
    app.add_message::<Asked>();
}

/// An edit that the player asks for.
#[derive(Message)]
pub struct Asked(pub Edit);

/// The keys, and what the mouse points to.
#[derive(SystemParam)]
pub struct Hand<'w, 's> {
    keys: Res<'w, ButtonInput<KeyCode>>,
    window: Single<'w, 's, &'static Window>,
    camera: Single<'w, 's, (&'static Camera, &'static GlobalTransform)>,
    asked: MessageWriter<'w, Asked>,
}

impl Hand<'_, '_> {
    /// Asks for what the keys say, at the block of this water's ground under the mouse.
    pub fn act(&mut self, water: &impl WaterView) {
        if self.keys.just_pressed(KeyCode::KeyB) {
            self.asked.write(break_dam());
        }
        let [digs, pours, springs] = [KeyCode::KeyD, KeyCode::KeyW, KeyCode::KeyS];
        if !self.keys.any_pressed([digs, pours, springs]) {
            return;
        }
        let Some((block, before)) = self.ray().and_then(|ray| hit(water, ray)) else { return };
        if self.keys.just_pressed(digs) {
            self.asked.write(Asked(Edit::ClearSolid(block)));
        }
        if self.keys.pressed(pours) {
            self.asked.write(Asked(Edit::FillBody { cell: before, units: 7 }));
        }
        if self.keys.just_pressed(springs) {
            self.asked.write(Asked(Edit::AddSource(before)));
        }
    }

    fn ray(&self) -> Option<Ray3d> {
        let (camera, place) = *self.camera;
        camera.viewport_to_world(place, self.window.cursor_position()?).ok()
    }
}

/// Returns the edit that opens a gap in the dam.
pub fn break_dam() -> Asked {
    Asked(Edit::FillWater { region: valley::gap(), height: 0 })
}

/// Returns the first block that a ray meets, and the cell before it.
fn hit(water: &impl WaterView, ray: Ray3d) -> Option<(IVec3, IVec3)> {
    let cell = |step: u32| ray.get_point(STEP * step as f32).floor().as_ivec3();
    let is_solid = |cell: IVec3| water.look(cell).is_some_and(Look::is_solid);
    let steps = (REACH / STEP) as u32;
    let first = (1..steps).find(|&step| is_solid(cell(step)))?;
    Some((cell(first), cell(first - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eye_meets_the_ground_and_not_the_water() {
        let world = valley::world().expect("the valley is valid");
        let (eye, lake) = (Vec3::new(20.5, 80.0, 24.5), IVec3::new(20, 34, 24));
        assert_eq!(world.units(lake), 7);
        let (block, before) = hit(&world, Ray3d::new(eye, Dir3::NEG_Y)).expect("there is ground");
        assert!(world.is_solid(block) && block.y < lake.y);
        assert_eq!(before, block + IVec3::Y);
        assert_eq!(hit(&world, Ray3d::new(eye, Dir3::Y)), None, "there is nothing in the sky");
    }
}
