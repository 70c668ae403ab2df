//! Chunks that travel: taken out as records and put in again, here or in another world.

use crate::random::{bounds, op, rules};
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{ChunkRecord, Edge, Edges, EditError, Fixture, Rules, Voxel, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, DecodeProblem, Face, Region, Shape};
use proptest::prelude::*;
use support::water::small::watched;
use support::worlds;

fn positions(world: &WaterWorld) -> Vec<ChunkPos> {
    world.chunks().map(|(position, _)| position).collect()
}

/// The records as they arrive from another process.
fn sent(records: Vec<ChunkRecord>) -> Vec<ChunkRecord> {
    let received = |record: &ChunkRecord| {
        let received = ChunkRecord::from_bytes(&record.to_bytes()).unwrap();
        assert_eq!(&received, record);
        received
    };
    records.iter().map(received).collect()
}

/// Takes some chunks out and puts them back, all at once or a few at a time, in any order.
fn take_out_and_put_back(world: &mut WaterWorld, rng: &mut Rng) -> usize {
    let mut away = positions(world);
    rng.shuffle(&mut away);
    away.truncate(rng.usize(..=away.len()));
    let (loaded, total) = (world.ledger().loaded, world.total());
    let mut records = sent(world.remove_chunks(away.iter().copied()).unwrap());
    assert!(records.iter().map(ChunkRecord::position).eq(away));
    world.validate().unwrap();
    let units: u64 = records.iter().map(ChunkRecord::units).sum();
    assert_eq!(world.total() + units, total);
    let count = records.len();
    rng.shuffle(&mut records);
    while !records.is_empty() {
        let some = records.split_off(rng.usize(..records.len()));
        world.insert_records(some).unwrap();
        world.validate().unwrap();
    }
    assert_eq!((world.ledger().loaded, world.total()), (loaded + units, total));
    count
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    /// At rest and in flow, between any two ticks.
    #[test]
    fn chunks_that_are_put_back_before_the_next_tick_leave_the_world_as_it_was(
        seed in any::<u64>(), rules in rules(), history in prop::collection::vec(op(), 1..24)
    ) {
        let mut rng = Rng::with_seed(seed);
        let mut watched = watched(seed, rules, bounds());
        watched.play(&history).unwrap();
        let mut stays = watched.into_world();
        stays.finish_tick();
        // Chunks come back thawed.
        stays.thaw(stays.frozen_chunks().collect::<Vec<_>>()).unwrap();
        let mut travels = WaterWorld::load(&stays.save()).unwrap();
        for tick in 0..12 {
            for _ in 0..rng.usize(..3) {
                take_out_and_put_back(&mut travels, &mut rng);
                prop_assert_eq!(travels.state_hash(), stays.state_hash(), "tick {}", tick);
            }
            stays.step();
            travels.step();
            travels.validate().unwrap();
            prop_assert_eq!(travels.state_hash(), stays.state_hash(), "tick {}", tick);
        }
    }
}

/// Springs high in a hall of eight chunks, with ledges on the way down.
fn falls(seed: u64) -> WaterWorld {
    let mut rng = Rng::with_seed(seed);
    let bounds = Region::new(IVec3::splat(-16), IVec3::splat(15));
    let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
    let chunks = Region::new(IVec3::NEG_ONE, IVec3::ZERO).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    let mut cell =
        |y: core::ops::Range<i32>| IVec3::new(rng.i32(-8..8), rng.i32(y), rng.i32(-8..8));
    for _ in 0..12 {
        let ledge = cell(-12..6);
        world.fill_solid(Region::new(ledge, ledge + IVec3::new(5, 0, 4))).unwrap();
    }
    for _ in 0..5 {
        let _ = world.add_source(cell(8..15));
    }
    world.run(40);
    world
}

