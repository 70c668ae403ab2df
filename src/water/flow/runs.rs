//! Runs within a tick: how a steady fall passes on its water without visits to its cells, and which
//! cells enter runs. How a cell leaves its run is in `scratch/runs.rs`.
//!
//! A fall is steady if each of its cells is full, empties into the cell below, and is refilled at
//! the turn of the layer above. Visited cell by cell, each layer would move seven units by one cell
//! at its turn. In a run, only the ends act: the lowest cell refills the cell below the run
//! ([`pass_runs`]), and water that falls on the highest cell finds it empty. The state of a cell in
//! between follows from the layer whose turn it is: [`Turn`].

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::WaterWorld;
use crate::water::cell::FULL;
use crate::water::flow::write_inflow;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::scratch::runs::{Turn, leave_run_in, leave_runs};
use crate::water::scratch::schedule::Phase;
use crate::water::store::{Place, Store, fixtures};
use crate::water::voxel::Voxel;

/// Takes all cells in runs among `cells` of a layer out of their runs, at the turn of the layer and
/// before the cells have passed on their water.
pub(super) fn leave_runs_before_turn(tick: &mut Tick, layer: LayerId, cells: LayerMask) {
    let cells = cells & tick.store.in_runs(layer);
    leave_runs(tick, layer, cells, Some(Turn::Ahead));
}

/// Takes cells of a layer out of their runs if their water finds no empty cell below.
pub(super) fn check_runs(tick: &mut Tick, layer: LayerId) {
    let lowest = tick.awake(layer) & tick.store.in_runs(layer);
    let fails = |&cell: &usize| tick.store.floor(Place::in_layer(layer, cell)).height_bits() > 0;
    leave_runs_before_turn(tick, layer, lowest.iter().filter(fails).collect());
}

/// Refills the cells below the lowest cells of runs in a layer.
pub(super) fn pass_runs(tick: &mut Tick, layer: LayerId) {
    let lowest = tick.awake(layer) & tick.store.in_runs(layer);
    if lowest.any()
        && let Some(layer) = tick.store.lower_layer(layer)
    {
        write_inflow(tick, layer, Face::Up, lowest, |_, voxel| voxel.with_height(FULL));
    }
}

/// Takes the cells that a window of a layer may reach out of their runs: cells in the layer, in the
/// layer below it, and across its borders. Returns whether any cell was in a run.
pub(super) fn clear_runs(tick: &mut Tick, layer: LayerId) -> bool {
    if !tick.store.has_runs() {
        return false;
    }
    let mut cleared = false;
    cleared |= tick.store.in_runs(layer).any();
    leave_runs_before_turn(tick, layer, LayerMask::ALL);
    if let Some(layer) = tick.store.lower_layer(layer) {
        let lower = tick.store.in_runs(layer);
        cleared |= lower.any();
        leave_runs(tick, layer, lower, Some(Turn::Emptied));
    }
    for (face, cells) in Face::LATERAL.into_iter().zip(LayerMask::ALL.leaving()) {
        let there = tick.store.neighbour(layer.slot, face);
        if there.is_some() {
            let beside = tick.store.in_runs(layer.in_chunk(there)) & cells;
            cleared |= beside.any();
            leave_runs(tick, layer.in_chunk(there), beside, None);
        }
    }
    cleared
}

/// Returns the cells of a layer that are directly above a cell in a run. For a cell that is in no
/// run itself, the cell below is the emptied highest cell of a run.
pub(super) fn over_runs(tick: &Tick, layer: LayerId) -> LayerMask {
    if !tick.store.has_runs() {
        return LayerMask::NONE;
    }
    let below = tick.store.lower_layer(layer);
    below.map_or(LayerMask::NONE, |layer| tick.store.in_runs(layer))
}

/// Takes the cell below `place` out of its run, if it is in one, as a cell that has emptied.
pub(super) fn leave_run_below(tick: &mut Tick, place: Place) {
    let below = tick.store.step(place, Face::Down);
    if tick.store.is_in_run(below) {
        leave_run_in(tick, below, Turn::Emptied);
    }
}

