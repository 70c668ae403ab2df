//! Runs within a tick: how a steady fall passes on its water without visits to its cells, and the
//! state of a cell that leaves its run in the middle of the flow.
//!
//! A fall is steady if each of its cells is full, empties into the one below, and is refilled from
//! above when the turn of that layer comes. Cell by cell, the turn of each layer would move seven
//! units by one cell. In a run, only its ends do: the lowest cell refills the cell below the run
//! ([`pass_runs`](Context::pass_runs)), and water that falls on its highest cell finds it empty.
//! The state of a cell in between follows from the layer whose turn it is: [`Turn`].

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::WaterWorld;
use crate::water::cell::FULL;
use crate::water::context::Tick;
use crate::water::context::layers::TickScratch;
use crate::water::context::schedule::Phase;
use crate::water::flow_record::{NO_FLOW, add_flow};
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// How far a cell in a run has come in the flow of a tick.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Its turn is still to come: it is full.
    Ahead,
    /// It has passed on its water, and the turn of the cell above is still to come: it is empty.
    Emptied,
    /// It is full again.
    Done,
}

impl Tick<'_> {
    /// Takes a cell out of its run, if it is in one.
    #[inline]
    pub(crate) fn leave_run(&mut self, place: Place) {
        if self.store.is_in_run(place) {
            self.leave_run_in(place, self.scratch.turn_of(self.store, place));
        }
    }

    #[cold]
    fn leave_run_in(&mut self, place: Place, turn: Turn) {
        let (layer, cell) = (place.layer_id(), place.cell());
        self.store.take_out_of_run(place, true);
        if turn != Turn::Ahead {
            let work = self.scratch.record_mut(self.store, layer);
            work.pass_on(cell, Face::Down, FULL);
            work.marks_mut().fallen.insert(cell);
            if self.scratch.phase == Phase::Flow {
                self.report.visited += 1;
                self.report.moved += u64::from(FULL);
            }
        }
        match turn {
            Turn::Ahead => _ = self.scratch.record_mut(self.store, layer),
            Turn::Emptied => {
                let voxel = self.store.read(place);
                self.scratch.record_mut(self.store, layer).save_cell(self.store, layer, cell);
                self.store.write(place, voxel.with_height(0));
            }
            Turn::Done => self.scratch.record_mut(self.store, layer).enter_cell(Face::Up, cell),
        }
        self.store.set_awake(place);
        let above = self.store.step(place, Face::Up);
        if self.store.is_in_run(above) {
            self.scratch.record_mut(self.store, above.layer_id());
            self.store.set_awake(above);
        }
    }

    fn leave_runs(&mut self, layer: LayerId, cells: LayerMask, turn: Option<Turn>) {
        for cell in cells.iter() {
            let place = Place::in_layer(layer, cell);
            let turn = turn.unwrap_or_else(|| self.scratch.turn_of(self.store, place));
            self.leave_run_in(place, turn);
        }
    }

    /// Takes the cells among `cells` of a layer that are in runs out of them.
    pub(crate) fn leave_runs_among(&mut self, layer: LayerId, cells: LayerMask) {
        let cells = cells & self.store.in_runs(layer);
        self.leave_runs(layer, cells, None);
    }

    /// Takes the cells beside `cells` of a layer, which hold water, out of their runs.
    pub(crate) fn leave_runs_beside(&mut self, layer: LayerId, cells: LayerMask) {
        let beside = self.store.in_runs(layer) & cells.spread();
        self.leave_runs(layer, beside, None);
        for (face, cells) in Face::LATERAL.into_iter().zip(cells.leaving()) {
            let there = self.store.neighbour(layer.slot, face);
            if cells.any() && there.is_some() {
                let beside = self.store.in_runs(layer.in_chunk(there)) & cells;
                self.leave_runs(layer.in_chunk(there), beside, None);
            }
        }
    }

    /// Takes the cells among `cells` of a layer that are in runs out of them, in the turn of the
    /// layer and before they have passed on their water.
    pub(super) fn leave_runs_before_turn(&mut self, layer: LayerId, cells: LayerMask) {
        let cells = cells & self.store.in_runs(layer);
        self.leave_runs(layer, cells, Some(Turn::Ahead));
    }

    /// Takes the cells of a layer out of their runs whose water finds no empty cell below.
    pub(super) fn check_runs(&mut self, layer: LayerId) {
        let lowest = self.awake(layer) & self.store.in_runs(layer);
        let fails =
            |&cell: &usize| self.store.floor(Place::in_layer(layer, cell)).height_bits() > 0;
        self.leave_runs_before_turn(layer, lowest.iter().filter(fails).collect());
    }

    /// Lets the lowest cells of runs in a layer refill the cells below them.
    pub(super) fn pass_runs(&mut self, layer: LayerId) {
        let lowest = self.awake(layer) & self.store.in_runs(layer);
        if lowest.any()
            && let Some(layer) = self.store.lower_layer(layer)
        {
            self.write_inflow(layer, Face::Up, lowest, |_, voxel| voxel.with_height(FULL));
        }
    }

    /// Takes cells out of their runs that a window of a layer may reach: cells in the layer, in the
    /// layer below it, and across its borders. Returns whether there were any.
    pub(super) fn clear_runs(&mut self, layer: LayerId) -> bool {
        if !self.store.has_runs() {
            return false;
        }
        let mut cleared = false;
        cleared |= self.store.in_runs(layer).any();
        self.leave_runs_before_turn(layer, LayerMask::ALL);
        if let Some(layer) = self.store.lower_layer(layer) {
            let lower = self.store.in_runs(layer);
            cleared |= lower.any();
            self.leave_runs(layer, lower, Some(Turn::Emptied));
        }
        for (face, cells) in Face::LATERAL.into_iter().zip(LayerMask::ALL.leaving()) {
            let there = self.store.neighbour(layer.slot, face);
            if there.is_some() {
                let beside = self.store.in_runs(layer.in_chunk(there)) & cells;
                cleared |= beside.any();
                self.leave_runs(layer.in_chunk(there), beside, None);
            }
        }
        cleared
    }

    /// Returns the cells of a layer that lie straight above the emptied highest cell of a run.
    pub(super) fn over_runs(&self, layer: LayerId) -> LayerMask {
        if !self.store.has_runs() {
            return LayerMask::NONE;
        }
        let below = self.store.lower_layer(layer);
        below.map_or(LayerMask::NONE, |layer| self.store.in_runs(layer))
    }

    /// Takes the cell below out of its run, as a cell that has emptied.
    pub(super) fn leave_run_below(&mut self, place: Place) {
        let below = self.store.step(place, Face::Down);
        if self.store.is_in_run(below) {
            self.leave_run_in(below, Turn::Emptied);
        }
    }

    /// Ends the flow for the runs: their cells have passed on their water. The highest cell of a
    /// run leaves it if no water has fallen on it.
    pub(crate) fn settle_runs(&mut self) {
        for at in 0..self.store.slots_with_runs().len() {
            let slot = self.store.slots_with_runs()[at];
            let cells = self.store.pass_runs_of(slot) as u64;
            self.report.visited += cells;
            self.report.moved += cells * u64::from(FULL);
            for layer in slot.layers() {
                self.leave_dry_runs(layer);
            }
        }
    }

    fn leave_dry_runs(&mut self, layer: LayerId) {
        let cells = self.store.in_runs(layer);
        if cells.is_empty() {
            return;
        }
        let above = self.store.upper_layer(layer);
        let highest = cells - above.map_or(LayerMask::NONE, |layer| self.store.in_runs(layer));
        let is_dry = |&cell: &usize| {
            let fed = above.map(|layer| Place::in_layer(layer, cell));
            !fed.is_some_and(|above| self.scratch.has_passed_seven_down(above))
        };
        let dry = highest.iter().filter(is_dry).collect();
        self.leave_runs(layer, dry, Some(Turn::Emptied));
    }

    /// Adds cells of a layer that may enter runs to `found`: cells of falls that were full all
    /// through the tick.
    pub(crate) fn note_falls(&self, layer: LayerId, found: &mut Vec<Place>) {
        if self.limits.throughput != FULL {
            return;
        }
        let fallen = self.scratch.get(layer).map_or(LayerMask::NONE, |work| work.marks().fallen);
        let places = fallen.iter().map(|cell| Place::in_layer(layer, cell));
        found.extend(places.filter(|&place| self.store.read(place).is_steady_fall()));
    }

    /// When the tick is complete, lets cells enter runs, and ends the tick for the runs.
    pub(crate) fn end_runs(&mut self, found: Vec<Place>) {
        for place in found {
            if self.may_enter_run(place) {
                self.store.enter_run(place);
            }
        }
        self.store.end_tick_of_runs();
    }

    /// Returns whether a cell has passed on seven units downwards, lies between two cells of that
    /// kind, and has nothing beside it that could ever move by itself.
    fn may_enter_run(&self, place: Place) -> bool {
        let is_alone = |face: Face| {
            let there = self.store.step(place, face);
            let beside = self.store.look(place, face);
            (beside == Voxel::OPEN || beside.is_solid())
                && !(there.is_some() && self.store.fixtures(there.slot).is_some())
        };
        self.scratch.has_passed_seven_down(place)
            && [place, self.store.step(place, Face::Up), self.store.step(place, Face::Down)]
                .into_iter()
                .all(|place| place.is_some() && self.store.read(place).is_steady_fall())
            && self.store.is_awake(place)
            && self.store.fixtures(place.slot).is_none()
            && !self.store.is_frozen(place.slot)
            && !self.store.is_coast(place)
            && Face::LATERAL.into_iter().all(is_alone)
    }
}

