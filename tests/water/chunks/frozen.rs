//! Chunks that stand still.

use crate::random::{bounds, op, rules};
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{
    ChunkRecord, Edge, Edges, Edit, EditError, Ledger, Rules, Voxel, WaterWorld,
};
use floodplain::{Chunk, ChunkPos, Cube, Region, Shape, StepReport};
use proptest::prelude::*;
use support::water::Op;
use support::water::small::watched;
use support::worlds;

fn positions(world: &WaterWorld) -> Vec<ChunkPos> {
    world.chunks().map(|(position, _)| position).collect()
}

fn cell_in(rng: &mut Rng, region: Region) -> IVec3 {
    let (min, max) = (region.min(), region.max());
    IVec3::new(rng.i32(min.x..=max.x), rng.i32(min.y..=max.y), rng.i32(min.z..=max.z))
}

/// What ticks have done to a ledger.
fn of_ticks(ledger: Ledger, before: Ledger) -> [u64; 5] {
    let of = |l: Ledger| [l.injected, l.drained, l.evaporated, l.from_sea, l.into_sea];
    let (now, then) = (of(ledger), of(before));
    core::array::from_fn(|at| now[at] - then[at])
}

/// One tick in slices of so many cells.
fn tick(world: &mut WaterWorld, budget: u64) -> StepReport {
    let mut report = StepReport::default();
    loop {
        let progress = world.step_within(budget);
        report += progress.report;
        if progress.finished {
            return report;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    /// Byte for byte, and cell by cell awake: after any history, in slices, with edits between
    /// ticks.
    #[test]
    fn for_the_others_frozen_chunks_are_as_if_they_were_not_loaded(
        seed in any::<u64>(), rules in rules(), history in prop::collection::vec(op(), 1..24)
    ) {
        let mut rng = Rng::with_seed(seed);
        let edges = Edges { unloaded: Edge::Held, ..rules.edges };
        let mut watched = watched(seed, Rules { edges, ..rules }, bounds());
        watched.play(&history).unwrap();
        let mut frozen = watched.into_world();
        let columns: Vec<_> = frozen.column_edges().map(|(column, _)| column).collect();
        columns.into_iter().for_each(|column| _ = frozen.set_edge(column, None));
        let mut still: Vec<ChunkPos> = frozen.frozen_chunks().collect();
        frozen.remove_chunks(still.drain(..)).unwrap();
        let mut without = WaterWorld::load(&frozen.save()).unwrap();
        let (stay, go): (Vec<ChunkPos>, _) = positions(&frozen).into_iter().partition(|_| rng.bool());
        frozen.freeze(go.iter().copied()).unwrap();
        without.remove_chunks(go).unwrap();
        let before = [frozen.ledger(), without.ledger()];
        for at in 0..10 {
            frozen.validate().unwrap();
            if let Some(&chunk) = stay.get(rng.usize(..stay.len().max(1))) {
                let cells = Cube::region_of(chunk).intersection(&bounds()).unwrap();
                let cell = cell_in(&mut rng, cells);
                let edit = |world: &mut WaterWorld| match at % 4 {
                    0 => world.pour(cell, 7).map(u64::from),
                    1 => world.set_solid(cell).map(|displaced| displaced.removed.into()),
                    2 => world.clear_solid(cell).map(u64::from),
                    _ => world.add_source(cell).map(u64::from),
                };
                let answer = edit(&mut frozen);
                prop_assert_eq!(answer, edit(&mut without), "tick {}", at);
            }
            let awake = |world: &WaterWorld| world.awake_chunks().collect::<Vec<_>>();
            prop_assert_eq!(awake(&frozen), awake(&without), "tick {}", at);
            let budget = rng.u64(1..300);
            prop_assert_eq!(tick(&mut frozen, budget), without.step(), "tick {}", at);
            for &chunk in &stay {
                prop_assert_eq!(frozen.chunk(chunk), without.chunk(chunk), "tick {}: {}", at, chunk);
            }
            let [one, other] = before;
            let (one, other) = (of_ticks(frozen.ledger(), one), of_ticks(without.ledger(), other));
            prop_assert_eq!(one, other, "tick {}", at);
        }
    }
}

/// A cell under the sea loses its parents in two chunks. Its descendants once woke if it lost them
/// one after the other, and slept if a tie between was cut first.
#[test]
fn freezing_chunks_wakes_the_same_neighbours_as_removing_them() {
    let sea = Region::new(IVec3::new(-5, -4, -4), IVec3::new(1, 1, -1));
    let history = [
        Op::Edit(Edit::AddSource(IVec3::new(-6, -4, -6))),
        Op::Step(2),
        Op::Edit(Edit::FillSea(sea)),
        Op::Step(10),
    ];
    let mut watched = watched(7500055896536208928, Rules::lossless(), bounds());
    watched.play(&history).unwrap();
    let saved = watched.into_world().save();
    for bits in [1, 7, 64, 90, 164, 200] {
        let [mut frozen, mut without] = [(); 2].map(|()| WaterWorld::load(&saved).unwrap());
        let chunks = positions(&frozen).into_iter().enumerate();
        let go: Vec<ChunkPos> =
            chunks.filter(|(at, _)| bits >> at & 1 != 0).map(|(_, chunk)| chunk).collect();
        frozen.freeze(go.iter().copied()).unwrap();
        without.remove_chunks(go).unwrap();
        let awake = |world: &WaterWorld| world.awake_chunks().collect::<Vec<_>>();
        assert_eq!(awake(&frozen), awake(&without), "chunks {bits:08b}");
    }
}

/// A basin of nine chunks with rocks on its floor, and enough water at random heights to cover
/// them.
fn basin(seed: u64) -> WaterWorld {
    let mut rng = Rng::with_seed(seed);
    let bounds = Region::new(IVec3::ZERO, IVec3::new(47, 15, 47));
    let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(2, 0, 2)).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    for _ in 0..40 {
        let rock = cell_in(&mut rng, bounds).with_y(0);
        let size = IVec3::new(rng.i32(0..6), rng.i32(0..2), rng.i32(0..6));
        world.fill_solid(Region::new(rock, (rock + size).min(bounds.max()))).unwrap();
    }
    for _ in 0..30 {
        let pool = cell_in(&mut rng, bounds).with_y(4);
        world.fill_water(Region::new(pool, (pool + 9).min(bounds.max())), rng.u8(1..8)).unwrap();
    }
    world
}

/// The units in each layer of a world at rest.
fn levels(world: &mut WaterWorld) -> Vec<u64> {
    world.run(4_000);
    assert!(world.is_at_rest(), "{} cells awake", world.awake_cells());
    world.validate().unwrap();
    let bounds = world.bounds();
    let units = |y: i32| {
        let layer = Region::new(bounds.min().with_y(y), bounds.max().with_y(y));
        layer.positions().map(|cell| u64::from(world.units(cell))).sum()
    };
    (bounds.min().y..=bounds.max().y).map(units).collect()
}

#[test]
fn chunks_that_stood_still_come_to_the_levels_of_those_that_never_did() {
    for seed in 0..5 {
        let mut rng = Rng::with_seed(seed);
        let (mut thawed, mut never) = (basin(seed), basin(seed));
        for _ in 0..4 {
            thawed.run(rng.u64(..12));
            let (some, others): (Vec<ChunkPos>, Vec<ChunkPos>) =
                positions(&thawed).into_iter().partition(|_| rng.bool());
            thawed.freeze(some).unwrap();
            let _ = thawed.thaw(others);
            thawed.validate().unwrap();
        }
        // At rest with some chunks frozen, and then at all.
        thawed.run(4_000);
        assert!(thawed.is_at_rest() && thawed.validate().is_ok(), "seed {seed}");
        let frozen: Vec<ChunkPos> = thawed.frozen_chunks().collect();
        thawed.thaw(frozen).unwrap();
        assert_eq!(levels(&mut thawed), levels(&mut never), "seed {seed}");
    }
}

/// Three of nine chunks in each tick, the others in every fourth.
#[test]
fn chunks_at_a_slower_pace_come_to_the_levels_of_a_world_at_one_pace() {
    for seed in 0..3 {
        let (mut paced, mut even) = (basin(seed), basin(seed));
        let total = paced.total();
        let far: Vec<ChunkPos> =
            positions(&paced).into_iter().filter(|chunk| chunk.x + chunk.z > 1).collect();
        for tick in 0..800 {
            match tick % 4 {
                0 => _ = paced.thaw(far.iter().copied()).unwrap(),
                1 => assert!(paced.freeze(far.iter().copied()).unwrap()),
                _ => {}
            }
            paced.step();
            assert_eq!(paced.total(), total, "seed {seed}, tick {tick}");
        }
        paced.validate().unwrap();
        paced.thaw(far).unwrap();
        assert_eq!(levels(&mut paced), levels(&mut even), "seed {seed}");
    }
}

/// Edits in them, too: what these set in motion waits.
#[test]
fn a_world_that_stands_still_is_never_visited() {
    let mut visited = 0;
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water(seed);
        assert_eq!(world.freeze(positions(&world)), Ok(true));
        assert_eq!(world.freeze(positions(&world)), Ok(false));
        for _ in 0..6 {
            worlds::edit_water(&mut world, &mut rng);
            world.validate().unwrap();
            let cells: Vec<_> =
                world.chunks().map(|(at, chunk)| (at, chunk.into_owned())).collect();
            let ledger = world.ledger();
            let loaded: Vec<ChunkPos> =
                positions(&world).into_iter().filter(|&chunk| !world.is_frozen(chunk)).collect();
            world.freeze(loaded).unwrap();
            let hash = world.state_hash();
            assert_eq!(world.run(3).visited, 0, "seed {seed}");
            assert_eq!((world.awake_cells(), world.ledger()), (0, ledger));
            assert!(world.chunks().map(|(at, chunk)| (at, chunk.into_owned())).eq(cells));
            assert_ne!(world.state_hash(), hash, "three ticks have passed");
        }
        world.thaw(positions(&world)).unwrap();
        visited += world.step().visited;
        world.validate().unwrap();
    }
    assert!(visited > 1_000, "{visited} cells visited once they go on");
}

