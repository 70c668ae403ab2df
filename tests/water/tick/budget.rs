//! Ticks in slices: however small the budget, the same bytes, and nothing is dropped.

use fastrand::Rng;
use floodplain::Progress;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Ledger, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region, StepReport};
use support::worlds;

/// The most that a piece counts: the cells of a chunk and, once more, 16 rows.
const PIECE: u64 = 4_096 + 16;

/// Runs one tick with this budget for each call, and checks what holds between the calls.
fn tick_in_slices(world: &mut WaterWorld, mut budget: impl FnMut() -> u64) -> StepReport {
    let (ticks, mut sum) = (world.ticks(), StepReport::default());
    loop {
        let budget = budget();
        let Progress { report, visited, finished } = world.step_within(budget);
        sum += report;
        assert!(visited < budget.max(1) + PIECE, "{visited} of {budget}");
        world.validate().unwrap();
        assert_eq!(world.ticks(), ticks + u64::from(finished));
        if finished {
            assert_eq!(world.backlog(), 0);
            return sum;
        }
        // Even when the last cell has been looked at, the tick's ending is still to come: a fuzzer
        // found a backlog of 0.
        assert!(world.backlog() > 0 && !world.is_at_rest());
    }
}

#[test]
fn slices_of_any_size_come_to_the_same_bytes() {
    for seed in 0..24 {
        let (mut whole, mut sliced) = (worlds::water(seed), worlds::water(seed));
        let mut rng = Rng::with_seed(seed);
        for tick in 0..8 {
            let most = [1, 30, 300, 3_000][rng.usize(..4)];
            let sum = tick_in_slices(&mut sliced, || rng.u64(..most));
            assert_eq!(sum, whole.step(), "seed {seed}, tick {tick}");
            assert_eq!(sliced.state_hash(), whole.state_hash(), "seed {seed}, tick {tick}");
            assert_eq!(sliced.awake_cells(), whole.awake_cells(), "seed {seed}, tick {tick}");
            assert_eq!(sliced.take_changes(), whole.take_changes(), "seed {seed}, tick {tick}");
            worlds::edit_water(&mut whole, &mut rng.clone());
            worlds::edit_water(&mut sliced, &mut rng);
        }
    }
}

/// What rises behind the wall of a lake is sought through thousands of its cells. That was one
/// piece once, whatever the budget.
#[test]
fn a_long_search_for_water_resumes_in_pieces() {
    let (mut whole, mut sliced) = (sunken_lake(), sunken_lake());
    let mut longest = 0;
    for tick in 0..60 {
        let ticks = sliced.ticks();
        let mut visited = 0;
        let mut sum = StepReport::default();
        while sliced.ticks() == ticks {
            let progress = sliced.step_within(0);
            assert!(progress.visited <= PIECE, "{} in tick {tick}", progress.visited);
            visited += progress.visited;
            sum += progress.report;
        }
        longest = longest.max(visited - sum.visited);
        assert_eq!(sum, whole.step(), "tick {tick}");
        assert_eq!(sliced.state_hash(), whole.state_hash(), "tick {tick}");
    }
    assert!(longest > 2_000, "{longest} cells beside those visited at most");
}

/// Nothing draws from puddles of one unit, which each are a body. To find them once cost nothing,
/// so that one call looked at all of them, whatever its budget.
#[test]
fn puddles_count_for_what_is_looked_at() {
    let mut world = WaterWorld::new(3, Rules::lossless()).unwrap();
    for chunk in Region::new(IVec3::ZERO, IVec3::new(3, 0, 3)).positions() {
        world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::OPEN)).unwrap();
    }
    let puddles = 32 * 32;
    for at in 0..puddles {
        world.pour(IVec3::new(at % 32 * 2, 0, at / 32 * 2), 1).unwrap();
    }
    let (mut calls, mut visited) = (1, 0);
    loop {
        let progress = world.step_within(1);
        visited += progress.visited;
        if progress.finished {
            break;
        }
        calls += 1;
    }
    assert!(visited >= 3 * puddles as u64 && calls >= puddles / 32, "{visited} in {calls} calls");
}

