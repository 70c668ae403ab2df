//! What is drawn of a chunk: children of its entity, one for the water and one for the ground.

use crate::triangles::Triangles;
use crate::{ground, surface};
use bevy::ecs::system::SystemParam;
use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use floodplain::water::{FlowField, WaterView};
use floodplain::{ChunkPos, Cube, Shape};

pub fn plugin(app: &mut App) {
    app.init_resource::<Flow>().init_resource::<Materials>();
}

/// Where water flows, for its foam.
#[derive(Resource, Default)]
pub struct Flow {
    field: FlowField,
    /// The number of complete ticks of the world.
    pub ticks: u64,
}

impl Flow {
    /// Follows the currents of the last tick. Returns the chunks with foam before or after it.
    pub fn follow(&mut self, water: &impl WaterView) -> Vec<ChunkPos> {
        let mut touched = self.field.chunks();
        self.field.update(water);
        touched.extend(self.field.chunks());
        touched.sort_unstable();
        touched.dedup();
        touched
    }
}

#[derive(Resource)]
struct Materials {
    water: Handle<StandardMaterial>,
    ground: Handle<StandardMaterial>,
}

impl FromWorld for Materials {
    fn from_world(app: &mut World) -> Materials {
        let mut materials = app.resource_mut::<Assets<StandardMaterial>>();
        let water = StandardMaterial {
            perceptual_roughness: 0.2,
            alpha_mode: AlphaMode::Blend,
            ..default()
        };
        let ground = StandardMaterial { perceptual_roughness: 0.95, ..default() };
        Materials { water: materials.add(water), ground: materials.add(ground) }
    }
}

/// The entities that show a chunk.
#[derive(Component)]
pub struct Drawn {
    water: Entity,
    ground: Entity,
}

/// Draws chunks.
#[derive(SystemParam)]
pub struct Painter<'w, 's> {
    pub commands: Commands<'w, 's>,
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: Res<'w, Materials>,
    drawn: Query<'w, 's, &'static Drawn>,
}

impl Painter<'_, '_> {
    /// Gives the entity of a chunk what shows it. Nothing is drawn yet.
    pub fn dress(&mut self, chunk: Entity, position: ChunkPos) {
        let Materials { water, ground } = &*self.materials;
        let water = (MeshMaterial3d(water.clone()), NotShadowCaster, ChildOf(chunk));
        let water = self.commands.spawn(water).id();
        let ground = self.commands.spawn((MeshMaterial3d(ground.clone()), ChildOf(chunk))).id();
        let corner = Transform::from_translation(Cube::cell_at(position, 0).as_vec3());
        let drawn = (Drawn { water, ground }, corner, Visibility::Inherited);
        self.commands.entity(chunk).insert(drawn);
    }

    /// Makes the mesh of a chunk's water.
    pub fn draw_water(
        &mut self,
        chunk: Entity,
        water: &impl WaterView,
        flow: &Flow,
        position: ChunkPos,
    ) {
        if let Ok(drawn) = self.drawn.get(chunk) {
            self.show(drawn.water, surface::of(water, &flow.field, position));
        }
    }

    /// Makes the mesh of a chunk's ground.
    pub fn draw_ground(&mut self, chunk: Entity, water: &impl WaterView, position: ChunkPos) {
        if let Ok(drawn) = self.drawn.get(chunk) {
            self.show(drawn.ground, ground::of(water, position));
        }
    }

    fn show(&mut self, entity: Entity, triangles: Triangles) {
        let mut entity = self.commands.entity(entity);
        if triangles.indices.is_empty() {
            entity.remove::<Mesh3d>();
        } else {
            entity.insert(Mesh3d(self.meshes.add(triangles.into_mesh())));
        }
    }
}