/// Frozen before or after their cells were woken, they are saved as they are.
#[test]
fn frozen_chunks_are_saved_with_their_waiting_cells() {
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water(seed);
        world.run(rng.u64(..20));
        let some = positions(&world).into_iter().filter(|_| rng.bool());
        world.freeze(some.collect::<Vec<_>>()).unwrap();
        worlds::edit_water(&mut world, &mut rng);
        let mut loaded = WaterWorld::load(&world.save()).unwrap();
        assert!(loaded.frozen_chunks().eq(world.frozen_chunks()), "seed {seed}");
        assert_eq!(loaded.save(), world.save(), "seed {seed}");
        for _ in 0..5 {
            for world in [&mut world, &mut loaded] {
                world.step();
                world.thaw(world.frozen_chunks().take(1).collect::<Vec<_>>()).unwrap();
                world.validate().unwrap();
            }
            assert_eq!(loaded.state_hash(), world.state_hash(), "seed {seed}");
        }
    }
}

#[test]
fn records_of_frozen_chunks_are_those_of_chunks_that_were_thawed() {
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water(seed);
        let some: Vec<ChunkPos> = positions(&world).into_iter().filter(|_| rng.bool()).collect();
        world.freeze(some.iter().copied()).unwrap();
        let mut thawed = WaterWorld::load(&world.save()).unwrap();
        thawed.thaw(some.iter().copied()).unwrap();
        let records: Vec<ChunkRecord> = world.remove_chunks(some.iter().copied()).unwrap();
        assert_eq!(records, thawed.remove_chunks(some).unwrap(), "seed {seed}");
        world.insert_records(records).unwrap();
        assert_eq!(world.frozen_chunks().count(), 0);
        world.validate().unwrap();
    }
}

