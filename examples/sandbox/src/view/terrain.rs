//! The terrain of a chunk as shaded quadrilaterals: each shown face of a solid cell, with the
//! sun's shadow and the ambient occlusion of its corners in its colours.

use super::colours::{albedo, to_bytes};
use super::mesh::{Flat, corners};
use super::scene::{SUN, Scene};
use floodplain::glam::{IVec3, Vec3};
use floodplain::{CHUNK_CELLS, ChunkPos, Cube, Face, Shape};

/// Light from the sun and from the sky.
const SUNLIGHT: Vec3 = Vec3::new(1.16, 1.05, 0.88);
const SKYLIGHT: Vec3 = Vec3::new(0.40, 0.48, 0.60);

/// Returns the faces of a chunk that are shown, four vertices each.
pub fn mesh(scene: &Scene, chunk: ChunkPos) -> Vec<Flat> {
    let mut vertices = Vec::new();
    for index in 0..CHUNK_CELLS {
        let cell = Cube::cell_at(chunk, index);
        if !scene.is_solid(cell) {
            continue;
        }
        for face in Face::ALL {
            let is_bottom = face == Face::Down && cell.y == 0;
            if !is_bottom && !scene.is_solid(cell + face.offset()) {
                add_face(&mut vertices, scene, cell, face);
            }
        }
    }
    vertices
}

fn add_face(vertices: &mut Vec<Flat>, scene: &Scene, cell: IVec3, face: Face) {
    let normal = face.offset().as_vec3();
    let facing = normal.dot(SUN).max(0.0);
    let middle = cell.as_vec3() + 0.5 + normal * 0.51;
    let sun = if facing > 0.0 && scene.is_sunny(middle) { facing } else { 0.0 };
    let sky = 0.64 + 0.36 * normal.y;
    let albedo = albedo(scene, cell, face);
    let open = corners(face).map(|corner| openness(scene, cell, face, corner));
    let colours = open.map(|open| {
        let light = SUNLIGHT * sun * (0.55 + 0.45 * open) + SKYLIGHT * sky * open;
        let [red, green, blue] = to_bytes(albedo * light);
        [red, green, blue, 255]
    });
    let at = corners(face).map(|corner| (cell + corner).as_vec3());
    // Cut along the other diagonal if that joins the corners that are more alike.
    let turn = if open[0] + open[2] < open[1] + open[3] { 1 } else { 0 };
    vertices.extend((turn..turn + 4).map(|corner| Flat::new(at[corner % 4], colours[corner % 4])));
}

/// Returns the share of the sky that a corner of a face sees, by the cells beside the one in front
/// of the face (ambient occlusion).
fn openness(scene: &Scene, cell: IVec3, face: Face, corner: IVec3) -> f32 {
    let normal = face.offset();
    let front = cell + normal;
    let size = scene.size();
    if front.cmplt(IVec3::ZERO).any() || front.cmpge(size).any() {
        return 1.0;
    }
    // From the middle of the face to the corner, along its two sides.
    let off = (corner * 2 - 1) * (IVec3::ONE - normal.abs());
    let (u, v) = match normal.abs().to_array() {
        [1, _, _] => (off.with_z(0), off.with_y(0)),
        [_, 1, _] => (off.with_z(0), off.with_x(0)),
        _ => (off.with_y(0), off.with_x(0)),
    };
    let stops = |offset: IVec3| i32::from(scene.is_solid(front + offset));
    let (a, b) = (stops(u), stops(v));
    1.0 - 0.2 * (if a + b == 2 { 3 } else { a + b + stops(off) }) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::materials::CONCRETE;
    use crate::model::worlds::Kind;

    #[test]
    fn a_cell_in_the_air_has_six_faces_and_the_sunny_ones_are_bright() {
        let mut world = Kind::Plain.world(7).unwrap();
        let cell = IVec3::new(152, 40, 88);
        world.set_material(cell, CONCRETE).unwrap();
        let scene = Scene::of(&world);
        let vertices = mesh(&scene, Cube::chunk_of(cell));
        assert_eq!(vertices.len(), 24);
        let light = |face: Face| {
            let out = (cell + (face.offset() + 1) / 2).as_vec3().dot(face.offset().as_vec3());
            let is_on = |four: &&[Flat]| {
                four.iter()
                    .all(|vertex| Vec3::from_array(vertex.at).dot(face.offset().as_vec3()) == out)
            };
            u32::from(
                vertices
                    .chunks_exact(4)
                    .map(|four| <&[Flat; 4]>::try_from(four).unwrap().as_slice())
                    .find(is_on)
                    .unwrap()[0]
                    .colour[0],
            )
        };
        assert!(light(Face::Up) > light(Face::East) && light(Face::East) > light(Face::West));
    }

    #[test]
    fn covered_ground_and_the_bottom_of_the_world_are_not_drawn() {
        let scene = Scene::of(&Kind::Plain.world(7).unwrap());
        // Five cells deep, in the middle of the plain's ground: only the surface of the lake's bed.
        let vertices = mesh(&scene, ChunkPos::new(4, 0, 4));
        assert_eq!(vertices.len(), 4 * 256);
        assert!(vertices.iter().all(|vertex| vertex.at[1] == 9.0));
    }

    #[test]
    fn corners_at_a_wall_are_darker() {
        let mut world = Kind::Plain.world(7).unwrap();
        let cell = IVec3::new(152, 40, 88);
        for at in [cell, cell + IVec3::new(1, 1, 0)] {
            world.set_material(at, CONCRETE).unwrap();
        }
        let scene = Scene::of(&world);
        let open = |corner| openness(&scene, cell, Face::Up, corner);
        assert_eq!(open(IVec3::new(0, 1, 0)), 1.0);
        assert_eq!(open(IVec3::new(1, 1, 0)), 0.8);
    }
}