/// A lake of 48×8×48 cells behind a wall, under which one cell leads into an empty basin.
fn sunken_lake() -> WaterWorld {
    let mut world = WaterWorld::new(5, Rules::lossless()).unwrap();
    for chunk in Region::new(IVec3::ZERO, IVec3::new(3, 0, 2)).positions() {
        world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::OPEN)).unwrap();
    }
    world.fill_solid(Region::new(IVec3::new(48, 0, 0), IVec3::new(48, 15, 47))).unwrap();
    world.fill_water(Region::new(IVec3::ZERO, IVec3::new(47, 7, 47)), 7).unwrap();
    world.clear_solid(IVec3::new(48, 0, 24)).unwrap();
    world
}

/// The cells of a world and its ledger.
fn shown(world: &WaterWorld) -> (Vec<(ChunkPos, Chunk<Voxel>)>, Ledger, u64) {
    let chunks = world.chunks().map(|(position, chunk)| (position, chunk.into_owned()));
    (chunks.collect(), world.ledger(), world.ticks())
}

/// Wherever a tick stops, the world is saved as it was when the tick began, and has the same hash.
#[test]
fn a_snapshot_taken_anywhere_in_a_tick_is_that_of_its_beginning() {
    let mut stops = 0;
    for seed in 0..25 {
        let mut world = worlds::water(seed);
        for tick in 0..3 {
            let (bytes, hash, beginning) = (world.save(), world.state_hash(), shown(&world));
            while !world.step_within(0).finished {
                assert!(world.save() == bytes, "seed {seed}, tick {tick}");
                assert_eq!(world.state_hash(), hash, "seed {seed}, tick {tick}");
                stops += 1;
            }
            let mut loaded = WaterWorld::load(&bytes)
                .unwrap_or_else(|error| panic!("seed {seed}, {tick}: {error}"));
            assert_eq!((loaded.state_hash(), loaded.backlog()), (hash, 0), "seed {seed}");
            assert!(shown(&loaded) == beginning, "seed {seed}, tick {tick}");
            assert_eq!(loaded.validate(), Ok(()), "seed {seed}, tick {tick}");
            loaded.step();
            assert!(loaded.save() == world.save(), "seed {seed}, tick {tick}: other bytes");
        }
    }
    assert!(stops > 1_000, "{stops} stops");
}

/// What edits changed is published when it is asked for, and what a tick changes when it is
/// complete: neither again, nor too early, by a world that was saved and loaded between.
#[test]
fn changes_are_published_once_wherever_in_a_tick_the_world_is_saved() {
    let (mut edited, mut changed) = (0, 0);
    for seed in 0..25 {
        let mut world = worlds::water(seed);
        world.step();
        worlds::edit_water(&mut world, &mut Rng::with_seed(seed));
        let mut whole = WaterWorld::load(&world.save()).unwrap();
        let by_edits = whole.take_changes();
        whole.step();
        let by_the_tick = whole.take_changes();
        let mut expected = by_edits.clone();
        while !world.step_within(0).finished {
            assert_eq!(world.take_changes(), expected, "seed {seed}");
            expected.clear();
            let mut loaded = WaterWorld::load(&world.save()).unwrap();
            assert!(loaded.take_changes().is_empty(), "seed {seed}: published again");
            loaded.step();
            assert_eq!(loaded.take_changes(), by_the_tick, "seed {seed}");
        }
        if expected.is_empty() {
            assert_eq!(world.take_changes(), by_the_tick, "seed {seed}");
        }
        edited += by_edits.len();
        changed += by_the_tick.len();
    }
    assert!(edited > 20 && changed > 50, "{edited} chunks edited, {changed} changed by ticks");
}

#[test]
fn an_edit_ends_the_tick_and_a_refused_one_does_not() {
    for seed in 0..40 {
        let (mut whole, mut sliced) = (worlds::water(seed), worlds::water(seed));
        let mut rng = Rng::with_seed(seed);
        for round in 0..6 {
            let underway = !sliced.step_within(rng.u64(..40)).finished;
            let ticks = sliced.ticks();
            check_refusals(&mut sliced);
            whole.step();
            worlds::edit_water(&mut whole, &mut rng.clone());
            worlds::edit_water(&mut sliced, &mut rng);
            if underway && sliced.ticks() == ticks {
                // The edit was refused.
                sliced.step();
            }
            assert_eq!(sliced.state_hash(), whole.state_hash(), "seed {seed}, round {round}");
            sliced.validate().unwrap();
        }
    }
}