/// The sea goes on where chunks are not loaded. A frozen chunk, beside one that was unloaded, slept
/// on at it.
#[test]
fn the_sea_reaches_frozen_chunks_when_their_neighbours_are_unloaded() {
    let edges = Edges { unloaded: Edge::Level(0), ..Edges::WALLS };
    let rules = Rules { edges, ..Rules::lossless() };
    for away in [IVec3::ZERO, IVec3::new(0, 0, -1)] {
        for pools in [false, true] {
            let mut watched = watched(1, Rules { pools, ..rules }, bounds());
            let chunks = |from, to| Region::new(from, to).positions().map(ChunkPos::from).collect();
            let ops = [
                Op::Step(1),
                Op::Edit(Edit::Freeze(chunks(IVec3::new(0, -1, -1), IVec3::ZERO))),
                Op::Edit(Edit::RemoveChunks(chunks(away.with_y(-1), away))),
                Op::Step(3),
                Op::Edit(Edit::Thaw(vec![ChunkPos::new(0, -1, -1 - away.z)])),
                Op::Step(30),
            ];
            watched.play(&ops).unwrap();
            assert!(watched.world().ledger().from_sea > 0);
        }
    }
}

#[test]
fn while_chunks_settle_frozen_ones_stand_still() {
    let mut world = basin(3);
    let still = IVec3::new(1, 0, 1);
    world.freeze([still.into()]).unwrap();
    let before = world.chunk(still.into()).unwrap().into_owned();
    let settling = world.settle_now(world.bounds(), 4_000).unwrap();
    assert!(settling.is_at_rest() && world.is_frozen(still.into()));
    assert_eq!(*world.chunk(still.into()).unwrap(), before);
    world.validate().unwrap();
}

