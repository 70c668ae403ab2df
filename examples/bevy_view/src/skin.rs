//! Meshes by chunk, of one material.

use bevy::asset::RenderAssetUsages;
use bevy::light::NotShadowCaster;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use floodplain::glam::Vec3;
use floodplain::{ChunkPos, Cube, Face, Shape};
use std::collections::HashMap;

/// What is drawn of the chunks: one entity for each that has anything to show.
pub struct Skin {
    material: Handle<StandardMaterial>,
    has_shadow: bool,
    entities: HashMap<ChunkPos, Entity>,
}

impl Skin {
    /// Returns one of the material that has no chunks yet. What light passes through has no shadow.
    pub fn new(material: Handle<StandardMaterial>, has_shadow: bool) -> Skin {
        Skin { material, has_shadow, entities: HashMap::new() }
    }

    /// Draws the triangles at the chunk in place of what was drawn there.
    pub fn show(
        &mut self,
        commands: &mut Commands,
        meshes: &mut Assets<Mesh>,
        chunk: ChunkPos,
        triangles: Triangles,
    ) {
        if triangles.indices.is_empty() {
            if let Some(entity) = self.entities.remove(&chunk) {
                commands.entity(entity).despawn();
            }
            return;
        }
        let mesh = Mesh3d(meshes.add(triangles.into_mesh()));
        if let Some(&entity) = self.entities.get(&chunk) {
            commands.entity(entity).insert(mesh);
            return;
        }
        let corner =
            Transform::from_translation(Cube::cell_at(chunk, 0).as_vec3().to_array().into());
        let drawn = (mesh, MeshMaterial3d(self.material.clone()), corner);
        let mut entity = commands.spawn(drawn);
        if !self.has_shadow {
            entity.insert(NotShadowCaster);
        }
        self.entities.insert(chunk, entity.id());
    }
}

/// Triangles by the attributes of their corners. Colours are linear red, green, blue, and alpha.
#[derive(Default)]
pub struct Triangles {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub colours: Vec<[f32; 4]>,
    pub indices: Vec<u32>,
}

impl Triangles {
    /// Adds a face of a box.
    pub fn add_face(&mut self, low: Vec3, high: Vec3, face: Face, colour: [f32; 4]) {
        let first = self.positions.len() as u32;
        self.positions.extend(corners(low, high, face).map(|corner| corner.to_array()));
        self.normals.extend([face.offset().as_vec3().to_array(); 4]);
        self.colours.extend([colour; 4]);
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
    }

    /// Returns them for the GPU, which alone keeps them.
    fn into_mesh(self) -> Mesh {
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions)
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, self.colours)
            .with_inserted_indices(Indices::U32(self.indices))
    }
}

/// Returns the corners of a face of a box, counterclockwise as seen from outside.
fn corners(low: Vec3, high: Vec3, face: Face) -> [Vec3; 4] {
    let normal = face.offset().as_vec3();
    let along = Vec3::new(normal.y, normal.z, normal.x);
    let across = normal.cross(along);
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    [-along - across, along - across, along + across, across - along]
        .map(|corner| middle + half * (normal + corner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_look_outward() {
        let (low, high) = (Vec3::ZERO, Vec3::new(1.0, 2.0, 4.0));
        for face in Face::ALL {
            let [a, b, c, d] = corners(low, high, face);
            let normal = face.offset().as_vec3();
            assert_eq!((b - a).cross(c - b).normalize(), normal);
            let side = normal.dot(if face.offset().max_element() > 0 { high } else { low });
            assert!([a, b, c, d].iter().all(|corner| corner.dot(normal) == side), "{face:?}");
            assert_eq!(a + c, low + high + normal * (high - low), "it is a whole side");
        }
    }
}
