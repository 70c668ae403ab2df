//! What the order of edits and of loading may not change.

#[path = "support/cells.rs"]
mod cells;
#[path = "support/edits.rs"]
mod edits;
#[path = "support/random.rs"]
mod random;

use edits::{Edit, Watched};
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, Cube, Region, Shape};
use proptest::prelude::*;
use random::{bounds, edit, rules};

/// The cells that an edit may write: its own, and the neighbours that displaced water goes to. `None` if it is no edit
/// of cells.
fn reach(edit: &Edit) -> Option<Region> {
    let around = |region: Region| Region::new(region.min() - 1, region.max() + 1);
    match *edit {
        Edit::SetSolid(cell)
        | Edit::ClearSolid(cell)
        | Edit::AddSource(cell)
        | Edit::RemoveSource(cell)
        | Edit::Pour(cell, _)
        | Edit::Scoop(cell, _) => Some(around(Region::cell(cell))),
        Edit::FillSolid(region) | Edit::FillWater(region, _) => Some(around(region)),
        _ => None,
    }
}

/// A world after some history, then one edit and another, and some ticks. `None` if a cell only passes water on at the
/// time of the edits: such cells dry up when they are cut off, and so do those that they feed, however far away.
fn hashes(seed: u64, rules: Rules, history: &[Edit], edits: [&Edit; 2]) -> Option<[u64; 2]> {
    let mut watched = Watched::new(seed, rules, bounds());
    history.iter().for_each(|edit| watched.apply(edit));
    let passes = |cell: IVec3| watched.world.cell(cell).is_some_and(|cell| cell.height() == 0 && !cell.is_dry());
    if bounds().positions().any(passes) {
        return None;
    }
    edits.into_iter().for_each(|edit| watched.apply(edit));
    let then = watched.world.state_hash();
    watched.world.run(4);
    Some([then, watched.world.state_hash()])
}

/// A basin of chunks within walls, with rough ground that nowhere rises above `depth`, and water on it.
fn basin(heights: &[u8], depth: i32) -> Vec<(IVec3, Chunk<Voxel>)> {
    let chunks = Region::new(IVec3::ZERO, IVec3::new(1, 0, 1)).positions();
    let voxel = |cell: IVec3| match cell.y {
        y if y <= i32::from(heights[(cell.x * 5 + cell.z * 3) as usize % heights.len()]) % depth => Voxel::SOLID,
        y if y <= depth => Voxel::water(WaterCell::STILL),
        _ => Voxel::OPEN,
    };
    let cells = |chunk| core::array::from_fn::<_, CHUNK_CELLS, _>(|index| voxel(Cube::cell_at(chunk, index)));
    chunks.map(|chunk| (chunk, Chunk::from_cells(&cells(chunk)))).collect()
}

/// Units in each layer of the world at rest, and the ticks that it took.
fn levels(world: &mut WaterWorld) -> Vec<u64> {
    for _ in 0..6_000 {
        if world.is_at_rest() {
            break;
        }
        world.step();
    }
    assert!(world.is_at_rest() && world.validate().is_ok(), "{} cells still awake", world.awake_cells());
    let layer = |y: i32| {
        let (min, max) = (world.bounds().min().with_y(y), world.bounds().max().with_y(y));
        Region::new(min, max).positions().map(|cell| u64::from(world.height(cell))).sum()
    };
    (world.bounds().min().y..=world.bounds().max().y).map(layer).collect()
}

