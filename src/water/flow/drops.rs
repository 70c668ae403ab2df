//! Layers in which few cells flow: finds the cells that give water, and moves the water of cells
//! that only fall, as drops and rain do. It works cell by cell and has the result that the kernel
//! has for the whole layer.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::flow::kernel::least_height;
use crate::water::flow::thin::{receive, wake_above};
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::Place;
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// A cell from which units fall.
struct Drop {
    place: Place,
    voxel: Voxel,
    below: Place,
    units: u8,
}

/// What a wet cell that gives water does at the turn of its layer.
enum Action {
    Fall(Drop),
    /// The cell may do something other than fall.
    Other,
}

/// Moves the water of `awake` down and returns no cells. If any of the cells might do something
/// other than fall, changes nothing and returns the cells that give water. All of `awake` must be
/// wet, and there must be no runs.
pub(super) fn fall_in_drops(tick: &mut Tick, layer: LayerId, awake: LayerMask) -> LayerMask {
    let mut drops: SmallVec<[Drop; LayerMask::SPARSE]> = SmallVec::new();
    let (mut givers, mut only_falls) = (LayerMask::NONE, true);
    for cell in awake.iter() {
        let place = Place::in_layer(layer, cell);
        let floor = tick.store.floor(place);
        let units = units_to_give(tick, place, floor);
        if units == 0 {
            continue;
        }
        givers.insert(cell);
        match action_of(tick, place, floor, units) {
            Action::Fall(drop) => drops.push(drop),
            Action::Other => only_falls = false,
        }
    }
    if !only_falls {
        return givers;
    }
    drops.iter().for_each(|drop| fall(tick, drop));
    LayerMask::NONE
}

/// Returns the units that a wet cell over `floor` may give, down or else to any of its sides; 0 if
/// it gives none.
#[inline]
pub(super) fn units_to_give(tick: &Tick, place: Place, floor: Voxel) -> u8 {
    let voxel = tick.store.read(place);
    let left = tick.limits.left(voxel, tick.scratch.passed_by_record(place));
    let falls = !floor.is_closed() && tick.limits.may_fall(voxel, floor);
    let gives = || falls || voxel.loose() >= lowest_beside(tick, place);
    let units = voxel.loose().min(left);
    if units > 0 && gives() { units } else { 0 }
}

#[inline]
fn action_of(tick: &Tick, place: Place, floor: Voxel, units: u8) -> Action {
    let voxel = tick.store.read(place);
    // Water that came from the side may shoot out over a ledge.
    let falls = !voxel.is_connected()
        && !floor.is_mark()
        && floor.room() >= units
        && !voxel.direction().is_some_and(Face::is_lateral);
    // Water beside the cell in other chunks flows with its own layer.
    if !falls || tick.store.layer(place.layer_id()).wet.has_beside(place.cell()) {
        return Action::Other;
    }
    let below = tick.store.step(place, Face::Down);
    Action::Fall(Drop { place, voxel, below, units })
}

/// Returns the least height from which water flows into any cell beside `place`.
fn lowest_beside(tick: &Tick, place: Place) -> u8 {
    let closed = tick.store.layer(place.layer_id()).closed;
    let least = |face: Face| {
        let there = tick.store.step(place, face);
        if there.slot == place.slot && closed.contains(there.cell()) {
            return u8::MAX;
        }
        let [beside, below] = tick.store.look_over(place, face);
        least_height(beside.word(), below.word())
    };
    Face::LATERAL.into_iter().map(least).min().unwrap_or(u8::MAX)
}

/// Moves the units of a drop down, and wakes the cells that may now move.
fn fall(tick: &mut Tick, &Drop { place, voxel, below, units }: &Drop) {
    let rest = voxel.height() - units;
    let mut work = tick.scratch.record_mut(tick.store, place.layer_id());
    let mut cell = work.cell_to_change(tick.store, place);
    cell.save(voxel);
    cell.pass_on(Face::Down, units);
    tick.report.moved += u64::from(units);
    tick.store.write(place, voxel.with_height(rest));
    if rest > 0 {
        cell.mark(Mark::Woken);
        tick.store.wake_at(place);
    }
    let floor = tick.store.read(below);
    receive(tick, below, Face::Up, floor.with_height(floor.height() + units));
    wake_above(tick, place);
}
