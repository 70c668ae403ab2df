//! A sleeping world equals one that never slept: the cases in which it once did not, each with its
//! story. The law itself is tested on random worlds in `laws.rs`.

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use support::water::small::{HIGH, LOW, world};

/// Runs the same edits on a world that sleeps and on one that is woken before each tick, and
/// compares them after each.
fn compare(seed: u64, rules: Rules, ticks: u64, edit: impl Fn(u64, &mut WaterWorld)) {
    let (mut sleeper, mut awake) = (world(seed, rules), world(seed, rules));
    for tick in 0..ticks {
        edit(tick, &mut sleeper);
        edit(tick, &mut awake);
        sleeper.step();
        awake.wake_all();
        awake.step();
        for cell in Region::new(LOW, HIGH).positions() {
            assert_eq!(sleeper.voxel(cell), awake.voxel(cell), "tick {tick}, cell {cell}");
        }
        assert_eq!(sleeper.state_hash(), awake.state_hash(), "tick {tick}");
    }
}

/// Two cells of a pocket in the ground lie in two chunks. One drains in the first pass of the tick;
/// the other may then flow in during the second, but its chunk was asleep, and a chunk woken
/// during the tick was not visited in it.
#[test]
fn a_chunk_woken_during_a_tick_is_visited_in_it() {
    let edges = Edges { unloaded: Edge::Drain, ..Edges::WALLS };
    let rules = Rules { source_supply: 0, throughput: 2, pools: false, edges, ..Rules::lossless() };
    compare(3_237_422_098_225_654_980, rules, 6, |tick, world| match tick {
        0 => {
            let pocket = Region::new(IVec3::new(0, -4, 0), IVec3::new(-1, -4, 0));
            assert_eq!(world.fill_water(pocket, 2), Ok(0));
        }
        1 => drop(world.remove_chunk(ChunkPos::new(0, -1, -1)).unwrap()),
        _ => {}
    });
}

/// Springs that give nothing feed films all the same, which may then sleep. In the ticks that
/// search for paths such a spring counted as idle, and a film got a path from it only if it was
/// awake.
#[test]
fn no_path_is_searched_for_from_springs_that_give_nothing() {
    let outer = [Edge::Wall, Edge::Drain, Edge::Drain, Edge::Held, Edge::Wall, Edge::Level(-1)];
    let edges = Edges { outer, unloaded: Edge::Drain };
    let lossy = Rules { film_evaporation: 0.01, ..Rules::lossless() };
    let rules = Rules { source_supply: 0, throughput: 7, pools: false, edges, ..lossy };
    compare(3050, rules, 32, |tick, world| {
        if tick == 0 {
            let ground = Region::new(LOW, HIGH.with_y(LOW.y + 1)).positions();
            ground.filter(|cell| cell.y > LOW.y).for_each(|cell| _ = world.clear_solid(cell));
            assert_eq!(world.add_source(IVec3::new(-4, -3, -1)), Ok(true));
            assert!(world.set_sea(IVec3::new(4, 5, -3)).is_ok());
        }
    });
}

/// The same for springs at random places, above an open floor that drains at some sides.
#[test]
fn worlds_with_springs_that_give_nothing_sleep_without_effect() {
    for seed in 0..48 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let outer = [(); 6].map(|()| [Edge::Wall, Edge::Drain, Edge::Held][rng.usize(..3)]);
        let edges = Edges { outer, unloaded: Edge::Drain };
        let rules = Rules {
            source_supply: 0,
            throughput: rng.u8(1..8),
            pools: seed % 4 == 0,
            many_parents: rng.bool(),
            edges,
            ..Rules::lossless()
        };
        let mut cell = |y: core::ops::Range<i32>| {
            IVec3::new(rng.i32(LOW.x..=HIGH.x), rng.i32(y), rng.i32(LOW.z..=HIGH.z))
        };
        let springs = [(); 3].map(|()| cell(LOW.y + 2..HIGH.y));
        let (sea, pool) = (cell(LOW.y + 4..HIGH.y + 1), cell(LOW.y + 2..LOW.y + 4));
        compare(seed, rules, 40, |tick, world| match tick {
            0 => {
                springs.iter().for_each(|&spring| _ = world.add_source(spring));
                world.set_sea(sea).unwrap();
            }
            9 => _ = world.fill_water(Region::cell(pool), 7),
            21 => _ = world.remove_source(springs[0]),
            _ => {}
        });
    }
}

