//! Which chunks stand still, by the positions of the players.

use crate::random::{bounds, op, rules};
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water::{Edit, Ring, Rules, SimulationDistance, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use proptest::prelude::*;
use support::water::Op;
use support::water::simulation::{self, Parts, count, distance};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20) })]

    /// With edits of all kinds in line, some of them refused, in the middle of ticks; and the world
    /// is the one in which the same edits were made by hand.
    #[test]
    fn its_edits_are_those_of_a_naive_model_and_do_what_those_made_by_hand_do(
        seed in any::<u64>(), rules in rules(), ops in prop::collection::vec(op(), 1..40)
    ) {
        simulation::is_the_models(seed, rules, bounds(), &ops);
    }
}

/// In the worlds of the test above, chunks do stand still and go on.
#[test]
fn by_the_model_chunks_are_switched() {
    let switched =
        |seed| simulation::is_the_models(seed, Rules::lossless(), bounds(), &[Op::Step(12)]);
    let switched: usize = (0..30).map(switched).sum();
    assert!(switched > 300, "{switched}");
}

/// Open columns of two chunks on a floor, with water at random heights, and nothing that takes any.
fn plain(seed: u64, columns: i32) -> WaterWorld {
    let mut rng = Rng::with_seed(seed);
    let last = IVec3::new(columns - 1, 1, columns - 1);
    let bounds = Region::new(IVec3::ZERO, last * 16 + 15);
    let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
    let chunks = Region::new(IVec3::ZERO, last).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    for _ in 0..4 * columns {
        let max = bounds.max();
        let pool = IVec3::new(rng.i32(0..=max.x), rng.i32(0..20), rng.i32(0..=max.z));
        world.fill_water(Region::new(pool, (pool + 6).min(max)), rng.u8(1..8)).unwrap();
    }
    world
}

fn chunks(world: &WaterWorld) -> Vec<ChunkPos> {
    world.chunks().map(|(chunk, _)| chunk).collect()
}

/// Makes the edits of a call, a tick, and returns how many chunks were switched.
fn tick(world: &mut WaterWorld, distance: &SimulationDistance, players: &[ChunkPos]) -> usize {
    let edits = distance.edits(world, players);
    let switched = edits.iter().map(count).sum();
    let queued = edits.len();
    edits.into_iter().for_each(|edit| _ = world.queue(edit));
    world.step();
    let reports = world.take_edit_reports();
    assert!(reports.len() == queued && reports.iter().all(|report| report.result.is_ok()));
    switched
}

#[test]
fn enough_calls_come_to_the_target_within_the_limit_and_no_unit_is_lost() {
    let mut thawed = 0;
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let mut world = plain(seed, 7);
        let total = world.total();
        let parts = Parts { rings: vec![Ring::always(rng.u32(..3))], ..Parts::random(&mut rng) };
        let limit = 1 + parts.limit;
        let distance_of = Parts { limit, ..parts.clone() }.distance();
        for _ in 0..4 {
            let mut player = || ChunkPos::new(rng.i32(-1..8), rng.i32(-99..99), rng.i32(-1..8));
            let players: Vec<ChunkPos> = (0..2).map(|_| player()).collect();
            let before: Vec<ChunkPos> = world.frozen_chunks().collect();
            // The target, with what may stay as it is.
            let should_freeze = |chunk: &ChunkPos| {
                let nearest = players.iter().map(|&player| distance(*chunk, player)).min();
                let beyond = nearest.unwrap() - i64::from(parts.rings[0].distance);
                match beyond {
                    _ if beyond <= 0 => false,
                    _ if beyond > i64::from(parts.hysteresis) => true,
                    _ => before.contains(chunk),
                }
            };
            let target: Vec<ChunkPos> = chunks(&world).into_iter().filter(should_freeze).collect();
            let differ = |frozen: &[ChunkPos]| {
                let missing = target.iter().filter(|chunk| !frozen.contains(chunk)).count();
                missing + frozen.iter().filter(|chunk| !target.contains(chunk)).count()
            };
            let mut left = differ(&before);
            while left > 0 {
                let switched = tick(&mut world, &distance_of, &players);
                assert_eq!(switched, limit.min(left), "seed {seed}");
                left -= switched;
                let frozen: Vec<ChunkPos> = world.frozen_chunks().collect();
                assert_eq!(differ(&frozen), left, "each is switched once, seed {seed}");
                assert_eq!(world.total(), total, "seed {seed}");
                thawed += before.len().saturating_sub(frozen.len());
            }
            world.validate().unwrap();
            assert_eq!(tick(&mut world, &distance_of, &players), 0, "seed {seed}");
        }
    }
    assert!(thawed > 0, "some came near");
}

