//! The sea: what it fills and takes, how it closes, sleeps, is saved, and is entered in the ledger;
//! and the edges beyond which it goes on.

use floodplain::glam::{IVec2, IVec3, Vec3};
use floodplain::snapshot::Saved;
use floodplain::water::{
    Cause, Edge, Edges, EditError, Feed, Ledger, Mirror, Rules, Voxel, WaterCell, WaterView,
    WaterWorld,
};
use floodplain::{Chunk, ChunkPos, ColumnPos, Region};

fn region(min: [i32; 3], max: [i32; 3]) -> Region {
    Region::new(min.into(), max.into())
}

/// A world of solid ground, 32×16×32, in bounds.
fn ground(rules: Rules) -> WaterWorld {
    let bounds = region([0, 0, 0], [31, 15, 31]);
    let mut world = WaterWorld::with_bounds(7, rules, bounds).unwrap();
    for chunk in region([0, 0, 0], [1, 0, 1]).positions() {
        world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::SOLID)).unwrap();
    }
    world
}

/// A tick. After every eighth all laws hold, and the units in the cells are those of the ledger.
fn step(world: &mut WaterWorld) {
    world.step();
    if !world.ticks().is_multiple_of(8) {
        return;
    }
    assert_eq!(world.validate(), Ok(()), "tick {}", world.ticks());
    let units: u64 = world
        .chunks()
        .flat_map(|(_, chunk)| (0..4096).map(move |index| chunk.get(index)))
        .map(|voxel| voxel.cell().map_or(0, |cell| u64::from(cell.height())))
        .sum();
    assert_eq!(units, world.total(), "tick {}", world.ticks());
}

/// Runs to rest, lawful; panics if that takes too long.
fn rest(world: &mut WaterWorld, most: u32) {
    for _ in 0..most {
        if world.awake_cells() == 0 {
            assert_eq!(world.validate(), Ok(()), "at rest");
            return;
        }
        step(world);
    }
    panic!("{} cells are awake after {most} ticks", world.awake_cells());
}

fn is_all_sea(world: &WaterWorld, cells: Region) -> bool {
    cells.positions().all(|cell| world.is_sea(cell))
}

const SEA: [[i32; 3]; 2] = [[0, 2, 0], [7, 9, 31]];

/// A sea in the west up to y = 9 with air over it, and behind a wall at x = 8 a cave from y = 3 to
/// 12.
fn cave(rules: Rules) -> WaterWorld {
    let mut world = ground(rules);
    world.fill_water(region([0, 2, 0], [7, 15, 31]), 0).unwrap();
    world.fill_sea(region(SEA[0], SEA[1])).unwrap();
    world.fill_water(region([9, 3, 4], [20, 12, 12]), 0).unwrap();
    world
}

#[test]
fn a_breached_sea_floods_the_cave_to_its_level_and_stays_a_sea() {
    for (breach, throughput) in [(3, 7), (6, 7), (9, 7), (4, 2)] {
        let mut world = cave(Rules { throughput, ..Rules::lossless() });
        rest(&mut world, 5);
        assert_eq!(world.ledger(), Ledger::default());
        world.clear_solid(IVec3::new(8, breach, 8)).unwrap();
        rest(&mut world, 8_000);
        for cell in region([9, 3, 4], [20, 12, 12]).positions() {
            let height = world.units(cell);
            let is_right = match cell.y {
                ..=8 => height == 7,
                9 => height >= 6,
                _ => height == 0,
            };
            assert!(is_right, "{height} at {cell}, breach at {breach}");
        }
        assert!(is_all_sea(&world, region(SEA[0], SEA[1])));
        let ledger = world.ledger();
        assert_eq!(ledger, Ledger { from_sea: ledger.from_sea, ..Ledger::default() });
    }
}

/// Without pools nothing rises, as nothing does in a U-tube, and water without a spring comes to
/// rest in slopes of a unit a cell.
#[test]
fn without_pools_the_sea_fills_most_of_what_lies_below_the_breach() {
    let mut world = cave(Rules { pools: false, ..Rules::lossless() });
    world.clear_solid(IVec3::new(8, 6, 8)).unwrap();
    rest(&mut world, 8_000);
    let below = region([9, 3, 4], [20, 5, 12]);
    let units: u64 = below.positions().map(|cell| u64::from(world.units(cell))).sum();
    let most = 7 * below.positions().count() as u64;
    assert!(units * 100 >= most * 85, "{units} units of {most}");
    assert!(region([9, 8, 4], [20, 12, 12]).positions().all(|cell| world.units(cell) == 0));
}

