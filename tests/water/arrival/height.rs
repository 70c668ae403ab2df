//! How high springs lift water: to below their own height, whatever stood there before.

use super::plan::{Built, Is, Pose, at};
use super::{Cases, mean};
use floodplain::Face;
use floodplain::glam::IVec3;

/// The spring on the floor of a pond two cells deep, the cell above which another one may lie, and
/// the sill: as high as the upper half of the pond, and followed by a fall to the end.
const LOW: IVec3 = IVec3::new(5, 0, 1);
const HIGH: IVec3 = IVec3::new(2, 2, 1);

/// A pond of this length and width, full at first, with a sill of this length.
fn pond(seed: u64, [length, width, sill]: [i32; 3], has_high: bool) -> Built {
    let fall = length + sill + 1;
    let plan = |cell: IVec3| match cell {
        LOW => Is::Spring,
        HIGH if has_high => Is::Spring,
        IVec3 { x, y: 0 | 1, z } if (1..=length).contains(&x) && (1..=width).contains(&z) => {
            Is::Full
        }
        IVec3 { x, y: 1, z: 1 } if x > length && x <= fall => Is::Full,
        IVec3 { x, y: 0, z: 1 } if x >= fall => Is::Open,
        IVec3 { x, y: 2, z } if (1..=length).contains(&x) && (1..=width).contains(&z) => Is::Open,
        _ => Is::Ground,
    };
    Built::new((seed, Pose::of(seed)), at(fall + 3, 3, width + 2), &[Face::East], plan)
}

const PONDS: [[i32; 3]; 4] = [[16, 1, 6], [12, 1, 1], [9, 3, 3], [20, 2, 10]];

/// In 6 of 100 worlds of the first kind the spring went on over the sill, a cell above it, for
/// ever: what had been pressed up from below by other water was connected without a look at the
/// height of the spring.
#[test]
fn no_spring_runs_over_a_sill_above_it() {
    let mut cases = Cases::default();
    for kind in PONDS {
        for seed in 0..25 {
            let mut built = pond(seed, kind, false);
            built.world.run(800);
            let leaves = built.outflow(100);
            cases.hold(leaves == 0.0, format!("{kind:?}, seed {seed}: {leaves:.2} leave"));
            built.world.validate().unwrap();
        }
    }
    cases.all_hold();
}

/// While a higher spring gives, its water goes over the sill. Without it nothing does: what it has
/// lifted does not hang on the lower one.
#[test]
fn water_lifted_by_a_spring_is_not_fed_by_a_lower_one() {
    let mut cases = Cases::default();
    for kind in PONDS {
        for seed in 0..6 {
            let mut built = pond(seed, kind, true);
            built.world.run(300);
            let with_high = built.outflow(100);
            let high = built.at(HIGH);
            built.world.remove_source(high).unwrap();
            built.world.run(800);
            let without = built.outflow(100);
            let figures = format!("{kind:?}, seed {seed}: {with_high:.2}, then {without:.2} leave");
            cases.hold(with_high >= 6.65 && without == 0.0, figures);
            built.world.validate().unwrap();
        }
    }
    cases.all_hold();
}

/// A canal of this width that dips under a wall of this length and comes up to the height of its
/// springs, or a cell below, and leads to the end.
fn culvert(seed: u64, [width, wall]: [i32; 2], below: i32, first: Is) -> Built {
    let (near, far) = (3, 3 + wall);
    let plan = |cell: IVec3| match cell {
        IVec3 { z, .. } if !(1..=width).contains(&z) => Is::Ground,
        IVec3 { x: 0, y, .. } if y == 1 + below => Is::Spring,
        IVec3 { x, y: 1, .. } if (0..=near).contains(&x) || x >= far => first,
        IVec3 { x, y: 0, .. } if (near..=far).contains(&x) => first,
        IVec3 { x, y: 2, .. } if (0..=near).contains(&x) => Is::Open,
        _ => Is::Ground,
    };
    Built::new((seed, Pose::of(seed)), at(far + 6, 3, width + 2), &[Face::East], plan)
}

/// Of water that was dry at first 7 of 7 units left through a culvert that came up to the height of
/// its spring, of water that stood there 2 to 5, and a gap in the spring's flow turned the one into
/// the other. A spring a cell higher gives all of its supply.
#[test]
fn flow_through_a_culvert_does_not_depend_on_its_initial_water() {
    let mut cases = Cases::default();
    for kind in [[1, 2], [1, 6], [3, 3]] {
        let offered = 7.0 * f64::from(kind[0]);
        for below in [0, 1] {
            let mut leaves = [Is::Open, Is::Full].map(|first| {
                (0..4).map(move |seed| {
                    let mut built = culvert(seed, kind, below, first);
                    built.world.run(800);
                    let leaves = built.outflow(200);
                    built.world.validate().unwrap();
                    leaves
                })
            });
            let [dry, full] = leaves.each_mut().map(mean);
            let figures =
                format!("{kind:?}, {below} below: dry {dry:.2}, full {full:.2} of {offered}");
            let is_whole = below == 0 || dry.min(full) >= 0.95 * offered;
            cases.hold(is_whole && (dry - full).abs() <= 0.1 * offered, figures);
        }
    }
    cases.all_hold();
}