/// What is nearest goes on first, what is farthest stands still first; and if more wait of both
/// than the limit, neither has to wait for all of the other.
#[test]
fn the_nearest_are_thawed_first_and_the_farthest_frozen_first() {
    let mut world = plain(1, 7);
    let distance = SimulationDistance::new([Ring::always(1)]).unwrap().with_limit(6);
    let (here, there) = (ChunkPos::new(0, 0, 3), ChunkPos::new(6, 0, 3));
    world.freeze(chunks(&world)).unwrap();
    // Nothing is to be frozen, so the whole limit is for thawing.
    let [Edit::Thaw(first)] = &distance.edits(&world, &[here])[..] else { panic!("thaws alone") };
    let column = |x: i32, z: i32| [0, 1].map(|y| ChunkPos::new(x, y, z));
    assert_eq!(first[..], [column(0, 3), column(0, 2), column(0, 4)].concat());
    while tick(&mut world, &distance, &[here]) > 0 {}
    let edits = distance.edits(&world, &[there]);
    let [Edit::Freeze(far), Edit::Thaw(near)] = &edits[..] else { panic!("both: {edits:?}") };
    assert_eq!(far[..], [&column(0, 2)[..], &column(0, 3)[..1]].concat());
    assert_eq!(near[..], [&column(6, 3)[..], &column(5, 2)[..1]].concat());
    assert_eq!(distance.edits(&world, &[]).len(), 1, "without players all is to stand still");
    world.freeze(chunks(&world)).unwrap();
    assert_eq!(distance.edits(&world, &[]), []);
}

#[test]
fn a_player_who_walks_to_and_fro_across_a_border_switches_nothing() {
    let mut world = plain(2, 7);
    let distance = SimulationDistance::new([Ring::always(1)]).unwrap().with_hysteresis(1);
    let [one, other] = [2, 3].map(|x| ChunkPos::new(x, 0, 3));
    let switched: Vec<usize> =
        (0..8).map(|at| tick(&mut world, &distance, &[[one, other][at % 2]])).collect();
    // Once the columns to the east were thawed, those to the west stay, too.
    assert_eq!(switched[1..], [10, 0, 0, 0, 0, 0, 0], "{switched:?}");
    let without = distance.with_hysteresis(0);
    (0..8).for_each(|at| assert!(tick(&mut world, &without, &[[one, other][at % 2]]) > 0));
}

/// With room for all at once, a chunk is simulated in the ticks of its ring and in no others.
#[test]
fn a_ring_is_simulated_in_its_turns() {
    let mut world = plain(3, 7);
    let total = world.total();
    let rings = [
        Ring::always(0),
        Ring { distance: 2, active: 3, period: 8 },
        Ring { distance: 4, active: 1, period: 4 },
    ];
    let distance_of = SimulationDistance::new(rings).unwrap().with_hysteresis(0);
    let player = ChunkPos::new(3, 0, 3);
    let chunks = chunks(&world);
    let mut live = vec![0; chunks.len()];
    for _ in 0..32 {
        let edits = distance_of.edits(&world, &[player]);
        edits.into_iter().for_each(|edit| _ = world.apply(edit).unwrap());
        chunks
            .iter()
            .zip(&mut live)
            .for_each(|(&at, live)| *live += u32::from(!world.is_frozen(at)));
        world.step();
    }
    for (&chunk, live) in chunks.iter().zip(live) {
        // A ring includes the nearer ones: of 8 ticks, ticks 0, 1, 2 and 0, 4.
        let expected = [32, 16, 16, 8][distance(chunk, player) as usize];
        assert_eq!(live, expected, "{chunk}");
    }
    assert_eq!(world.total(), total);
    world.validate().unwrap();
}

