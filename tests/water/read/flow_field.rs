//! Smoothed flow, against a naive sweep over all cells, and what a swimmer feels of it.

use super::surface::at;
use fastrand::Rng;
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::{Edge, Edges, FlowField, Rules, Voxel, WaterView, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape};
use std::collections::BTreeMap;
use support::worlds;

/// The flow after a tick, cell by cell over the whole world.
fn smoothed(world: &WaterWorld, old: &BTreeMap<[i32; 3], Vec3>) -> BTreeMap<[i32; 3], Vec3> {
    let is_water = |cell: IVec3| world.cell(cell).is_some_and(|water| !water.is_dry());
    let was = |cell: IVec3| old.get(&cell.to_array()).copied().unwrap_or(Vec3::ZERO);
    let cells = world.bounds().positions();
    cells
        .filter(|&cell| is_water(cell))
        .filter_map(|cell| {
            let own = was(cell);
            let mut flow = own + (world.current(cell).as_vec3() / 7.0 - own) / 8.0;
            for face in Face::ALL {
                let there = cell + face.offset();
                if is_water(there) {
                    flow += (was(there) - own) / 8.0;
                }
            }
            (flow.abs().max_element() >= 0.01 / 7.0).then_some((cell.to_array(), flow))
        })
        .collect()
}

/// Runs ticks, each after an edit. Returns the cells with flow, summed over all ticks.
fn compare_flow(
    seed: u64,
    world: &mut WaterWorld,
    ticks: u64,
    mut edit: impl FnMut(&mut WaterWorld, u64),
) -> usize {
    let (mut flow, mut naive, mut moving) = (FlowField::new(), BTreeMap::new(), 0);
    for tick in 0..ticks {
        edit(world, tick);
        world.step();
        flow.update(world);
        naive = smoothed(world, &naive);
        let chunks = flow.chunks().into_iter();
        let cells = chunks.flat_map(|chunk| Cube::region_of(chunk).positions());
        let seen: BTreeMap<_, _> = cells
            .map(|cell| (cell.to_array(), flow.cell(cell)))
            .filter(|&(_, flow)| flow != Vec3::ZERO)
            .collect();
        assert_eq!(seen, naive, "seed {seed}, tick {tick}");
        assert!(seen.values().all(|flow| flow.abs().max_element() <= 1.0), "seed {seed}");
        moving += seen.len();
    }
    moving
}

#[test]
fn flow_is_that_of_a_naive_sweep_over_all_cells() {
    let mut moving = 0;
    for seed in 0..60 {
        let mut world = worlds::water(seed);
        let mut rng = Rng::with_seed(seed);
        moving += compare_flow(seed, &mut world, 16, |world, tick| {
            if tick % 4 == 0 {
                worlds::edit_water(world, &mut rng);
            }
        });
    }
    assert!(moving > 10_000, "{moving}");
}