/// A lake that stands higher, joined to the sea below its level, runs out into it.
#[test]
fn higher_water_is_pressed_into_the_sea() {
    let mut world = cave(Rules::lossless());
    world.fill_water(region([9, 3, 4], [20, 12, 12]), 7).unwrap();
    world.clear_solid(IVec3::new(8, 4, 8)).unwrap();
    rest(&mut world, 8_000);
    let level = |cell: IVec3| world.units(cell);
    assert!(region([9, 9, 4], [20, 9, 12]).positions().all(|cell| level(cell) == 7));
    for cell in region([9, 10, 4], [20, 12, 12]).positions() {
        assert!(level(cell) <= u8::from(cell.y == 10), "{} at {cell}", level(cell));
    }
    let ledger = world.ledger();
    assert!(ledger.into_sea > 1_000 && ledger.from_sea < 20, "{ledger:?}");
}

#[test]
fn rain_on_the_sea_leaves_no_specks() {
    let mut world = cave(Rules::lossless());
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..200 {
        let cell = IVec3::new(random.i32(0..8), 15, random.i32(0..32));
        world.pour(cell, random.u32(1..8)).unwrap();
        step(&mut world);
    }
    rest(&mut world, 100);
    let ledger = world.ledger();
    assert_eq!((world.total(), ledger.into_sea), (0, ledger.placed));
    assert!(is_all_sea(&world, region(SEA[0], SEA[1])));
}

#[test]
fn a_block_built_into_the_sea_and_taken_out_leaves_it_as_it_was() {
    let mut world = cave(Rules::lossless());
    rest(&mut world, 5);
    let before = world.chunk(ChunkPos::ZERO).unwrap().into_owned();
    for cell in [[3, 5, 3], [3, 9, 3], [7, 3, 9], [0, 9, 15], [7, 9, 16]].map(IVec3::from) {
        assert_eq!(world.set_solid(cell).unwrap().moved, 0);
        rest(&mut world, 20);
        assert!(world.clear_solid(cell).unwrap());
        assert_eq!(world.units(cell), 0, "an empty cell");
        rest(&mut world, 20);
        assert!(world.is_sea(cell), "the sea closes over {cell}");
        assert!(world.clear_sea(cell).unwrap() && !world.clear_sea(cell).unwrap());
        rest(&mut world, 20);
        assert!(world.is_sea(cell));
    }
    assert_eq!(world.chunk(ChunkPos::ZERO).unwrap().into_owned(), before);
    assert_eq!(world.ledger(), Ledger::default());
}

/// A hole that is dug into the surface closes from its rim, and a pillar under it does not.
#[test]
fn holes_close_and_what_stands_on_ground_is_filled() {
    let mut world = cave(Rules::lossless());
    world.fill_water(region([2, 8, 2], [6, 9, 12]), 0).unwrap();
    world.fill_solid(region([4, 2, 4], [4, 8, 4])).unwrap();
    rest(&mut world, 100);
    let on_pillar = IVec3::new(4, 9, 4);
    for cell in region(SEA[0], SEA[1]).positions() {
        let is_pillar = cell.x == 4 && cell.z == 4;
        assert_eq!(world.is_sea(cell), !is_pillar, "{cell}");
    }
    assert_eq!((world.units(on_pillar), world.cell(on_pillar).is_some()), (7, true));
    assert_eq!(world.total(), 7);
}

#[test]
fn a_sleeping_sea_costs_nothing() {
    let mut world = WaterWorld::new(7, Rules::default()).unwrap();
    let sea = region([0, 0, 0], [9, 3, 9]);
    world
        .insert_chunks(
            sea.positions().map(ChunkPos::from).map(|at| (at, Chunk::uniform(Voxel::SEA))),
        )
        .unwrap();
    rest(&mut world, 3);
    let report = world.run(1_000);
    assert_eq!((report.visited, report.moved, world.ledger()), (0, 0, Ledger::default()));
    assert!(world.is_at_rest());
    let each = world.memory_bytes() / 400;
    assert!(each < 600, "{each} bytes for each chunk");
}

