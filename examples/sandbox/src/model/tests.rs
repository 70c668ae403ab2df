//! Tests of the sandbox as a player knows it.

use super::*;
use floats::Craft;
use floodplain::Face;
use materials::{CONCRETE, LEAVES};

fn sandbox(kind: Kind) -> Sandbox {
    Sandbox::new(kind).unwrap()
}

/// Runs ticks in pieces of so many cells.
fn run(sandbox: &mut Sandbox, ticks: u64, budget: u64) {
    let mut left = ticks;
    while left > 0 {
        sandbox.clock.hurry();
        if sandbox.advance(|progress| progress.visited < budget) == Some(true) {
            left -= 1;
        }
    }
}

const MIDDLE: IVec3 = IVec3::new(150, 12, 80);

#[test]
fn edits_take_effect_in_the_next_tick() {
    let mut sandbox = sandbox(Kind::Plain);
    let (cell, radius) = (MIDDLE, 2);
    sandbox.act(&Action::Build { material: CONCRETE, cell, radius }).unwrap();
    assert_eq!(sandbox.world().material(cell), Some(AIR), "not before");
    run(&mut sandbox, 1, u64::MAX);
    assert_eq!(sandbox.world().material(cell), Some(CONCRETE));
    sandbox.act(&Action::Dig { cell, radius: 1 }).unwrap();
    run(&mut sandbox, 1, u64::MAX);
    assert_eq!(sandbox.world().material(cell), Some(AIR));
    let before = sandbox.world().ledger().water.placed;
    sandbox.act(&Action::Pour { cell, radius: 1 }).unwrap();
    run(&mut sandbox, 1, u64::MAX);
    assert_eq!(sandbox.world().ledger().water.placed - before, 7 * 7, "seven cells");
    assert!(sandbox.account().ends_with(" balanced"), "{}", sandbox.account());
}

#[test]
fn while_paused_edits_are_made_at_once() {
    let mut sandbox = sandbox(Kind::Plain);
    sandbox.act(&Action::Pause(true)).unwrap();
    sandbox.act(&Action::Build { material: CONCRETE, cell: MIDDLE, radius: 0 }).unwrap();
    assert_eq!(sandbox.world().material(MIDDLE), Some(CONCRETE));
    assert_eq!(sandbox.world().ticks(), 0);
    sandbox.act(&Action::Step).unwrap();
    assert_eq!(sandbox.advance(|_| true), Some(true));
    assert_eq!(sandbox.advance(|_| true), None);
    assert_eq!(sandbox.world().ticks(), 1);
}

#[test]
fn the_bottom_of_the_world_is_not_dug_away() {
    let mut sandbox = sandbox(Kind::Plain);
    sandbox.act(&Action::Dig { cell: MIDDLE.with_y(1), radius: 3 }).unwrap();
    run(&mut sandbox, 1, u64::MAX);
    assert_eq!(sandbox.world().material(MIDDLE.with_y(1)), Some(AIR));
    assert_ne!(sandbox.world().material(MIDDLE.with_y(0)), Some(AIR));
}

#[test]
fn springs_and_drains_are_put_in_and_taken_out() {
    let mut sandbox = sandbox(Kind::Plain);
    for action in [Action::Spring(MIDDLE), Action::Drain(MIDDLE - IVec3::Y)] {
        sandbox.act(&action).unwrap();
    }
    run(&mut sandbox, 4, u64::MAX);
    let ledger = sandbox.world().ledger().water;
    assert!(ledger.injected > 0 && ledger.drained > 0, "{ledger:?}");
    for action in [Action::Spring(MIDDLE), Action::Drain(MIDDLE - IVec3::Y)] {
        sandbox.act(&action).unwrap();
    }
    run(&mut sandbox, 1, u64::MAX);
    assert_eq!(sandbox.world().water().fixtures().count(), 0);
    assert!(!sandbox.world().water().cell(MIDDLE).unwrap().is_source());
}

