//! `take_changes` in every automaton: what edits and steps changed, and neither loading nor
//! unloading. A world whose changes are never taken does not accumulate records of removed
//! chunks.

use fastrand::Rng;
use floodplain::blast::{self, BlastGraph, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::snapshot::Saved;
use floodplain::testing::{Op, Run, Small};
use floodplain::water::{self, Voxel, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::world::World;
use floodplain::{Chunk, ChunkChanges, ChunkPos, Cube, Region, Sheet, Simulation};

const CELL: IVec3 = IVec3::new(3, 4, 0);

/// Asks a small world after each operation of random runs what changed, and checks that it is in
/// order by a key. Returns how many lists had two entries or more.
fn are_in_order<W: Small, T, K: Ord>(
    take: impl Fn(&mut W) -> Vec<T>,
    key: impl Fn(&T) -> K,
) -> usize {
    let mut long = 0;
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let bytes: Vec<u8> = (0..192).map(|_| rng.u8(..)).collect();
        let run: Run<W> = Run::from_bytes(&bytes);
        let mut world = W::build(&run.start);
        for op in &run.ops {
            match op {
                // One that is refused changes nothing.
                Op::Edit(edit) => drop(world.apply(edit.clone())),
                Op::Step(ticks) | Op::Run(ticks) => (0..*ticks).for_each(|_| _ = world.step()),
                _ => _ = world.step(),
            }
            let changes = take(&mut world);
            let keys: Vec<K> = changes.iter().map(&key).collect();
            assert!(keys.is_sorted_by(|one, next| one < next), "seed {seed}, after {op:?}");
            long += usize::from(keys.len() > 1);
        }
    }
    long
}

#[test]
fn lists_are_in_order_and_none_is_empty() {
    let position = |changes: &ChunkChanges| {
        assert!(!changes.cells.is_empty(), "{changes:?}");
        [changes.chunk.y, changes.chunk.z, changes.chunk.x]
    };
    for long in [
        are_in_order(|world: &mut WaterWorld| world.take_changes(), position),
        are_in_order(|world: &mut World| world.take_changes(), position),
        are_in_order(|world: &mut HumidityWorld<Sheet>| world.take_changes(), position),
        are_in_order(|world: &mut HumidityWorld<Cube>| world.take_changes(), position),
        are_in_order(|world: &mut Water2dWorld| world.take_changes(), position),
        are_in_order(|world: &mut BlastWorld<Sheet>| world.take_changes(), position),
        are_in_order(|world: &mut BlastWorld<Cube>| world.take_changes(), position),
        are_in_order(|graph: &mut BlastGraph| graph.take_changes(), |&node| node),
    ] {
        assert!(long > 5, "{long} lists of more than one chunk");
    }
}

/// Loads a chunk, changes a cell of it, unloads it, and loads it again, each time asking what
/// changed.
fn changes_are_those_of_cells<W: Simulation<Change = ChunkChanges>>(
    world: &mut W,
    load: impl Fn(&mut W),
    edit: impl Fn(&mut W),
    unload: impl Fn(&mut W),
) {
    load(world);
    assert_eq!(world.take_changes(), [], "who loads a chunk knows");
    edit(world);
    let changes = world.take_changes();
    assert_eq!(changes.len(), 1);
    assert!(changes[0].chunk == ChunkPos::ZERO && changes[0].cells.len() == 1, "{changes:?}");
    edit(world);
    unload(world);
    assert_eq!(world.take_changes(), [], "what was not asked for goes with its chunk");
    load(world);
    assert_eq!(world.take_changes(), []);
}

#[test]
fn loading_and_unloading_is_not_listed() {
    let mut water = WaterWorld::new(7, water::Rules::lossless()).unwrap();
    changes_are_those_of_cells(
        &mut water,
        |world| world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap(),
        |world| assert_eq!(world.pour(CELL, 2), Ok(2)),
        |world| drop(world.remove_chunk(ChunkPos::ZERO).unwrap()),
    );
    let mut slice = Water2dWorld::new(7, water2d::Rules::default()).unwrap();
    changes_are_those_of_cells(
        &mut slice,
        |world| world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(water2d::Cell::AIR)).unwrap(),
        |world| assert!(world.pour(CELL, 20).is_ok()),
        |world| drop(world.remove_chunk(ChunkPos::ZERO).unwrap()),
    );
    let mut ground: HumidityWorld = HumidityWorld::new(humidity::Rules::default()).unwrap();
    changes_are_those_of_cells(
        &mut ground,
        |world| {
            world
                .insert_chunk(ChunkPos::ZERO, Chunk::uniform(humidity::Cell::soil(1.0, 1.0)))
                .unwrap()
        },
        |world| {
            let more = world.humidity(CELL) + 1.0;
            world.set_humidity(CELL, more).unwrap();
        },
        |world| drop(world.remove_chunk(ChunkPos::ZERO).unwrap()),
    );
    let mut air: BlastWorld = BlastWorld::new(blast::Rules::default()).unwrap();
    changes_are_those_of_cells(
        &mut air,
        |world| world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(1.0)).unwrap(),
        |world| assert!(world.add_pressure(CELL, 1.0).is_ok()),
        |world| drop(world.remove_chunk(ChunkPos::ZERO).unwrap()),
    );
}

