//! The world's end against pits, rooms, and other ends: water that has a way to an end chooses it.

use super::plan::{Built, Is, Pose, at};
use super::{Cases, greatest, least, mean};
use floodplain::Face;
use floodplain::glam::IVec3;

const SEEDS: u64 = 20;

/// The share of the western, or northern, of two ways in the ticks that are counted.
fn share(mut built: Built, ticks: [u64; 2], west: [IVec3; 2], east: [IVec3; 2]) -> f64 {
    let in_west = |built: &Built| built.units(west[0], west[1]) + built.world.ledger().drained;
    built.world.run(ticks[0]);
    let before = (in_west(&built), built.units(east[0], east[1]));
    built.world.run(ticks[1]);
    let to_west = (in_west(&built) - before.0) as f64;
    let to_east = built.units(east[0], east[1]) as f64 - before.1 as f64;
    built.world.validate().unwrap();
    to_west / (to_west + to_east)
}

/// A spring in a corridor, with a pit in the east and an end, or such a pit, in the west.
fn corridor(seed: u64, has_end: bool) -> f64 {
    let is_pit = |cell: IVec3| (1..4).contains(&cell.z) && (1..12).contains(&cell.y);
    let plan = |cell: IVec3| match cell {
        IVec3 { x: 14, y: 12, z: 2 } => Is::Spring,
        IVec3 { x: 1..=27, y: 12, z: 2 } => Is::Open,
        IVec3 { x: 0, y: 12, z: 2 } if has_end => Is::Open,
        IVec3 { x: 23..=27, .. } if is_pit(cell) => Is::Open,
        IVec3 { x: 1..=5, .. } if is_pit(cell) && !has_end => Is::Open,
        _ => Is::Ground,
    };
    let ends: &[Face] = if has_end { &[Face::West] } else { &[] };
    let built = Built::new((seed, Pose::of(seed)), at(29, 14, 5), ends, plan);
    share(built, [60, 100], [at(0, 1, 1), at(7, 12, 3)], [at(21, 1, 1), at(27, 12, 3)])
}

/// A stem of ten cells, then an end, or a pit, to the north, and a pit to the south.
fn fork(seed: u64, has_end: bool) -> f64 {
    let is_pit = |cell: IVec3| (8..=12).contains(&cell.x) && (1..12).contains(&cell.y);
    let plan = |cell: IVec3| match cell {
        IVec3 { x: 1, y: 12, z: 15 } => Is::Spring,
        IVec3 { x: 1..=10, y: 12, z: 15 } | IVec3 { x: 10, y: 12, z: 1..=28 } => Is::Open,
        IVec3 { x: 10, y: 12, z: 0 } if has_end => Is::Open,
        IVec3 { z: 24..=28, .. } if is_pit(cell) => Is::Open,
        IVec3 { z: 1..=5, .. } if is_pit(cell) && !has_end => Is::Open,
        _ => Is::Ground,
    };
    let ends: &[Face] = if has_end { &[Face::North] } else { &[] };
    let built = Built::new((seed, Pose::of(seed)), at(16, 14, 30), ends, plan);
    share(built, [60, 100], [at(8, 1, 0), at(12, 12, 6)], [at(8, 1, 23), at(12, 12, 28)])
}

/// A stem of twelve cells, an end to the north in so many cells, and in as many to the south a room
/// of 24×24 on the same bed.
fn room(seed: u64, away: i32) -> f64 {
    let plan = |cell: IVec3| match cell {
        IVec3 { x: 1, y: 1, z } if z == away => Is::Spring,
        IVec3 { x: 1..=12, y: 1, z } if z == away => Is::Open,
        IVec3 { x: 12, y: 1, z } if z <= 2 * away => Is::Open,
        IVec3 { x: 4..28, y: 1..4, z } if z > 2 * away && z <= 2 * away + 24 => Is::Open,
        _ => Is::Ground,
    };
    let size = at(40, 5, 2 * away + 26);
    let built = Built::new((seed, Pose::of(seed)), size, &[Face::North], plan);
    let north = [at(4, 1, 0), at(27, 3, away - 1)];
    share(built, [100, 200], north, [at(4, 1, away + 1), at(27, 3, 2 * away + 24)])
}

