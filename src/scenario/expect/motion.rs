//! Measures of water in motion: how round the wet cells around a cell are, how level water stays
//! while it is fed, and the outflow of cells over some ticks.

use crate::coords::Face;
use crate::scenario::automata::subject::Subject;
use crate::scenario::expect::Check;
use glam::{DVec2, IVec3};

/// The sixteen directions of a plane, a sixteenth of a turn apart: cosine and sine.
const DIRECTIONS: [DVec2; 16] = {
    const HALF: f64 = core::f64::consts::FRAC_1_SQRT_2;
    const LONG: f64 = 0.923_879_532_511_286_7;
    const SHORT: f64 = 0.382_683_432_365_089_8;
    let quarter = [
        DVec2::new(1.0, 0.0),
        DVec2::new(LONG, SHORT),
        DVec2::new(HALF, HALF),
        DVec2::new(SHORT, LONG),
    ];
    let mut all = [DVec2::ZERO; 16];
    let mut at = 0;
    while at < 16 {
        let DVec2 { x, y } = quarter[at % 4];
        all[at] = match at / 4 {
            0 => DVec2::new(x, y),
            1 => DVec2::new(-y, x),
            2 => DVec2::new(-x, -y),
            _ => DVec2::new(y, -x),
        };
        at += 1;
    }
    all
};

/// Returns the least reach of the wet cells of a check in sixteen directions around a cell, as a
/// part of the greatest. A cell counts in the direction that is nearest to its own direction,
/// whatever its height. `None` if no other cell is wet.
pub(super) fn round(check: &Check, around: IVec3, subject: &dyn Subject) -> Option<f64> {
    let mut reach = [0.0_f64; 16];
    for &cell in &check.cells {
        let away = (cell - around).as_dvec3();
        let away = DVec2::new(away.x, away.z);
        if away == DVec2::ZERO || subject.value(cell) <= 0.0 {
            continue;
        }
        let along = |direction: usize| DIRECTIONS[direction].dot(away);
        let nearest = (0..16).max_by(|&a, &b| along(a).total_cmp(&along(b)));
        if let Some(nearest) = nearest {
            reach[nearest] = reach[nearest].max(away.length());
        }
    }
    let greatest = reach.into_iter().fold(0.0, f64::max);
    (greatest > 0.0).then(|| reach.into_iter().fold(f64::MAX, f64::min) / greatest)
}

/// Returns the highest surface of the wet columns of a check minus the lowest, without the columns
/// in which water falls. `falls` is the index of the quantity that flags the cells out of which
/// water fell in the last tick. `None` if no column is left.
pub(super) fn unevenness(check: &Check, falls: usize, subject: &dyn Subject) -> Option<f64> {
    let (mut high, mut low) = (f64::MIN, f64::MAX);
    for column in &check.columns {
        if is_fallen_into(column, falls, subject) {
            continue;
        }
        let values = column.iter().map(|&(height, cell)| (height, subject.value(cell)));
        let Some((height, value)) = values.into_iter().find(|&(_, value)| value > 0.0) else {
            continue;
        };
        let surface = f64::from(height) * subject.capacity() + value;
        (high, low) = (high.max(surface), low.min(surface));
    }
    (high >= low).then_some(high - low)
}

/// Returns whether water falls in a column: out of a cell that is dry now, or that has a dry open
/// cell beside it. Seven units a tick fall as a column of full cells. Only the sides of the column
/// distinguish it from a pool, in which water moves down too.
fn is_fallen_into(column: &[(i32, IVec3)], falls: usize, subject: &dyn Subject) -> bool {
    let is_dry = |cell| subject.value(cell) == 0.0;
    column.iter().any(|&(_, cell)| {
        let is_dry_beside = |side: Face| side.step(cell).is_none_or(is_dry);
        let stands_free = || is_dry(cell) || Face::LATERAL.into_iter().any(is_dry_beside);
        subject.measure(falls, cell) == Some(1.0) && stands_free()
    })
}

/// The outflow of the cells of a check, and the units drained, since the first tick of the check.
#[derive(Default)]
pub(super) struct Outflow {
    /// The units drained up to the first tick.
    drained_before: Option<f64>,
    pub(super) passed: f64,
    pub(super) drained: f64,
    pub(super) ticks: f64,
}

impl Outflow {
    /// Adds a tick; the first tick only begins the account. `current` is the index of the quantity
    /// for the outflow of a cell.
    pub(super) fn add(&mut self, check: &Check, current: usize, subject: &dyn Subject) {
        let drained = subject.account().drained;
        let Some(before) = self.drained_before else {
            self.drained_before = Some(drained);
            return;
        };
        self.drained = drained - before;
        let passed = check.cells.iter().filter_map(|&cell| subject.measure(current, cell));
        self.passed += passed.sum::<f64>();
        self.ticks += 1.0;
    }
}
