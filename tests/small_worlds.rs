//! A store and a world of water that are small enough for Miri (`.ci/miri`) to run.

#[path = "support/storage.rs"]
mod storage;

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Cube, Region, Sheet};
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

/// A spring in a tunnel through one chunk of rock, over a step to the face of a chunk that is not loaded, which drains.
#[test]
fn a_spring_runs_through_a_tunnel_to_a_drain() {
    let edges = Edges { unloaded: Edge::Drain, ..Edges::WALLS };
    let mut world = WaterWorld::new(3, Rules { edges, ..Rules::lossless() }).unwrap();
    world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
    for (from, to) in [([2, 5, 3], [3, 5, 3]), ([0, 4, 3], [2, 4, 3])] {
        world.fill_water(Region::new(from.into(), to.into()), 0).unwrap();
    }
    assert_eq!(world.add_source(IVec3::new(3, 5, 3)), Ok(true));
    assert_eq!(world.pour(IVec3::new(1, 4, 3), 5), Ok(5));
    let moved = world.run(5).moved;
    assert_eq!(world.validate(), Ok(()));
    assert!(moved > 0 && world.ledger().drained > 0, "{:?}", world.ledger());
    let (hash, held) = (world.state_hash(), world.total());
    let chunk = world.remove_chunk(IVec3::ZERO).unwrap();
    assert_eq!((world.total(), world.ledger().removed), (0, held));
    world.insert_chunk(IVec3::ZERO, chunk).unwrap();
    assert!(world.total() == held && world.state_hash() != hash, "the ledger is part of the state");
}
