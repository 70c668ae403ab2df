//! A client draws what the server would: all that is drawn and felt of a mirror equals that of the
//! world, bit by bit.

use super::surface::at;
use fastrand::Rng;
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::{
    Edge, Edges, Fall, Feed, FlowField, Mirror, Rules, SurfaceMesh, Update, Voxel, WaterView,
    WaterWorld,
};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape};
use support::worlds;

/// What is seen and felt: each mesh, each fall, and numbers at points, as bits.
#[derive(Debug, PartialEq)]
struct Drawn(Vec<SurfaceMesh>, Vec<Fall>, Vec<u32>);

fn drawn(view: &dyn WaterView, region: Region, flow: &FlowField, points: &[Vec3]) -> Drawn {
    let chunks = || Region::new(region.min() >> 4, region.max() >> 4).positions();
    let mut numbers = Vec::new();
    for &point in points {
        let cell = point.floor().as_ivec3();
        numbers.extend(view.surface_corner(cell).map(f32::to_bits));
        numbers.extend(view.level_at(point).map(f32::to_bits));
        numbers.push(view.depth_below(point).to_bits());
        let under = view.submerged(point, point + Vec3::new(2.3, 1.7, 1.1)).unwrap();
        let vectors = [under.centre, flow.at(view, point), flow.cell(cell)];
        numbers.push(under.volume.to_bits());
        numbers.extend(vectors.into_iter().flat_map(|vector| vector.to_array()).map(f32::to_bits));
        numbers.push(view.units(cell).into());
    }
    let meshes = chunks().map(|chunk| view.surface_mesh(chunk.into(), Some(flow)));
    Drawn(meshes.collect(), chunks().flat_map(|chunk| view.falls(chunk.into())).collect(), numbers)
}

/// Draws a world and a mirror that follows it by bytes, after edits and ticks, whole and in slices.
/// Returns the triangles, falls and flowing chunks.
fn compare(seed: u64, world: &mut WaterWorld) -> [usize; 3] {
    let mut rng = Rng::with_seed(seed);
    let (mut feed, mut mirror) = (Feed::new(world), Mirror::new(100));
    feed.send_currents();
    let all: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
    mirror.apply(&feed.whole(world, all)).unwrap();
    let (mut flow, mut copied, mut seen) = (FlowField::new(), FlowField::new(), [0; 3]);
    let (low, high) = (world.bounds().min() - 2, world.bounds().max() + 2);
    for round in 0..12 {
        match rng.u8(..4) {
            0 => worlds::edit_water(world, &mut rng),
            1 => _ = world.step_within(rng.u64(..300)),
            2 => _ = world.run(rng.u64(..3)),
            _ => _ = world.step(),
        }
        let update = feed.take(world).to_bytes();
        mirror.apply(&Update::from_bytes(&update).unwrap()).unwrap();
        flow.update(world);
        copied.update(&mirror);
        let mut along = |axis: fn(IVec3) -> i32| rng.f32() * (axis(high) - axis(low)) as f32;
        let mut point =
            || low.as_vec3() + Vec3::new(along(|at| at.x), along(|at| at.y), along(|at| at.z));
        let points: Vec<Vec3> = (0..20).map(|_| point()).collect();
        let region = Region::new(low, high);
        let here = drawn(world, region, &flow, &points);
        let there = drawn(&mirror, region, &copied, &points);
        assert!(here == there, "seed {seed}, round {round}: {here:?} is drawn as {there:?}");
        assert_eq!(flow.chunks(), copied.chunks(), "seed {seed}, round {round}");
        let triangles = here.0.iter().map(|mesh| mesh.indices.len() / 3).sum::<usize>();
        for (sum, more) in seen.iter_mut().zip([triangles, here.1.len(), flow.chunks().len()]) {
            *sum += more;
        }
    }
    seen
}

#[test]
fn a_mirror_is_drawn_as_the_world_that_it_follows() {
    let mut seen = [0; 3];
    for seed in 0..40 {
        let mut world = match seed % 3 {
            0 => worlds::water_with_fixtures(seed),
            _ => worlds::water(seed),
        };
        for (sum, more) in seen.iter_mut().zip(compare(seed, &mut world)) {
            *sum += more;
        }
    }
    assert!(seen.iter().all(|&sum| sum > 500), "{seen:?} triangles, falls, flowing chunks");
}

/// A sea with a hole in it, and a world that ends in the middle of chunks at a sea: the cells of
/// these chunks beyond the end are none of the world's, for either.
#[test]
fn the_sea_and_what_lies_beyond_the_worlds_end_are_drawn_alike() {
    let mut seen = [0; 3];
    for seed in 0..8 {
        let mut outer = [Edge::Wall; 6];
        outer[Face::East.index()] = Edge::Level(2);
        outer[Face::North.index()] = Edge::Level(seed as i32 - 4);
        let rules = Rules { edges: Edges { outer, ..Edges::WALLS }, ..Rules::lossless() };
        let bounds = Region::new(at(-6, -5, -6), at(5, 6, 5));
        let mut world = WaterWorld::with_bounds(seed, rules, bounds).unwrap();
        let open = Cube::chunks_of(bounds).map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)));
        world.insert_chunks(open).unwrap();
        world.fill_sea(Region::new(at(-6, -5, -6), at(-3, -3, 5))).unwrap();
        let (mut feed, mut mirror) = (Feed::new(&mut world), Mirror::new(100));
        mirror.apply(&feed.whole(&world, Cube::chunks_of(bounds))).unwrap();
        let cells = Cube::chunks_of(bounds).flat_map(|chunk| Cube::region_of(chunk).positions());
        let is_beyond = |cell: &IVec3| !bounds.contains(*cell);
        let (mut beyond, mut sea) = (0, 0);
        for cell in cells {
            let (look, voxel) = (mirror.look(cell), world.voxel(cell));
            assert_eq!(mirror.units(cell), world.units(cell), "{cell}");
            assert_eq!(look.is_some(), voxel.is_some(), "{cell}");
            assert_eq!(look.is_some_and(|look| look.is_sea()), world.is_sea(cell), "{cell}");
            beyond += usize::from(is_beyond(&cell));
            sea += usize::from(world.is_sea(cell));
        }
        assert!(beyond > 1_000 && sea > 20);
        for (sum, more) in seen.iter_mut().zip(compare(seed, &mut world)) {
            *sum += more;
        }
    }
    assert!(seen[0] > 500, "{seen:?}");
}