/// One world is woken before each tick, one does its ticks in slices, one is saved and loaded.
#[test]
fn a_breach_is_the_same_asleep_woken_in_slices_and_saved() {
    let mut world = cave(Rules::default());
    world.clear_solid(IVec3::new(8, 5, 8)).unwrap();
    world.add_source(IVec3::new(12, 12, 8)).unwrap();
    let mut woken = WaterWorld::load(&world.save()).unwrap();
    let mut sliced = WaterWorld::load(&world.save()).unwrap();
    for tick in 0..300 {
        step(&mut world);
        woken.wake_all();
        woken.step();
        while !sliced.step_within(150).finished {
            if tick % 9 == 0 {
                sliced = WaterWorld::load(&sliced.save()).unwrap();
                sliced.finish_tick();
                sliced.step();
                break;
            }
        }
        if tick == 150 {
            for world in [&mut world, &mut woken, &mut sliced] {
                world.set_solid(IVec3::new(3, 9, 8)).unwrap();
                world.clear_sea(IVec3::new(7, 5, 8)).unwrap();
            }
        }
        let hash = world.state_hash();
        assert_eq!((woken.state_hash(), sliced.state_hash()), (hash, hash), "tick {tick}");
    }
    assert!(world.ledger().from_sea > 1_000);
}

#[test]
fn the_sea_and_the_edges_of_columns_are_saved() {
    let mut world = cave(Rules::lossless());
    world.clear_solid(IVec3::new(8, 5, 8)).unwrap();
    world.set_edge(ColumnPos::new(-3, 8), Some(Edge::Level(-5)));
    world.set_edge(ColumnPos::new(2, 0), Some(Edge::Drain));
    world.set_edge(ColumnPos::new(2, 0), None);
    world.run(30);
    let saved = world.save();
    let loaded = WaterWorld::load(&saved).unwrap();
    assert_eq!(loaded.ledger(), world.ledger());
    assert_eq!(loaded.state_hash(), world.state_hash());
    assert!(loaded.column_edges().eq([(ColumnPos::new(-3, 8), Edge::Level(-5))]));
    assert!(loaded.save() == saved);
}

/// The level of the sea at a cell is the top of the sea straight above it.
#[test]
fn the_level_is_that_of_the_sea_above() {
    let mut world = cave(Rules::lossless());
    world.clear_solid(IVec3::new(8, 4, 8)).unwrap();
    rest(&mut world, 8_000);
    let top = IVec3::new(12, 9, 8);
    assert!(world.units(top) >= 6);
    // The sea sinks by three, and the cave with it.
    world.fill_water(region([0, 7, 0], [7, 9, 31]), 0).unwrap();
    rest(&mut world, 8_000);
    assert!(world.units(top) == 0 && world.units(top.with_y(7)) <= 1);
    assert!(world.units(top.with_y(6)) >= 6);
    // It rises again, chunk and all.
    world.fill_sea(region([0, 7, 0], [7, 9, 31])).unwrap();
    rest(&mut world, 8_000);
    assert!(world.units(top) >= 6);
}

#[test]
fn edits_of_the_sea_do_what_they_say() {
    let mut world = cave(Rules::lossless());
    let (sea, rock) = (IVec3::new(1, 5, 1), IVec3::new(30, 5, 30));
    assert_eq!((world.units(sea), world.cell(sea), world.voxel(sea)), (7, None, Some(Voxel::SEA)));
    assert_eq!(world.set_sea(sea), Ok(false));
    assert_eq!(world.pour(sea, 9), Ok(7));
    assert_eq!(world.scoop(sea, 3), Ok(3));
    let ledger = Ledger { placed: 7, into_sea: 7, removed: 3, from_sea: 3, ..Ledger::default() };
    assert_eq!(world.ledger(), ledger);
    assert_eq!(world.set_sea(rock), Ok(true));
    assert_eq!(world.clear_sea(rock), Ok(true));
    world.pour(rock, 5).unwrap();
    assert_eq!(world.fill_sea(Region::cell(rock)), Ok(5));
    assert_eq!(world.add_source(rock), Ok(true));
    assert_eq!((world.ledger().injected, world.is_sea(rock)), (7, false));
    assert_eq!(world.fill_sea(Region::cell(rock)), Ok(7));
    let (out, unloaded) = (IVec3::new(-1, 0, 0), IVec3::new(40, 0, 0));
    assert_eq!(world.set_sea(out), Err(EditError::OutOfBounds(out)));
    assert_eq!(world.clear_sea(unloaded), Err(EditError::OutOfBounds(unloaded)));
    let mut empty = WaterWorld::new(1, Rules::lossless()).unwrap();
    assert_eq!(empty.set_sea(out), Err(EditError::NotLoaded(out)));
    assert!(empty.set_edge(IVec2::ONE.into(), Some(Edge::Wall)));
    assert!(
        !empty.set_edge(IVec2::ONE.into(), Some(Edge::Wall))
            && !empty.set_edge(ColumnPos::new(1, 0), None)
    );
    assert_eq!(empty.edge(IVec2::ONE.into()), Some(Edge::Wall));
}