/// A stream is cut from its source by a fill. Until HasSource has cleared all along it, its cells
/// have a finite head to draw from, which those asleep did not notice. A cell that has a source now
/// draws from sources only.
#[test]
fn a_cell_cut_from_its_source_misses_nothing_in_its_sleep() {
    let walls = [Edge::Wall, Edge::Wall, Edge::Drain, Edge::Wall, Edge::Held, Edge::Wall];
    let edges = Edges { outer: walls, unloaded: Edge::Wall };
    let rules =
        Rules { source_supply: 5, throughput: 5, many_parents: false, edges, ..Rules::lossless() };
    compare(7_412_247_160_525_670_647, rules, 60, |tick, world| match tick {
        0 => assert_eq!(world.add_source(IVec3::new(2, 4, -2)), Ok(true)),
        16 => assert!(
            world.fill_water(Region::new(IVec3::new(0, -3, -3), IVec3::new(4, 0, 0)), 5).is_ok()
        ),
        _ => {}
    });
}

/// A full cell with a source higher up rises into the cell above once that has given water away. It
/// was asleep, and what a cell gave woke its sides and what lay above it, but not what lay below.
#[test]
fn a_full_cell_wakes_to_rise_into_the_cell_above() {
    let edges = Edges { unloaded: Edge::Wall, ..Edges::WALLS };
    let rules = Rules {
        source_supply: 2,
        throughput: 2,
        pools: false,
        many_parents: false,
        edges,
        ..Rules::lossless()
    };
    compare(12_451_237_387_512_472_474, rules, 60, |tick, world| {
        if tick == 20 {
            assert!(
                world
                    .fill_water(Region::new(IVec3::new(1, -1, 0), IVec3::new(4, -5, 4)), 6)
                    .is_ok()
            );
            assert_eq!(world.add_source(IVec3::new(2, 0, 4)), Ok(true));
            assert_eq!(world.clear_solid(IVec3::new(1, -4, 5)), Ok(true));
        }
    });
}

/// Water slides sideways over a cell that would let it fall. When such a cell got room, the news
/// went round by the chunk beside it, and was lost where that one was not loaded.
#[test]
fn a_slide_is_noticed_past_a_chunk_that_is_not_loaded() {
    let edges = Edges { unloaded: Edge::Wall, ..Edges::WALLS };
    let rules = Rules {
        source_supply: 0,
        throughput: 2,
        pools: false,
        many_parents: false,
        edges,
        ..Rules::lossless()
    };
    compare(4_900_143_239_458_837_956, rules, 60, |tick, world| match tick {
        0 => {
            assert!(world.set_solid(IVec3::new(0, -4, 0)).is_ok());
            assert!(
                world.fill_solid(Region::new(IVec3::new(-3, 0, -1), IVec3::new(-4, -2, 2))).is_ok()
            );
            assert!(
                world
                    .fill_water(Region::new(IVec3::new(0, 1, 3), IVec3::new(-5, 5, -6)), 6)
                    .is_ok()
            );
        }
        15 => assert!(world.remove_chunk(ChunkPos::new(0, -1, -1)).is_ok()),
        _ => {}
    });
}

/// What bodies were flooded with was kept for good, half a kilobyte for each chunk that had ever
/// held moving water.
#[test]
fn a_world_at_rest_keeps_nothing_that_a_tick_works_with() {
    let mut world = WaterWorld::new(5, Rules::lossless()).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(9, 0, 9)).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(159, 0, 159))).unwrap();
    world.take_changes();
    world.take_all_changes();
    let before = world.memory_bytes();
    for at in Region::new(IVec3::ZERO, IVec3::new(9, 0, 9)).positions() {
        world.pour(16 * at + IVec3::new(7, 1, 7), 7).unwrap();
    }
    world.run(60 + 64);
    assert!(world.is_at_rest());
    world.take_changes();
    world.take_all_changes();
    let after = world.memory_bytes();
    assert!(after < before + 100 * 200, "{before} bytes in 100 chunks before, {after} after");
}
