//! Bodies of water as things. What each edit does cell by cell, and what is said of a body, is held
//! against the naive model by the laws; here is what a player sees.

use floodplain::glam::IVec3;
use floodplain::water::{BodyReport, Edit};
use floodplain::water::{EditError, Outcome, Voxel, WaterWorld};
use support::water::small::{region, uniform as world};

fn body(world: &WaterWorld, cell: [i32; 3]) -> BodyReport {
    world.body_at(cell.into(), u32::MAX).expect("water")
}

/// Buckets from one place, and back: the lake is level again each time, and nothing is lost.
#[test]
fn a_lake_falls_by_what_a_pump_takes_and_rises_by_what_it_gives() {
    let mut world = world(region([0, 0, 0], [19, 9, 19]), Voxel::OPEN);
    world.fill_water(region([0, 0, 0], [19, 4, 19]), 7).unwrap();
    world.run(30);
    let pump = IVec3::new(10, 0, 10);
    for layer in (1..5).rev() {
        for _ in 0..10 {
            assert_eq!(world.drain_body(pump, 280), Ok(280));
            world.run(60);
        }
        let lake = body(&world, [10, 0, 10]);
        assert!((7 * layer..=7 * layer + 1).contains(&lake.surface), "{lake:?}");
        assert_eq!(lake.units, 400 * 7 * layer as u64);
    }
    assert_eq!(world.drain_body(pump, 5_000), Ok(2_800), "to the ground");
    assert_eq!((world.total(), world.ledger().removed), (0, 14_000));
    for _ in 0..50 {
        assert_eq!(world.fill_body(pump, 280), Ok(280));
        world.run(60);
    }
    let lake = body(&world, [10, 0, 10]);
    assert_eq!((lake.units, lake.cells), (14_000, 2_000));
    assert_eq!(world.validate(), Ok(()));
}

/// From the bottom of a full column of 40 cells the surface above is found by looking at little, in
/// a lake much larger than the reach.
#[test]
fn an_edit_of_a_large_body_looks_at_little() {
    let bounds = region([0, 0, 0], [63, 63, 63]);
    for (edit, at, height) in [
        (Edit::DrainBody { cell: IVec3::new(30, 0, 30), units: 20 }, [30, 39, 30], 0),
        (Edit::FillBody { cell: IVec3::new(30, 0, 30), units: 20 }, [30, 40, 30], 7),
    ] {
        let mut world = world(bounds, Voxel::OPEN);
        world.fill_water(region([0, 0, 0], [63, 39, 63]), 7).unwrap();
        world.run(4);
        world.queue(edit);
        let visited = world.step_within(1).visited;
        assert!(visited < 600, "{visited} cells");
        assert_eq!(world.take_edit_reports()[0].result, Ok(Outcome::Units(20)));
        assert_eq!(world.units(at.into()), height);
    }
}

#[test]
fn the_reach_bounds_what_is_taken_added_and_said() {
    let mut world = world(region([0, 0, 0], [63, 63, 63]), Voxel::OPEN);
    world.fill_water(region([0, 0, 0], [63, 63, 63]), 7).unwrap();
    world.run(4);
    world.queue(Edit::DrainBody { cell: IVec3::splat(30), units: u32::MAX });
    world.queue(Edit::FillBody { cell: IVec3::splat(30), units: u32::MAX });
    let visited = world.step_within(1).visited;
    assert_eq!(visited, 1 + 16_384);
    world.step();
    let reports = world.take_edit_reports();
    let Ok(Outcome::Units(drained)) = reports[0].result else { panic!("{reports:?}") };
    assert!((100_000..=7 * 16_384).contains(&drained), "{drained} taken");
    assert!(reports[1].result.is_ok());
    let body = world.body_at(IVec3::splat(1), 500).expect("water");
    assert!(body.is_cut_off && body.cells <= 500, "{body:?}");
    assert_eq!(world.body_at(IVec3::splat(1), 0), None);
}

