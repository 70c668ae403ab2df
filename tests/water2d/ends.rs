//! 2D water where worlds and ranges end: at the last cells there are, in slices side by side, in
//! vessels of many shapes.

use floodplain::glam::IVec3;
use floodplain::water2d::{Cell, EditError, MAX_LEVEL, Rules, Water2dWorld};
use floodplain::{Chunk, ChunkPos, Region, Shape, Sheet, Simulation};

fn both_rules() -> [Rules; 2] {
    [Rules::default(), Rules::literal()]
}

#[test]
fn water_at_the_ends_of_the_range_stays_there() {
    for rules in both_rules() {
        let mut world = Water2dWorld::new(3, rules).unwrap();
        let corners = [
            IVec3::new(i32::MIN, i32::MIN, i32::MIN),
            IVec3::new(i32::MAX, i32::MIN, 0),
            IVec3::new(i32::MIN, i32::MAX, i32::MAX),
            IVec3::new(i32::MAX, i32::MAX, i32::MAX),
        ];
        for corner in corners {
            world.insert_chunk(Sheet::chunk_of(corner), Chunk::uniform(Cell::AIR)).unwrap();
            world.pour(corner, 900).unwrap();
        }
        world.run(50);
        assert_eq!((world.validate(), world.total()), (Ok(()), 3600));
        for corner in corners {
            let displaced = world.set_solid(corner).unwrap();
            assert_eq!(displaced.removed, 0, "there is room beside it");
            world.clear_solid(corner).unwrap();
            world.fill_water(Region::cell(corner), 7).unwrap();
            world.remove_chunk(Sheet::chunk_of(corner)).unwrap();
        }
        assert_eq!((world.validate(), world.total()), (Ok(()), 0));
        let beyond = Sheet::chunk_of(IVec3::MAX) + IVec3::X;
        let refused = world.insert_chunk(beyond, Chunk::uniform(Cell::AIR));
        assert_eq!(refused, Err(EditError::ChunkOutOfBounds(beyond)));
    }
}

#[test]
fn slices_do_not_mix() {
    for rules in both_rules() {
        let mut world = Water2dWorld::new(3, rules).unwrap();
        for z in [-1, 0, 1] {
            world.insert_chunk(ChunkPos::new(0, 0, z), Chunk::uniform(Cell::AIR)).unwrap();
        }
        world.fill_water(Region::new(IVec3::new(3, 3, 0), IVec3::new(20, 30, 0)), 100).unwrap();
        world.run(60);
        let wet = |z: i32| {
            Region::new(IVec3::new(0, 0, z), IVec3::new(63, 63, z))
                .positions()
                .any(|at| world.level(at) > 0)
        };
        assert!(wet(0) && !wet(-1) && !wet(1));
    }
}

#[test]
fn uniform_chunks_of_full_cells_are_no_special_case() {
    for rules in both_rules() {
        let mut world = Water2dWorld::new(0, rules).unwrap();
        for (position, cell) in
            [(IVec3::ZERO, Cell::water(100).unwrap()), (IVec3::X, Cell::AIR), (IVec3::Y, Cell::AIR)]
        {
            world.insert_chunk(position.into(), Chunk::uniform(cell)).unwrap();
        }
        world.run(1000);
        assert_eq!((world.validate(), world.total()), (Ok(()), 409_600));
        assert!(world.level(IVec3::new(127, 0, 0)) > 0, "it reached the far wall under {rules:?}");
    }
}

#[test]
fn water_waits_at_a_chunk_that_is_not_loaded_and_continues_when_it_comes() {
    let mut world = Water2dWorld::new(0, Rules::default()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::AIR)).unwrap();
    world.pour(IVec3::new(60, 0, 0), 64_000).unwrap();
    world.run(5000);
    assert!(world.is_at_rest());
    let before = world.level(IVec3::ZERO);
    world.insert_chunk(ChunkPos::new(1, 0, 0), Chunk::uniform(Cell::AIR)).unwrap();
    world.run(5000);
    assert!(
        world.is_at_rest()
            && world.level(IVec3::ZERO) < before
            && world.level(IVec3::new(127, 0, 0)) > 0
    );
    let taken = world.remove_chunk(ChunkPos::new(1, 0, 0)).unwrap();
    world.run(5000);
    world.insert_chunk(ChunkPos::new(1, 0, 0), taken).unwrap();
    assert_eq!((world.total(), world.validate()), (64_000, Ok(())));
}

/// Four arms of different widths over one pipe, one of them with a roof: where there is air above,
/// all stand level.
#[test]
fn arms_of_every_width_stand_level_over_one_pipe() {
    let mut world = Water2dWorld::new(0, Rules::default()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::SOLID)).unwrap();
    let arms = [(1, 1), (4, 10), (13, 40), (43, 45)];
    for (from, to) in
        arms.into_iter().map(|(from, to)| (IVec3::new(from, 2, 0), IVec3::new(to, 60, 0)))
    {
        world.fill_water(Region::new(from, to), 0).unwrap();
    }
    world.fill_water(Region::new(IVec3::new(1, 1, 0), IVec3::new(62, 1, 0)), 0).unwrap();
    world.fill_water(Region::new(IVec3::new(60, 2, 0), IVec3::new(62, 9, 0)), 0).unwrap();
    for (poured, cell) in [
        (100_000, IVec3::new(1, 60, 0)),
        (33_337, IVec3::new(44, 50, 0)),
        (150_001, IVec3::new(8, 30, 0)),
    ] {
        world.pour(cell, poured).unwrap();
        world.run(20_000);
        assert!(world.is_at_rest(), "not at rest after {} steps", world.ticks());
        assert_eq!(world.validate(), Ok(()));
        let surface = |x: i32| {
            let top = (1..=60).rev().find(|&y| world.level(IVec3::new(x, y, 0)) > 0).unwrap();
            100 * i64::from(top) + i64::from(world.level(IVec3::new(x, top, 0)))
        };
        let surfaces: Vec<i64> =
            arms.iter().flat_map(|&(from, to)| [surface(from), surface(to)]).collect();
        let (least, most) = (surfaces.iter().min().unwrap(), surfaces.iter().max().unwrap());
        assert!(most - least <= 1, "{surfaces:?} after {poured} units more");
    }
}

#[test]
fn code_for_any_automaton_serves_this_one() {
    fn settle(world: &mut impl Simulation<Total = u64>) -> u64 {
        while !world.is_at_rest() {
            world.step();
        }
        world.total()
    }
    let mut world = Water2dWorld::new(0, Rules::default()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::AIR)).unwrap();
    world.pour(IVec3::new(31, 63, 0), MAX_LEVEL).unwrap();
    assert_eq!(settle(&mut world), u64::from(MAX_LEVEL));
    assert_eq!(world.take_changes().len(), 1);
    assert_eq!(world.step().visited, 0);
}

/// A world at rest takes any number of steps at once; the step after the last number there is used
/// to overflow.
#[test]
fn steps_continue_after_the_largest_count() {
    let mut world = Water2dWorld::new(7, Rules::default()).unwrap();
    world.run(u64::MAX);
    let left = world.prefers_left();
    world.step();
    assert_eq!(world.prefers_left(), !left);
    world.run(u64::MAX);
    assert_eq!(world.validate(), Ok(()));
}
