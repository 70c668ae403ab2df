//! The world, its ticks, and the entities of its water.

use crate::skin::Skin;
use crate::{ground, surface, valley};
use bevy::prelude::*;
use floodplain::ChunkPos;
use floodplain::glam::IVec3;
use floodplain::water::{FlowField, WaterWorld, meshes_touched};
use std::time::Duration;

/// The time budget of water in a frame. A longer tick is continued in the next frame.
const BUDGET: Duration = Duration::from_millis(4);

/// The water, and the list of chunks with outdated water meshes.
#[derive(Resource)]
pub struct Game {
    pub world: WaterWorld,
    /// Cells that players have asked to be dug, and that may still be solid.
    pub to_dig: Vec<IVec3>,
    flow: FlowField,
    stale: Vec<ChunkPos>,
    skin: Skin,
}

/// Makes the world; all of it is drawn in the next frame.
pub fn load(
    mut commands: Commands,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result<(), BevyError> {
    let world = valley::world()?;
    let stale: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
    let material = materials.add(StandardMaterial {
        perceptual_roughness: 0.2,
        alpha_mode: AlphaMode::Blend,
        ..default()
    });
    commands.insert_resource(ground::Ground::new(stale.clone(), &mut materials));
    commands.insert_resource(Game {
        world,
        to_dig: Vec::new(),
        flow: FlowField::new(),
        stale,
        skin: Skin::new(material, false),
    });
    Ok(())
}

/// Does a tick, or as much of it as there is time for in this frame.
pub fn tick(mut game: ResMut<Game>) {
    game.advance(BUDGET);
}

impl Game {
    /// Advances the tick for so long. Once it is complete, marks the meshes that are out of date.
    pub fn advance(&mut self, time: Duration) {
        let Game { world, flow, stale, .. } = self;
        if world.step_for(time).finished {
            stale.extend(meshes_touched(&world.take_changes()));
            stale.extend(flow.chunks()); // those that it ends in, too
            flow.update(world);
            stale.extend(flow.chunks());
            world.take_edit_reports(); // a refused edit is one that the player sees to do nothing
        }
    }
}

/// Makes the meshes of the water that looks different.
pub fn draw(mut commands: Commands, mut game: ResMut<Game>, mut meshes: ResMut<Assets<Mesh>>) {
    let Game { world, flow, stale, skin, .. } = &mut *game;
    stale.sort_unstable();
    stale.dedup();
    for chunk in stale.drain(..) {
        skin.show(&mut commands, &mut meshes, chunk, surface::of(world, flow, chunk));
    }
}