/// Two worlds of open chunks around a corner of eight, loaded in opposite orders.
fn twins(seed: u64) -> [WaterWorld; 2] {
    let bounds = Region::new(IVec3::new(-7, -2, -6), IVec3::new(8, 3, 8));
    let chunks: Vec<IVec3> = Region::new(IVec3::NEG_ONE, IVec3::ZERO).positions().collect();
    let world = |chunks: &mut dyn Iterator<Item = &IVec3>| {
        let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
        world.insert_chunks(chunks.map(|&chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
        world
    };
    [world(&mut chunks.iter()), world(&mut chunks.iter().rev())]
}

/// A body is drawn from where a search finds its highest surface. Among cells equally high and near, the place in memory
/// decided, and with it the order of loading; a world that was saved and loaded went on differently.
#[test]
fn a_body_gives_the_same_water_whatever_the_order_in_which_its_chunks_came() {
    let mut worlds = twins(18);
    for world in &mut worlds {
        world.fill_solid(Region::new(IVec3::new(-7, -2, -6), IVec3::new(8, -1, 8))).unwrap();
        world.run(12);
        world.fill_water(Region::new(IVec3::new(-5, 1, -4), IVec3::new(0, 3, 7)), 7).unwrap();
        world.run(2);
        world.pour(IVec3::new(4, 1, 8), 7).unwrap();
    }
    let [mut forward, mut backward] = worlds;
    let mut loaded = WaterWorld::load(&backward.save()).unwrap();
    for tick in 0..40 {
        for world in [&mut forward, &mut backward, &mut loaded] {
            world.step();
        }
        assert_eq!(backward.state_hash(), forward.state_hash(), "tick {tick}");
        assert_eq!(loaded.state_hash(), forward.state_hash(), "tick {tick}, loaded");
    }
}

/// What is done to both twins, from a few numbers.
fn disturb(world: &mut WaterWorld, [what, x, y, z, size]: [u8; 5]) {
    let cell = world.bounds().min() + IVec3::new(i32::from(x % 16), i32::from(y % 6), i32::from(z % 15));
    let region =
        Region::new(cell, cell + IVec3::new(i32::from(size % 9), i32::from(size / 9 % 4), i32::from(size / 36)));
    let region = region.intersection(&world.bounds()).unwrap();
    match what % 8 {
        0..=3 => _ = world.fill_water(region, 7),
        4 => _ = world.fill_solid(region),
        5 => _ = world.pour(cell, 40),
        6 => _ = world.add_source(cell),
        _ => _ = world.clear_solid(cell),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn disjoint_edits_commute(
        seed in any::<u64>(), rules in rules(), history in prop::collection::vec(edit(), 1..16),
        one in edit(), other in edit()
    ) {
        let apart = match (reach(&one), reach(&other)) {
            (Some(one), Some(other)) => one.intersection(&other).is_none(),
            _ => false,
        };
        prop_assume!(apart);
        let hashes = |edits| hashes(seed, rules, &history, edits);
        let first = hashes([&one, &other]);
        prop_assume!(first.is_some());
        prop_assert_eq!(first, hashes([&other, &one]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Chunks that come one by one while water moves, in any order: in the end the same water stands as high.
    #[test]
    fn the_order_of_loading_does_not_matter_at_rest(
        seed in any::<u64>(), heights in prop::collection::vec(0u8..4, 4..40), depth in 1i32..5,
        order in Just([0usize, 1, 2, 3]).prop_shuffle(), pauses in prop::array::uniform4(0u64..12)
    ) {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 7, 31));
        let chunks = basin(&heights, depth);
        let world = || WaterWorld::with_bounds(seed, Rules::lossless(), bounds).expect("rules within their ranges");
        let (mut at_once, mut one_by_one) = (world(), world());
        prop_assert_eq!(at_once.insert_chunks(chunks.iter().cloned()), Ok(()));
        for (at, pause) in order.into_iter().zip(pauses) {
            let (position, chunk) = chunks[at].clone();
            prop_assert_eq!(one_by_one.insert_chunk(position, chunk), Ok(()));
            one_by_one.run(pause);
        }
        prop_assert_eq!(levels(&mut one_by_one), levels(&mut at_once));
        prop_assert_eq!(one_by_one.total(), at_once.total());
    }

    #[test]
    fn the_order_of_loading_never_matters(
        seed in any::<u64>(),
        deeds in prop::collection::vec((any::<[u8; 5]>(), 0..12u8), 2..10),
    ) {
        let [mut forward, mut backward] = twins(seed);
        for (deed, ticks) in deeds.into_iter().chain([([7, 0, 0, 0, 0], 40)]) {
            disturb(&mut forward, deed);
            disturb(&mut backward, deed);
            for _ in 0..ticks {
                forward.step();
                backward.step();
                prop_assert_eq!(forward.state_hash(), backward.state_hash(), "tick {}", forward.ticks());
            }
        }
    }
}