/// Words of a cell stay what they were: the sea is a word of a voxel.
#[test]
fn the_sea_is_a_voxel_and_no_water_cell() {
    assert_eq!(Voxel::from_word(Voxel::SEA.word()), Ok(Voxel::SEA));
    assert!(WaterCell::from_word(Voxel::SEA.word()).is_err());
    assert!(Voxel::SEA.is_sea() && !Voxel::SEA.is_solid() && Voxel::SEA.cell().is_none());
    let near = [0x0438, 0x053f, 0x0c3f, 0x047f, 0x043e];
    assert!(near.into_iter().all(|word| Voxel::from_word(word).is_err()));
}

#[test]
fn the_feed_names_the_sea_as_a_cause() {
    let mut world = cave(Rules::lossless());
    rest(&mut world, 5);
    let mut feed = Feed::new(&mut world);
    let hole = IVec3::new(3, 9, 3);
    world.set_solid(hole).unwrap();
    world.clear_solid(hole).unwrap();
    feed.take(&mut world);
    world.step();
    let update = feed.take(&mut world);
    assert!(update.chunks()[0].causes().eq([Cause::Sea]));
    assert_eq!(update.chunks()[0].spans[0].look.height(), 7);
}

/// The sea is drawn as full water, and a client sees it so.
#[test]
fn the_sea_is_drawn_as_full_water() {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SEA)).unwrap();
    world.insert_chunk(ChunkPos::new(0, 1, 0), Chunk::uniform(Voxel::OPEN)).unwrap();
    let mesh = world.surface_mesh(ChunkPos::ZERO, None);
    assert_eq!(mesh.indices.len(), 6);
    assert!(mesh.positions.iter().all(|position| position.y == 16.0));
    assert_eq!(world.level_at(Vec3::new(3.5, 2.5, 3.5)), Some(16.0));
    assert!(world.falls(ChunkPos::ZERO).is_empty());
    let mut mirror = Mirror::new(10);
    mirror.apply(&Feed::new(&mut world).whole(&world, [ChunkPos::ZERO])).unwrap();
    assert_eq!(mirror.units(IVec3::splat(9)), 7);
    assert!(mirror.look(IVec3::splat(9)).is_some_and(|look| look.is_sea()));
}

/// A plain of 3×3 chunks, of which the middle is loaded; ground at y = 0.
fn plain(unloaded: Edge) -> WaterWorld {
    let edges = Edges { unloaded, ..Edges::WALLS };
    let mut world = WaterWorld::new(3, Rules { edges, ..Rules::lossless() }).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_solid(region([0, 0, 0], [15, 0, 15])).unwrap();
    world
}

#[test]
fn beyond_a_level_the_sea_extends_up_to_it() {
    let mut world = plain(Edge::Level(4));
    rest(&mut world, 4_000);
    let heights = |y: i32| region([0, y, 0], [15, y, 15]).positions();
    assert!((1..4).flat_map(heights).all(|cell| world.units(cell) == 7));
    assert!(heights(4).all(|cell| world.units(cell) >= 6));
    assert!((5..16).flat_map(heights).all(|cell| world.units(cell) == 0));
    // Above the level it drains.
    world.fill_water(region([0, 5, 0], [15, 9, 15]), 7).unwrap();
    rest(&mut world, 4_000);
    assert!((5..16).flat_map(heights).all(|cell| world.units(cell) <= u8::from(cell.y == 5)));
    let ledger = world.ledger();
    assert!(ledger.drained > 0 && ledger.drained + ledger.into_sea >= 7 * 4 * 256);
}