impl WaterWorld {
    /// Returns the units that the words of cells in runs hold in excess, in the middle of the flow
    /// of a tick: the units of cells that have emptied and are not full again yet.
    pub(crate) fn units_on_the_way(&self) -> u64 {
        if self.scratch.phase != Phase::Flow {
            return 0;
        }
        let slots = self.store.slots_with_runs().iter();
        let layers = slots.flat_map(|&slot| slot.layers());
        let cells = layers.flat_map(|layer| {
            let cells = self.store.in_runs(layer).iter();
            cells.map(move |cell| Place::in_layer(layer, cell))
        });
        let is_empty = |&place: &Place| self.scratch.turn_of(&self.store, place) == Turn::Emptied;
        cells.filter(is_empty).count() as u64 * u64::from(FULL)
    }
}

impl TickScratch {
    /// Returns whether a cell has passed on seven units in this tick, all of them downwards.
    fn has_passed_seven_down(&self, place: Place) -> bool {
        let record = place.is_some().then(|| self.get(place.layer_id())).flatten();
        record.is_some_and(|work| work.flow(place.cell()) == seven_down())
    }

    fn turn_of(&self, store: &Store, place: Place) -> Turn {
        let is_ahead = |place: Place| self.schedule.is_ahead(store, place.layer_id());
        match self.phase.cmp(&Phase::Flow) {
            core::cmp::Ordering::Less => Turn::Ahead,
            core::cmp::Ordering::Greater => Turn::Done,
            core::cmp::Ordering::Equal if is_ahead(place) => Turn::Ahead,
            core::cmp::Ordering::Equal => {
                let above = store.step(place, Face::Up);
                // A highest cell on which no water has fallen stays empty.
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

/// Returns the voxel below a cell as water falls on it, in the turn of the cell: the highest cell
/// of a run has emptied.
pub(super) fn floor_now(store: &Store, place: Place) -> Voxel {
    let floor = store.floor(place);
    let emptied = store.has_runs() && store.is_in_run(store.step(place, Face::Down));
    if emptied { floor.with_height(0) } else { floor }
}

#[cfg(test)]
mod tests;
