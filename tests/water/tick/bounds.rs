//! Bounds: how long flags are out of date, how high water rises, and when it comes to rest.

use crate::random::{bounds as cells_of_the_world, op, rules};
use floodplain::glam::IVec3;
use floodplain::testing::{Op, Watched};
use floodplain::water::{Edge, Edges, Edit, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape};
use proptest::prelude::*;
use support::water::limits;
use support::water::small::watched;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn has_source_clears_once_the_sources_are_gone(
        seed in any::<u64>(), rules in rules(), ops in prop::collection::vec(op(), 1..24)
    ) {
        let mut watched = watched(seed, rules, cells_of_the_world());
        watched.play(&ops).unwrap();
        limits::has_source_clears(&mut watched.into_world());
    }

    #[test]
    fn flow_out_clears_once_the_end_is_walled_off(
        seed in any::<u64>(), ops in prop::collection::vec(op(), 1..24)
    ) {
        limits::flow_out_clears(seed, cells_of_the_world(), &ops);
    }

    #[test]
    fn no_water_rises_above_its_source(
        seed in any::<u64>(), throughput in 1u8..=7, many_parents in any::<bool>(),
        ground in prop::collection::vec((0..12i32, 0..12i32, 0..12i32), 0..60),
        springs in prop::array::uniform2(prop::collection::vec((0..5i32, 1..9i32, 0..12i32), 1..4)),
    ) {
        let rules = Rules { throughput, many_parents, ..Rules::lossless() };
        let min = cells_of_the_world().min();
        let ground: Vec<IVec3> = ground.into_iter().map(|cell| min + IVec3::from(cell)).collect();
        let in_half = |half| move |(x, y, z): &(i32, i32, i32)| min + IVec3::new(x + 6 * half, *y, *z);
        let springs: Vec<IVec3> =
            springs.iter().zip(0..).flat_map(|(springs, half)| springs.iter().map(in_half(half))).collect();
        limits::stays_below_its_springs(seed, rules, cells_of_the_world(), &ground, &springs, 80);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) })]

    #[test]
    fn a_closed_world_comes_to_rest(seed in any::<u64>(), ops in prop::collection::vec(op(), 1..20)) {
        limits::comes_to_rest(seed, cells_of_the_world(), &ops);
    }
}

/// A cell that dried up was cut from its children only after the tick had decided which cells have
/// a source. So its children kept HasSource for a tick longer, in a world as small as this.
#[test]
fn cells_lose_has_source_when_their_feeder_dries_up() {
    for seed in 0..40 {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(7, 5, 3));
        let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        world.add_source(IVec3::new(6, 4, 3)).unwrap();
        for _ in 0..60 {
            world.step();
            assert_eq!(world.validate(), Ok(()), "seed {seed}, tick {}", world.ticks());
        }
    }
}

/// Two ways of steady flow joined to a circle, in which the water went round for ever once the ends
/// were walled off.
#[test]
fn nothing_flows_in_a_circle_once_the_end_is_walled_off() {
    let water = Region::new(IVec3::new(-3, -3, 2), IVec3::new(3, 4, 3));
    let ops = [
        Op::Step(5),
        Op::Edit(Edit::AddSource(IVec3::new(-1, -4, 2))),
        Op::Edit(Edit::FillWater { region: water, height: 3 }),
        Op::Step(12),
    ];
    limits::flow_out_clears(1_363_422_839_384_017_911, cells_of_the_world(), &ops);
}

/// The search for an idle spring once overflowed where water rises into the highest layer of the
/// range of coordinates.
#[test]
fn searches_for_springs_reach_the_end_of_the_range() {
    let bounds = Region::new(IVec3::MAX - IVec3::splat(5), IVec3::MAX);
    let springs = [bounds.min() + IVec3::new(0, 5, 4), bounds.min() + IVec3::new(0, 4, 1)];
    for seed in 40..80 {
        let rules = Rules { evaporation: 0.05, film_evaporation: 0.01, ..Rules::default() };
        for pools in [false, true] {
            let rules = Rules { pools, ..rules };
            limits::stays_below_its_springs(seed, rules, bounds, &[], &springs, 60);
        }
    }
}

/// The law that connected water does not wait before unconnected water once overflowed in the
/// lowest layer of the range of coordinates.
#[test]
fn laws_are_checked_at_both_ends_of_the_range() {
    let last = IVec3::splat(3);
    for min in [IVec3::MIN, IVec3::MAX - last] {
        let bounds = Region::new(min, min + last);
        let outer = Face::ALL.map(|face| if face == Face::East { Edge::Drain } else { Edge::Wall });
        let rules = Rules { edges: Edges { outer, unloaded: Edge::Held }, ..Rules::lossless() };
        for seed in 0..8 {
            let mut watched = Watched::new(|| {
                let mut world = WaterWorld::with_bounds(seed, rules, bounds).unwrap();
                let chunks = Cube::chunks_of(bounds).map(|at| (at, Chunk::uniform(Voxel::OPEN)));
                world.insert_chunks(chunks).unwrap();
                world
            });
            let spring = Op::Edit(Edit::AddSource(min + IVec3::new(1, 3, 2)));
            watched.play(&[spring, Op::Step(40)]).unwrap();
            watched.let_rest().unwrap();
        }
    }
}
