//! Settling: the same levels and totals as ticks, of some chunks alone.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water::{
    ChunkRecord, Edge, Edges, EditError, Feed, Fixture, Rules, Settle, Voxel, WaterCell, WaterWorld,
};
use floodplain::{CHUNK_CELLS, Chunk, ChunkChanges, ChunkPos, Cube, Region, Shape};
use std::collections::HashSet;

/// Ground in waves with water in the air, in a box of 2×1×2 chunks.
fn chunks(seed: u64) -> Vec<(ChunkPos, Chunk<Voxel>)> {
    let mut rng = Rng::with_seed(seed);
    let heights: Vec<i32> = (0..64).map(|_| rng.i32(0..9)).collect();
    let wet = rng.u8(1..40);
    let mut voxel = |cell: IVec3| {
        let at = (cell.x / 3 + cell.z / 2 * 5).rem_euclid(64);
        match cell.y {
            y if y <= heights[at as usize] => Voxel::SOLID,
            _ if rng.u8(..100) < wet => Voxel::water(WaterCell::STILL),
            _ => Voxel::OPEN,
        }
    };
    let mut chunk = |position| {
        let cells: [Voxel; CHUNK_CELLS] =
            core::array::from_fn(|index| voxel(Cube::cell_at(position, index)));
        (position, Chunk::from_cells(&cells))
    };
    Region::new(IVec3::ZERO, IVec3::new(1, 0, 1))
        .positions()
        .map(ChunkPos::from)
        .map(&mut chunk)
        .collect()
}

fn world(seed: u64, rules: Rules) -> WaterWorld {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 31));
    WaterWorld::with_bounds(seed, rules, bounds).unwrap()
}

/// Units in each layer.
fn levels(world: &WaterWorld) -> Vec<u64> {
    let layer = |y: i32| Region::new(IVec3::new(0, y, 0), IVec3::new(31, y, 31));
    let units = |y: i32| layer(y).positions().map(|cell| u64::from(world.units(cell))).sum();
    (0..16).map(units).collect()
}

#[test]
fn chunks_settle_to_the_levels_to_which_they_come_by_ticks() {
    for seed in 0..8 {
        let rules = Rules::lossless();
        let (mut ticked, mut at_once, mut generated) =
            (world(seed, rules), world(seed, rules), world(seed, rules));
        for world in [&mut ticked, &mut at_once] {
            world.insert_chunks(chunks(seed)).unwrap();
        }
        ticked.run(4_000);
        assert!(ticked.is_at_rest(), "seed {seed}");

        let settling = at_once.settle_now(at_once.bounds(), 4_000).unwrap();
        assert!(settling.is_at_rest() && settling.ticks > 10, "seed {seed}: {settling:?}");
        assert_eq!(at_once.ledger(), ticked.ledger(), "seed {seed}");
        assert_eq!(levels(&at_once), levels(&ticked), "seed {seed}");
        assert_eq!((at_once.ticks(), at_once.validate()), (0, Ok(())));
        at_once.run(8);
        assert!(at_once.is_at_rest(), "seed {seed}");

        let list = chunks(seed);
        let (records, settling) =
            Settle { seed, rules, bounds: ticked.bounds(), most_ticks: 4_000 }.run(list).unwrap();
        assert!(settling.is_at_rest(), "seed {seed}: {settling:?}");
        generated.insert_records(records).unwrap();
        assert_eq!(levels(&generated), levels(&ticked), "seed {seed}");
        assert_eq!((generated.ledger().loaded, generated.validate()), (ticked.total(), Ok(())));
    }
}