/// In still water flow spreads from where it is, without currents to lead the way, also to other
/// chunks.
#[test]
fn flow_spreads_in_water_that_is_still() {
    let bounds = worlds::water(0).bounds();
    let (low, high) = (bounds.min(), bounds.max());
    let open = |seed| {
        let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
        let loaded = Region::new(low >> 4, high >> 4).positions().map(ChunkPos::from);
        world.insert_chunks(loaded.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
        world
    };
    // Scoops for some ticks. The water sinks in a chimney at the west; all else is under rock.
    let scooped = |seed, chimney: Region, lake: Region, pocket: Region, hole: IVec3| {
        let mut world = open(seed);
        world.fill_solid(bounds).unwrap();
        for region in [chimney, lake, pocket] {
            region.positions().for_each(|cell| _ = world.clear_solid(cell).unwrap());
            world.fill_water(region, 7).unwrap();
        }
        world.run(5);
        compare_flow(seed, &mut world, 60, |world, tick| {
            if tick < 4 {
                world.scoop(hole, 7).unwrap();
            }
        })
    };
    let mut moving = 0;
    // Pressure leaves no current in the cells that it passes through, only where it takes water.
    for seed in 0..6 {
        let chimney = Region::new(at(-6, -2, -3), at(-6, 6, -3));
        // Along a channel, and up into a pocket in the chunk above.
        let channel = Region::new(at(-6, -1, -3), at(5, -1, -3));
        let pocket = Region::new(at(2, 0, -3), at(3, 0, -3));
        moving += scooped(seed, chimney, channel, pocket, at(5, -1, -3));
        // The same, sideways and down.
        let side = Region::new(at(-4, -1, -2), at(-3, -1, 3));
        moving += scooped(seed, chimney, channel, side, at(5, -1, -3));
        let channel = Region::new(at(-6, 0, -3), at(5, 0, -3));
        let under = Region::new(at(2, -4, -3), at(3, -1, -3));
        moving += scooped(seed, chimney, channel, under, at(5, 0, -3));
    }
    assert!(moving > 2_000, "{moving}");
}

#[test]
fn flow_depends_on_ticks_alone_and_ends_with_the_motion() {
    for seed in 0..20 {
        let mut world = worlds::water_within(seed, Region::new(at(-6, -5, -6), at(5, 6, 5)));
        let (mut once, mut often) = (FlowField::new(), FlowField::new());
        for _ in 0..30 {
            while !world.step_within(100).finished {
                often.update(&world);
            }
            once.update(&world);
            (0..3).for_each(|_| often.update(&world));
            assert_eq!(once.chunks(), often.chunks(), "seed {seed}");
            for cell in once.chunks().into_iter().flat_map(|c| Cube::region_of(c).positions()) {
                assert_eq!(once.cell(cell), often.cell(cell), "seed {seed}: {cell}");
            }
        }
    }
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_water(Region::new(at(0, 0, 0), at(4, 12, 15)), 7).unwrap();
    let mut flow = FlowField::new();
    let mut most = 0;
    for _ in 0..4_000 {
        world.step();
        flow.update(&world);
        most = most.max(flow.memory_bytes());
    }
    assert!(world.is_at_rest() && flow.chunks().is_empty(), "it ends with the motion");
    assert!(world.falls(ChunkPos::ZERO).is_empty(), "and so do falls");
    assert!(most > 3_000 * 8);
}

/// A flat channel 3 wide with a single spring: the stream fills one lane at a time, and wanders.
fn thin_river() -> WaterWorld {
    let edges = Edges::WALLS.with(Face::East, Edge::Drain);
    let bounds = Region::new(IVec3::ZERO, at(39, 15, 4));
    let mut world =
        WaterWorld::with_bounds(5, Rules { edges, ..Rules::lossless() }, bounds).unwrap();
    let chunks = Region::new(IVec3::ZERO, at(2, 0, 0)).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::SOLID)))).unwrap();
    for cell in Region::new(at(0, 8, 1), at(39, 10, 3)).positions() {
        world.clear_solid(cell).unwrap();
    }
    world.add_source(at(0, 8, 1)).unwrap();
    world.run(400);
    world
}

#[test]
fn a_swimmer_in_a_river_is_carried_on_in_every_lane() {
    let mut world = thin_river();
    let mut flow = FlowField::new();
    for _ in 0..60 {
        world.step();
        flow.update(&world);
    }
    let (mut still, mut samples) = (0, 0);
    for tick in 0..100 {
        world.step();
        let before = flow.clone();
        flow.update(&world);
        for x in 40..340 {
            for z in 10..40 {
                let point = Vec3::new(x as f32 / 10.0, 8.2, z as f32 / 10.0);
                let here = flow.at(&world, point);
                assert!(here.x > 0.02, "tick {tick}: {here} at {point}");
                let near = flow.at(&world, point + Vec3::new(0.01, 0.0, 0.01));
                assert!(here.distance(near) < 0.03, "tick {tick}: a jump at {point}");
                let last = before.at(&world, point);
                assert!(here.distance(last) < 0.25, "tick {tick}: from {last} to {here}");
                still += usize::from(world.current(point.floor().as_ivec3()).x == 0);
                samples += 1;
            }
        }
    }
    assert!(still * 2 > samples, "{still} of {samples} lie in cells that nothing left");
}
