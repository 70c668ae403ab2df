//! The surface as it is drawn and felt: corners, meshes, falls and levels, against naive oracles
//! that read cell by cell.

use fastrand::Rng;
use floodplain::glam::{DVec3, IVec3, Vec3};
use floodplain::water::{
    FlowField, Rules, SubmergedError, SurfaceMesh, Voxel, WaterCell, WaterView, WaterWorld,
    meshes_touched,
};
use floodplain::{CHUNK_CELLS, CellMask, Chunk, ChunkChanges, ChunkPos, Cube, Face, Region, Shape};
use std::collections::{BTreeMap, BTreeSet};
use support::worlds;

pub(crate) fn at(x: i32, y: i32, z: i32) -> IVec3 {
    IVec3::new(x, y, z)
}

/// Random worlds across eight chunks, some missing, in motion, with falls.
fn each_world(mut check: impl FnMut(u64, &WaterWorld)) {
    for seed in 0..60 {
        let mut world = worlds::water(seed);
        let mut rng = Rng::with_seed(seed);
        for _ in 0..4 {
            worlds::edit_water(&mut world, &mut rng);
            world.run(rng.u64(..3));
            check(seed, &world);
        }
    }
}

fn chunks(world: &WaterWorld) -> Vec<ChunkPos> {
    world.chunks().map(|(chunk, _)| chunk).collect()
}

/// The height of the surface at a corner, computed from its definition.
fn corner(world: &WaterWorld, corner: IVec3) -> Option<f32> {
    let round = [(-1, -1), (0, -1), (-1, 0), (0, 0)];
    let wet: Vec<IVec3> = round
        .into_iter()
        .map(|(x, z)| corner + at(x, 0, z))
        .filter(|&cell| world.units(cell) > 0)
        .collect();
    if wet.iter().any(|&cell| world.units(cell + IVec3::Y) > 0) {
        return Some(1.0);
    }
    let units: u32 = wet.iter().map(|&cell| u32::from(world.units(cell))).sum();
    (units > 0).then(|| units as f32 / (7 * wet.len()) as f32)
}

fn is_air(world: &WaterWorld, cell: IVec3) -> bool {
    let is_open = world.bounds().contains(cell) && world.cell(cell).is_some();
    is_open && world.units(cell) == 0
}

/// The faces that a mesh without merging has.
fn faces(world: &WaterWorld, chunk: ChunkPos) -> BTreeSet<([i32; 3], Face)> {
    let mut faces = BTreeSet::new();
    for cell in Cube::region_of(chunk).positions().filter(|&cell| world.units(cell) > 0) {
        for face in Face::ALL {
            let there = cell + face.offset();
            let is_up = face == Face::Up;
            let is_full = || {
                let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
                corners.iter().all(|&(x, z)| corner(world, cell + at(x, 0, z)) == Some(1.0))
            };
            let is_ceiling = is_up && world.is_solid(there) && is_full();
            let shows = match is_up {
                true => world.units(there) == 0 && !is_ceiling,
                false => is_air(world, there),
            };
            if shows {
                faces.insert((cell.to_array(), face));
            }
        }
    }
    faces
}

/// The four vertices of each quadrilateral, in cells of the world.
fn quads(chunk: ChunkPos, mesh: &SurfaceMesh) -> Vec<([[f64; 3]; 4], Face)> {
    let corner = Cube::cell_at(chunk, 0).as_dvec3();
    let quad = |vertices: std::ops::Range<usize>| {
        let normal = mesh.normals[vertices.start];
        let face = Face::ALL.into_iter().find(|face| normal == face.offset().as_vec3());
        let positions = &mesh.positions[vertices];
        let place = |vertex: usize| (corner + positions[vertex].as_dvec3()).to_array();
        // The normals of tops follow their slope.
        (core::array::from_fn(place), face.unwrap_or(Face::Up))
    };
    (0..mesh.positions.len()).step_by(4).map(|first| quad(first..first + 4)).collect()
}

/// The cell below a point on the surface, or the one whose bottom it lies on.
fn layer_of(y: f64, is_surface: bool) -> i32 {
    if is_surface { y.ceil() as i32 - 1 } else { y.floor() as i32 }
}