/// Settling takes chunks out and puts them back: their marks were lost, and none of the cells that
/// had changed was listed. In odd rounds, a feed has taken the edit before.
#[test]
fn lists_of_changes_have_what_settling_has_changed() {
    for seed in 0..8 {
        let mut world = world(seed, Rules::lossless());
        world.insert_chunks(chunks(seed)).unwrap();
        world.run(seed);
        let mut feed = Feed::new(&mut world);
        (_, _) = (world.take_changes(), world.take_all_changes());
        let cells = |world: &WaterWorld| -> Vec<(IVec3, Option<Voxel>, u8)> {
            let cells = world.bounds().positions();
            cells.map(|cell| (cell, world.voxel(cell), world.units(cell))).collect()
        };
        let before = cells(&world);
        let poured = Region::new(IVec3::new(3, 12, 3), IVec3::new(5, 14, 5));
        world.fill_water(poured, 7).unwrap();
        if seed % 2 == 1 {
            feed.take(&mut world);
        }
        let west = Region::new(IVec3::ZERO, IVec3::new(15, 0, 31));
        assert!(world.settle_now(west, 300).unwrap().ticks > 10, "seed {seed}");
        let listed = |changes: Vec<ChunkChanges>| -> HashSet<IVec3> {
            let cells = changes.iter().flat_map(|ChunkChanges { chunk, cells }| {
                cells.iter().map(|index| Cube::cell_at(*chunk, index))
            });
            cells.collect()
        };
        let (seen, all) = (listed(world.take_changes()), listed(world.take_all_changes()));
        let mut differ = 0;
        for ((cell, was, units), (_, is, now)) in before.into_iter().zip(cells(&world)) {
            assert!(was == is || all.contains(&cell), "seed {seed}, {cell}");
            assert!(units == now || seen.contains(&cell), "seed {seed}, {cell}");
            assert!(is != Some(Voxel::SOLID) || !all.contains(&cell), "seed {seed}, {cell}: rock");
            differ += u32::from(units != now);
        }
        assert!(differ > 20, "seed {seed}: {differ} cells");
        let edited = || poured.positions().filter(|&cell| world.voxel(cell) != Some(Voxel::SOLID));
        assert!(edited().all(|cell| all.contains(&cell) && seen.contains(&cell)), "seed {seed}");
    }
}

/// The chunks around them do not change, and laws and ledger hold with springs and drains.
#[test]
fn while_chunks_settle_the_rest_of_the_world_stands_still() {
    let (mut drained, mut restless) = (0, 0);
    for seed in 0..10 {
        let mut rng = Rng::with_seed(seed);
        let outer = [Edge::Wall, Edge::Drain, Edge::Held].map(|edge| [edge; 6])[rng.usize(..3)];
        let edges = Edges { outer, unloaded: Edge::Drain };
        let mut world = world(seed, Rules { edges, ..Rules::default() });
        world.insert_chunks(chunks(seed)).unwrap();
        for _ in 0..3 {
            let _ = world.add_source(IVec3::new(rng.i32(0..32), rng.i32(9..15), rng.i32(0..32)));
        }
        world.run(rng.u64(..5));
        world.step_within(30);
        world.finish_tick();
        let there = IVec3::new(rng.i32(0..2), 0, rng.i32(0..2));
        let heights = |world: &WaterWorld| -> Vec<u8> {
            let outside = |cell: &IVec3| Cube::chunk_of(*cell) != there.into();
            world.bounds().positions().filter(outside).map(|cell| world.units(cell)).collect()
        };
        let (before, ticks, ledger) = (heights(&world), world.ticks(), world.ledger());
        let settling = world.settle_now(Region::cell(there * 16 + 3), 50).unwrap();
        assert_eq!(heights(&world), before, "seed {seed}");
        assert_eq!((world.ticks(), world.validate()), (ticks, Ok(())), "seed {seed}");
        let after = world.ledger();
        assert_eq!(after.injected - ledger.injected, settling.injected);
        assert_eq!(after.drained - ledger.drained, settling.drained);
        assert_eq!((after.loaded, after.unloaded, after.evaporated), (0, 0, ledger.evaporated));
        assert!(settling.restless.iter().all(|&(chunk, cells)| chunk == there.into() && cells > 0));
        drained += settling.drained;
        restless += settling.restless.len();
        world.run(20);
        world.validate().unwrap();
    }
    assert!(drained > 40 && restless > 1, "{drained} units drained, {restless} restless");
}

