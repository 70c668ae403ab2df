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
use crate::water::store::flow::steady::Turnover;
use crate::water::store::{LAYER_ROWS, Place};
use crate::water::voxel::Voxel;

/// Begins to pass on the steady flow. From now on it has passed in all chunks that take no part in
/// the tick, and passes in chunks that join the tick. Returns the other chunks with steady flow, in
/// order of position.
pub(super) fn begin_passing(tick: &mut Tick) -> Vec<Slot> {
    tick.scratch.resting_has_passed = true;
    steady_members(tick)
}

/// Returns the chunks with steady flow that take part in the tick, in order of position.
pub(super) fn steady_members(tick: &Tick) -> Vec<Slot> {
    let members = tick.scratch.schedule.members().iter().copied();
    let mut slots: Vec<Slot> = members.filter(|&slot| tick.store.is_steady(slot)).collect();
    tick.store.grid().sort_slots(&mut slots);
    slots
}

/// Passes on the steady flow of a chunk's cells, and counts it. Returns the rows charged.
pub(super) fn execute_chunk(tick: &mut Tick, slot: Slot) -> usize {
    let mut rows = 0;
    for layer in 0..16 {
        let Some(flows) = tick.store.steady_layer(LayerId::new(slot, layer)) else { continue };
        let cells = flows.cells();
        rows += LAYER_ROWS;
        leave_runs_among(tick, LayerId::new(slot, layer), cells);
        execute_layer(tick, LayerId::new(slot, layer), cells);
    }
    rows
}

/// Passes on the steady flow of a layer's cells, and marks the cells with FlowOut.
fn execute_layer(tick: &mut Tick, layer: LayerId, cells: LayerMask) {
    let lacks_mark = |voxel: Voxel| !voxel.has(CellFlags::FLOW_OUT);
    for cell in tick.store.select_among(layer, cells, lacks_mark).iter() {
        let place = Place::in_layer(layer, cell);
        let voxel = tick.store.read(place);
        tick.put_marks(place, voxel.with(CellFlags::FLOW_OUT, true));
    }
    let mut work = tick.scratch.record_mut(tick.store, layer);
    if let Some(flows) = tick.store.steady_layer(layer) {
        work.pass_on_steadily(cells, flows.records());
    }
    for cell in (cells & tick.store.springs(layer)).iter() {
        let place = Place::in_layer(layer, cell);
        let given = tick.store.steady(place).through() - steady_inflow(tick.store, place);
        note_portal(tick.store, place, true, given);
    }
    let mut drained = 0;
    let ends = tick.store.outlets(layer.slot).map_or(LayerMask::NONE, |ends| ends.layer(layer.y));
    for cell in (cells & ends).iter() {
        let place = Place::in_layer(layer, cell);
        let leaving = tick.store.steady(place).iter();
        let leaving = leaving.filter(|&(face, _)| tick.store.look(place, face) == Voxel::DRAIN);
        let leaving = leaving.map(|(_, units)| units).sum();
        note_portal(tick.store, place, false, leaving);
        drained += u64::from(leaving);
    }
    tick.store.count_steady(layer, drained);
}

/// Enters all steady flow of the tick in the ledger and the report, at once: the units that drains
/// took, and as many that springs gave.
pub(super) fn end_passing(tick: &mut Tick) {
    let Turnover { through, drained } = tick.store.steady_sum();
    tick.ledger.injected += drained;
    tick.ledger.drained += drained;
    tick.report.moved += through;
    tick.store.forget_unrest();
}

/// Passes on the steady flow within the throughput that all other flow of this tick has left over:
/// each cell passes on what it still may. The table of the flow does not change. Returns the cells
/// visited.
pub(crate) fn execute_last(tick: &mut Tick) -> usize {
    let mark = tick.store.steady_mark();
    tick.is_yielding = true;
    let mut repair = Repair::default();
    for slot in steady_members(tick) {
        let list = tick.store.steady_list(slot).into_iter();
        let places = list.map(|(index, _)| Place::new(slot, usize::from(index)));
        repair
            .open
            .extend(places.filter(|&place| tick.passed(place) > 0 || is_levelled(tick, place)));
    }
    let mut budget = Budget::new(usize::MAX);
    balance_steady(tick, &mut repair, &mut budget);
    tick.is_yielding = false;
    // Flow that rested and is less in this tick is passed on by records.
    for place in tick.store.steady_changed_since(mark) {
        tick.scratch.record_mut(tick.store, place.layer_id());
    }
    for slot in begin_passing(tick) {
        budget.spend(execute_chunk(tick, slot));
    }
    end_passing(tick);
    tick.store.return_steady(mark);
    // Flow that has changed in this tick may have nothing left to pass, and still has FlowOut.
    for place in tick.store.steady_changed_since(0) {
        budget.spend(1);
        let voxel = tick.store.read(place);
        if !tick.store.steady(place).is_none() && !voxel.has(CellFlags::FLOW_OUT) {
            tick.put_marks(place, voxel.with(CellFlags::FLOW_OUT, true));
        }
    }
    budget.spent() as usize
}