#[test]
fn the_sea_rises_over_the_plain_and_goes() {
    let mut sandbox = sandbox(Kind::Plain);
    sandbox.act(&Action::Sea(Some(12))).unwrap();
    run(&mut sandbox, 40, u64::MAX);
    assert_eq!(sandbox.sea(), Some(12));
    assert!(sandbox.world().ledger().water.from_sea > 1_000);
    sandbox.act(&Action::Sea(None)).unwrap();
    run(&mut sandbox, 1, u64::MAX);
    assert_eq!(sandbox.sea(), None);
    let edges = sandbox.world().rules().water.edges;
    assert_eq!(edges.outer[Face::East.index()], Edge::Drain);
    assert_eq!(edges.outer[Face::West.index()], Edge::Wall);
    sandbox.act(&Action::World(Kind::UTube)).unwrap();
    sandbox.act(&Action::Sea(Some(36))).unwrap();
    run(&mut sandbox, 1, u64::MAX);
    let edges = sandbox.world().rules().water.edges;
    assert_eq!(edges.outer[Face::West.index()], Edge::Level(36), "a world without a coast");
}

#[test]
fn a_charge_breaks_the_dam() {
    let mut sandbox = sandbox(Kind::Dam);
    let cell = IVec3::new(75, 22, 58);
    sandbox.act(&Action::Charge { cell, radius: 9 }).unwrap();
    run(&mut sandbox, 30, u64::MAX);
    let (broken, charges) = sandbox.take_events();
    assert_eq!(charges, [cell]);
    assert!(broken.iter().filter(|broken| broken.from == CONCRETE).count() > 50);
    assert_eq!(sandbox.world().validate(), Ok(()));
}

#[test]
fn a_charge_in_cut_ground_blows_a_hole() {
    let mut sandbox = sandbox(Kind::Dam);
    // Soil of the southern slope, at the cut side of the world.
    let z = Kind::Dam.size().z - 1;
    let top = (0..60).rev().find(|&y| sandbox.world().material(IVec3::new(120, y, z)) != Some(AIR));
    let cell = IVec3::new(120, top.unwrap() - 3, z);
    sandbox.act(&Action::Charge { cell, radius: 9 }).unwrap();
    run(&mut sandbox, 20, u64::MAX);
    let (broken, charges) = sandbox.take_events();
    assert_eq!(charges, [cell]);
    assert!(broken.len() > 20, "{}", broken.len());
    assert_eq!(sandbox.world().validate(), Ok(()));
}

#[test]
fn boats_fall_into_open_cells_and_begin_anew_with_the_world() {
    let mut sandbox = sandbox(Kind::Hamlet);
    let count = |sandbox: &Sandbox| sandbox.floats().iter().count();
    let own = count(&sandbox);
    assert!(own > 0);
    let cell = IVec3::new(60, 20, 70);
    sandbox.act(&Action::Float { craft: Craft::Boat, cell }).unwrap();
    assert_eq!(count(&sandbox), own + 1);
    let ground = Action::Float { craft: Craft::Boat, cell: cell.with_y(2) };
    assert_eq!(sandbox.act(&ground), Err(Refusal::Solid(cell.with_y(2))));
    run(&mut sandbox, 30, u64::MAX);
    assert!(!sandbox.take_splashes().is_empty());
    sandbox.act(&Action::World(Kind::Hamlet)).unwrap();
    assert_eq!(count(&sandbox), own);
}

#[test]
fn rain_falls_while_it_is_on() {
    let mut sandbox = sandbox(Kind::Valley);
    sandbox.act(&Action::Rain(true)).unwrap();
    run(&mut sandbox, 5, u64::MAX);
    let fallen = sandbox.world().total();
    assert!(fallen > 0);
    let placed = |sandbox: &Sandbox| {
        let ledger = sandbox.world().ledger();
        u128::from(ledger.water.placed) * u128::from(ledger.scale) + ledger.soil.placed
    };
    sandbox.act(&Action::Rain(false)).unwrap();
    let before = placed(&sandbox) - passed(&sandbox);
    run(&mut sandbox, 5, u64::MAX);
    assert_eq!(placed(&sandbox) - passed(&sandbox), before);
}

/// What passed between water and soil, which both count as placed.
fn passed(sandbox: &Sandbox) -> u128 {
    let ledger = sandbox.world().ledger();
    let units = ledger.soaked + ledger.sprung + ledger.ebbed + ledger.spilled;
    u128::from(units) * u128::from(ledger.scale)
}

