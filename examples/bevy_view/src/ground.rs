//! The ground: a face for each side of a solid cell that something else than ground lies at.

use crate::triangles::Triangles;
use crate::valley;
use bevy::prelude::*;
use floodplain::water::{Cause, Look, Update, WaterView};
use floodplain::{ChunkPos, Cube, Face, Shape};
use std::collections::BTreeSet;

/// Cells of earth above the rock.
const EARTH: i32 = 3;

/// Returns the chunks of which the ground may look different: those that were edited or loaded, and
/// their neighbours.
pub fn touched<'u>(updates: impl IntoIterator<Item = &'u Update>) -> BTreeSet<ChunkPos> {
    let chunks = updates.into_iter().flat_map(Update::chunks);
    let is_edit = |&cause: &Cause| matches!(cause, Cause::Edit | Cause::Load);
    let edited = chunks.filter(|chunk| chunk.causes().any(|cause| is_edit(&cause)));
    edited
        .flat_map(|chunk| {
            let beside = chunk.faces().map(|face| chunk.position + face.offset());
            [chunk.position].into_iter().chain(beside)
        })
        .collect()
}

/// Returns the ground of a chunk.
pub fn of(water: &impl WaterView, chunk: ChunkPos) -> Triangles {
    let is_solid = |cell: IVec3| water.look(cell).is_some_and(Look::is_solid);
    let mut faces = Triangles::default();
    for cell in Cube::region_of(chunk).positions().filter(|&cell| is_solid(cell)) {
        let is_bare = |face: &Face| !is_solid(cell + face.offset());
        let low = (cell - Cube::cell_at(chunk, 0)).as_vec3();
        for face in Face::ALL.into_iter().filter(is_bare) {
            faces.add_face(low, low + Vec3::ONE, face, colour(cell, face));
        }
    }
    faces
}

/// Concrete of the dam; else grass on earth on rock. A little different from cell to cell.
fn colour(cell: IVec3, face: Face) -> [f32; 4] {
    let shade = 0.94 + 0.03 * ((7 * cell.x + 13 * cell.y + 31 * cell.z) % 5) as f32;
    let depth = valley::ground(cell.x, cell.z) - 1 - cell.y;
    let [red, green, blue] = match face {
        _ if depth < 0 => [0.27, 0.26, 0.24],
        Face::Up if depth == 0 => [0.11, 0.24, 0.05],
        _ if depth == 0 => [0.09, 0.15, 0.05],
        _ if depth < EARTH => [0.20, 0.12, 0.06],
        _ => [0.13, 0.12, 0.12],
    };
    [red * shade, green * shade, blue * shade, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use floodplain::Chunk;
    use floodplain::water::{Feed, Rules, Voxel, WaterWorld};

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

    #[test]
    fn ground_is_drawn_again_where_it_was_dug_and_water_that_flows_leaves_it() {
        let mut world = WaterWorld::new(7, Rules::lossless()).expect("the rules are valid");
        let (first, next) = (ChunkPos::ZERO, ChunkPos::new(1, 0, 0));
        for chunk in [first, next] {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("it is inside");
        }
        world.pour(IVec3::new(4, 9, 4), 7).expect("it is loaded");
        let mut feed = Feed::new(&mut world);
        world.step();
        assert_eq!(touched([&feed.take(&mut world)]), BTreeSet::new());
        world.set_solid(IVec3::new(15, 9, 4)).expect("it is loaded");
        assert_eq!(touched([&feed.take(&mut world)]), BTreeSet::from([first, next]));
    }

    fn count(world: &WaterWorld) -> usize {
        of(world, ChunkPos::ZERO).positions.len() / 4
    }
}
