//! Meshes by chunk, of one material.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use floodplain::glam::IVec3;
use std::collections::HashMap;

/// What is drawn of the chunks: one entity for each that has anything to show.
pub struct Skin {
    material: Handle<StandardMaterial>,
    entities: HashMap<IVec3, Entity>,
}

impl Skin {
    pub fn new(material: Handle<StandardMaterial>) -> Skin {
        Skin { material, entities: HashMap::new() }
    }

    /// Draws the mesh at the chunk in place of what was drawn there; `None` is nothing to draw.
    pub fn show(
        &mut self,
        commands: &mut Commands,
        meshes: &mut Assets<Mesh>,
        chunk: IVec3,
        mesh: Option<Mesh>,
    ) {
        let Some(mesh) = mesh else {
            if let Some(entity) = self.entities.remove(&chunk) {
                commands.entity(entity).despawn();
            }
            return;
        };
        let mesh = Mesh3d(meshes.add(mesh));
        if let Some(&entity) = self.entities.get(&chunk) {
            commands.entity(entity).insert(mesh);
            return;
        }
        let corner = Transform::from_translation((chunk * 16).as_vec3().to_array().into());
        let drawn = (mesh, MeshMaterial3d(self.material.clone()), corner);
        self.entities.insert(chunk, commands.spawn(drawn).id());
    }
}

/// Returns triangles by the attributes of their corners; the GPU alone keeps them.
pub fn triangles(positions: Vec<[f32; 3]>, normals: Vec<[f32; 3]>, indices: Vec<u32>) -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_indices(Indices::U32(indices))
}
