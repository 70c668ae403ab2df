//! The water of a chunk: its surface as the library meshes it, cut sides at the end of the world,
//! and effects: falls, and the glow of pressure.

use super::mesh::{FlatMesh, Quad, Wet};
use super::overlay::add_pressure;
use super::scene::Scene;
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::{Fall, FlowField, Mirror, WaterView};
use floodplain::world::World;
use floodplain::{CHUNK_CELLS, ChunkPos, Cube, Face, Shape};

/// The most cells of depth that change how water looks.
const DEEPEST: i32 = 12;

/// How opaque the strongest pressure is.
const GLOW: f32 = 0.10;

/// The cells of a fall that is shown as one, where the surface shows its water too.
const LEAST_FALL: u8 = 3;

/// The colour of falling water.
const FALLING: [u8; 4] = [226, 240, 248, 84];

/// Returns the surface of a chunk's water, four vertices for each quadrilateral.
pub fn surface(water: &Mirror, scene: &Scene, flow: &FlowField, chunk: ChunkPos) -> Vec<Wet> {
    let mesh = water.surface_mesh(chunk, Some(flow));
    let corner = Cube::cell_at(chunk, 0).as_vec3();
    let parts = mesh.positions.iter().zip(&mesh.normals).zip(&mesh.flow);
    let mut vertices: Vec<Wet> = parts
        .map(|((&at, &normal), &flow)| {
            let at = corner + at;
            Wet { looks: looks(scene, at, flow), at: at.to_array(), normal: normal.to_array() }
        })
        .collect();
    add_cut_sides(&mut vertices, water, scene, chunk);
    vertices
}

/// Returns the depth below a point of the surface, and the foam on it.
fn looks(scene: &Scene, at: Vec3, flow: Vec3) -> [u8; 4] {
    // The point is a corner of up to four cells with water, and lies at the top of the lower ones.
    let cell = (at - Vec3::Y * 0.05).floor().as_ivec3();
    let round = [(0, 0), (-1, 0), (0, -1), (-1, -1)].map(|(x, z)| cell + IVec3::new(x, 0, z));
    let wet = round.into_iter().find(|&cell| scene.water(cell) > 0);
    let depth = wet.map_or(0.0, |cell| scene.depth(cell, DEEPEST));
    let foam = (flow.length() * 1.3 - 0.18).clamp(0.0, 1.0);
    [(depth * 16.0).min(255.0) as u8, (foam * 255.0) as u8, 0, 0]
}

/// Adds the sides of water at the end of the world, where the library's mesh has none.
fn add_cut_sides(vertices: &mut Vec<Wet>, water: &Mirror, scene: &Scene, chunk: ChunkPos) {
    let last = scene.size() - 1;
    for index in 0..CHUNK_CELLS {
        let cell = Cube::cell_at(chunk, index);
        let is_inner = cell.x > 0 && cell.x < last.x && cell.z > 0 && cell.z < last.z;
        if is_inner || scene.water(cell) == 0 {
            continue;
        }
        for face in Face::LATERAL {
            let out = cell + face.offset();
            if out.cmpge(IVec3::ZERO).all() && out.cmple(last).all() {
                continue;
            }
            let normal = face.offset().as_vec3().to_array();
            vertices.extend(super::mesh::corners(face).map(|corner| {
                let at = (cell + corner.with_y(0)).as_vec3();
                let height = water.surface_corner(cell + corner.with_y(0)).unwrap_or(0.0);
                let at = if corner.y == 1 { at.with_y(cell.y as f32 + height) } else { at };
                // As if it were deep, since one looks along the water.
                Wet { at: at.to_array(), normal, looks: [96, 0, 0, 0] }
            }));
        }
    }
}

/// Returns the falls of a chunk as they look, and what glows there.
pub fn effects(world: &World, scene: &Scene, falls: &[Fall], chunk: ChunkPos) -> FlatMesh {
    let mut mesh = FlatMesh::default();
    for fall in falls {
        // Where water only passes through, the surface shows none; short falls are seen as part of
        // it.
        let is_single = fall.cells == 1 && fall.direction == Face::Down;
        if scene.water(fall.lowest) == 0 && !is_single || fall.cells >= LEAST_FALL {
            add_fall(&mut mesh, scene, fall);
        }
    }
    if let Some((_, pressures)) = world.blast().chunks().find(|(other, _)| *other == chunk) {
        for index in 0..CHUNK_CELLS {
            let pressure = pressures.get(index).max(0.0);
            add_pressure(&mut mesh, pressure, Cube::cell_at(chunk, index), GLOW);
        }
    }
    mesh
}

/// Adds falling water as a column, as wide as it is thick, and water that runs through empty cells
/// as a sheet on what is below them.
fn add_fall(mesh: &mut FlatMesh, scene: &Scene, fall: &Fall) {
    if fall.units == 0 {
        return;
    }
    let low = fall.lowest.as_vec3();
    match fall.direction {
        Face::Down | Face::Up => {
            let half = 0.5 * (0.3 + 0.66 * fall.thickness());
            let (middle, cells) = (low + Vec3::new(0.5, 0.0, 0.5), f32::from(fall.cells));
            let side = Vec3::new(half, 0.0, half);
            mesh.add_box(middle - side, middle + side + Vec3::Y * cells, FALLING);
        }
        _ => {
            let below = fall.lowest - IVec3::Y;
            if scene.is_solid(below) || scene.water(below) > 0 {
                mesh.add(Quad::of_face(below, Face::Up, 0.05), FALLING);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;
    use crate::view::copy::WaterCopy;

    fn still(kind: Kind, chunk: ChunkPos) -> Vec<Wet> {
        let mut world = kind.world(7).unwrap();
        let scene = Scene::of(&world);
        surface(WaterCopy::of(&mut world).water(), &scene, &FlowField::new(), chunk)
    }

    #[test]
    fn a_still_lake_is_flat_and_deep() {
        let vertices = still(Kind::Plain, ChunkPos::new(4, 1, 4));
        assert_eq!(vertices.len(), 4, "all of the chunk is one quadrilateral");
        for vertex in vertices {
            assert_eq!((vertex.at[1], vertex.normal), (17.0, [0.0, 1.0, 0.0]));
            assert_eq!(vertex.looks, [128, 0, 0, 0], "8 cells of depth, no foam");
        }
    }

    #[test]
    fn water_at_the_end_of_the_world_has_a_side() {
        // The lake of the dam goes on to the west.
        let vertices = still(Kind::Dam, ChunkPos::new(0, 1, 3));
        let is_side = |vertex: &&Wet| vertex.normal == [-1.0, 0.0, 0.0];
        let sides: Vec<_> = vertices.iter().filter(is_side).collect();
        assert!(sides.len() > 4 * 50 && sides.iter().all(|vertex| vertex.at[0] == 0.0));
        assert!(sides.iter().any(|vertex| vertex.at[1] == 31.0), "up to its level");
    }

    #[test]
    fn falls_and_pressure_are_effects() {
        let mut world = Kind::Cave.world(7).unwrap();
        let chunks: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
        let count = |world: &World| -> usize {
            let scene = Scene::of(world);
            let falls = |chunk| world.water().falls(chunk);
            let count = |&chunk| effects(world, &scene, &falls(chunk), chunk).0.len();
            chunks.iter().map(count).sum()
        };
        let before = count(&world);
        world.run(60);
        let falling = count(&world);
        assert!(falling > before, "{before} {falling}");
        world.charge(IVec3::new(50, 20, 62), 6.0, 400.0).unwrap();
        assert!(count(&world) > falling + 400);
    }
}
