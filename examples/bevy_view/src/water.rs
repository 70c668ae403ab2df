//! The world, its ticks, and the meshes of its water.

use crate::skin::{self, Skin};
use crate::{ground, valley};
use bevy::prelude::*;
use floodplain::glam::IVec3;
use floodplain::water::{WaterWorld, meshes_touched};
use std::time::Duration;

/// The time for water in a frame. A tick that needs more goes on in the next frame.
const BUDGET: Duration = Duration::from_millis(4);

/// The world, and the chunks whose meshes are out of date.
#[derive(Resource)]
pub struct Game {
    pub world: WaterWorld,
    /// Cells that players have asked to be dug, and that may still be solid.
    pub to_dig: Vec<IVec3>,
    stale: Vec<IVec3>,
    skin: Skin,
}

/// Makes the world; all of it is drawn in the next frame.
pub fn load(
    mut commands: Commands,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result<(), BevyError> {
    let world = valley::world()?;
    let stale: Vec<IVec3> = world.chunks().map(|(chunk, _)| chunk).collect();
    let material = materials.add(StandardMaterial {
        base_color: Color::srgba(0.10, 0.34, 0.62, 0.78),
        perceptual_roughness: 0.15,
        alpha_mode: AlphaMode::Blend,
        ..default()
    });
    commands.insert_resource(ground::Ground::new(stale.clone(), &mut materials));
    commands.insert_resource(Game { world, to_dig: Vec::new(), stale, skin: Skin::new(material) });
    Ok(())
}

/// Advances the tick. Once it is complete, marks the meshes that are out of date.
pub fn tick(mut game: ResMut<Game>) {
    if game.world.step_for(BUDGET).finished {
        let changes = game.world.take_changes();
        game.stale.extend(meshes_touched(&changes));
        game.world.take_edit_reports(); // a refused edit is one that the player sees to do nothing
    }
}

/// Makes the meshes of the water that looks different.
pub fn draw(mut commands: Commands, mut game: ResMut<Game>, mut meshes: ResMut<Assets<Mesh>>) {
    let Game { world, stale, skin, .. } = &mut *game;
    stale.sort_unstable_by_key(|chunk| chunk.to_array());
    stale.dedup();
    for chunk in stale.drain(..) {
        skin.show(&mut commands, &mut meshes, chunk, mesh(world, chunk));
    }
}

fn mesh(world: &WaterWorld, chunk: IVec3) -> Option<Mesh> {
    let surface = world.surface_mesh(chunk, None);
    let arrays = |vectors: Vec<floodplain::glam::Vec3>| {
        vectors.into_iter().map(|vector| vector.to_array()).collect()
    };
    (!surface.is_empty()).then(|| {
        skin::triangles(arrays(surface.positions), arrays(surface.normals), surface.indices)
    })
}
