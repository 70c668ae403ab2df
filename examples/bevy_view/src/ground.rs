//! The ground: a face for each side of a solid cell that something else than ground lies at.

use crate::skin::{Skin, Triangles};
use crate::valley;
use crate::water::Game;
use bevy::prelude::*;
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::WaterWorld;
use floodplain::{ChunkPos, Cube, Face, Shape};

/// Cells of earth above the rock.
const EARTH: i32 = 3;

/// The entities that show the ground, and the list of chunks with outdated ground meshes.
#[derive(Resource)]
pub struct Ground {
    stale: Vec<ChunkPos>,
    skin: Skin,
}

impl Ground {
    /// Returns the ground of the chunks, which are drawn in the next frame.
    pub fn new(chunks: Vec<ChunkPos>, materials: &mut Assets<StandardMaterial>) -> Ground {
        let material = StandardMaterial { perceptual_roughness: 0.95, ..default() };
        Ground { stale: chunks, skin: Skin::new(materials.add(material), true) }
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
    stale.sort_unstable();
    stale.dedup();
    for chunk in stale.drain(..) {
        skin.show(&mut commands, &mut meshes, chunk, faces(world, chunk));
    }
}

fn faces(world: &WaterWorld, chunk: ChunkPos) -> Triangles {
    let mut faces = Triangles::default();
    let cells = Cube::region_of(chunk).positions();
    for cell in cells.filter(|&cell| world.is_solid(cell)) {
        let is_bare = |face: &Face| !world.is_solid(cell + face.offset());
        let low = (cell - Cube::cell_at(chunk, 0)).as_vec3();
        for face in Face::ALL.into_iter().filter(is_bare) {
            faces.add_face(low, low + Vec3::ONE, face, colour(cell, face));
        }
    }
    faces
}

/// Concrete of the dam; else grass on earth on rock. A little different from cell to cell.
fn colour(cell: IVec3, face: Face) -> [f32; 4] {
    let shade = 0.9 + 0.05 * ((7 * cell.x + 13 * cell.y + 31 * cell.z) % 5) as f32;
    let depth = valley::ground(cell.x, cell.z) - 1 - cell.y;
    let [red, green, blue] = match face {
        _ if depth < 0 => [0.27, 0.26, 0.24],
        Face::Up if depth == 0 => [0.11, 0.24, 0.05],
        _ if depth < EARTH => [0.20, 0.12, 0.06],
        _ => [0.13, 0.12, 0.12],
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
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).expect("it is inside");
        assert_eq!(count(&world), 0);
        world.set_solid(IVec3::new(3, 4, 5)).expect("it is loaded");
        assert_eq!(count(&world), 6);
        world.set_solid(IVec3::new(4, 4, 5)).expect("it is loaded");
        assert_eq!(count(&world), 10, "the two that touch are not drawn");
    }

    fn count(world: &WaterWorld) -> usize {
        faces(world, ChunkPos::ZERO).positions.len() / 4
    }
}
