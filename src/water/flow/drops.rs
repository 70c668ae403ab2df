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

/// Lets the cells of `awake` fall. Returns `false`, and changes nothing, if any of them might do
/// anything else; there must be no runs.
pub(super) fn fall_in_drops(tick: &mut Tick, layer: LayerId, awake: LayerMask) -> bool {
    let mut drops: SmallVec<[Drop; LayerMask::SPARSE]> = SmallVec::new();
    for cell in awake.iter() {
        match drop_of(tick, Place::in_layer(layer, cell)) {
            Ok(drop) => drops.extend(drop),
            Err(NotADrop) => return false,
        }
    }
    tick.report.visited += u64::from(awake.count());
    drops.iter().for_each(|drop| fall(tick, drop));
    true
}

/// A cell might do something else than fall.
struct NotADrop;

/// Returns the fall of a wet cell; `None` if it stays as it is.
#[inline]
fn drop_of(tick: &Tick, place: Place) -> Result<Option<Drop>, NotADrop> {
    let voxel = tick.store.read(place);
    let left = tick.limits.left(voxel, tick.scratch.passed(place));
    let units = voxel.loose().min(left);
    if units == 0 {
        return Ok(None);
    }
    let floor = tick.store.floor(place);
    if floor.is_closed() {
        let spreads = voxel.loose() >= lowest_beside(tick, place);
        return if spreads { Err(NotADrop) } else { Ok(None) };
    }
    // Water that came from the side may shoot out over a ledge.
    let is_plain = !voxel.is_connected()
        && !floor.is_mark()
        && floor.room() >= units
        && !voxel.direction().is_some_and(Face::is_lateral);
    // Water beside the cell in other chunks flows with its own layer.
    if !is_plain || tick.store.layer(place.layer_id()).wet.has_beside(place.cell()) {
        return Err(NotADrop);
    }
    let below = tick.store.step(place, Face::Down);
    Ok(Some(Drop { place, voxel, below, units }))
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