/// Whatever it is told, the distances stay between the least and those given at first.
#[test]
fn lag_makes_distances_shorter_and_calm_makes_them_longer() {
    let rings = [Ring::always(3), Ring { distance: 6, active: 4, period: 8 }];
    let mut distance = SimulationDistance::new(rings).unwrap().with_least(2);
    let reach = |distance: &SimulationDistance| [0, 4].map(|tick| distance.reach(tick).unwrap());
    assert_eq!(reach(&distance), [6, 3]);
    let reached: Vec<_> = (0..6)
        .map(|_| {
            distance.adapt(9, 10, 1.0);
            reach(&distance)
        })
        .collect();
    assert_eq!(reached, [[5, 2], [4, 2], [3, 2], [2, 2], [2, 2], [2, 2]]);
    assert_eq!(distance.reduction(), 4);
    distance.adapt(19, 20, 1.0);
    (0..9).for_each(|_| distance.adapt(20, 20, 1.0));
    assert_eq!(distance.reduction(), 4, "nine calls are not enough");
    distance.adapt(0, 0, 1.0);
    assert_eq!(reach(&distance), [3, 2], "no ticks, no lag");
    (0..100).for_each(|_| distance.adapt(u64::MAX, u64::MAX, 1.0));
    assert_eq!((reach(&distance), distance.reduction()), ([6, 3], 0));
    distance.adapt(0, u64::MAX, 0.05);
    assert_eq!(distance.reduction(), 1);
    // For five minutes something else takes the time: it shortens nothing, and longer again at
    // last.
    (0..300).for_each(|_| distance.adapt(0, 20, 0.04));
    assert_eq!(distance.reduction(), 0);
    // A distance that is shorter than the least by itself stays.
    let mut short = SimulationDistance::new([Ring::always(1)]).unwrap().with_least(5);
    short.adapt(0, 20, 1.0);
    assert_eq!((short.reach(0), short.reduction()), (Some(1), 0));
}

#[test]
fn rings_that_are_none_are_refused_with_their_number() {
    let of =
        |rings: &[Ring]| SimulationDistance::new(rings.iter().copied()).unwrap_err().to_string();
    assert_eq!(of(&[]), "rings is at least one, not none");
    let rings = [Ring::always(2), Ring::always(2)];
    assert_eq!(of(&rings), "distance is above 2 in ring 1, not 2");
    for (ticks, every) in [(0, 4), (5, 4), (0, 0), (1, 0)] {
        let ring = Ring { distance: 4, active: ticks, period: every };
        let error = of(&[Ring::always(2), ring]);
        assert_eq!(
            error,
            format!("active is 1 to {every} of {every} ticks in ring 1, not {ticks}")
        );
    }
    assert_eq!(
        SimulationDistance::new([Ring::always(u32::MAX)]).unwrap().reach(u64::MAX),
        Some(u32::MAX)
    );
}

/// Positions at both ends of the range, and distances beyond it.
#[test]
fn no_position_overflows() {
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    let ends = [i32::MIN >> 4, i32::MAX >> 4].map(|end| ChunkPos::new(end, end, end));
    world.insert_chunks(ends.map(|end| (end, Chunk::uniform(Voxel::OPEN)))).unwrap();
    let players = [IVec3::MIN, IVec3::MAX].map(ChunkPos::from);
    let [near, far] = [1 << 20, u32::MAX].map(|distance| {
        SimulationDistance::new([Ring::always(distance)]).unwrap().with_hysteresis(u32::MAX >> 12)
    });
    assert_eq!(near.edits(&world, &players), [Edit::Freeze(ends.to_vec())]);
    assert_eq!(far.edits(&world, &players), []);
}
