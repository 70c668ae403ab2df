//! Passes on the steady flow of a tick: each cell passes on its units, springs give, drains take.
//! No height changes.

use crate::chunk::LayerMask;
use crate::grid::{LayerId, Slot};
use crate::water::cell::CellFlags;
use crate::water::scratch::Tick;
use crate::water::scratch::budget::Budget;
use crate::water::scratch::runs::leave_runs_among;
use crate::water::steady::balance::{Repair, balance_steady};
use crate::water::steady::network::{is_levelled, steady_inflow};
use crate::water::store::flow::portals::note_portal;
use crate::water::store::{LAYER_ROWS, Place};
use crate::water::voxel::Voxel;

/// The units that the steady flow of a tick gets from springs, and the units that leave the world.
#[derive(Default)]
pub(super) struct Turnover {
    injected: u64,
    drained: u64,
}

/// Passes on the steady flow of a chunk's cells, and adds the units that springs give and drains
/// take to `turnover`. Returns the rows charged.
pub(super) fn execute_chunk(tick: &mut Tick, slot: Slot, turnover: &mut Turnover) -> usize {
    let mut rows = 0;
    for layer in 0..16 {
        let Some(flows) = tick.store.steady_layer(LayerId::new(slot, layer)) else { continue };
        let cells = flows.cells();
        rows += LAYER_ROWS;
        leave_runs_among(tick, LayerId::new(slot, layer), cells);
        execute_layer(tick, LayerId::new(slot, layer), cells, turnover);
    }
    rows
}

/// Passes on the steady flow of a layer's cells, and marks the cells with FlowOut.
fn execute_layer(tick: &mut Tick, layer: LayerId, cells: LayerMask, turnover: &mut Turnover) {
    let lacks_mark = |voxel: Voxel| !voxel.has(CellFlags::FLOW_OUT);
    for cell in tick.store.select_among(layer, cells, lacks_mark).iter() {
        let place = Place::in_layer(layer, cell);
        let voxel = tick.store.read(place);
        tick.put_marks(place, voxel.with(CellFlags::FLOW_OUT, true));
    }
    let mut work = tick.scratch.record_mut(tick.store, layer);
    if let Some(flows) = tick.store.steady_layer(layer) {
        work.pass_on_steadily(cells, flows.records());
        tick.report.moved += u64::from(flows.through());
    }
    for cell in (cells & tick.store.springs(layer)).iter() {
        let place = Place::in_layer(layer, cell);
        let given = tick.store.steady(place).through() - steady_inflow(tick.store, place);
        note_portal(tick.store, place, true, given);
        turnover.injected += u64::from(given);
    }
    let ends = tick.store.outlets(layer.slot).map_or(LayerMask::NONE, |ends| ends.layer(layer.y));
    for cell in (cells & ends).iter() {
        let place = Place::in_layer(layer, cell);
        let leaving = tick.store.steady(place).iter();
        let drained = leaving.filter(|&(face, _)| tick.store.look(place, face) == Voxel::DRAIN);
        let drained = drained.map(|(_, units)| units).sum();
        note_portal(tick.store, place, false, drained);
        turnover.drained += u64::from(drained);
    }
}

/// Enters in the ledger, at once, the units that springs gave and the equal number that drains
/// took.
pub(super) fn enter_turnover(tick: &mut Tick, turnover: &mut Turnover) {
    let Turnover { injected, drained } = core::mem::take(turnover);
    tick.ledger.injected += injected;
    tick.ledger.drained += drained;
}

/// Passes on the steady flow within the throughput that all other flow of this tick has left over:
/// each cell passes on what it still may. The table of the flow does not change. Returns the cells
/// visited.
pub(crate) fn execute_last(tick: &mut Tick) -> usize {
    let mark = tick.store.steady_mark();
    tick.is_yielding = true;
    let slots: Vec<Slot> = tick.store.steady_slots().collect();
    let mut repair = Repair::default();
    for &slot in &slots {
        let list = tick.store.steady_list(slot).into_iter();
        let places = list.map(|(index, _)| Place::new(slot, usize::from(index)));
        repair
            .open
            .extend(places.filter(|&place| tick.passed(place) > 0 || is_levelled(tick, place)));
    }
    let mut budget = Budget::new(usize::MAX);
    balance_steady(tick, &mut repair, &mut budget);
    tick.is_yielding = false;
    // Chunks without flow keep their place in the list.
    let mut turnover = Turnover::default();
    for &slot in &slots {
        budget.spend(execute_chunk(tick, slot, &mut turnover));
    }
    enter_turnover(tick, &mut turnover);
    tick.store.return_steady(mark);
    budget.spent() as usize
}