#[test]
fn falls_through_chunks_that_go_and_come_back_have_the_same_parents() {
    let (mut chunks, mut passing) = (0, 0);
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let (mut stays, mut travels) = (falls(seed), falls(seed));
        for tick in 0..20 {
            chunks += take_out_and_put_back(&mut travels, &mut rng);
            assert_eq!(travels.state_hash(), stays.state_hash(), "seed {seed}, tick {tick}");
            stays.step();
            travels.step();
            assert_eq!(travels.state_hash(), stays.state_hash(), "seed {seed}, tick {tick}");
        }
        let is_passing = |cell: &IVec3| {
            stays.cell(*cell).is_some_and(|cell| cell.height() == 0 && !cell.is_dry())
        };
        passing += stays.bounds().positions().filter(is_passing).count();
    }
    assert!(chunks > 350 && passing > 180, "{chunks} chunks, {passing} cells pass water on");
}

/// With ticks in between, whatever has changed: every law holds, nothing is lost, and the bytes are
/// those of a world whose cells are all awake.
#[test]
fn chunks_inserted_later_flow_by_the_rules_of_their_world() {
    for seed in 0..24 {
        let mut rng = Rng::with_seed(seed);
        let (mut world, mut woken) = (worlds::water(seed), worlds::water(seed));
        let mut away = Vec::new();
        for _ in 0..10 {
            let ticks = rng.u64(..6);
            for world in [&mut world, &mut woken] {
                let mut edits = Rng::with_seed(rng.clone().u64(..));
                worlds::edit_water(world, &mut edits);
            }
            let some: Vec<ChunkPos> =
                positions(&world).into_iter().filter(|_| rng.u8(..4) == 0).collect();
            let records = world.remove_chunks(some.iter().copied()).unwrap();
            assert_eq!(woken.remove_chunks(some).unwrap(), records, "seed {seed}");
            world.validate().unwrap();
            away.extend(sent(records));
            rng.shuffle(&mut away);
            let (before, expected) = (away.len(), world.total());
            let back = away.split_off(rng.usize(..=before));
            let units: u64 = back.iter().map(ChunkRecord::units).sum();
            let mut reversed = back.clone();
            reversed.reverse();
            world.insert_records(back).unwrap();
            woken.insert_records(reversed).unwrap();
            assert_eq!(world.total(), expected + units, "seed {seed}");
            world.validate().unwrap();
            for tick in 0..ticks {
                woken.wake_all();
                world.step();
                woken.step();
                world.validate().unwrap();
                assert_eq!(world.state_hash(), woken.state_hash(), "seed {seed}, tick {tick}");
            }
        }
    }
}

/// Records of one world in another, of other rules and bounds, beside chunks that are not those
/// they had.
#[test]
fn records_of_any_world_may_be_put_into_any_other() {
    let mut inserted = 0;
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let mut other = worlds::water_within(
            seed + 1000,
            Region::new(IVec3::splat(-rng.i32(5..12)), IVec3::splat(rng.i32(6..12))),
        );
        let mut records = Vec::new();
        for from in 0..3 {
            let mut world = worlds::water(seed + 300 * from);
            world.run(rng.u64(..8));
            let all = positions(&world);
            records.extend(world.remove_chunks(all).unwrap());
        }
        let mut rules = *other.rules();
        (rules.throughput, rules.source_supply) = (rng.u8(1..8), rng.u8(..8));
        (rules.pools, rules.many_parents) = (rng.bool(), rng.bool());
        other.set_rules(rules).unwrap();
        rng.shuffle(&mut records);
        for record in sent(records) {
            let (before, position) = (other.total(), record.position());
            if rng.bool() && other.chunk(position).is_some() {
                other.remove_chunks([position]).unwrap();
            }
            match other.insert_records([record]) {
                Ok(()) => inserted += 1,
                Err(error) => {
                    assert_eq!(error, EditError::ChunkPresent(position));
                    assert_eq!(other.total(), before);
                }
            }
            other.validate().unwrap();
            if rng.bool() {
                other.step();
                other.validate().unwrap();
            }
        }
        other.run(10);
        other.validate().unwrap();
    }
    assert!(inserted > 110, "{inserted} inserted");
}