#[test]
fn a_world_that_was_kept_continues_as_if_nothing_had_happened() {
    let mut sandbox = sandbox(Kind::Dam);
    let charge = Action::Charge { cell: IVec3::new(75, 22, 58), radius: 9 };
    assert_eq!(sandbox.act(&Action::Load), Err(Refusal::NothingSaved));
    run(&mut sandbox, 3, u64::MAX);
    sandbox.act(&Action::Save).unwrap();
    sandbox.act(&charge).unwrap();
    run(&mut sandbox, 10, u64::MAX);
    let account = sandbox.account();
    sandbox.act(&Action::Load).unwrap();
    assert_eq!(sandbox.world().ticks(), 3);
    sandbox.act(&charge).unwrap();
    run(&mut sandbox, 10, u64::MAX);
    assert_eq!(sandbox.account(), account);
}

#[test]
fn a_save_during_a_tick_is_made_at_its_end() {
    let mut sandbox = sandbox(Kind::Valley);
    sandbox.clock.hurry();
    assert_eq!(sandbox.advance(|_| false), Some(false));
    sandbox.act(&Action::Save).unwrap();
    assert!(sandbox.saved().is_none() && sandbox.is_underway());
    run(&mut sandbox, 1, u64::MAX);
    let saved = sandbox.saved().unwrap();
    assert_eq!(World::load(saved).unwrap().ticks(), 1);
}

#[test]
fn bytes_of_another_world_bring_that_world() {
    let mut other = sandbox(Kind::Cave);
    other.act(&Action::Save).unwrap();
    let bytes = other.saved().unwrap().to_vec();
    let mut sandbox = sandbox(Kind::Plain);
    sandbox.keep(bytes[..40].to_vec());
    let before = sandbox.account();
    assert!(matches!(sandbox.act(&Action::Load), Err(Refusal::Load(_))));
    assert_eq!(sandbox.account(), before);
    sandbox.keep(bytes);
    sandbox.act(&Action::Load).unwrap();
    assert_eq!(sandbox.kind(), Kind::Cave);
}

#[test]
fn ticks_in_pieces_come_to_the_same_as_whole_ones() {
    let play = |budget| {
        let mut sandbox = sandbox(Kind::Dam);
        sandbox.act(&Action::Rain(true)).unwrap();
        sandbox.act(&Action::Charge { cell: IVec3::new(75, 22, 58), radius: 9 }).unwrap();
        run(&mut sandbox, 12, budget);
        sandbox.account()
    };
    assert_eq!(play(700), play(u64::MAX));
}

#[test]
fn invalid_input_is_refused_and_changes_nothing() {
    let mut sandbox = sandbox(Kind::Plain);
    let before = sandbox.account();
    let (outside, ground) = (IVec3::new(-1, 5, 5), IVec3::new(150, 1, 80));
    let refused = [
        (Action::Dig { cell: outside, radius: 1 }, Refusal::Outside(outside)),
        (Action::Pour { cell: MIDDLE, radius: 9 }, Refusal::Radius { found: 9, most: 6 }),
        (Action::Spring(ground), Refusal::Solid(ground)),
        (Action::Drain(outside), Refusal::Outside(outside)),
        (Action::Charge { cell: MIDDLE, radius: 17 }, Refusal::Radius { found: 17, most: 16 }),
        (Action::Sea(Some(99)), Refusal::Sea { found: 99, most: 47 }),
        (Action::Speed(0), Refusal::Speed(0)),
        (Action::Build { material: LEAVES, cell: MIDDLE, radius: 1 }, Refusal::Material(LEAVES)),
    ];
    for (action, refusal) in refused {
        assert_eq!(sandbox.act(&action), Err(refusal), "{action:?}");
    }
    assert_eq!(sandbox.account(), before);
}

#[test]
fn the_well_of_the_hamlet_fills_as_high_as_its_pond_stands() {
    let mut sandbox = sandbox(Kind::Hamlet);
    let column = |sandbox: &Sandbox, x: i32| -> u32 {
        (8..40).map(|y| u32::from(sandbox.world().units(IVec3::new(x, y, 53)))).sum()
    };
    run(&mut sandbox, 20, u64::MAX);
    assert_eq!((column(&sandbox, 96), column(&sandbox, 114)), (0, 3 * 7));
    sandbox.act(&Action::Dig { cell: IVec3::new(107, 11, 53), radius: 2 }).unwrap();
    run(&mut sandbox, 90, u64::MAX);
    // The pond's floor is four cells above that of the well.
    let (well, pond) = (column(&sandbox, 96), column(&sandbox, 114) + 4 * 7);
    assert!(well > 5 * 7 && well.abs_diff(pond) <= 2, "{well} {pond}");
}
