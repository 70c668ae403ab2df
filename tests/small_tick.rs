//! One small world from its first tick to its last chunk, small enough for Miri (`.ci/miri`) to run.

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Face, Region};

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
        assert_eq!(world.validate(), Ok(()), "tick {}", world.ticks());
    }
    assert!(moved > 0 && world.ledger().drained > 0, "{:?}", world.ledger());
    let hash = world.state_hash();
    let held = world.total();
    let chunk = world.remove_chunk(IVec3::X).unwrap();
    assert_eq!(world.validate(), Ok(()));
    assert!(world.total() < held && world.state_hash() != hash);
    world.insert_chunk(IVec3::X, chunk).unwrap();
    world.step();
    assert_eq!(world.validate(), Ok(()));
}
