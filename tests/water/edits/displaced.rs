//! Water displaced by ground: nothing is destroyed while there is room, at a bounded cost. What
//! each edit does cell by cell is checked by the laws; here is what a player sees.

use fastrand::Rng;
use floodplain::Displaced;
use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::water::{Edit, Outcome, Rules, Voxel, WaterCell, WaterWorld};
use support::water::small::{self, HIGH, LOW, region, uniform as world, watched};

fn full() -> Voxel {
    Voxel::water(WaterCell::STILL)
}

/// An open cell with room that is joined to a cell through open cells.
fn room_around(world: &WaterWorld, cell: IVec3) -> Option<IVec3> {
    let (mut found, mut at) = (vec![cell], 0);
    while at < found.len() {
        for [x, y, z] in [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]] {
            let there = found[at] + IVec3::new(x, y, z);
            if world.cell(there).is_some() && !found.contains(&there) {
                found.push(there);
            }
        }
        at += 1;
    }
    found.into_iter().find(|&cell| world.cell(cell).is_some_and(|cell| cell.height() < 7))
}

/// Ponds, walls and blocks anywhere, some of them in every tick. Water leaves the world only if all
/// that is joined to its cell is full. Each edit is compared with the naive model, too.
#[test]
fn water_is_removed_only_where_all_around_is_full() {
    let (mut moved, mut removed) = (0, 0);
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let mut watched = watched(seed, Rules::lossless(), Region::new(LOW, HIGH));
        if seed % 2 == 1 {
            // Ponds in rock, most of them without room.
            watched.edit(Edit::FillSolid(Region::new(LOW, HIGH))).unwrap();
        }
        let mut cell = || IVec3::new(rng.i32(-6..=5), rng.i32(-3..=6), rng.i32(-6..=5));
        for round in 0..20 {
            let (one, other) = (cell(), cell());
            let part = Region::new(one.min(other), one.max(other));
            let shell = part.intersection(&Region::new(part.min(), part.min() + 3));
            let part = shell.expect("its lowest corner");
            let fill = match round % 4 {
                0 => Edit::FillWater { region: part, height: 7 },
                1 => Edit::FillSolid(part),
                2 => Edit::FillWater { region: part, height: 3 },
                _ => Edit::ClearSolid(one),
            };
            watched.edit(fill).unwrap();
            for block in [one, other, cell(), part.max()] {
                let (before, stood) = (watched.world().total(), watched.world().units(block));
                watched.edit(Edit::SetSolid(block)).unwrap();
                let lost = before - watched.world().total();
                moved += u64::from(stood) - lost;
                removed += lost;
                let room = if lost > 0 { room_around(watched.world(), block) } else { None };
                assert_eq!(room, None, "seed {seed}, round {round}: {lost} units lost at {block}");
            }
            watched.step();
            watched.check_laws().unwrap();
        }
    }
    assert!(moved > 160 && removed > 7, "{moved} units moved, {removed} removed");
}

/// Layer by layer, so that no pocket is shut off: with ticks between the blocks and without.
#[test]
fn a_lake_filled_with_earth_loses_nothing_until_the_basin_is_full() {
    for ticks in [0, 1] {
        let bounds = region([0, 0, 0], [7, 9, 7]);
        let mut world = world(bounds, Voxel::OPEN);
        let mut rng = Rng::with_seed(ticks);
        world.fill_water(region([0, 0, 0], [7, 5, 7]), 7).unwrap();
        let mut room = 64 * 10 * 7;
        for y in 0..10 {
            let mut blocks: Vec<IVec3> = region([0, y, 0], [7, y, 7]).positions().collect();
            rng.shuffle(&mut blocks);
            for block in blocks {
                world.set_solid(block).unwrap();
                room -= 7;
                assert_eq!(world.total(), room.min(64 * 6 * 7), "{block}, {ticks} ticks");
                world.run(ticks);
                assert_eq!(world.validate(), Ok(()), "{block}");
            }
        }
        assert_eq!((world.total(), world.ledger().removed), (0, 64 * 6 * 7));
    }
}

/// A cube of earth of 512 blocks in the middle of a lake. Displaced to neighbours only, 2,967 of
/// its 3,584 units were destroyed.
#[test]
fn an_island_built_in_a_lake_destroys_nothing() {
    let (lake, island) = (region([0, 0, 0], [31, 11, 31]), region([12, 2, 12], [19, 9, 19]));
    for by_blocks in [true, false] {
        let mut world = world(region([0, 0, 0], [31, 31, 31]), Voxel::OPEN);
        world.fill_water(lake, 7).unwrap();
        let total = world.total();
        if by_blocks {
            for block in island.positions() {
                assert_eq!(world.set_solid(block), Ok(Displaced { moved: 7, removed: 0 }));
            }
        } else {
            assert_eq!(world.fill_solid(island), Ok(0));
        }
        assert_eq!((world.total(), world.ledger().removed), (total, 0));
        // It stands on the surface, near the island.
        let outside = |cell: &IVec3| !lake.contains(*cell) && world.units(*cell) > 0;
        let mound: Vec<IVec3> = world.bounds().positions().filter(outside).collect();
        assert_eq!(mound.len(), 512);
        world.run(600);
        assert_eq!((world.total(), world.validate()), (total, Ok(())));
        assert!(world.is_at_rest(), "{} cells awake", world.awake_cells());
        for cell in region([0, 12, 0], [31, 12, 31]).positions() {
            assert!((3..=4).contains(&world.units(cell)), "{cell}");
        }
    }
}