#[test]
fn a_chunk_that_is_not_loaded_cannot_be_frozen() {
    let mut world = basin(1);
    let (absent, hash) = (IVec3::new(9, 0, 0), world.state_hash());
    assert_eq!(
        world.freeze([ChunkPos::ZERO, absent.into()]),
        Err(EditError::ChunkAbsent(absent.into()))
    );
    assert_eq!(world.state_hash(), hash);
    assert!(world.freeze([ChunkPos::ZERO, ChunkPos::ZERO]).unwrap());
    assert_eq!(
        world.thaw([ChunkPos::ZERO, absent.into()]),
        Err(EditError::ChunkAbsent(absent.into()))
    );
    assert!(world.is_frozen(ChunkPos::ZERO) && world.state_hash() != hash);
    assert!(world.thaw([ChunkPos::ZERO]).unwrap());
    assert_eq!(world.thaw([ChunkPos::ZERO]), Ok(false));
}

/// The ties of chunks that left to each other were cut first, and woke what hung on them outside.
#[test]
fn chunks_that_leave_wake_what_they_do_when_they_freeze() {
    let mut outer = [Edge::Wall; 6];
    outer[1] = Edge::Level(-1);
    let edges = Edges { outer, unloaded: Edge::Held };
    let rules = Rules { edges, ..Rules::lossless() };
    let mut watched = watched(8_157_362_870_011_334_447, rules, bounds());
    watched.play(&[Op::Edit(Edit::AddSource(IVec3::new(4, -1, 1))), Op::Step(11)]).unwrap();
    let mut frozen = watched.into_world();
    let mut without = WaterWorld::load(&frozen.save()).unwrap();
    let go = [[0, -1, -1], [0, -1, 0], [-1, 0, -1]].map(ChunkPos::from);
    frozen.freeze(go).unwrap();
    without.remove_chunks(go).unwrap();
    assert!(frozen.awake_chunks().eq(without.awake_chunks()));
}