/// Found in a random world of materials: only the sides of the column's chunks woke.
#[test]
fn water_above_what_is_not_loaded_wakes_when_the_edge_of_its_column_drains() {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    // Far from the sides of the chunk.
    let shaft = Region::new(IVec3::new(7, 0, 7), IVec3::new(8, 8, 8));
    world.fill_solid(Region::new(IVec3::new(6, 0, 6), IVec3::new(9, 9, 9))).unwrap();
    shaft.positions().for_each(|cell| _ = world.clear_solid(cell).unwrap());
    world.fill_water(shaft, 7).unwrap();
    world.run(50);
    assert!(world.is_at_rest() && world.total() == 36 * 7);
    world.set_edge(ColumnPos::new(0, 0), Some(Edge::Drain));
    assert_eq!(world.validate(), Ok(()));
    world.run(50);
    assert_eq!(world.total(), 0);
}

/// A river runs out in the west, where the edge is a drain, while the sea in the east stays.
#[test]
fn edges_are_set_for_single_columns() {
    let mut world = plain(Edge::Held);
    // A wall between the two halves.
    world.fill_solid(region([8, 1, 0], [8, 6, 15])).unwrap();
    world.fill_water(region([0, 1, 0], [7, 3, 15]), 7).unwrap();
    world.fill_water(region([9, 1, 0], [15, 3, 15]), 7).unwrap();
    rest(&mut world, 100);
    assert!(world.set_edge(ColumnPos::new(1, 0), Some(Edge::Level(3))));
    rest(&mut world, 100);
    assert_eq!(world.ledger().from_sea + world.ledger().into_sea, 0, "it is level with the sea");
    assert!(world.set_edge(ColumnPos::new(-1, 0), Some(Edge::Drain)));
    rest(&mut world, 4_000);
    let (west, east) = (IVec3::new(4, 1, 7), IVec3::new(12, 3, 7));
    assert!(world.units(west) <= 1 && world.units(east) >= 6);
    // The sea goes down, and what it left runs out. In the west a wall is as good as ground.
    world.set_edge(ColumnPos::new(1, 0), Some(Edge::Level(1)));
    world.set_edge(ColumnPos::new(-1, 0), Some(Edge::Wall));
    rest(&mut world, 4_000);
    assert!(world.units(east) == 0 && world.units(east.with_y(1)) >= 6);
    world.set_edge(ColumnPos::new(1, 0), None);
    rest(&mut world, 4_000);
    assert!(world.column_edges().eq([(ColumnPos::new(-1, 0), Edge::Wall)]));
}

/// A chunk that is loaded in place of a level is as sea was there, and back.
#[test]
fn a_level_ends_where_a_chunk_is_loaded() {
    let mut world = plain(Edge::Level(3));
    rest(&mut world, 4_000);
    let full = world.total();
    for face in [IVec3::X, IVec3::NEG_X, IVec3::Z, IVec3::NEG_Z] {
        world.insert_chunk(face.into(), Chunk::uniform(Voxel::SOLID)).unwrap();
    }
    world.fill_water(region([2, 1, 2], [9, 3, 9]), 0).unwrap();
    rest(&mut world, 4_000);
    assert!(world.total() < full, "nothing fills it");
    world.remove_chunk(ChunkPos::new(0, 0, -1)).unwrap();
    rest(&mut world, 4_000);
    assert!(world.total() + 256 >= full, "{} of {full}", world.total());
}

/// A sea of several chunks, loaded in any order, is the same.
#[test]
fn a_sea_is_loaded_in_any_order() {
    let shore = |random: &mut fastrand::Rng| {
        let mut cells = [Voxel::SEA; 4096];
        cells.fill_with(|| [Voxel::SEA, Voxel::SOLID, Voxel::OPEN][random.usize(..3)]);
        Chunk::from_cells(&cells)
    };
    let mut hashes = Vec::new();
    for order in 0..4 {
        let mut random = fastrand::Rng::with_seed(9);
        let mut chunks: Vec<(ChunkPos, Chunk<Voxel>)> = region([0, 0, 0], [1, 1, 1])
            .positions()
            .map(|at| {
                (
                    at.into(),
                    if random.bool() { Chunk::uniform(Voxel::SEA) } else { shore(&mut random) },
                )
            })
            .collect();
        fastrand::Rng::with_seed(order).shuffle(&mut chunks);
        let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
        for (at, chunk) in chunks {
            world.insert_chunk(at, chunk).unwrap();
        }
        (0..8).for_each(|_| step(&mut world));
        world.run(20);
        assert_eq!(world.validate(), Ok(()));
        hashes.push(world.state_hash());
    }
    assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{hashes:?}");
}
