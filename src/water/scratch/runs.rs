//! How a cell leaves its run in the middle of a tick: the state of the cell follows from how far
//! the flow has come, its [`Turn`]. How runs flow, and which cells enter runs, is in
//! `flow/runs.rs`.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::cell::FULL;
use crate::water::flow_record::{NO_FLOW, add_flow};
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::scratch::layers::TickScratch;
use crate::water::scratch::schedule::Phase;
use crate::water::store::{Place, Store};

/// How far a cell in a run has come in the flow of a tick.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The turn of the cell is still to come: the cell is full.
    Ahead,
    /// The cell has passed on its water, and the turn of the cell above is still to come: the cell
    /// is empty.
    Emptied,
    /// The cell is full again.
    Done,
}

/// Takes a cell out of its run, if it is in one.
#[inline]
pub(crate) fn leave_run(tick: &mut Tick, place: Place) {
    if tick.store.is_in_run(place) {
        leave_run_in(tick, place, tick.scratch.turn_of(tick.store, place));
    }
}

#[cold]
pub(crate) fn leave_run_in(tick: &mut Tick, place: Place, turn: Turn) {
    let (layer, cell) = (place.layer_id(), place.cell());
    tick.store.take_out_of_run(place, true);
    if turn != Turn::Ahead {
        let mut work = tick.scratch.record_mut(tick.store, layer);
        work.cell(cell).pass_on(Face::Down, FULL);
        work.cell(cell).mark(Mark::Fallen);
        if tick.scratch.phase == Phase::Flow {
            tick.report.visited += 1;
            tick.report.moved += u64::from(FULL);
        }
    }
    match turn {
        Turn::Ahead => _ = tick.scratch.record_mut(tick.store, layer),
        Turn::Emptied => {
            let voxel = tick.store.read(place);
            tick.scratch.record_mut(tick.store, layer).save_cell(tick.store, layer, cell);
            tick.store.write(place, voxel.with_height(0));
        }
        Turn::Done => tick.scratch.record_mut(tick.store, layer).cell(cell).record_inflow(Face::Up),
    }
    tick.store.set_awake(place);
    let above = tick.store.step(place, Face::Up);
    if tick.store.is_in_run(above) {
        tick.scratch.record_mut(tick.store, above.layer_id());
        tick.store.set_awake(above);
    }
}

pub(crate) fn leave_runs(tick: &mut Tick, layer: LayerId, cells: LayerMask, turn: Option<Turn>) {
    for cell in cells.iter() {
        let place = Place::in_layer(layer, cell);
        let turn = turn.unwrap_or_else(|| tick.scratch.turn_of(tick.store, place));
        leave_run_in(tick, place, turn);
    }
}

/// Takes all cells in runs among `cells` of a layer out of their runs.
pub(crate) fn leave_runs_among(tick: &mut Tick, layer: LayerId, cells: LayerMask) {
    let cells = cells & tick.store.in_runs(layer);
    leave_runs(tick, layer, cells, None);
}

/// Takes the cells in runs beside `cells` of a layer out of their runs. All of `cells` hold water.
pub(crate) fn leave_runs_beside(tick: &mut Tick, layer: LayerId, cells: LayerMask) {
    let beside = tick.store.in_runs(layer) & cells.spread();
    leave_runs(tick, layer, beside, None);
    for (face, cells) in Face::LATERAL.into_iter().zip(cells.leaving()) {
        let there = tick.store.neighbour(layer.slot, face);
        if cells.any() && there.is_some() {
            let beside = tick.store.in_runs(layer.in_chunk(there)) & cells;
            leave_runs(tick, layer.in_chunk(there), beside, None);
        }
    }
}

impl TickScratch {
    /// Returns whether a cell has passed on seven units in this tick, all of them downwards.
    pub(crate) fn has_passed_seven_down(&self, place: Place) -> bool {
        let record = place.is_some().then(|| self.get(place.layer_id())).flatten();
        record.is_some_and(|work| work.flow(place.cell()) == seven_down())
    }

    pub(crate) fn turn_of(&self, store: &Store, place: Place) -> Turn {
        let is_ahead = |place: Place| self.schedule.is_ahead(store, place.layer_id());
        match self.phase.cmp(&Phase::Flow) {
            core::cmp::Ordering::Less => Turn::Ahead,
            core::cmp::Ordering::Greater => Turn::Done,
            core::cmp::Ordering::Equal if is_ahead(place) => Turn::Ahead,
            core::cmp::Ordering::Equal => {
                let above = store.step(place, Face::Up);
                // The highest cell of a run stays empty if no water has fallen on it.
                let is_fed = store.is_in_run(above) || self.has_passed_seven_down(above);
                let waits = above.is_some() && is_ahead(above);
                if waits || !is_fed { Turn::Emptied } else { Turn::Done }
            }
        }
    }
}

/// Returns the flow record of a cell that has passed on seven units downwards.
fn seven_down() -> u16 {
    let mut flow = NO_FLOW;
    add_flow(&mut flow, Face::Down, FULL);
    flow
}
