//! Rules that are replaced between ticks, and ticks done by time.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use std::time::Duration;
use support::worlds;

/// Rules that differ from these in one thing or in many.
fn other(rules: &Rules, rng: &mut Rng) -> Rules {
    let mut new = *rules;
    for _ in 0..rng.usize(1..4) {
        let edge = [Edge::Wall, Edge::Drain, Edge::Held, Edge::Level(1)][rng.usize(..4)];
        match rng.u8(..8) {
            0 => new.evaporation = [0.0, 0.01][rng.usize(..2)],
            1 => new.film_evaporation = [0.0, 0.1][rng.usize(..2)],
            2 => new.source_supply = rng.u8(..8),
            3 => new.throughput = rng.u8(1..8),
            4 => new.edges.outer[rng.usize(..6)] = edge,
            5 => new.edges.unloaded = edge,
            6 => new.pools = !new.pools,
            _ => new.many_parents = !new.many_parents,
        }
    }
    new
}

/// Saved and loaded, a world has all that is kept beside the state made by the new rules.
#[test]
fn a_world_with_other_rules_continues_as_one_loaded_with_them() {
    let (mut changed, mut lowered, mut loaded) = (0, 0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water(seed);
        for round in 0..6 {
            let rules = other(world.rules(), &mut rng);
            let ticks = world.ticks();
            world.step_within(rng.u64(..60));
            let largest = |world: &WaterWorld| -> u32 {
                let cells = world.bounds().positions().filter_map(|cell| world.cell(cell));
                cells.map(|cell| u32::from(cell.largest())).sum()
            };
            world.finish_tick();
            let before = (world.ledger(), largest(&world), *world.rules());
            world.set_rules(rules).unwrap();
            assert_eq!((world.ticks(), world.backlog()), (ticks + 1, 0), "seed {seed}");
            assert_eq!((world.ledger(), *world.rules()), (before.0, rules), "seed {seed}");
            world.validate().unwrap_or_else(|law| panic!("seed {seed}, round {round}: {law}"));
            lowered += u32::from(largest(&world) < before.1);
            changed += u32::from(before.2 != rules);
            let mut again = WaterWorld::load(&world.save()).unwrap();
            for tick in 0..4 {
                if rng.bool() {
                    again.wake_all();
                }
                world.step();
                again.step();
                world.validate().unwrap_or_else(|law| panic!("seed {seed}, round {round}: {law}"));
                assert_eq!(again.state_hash(), world.state_hash(), "seed {seed}, tick {tick}");
                loaded += 1;
            }
            worlds::edit_water(&mut world, &mut rng);
        }
    }
    assert!(changed > 110 && lowered > 7, "{changed} changes of rules, {lowered} lowered");
    assert!(loaded > 370, "{loaded} ticks");
}

/// A sleeping basin, whose rules change.
fn basin(rules: Rules) -> WaterWorld {
    let mut world =
        WaterWorld::with_bounds(5, rules, Region::new(IVec3::ZERO, IVec3::new(20, 9, 20))).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(1, 0, 1)).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|at| (at, Chunk::uniform(Voxel::OPEN)))).unwrap();
    world.fill_water(Region::new(IVec3::ZERO, IVec3::new(20, 2, 20)), 7).unwrap();
    world.run(100);
    assert_eq!(world.awake_cells(), 0);
    world
}

#[test]
fn other_chances_of_evaporation_wake_nothing() {
    let mut world = basin(Rules::lossless());
    let (hash, total) = (world.state_hash(), world.total());
    let dry = Rules { evaporation: 0.01, ..*world.rules() };
    world.set_rules(dry).unwrap();
    assert_eq!((world.awake_cells(), world.state_hash()), (0, hash));
    // As if it had always had these rules, but for what was lost before.
    let mut loaded = WaterWorld::load(&world.save()).unwrap();
    world.run(300);
    loaded.run(300);
    assert!(world.save() == loaded.save());
    assert!(world.ledger().evaporated > 500, "{:?}", world.ledger());
    assert_eq!(world.total() + world.ledger().evaporated, total);
    world.set_rules(Rules::lossless()).unwrap();
    let wet = world.ledger();
    world.run(300);
    assert_eq!(world.ledger(), wet, "the dry season is over");
}

/// A wall that becomes a drain empties the basin, although all of it slept.
#[test]
fn an_edge_that_opens_lets_sleeping_water_out() {
    let mut world = basin(Rules::lossless());
    let edges = Edges { outer: [Edge::Drain; 6], ..Edges::WALLS };
    world.set_rules(Rules { edges, ..Rules::lossless() }).unwrap();
    world.run(200);
    assert_eq!((world.total(), world.validate()), (0, Ok(())));
}

#[test]
fn rules_out_of_range_change_nothing() {
    let mut world = worlds::water(4);
    world.step_within(1);
    let (hash, backlog, rules) = (world.state_hash(), world.backlog(), *world.rules());
    let refused = world.set_rules(Rules { throughput: 0, ..rules });
    assert_eq!(refused.unwrap_err().to_string(), "throughput is 1 to 7 units a tick, not 0");
    assert_eq!(world.set_rules(rules), Ok(()), "the same rules");
    assert_eq!((world.state_hash(), world.backlog(), *world.rules()), (hash, backlog, rules));
}

#[test]
fn a_tick_done_by_time_is_the_tick_in_one_call() {
    let (mut calls, mut ticks) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let (mut whole, mut timed) = (worlds::water(seed), worlds::water(seed));
        for _ in 0..6 {
            let sum = whole.step();
            let mut done = floodplain::StepReport::default();
            loop {
                calls += 1;
                let progress = match rng.bool() {
                    true => timed.step_for(Duration::from_micros(rng.u64(..40))),
                    false => timed.step_while(|_| rng.u8(..4) > 0),
                };
                done += progress.report;
                if progress.finished {
                    break;
                }
                assert_eq!(timed.ticks(), whole.ticks() - 1);
            }
            ticks += 1;
            assert_eq!(done, sum, "seed {seed}");
            assert!(timed.save() == whole.save(), "seed {seed}");
            worlds::edit_water(&mut whole, &mut rng.clone());
            worlds::edit_water(&mut timed, &mut rng);
        }
        assert!(timed.step_for(Duration::MAX).finished);
    }
    assert!(calls > 2 * ticks, "{calls} calls for {ticks} ticks");
}