/// Asks for the number of cells that changed.
fn count(world: &mut impl Simulation<Change = ChunkChanges>) -> usize {
    world.take_changes().iter().map(|changes| changes.cells.len()).sum()
}

/// A fill of many cells of which all but one already have the new value.
#[test]
fn a_fill_lists_only_the_cells_that_it_changes() {
    let region = Region::new(IVec3::ZERO, IVec3::new(9, 9, 0));
    let mut slice = Water2dWorld::new(7, water2d::Rules::default()).unwrap();
    slice.insert_chunk(ChunkPos::ZERO, Chunk::uniform(water2d::Cell::SOLID)).unwrap();
    slice.clear_solid(CELL).unwrap();
    assert_eq!(count(&mut slice), 1);
    slice.fill_solid(region).unwrap();
    assert_eq!(count(&mut slice), 1);
    slice.run(5);
    slice.fill_solid(region).unwrap();
    assert_eq!((slice.is_at_rest(), count(&mut slice)), (true, 0), "nothing changed");

    let mut ground: HumidityWorld = HumidityWorld::new(humidity::Rules::default()).unwrap();
    let soil = humidity::Cell::soil(1.0, 1.0);
    ground.insert_chunk(ChunkPos::ZERO, Chunk::uniform(soil)).unwrap();
    ground.set_humidity(CELL, 2.0).unwrap();
    assert_eq!(count(&mut ground), 1);
    for changed in [1, 0] {
        ground.fill_cells(region, soil).unwrap();
        assert_eq!(count(&mut ground), changed);
    }

    let mut air = air();
    air.insert_chunk(ChunkPos::ZERO, Chunk::uniform(1.0)).unwrap();
    air.set_pressure(CELL, 2.0).unwrap();
    assert_eq!(count(&mut air), 1);
    for changed in [1, 0] {
        air.fill_pressure(region, 1.0).unwrap();
        assert_eq!(count(&mut air), changed);
    }
    assert_eq!((air.set_pressure(CELL, 1.0), count(&mut air)), (Ok(1.0), 0));
}

/// An explosion that goes off, runs out, and takes its chunks with it.
fn explode(world: &mut BlastWorld, cell: IVec3) {
    world.set_pressure(cell, 20.0).unwrap();
    for _ in 0..1000 {
        if world.is_at_rest() {
            break;
        }
        world.run(20);
    }
    assert!(world.is_at_rest() && world.chunks().count() == 0);
}

fn air() -> BlastWorld {
    BlastWorld::new(blast::Rules { threshold: 0.1, ..blast::Rules::default() }).unwrap()
}

/// Every chunk that fell silent was once kept, with a mask of half a kilobyte, until changes were
/// taken.
#[test]
fn a_world_of_explosions_that_nobody_asks_keeps_nothing_of_them() {
    let mut world = air();
    explode(&mut world, CELL);
    let after_one = world.save().len();
    let memory = world.memory_bytes();
    for at in 1..40 {
        explode(&mut world, CELL + 640 * IVec3::new(at, -at, 0));
    }
    assert_eq!(world.save().len(), after_one, "what is saved has not grown");
    assert!(
        world.memory_bytes() <= memory,
        "{} bytes, {memory} after the first",
        world.memory_bytes()
    );
    assert_eq!(world.take_changes(), [], "nothing is other than it was at the start");
}

/// What was reported of a chunk holds until the next report, also if the chunk goes, comes again
/// and goes again.
#[test]
fn a_reported_chunk_is_reported_again_when_it_is_unloaded() {
    let mut world = air();
    world.set_pressure(CELL, 20.0).unwrap();
    world.step();
    let told = world.take_changes();
    let cells =
        |changes: &[ChunkChanges]| changes.iter().map(|change| change.cells.len()).sum::<usize>();
    assert_eq!((told.len(), cells(&told)), (1, 5), "the charge and its four neighbours");
    let mut loaded: BlastWorld = BlastWorld::load(&world.save()).unwrap();
    for world in [&mut world, &mut loaded] {
        explode(world, CELL);
        explode(world, CELL + IVec3::ONE.with_z(0));
    }
    let mut again: BlastWorld = BlastWorld::load(&world.save()).unwrap();
    let gone = world.take_changes();
    assert!(
        gone.iter().all(|change| change.chunk == ChunkPos::ZERO),
        "the others came and went unseen"
    );
    assert!(told[0].cells.iter().all(|cell| gone[0].cells.contains(cell)));
    assert_eq!(loaded.take_changes(), gone, "what was told is saved");
    assert_eq!(again.take_changes(), gone, "and what is yet to be told");
    assert_eq!(world.take_changes(), []);
}
