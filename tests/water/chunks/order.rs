//! What the order of edits and of loading may not change.

use crate::random::{bounds, op, rules};
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use proptest::prelude::*;
use strategies::edits;
use support::water::orders::{self, Basin};

/// Two worlds of open chunks around a corner of eight, loaded in opposite orders.
fn twins(seed: u64) -> [WaterWorld; 2] {
    let bounds = Region::new(IVec3::new(-7, -2, -6), IVec3::new(8, 3, 8));
    let chunks: Vec<ChunkPos> =
        Region::new(IVec3::NEG_ONE, IVec3::ZERO).positions().map(ChunkPos::from).collect();
    let world = |chunks: &mut dyn Iterator<Item = &ChunkPos>| {
        let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
        world.insert_chunks(chunks.map(|&chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
        world
    };
    [world(&mut chunks.iter()), world(&mut chunks.iter().rev())]
}

/// A body is drawn from where a search finds its highest surface. Among cells equally high and
/// near, the place in memory decided, and with it the order of loading; a world that was saved and
/// loaded went on differently.
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
    let cell =
        world.bounds().min() + IVec3::new(i32::from(x % 16), i32::from(y % 6), i32::from(z % 15));
    let region = Region::new(
        cell,
        cell + IVec3::new(i32::from(size % 9), i32::from(size / 9 % 4), i32::from(size / 36)),
    );
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
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn disjoint_edits_commute(
        seed in any::<u64>(), rules in rules(), history in prop::collection::vec(op(), 1..16),
        one in edits::<WaterWorld>(bounds()), other in edits::<WaterWorld>(bounds())
    ) {
        prop_assume!(orders::commute(seed, rules, bounds(), &history, [&one, &other]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    /// Chunks loaded one by one in any order while water moves: at rest each layer has the same
    /// water.
    #[test]
    fn the_order_of_loading_does_not_matter_at_rest(
        seed in any::<u64>(), heights in prop::collection::vec(0u8..4, 4..40), depth in 1i32..5,
        order in Just([0usize, 1, 2, 3]).prop_shuffle(), pauses in prop::array::uniform4(0u64..12)
    ) {
        Basin { seed, heights, depth, order, pauses }.loads_in_any_order();
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
