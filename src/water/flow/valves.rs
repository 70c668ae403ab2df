//! The water that valves pass on, before any other water of a tick flows.

use crate::water::context::Tick;
use crate::water::context::budget::Budget;
use crate::water::store::Place;
use crate::water::store::fixtures::valves::{Passage, Side, Valve};

impl Tick<'_> {
    /// Lets the next valves of a list, from its end, pass water on. Returns the cells charged, or
    /// `None` if none is left.
    pub(crate) fn run_valves(&mut self, valves: &mut Vec<Valve>) -> Option<u64> {
        /// The cells that a valve reads: at least itself and both sides.
        const CELLS: usize = 3;
        if valves.is_empty() {
            return None;
        }
        let mut budget = Budget::of_a_piece();
        while !budget.is_spent()
            && let Some(valve) = valves.pop()
        {
            budget.spend(CELLS);
            let left =
                |place: Place| self.limits.left(self.store.read(place), self.scratch.passed(place));
            if let Some(passage) = self.store.passage(valve, left) {
                self.pass_valve(passage);
            }
        }
        Some(budget.spent())
    }

    fn pass_valve(&mut self, Passage { from, towards, to, units }: Passage) {
        match from {
            Side::Sea => self.ledger.from_sea += u64::from(units),
            Side::Cell(from) => {
                self.take(from, units);
                self.pass_on(from, towards, units);
                self.touch(from);
            }
        }
        match to {
            Side::Sea => self.ledger.into_sea += u64::from(units),
            Side::Cell(to) => {
                let voxel = self.store.read(to);
                self.put(to, voxel.with_height(voxel.height() + units));
                self.touch(to);
            }
        }
    }

    /// Records that the water of a cell has moved, and keeps it awake.
    fn touch(&mut self, place: Place) {
        let work = self.scratch.record_mut(self.store, place.layer_id());
        work.touched.insert(place.cell());
        self.wake_cell(place);
    }
}
