//! Drains, taps and valves built into cells.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{EditError, Fixture, Ledger, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Face, Region};

fn region(from: [i32; 3], to: [i32; 3]) -> Region {
    Region::new(from.into(), to.into())
}

/// Two chunks of rock, with a room.
fn room(cells: Region, rules: Rules) -> WaterWorld {
    let mut world = WaterWorld::new(5, rules).unwrap();
    world
        .insert_chunks([0, 1].map(|x| (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::SOLID))))
        .unwrap();
    world.fill_water(cells, 0).unwrap();
    world
}

/// What a tick injects and drains.
fn tick(world: &mut WaterWorld) -> [u64; 2] {
    let Ledger { injected, drained, .. } = world.ledger();
    world.step();
    assert_eq!(world.validate(), Ok(()));
    [world.ledger().injected - injected, world.ledger().drained - drained]
}

#[test]
fn a_tap_gives_its_rate_in_each_tick_until_its_room_is_full_and_then_sleeps() {
    for rate in 1..=7 {
        let mut world = room(region([2, 2, 2], [20, 4, 2]), Rules::lossless());
        let tap = IVec3::new(14, 3, 2);
        assert_eq!(world.set_fixture(tap, Some(Fixture::Tap(rate))), Ok(true));
        assert_eq!(world.set_fixture(tap, Some(Fixture::Tap(rate))), Ok(false));
        let below = 19 * 7;
        for _ in 0..(below - 40) / u64::from(rate) {
            assert_eq!(tick(&mut world), [rate.into(), 0], "rate {rate}");
        }
        world.run(600);
        assert!(world.is_at_rest(), "rate {rate}: {} cells awake", world.awake_cells());
        // Its surface is at the top of its cell; no water rises above.
        assert!((2 * below - 19..=2 * below).contains(&world.total()), "{}", world.total());
        assert_eq!(world.units(tap), 7);
        assert_eq!(tick(&mut world), [0, 0]);
        world.scoop(tap, 5).unwrap();
        assert_eq!(tick(&mut world)[0], u64::from(rate.min(5)), "rate {rate}");
    }
}

#[test]
fn a_drain_takes_its_rate_in_each_tick_until_its_basin_is_empty_and_then_sleeps() {
    for rate in 1..=7 {
        let basin = region([2, 2, 2], [20, 6, 4]);
        let mut world = room(basin, Rules::lossless());
        world.fill_water(basin, 7).unwrap();
        world.run(40);
        assert!(world.is_at_rest());
        let drain = IVec3::new(17, 2, 3);
        assert_eq!(world.set_fixture(drain, Some(Fixture::Drain(rate))), Ok(true));
        while world.total() > 600 {
            assert_eq!(tick(&mut world), [0, rate.into()], "rate {rate}");
        }
        world.run(3_000);
        assert!(world.is_at_rest(), "rate {rate}: {} cells awake", world.awake_cells());
        assert_eq!(world.units(drain), 0, "rate {rate}");
        let Ledger { placed, drained, .. } = world.ledger();
        assert_eq!(world.total(), placed - drained);
        // Films stay on the floor, as they do round any hole.
        assert!(world.total() <= 19 * 3, "rate {rate}: {} units left", world.total());
    }
}

/// A drain in flowing water takes no more than the throughput.
#[test]
fn a_drain_takes_no_more_than_a_cell_may_pass_on() {
    let basin = region([2, 2, 2], [9, 6, 4]);
    let mut world = room(basin, Rules { throughput: 2, ..Rules::lossless() });
    world.fill_water(basin, 7).unwrap();
    world.set_fixture(IVec3::new(4, 3, 3), Some(Fixture::Drain(7))).unwrap();
    assert_eq!(tick(&mut world), [0, 2]);
    assert_eq!(world.current(IVec3::new(4, 3, 3)), IVec3::NEG_Y * 2);
}

