//! Meshes in the making, by the attributes of their corners.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use floodplain::Face;

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
    pub fn into_mesh(self) -> Mesh {
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
