//! Rivers sleep: what only steady flow passes is not visited, and flows all the same.

use super::Cases;
use super::plan::{Built, Is, Pose, at};
use floodplain::Face;
use floodplain::glam::IVec3;

const LENGTH: i32 = 40;

/// A river on level ground, with a spring at the head of each lane. It leaves the world at the end
/// of the bed, or through holes in its last cells.
fn river(seed: u64, width: i32, through_holes: bool) -> Built {
    let size = at(LENGTH + i32::from(through_holes), 3, width + 2);
    let plan = move |cell: IVec3| match cell {
        IVec3 { z, .. } if z == 0 || z == width + 1 => Is::Ground,
        IVec3 { x: 0, y: 1, .. } => Is::Spring,
        IVec3 { x: ..LENGTH, y: 1, .. } => Is::Open,
        IVec3 { x, y: 0, .. } if through_holes && x == LENGTH - 1 => Is::Open,
        _ => Is::Ground,
    };
    let end = if through_holes { Face::Down } else { Face::East };
    Built::new((seed, Pose::of(seed)), size, &[end], plan)
}

/// Each cell of a river was visited in each tick, and in those in which its flow yields so were the
/// body of the river and all paths through it: 6 ms for 10,000 cells.
#[test]
fn rivers_sleep_and_flow_and_fill_what_is_dug_beside_them() {
    let mut cases = Cases::default();
    for (width, through_holes) in [(1, false), (3, false), (5, false), (1, true), (3, true)] {
        for seed in 0..4 {
            let mut built = river(seed, width, through_holes);
            let what = format!("{width} wide, through holes: {through_holes}, seed {seed}");
            // Through the bottom of the world, a pit would be one more hole.
            let pits = [None, Some(at(LENGTH / 2, 0, 1)), Some(at(LENGTH / 3, 0, width))];
            for &dug in &pits[..if through_holes { 1 } else { 3 }] {
                if let Some(pit) = dug {
                    built.world.clear_solid(built.at(pit)).unwrap();
                }
                built.world.run(1_000);
                let awake = built.world.awake_cells();
                let outflow = built.outflow(64);
                let flows = (0..LENGTH).flat_map(|x| (1..=width).map(move |z| at(x, 1, z)));
                let still = flows.filter(|&it| built.world.current(built.at(it)) == IVec3::ZERO);
                let (still, pit) = (still.count(), dug.map(|it| built.height(it.x, it.y, it.z)));
                built.world.validate().unwrap();
                // The ends stay awake.
                let holds = awake <= 2 * width as usize
                    && outflow == f64::from(7 * width)
                    && still == 0
                    && pit.is_none_or(|units| units == 7);
                let figures = format!("{awake} awake, {outflow} flow out, {still} still, {pit:?}");
                cases.hold(holds, format!("{what}: {figures}"));
            }
        }
    }
    cases.all_hold();
}