#[test]
fn all_chunks_agree_on_the_corners_that_they_share() {
    let (mut shared, mut falls) = (0, 0);
    each_world(|seed, world| {
        let mut seen: BTreeMap<[i32; 3], (ChunkPos, [u32; 4])> = BTreeMap::new();
        let mut flow = FlowField::new();
        flow.update(world);
        for chunk in chunks(world) {
            falls += world.falls(chunk).len();
            let mesh = world.surface_mesh(chunk, Some(&flow));
            for (vertex, normal) in mesh.normals.iter().enumerate().filter(|(_, n)| n.y > 0.0) {
                let place = Cube::cell_at(chunk, 0).as_dvec3() + mesh.positions[vertex].as_dvec3();
                let point = at(place.x as i32, layer_of(place.y, true), place.z as i32);
                let height = world.surface_corner(point);
                assert_eq!(height, corner(world, point), "seed {seed}: at {point}");
                let local = (point.y & 15) as f32 + height.unwrap();
                assert_eq!(mesh.positions[vertex].y, local, "seed {seed}: at {point}");
                let flow = mesh.flow[vertex];
                let bits = [normal.x, flow.x, flow.y, flow.z].map(f32::to_bits);
                let (first, before) = *seen.entry(point.to_array()).or_insert((chunk, bits));
                assert_eq!(bits, before, "seed {seed}: {chunk} and {first} at {point}");
                shared += usize::from(first != chunk);
            }
        }
    });
    assert!(shared > 2_000 && falls > 100, "{shared} corners in two chunks, {falls} falls");
}

/// Merging covers what single faces cover, at the same heights, and no face twice.
#[test]
fn a_mesh_covers_exactly_the_faces_between_water_and_air() {
    let (mut merged, mut single) = (0, 0);
    each_world(|seed, world| {
        for chunk in chunks(world) {
            let mesh = world.surface_mesh(chunk, None);
            let mut covered = BTreeSet::new();
            for (vertices, face) in quads(chunk, &mesh) {
                merged += 1;
                let least = |axis: usize| vertices.map(|v| v[axis]).into_iter().fold(1e9, f64::min);
                let most = |axis: usize| vertices.map(|v| v[axis]).into_iter().fold(-1e9, f64::max);
                let y = match face {
                    Face::Up => layer_of(most(1), true),
                    _ => layer_of(least(1), false),
                };
                let span = |axis: usize, on: [Face; 2]| match face {
                    face if face == on[0] => (least(axis) as i32, least(axis) as i32 + 1),
                    face if face == on[1] => (least(axis) as i32 - 1, least(axis) as i32),
                    _ => (least(axis) as i32, most(axis) as i32),
                };
                let (x, x_end) = span(0, [Face::West, Face::East]);
                let (z, z_end) = span(2, [Face::North, Face::South]);
                for cell in Region::new(at(x, y, z), at(x_end - 1, y, z_end - 1)).positions() {
                    let is_new = covered.insert((cell.to_array(), face));
                    assert!(is_new, "seed {seed}: {face:?} of {cell} twice");
                    let is_merged = (x_end - x).max(z_end - z) > 1;
                    if face == Face::Up && is_merged {
                        let top = (most(1) - f64::from(y)) as f32;
                        let is_level = |(x, z): (i32, i32)| {
                            (corner(world, cell + at(x, 0, z)).unwrap() - top).abs() < 1e-6
                        };
                        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
                        assert!(corners.into_iter().all(is_level), "seed {seed}: {cell} is level");
                    }
                }
            }
            let naive = faces(world, chunk);
            assert_eq!(covered, naive, "seed {seed}: {chunk}");
            single += naive.len();
        }
    });
    assert!(single > 10_000 && merged < single * 4 / 5, "{merged} for {single} faces");
}

/// A corner of an edge: x, y as bits, z.
type End = (i32, u64, i32);

/// The edges of quadrilaterals, cut at the lattice: +1 for each in one direction, −1 in the other.
fn edges(world: &WaterWorld) -> BTreeMap<(End, End), i32> {
    let mut edges: BTreeMap<(End, End), i32> = BTreeMap::new();
    for chunk in chunks(world) {
        for (vertices, _) in quads(chunk, &world.surface_mesh(chunk, None)) {
            for side in 0..4 {
                let (from, to) = (vertices[side], vertices[(side + 1) % 4]);
                let pieces = ((to[0] - from[0]).abs() + (to[2] - from[2]).abs()).max(1.0);
                let end = |piece: f64| -> End {
                    let along = |axis: usize| from[axis] + (to[axis] - from[axis]) / pieces * piece;
                    let y = if piece == pieces { to[1] } else { along(1) };
                    (along(0).round() as i32, y.to_bits(), along(2).round() as i32)
                };
                for piece in 0..pieces as i32 {
                    let (a, b) = (end(f64::from(piece)), end(f64::from(piece + 1)));
                    if a != b {
                        let (key, turn) = if a < b { ((a, b), 1) } else { ((b, a), -1) };
                        *edges.entry(key).or_default() += turn;
                    }
                }
            }
        }
    }
    edges
}

