//! U-tubes that springs feed: water behind an invisible wall rises with that before it.

use super::plan::{Built, Is, Pose, at};
use super::{Cases, mean};
use floodplain::glam::IVec3;

/// A basin with springs in the west, and a wall above a gap of this width and height.
fn u_tube(how: (u64, Pose), springs: i32, width: i32, high: i32) -> Built {
    let size = at(22, 11, 6);
    let plan = |cell: IVec3| match cell {
        IVec3 { x: 0 | 21, .. } | IVec3 { y: 0, .. } | IVec3 { z: 0 | 5, .. } => Is::Ground,
        IVec3 { x: 9 | 10, y, z } if y > high || z > width => Is::Ground,
        IVec3 { x: 2, y: 7, z } if (2..2 + springs).contains(&z) => Is::Spring,
        _ => Is::Open,
    };
    Built::new(how, size, &[], plan)
}

/// The mean height of both sides, in units.
fn sides(built: &Built) -> [f64; 2] {
    let side = |from: i32, to: i32| {
        built.units(at(from, 1, 1), at(to, 10, 4)) as f64 / f64::from(4 * (to - from + 1))
    };
    [side(3, 8), side(11, 20)]
}

/// Returns by how much the near side stands above the far side at most, and by how much the far
/// side above the near, once the far side is wet.
fn differences(mut built: Built) -> [f64; 2] {
    let (mut is_wet, mut most) = (false, [0.0_f64; 2]);
    for _ in 0..700 {
        built.world.step();
        let [near, far] = sides(&built);
        is_wet |= far > 1.0;
        if is_wet {
            most = [most[0].max(near - far), most[1].max(far - near)];
        }
    }
    built.world.validate().unwrap();
    let [near, far] = sides(&built);
    assert!((near - far).abs() <= 1.0 && near >= 42.0, "{near:.1} and {far:.1} in the end");
    most
}

/// What the documentation of water says: water rises below the height of its spring only.
#[test]
fn the_far_arm_of_a_narrow_u_ends_a_cell_below_its_spring() {
    let plan = |cell: IVec3| match cell {
        IVec3 { x: 1, y: 7, z: 1 } => Is::Spring,
        IVec3 { x: 1 | 5, y: 1.., z: 1 } | IVec3 { x: 2..=4, y: 1, z: 1 } => Is::Open,
        _ => Is::Ground,
    };
    for seed in 0..4 {
        let mut built = Built::new((seed, Pose::of(seed)), at(7, 11, 3), &[], plan);
        built.world.run(600);
        let arms = [1, 5].map(|x| built.units(at(x, 1, 1), at(x, 10, 1)));
        assert_eq!(arms, [7 * 7, 6 * 7], "seed {seed}");
    }
}

/// The near side stood up to 44 units, six cells, above the far side: draws from the spring gave to
/// the near side what pressure was to take to the far one. Poured in without a spring: 2.4.
#[test]
fn both_sides_of_a_u_rise_alike_when_a_spring_feeds_one() {
    let mut cases = Cases::default();
    // Two springs offer twice what passes a gap of one cell, so there the near side must stand
    // higher.
    for (springs, width, high, bound) in [
        (1, 1, 1, 14.0),
        (1, 2, 1, 14.0),
        (1, 3, 1, 14.0),
        (1, 4, 1, 14.0),
        (2, 1, 1, 21.0),
        (2, 4, 1, 14.0),
        (2, 4, 3, 14.0),
    ] {
        let most: Vec<[f64; 2]> = (0..3)
            .map(|seed| differences(u_tube((seed, Pose::of(seed)), springs, width, high)))
            .collect();
        let what = format!("{springs} springs, gap {width} wide, {high} high");
        let near = mean(most.iter().map(|most| most[0]));
        let holds = most.iter().flatten().all(|&difference| difference <= bound);
        cases.hold(holds, format!("{what}: {near:.1} in the mean, {most:.1?}"));
    }
    cases.all_hold();
}
