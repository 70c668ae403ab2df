//! Wells beside a river that leaves the world: joined to it by a tunnel under its bed, they stand
//! as high as the river does above.

use super::Cases;
use super::plan::{Built, Is, Pose, at};
use floodplain::Face;
use floodplain::glam::IVec3;
use floodplain::water::Rules;

/// The layer of the river, and that of the tunnel.
const BED: i32 = 10;

/// A channel in which springs feed a river to the east, and a well to the south of it.
#[derive(Clone, Copy, Debug)]
struct Layout {
    width: i32,
    springs: i32,
    tunnel: i32,
    throughput: u8,
    /// Where the tunnel leaves the river, counted from the springs.
    along: i32,
}

impl Layout {
    fn well(self) -> i32 {
        self.width + 2
    }

    /// Where the tunnel begins in the bed.
    fn hole(self) -> i32 {
        self.width.min(2)
    }

    /// Builds it, with `first` in the river or in the well.
    fn built(self, seed: u64, river: Is, well: Is) -> Built {
        let size = at(34, BED + 4, self.width + 4);
        let plan = |cell: IVec3| match cell {
            IVec3 { x, y, z } if x == self.along && z == self.well() && y >= self.tunnel => well,
            IVec3 { x, y, z } if x == self.along && y == self.tunnel && z >= self.hole() => {
                if z < self.well() { well } else { Is::Ground }
            }
            IVec3 { x, y, z } if x == self.along && z == self.hole() && y < BED => {
                if y > self.tunnel { well } else { Is::Ground }
            }
            IVec3 { x: 1.., y, z } if y >= BED && (1..=self.width).contains(&z) => {
                let number = (cell.x - 1) * self.width + z;
                match y {
                    BED if number <= self.springs => Is::Spring,
                    BED => river,
                    _ => Is::Open,
                }
            }
            _ => Is::Ground,
        };
        let rules = Rules { throughput: self.throughput, ..Rules::lossless() };
        Built::with_rules(rules, (seed, Pose::of(seed)), size, &[Face::East], plan)
    }

    /// The units in the shaft of the well, and in as many cells of the river and below it.
    fn stand(self, built: &Built) -> [u64; 2] {
        let column =
            |z: i32| built.units(at(self.along, self.tunnel, z), at(self.along, BED + 3, z));
        [column(self.well()), column(self.hole())]
    }
}

/// A cell of the shaft filled and stood so for ever: in the ticks in which the steady flow yields,
/// it took the throughput that other flow had left before bodies were levelled.
#[test]
fn a_well_joined_to_a_running_river_stands_as_high_as_it() {
    let mut cases = Cases::default();
    let layouts = [
        (5, 5, 7, 7),
        (5, 10, 7, 4),
        (5, 40, 7, 7),
        (3, 3, 8, 2),
        (1, 1, 8, 7),
        (2, 4, 6, 1),
        (9, 9, 7, 7),
    ];
    let at_first = [
        (16, Is::Open, Is::Open),
        (23, Is::Full, Is::Open),
        (28, Is::Open, Is::Full),
        (20, Is::Full, Is::Full),
    ];
    let all = layouts.into_iter().flat_map(|layout| at_first.map(|first| (layout, first)));
    for (seed, ((width, springs, tunnel, throughput), (along, river, well))) in (0..).zip(all) {
        let layout = Layout { width, springs, tunnel, throughput, along };
        let mut built = layout.built(seed, river, well);
        built.world.run(2_800 / u64::from(throughput));
        let [shaft, column] = layout.stand(&built);
        let leaves = built.outflow(64);
        let what = format!("seed {seed}, {layout:?}, {river:?} and {well:?} at first");
        let figures = format!("{what}: {shaft} beside {column}, {leaves:.1} a tick leave");
        let least = 0.9 * f64::from(i32::from(throughput) * width.min(springs));
        let is_running = column > 0 && leaves >= least;
        cases.hold(is_running && shaft.abs_diff(column) <= 2, figures);
        built.world.validate().unwrap();
    }
    cases.all_hold();
}
