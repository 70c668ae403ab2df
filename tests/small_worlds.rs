//! A store and a world of water that are small enough for Miri (`.ci/miri`) to run.

#[path = "support/storage.rs"]
mod storage;

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Cube, Face, Region, Sheet};
use storage::{BACKGROUND, Op};

/// Every operation there is, once, across borders of both shapes.
#[test]
fn a_small_store_agrees_with_the_model() {
    let corner = Region::new(IVec3::new(-1, -1, -1), IVec3::new(1, 0, 0));
    let ops = [
        Op::Set(IVec3::new(-1, 0, 0), 5),
        Op::Fill(corner, 2),
        Op::CopyIn(corner, 3),
        Op::CopyInWrong(corner, 1),
        Op::Wake(IVec3::ZERO),
        Op::MarkChanged(IVec3::ZERO),
        Op::Sleep(IVec3::ZERO),
        Op::Wake(IVec3::NEG_X),
        Op::Clone,
        Op::TakeAwake,
        Op::TakeChanges,
        Op::Walk(IVec3::ZERO, vec![(IVec3::NEG_ONE, Some(7)), (IVec3::X, None), (IVec3::new(64, 0, 0), Some(8))]),
        Op::Remove(IVec3::ZERO),
        Op::Insert(IVec3::ZERO, BACKGROUND, Some(17)),
        Op::InsertLoose(IVec3::NEG_ONE, BACKGROUND),
        Op::InsertAt(IVec3::MAX),
        Op::FillEverywhere(2),
        Op::FillEverywhere(BACKGROUND),
    ];
    storage::run::<Cube>(&ops, corner);
    storage::run::<Sheet>(&ops, corner);
}

/// A step down from a spring to a drain, across the border of two chunks.
#[test]
fn a_spring_runs_over_a_chunk_border_to_a_drain() {
    let bounds = Region::new(IVec3::new(14, 0, 0), IVec3::new(17, 2, 1));
    let edges = Edges::WALLS.with(Face::East, Edge::Drain);
    let mut world = WaterWorld::with_bounds(3, Rules { edges, ..Rules::lossless() }, bounds).unwrap();
    for chunk in [IVec3::X, IVec3::ZERO] {
        world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).unwrap();
    }
    world.fill_solid(Region::new(IVec3::new(14, 0, 0), IVec3::new(15, 0, 1))).unwrap();
    assert_eq!(world.add_source(IVec3::new(14, 1, 0)), Ok(true));
    assert_eq!(world.pour(IVec3::new(15, 2, 1), 5), Ok(5));
    let mut moved = 0;
    for _ in 0..8 {
        moved += world.step().moved;
    }
    assert_eq!(world.validate(), Ok(()));
    assert!(moved > 0 && world.ledger().drained > 0, "{:?}", world.ledger());
    let hash = world.state_hash();
    let held = world.total();
    let chunk = world.remove_chunk(IVec3::X).unwrap();
    assert!(world.total() < held && world.state_hash() != hash);
    world.insert_chunk(IVec3::X, chunk).unwrap();
    world.step();
    assert_eq!(world.validate(), Ok(()));
}