/// The end got 0.51 of the water, and of two pits one 0.50: FlowOut preferred nothing.
#[test]
fn the_worlds_end_is_preferred_to_a_pit_and_a_room() {
    let mut cases = Cases::default();
    for (name, share) in [
        ("corridor", (0..SEEDS).map(|seed| corridor(seed, true)).collect::<Vec<_>>()),
        ("fork", (0..SEEDS).map(|seed| fork(seed, true)).collect()),
        ("room at 6", (0..SEEDS).map(|seed| room(seed, 6)).collect()),
        ("room at 12", (0..SEEDS).map(|seed| room(seed, 12)).collect()),
    ] {
        let share = mean(share);
        cases.hold(share >= 0.85, format!("{name}: the end gets {share:.3}"));
    }
    for (name, share) in [
        ("corridor", mean((0..SEEDS).map(|seed| corridor(seed, false)))),
        ("fork", mean((0..SEEDS).map(|seed| fork(seed, false)))),
    ] {
        let figures = format!("{name}: of two pits, one gets {share:.3}");
        cases.hold((0.4..=0.6).contains(&share), figures);
    }
    cases.all_hold();
}

/// Returns the parts of the water that leave over several ends, each the cell before its end and
/// the face over which it passes, once flow is steady.
fn shares(mut built: Built, ends: &[(IVec3, Face)]) -> Vec<f64> {
    built.world.run(800);
    let mut passed = vec![0.0; ends.len()];
    for _ in 0..600 {
        built.world.step();
        for (passed, (cell, face)) in passed.iter_mut().zip(ends) {
            let (here, next) = (built.at(*cell), built.at(*cell + face.offset()));
            *passed += f64::from(built.world.current(here).dot(next - here));
        }
    }
    built.world.validate().unwrap();
    let sum: f64 = passed.iter().sum();
    passed.into_iter().map(|units| units / sum).collect()
}

/// Arms of ten cells from a spring to an end in each direction.
fn star(seed: u64) -> Vec<f64> {
    let plan = |cell: IVec3| match cell {
        IVec3 { x: 10, z: 10, .. } => Is::Spring,
        IVec3 { x: 10, .. } | IVec3 { z: 10, .. } => Is::Open,
        _ => Is::Ground,
    };
    let ends = [Face::West, Face::East, Face::North, Face::South];
    let built = Built::new((seed, Pose::of(seed)), at(21, 1, 21), &ends, plan);
    shares(built, &ends.map(|end| (at(10, 0, 10) + end.offset() * 8, end)))
}

/// A stem of ten cells and two arms of ten to an end each.
fn two_ends(seed: u64) -> Vec<f64> {
    let plan = |cell: IVec3| match cell {
        IVec3 { x: 1, z: 10, .. } => Is::Spring,
        IVec3 { x: 1..=11, z: 10, .. } | IVec3 { x: 12, .. } => Is::Open,
        _ => Is::Ground,
    };
    let ends = [Face::North, Face::South];
    let built = Built::new((seed, Pose::of(seed)), at(16, 1, 21), &ends, plan);
    shares(built, &ends.map(|end| (at(12, 0, 10) + end.offset() * 7, end)))
}

/// Ends at like distance share the water alike: each gets its part within a fifth of it.
#[test]
fn ends_at_like_distance_share_alike() {
    let mut cases = Cases::default();
    for (name, shares) in [("star", star as fn(u64) -> Vec<f64>), ("two ends", two_ends)] {
        for seed in 0..4 {
            let shares = shares(seed);
            let part = 1.0 / shares.len() as f64;
            let figures = format!("{name}, seed {seed}: {shares:.3?}");
            let (least, greatest) = (least(shares.iter().copied()), greatest(shares));
            cases.hold(least >= 0.8 * part && greatest <= 1.2 * part, figures);
        }
    }
    cases.all_hold();
}

/// Outlets that draw before all others left the other arms of a channel dry for good; here a blind
/// arm of ten cells and a room beside the way to the end, both wide open to it, fill.
#[test]
fn a_blind_arm_beside_the_way_to_an_end_fills() {
    let mut cases = Cases::default();
    for seed in 0..SEEDS {
        let plan = |cell: IVec3| match cell {
            IVec3 { x: 1, z: 1, .. } => Is::Spring,
            IVec3 { x: 1.., z: 1, .. } | IVec3 { x: 10, z: 1..=11, .. } => Is::Open,
            IVec3 { x: 14..=17, z: 1..=4, .. } => Is::Open,
            _ => Is::Ground,
        };
        let mut built = Built::new((seed, Pose::of(seed)), at(30, 1, 13), &[Face::East], plan);
        built.world.run(900);
        let arm = built.count(at(10, 0, 2), at(10, 0, 11), |cell| cell.height() >= 4);
        let room = built.count(at(14, 0, 2), at(17, 0, 4), |cell| cell.height() >= 4);
        let figures = format!("seed {seed}: {arm} of 10 cells of the arm, {room} of 12 of a room");
        cases.hold((arm, room) == (10, 12), figures);
    }
    cases.all_hold();
}