#[test]
fn lists_with_a_wrong_position_change_nothing() {
    let mut world = falls(3);
    let hash = world.state_hash();
    let there = ChunkPos::ZERO;
    let absent = ChunkPos::new(9, 0, 0);
    assert_eq!(world.remove_chunks([there, absent]), Err(EditError::ChunkAbsent(absent)));
    assert_eq!(world.remove_chunks([there, there]), Err(EditError::ChunkAbsent(there)));
    assert_eq!(world.state_hash(), hash);
    let records = world.remove_chunks([there]).unwrap();
    let without = world.state_hash();
    let twice = [records[0].clone(), records[0].clone()];
    assert_eq!(world.insert_records(twice), Err(EditError::ChunkPresent(there)));
    let mut small =
        WaterWorld::with_bounds(1, Rules::lossless(), Region::cell(IVec3::splat(99))).unwrap();
    let outside = Err(EditError::ChunkOutOfBounds(there));
    assert_eq!(small.insert_records(records.clone()), outside);
    assert_eq!(world.state_hash(), without);
    world.insert_records(records.clone()).unwrap();
    assert_eq!(world.insert_records(records), Err(EditError::ChunkPresent(there)));
    assert_eq!(world.state_hash(), hash);
}

/// A lake that is loaded wakes no more than its surface and what lies at the faces of its chunks.
/// It was taken for deep water, which sleeps on: the sea below it is closed for what rests on it,
/// and has room for what falls.
#[test]
fn water_on_the_sea_wakes_with_its_record() {
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_sea(Region::new(IVec3::ZERO, IVec3::new(15, 2, 15))).unwrap();
    world.fill_water(Region::new(IVec3::new(0, 3, 0), IVec3::new(15, 6, 15)), 7).unwrap();
    let records = world.remove_chunks([ChunkPos::ZERO]).unwrap();
    world.insert_records(records).unwrap();
    assert_eq!(world.validate(), Ok(()));
}

#[test]
fn deep_water_sleeps_on() {
    let mut world = WaterWorld::new(4, Rules::lossless()).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(2, 2, 2)).positions().map(ChunkPos::from);
    let water = Voxel::from_word(7).unwrap();
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(water)))).unwrap();
    world.run(8);
    assert!(world.is_at_rest());
    let records = world.remove_chunks([ChunkPos::new(1, 1, 1)]).unwrap();
    assert!(records[0].to_bytes().len() < 30);
    world.run(8);
    world.insert_records(records).unwrap();
    let own = world.awake_chunks().find(|(chunk, _)| *chunk == ChunkPos::new(1, 1, 1)).unwrap().1;
    assert_eq!(own.len(), 4096 - 14 * 14 * 14);
    world.run(8);
    assert!(world.is_at_rest());
}

/// Water poured over a fall is full and still, and the flow through it is kept: deep water that
/// must not sleep on. It did, without FlowOut, and no save of that world could be loaded.
#[test]
fn deep_water_that_steady_flow_passes_wakes_with_its_record() {
    let rules = Rules { edges: Edges::WALLS.with(Face::Down, Edge::Drain), ..Rules::lossless() };
    let bounds = Region::new(IVec3::ZERO, IVec3::new(8, 15, 8));
    let mut flowing = 0;
    for ticks in 20..40 {
        let mut world = WaterWorld::with_bounds(ticks, rules, bounds).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        world.add_source(IVec3::new(4, 14, 4)).unwrap();
        world.run(ticks);
        world.fill_water(Region::new(IVec3::new(3, 5, 3), IVec3::new(5, 9, 5)), 7).unwrap();
        flowing += u32::from(world.current(IVec3::new(4, 7, 4)) != IVec3::ZERO);
        let records = world.remove_chunks([ChunkPos::ZERO]).unwrap();
        world.insert_records(records).unwrap();
        assert_eq!(world.validate(), Ok(()), "after {ticks} ticks");
        let mut loaded = WaterWorld::load(&world.save()).unwrap();
        assert_eq!((world.run(40), world.state_hash()), (loaded.run(40), loaded.state_hash()));
    }
    assert!(flowing > 10, "{flowing} of 20 worlds");
}

