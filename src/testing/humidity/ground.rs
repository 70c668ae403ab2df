//! A step of humidity, one cell at a time, by the formulas of the rules.

use crate::Face;
use crate::humidity::{Border, Cell, Rules, Sweep};
use crate::testing::board::Board;
use crate::testing::findings::Findings;
use crate::testing::law;
use glam::IVec3;

/// The cells, and their rules.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) rules: Rules,
    /// The number of faces through which a cell has neighbours: 4 or 6.
    pub(super) neighbours: usize,
    pub(super) cells: Board<Cell>,
}

/// The units that a step moved; 0 except in the conservative sweep.
#[derive(Default)]
pub(super) struct Flows {
    pub(super) rained: i128,
    pub(super) runoff: u128,
    pub(super) drained: u128,
    /// Units that left a cell, to a neighbour or over a border.
    pub(super) moved: u128,
}

impl Ground {
    pub(super) fn step(&mut self) -> Flows {
        match self.rules.sweep {
            Sweep::InPlace => self.step_in_place(),
            Sweep::Synchronous => {
                let before = self.clone();
                self.change_all(|cell, at| Cell { humidity: before.mean(at, cell), ..cell });
            }
            Sweep::Conservative => return self.flow(),
        }
        Flows::default()
    }

    /// Steps the cells one by one in the order of the original: x slowest.
    fn step_in_place(&mut self) {
        let mut order: Vec<IVec3> = self.cells.bounds().positions().collect();
        order.sort_by_key(IVec3::to_array);
        for at in order {
            if let Some(cell) = self.cells.get(at) {
                self.cells.put(at, Cell { humidity: self.mean(at, cell), ..cell });
            }
        }
    }

    fn change_all(&mut self, mut change: impl FnMut(Cell, IVec3) -> Cell) {
        let places = self.cells.bounds().positions();
        for (at, cell) in places.zip(self.cells.cells_mut()) {
            *cell = cell.map(|cell| change(cell, at));
        }
    }

    /// Returns the neighbours of a cell, by face; `None` beyond a draining border.
    fn beside(&self, at: IVec3) -> impl Iterator<Item = (Face, Option<Cell>)> {
        Face::ALL[..self.neighbours].iter().map(move |&face| {
            let beyond = at.checked_add(face.offset());
            let is_inside = beyond.is_some_and(|beyond| self.cells.bounds().contains(beyond));
            let cell = beyond.and_then(|beyond| self.cells.get(beyond)).unwrap_or(Cell::ROCK);
            let drains = !is_inside && self.rules.borders[face.index()] == Border::Drain;
            (face, (!drains).then_some(cell))
        })
    }

    /// Returns the humidity of a cell after a step, by the original's formula, in its order of
    /// operations.
    fn mean(&self, at: IVec3, cell: Cell) -> f64 {
        if cell.rain || cell.impermeability >= f32::MAX / 5.0 * 4.0 {
            return cell.humidity;
        }
        let (h0, i0) = (cell.humidity as f32, cell.impermeability);
        let mut above = h0 * i0;
        let mut below = i0;
        for (_, beside) in self.beside(at) {
            let beside = beside.unwrap_or(Cell::soil(0.0, i0));
            above += beside.humidity as f32 / beside.impermeability;
            below += 1.0 / beside.impermeability;
        }
        let r = above / below;
        f64::from(if r > self.rules.cap { self.rules.cap } else { r })
    }

    /// Computes all flows of each cell separately, in wide integers.
    fn flow(&mut self) -> Flows {
        let before = self.clone();
        let cap = units(f64::from(self.rules.cap));
        let mut flows = Flows::default();
        self.change_all(|cell, at| {
            let held = units(cell.humidity);
            let mut left = before.left(at, cell, &mut flows);
            if cell.rain {
                flows.rained += held - left;
                return cell;
            }
            if left > cap && !cell.is_rock() {
                flows.runoff += (left - cap) as u128;
                left = cap;
            }
            Cell { humidity: left as f64 / 65_536.0, ..cell }
        });
        flows
    }

    /// Returns the units in a cell after all flows.
    fn left(&self, at: IVec3, cell: Cell, flows: &mut Flows) -> i128 {
        let held = units(cell.humidity);
        let mut left = held;
        for (face, beside) in self.beside(at) {
            let drains = beside.is_none();
            let beside = beside.unwrap_or(Cell::soil(0.0, cell.impermeability));
            if cell.is_rock() || beside.is_rock() {
                continue;
            }
            let g = 2.0 / (f64::from(cell.impermeability) + f64::from(beside.impermeability));
            let share = (f64::from(self.rules.coefficient) * g * 4_294_967_296.0) as i128;
            // Beyond a draining border lies soil that is dry.
            let there = if drains { 0 } else { self.head(face.opposite(), beside) };
            let held = self.head(face, cell);
            // Division of whole numbers rounds towards zero.
            let flow = match face {
                Face::Down => self.falls(share, held, there),
                Face::Up => -self.falls(share, there, held),
                _ => self.rounded(share * (held - there) / 4_294_967_296),
            };
            left -= flow;
            flows.moved += flow.max(0) as u128;
            flows.drained += if drains { flow.max(0) as u128 } else { 0 };
        }
        left
    }