/// Ends the flow for the runs: their cells have passed on their water. The highest cell of a run
/// leaves the run unless seven units have fallen on it.
pub(crate) fn settle_runs(tick: &mut Tick) {
    for at in 0..tick.store.slots_with_runs().len() {
        let slot = tick.store.slots_with_runs()[at];
        let cells = tick.store.pass_runs_of(slot) as u64;
        tick.report.visited += cells;
        tick.report.moved += cells * u64::from(FULL);
        for (layer, highest) in tick.store.highest_in_runs(slot) {
            leave_dry_runs(tick, layer, highest);
        }
    }
}

/// Takes the dry cells among `highest`, the highest cells of runs in a layer, out of their runs.
fn leave_dry_runs(tick: &mut Tick, layer: LayerId, highest: LayerMask) {
    let above = tick.store.upper_layer(layer);
    let is_dry = |&cell: &usize| {
        let fed = above.map(|layer| Place::in_layer(layer, cell));
        !fed.is_some_and(|above| tick.scratch.has_passed_seven_down(above))
    };
    let dry = highest.iter().filter(is_dry).collect();
    leave_runs(tick, layer, dry, Some(Turn::Emptied));
}

/// Adds cells of a layer that may enter runs to `found`: cells of steady falls that have passed
/// water down in this tick.
pub(crate) fn note_falls(tick: &Tick, layer: LayerId, found: &mut Vec<Place>) {
    if tick.limits.throughput != FULL {
        return;
    }
    let fallen = tick.scratch.get(layer).map_or(LayerMask::NONE, |work| work.marked(Mark::Fallen));
    let places = fallen.iter().map(|cell| Place::in_layer(layer, cell));
    found.extend(places.filter(|&place| tick.store.read(place).is_steady_fall()));
}

/// Puts the cells of `found` that may enter runs into runs, and ends the tick for the runs. The
/// tick must be complete otherwise.
pub(crate) fn end_runs(tick: &mut Tick, found: Vec<Place>) {
    for place in found {
        if may_enter_run(tick, place) {
            tick.store.enter_run(place);
        }
    }
    tick.store.end_tick_of_runs();
}

/// Returns whether a cell may enter a run: it is awake, has passed on seven units downwards, and
/// lies between two cells of steady falls. The cells beside it must be dry or solid. The cell must
/// not be a cell of the coast, in a frozen chunk, or in or beside a chunk with fixtures.
fn may_enter_run(tick: &Tick, place: Place) -> bool {
    let is_alone = |face: Face| {
        let there = tick.store.step(place, face);
        let beside = tick.store.look(place, face);
        (beside == Voxel::OPEN || beside.is_solid())
            && !(there.is_some() && fixtures::fixtures(tick.store, there.slot).is_some())
    };
    tick.scratch.has_passed_seven_down(place)
        && [place, tick.store.step(place, Face::Up), tick.store.step(place, Face::Down)]
            .into_iter()
            .all(|place| place.is_some() && tick.store.read(place).is_steady_fall())
        && tick.store.is_awake(place)
        && fixtures::fixtures(tick.store, place.slot).is_none()
        && !tick.store.is_frozen(place.slot)
        && !tick.store.is_coast(place)
        && Face::LATERAL.into_iter().all(is_alone)
}

/// Returns the units that the words of cells in runs hold in excess, in the middle of the flow of a
/// tick: the units of cells that have emptied and are not full again yet.
pub(crate) fn units_on_the_way(world: &WaterWorld) -> u64 {
    if world.scratch.phase != Phase::Flow {
        return 0;
    }
    let slots = world.store.slots_with_runs().iter();
    let layers = slots.flat_map(|&slot| slot.layers());
    let cells = layers.flat_map(|layer| {
        let cells = world.store.in_runs(layer).iter();
        cells.map(move |cell| Place::in_layer(layer, cell))
    });
    let is_empty = |&place: &Place| world.scratch.turn_of(&world.store, place) == Turn::Emptied;
    cells.filter(is_empty).count() as u64 * u64::from(FULL)
}

/// Returns the voxel below a cell as water finds it at the turn of the cell. A cell below that is
/// in a run has emptied.
pub(super) fn floor_now(store: &Store, place: Place) -> Voxel {
    let floor = store.floor(place);
    let emptied = store.has_runs() && store.is_in_run(store.step(place, Face::Down));
    if emptied { floor.with_height(0) } else { floor }
}

#[cfg(test)]
mod tests;