/// The record of a river is put into a smaller world. The steady flow of the cells beyond the
/// bounds was restored with the others and taken back by the next tick, which woke these cells: the
/// sea filled them, and the edge drained no more.
#[test]
fn steady_flow_beyond_the_bounds_stays_out() {
    let drains = Edges::WALLS.with(Face::North, Edge::Drain);
    let chunks = [(0, 0), (-1, 0), (0, -1), (5, -3)].map(|(x, z)| ChunkPos::new(x, 0, z));
    for (chunk, begin) in chunks.into_iter().flat_map(|chunk| (0..15).map(move |z| (chunk, z))) {
        let story = format!("{chunk}, from {begin}");
        let cell = |x, y, z| Cube::cell_at(chunk, 0) + IVec3::new(x, y, z);
        let bounds = |z| Region::new(cell(7, 0, z), cell(7, 3, 15));
        let rules = Rules { edges: drains, ..Rules::lossless() };
        let mut river = WaterWorld::with_bounds(7, rules, bounds(0)).unwrap();
        river.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).unwrap();
        river.add_source(cell(7, 0, 15)).unwrap();
        river.run(60);
        let records = river.remove_chunks([chunk]).unwrap();
        let edges = drains.with(Face::East, Edge::Level(2));
        let rules = Rules { edges, ..Rules::lossless() };
        let mut world = WaterWorld::with_bounds(7, rules, bounds(begin)).unwrap();
        world.insert_records(records).unwrap();
        for tick in 0..40 {
            world.step();
            assert_eq!(world.validate(), Ok(()), "{story}, tick {tick}");
        }
        let before = world.ledger().drained;
        world.run(20);
        assert!(world.ledger().drained > before, "{story}: nothing drains");
    }
}

/// Ground that has just been placed in a river keeps its steady flow until the next tick takes it
/// back. A world saved meanwhile could not be loaded when that flow was left out with the flow
/// beyond the bounds.
#[test]
fn a_world_saved_after_a_river_was_dammed_can_be_loaded() {
    let rules = Rules { edges: Edges::WALLS.with(Face::East, Edge::Drain), ..Rules::lossless() };
    let bounds = Region::new(IVec3::new(-3, 1, 2), IVec3::new(0, 1, 2));
    for x in -3..=0 {
        let mut world = WaterWorld::with_bounds(0, rules, bounds).unwrap();
        for chunk in [-1, 0].map(|x| ChunkPos::new(x, 0, 0)) {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).unwrap();
        }
        world.add_source(IVec3::new(-3, 1, 2)).unwrap();
        world.run(16);
        world.set_solid(IVec3::new(x, 1, 2)).unwrap();
        loop {
            let mut loaded = WaterWorld::load(&world.save()).unwrap();
            assert_eq!(loaded.state_hash(), world.state_hash());
            loaded.step();
            if world.step_within(0).finished {
                assert_eq!(loaded.state_hash(), world.state_hash());
                break;
            }
        }
    }
}

/// A cell beside chunks that come back is active again with its parents, in a chunk without any
/// other active cell. There its activity stayed for good, and fell in a world that was loaded.
#[test]
fn a_cell_that_gets_its_parents_back_ages() {
    let chunk = |y| ChunkPos::new(0, y, -1);
    let mut outer = Edges::WALLS;
    for face in [Face::West, Face::East, Face::North] {
        outer = outer.with(face, Edge::Drain);
    }
    let rules = Rules { edges: outer, ..Rules::lossless() };
    let bounds = Region::new(IVec3::new(-1, 2, -13), IVec3::new(5, 58, -11));
    let mut returned = 0;
    for ticks in (0..32).map(|at| 4 * at) {
        let mut world = WaterWorld::with_bounds(206, rules, bounds).unwrap();
        for position in Region::new(IVec3::new(-1, 0, -1), IVec3::new(0, 3, -1)).positions() {
            world.insert_chunk(position.into(), Chunk::uniform(Voxel::OPEN)).unwrap();
        }
        world.add_source(IVec3::new(4, 56, -11)).unwrap();
        world.run(9);
        world.freeze([chunk(1)]).unwrap();
        world.run(26);
        let mut records = world.remove_chunks([chunk(2), chunk(3)]).unwrap();
        world.run(ticks);
        records.extend(world.remove_chunks([chunk(1)]).unwrap());
        let before = world.state_hash();
        world.insert_records(records).unwrap();
        returned += u32::from(world.state_hash() != before);
        let mut loaded = WaterWorld::load(&world.save()).unwrap();
        for tick in 0..60 {
            assert_eq!(world.step(), loaded.step(), "{ticks} ticks, then {tick}");
            assert_eq!(world.state_hash(), loaded.state_hash(), "{ticks} ticks, then {tick}");
        }
    }
    assert_eq!(returned, 32);
}