/// A world that is loaded is between two ticks, whenever it was saved.
#[test]
fn an_edit_of_a_world_that_was_saved_in_the_middle_of_a_tick_comes_before_that_tick() {
    let mut underway = 0;
    for seed in 0..40 {
        let (mut whole, mut sliced) = (worlds::water(seed), worlds::water(seed));
        let mut rng = Rng::with_seed(seed);
        for round in 0..6 {
            if sliced.step_within(rng.u64(..40)).finished {
                whole.step();
            } else {
                underway += 1;
            }
            sliced = WaterWorld::load(&sliced.save()).unwrap();
            check_refusals(&mut sliced);
            worlds::edit_water(&mut whole, &mut rng.clone());
            worlds::edit_water(&mut sliced, &mut rng);
            assert!(sliced.save() == whole.save(), "seed {seed}, round {round}");
            sliced.validate().unwrap();
        }
    }
    assert!(underway > 100, "{underway} worlds in the middle of a tick");
}

/// Edits that are refused change neither the state nor how far a tick has come.
fn check_refusals(world: &mut WaterWorld) {
    let before = (world.state_hash(), world.ticks(), world.backlog());
    assert!(world.pour(IVec3::splat(100), 7).is_err());
    assert!(world.remove_chunk(ChunkPos::new(9, 9, 9)).is_err());
    assert!(world.insert_chunk(ChunkPos::new(9, 9, 9), Chunk::uniform(Voxel::OPEN)).is_err());
    assert_eq!((world.state_hash(), world.ticks(), world.backlog()), before);
}

#[test]
fn waking_all_ends_the_tick_underway_and_a_loaded_world_has_none() {
    let mut underway = 0;
    for seed in 0..40 {
        let (mut world, mut before) = (worlds::water(seed), worlds::water(seed));
        let ticks = world.ticks();
        underway += usize::from(!world.step_within(0).finished);
        let mut loaded = WaterWorld::load(&world.save()).unwrap();
        let done = loaded.ticks() - ticks;
        before.run(done);
        for (world, done) in [(&mut world, 1), (&mut loaded, done), (&mut before, done)] {
            world.wake_all();
            assert_eq!((world.ticks(), world.backlog()), (ticks + done, 0), "seed {seed}");
        }
        assert!(loaded.save() == before.save(), "seed {seed}");
    }
    assert!(underway > 20, "only {underway} worlds in the middle of a tick");
}

#[test]
fn the_backlog_shrinks_to_nothing_in_a_world_where_nothing_wakes() {
    let mut world = WaterWorld::new(3, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 2, 15)), 7).unwrap();
    world.run(60);
    assert!(world.is_at_rest());
    assert_eq!(world.backlog(), 0);
    world.wake_all();
    let mut before = u64::MAX;
    while !world.step_within(0).finished {
        let backlog = world.backlog();
        assert!(backlog <= before, "{backlog} after {before}");
        before = backlog;
    }
    assert_eq!(world.backlog(), 0);
}

/// An edit that finds what it would make is none: it does not end the tick underway, which may take
/// as long as the whole tick.
#[test]
fn edits_that_change_nothing_leave_the_tick_underway() {
    let mut underway = 0;
    for seed in 0..20 {
        let mut world = worlds::water(seed);
        let cells: Vec<IVec3> =
            world.bounds().positions().filter(|&cell| world.voxel(cell).is_some()).collect();
        let is_spring =
            |world: &WaterWorld, cell| world.cell(cell).is_some_and(|cell| cell.is_source());
        if world.step_within(1).finished {
            continue;
        }
        underway += 1;
        let (backlog, hash) = (world.backlog(), world.state_hash());
        for &cell in &cells {
            match (world.is_solid(cell), is_spring(&world, cell)) {
                (true, _) => assert_eq!(world.set_solid(cell), Ok(Default::default())),
                (_, true) => assert_eq!(
                    (world.add_source(cell), world.clear_solid(cell)),
                    (Ok(false), Ok(false))
                ),
                _ => assert_eq!(
                    (world.remove_source(cell), world.clear_solid(cell)),
                    (Ok(false), Ok(false))
                ),
            }
        }
        assert_eq!((world.backlog(), world.state_hash()), (backlog, hash), "seed {seed}");
        let (cell, ticks) = (cells[seed as usize], world.ticks());
        world.set_solid(cell).and_then(|_| world.clear_solid(cell)).unwrap();
        assert_eq!(
            (world.backlog(), world.ticks()),
            (0, ticks + 1),
            "seed {seed}: one that changes something ends it"
        );
    }
    assert!(underway > 15, "a tick underway in {underway} worlds");
}
