//! Valves pass water on before the layers flow in a tick. `passage` in `store/fixtures/valves.rs`
//! returns how much each valve may pass.

use crate::water::scratch::Tick;
use crate::water::scratch::budget::Budget;
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::Place;
use crate::water::store::fixtures::valves::{Passage, Side, Valve, passage};

/// Makes the next valves of a list, taken from its end, pass water on. Returns the number of cells
/// charged, or `None` if no valve is left.
pub(crate) fn run_valves(tick: &mut Tick, valves: &mut Vec<Valve>) -> Option<u64> {
    /// The cells charged for a valve, which reads at least its own cell and the cells on both
    /// sides.
    const CELLS: usize = 3;
    if valves.is_empty() {
        return None;
    }
    let mut budget = Budget::of_a_piece();
    while !budget.is_spent()
        && let Some(valve) = valves.pop()
    {
        budget.spend(CELLS);
        let left = |place: Place| tick.limits.left(tick.store.read(place), tick.passed(place));
        if let Some(passage) = passage(tick.store, valve, left) {
            pass_valve(tick, passage);
        }
    }
    Some(budget.spent())
}

fn pass_valve(tick: &mut Tick, Passage { from, towards, to, units }: Passage) {
    match from {
        Side::Sea => tick.ledger.from_sea += u64::from(units),
        Side::Cell(from) => {
            tick.take(from, units);
            tick.pass_on(from, towards, units);
            touch(tick, from);
        }
    }
    match to {
        Side::Sea => tick.ledger.into_sea += u64::from(units),
        Side::Cell(to) => {
            let voxel = tick.store.read(to);
            tick.put(to, voxel.with_height(voxel.height() + units));
            touch(tick, to);
        }
    }
}

/// Records that the water of a cell has moved, and keeps the cell awake.
fn touch(tick: &mut Tick, place: Place) {
    let mut work = tick.scratch.record_mut(tick.store, place.layer_id());
    work.cell(place.cell()).mark(Mark::Touched);
    tick.wake_cell(place);
}