#[test]
fn invalid_fixtures_are_refused_and_change_nothing() {
    let mut world = room(region([2, 2, 2], [4, 4, 4]), Rules::lossless());
    let before = world.state_hash();
    let at = IVec3::splat(2);
    for rate in [0, 8, 255] {
        let valve = Fixture::Valve { towards: Face::East, rate };
        for fixture in [Fixture::Drain(rate), Fixture::Tap(rate), valve] {
            let refused = world.set_fixture(at, Some(fixture));
            assert_eq!(refused, Err(EditError::Rate(rate)));
            assert!(EditError::Rate(rate).to_string().contains(&rate.to_string()));
        }
    }
    let away = IVec3::splat(-1);
    assert_eq!(world.set_fixture(away, None), Err(EditError::NotLoaded(away)));
    assert_eq!((world.state_hash(), world.awake_cells()), (before, 0));
    assert_eq!(world.set_fixture(at, Some(Fixture::Tap(1))), Ok(true));
    assert_ne!(world.state_hash(), before);
    assert_eq!((world.fixture(at), world.fixture(away)), (Some(Fixture::Tap(1)), None));
    assert_eq!(world.set_fixture(at, None), Ok(true));
    assert_eq!(world.state_hash(), before);
}

/// A block, the sea and a spring stop a tap, and a block a drain; without them both go on.
#[test]
fn a_fixture_stays_whatever_its_cell_becomes() {
    let mut world = room(region([2, 2, 2], [20, 5, 4]), Rules::lossless());
    let [tap, drain] = [IVec3::new(3, 2, 3), IVec3::new(18, 2, 3)];
    world.set_fixture(tap, Some(Fixture::Tap(3))).unwrap();
    world.set_fixture(drain, Some(Fixture::Drain(3))).unwrap();
    world.run(100);
    let goes_on = |world: &mut WaterWorld| {
        let before = world.ledger().injected;
        world.run(50);
        assert!(world.ledger().injected >= before + 100);
    };
    goes_on(&mut world);
    world.set_solid(tap).unwrap();
    world.set_solid(drain).unwrap();
    world.run(200);
    assert!(world.is_at_rest());
    world.clear_solid(tap).unwrap();
    world.clear_solid(drain).unwrap();
    world.run(100);
    goes_on(&mut world);
    world.set_sea(tap).unwrap();
    assert_eq!(tick(&mut world)[0], 0);
    world.clear_sea(tap).unwrap();
    world.add_source(tap).unwrap();
    world.run(5);
    world.remove_source(tap).unwrap();
    world.run(20);
    goes_on(&mut world);
    assert_eq!(world.fixtures().count(), 2);
}

/// A drain and a tap work across a save, and travel with their chunks in bytes.
#[test]
fn fixtures_are_saved_and_travel() {
    let mut world = room(region([2, 2, 2], [28, 5, 4]), Rules::lossless());
    let [tap, drain] = [IVec3::new(3, 3, 3), IVec3::new(27, 2, 3)];
    world.set_fixture(tap, Some(Fixture::Tap(7))).unwrap();
    world.set_fixture(drain, Some(Fixture::Drain(1))).unwrap();
    world.run(60);
    let mut loaded = WaterWorld::load(&world.save()).unwrap();
    let before = world.state_hash();
    let records = world.remove_chunks([ChunkPos::new(1, 0, 0), ChunkPos::ZERO]).unwrap();
    assert_eq!(world.fixtures().count(), 0);
    let sent = records
        .iter()
        .map(|record| floodplain::water::ChunkRecord::from_bytes(&record.to_bytes()).unwrap());
    world.insert_records(sent).unwrap();
    assert_eq!(world.state_hash(), before);
    world.run(60);
    loaded.run(60);
    assert_eq!(world.state_hash(), loaded.state_hash());
    assert!(world.fixtures().eq([(tap, Fixture::Tap(7)), (drain, Fixture::Drain(1))]));
}

