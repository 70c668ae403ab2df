//! Water at the ends of the `i32` range and of the world: nothing wraps, nothing panics, nothing is
//! lost.

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, EditError, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape};

#[test]
fn water_lives_at_both_ends_of_the_range() {
    for corner in [IVec3::MAX, IVec3::MIN] {
        for edge in [Edge::Wall, Edge::Drain, Edge::Held] {
            let edges = Edges { outer: [edge; 6], unloaded: Edge::Held };
            let mut world = WaterWorld::new(3, Rules { edges, ..Rules::lossless() }).unwrap();
            let chunk = Cube::chunk_of(corner);
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).unwrap();
            assert_eq!(world.add_source(corner), Ok(true));
            let inside = Cube::cell_at(chunk, 2000);
            assert_eq!(world.pour(inside, 9), Ok(7));
            for _ in 0..60 {
                world.step();
                assert_eq!(
                    world.validate(),
                    Ok(()),
                    "{edge:?} at {corner}, tick {}",
                    world.ticks()
                );
            }
            assert_eq!(world.total(), world.ledger().total());
            // At the lower end the spring is on the outer floor, so it drains if that drains;
            // at the upper one it touches three outer faces.
            assert_eq!(world.ledger().drained > 0, edge == Edge::Drain);
        }
    }
}

#[test]
fn a_chunk_beyond_the_range_or_the_bounds_is_refused() {
    let mut world =
        WaterWorld::with_bounds(1, Rules::default(), Region::new(IVec3::ZERO, IVec3::splat(20)))
            .unwrap();
    let air = || Chunk::uniform(Voxel::OPEN);
    assert_eq!(
        world.insert_chunk(ChunkPos::new(2, 2, 2), air()),
        Err(EditError::ChunkOutOfBounds(ChunkPos::new(2, 2, 2)))
    );
    assert_eq!(
        world.insert_chunk(IVec3::MAX.into(), air()),
        Err(EditError::ChunkOutOfBounds(IVec3::MAX.into()))
    );
    assert_eq!(world.insert_chunk(ChunkPos::ZERO, air()), Ok(()));
    assert_eq!(
        world.insert_chunk(ChunkPos::ZERO, air()),
        Err(EditError::ChunkPresent(ChunkPos::ZERO))
    );
    assert_eq!(
        world.remove_chunk(ChunkPos::new(1, 1, 1)).err(),
        Some(EditError::ChunkAbsent(ChunkPos::new(1, 1, 1)))
    );
    assert_eq!(world.pour(IVec3::NEG_ONE, 1), Err(EditError::OutOfBounds(IVec3::NEG_ONE)));
    assert_eq!(world.pour(IVec3::splat(17), 1), Err(EditError::NotLoaded(IVec3::splat(17))));
    assert_eq!(world.set_solid(IVec3::ONE).map(|displaced| displaced.removed), Ok(0));
    assert_eq!(world.pour(IVec3::ONE, 1), Err(EditError::Solid(IVec3::ONE)));
    assert_eq!(world.fill_water(Region::cell(IVec3::ONE), 8), Err(EditError::Height(8)));
    assert_eq!(world.validate(), Ok(()));
}

/// A world that ends inside a chunk: the cells beyond are no part of it, whatever a loaded chunk
/// says.
#[test]
fn a_world_may_end_inside_a_chunk() {
    let bounds = Region::new(IVec3::new(3, 3, 3), IVec3::new(9, 9, 9));
    let edges = Edges::WALLS.with(Face::Down, Edge::Drain);
    let mut world =
        WaterWorld::with_bounds(1, Rules { edges, ..Rules::lossless() }, bounds).unwrap();
    let full = Chunk::uniform(Voxel::water(floodplain::water::WaterCell::STILL));
    world.insert_chunk(ChunkPos::ZERO, full).unwrap();
    assert_eq!(world.total(), 7 * 7 * 7 * 7);
    assert_eq!(world.voxel(IVec3::new(2, 5, 5)), None);
    // Activity ends 64 ticks after the last flow.
    world.run(60 + 64);
    assert_eq!(world.validate(), Ok(()));
    assert_eq!(world.total(), 0);
    assert_eq!(world.ledger().drained, 7 * 7 * 7 * 7);
    assert!(world.is_at_rest());
    let chunk = world.remove_chunk(ChunkPos::ZERO).unwrap();
    assert_eq!(chunk.as_uniform(), Some(Voxel::OPEN));
}

/// Water displaced by an edit goes where there is room, and what finds none is counted as removed.
#[test]
fn displaced_water_is_accounted_for() {
    let region = Region::new(IVec3::ZERO, IVec3::new(2, 0, 0));
    let mut world = WaterWorld::with_bounds(1, Rules::lossless(), region).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.pour(IVec3::new(0, 0, 0), 5).unwrap();
    world.pour(IVec3::new(1, 0, 0), 7).unwrap();
    world.pour(IVec3::new(2, 0, 0), 6).unwrap();
    let displaced = world.set_solid(IVec3::new(1, 0, 0)).unwrap();
    assert_eq!((displaced.moved, displaced.removed), (3, 4));
    assert_eq!((world.total(), world.ledger().removed), (14, 4));
    assert_eq!(world.scoop(IVec3::ZERO, 100), Ok(7));
    assert_eq!(world.validate(), Ok(()));
}

/// A tunnel leads from a spring down and up again, to the top of a chunk above which none is
/// loaded. The spring lies higher: the water rises out of the world where that drains, and stands
/// under it where it does not.
#[test]
fn water_rises_out_of_the_world_only_where_that_drains() {
    for unloaded in [Edge::Wall, Edge::Held, Edge::Drain] {
        let rules = Rules { edges: Edges { unloaded, ..Edges::WALLS }, ..Rules::lossless() };
        let mut world = WaterWorld::new(5, rules).unwrap();
        for chunk in [IVec3::ZERO, IVec3::X, IVec3::new(1, 1, 0)] {
            world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::SOLID)).unwrap();
        }
        for (from, to) in
            [([20, 5, 3], [20, 25, 3]), ([4, 5, 3], [20, 5, 3]), ([4, 5, 3], [4, 15, 3])]
        {
            world.fill_water(Region::new(from.into(), to.into()), 0).unwrap();
        }
        assert_eq!(world.add_source(IVec3::new(20, 25, 3)), Ok(true));
        for _ in 0..200 {
            world.step();
            assert_eq!(world.validate(), Ok(()), "{unloaded:?}, tick {}", world.ticks());
        }
        assert_eq!(world.units(IVec3::new(4, 15, 3)), 7, "{unloaded:?}");
        assert_eq!(world.ledger().drained > 0, unloaded == Edge::Drain, "{unloaded:?}");
        assert_eq!(world.is_at_rest(), unloaded != Edge::Drain, "{unloaded:?}");
    }
}
