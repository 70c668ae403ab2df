//! The ground: a face for each side of a solid cell that something else than ground lies at.

use crate::skin::{self, Skin};
use crate::water::Game;
use bevy::prelude::*;
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::WaterWorld;
use floodplain::{Cube, Face, Region, Shape};

/// The meshes of the ground, and the chunks whose meshes are out of date.
#[derive(Resource)]
pub struct Ground {
    stale: Vec<IVec3>,
    skin: Skin,
}

impl Ground {
    /// Returns the ground of the chunks, which are drawn in the next frame.
    pub fn new(chunks: Vec<IVec3>, materials: &mut Assets<StandardMaterial>) -> Ground {
        let material = StandardMaterial { perceptual_roughness: 0.95, ..default() };
        Ground { stale: chunks, skin: Skin::new(materials.add(material)) }
    }
}

/// Makes the meshes of the chunks that were dug in, once the edit is made.
pub fn draw(
    mut commands: Commands,
    mut game: ResMut<Game>,
    mut ground: ResMut<Ground>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    let Game { world, to_dig, .. } = &mut *game;
    let Ground { stale, skin } = &mut *ground;
    to_dig.retain(|&cell| {
        if world.is_solid(cell) {
            return true;
        }
        let round = Face::ALL.map(|face| Cube::chunk_of(cell + face.offset()));
        stale.extend(round);
        false
    });
    stale.sort_unstable_by_key(|chunk| chunk.to_array());
    stale.dedup();
    for chunk in stale.drain(..) {
        skin.show(&mut commands, &mut meshes, chunk, mesh(world, chunk));
    }
}

fn mesh(world: &WaterWorld, chunk: IVec3) -> Option<Mesh> {
    let (mut positions, mut normals, mut colours) = (Vec::new(), Vec::new(), Vec::new());
    let cells = Region::new(chunk * 16, chunk * 16 + 15).positions();
    for cell in cells.filter(|&cell| world.is_solid(cell)) {
        let is_bare = |face: &Face| !world.is_solid(cell + face.offset());
        for face in Face::ALL.into_iter().filter(is_bare) {
            positions.extend(corners(cell - chunk * 16, face));
            normals.extend([face.offset().as_vec3().to_array(); 4]);
            colours.extend([colour(cell, face); 4]);
        }
    }
    let quads = 0..positions.len() as u32 / 4;
    let indices = quads.flat_map(|quad| [0, 1, 2, 0, 2, 3].map(|corner| 4 * quad + corner));
    (!positions.is_empty()).then(|| {
        skin::triangles(positions, normals, indices.collect())
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colours)
    })
}

/// Returns the corners of a face of a cell, counterclockwise as seen from outside.
fn corners(cell: IVec3, face: Face) -> [[f32; 3]; 4] {
    let normal = face.offset().as_vec3();
    let along = Vec3::new(normal.y, normal.z, normal.x);
    let across = normal.cross(along);
    let middle = cell.as_vec3() + 0.5 * (Vec3::ONE + normal);
    [-along - across, along - across, along + across, across - along]
        .map(|corner| (middle + 0.5 * corner).to_array())
}

/// Grass on top and earth at the sides, a little different from cell to cell.
fn colour(cell: IVec3, face: Face) -> [f32; 4] {
    let shade = 0.9 + 0.05 * ((7 * cell.x + 13 * cell.y + 31 * cell.z) % 5) as f32;
    let [red, green, blue] = match face {
        Face::Up => [0.16, 0.30, 0.08],
        _ => [0.24, 0.16, 0.09],
    };
    [red * shade, green * shade, blue * shade, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use floodplain::Chunk;
    use floodplain::water::{Rules, Voxel};

    #[test]
    fn a_block_has_six_faces_and_one_in_the_ground_has_none() {
        let mut world = WaterWorld::new(7, Rules::lossless()).expect("the rules are valid");
        world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("it is inside");
        assert!(mesh(&world, IVec3::ZERO).is_none());
        world.set_solid(IVec3::new(3, 4, 5)).expect("it is loaded");
        assert_eq!(faces(&world), 6);
        world.set_solid(IVec3::new(4, 4, 5)).expect("it is loaded");
        assert_eq!(faces(&world), 10, "the two that touch are not drawn");
    }

    fn faces(world: &WaterWorld) -> usize {
        mesh(world, IVec3::ZERO).map_or(0, |mesh| mesh.count_vertices() / 4)
    }

    #[test]
    fn faces_look_outward() {
        for face in Face::ALL {
            let [a, b, c, _] = corners(IVec3::ZERO, face).map(Vec3::from);
            assert_eq!((b - a).cross(c - b), face.offset().as_vec3());
            assert_eq!((a - 0.5).dot(face.offset().as_vec3()), 0.5, "it lies on its side");
        }
    }
}