/// Whole ticks, which threads share, and ticks in slices with a save in the middle.
#[test]
fn however_a_tick_is_done_fixtures_do_the_same() {
    let build = || {
        let mut world = WaterWorld::new(9, Rules::lossless()).unwrap();
        let chunks = region([0, 0, 0], [5, 0, 5]).positions().map(ChunkPos::from);
        world.insert_chunks(chunks.map(|at| (at, Chunk::uniform(Voxel::OPEN)))).unwrap();
        world.fill_solid(region([0, 0, 0], [95, 0, 95])).unwrap();
        for at in (0..96).step_by(5) {
            world.set_fixture(IVec3::new(at, 6, 95 - at), Some(Fixture::Tap(4))).unwrap();
            world.set_fixture(IVec3::new(at, 1, 95 - at), Some(Fixture::Drain(2))).unwrap();
            let valve = Fixture::Valve { towards: Face::Down, rate: 3 };
            let ledge = IVec3::new(at, 4, 95 - at);
            world.set_solid(ledge).unwrap();
            world.set_fixture(ledge, Some(valve)).unwrap();
        }
        world
    };
    let (mut whole, mut sliced) = (build(), build());
    for tick in 0..60 {
        whole.step();
        if !sliced.step_within(500).finished {
            sliced = WaterWorld::load(&sliced.save()).unwrap();
            while !sliced.step_within(500).finished {}
        }
        assert_eq!(sliced.state_hash(), whole.state_hash(), "tick {tick}");
    }
    assert_eq!(whole.validate(), Ok(()));
    assert!(whole.ledger().injected > 3_000 && whole.ledger().drained > 100);
}

/// A valve to the east, of this rate.
fn valve(rate: u8) -> Option<Fixture> {
    Some(Fixture::Valve { towards: Face::East, rate })
}

/// Units in the cells of a region.
fn units(world: &WaterWorld, cells: Region) -> u64 {
    cells.positions().map(|cell| u64::from(world.units(cell))).sum()
}

/// Two basins with a wall between them, of any water, rules and valves: the water of the western
/// one never rises, and when nothing moves any more its level is no higher than that in the east.
#[test]
fn valves_pass_water_one_way_until_it_stands_no_higher_behind() {
    let (west, east) = (region([2, 2, 2], [12, 9, 5]), region([14, 2, 2], [24, 9, 5]));
    let (mut passed, mut kept) = (0, 0);
    for seed in 0..10 {
        let mut rng = Rng::with_seed(seed);
        let rules = Rules { throughput: rng.u8(1..=7), ..Rules::lossless() };
        let mut world = room(west, rules);
        world.fill_water(east, 0).unwrap();
        for basin in [west, east] {
            let top = basin.max().with_y(rng.i32(2..=8));
            world.fill_water(Region::new(basin.min(), top), rng.u8(1..=7)).unwrap();
        }
        let lowest = rng.i32(2..=4);
        for _ in 0..rng.usize(1..4) {
            let cell = IVec3::new(13, rng.i32(lowest..=9), rng.i32(2..=5));
            world.set_fixture(cell, valve(rng.u8(1..=7))).unwrap();
        }
        let lowest = world.fixtures().map(|(cell, _)| cell.y).min().unwrap();
        let (start, total) = (units(&world, west), world.total());
        let mut before = start;
        for _ in 0..1_200 {
            tick(&mut world);
            let now = units(&world, west);
            assert!(now <= before, "seed {seed}: water went back");
            before = now;
        }
        assert!(world.is_at_rest(), "seed {seed}: {} cells awake", world.awake_cells());
        assert_eq!(world.total(), total);
        let level = |basin: Region| {
            let column = Region::new(basin.min(), basin.min().with_y(9));
            units(&world, column) as i64
        };
        let sill = 7 * i64::from(lowest - 2);
        let levels = [level(west), level(east), sill];
        assert!(levels[0] <= (levels[1] + 3).max(sill + 2), "seed {seed}: {levels:?}");
        passed += start - before;
        kept += u64::from(start == before);
    }
    assert!(passed > 400 && kept > 0, "{passed} units passed, in {kept} worlds none");
}