#[test]
fn the_skin_is_open_only_at_ground_and_at_the_end_of_the_world() {
    let (mut closed, mut open) = (0, 0);
    each_world(|seed, world| {
        for (((x, y, z), (x_end, y_end, z_end)), turns) in edges(world) {
            if turns == 0 {
                closed += 1;
                continue;
            }
            open += 1;
            let middle = [
                f64::from(x + x_end) / 2.0,
                (f64::from_bits(y) + f64::from_bits(y_end)) / 2.0,
                f64::from(z + z_end) / 2.0,
            ];
            let beside = Region::new(IVec3::ZERO, IVec3::ONE).positions().map(|side| {
                let shift = (side.as_dvec3() - 0.5) * 2e-4;
                (DVec3::from_array(middle) + shift).floor().as_ivec3()
            });
            let is_at_ground = beside.into_iter().any(|cell| world.cell(cell).is_none());
            assert!(is_at_ground, "seed {seed}: a crack at {middle:?}");
        }
    });
    assert!(closed > 20_000 && open > 1_000, "{closed} closed edges, {open} open");
}

#[test]
fn normals_are_unit_vectors_that_point_out_and_indices_are_valid() {
    let mut sloped = 0;
    each_world(|seed, world| {
        for chunk in chunks(world) {
            let mesh = world.surface_mesh(chunk, None);
            assert_eq!(mesh.positions.len(), mesh.normals.len());
            assert_eq!(mesh.positions.len(), mesh.flow.len());
            assert_eq!(mesh.positions.len() / 4 * 6, mesh.indices.len());
            for triangle in mesh.indices.as_chunks::<3>().0 {
                let vertices = triangle.map(|vertex| mesh.positions[vertex as usize]);
                let [a, b, c] = vertices;
                let outward = (b - a).cross(c - a);
                assert!(outward.length() > 0.05, "seed {seed}: {vertices:?}");
                for vertex in triangle {
                    let normal = mesh.normals[*vertex as usize];
                    assert!((normal.length() - 1.0).abs() < 1e-6, "seed {seed}: {normal}");
                    assert!(normal.dot(outward) > 0.0, "seed {seed}: {vertices:?} {normal}");
                    sloped += usize::from(normal.y > 0.0 && normal.y < 1.0);
                }
            }
        }
    });
    assert!(sloped > 2_000, "{sloped}");
}

#[test]
fn a_mesh_has_no_more_faces_than_there_are_between_cells() {
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    let near = Region::new(IVec3::NEG_ONE, IVec3::ONE).positions().map(ChunkPos::from);
    world.insert_chunks(near.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    let full = Voxel::water(WaterCell::STILL);
    let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(|index| {
        let odd = (index ^ index >> 4 ^ index >> 8) & 1 == 1;
        if odd { full } else { Voxel::OPEN }
    });
    world.remove_chunk(ChunkPos::ZERO).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::from_cells(&cells)).unwrap();
    let mesh = world.surface_mesh(ChunkPos::ZERO, None);
    assert!((10_000..=13_056 * 6).contains(&mesh.indices.len()), "{}", mesh.indices.len());
    assert!(world.surface_mesh(ChunkPos::new(9, 9, 9), None).is_empty(), "not loaded");
    assert!(world.surface_mesh(IVec3::MAX.into(), None).is_empty(), "nowhere");
}

