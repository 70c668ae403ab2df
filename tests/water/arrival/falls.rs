//! Rivers that fall: over steps of several heights and widths, and to an end behind a fall.

use super::plan::{Built, Is, Pose, at};
use super::{Cases, least, mean};
use floodplain::Face;
use floodplain::glam::IVec3;

/// A river from a spring for each lane over so many steps of this height, with level beds of this
/// length between them.
fn steps(how: (u64, Pose), width: i32, high: i32, count: i32, length: i32) -> Built {
    let top = high * count;
    let size = at(length * (count + 1), top + 4, width + 2);
    let plan = |cell: IVec3| {
        let bed = top - high * (cell.x / length);
        match cell {
            IVec3 { x: 0, .. } => Is::Ground,
            IVec3 { y, z, .. } if y <= bed || z < 1 || z > width => Is::Ground,
            IVec3 { x: 1, y, .. } if y == bed + 1 => Is::Spring,
            _ => Is::Open,
        }
    };
    Built::new(how, size, &[Face::East], plan)
}

/// 15.9 to 16.8 of 21 units arrived over three steps of three cells.
#[test]
fn rivers_arrive_over_steps() {
    let mut cases = Cases::default();
    for (width, high, count, length) in
        [(3, 3, 3, 25), (1, 3, 3, 25), (3, 1, 3, 25), (3, 6, 2, 20), (5, 2, 4, 12), (2, 3, 1, 50)]
    {
        let offered = f64::from(7 * width);
        let arrives: Vec<f64> = (0..6)
            .map(|seed| {
                let mut built = steps((seed, Pose::of(seed)), width, high, count, length);
                built.world.run(1_500);
                let arrives = built.outflow(400);
                built.world.validate().unwrap();
                arrives / offered
            })
            .collect();
        let what = format!("{width} wide, {count} steps of {high}");
        let holds = mean(arrives.iter().copied()) >= 0.955 && least(arrives.iter().copied()) >= 0.9;
        cases.hold(holds, format!("{what}: {arrives:.3?} of what is offered"));
    }
    cases.all_hold();
}

/// A fork ten cells from a spring: one arm falls this deep and leads on to an end, or falls into a
/// pit; the other falls into a pit as deep as the world.
fn fork(how: (u64, Pose), has_end: bool, deep: i32) -> Built {
    let plan = |cell: IVec3| {
        let is_pit = |z: i32| (8..=16).contains(&cell.x) && (z..z + 9).contains(&cell.z);
        match cell {
            IVec3 { x: 1, y: 12, z: 22 } => Is::Spring,
            IVec3 { x: 1..=12, y: 12, z: 22 } | IVec3 { x: 12, y: 12, z: 10..=34 } => Is::Open,
            IVec3 { y: 1..12, .. } if is_pit(34) => Is::Open,
            IVec3 { x: 12, y, z: 10 } if has_end && (12 - deep..12).contains(&y) => Is::Open,
            IVec3 { x: 12, y, z: 0..10 } if has_end && y == 12 - deep => Is::Open,
            IVec3 { y: 1..12, .. } if !has_end && is_pit(2) => Is::Open,
            _ => Is::Ground,
        }
    };
    let ends: &[Face] = if has_end { &[Face::North] } else { &[] };
    Built::new(how, at(24, 14, 44), ends, plan)
}

/// The share of the arm to the north.
fn northern(has_end: bool, deep: i32, seed: u64) -> f64 {
    let mut built = fork((seed, Pose::of(seed)), has_end, deep);
    built.world.run(120);
    let before = (built.world.ledger().drained, built.units(at(8, 1, 34), at(16, 11, 42)));
    let first = built.units(at(8, 1, 0), at(16, 11, 10));
    built.world.run(200);
    let south = (built.units(at(8, 1, 34), at(16, 11, 42)) - before.1) as f64;
    let pit = built.units(at(8, 1, 0), at(16, 11, 10)) as f64 - first as f64;
    let north = (built.world.ledger().drained - before.0) as f64 + pit;
    north / (north + south)
}

/// FlowOut ended at the fall: the end behind it was no more than a pit.
#[test]
fn an_end_behind_a_fall_is_preferred_to_a_pit() {
    let mut cases = Cases::default();
    for deep in [1, 4, 8] {
        let share = mean((0..12).map(|seed| northern(true, deep, seed)));
        cases.hold(share >= 0.85, format!("an end {deep} below a fork gets {share:.3}"));
    }
    let share = mean((0..12).map(|seed| northern(false, 4, seed)));
    cases.hold((0.4..=0.6).contains(&share), format!("of two pits, one gets {share:.3}"));
    cases.all_hold();
}