/// A river runs out into the sea through a gate, at any level of the river that is higher; the sea
/// does not come in.
#[test]
fn a_tide_gate_lets_a_river_out_and_keeps_the_sea_off() {
    let canal = region([2, 2, 2], [12, 9, 2]);
    let mut world = room(canal, Rules::lossless());
    world.fill_sea(region([14, 2, 2], [20, 5, 2])).unwrap();
    world.set_fixture(IVec3::new(13, 3, 2), valve(7)).unwrap();
    world.run(50);
    assert_eq!((world.total(), world.is_at_rest()), (0, true), "the sea stays out");
    world.fill_water(region([2, 2, 2], [12, 9, 2]), 7).unwrap();
    world.run(400);
    assert!(world.is_at_rest());
    // The sea stands at the top of y = 5, and the canal is level within a unit.
    assert!((11 * 4 * 7..=11 * (4 * 7 + 2)).contains(&world.total()), "{}", world.total());
    assert_eq!(world.ledger().into_sea, world.ledger().placed - world.total());
    // The other way round it fills the canal up to its level.
    let other = Fixture::Valve { towards: Face::West, rate: 3 };
    world.fill_water(canal, 0).unwrap();
    world.set_fixture(IVec3::new(13, 3, 2), Some(other)).unwrap();
    let before = world.ledger().from_sea;
    tick(&mut world);
    assert_eq!(world.ledger().from_sea - before, 3);
    world.run(400);
    assert!((11 * (4 * 7 - 2)..=11 * 4 * 7).contains(&world.total()), "{}", world.total());
}

/// Water on a roof with a gully: a valve in it lets it down at its rate. Out of ground it does
/// nothing, and it passes nothing upwards.
#[test]
fn a_valve_in_a_floor_lets_water_fall_and_none_rise() {
    let mut world = room(region([2, 2, 2], [6, 4, 2]), Rules::lossless());
    world.fill_water(region([2, 6, 2], [6, 8, 2]), 7).unwrap();
    let gully = IVec3::new(4, 5, 2);
    let towards = |towards| Some(Fixture::Valve { towards, rate: 2 });
    let below = region([2, 2, 2], [6, 4, 2]);
    world.set_fixture(gully, towards(Face::Up)).unwrap();
    world.run(20);
    assert_eq!(units(&world, below), 0);
    world.set_fixture(gully, towards(Face::Down)).unwrap();
    for ticks in 1..=30 {
        tick(&mut world);
        assert_eq!(units(&world, below), 2 * ticks);
    }
    world.run(300);
    // The last layer is level within a unit: its middle is full.
    let full = units(&world, below);
    assert!(world.is_at_rest() && (5 * 3 * 7 - 4..=5 * 3 * 7).contains(&full), "{full}");
    world.set_fixture(gully, towards(Face::Up)).unwrap();
    world.run(100);
    assert_eq!(units(&world, below), full);
}

/// A spring behind a valve, which is full, gives what its rules let it.
#[test]
fn a_valve_passes_what_a_spring_behind_it_supplies() {
    let mut world =
        room(region([2, 2, 2], [2, 2, 2]), Rules { source_supply: 3, ..Rules::lossless() });
    world.fill_water(region([4, 2, 2], [20, 2, 2]), 0).unwrap();
    world.add_source(IVec3::splat(2)).unwrap();
    world.set_fixture(IVec3::new(3, 2, 2), valve(7)).unwrap();
    assert_eq!(tick(&mut world), [3, 0]);
    assert_eq!(world.validate(), Ok(()));
    world.run(400);
    assert!(world.is_at_rest());
    assert!((17 * 5..=17 * 7).contains(&units(&world, region([4, 2, 2], [20, 2, 2]))));
}