#[test]
fn a_still_lake_is_a_rectangle_for_each_chunk() {
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    let lake = Region::new(at(-16, 0, 0), at(31, 5, 31));
    let loaded = Region::new(at(-1, 0, 0), at(1, 0, 1)).positions().map(ChunkPos::from);
    world.insert_chunks(loaded.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    world.fill_water(lake, 7).unwrap();
    world.fill_water(Region::new(at(-16, 6, 0), at(31, 6, 31)), 5).unwrap();
    world.run(5);
    for chunk in chunks(&world) {
        let mesh = world.surface_mesh(chunk, None);
        assert_eq!(mesh.indices.len(), 6, "{chunk}");
        assert!(mesh.positions.iter().all(|place| place.y == 6.0 + 5.0 / 7.0));
    }
}

/// Chunks at the ends of all numbers, which no world has, touch the meshes that there are.
#[test]
fn meshes_touched_at_the_ends_of_all_numbers_are_those_that_can_be() {
    let changes = |chunk| [ChunkChanges { chunk, cells: CellMask::FULL }];
    for chunk in [IVec3::MIN, IVec3::MAX, at(i32::MAX, 0, i32::MIN)] {
        assert_eq!(meshes_touched(&changes(chunk.into())), [], "{chunk}");
    }
    let (last, first) = (Cube::chunk_of(IVec3::MAX), Cube::chunk_of(IVec3::MIN));
    assert_eq!(meshes_touched(&changes(last)).len(), 8);
    assert_eq!(meshes_touched(&changes(first)).len(), 8);
    assert_eq!(meshes_touched(&changes(ChunkPos::ZERO)).len(), 27);
}

/// Which meshes an edit or tick changes, against the meshes of all chunks before and after.
#[test]
fn every_mesh_that_differs_is_listed() {
    let (mut differing, mut listed) = (0, 0);
    for seed in 0..80 {
        let mut world = worlds::water(seed);
        let mut rng = Rng::with_seed(seed);
        world.take_changes();
        let meshes = |world: &WaterWorld| -> BTreeMap<ChunkPos, SurfaceMesh> {
            let loaded = chunks(world).into_iter();
            loaded.map(|chunk| (chunk, world.surface_mesh(chunk, None))).collect()
        };
        let mut before = meshes(&world);
        for _ in 0..6 {
            worlds::edit_water(&mut world, &mut rng);
            world.run(rng.u64(..2));
            let now = meshes(&world);
            let mut touched = meshes_touched(&world.take_changes());
            for chunk in before.keys().filter(|chunk| !now.contains_key(*chunk)) {
                let gone = IVec3::from(*chunk);
                touched.extend(Region::new(gone - 1, gone + 1).positions().map(ChunkPos::from));
            }
            for (chunk, mesh) in &now {
                let is_listed = touched.contains(chunk);
                assert!(is_listed || before.get(chunk) == Some(mesh), "seed {seed}: {chunk:?}");
                differing += usize::from(before.get(chunk) != Some(mesh));
                listed += usize::from(is_listed);
            }
            before = now;
        }
    }
    assert!(differing > 500 && listed < 80 * 6 * 8, "{differing} differ, {listed} listed");
}

/// The fall in a cell, from its definition.
fn falling(world: &WaterWorld, cell: IVec3) -> Option<(Face, u8)> {
    let water = world.cell(cell)?;
    if water.height() == 0 {
        return Some((water.direction()?, water.largest()));
    }
    let below = cell - IVec3::Y;
    let has_room = world.cell(below).is_some() && world.units(below) < 7;
    let is_within = world.units(below) > 0 && world.units(cell + IVec3::Y) > 0;
    let is_beside_air = Face::LATERAL.iter().any(|face| is_air(world, cell + face.offset()));
    (has_room || is_within && is_beside_air).then_some((Face::Down, water.height()))
}

#[test]
fn falls_are_the_cells_that_nothing_holds_up() {
    let (mut cells, mut falls) = (0, 0);
    each_world(|seed, world| {
        for chunk in chunks(world) {
            let mut covered = BTreeMap::new();
            for fall in world.falls(chunk) {
                assert!((1..=16).contains(&fall.cells));
                assert!((0.0..=1.0).contains(&fall.thickness()));
                for y in 0..i32::from(fall.cells) {
                    let cell = fall.lowest + at(0, y, 0);
                    let before = covered.insert(cell.to_array(), (fall.direction, fall.units));
                    assert!(before.is_none(), "seed {seed}: {cell} twice");
                }
                let (above, kind) = (
                    fall.lowest.with_y(fall.lowest.y + i32::from(fall.cells)),
                    (fall.direction, fall.units),
                );
                let goes_on = above.y & 15 != 0 && falling(world, above) == Some(kind);
                assert!(!goes_on, "seed {seed}: {fall:?} is longer");
                falls += 1;
            }
            let naive: BTreeMap<_, _> = Cube::region_of(chunk)
                .positions()
                .filter_map(|cell| Some((cell.to_array(), falling(world, cell)?)))
                .collect();
            assert_eq!(covered, naive, "seed {seed}: {chunk}");
            cells += naive.len();
        }
    });
    assert!(cells > 2_000 && falls < cells, "{cells} cells in {falls} falls");
}

#[test]
fn the_level_at_a_point_is_that_of_the_mesh() {
    let mut points = 0;
    each_world(|seed, world| {
        for chunk in chunks(world) {
            let mesh = world.surface_mesh(chunk, None);
            for triangle in mesh.indices.as_chunks::<3>().0 {
                let vertices = triangle.map(|vertex| mesh.positions[vertex as usize]);
                if mesh.normals[triangle[0] as usize].y <= 0.0 {
                    continue;
                }
                let [a, b, c] = vertices;
                let on = Cube::cell_at(chunk, 0).as_vec3() + a * 0.45 + b * 0.3 + c * 0.25;
                let level = world.level_at(on - Vec3::Y * 0.02).expect("it is under water");
                assert!((level - on.y).abs() < 1e-5, "seed {seed}: {level}, not {}", on.y);
                let depth = world.depth_below(on - Vec3::Y * 0.02);
                assert!((depth - 0.02).abs() < 1e-5, "seed {seed}: {depth}");
                points += 1;
            }
        }
    });
    assert!(points > 2_000, "{points}");
}

#[test]
fn buoyancy_in_still_water_is_that_of_the_displaced_volume() {
    let mut rng = Rng::with_seed(11);
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_water(Region::new(at(0, 0, 0), at(15, 6, 15)), 7).unwrap();
    world.fill_water(Region::new(at(0, 7, 0), at(15, 7, 15)), 2).unwrap();
    let level = 7.0 + 2.0 / 7.0;
    for _ in 0..500 {
        let mut point = || Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 12.0 + 0.5;
        let (a, b) = (point(), point());
        let (min, max) = (a.min(b), a.max(b));
        let wet = Vec3::new(max.x, max.y.min(level).max(min.y), max.z);
        let volume = (wet - min).element_product();
        let submerged = world.submerged(a, b).unwrap();
        assert!((submerged.volume - volume).abs() <= 1e-4 * volume.max(1.0), "{a} {b}");
        if volume > 1e-3 {
            assert!(submerged.centre.distance((min + wet) / 2.0) < 1e-3, "{a} {b}");
        }
        assert_eq!(submerged.buoyancy(2.0, 3.0), 6.0 * submerged.volume);
    }
}

/// A layer that dries up in the tick, or becomes wet, has the faces that it had.
#[test]
fn drawing_in_the_middle_of_a_tick_shows_the_world_before_it() {
    let (mut slices, mut differ) = (0, 0);
    for seed in 0..40 {
        let mut world = worlds::water(seed);
        let mut rng = Rng::with_seed(seed);
        worlds::edit_water(&mut world, &mut rng);
        let points: Vec<Vec3> = (0..20)
            .map(|_| at(rng.i32(-6..6), rng.i32(-5..7), rng.i32(-6..6)).as_vec3() + 0.3)
            .collect();
        let drawn = |world: &WaterWorld| {
            let meshes = chunks(world).into_iter().map(|chunk| world.surface_mesh(chunk, None));
            let falls = chunks(world).into_iter().flat_map(|chunk| world.falls(chunk));
            let levels = points.iter().map(|&point| world.level_at(point));
            (meshes.collect::<Vec<_>>(), falls.collect::<Vec<_>>(), levels.collect::<Vec<_>>())
        };
        for _ in 0..3 {
            let before = drawn(&world);
            let budget = rng.u64(..40);
            while !world.step_within(budget).finished {
                assert!(drawn(&world) == before, "seed {seed}");
                slices += 1;
            }
            differ += u32::from(drawn(&world) != before);
        }
    }
    assert!(slices > 1_000 && differ > 60, "{slices} slices, {differ} ticks that show");
}

#[test]
fn boxes_and_points_that_are_nowhere_are_refused_or_dry() {
    let world = worlds::water(3);
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e9, -3e9, 1e30];
    for value in bad {
        for point in [Vec3::splat(value), Vec3::ZERO.with_x(value), Vec3::ZERO.with_y(value)] {
            assert_eq!(world.level_at(point), None);
            assert_eq!(world.depth_below(point), 0.0);
            assert_eq!(FlowField::new().at(&world, point), Vec3::ZERO);
            let error = world.submerged(Vec3::ZERO, point).unwrap_err();
            assert!(matches!(error, SubmergedError::Corner(_)), "{error}");
            assert!(error.to_string().contains("corner"));
        }
    }
    let error = world.submerged(Vec3::ZERO, Vec3::splat(100.0)).unwrap_err();
    assert_eq!(error, SubmergedError::Cells([100; 3]));
    assert!(world.submerged(Vec3::ZERO, Vec3::new(128.0, 256.0, 1.0)).is_ok());
    let ends = [IVec3::MIN, IVec3::MAX, at(i32::MAX, 0, i32::MIN)];
    assert!(ends.into_iter().all(|cell| world.surface_corner(cell).is_none()));
    assert_eq!(world.level_at(Vec3::splat(i32::MIN as f32)), None);
}