#[test]
fn chunks_with_awake_cells_are_listed_as_they_were_before_the_tick_underway() {
    for seed in 0..20 {
        let mut world = worlds::water(seed);
        let awake: Vec<_> = world.awake_chunks().collect();
        assert_eq!(awake.iter().map(|(_, cells)| cells.len()).sum::<usize>(), world.awake_cells());
        assert!(awake.iter().all(|(chunk, _)| world.chunk(*chunk).is_some()));
        while !world.step_within(20).finished {
            assert!(world.awake_chunks().eq(awake.iter().cloned()), "seed {seed}");
        }
    }
}

/// A record's bytes with another byte or fewer, and their checksum made right again.
#[test]
fn any_bytes_are_a_record_or_an_error_that_names_the_place() {
    let (mut parsed, mut refused) = (0, 0);
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let mut world = if seed % 2 == 0 { falls(seed) } else { worlds::water(seed) };
        if seed % 3 == 0 {
            build_fixtures(&mut world, &mut rng);
        }
        let all = positions(&world);
        for record in world.remove_chunks(all).unwrap() {
            let bytes = record.to_bytes();
            for length in 0..bytes.len().min(40) {
                assert!(ChunkRecord::from_bytes(&bytes[..length]).is_err());
            }
            for _ in 0..40 {
                let mut forged = bytes.clone();
                let at = rng.usize(..forged.len());
                forged[at] ^= 1 << rng.u8(..8);
                let error = ChunkRecord::from_bytes(&forged).unwrap_err();
                let is_named = matches!(
                    error.problem,
                    DecodeProblem::Checksum { .. } | DecodeProblem::Version { .. }
                );
                assert!(is_named, "{error}");
                forged.truncate(forged.len() - 4);
                for _ in 0..rng.usize(..3) {
                    let at = rng.usize(1..forged.len());
                    forged[at] = rng.u8(..);
                }
                if rng.u8(..4) == 0 {
                    forged.truncate(rng.usize(1..forged.len()));
                }
                let checksum = crc32fast::hash(&forged);
                forged.extend(checksum.to_le_bytes());
                match ChunkRecord::from_bytes(&forged) {
                    Ok(record) => {
                        assert_eq!(ChunkRecord::from_bytes(&record.to_bytes()), Ok(record.clone()));
                        forged_record_keeps_the_laws(record, &mut rng);
                        parsed += 1;
                    }
                    Err(error) => {
                        let said = error.to_string();
                        assert!(said.contains(|letter: char| letter.is_ascii_digit()), "{said}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(parsed > 300 && refused > 400, "{parsed} are records, {refused} refused");
}

/// Drains, taps and valves in some cells.
fn build_fixtures(world: &mut WaterWorld, rng: &mut Rng) {
    for chunk in positions(world) {
        let cell = |rng: &mut Rng| Cube::cell_at(chunk, rng.usize(..CHUNK_CELLS));
        for _ in 0..rng.usize(..9) {
            let (rate, face) = (rng.u8(1..=7), Face::from_index(rng.u8(..6)).unwrap());
            let valve = Fixture::Valve { towards: face, rate };
            let fixture = [Fixture::Drain(rate), Fixture::Tap(rate), valve][rng.usize(..3)];
            // Cells out of bounds are refused.
            let _ = world.set_fixture(cell(rng), Some(fixture));
        }
    }
}

fn forged_record_keeps_the_laws(record: ChunkRecord, rng: &mut Rng) {
    let mut world = worlds::water(rng.u64(..40));
    let position = record.position();
    if world.chunk(position).is_some() {
        world.remove_chunks([position]).unwrap();
    }
    let is_inside = Cube::holds_chunk(position)
        && world.bounds().intersection(&Cube::region_of(position)).is_some();
    assert_eq!(world.insert_records([record]).is_ok(), is_inside);
    world.validate().unwrap();
    world.step();
    world.validate().unwrap();
}
