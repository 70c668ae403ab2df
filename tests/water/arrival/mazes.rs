//! What leaves flat random mazes, as a part of the max flow from springs to ends.

use super::Cases;
use super::plan::{Built, Is, Pose, at};
use fastrand::Rng;
use floodplain::Face;
use floodplain::glam::IVec3;
use floodplain::testing::max_outflow;

/// Worlds of each kind.
const WORLDS: usize = 20;

/// A maze of one layer, with springs in the west and ends in the east.
struct Maze {
    seed: u64,
    size: IVec3,
    cells: Vec<Is>,
}

impl Maze {
    fn random(seed: u64, open: f64) -> Maze {
        let mut rng = Rng::with_seed(seed);
        let [width, depth] = [[22, 18], [12, 30], [30, 10]][rng.usize(..3)];
        let mut cells = vec![Is::Ground; (width * depth) as usize];
        for (index, cell) in cells.iter_mut().enumerate() {
            let (x, z) = (index as i32 % width, index as i32 / width);
            let is_open = match x {
                _ if z == 0 || z == depth - 1 || x == 0 => false,
                _ if x == width - 1 => rng.f64() < 0.25,
                _ => rng.f64() < open,
            };
            *cell = if is_open { Is::Open } else { Is::Ground };
        }
        for _ in 0..rng.usize(1..4) {
            let cell = &mut cells[(rng.i32(1..depth - 1) * width + 1) as usize];
            *cell = if *cell == Is::Ground { Is::Ground } else { Is::Spring };
        }
        Maze { seed, size: at(width, 1, depth), cells }
    }

    fn built(&self, first: Is) -> Built {
        let plan = |cell: IVec3| match self.cells[(cell.z * self.size.x + cell.x) as usize] {
            Is::Open => first,
            is => is,
        };
        Built::new((self.seed, Pose::of(self.seed)), self.size, &[Face::East], plan)
    }

    /// What leaves as a part of the max flow, dry and full at first; `None` if nothing can.
    fn arrives(&self) -> Option<[f64; 2]> {
        let most = max_outflow(&self.built(Is::Open).world);
        let part = |first| {
            let mut built = self.built(first);
            built.world.run(1_200);
            let part = built.outflow(300) / most as f64;
            built.world.validate().unwrap();
            part
        };
        (most > 0).then(|| [Is::Open, Is::Full].map(part))
    }
}

/// Full at first, 30, 45 and 56 of 60 let out nine tenths, at 0.55, 0.7 and 0.9 open; dry at first,
/// 60, 59 and 59. Flow through water that had stood there stayed partial for good.
#[test]
fn supply_of_springs_leaves_mazes_dry_or_full() {
    let mut cases = Cases::default();
    for open in [0.55, 0.7, 0.9] {
        let mazes = (0..).filter_map(|seed| Some((seed, Maze::random(seed, open).arrives()?)));
        let mazes: Vec<(u64, [f64; 2])> = mazes.take(WORLDS).collect();
        let mut check = |name: &str, fails: &dyn Fn([f64; 2]) -> bool| {
            let failing: Vec<_> = mazes.iter().filter(|(_, parts)| fails(*parts)).collect();
            let count = failing.len();
            let figures = format!("{open} open, {name}: {count} of {WORLDS} fail: {failing:.2?}");
            cases.hold(count * 20 <= WORLDS, figures);
        };
        check("dry", &|[dry, _]| dry < 0.9);
        check("full", &|[_, full]| full < 0.9);
        check("dry against full", &|[dry, full]| (dry - full).abs() > 0.1);
    }
    cases.all_hold();
}