    /// Returns the units that pass down from a cell to the one below: the flow that evens out, and
    /// a part of the content of the upper cell or of the room in the lower cell, whichever is less.
    /// That part is rounded to 1/2³² towards the flow that evens out.
    fn falls(&self, share: i128, upper: i128, lower: i128) -> i128 {
        let times = units(f64::from(self.rules.fall) / f64::from(self.rules.coefficient));
        let evens = share * (upper - lower);
        let falling = upper.min(units(f64::from(self.rules.cap)) - lower).max(0);
        if times == 0 {
            return self.rounded(evens / 4_294_967_296);
        }
        let down = evens + share * times / 65_536 * falling;
        let up = -evens - (share * times / 65_536 + 1) * falling;
        self.rounded((down.max(0) - up.max(0)) / 4_294_967_296)
    }

    /// Returns the units of a cell by which the flux across a face is computed: rounded down to a
    /// multiple of some least flows, plus a phase; exact where soil is fast.
    fn head(&self, face: Face, cell: Cell) -> i128 {
        let held = units(cell.humidity);
        let Rules { coefficient, fall, least_impermeability, .. } = self.rules;
        let [level, falling] =
            [coefficient, fall].map(|part| f64::from(part) / f64::from(least_impermeability));
        let (grains, phases) = match self.neighbours {
            4 => ([4.0, 4.0], [0, 2, 1, 3, 0, 0]),
            _ => ([8.0, 4.0], [0, 4, 1, 3, 2, 6]),
        };
        if level * grains[0] > 0.5 || (level + falling) * grains[1] > 0.5 {
            return held;
        }
        let least = units(f64::from(self.rules.least_flow));
        let phase = phases[face.index()] * least;
        let is_upright = matches!(face, Face::Down | Face::Up);
        let grain = grains[usize::from(is_upright)] as i128 * least;
        (held - phase).max(0) / grain * grain + phase
    }

    /// Returns a flow rounded towards zero to a multiple of the least flow.
    fn rounded(&self, flow: i128) -> i128 {
        let least = units(f64::from(self.rules.least_flow));
        flow / least * least
    }

    /// Checks that the conservative sweep leaves each cell of soil within the range of the cell and
    /// its neighbours before the step, and not above the cap.
    pub(super) fn check_range(&self, before: &Ground, found: &mut Findings) {
        if self.rules.sweep != Sweep::Conservative {
            return;
        }
        let cap = f64::from(self.rules.cap);
        let places = self.cells.bounds().positions();
        for (at, (cell, old)) in places.zip(self.cells.cells().iter().zip(before.cells.cells())) {
            let (Some(cell), Some(old)) = (cell, old) else { continue };
            if old.rain || old.is_rock() {
                continue;
            }
            let [least, most] = before.range(at, *old).map(|humidity| humidity.min(cap));
            found.hold(law::FORMULAS, (least..=most).contains(&cell.humidity), || {
                format!("{at}: {}, not from {least} to {most}", cell.humidity)
            });
        }
    }

    /// Returns the least and the greatest humidity of a cell and its neighbours; where humidity
    /// falls, 0 and the cap.
    fn range(&self, at: IVec3, cell: Cell) -> [f64; 2] {
        if self.rules.fall > 0.0 {
            return [0.0, f64::from(self.rules.cap)];
        }
        let beside = self.beside(at).map(|(_, beside)| beside.unwrap_or(Cell::soil(0.0, 1.0)));
        beside
            .filter(|beside| !beside.is_rock())
            .fold([cell.humidity; 2], |[least, most], beside| {
                [least.min(beside.humidity), most.max(beside.humidity)]
            })
    }
}

/// Returns a humidity in whole units of the conservative sweep.
pub(super) fn units(humidity: f64) -> i128 {
    (humidity * 65_536.0) as i128
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Region;

    #[test]
    fn soil_beyond_the_range_of_its_neighbours_breaks_a_law() {
        let bounds = Region::new(IVec3::ZERO, IVec3::X * 2);
        let ground = |humidity: [f64; 3], rules: Rules| Ground {
            rules,
            neighbours: 4,
            cells: Board::of(bounds, |cell| Some(Cell::soil(humidity[cell.x as usize], 1.0))),
        };
        let holds = |after: [f64; 3], rules: Rules| {
            let mut found = Findings::default();
            ground(after, rules).check_range(&ground([1.0, 5.0, 9.0], rules), &mut found);
            found.take().is_ok()
        };
        let rules = Rules::default();
        assert!(holds([5.0, 9.0, 5.0], rules) && holds([1.0, 1.0, 9.0], rules));
        assert!(!holds([0.5, 5.0, 9.0], rules) && !holds([1.0, 5.0, 9.5], rules));
        assert!(!holds([5.5, 5.0, 9.0], rules), "more than both of them");
        assert!(!holds([1.0, 5.0, 9.0], Rules { cap: 8.0, ..rules }));
        let falling = Rules { fall: 1.0 / 64.0, coefficient: 1.0 / 32.0, ..rules };
        assert!(holds([0.5, 5.0, 9.5], falling) && !holds([-0.5, 5.0, 9.5], falling));
        assert!(holds([0.5, 5.0, 9.5], Rules::with_sweep(Sweep::InPlace)), "a mean of weights");
    }
}