#[test]
fn a_block_in_a_full_closed_tank_removes_its_seven_units() {
    let mut world = world(region([0, 0, 0], [4, 4, 4]), full());
    let block = IVec3::new(2, 2, 2);
    assert_eq!(world.set_solid(block), Ok(Displaced { moved: 0, removed: 7 }));
    assert_eq!((world.total(), world.ledger().removed), (124 * 7, 7));
    world.scoop(IVec3::ZERO, 3).unwrap();
    let block = IVec3::new(4, 4, 4);
    assert_eq!(world.set_solid(block), Ok(Displaced { moved: 3, removed: 4 }));
}

/// Through a spring between two walls, over a brink and down a shaft.
#[test]
fn springs_pass_water_on_and_keep_theirs() {
    let mut world = world(region([0, 0, 0], [4, 3, 0]), Voxel::SOLID);
    for (from, to, height) in [([0, 3, 0], [1, 3, 0], 7), ([2, 3, 0], [2, 3, 0], 0)] {
        world.fill_water(region(from, to), height).unwrap();
    }
    world.fill_water(region([3, 0, 0], [3, 3, 0]), 0).unwrap();
    world.add_source(IVec3::new(1, 3, 0)).unwrap();
    let ledger = world.ledger();
    world.pour(IVec3::new(2, 3, 0), 5).unwrap();
    let displaced = world.set_solid(IVec3::new(0, 3, 0));
    assert_eq!(displaced, Ok(Displaced { moved: 7, removed: 0 }));
    assert_eq!(world.ledger().injected, ledger.injected);
    let heights = [[1, 3, 0], [2, 3, 0], [3, 3, 0], [3, 0, 0]].map(|at| world.units(at.into()));
    assert_eq!(heights, [7, 7, 0, 5]);
}

/// Nothing has room in a lake much larger than the reach, so the searches look at all they may.
#[test]
fn searches_for_room_are_bounded_and_counted() {
    let bounds = region([0, 0, 0], [79, 79, 79]);
    let cube = region([30, 30, 30], [37, 37, 37]);
    for (edit, outcome, visited) in [
        (
            Edit::SetSolid(IVec3::splat(40)),
            Outcome::Displaced(Displaced { moved: 0, removed: 7 }),
            1 + 16_384,
        ),
        (Edit::FillSolid(cube), Outcome::Units(3_584), 512 + 512 * 64),
    ] {
        let mut world = world(bounds, full());
        world.run(4);
        world.queue(edit);
        assert_eq!(world.step_within(1).visited, visited);
        assert_eq!(world.take_edit_reports()[0].result, Ok(outcome));
    }
    // A rise is no distance: a block far below an open surface looks at little.
    let mut world = world(bounds, full());
    world.fill_water(region([0, 79, 0], [79, 79, 79]), 0).unwrap();
    world.run(4);
    world.queue(Edit::SetSolid(IVec3::new(40, 0, 40)));
    let visited = world.step_within(1).visited;
    assert!(visited < 1_000, "{visited} cells");
    let outcome = Outcome::Displaced(Displaced { moved: 7, removed: 0 });
    assert_eq!(world.take_edit_reports()[0].result, Ok(outcome));
    assert_eq!(world.units(IVec3::new(40, 79, 40)), 7);
}

#[test]
fn displaced_water_wakes_where_it_comes_to_rest() {
    let mut world = small::world(3, Rules::lossless());
    world.fill_water(Region::new(LOW.with_y(-3), HIGH.with_y(1)), 7).unwrap();
    world.run(50);
    assert!(world.is_at_rest());
    world.set_solid(IVec3::new(0, -3, 0)).unwrap();
    assert!(world.awake_cells() > 0);
    world.run(200);
    let above = Region::new(LOW.with_y(2), HIGH.with_y(2));
    let heights: Vec<u8> = above.positions().map(|cell| world.units(cell)).collect();
    assert_eq!(heights.iter().filter(|&&height| height == 1).count(), 7, "spread out");
    assert!(world.is_at_rest());
}

/// The naive model added to the ends of the `i32` range when it looked for room.
#[test]
fn a_block_at_the_ends_of_the_world_displaces_as_elsewhere() {
    for end in [IVec3::MIN, IVec3::MAX] {
        let inwards = if end == IVec3::MIN { IVec3::ONE } else { IVec3::NEG_ONE };
        let other = end + 3 * inwards;
        let bounds = Region::new(end.min(other), end.max(other));
        let mut world = world(bounds, Voxel::SOLID);
        world.clear_solid(end).unwrap();
        world.clear_solid(end + inwards * IVec3::X).unwrap();
        assert_eq!(world.pour(end, 7), Ok(7));
        assert_eq!(world.set_solid(end), Ok(Displaced { moved: 7, removed: 0 }), "{end}");
        assert_eq!(world.units(end + inwards * IVec3::X), 7, "{end}");

        let mut watched = watched(1, Rules::lossless(), bounds);
        // One of the ends is the floor.
        let _ = watched.edit(Edit::Pour { cell: end, units: 7 });
        watched.edit(Edit::SetSolid(end)).unwrap();
        watched.check_laws().unwrap();
    }
}
