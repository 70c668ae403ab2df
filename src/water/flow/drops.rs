//! Layers in which few cells flow, and those only fall: drops, thin falls, rain. Cell by cell, with
//! the result that the kernel has for the whole layer.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::context::Tick;
use crate::water::context::chunk_record::Mark;
use crate::water::flow::lowest_beside;
use crate::water::flow::thin::{receive, wake_above};
use crate::water::store::Place;
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// A cell that lets units fall.
struct Drop {
    place: Place,
    voxel: Voxel,
    below: Place,
    units: u8,
}

/// What a wet cell does in the turn of its layer.
enum Deed {
    Nothing,
    Fall(Drop),
    /// It gives water, and may do something else than fall.
    Give,
}

/// Lets the cells of `awake` fall, all of them wet, and returns no cells. If any of them might do
/// anything else, changes nothing, and returns those that give water. There must be no runs.
pub(super) fn fall_in_drops(tick: &mut Tick, layer: LayerId, awake: LayerMask) -> LayerMask {
    let mut drops: SmallVec<[Drop; LayerMask::SPARSE]> = SmallVec::new();
    let (mut givers, mut fall_only) = (LayerMask::NONE, true);
    for cell in awake.iter() {
        match deed_of(tick, Place::in_layer(layer, cell)) {
            Deed::Nothing => continue,
            Deed::Fall(drop) => drops.push(drop),
            Deed::Give => fall_only = false,
        }
        givers.insert(cell);
    }
    if !fall_only {
        return givers;
    }
    drops.iter().for_each(|drop| fall(tick, drop));
    LayerMask::NONE
}

#[inline]
fn deed_of(tick: &Tick, place: Place) -> Deed {
    let voxel = tick.store.read(place);
    let left = tick.limits.left(voxel, tick.scratch.passed(place));
    let units = voxel.loose().min(left);
    if units == 0 {
        return Deed::Nothing;
    }
    let floor = tick.store.floor(place);
    if floor.is_closed() {
        let spreads = voxel.loose() >= lowest_beside(tick, place);
        return if spreads { Deed::Give } else { Deed::Nothing };
    }
    // Water that came from the side may shoot out over a ledge.
    let is_plain = !voxel.is_connected()
        && !floor.is_mark()
        && floor.room() >= units
        && !voxel.direction().is_some_and(Face::is_lateral);
    // Water beside the cell in other chunks flows with its own layer.
    if !is_plain || tick.store.layer(place.layer_id()).wet.has_beside(place.cell()) {
        return Deed::Give;
    }
    let below = tick.store.step(place, Face::Down);
    Deed::Fall(Drop { place, voxel, below, units })
}

/// Lets units fall, and wakes the cells that may now move.
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
