//! Humidity on a plain map of cells, one cell at a time, by the formulas as they are written.
//! Shares no code with the kernels.

use floodplain::glam::IVec3;
use floodplain::humidity::{Border, Cell, HumidityWorld, Rules, Sweep};
use floodplain::{Face, FieldShape, Region};
use std::collections::BTreeMap;

type Key = (i32, i32, i32);

fn key(at: IVec3) -> Key {
    (at.x, at.y, at.z)
}

/// The cells of a world, and what one step did.
pub struct Oracle {
    rules: Rules,
    bounds: Region,
    neighbours: usize,
    /// In the order of the original: x slowest.
    cells: BTreeMap<Key, Cell>,
    pub rained: i128,
    pub runoff: i128,
    pub drained: i128,
    /// Units that left a cell, for a neighbour or over a border.
    pub moved: i128,
}

impl Oracle {
    pub fn of<S: FieldShape>(world: &HumidityWorld<S>, region: Region) -> Oracle {
        let cells = region.positions().filter_map(|at| Some((key(at), world.cell(at)?))).collect();
        let (rules, bounds) = (*world.rules(), world.bounds());
        Oracle {
            rules,
            bounds,
            neighbours: S::NEIGHBOURS,
            cells,
            rained: 0,
            runoff: 0,
            drained: 0,
            moved: 0,
        }
    }

    pub fn step(&mut self) {
        match self.rules.sweep {
            Sweep::InPlace => {
                for at in self.cells.keys().copied().collect::<Vec<_>>() {
                    let new = self.mean(at);
                    self.cells.get_mut(&at).unwrap().humidity = new;
                }
            }
            Sweep::Synchronous => {
                let new: Vec<f64> = self.cells.keys().map(|&at| self.mean(at)).collect();
                self.cells
                    .values_mut()
                    .zip(new)
                    .for_each(|(cell, humidity)| cell.humidity = humidity);
            }
            Sweep::Conservative => self.flow(),
        }
    }

    /// What lies next to a cell, by face; `None` beyond a draining border.
    fn beside(&self, (x, y, z): Key) -> Vec<Option<Cell>> {
        let at = IVec3::new(x, y, z);
        let look = |face: &Face| {
            let beyond =
                at.checked_add(face.offset()).filter(|&beyond| self.bounds.contains(beyond));
            if beyond.is_none() && self.rules.borders[face.index()] == Border::Drain {
                return None;
            }
            Some(
                beyond
                    .and_then(|beyond| self.cells.get(&key(beyond)))
                    .copied()
                    .unwrap_or(Cell::ROCK),
            )
        };
        Face::ALL[..self.neighbours].iter().map(look).collect()
    }

    /// The original's formula, in its order of operations.
    fn mean(&self, at: Key) -> f64 {
        let cell = self.cells[&at];
        if cell.rain || cell.impermeability >= f32::MAX / 5.0 * 4.0 {
            return cell.humidity;
        }
        let (h0, i0) = (cell.humidity as f32, cell.impermeability);
        let mut above = h0 * i0;
        let mut below = i0;
        for beside in self.beside(at) {
            let beside = beside.unwrap_or(Cell::soil(0.0, i0));
            above += beside.humidity as f32 / beside.impermeability;
            below += 1.0 / beside.impermeability;
        }
        let r = above / below;
        f64::from(if r > self.rules.cap { self.rules.cap } else { r })
    }

    /// Computes all flows of each cell separately, in wide integers.
    fn flow(&mut self) {
        let units = |cell: Cell| (cell.humidity * 65_536.0) as i128;
        let mut new = self.cells.clone();
        for (&at, &cell) in &self.cells {
            let mut left = units(cell);
            for (face, beside) in self.beside(at).into_iter().enumerate() {
                let drains = beside.is_none();
                let beside = beside.unwrap_or(Cell::soil(0.0, cell.impermeability));
                if cell.is_rock() || beside.is_rock() {
                    continue;
                }
                let g = 2.0 / (f64::from(cell.impermeability) + f64::from(beside.impermeability));
                let share = (f64::from(self.rules.coefficient) * g * 4_294_967_296.0) as i128;
                // Division of whole numbers rounds towards zero.
                let flow = match Face::ALL[face] {
                    Face::Down => self.falls(share, units(cell), units(beside)),
                    Face::Up => -self.falls(share, units(beside), units(cell)),
                    _ => share * (units(cell) - units(beside)) / 4_294_967_296,
                };
                left -= flow;
                self.moved += flow.max(0);
                self.drained += if drains { flow } else { 0 };
            }
            let cap = (f64::from(self.rules.cap) * 65_536.0) as i128;
            if cell.rain {
                self.rained += units(cell) - left;
                continue;
            }
            if left > cap && !cell.is_rock() {
                self.runoff += left - cap;
                left = cap;
            }
            new.get_mut(&at).unwrap().humidity = left as f64 / 65_536.0;
        }
        self.cells = new;
    }

    /// The units that pass down from a cell to the one below: what evens out, and a part of what the
    /// upper one holds or the lower one has room for. That part is rounded to 1/2³² in favour of
    /// what evens out.
    fn falls(&self, share: i128, upper: i128, lower: i128) -> i128 {
        let times =
            (f64::from(self.rules.fall) / f64::from(self.rules.coefficient) * 65_536.0) as i128;
        let cap = (f64::from(self.rules.cap) * 65_536.0) as i128;
        let evens = share * (upper - lower);
        let falling = upper.min(cap - lower).max(0);
        if times == 0 {
            return evens / 4_294_967_296;
        }
        let down = evens + share * times / 65_536 * falling;
        let up = -evens - (share * times / 65_536 + 1) * falling;
        (down.max(0) - up.max(0)) / 4_294_967_296
    }

    /// Returns the least and the greatest humidity of a cell and its neighbours, between which a step
    /// leaves it; where humidity falls, nothing and the cap.
    pub fn range(&self, at: IVec3) -> [f64; 2] {
        if self.rules.fall > 0.0 {
            return [0.0, f64::from(self.rules.cap)];
        }
        let own = self.cells[&key(at)].humidity;
        let soil =
            self.beside(key(at)).into_iter().map(|beside| beside.unwrap_or(Cell::soil(0.0, 1.0)));
        soil.filter(|beside| !beside.is_rock()).fold([own; 2], |[least, most], beside| {
            [least.min(beside.humidity), most.max(beside.humidity)]
        })
    }

    pub fn compare<S: FieldShape>(&self, world: &HumidityWorld<S>) {
        for (&(x, y, z), &cell) in &self.cells {
            assert_eq!(
                world.cell(IVec3::new(x, y, z)),
                Some(cell),
                "cell {x} {y} {z} of {:?}",
                self.rules
            );
        }
    }
}