#[test]
fn a_spring_and_the_sea_give_without_end_and_the_account_balances() {
    let mut world = world(region([0, 0, 0], [15, 15, 15]), Voxel::SOLID);
    world.fill_water(region([2, 2, 2], [5, 2, 2]), 7).unwrap();
    world.add_source(IVec3::new(5, 2, 2)).unwrap();
    world.fill_water(region([2, 2, 6], [5, 2, 6]), 7).unwrap();
    world.fill_sea(region([6, 2, 6], [9, 2, 6])).unwrap();
    let before = world.ledger();
    assert_eq!(world.drain_body(IVec3::new(2, 2, 2), 1_000), Ok(1_000));
    assert_eq!(world.ledger().injected - before.injected, 1_000 - 21);
    assert_eq!(world.drain_body(IVec3::new(2, 2, 6), 1_000), Ok(1_000));
    assert_eq!(world.ledger().from_sea - before.from_sea, 1_000 - 21);
    for sea in [IVec3::new(7, 2, 6), IVec3::new(9, 2, 6)] {
        assert_eq!(world.drain_body(sea, 50), Ok(50));
        assert_eq!(world.fill_body(sea, 60), Ok(60));
        assert_eq!(world.body_at(sea, 100), None);
    }
    assert_eq!(world.ledger().removed - before.removed, 2_100);
    assert_eq!(world.ledger().into_sea - before.into_sea, 120);
    assert_eq!(world.validate(), Ok(()));
    assert!(body(&world, [5, 2, 2]).is_fed && body(&world, [5, 2, 6]).is_fed);
}

#[test]
fn ground_and_what_is_not_loaded_are_refused_and_dry_cells_give_nothing() {
    let mut world = world(region([0, 0, 0], [15, 15, 15]), Voxel::SOLID);
    let (dry, solid, away) = (IVec3::splat(3), IVec3::splat(4), IVec3::splat(20));
    world.clear_solid(dry).unwrap();
    assert_eq!(world.drain_body(dry, 7), Ok(0));
    assert_eq!((world.body_at(dry, 9), world.body_at(solid, 9)), (None, None));
    assert_eq!(world.body_at(away, 9), None);
    for make in [WaterWorld::drain_body, WaterWorld::fill_body] {
        assert_eq!(make(&mut world, solid, 7), Err(EditError::Solid(solid)));
        assert_eq!(make(&mut world, away, 7), Err(EditError::OutOfBounds(away)));
    }
    assert_eq!(world.fill_body(dry, 9), Ok(7), "as much as there is room");
    assert_eq!(world.fill_body(dry, 9), Ok(0));
}

/// A diving bell, a U-tube with an open arm, a tank with a lid, and a full one.
#[test]
fn air_is_shut_in_where_no_way_leads_out() {
    let mut world = world(region([0, 0, 0], [15, 15, 15]), Voxel::SOLID);
    // A tube down, along and up, whose western arm reaches the end of the world.
    world.fill_water(region([2, 2, 2], [9, 2, 2]), 7).unwrap();
    world.fill_water(region([2, 3, 2], [2, 15, 2]), 0).unwrap();
    world.fill_water(region([2, 3, 2], [2, 5, 2]), 7).unwrap();
    assert!(!body(&world, [9, 2, 2]).shuts_in_air, "no air in the east");
    world.fill_water(region([9, 3, 2], [9, 4, 2]), 0).unwrap();
    assert!(body(&world, [9, 2, 2]).shuts_in_air, "the eastern arm has a lid");
    // A pipe out of the eastern arm leads to the western one.
    world.fill_water(region([3, 4, 2], [9, 4, 2]), 0).unwrap();
    world.fill_water(region([2, 4, 2], [2, 5, 2]), 0).unwrap();
    assert!(!body(&world, [9, 2, 2]).shuts_in_air);
    // Air in cells that are not full is air.
    world.fill_water(region([12, 2, 2], [12, 2, 2]), 6).unwrap();
    assert!(body(&world, [12, 2, 2]).shuts_in_air);
    world.fill_water(region([12, 2, 2], [12, 2, 2]), 7).unwrap();
    assert!(!body(&world, [12, 2, 2]).shuts_in_air);
}

/// While a tick is underway, a body is the one before it.
#[test]
fn a_body_read_in_the_middle_of_a_tick_is_the_one_before_it() {
    let mut world = world(region([0, 0, 0], [31, 15, 31]), Voxel::OPEN);
    world.fill_water(region([0, 0, 0], [9, 9, 9]), 7).unwrap();
    let (mut before, mut underway) = (body(&world, [3, 0, 3]), 0);
    for _ in 0..20 {
        while !world.step_within(200).finished {
            assert_eq!(body(&world, [3, 0, 3]), before);
            underway += 1;
        }
        before = body(&world, [3, 0, 3]);
    }
    assert!(underway > 100, "{underway} reads");
}