/// Springs on ground that was just generated, on another thread: rivers over the edge of the world
/// flow for ever, and the report names their chunks.
#[test]
fn many_springs_settle_on_another_thread_as_far_as_they_can() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 31));
    let edges = Edges { outer: [Edge::Drain; 6], ..Edges::WALLS };
    let rules = Rules { edges, ..Rules::lossless() };
    let mut list = chunks(5);
    for (position, chunk) in &mut list {
        let least = Cube::cell_at(*position, 0);
        let local = (0..169).map(|at| IVec3::new(at % 13 * 2, 12, at / 13 * 2) - least);
        let inside = local.filter(|cell| cell.min_element() >= 0 && cell.max_element() < 16);
        for cell in inside.map(Cube::index_of) {
            chunk.set(cell, Voxel::water(WaterCell::SOURCE));
        }
    }
    let placed: u64 = list.iter().map(|(_, chunk)| chunk.units()).sum();
    let worker = std::thread::spawn(move || {
        Settle { seed: 5, rules, bounds, most_ticks: 60 }.run(list).unwrap()
    });
    let (records, settling) = worker.join().unwrap();
    assert_eq!((settling.ticks, settling.is_at_rest()), (60, false));
    let units: u64 = records.iter().map(ChunkRecord::units).sum();
    assert_eq!(units, placed + settling.injected - settling.drained);
    assert!(settling.drained > 1_000 && !settling.restless.is_empty(), "{settling:?}");
}

/// What the sea gave to chunks that settled was in no account of their world.
#[test]
fn units_from_the_sea_are_entered_while_chunks_settle() {
    let mut world = WaterWorld::new(3, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
    world.fill_sea(Region::new(IVec3::splat(2), IVec3::new(2, 5, 4))).unwrap();
    world.fill_water(Region::new(IVec3::new(3, 2, 2), IVec3::new(9, 5, 4)), 0).unwrap();
    world.set_fixture(IVec3::new(9, 5, 4), Some(Fixture::Tap(1))).unwrap();
    let settling = world.settle_now(Region::cell(IVec3::ZERO), 900).unwrap();
    assert!(settling.is_at_rest());
    assert_eq!(world.validate(), Ok(()));
    assert_eq!(world.total(), world.ledger().from_sea + settling.injected);
    assert!(world.total() > 500, "{} units", world.total());
    assert_eq!(world.fixtures().count(), 1);
}

#[test]
fn invalid_settling_is_refused() {
    let open = (ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
    let bounds = Region::cell(IVec3::ZERO);
    let refused = |rules, list: &[(ChunkPos, Chunk<Voxel>)]| {
        Settle { seed: 1, rules, bounds, most_ticks: 9 }.run(list.iter().cloned()).unwrap_err()
    };
    let twice = refused(Rules::lossless(), &[open.clone(), open.clone()]);
    assert_eq!(twice, EditError::ChunkPresent(ChunkPos::ZERO));
    let far = (ChunkPos::new(1, 0, 0), open.1.clone());
    assert_eq!(
        refused(Rules::lossless(), &[far]),
        EditError::ChunkOutOfBounds(ChunkPos::new(1, 0, 0))
    );
    let rules = Rules { evaporation: 2.0, ..Rules::lossless() };
    assert!(matches!(refused(rules, &[open]), EditError::Rules(_)));
    let mut empty = WaterWorld::new(1, Rules::lossless()).unwrap();
    let cell = IVec3::new(40, 2, 3);
    assert_eq!(empty.settle_now(Region::cell(cell), 9), Err(EditError::NotLoaded(cell)));
}
