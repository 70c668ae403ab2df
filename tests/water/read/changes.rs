//! What `take_changes` and `take_all_changes` list.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::testing::look;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkChanges, ChunkPos, Cube, Face, Region, Shape};
use std::collections::{BTreeMap, BTreeSet};
use support::worlds;

fn cells_of(changes: &[ChunkChanges]) -> BTreeSet<[i32; 3]> {
    let cells = changes.iter().flat_map(|changes| {
        changes.cells.iter().map(|index| Cube::cell_at(changes.chunk, index).to_array())
    });
    cells.collect()
}

fn state(world: &WaterWorld) -> BTreeMap<[i32; 3], Voxel> {
    let chunks = world.chunks().map(|(chunk, _)| Cube::region_of(chunk));
    let cells = chunks.flat_map(|region| region.positions());
    cells.filter_map(|cell| Some((cell.to_array(), world.voxel(cell)?))).collect()
}

/// No cell too many either: each would be drawn anew for nothing.
#[test]
fn a_tick_lists_exactly_the_cells_that_differ_and_those_that_look_different() {
    let (mut all, mut seen) = (0, 0);
    for seed in 0..40 {
        let mut world = worlds::water(seed);
        let mut rng = Rng::with_seed(seed);
        for _ in 0..8 {
            worlds::edit_water(&mut world, &mut rng);
            world.step();
            world.take_changes();
            world.take_all_changes();
            let before = state(&world);
            world.step();
            let now = state(&world);
            let differing = |differ: fn(Voxel, Voxel) -> bool| -> BTreeSet<[i32; 3]> {
                let pairs = before.iter().zip(&now);
                pairs
                    .filter(|((_, was), (_, is))| differ(**was, **is))
                    .map(|(now, _)| *now.0)
                    .collect()
            };
            let differs = differing(|was, is| was != is);
            let looks_different = differing(|was, is| look(was) != look(is));
            assert!(cells_of(&world.take_all_changes()).is_superset(&differs), "seed {seed}");
            assert_eq!(cells_of(&world.take_changes()), looks_different, "seed {seed}");
            (all, seen) = (all + differs.len(), seen + looks_different.len());
        }
    }
    assert!(seen > 500 && all > seen + 500, "{all} cells differed, {seen} looked different");
}

/// A flat channel 3 wide from three springs to a draining edge.
fn river() -> WaterWorld {
    let edges = Edges::WALLS.with(Face::East, Edge::Drain);
    let bounds = Region::new(IVec3::ZERO, IVec3::new(39, 15, 4));
    let mut world =
        WaterWorld::with_bounds(5, Rules { edges, ..Rules::lossless() }, bounds).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(2, 0, 0)).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::SOLID)))).unwrap();
    for cell in Region::new(IVec3::new(0, 8, 1), IVec3::new(39, 10, 3)).positions() {
        world.clear_solid(cell).unwrap();
    }
    (1..4).for_each(|z| _ = world.add_source(IVec3::new(0, 8, z)).unwrap());
    world
}

#[test]
fn a_river_in_steady_flow_is_not_listed() {
    let mut world = river();
    world.run(600);
    assert!(world.take_changes().len() > 2);
    let drained = world.ledger().drained;
    for tick in 0..100 {
        world.step();
        let seen = cells_of(&world.take_changes());
        assert!(seen.is_empty(), "tick {tick}: {seen:?}");
    }
    assert_eq!(world.ledger().drained - drained, 100 * 21, "all that its springs offer");
}

/// A fall is one cell thick when it begins to pass water, and then becomes thicker.
#[test]
fn a_fall_is_listed_when_it_begins_grows_and_ends() {
    let rules = Rules { source_supply: 2, ..Rules::lossless() };
    let mut world = WaterWorld::new(3, rules).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    let (spring, fall) = (IVec3::new(8, 12, 8), IVec3::new(8, 6, 8));
    world.add_source(spring).unwrap();
    world.take_changes();
    let passes = |world: &WaterWorld| world.voxel(fall).and_then(look).unwrap();
    let mut listed = 0;
    for tick in 0..60 {
        if tick == 30 {
            world.remove_source(spring).unwrap();
        }
        let before = passes(&world);
        world.step();
        let is_listed = cells_of(&world.take_changes()).contains(&fall.to_array());
        assert_eq!(is_listed, passes(&world) != before, "tick {tick}");
        listed += usize::from(is_listed);
    }
    assert!((2..8).contains(&listed), "{listed} times");
}

/// Each list is what changed since it was last asked for, whether the other was asked for or not,
/// and whether or not the world was saved and loaded between.
#[test]
fn the_two_lists_are_independent_and_saved() {
    let (mut seen, mut all) = (0, 0);
    for seed in 0..24 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water(seed);
        world.take_changes();
        world.take_all_changes();
        let (mut visible, mut any) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..12 {
            let before = state(&world);
            world.step();
            for (cell, now) in state(&world) {
                if before[&cell] != now {
                    any.insert(cell);
                }
                if look(before[&cell]) != look(now) {
                    visible.insert(cell);
                }
            }
            match rng.u8(..4) {
                0 => {
                    assert_eq!(cells_of(&world.take_changes()), visible, "seed {seed}");
                    seen += std::mem::take(&mut visible).len();
                }
                1 => {
                    let listed = cells_of(&world.take_all_changes());
                    assert!(listed.is_superset(&any), "seed {seed}");
                    all += std::mem::take(&mut any).len();
                }
                2 => world = WaterWorld::load(&world.save()).unwrap(),
                _ => {}
            }
        }
    }
    assert!(seen > 120 && all > 120, "{seen} visible changes, {all} in all");
}
