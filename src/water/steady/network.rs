//! The flow network: which faces steady flow may cross, how much a cell lets through, what a spring
//! supplies, and where the network ends.

use crate::coords::Face;
use crate::water::flow_record::FaceFlows;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::flow::portals::within_quota;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// The faces across which an end drains, in order of preference.
const EXITS: [Face; 6] = [Face::Down, Face::West, Face::East, Face::North, Face::South, Face::Up];

/// Returns whether steady flow may pass from a cell to the cell across a face. Both must be
/// connected to a spring. Downwards, it passes wherever water falls or presses; sideways, over
/// solid ground, over a ledge, and further as a jet; upwards, out of a full cell, under pressure.
pub(crate) fn carries(store: &Store, from: Place, face: Face, to: Place) -> bool {
    let (here, there) = (store.read(from), store.read(to));
    if !here.is_connected() || !there.is_connected() {
        return false;
    }
    match face {
        Face::Down => !jets(store, from, here),
        Face::Up => here.is_closed() && there.is_wet(),
        _ if hangs(store, from) => flies(store, from, here, face) && hangs(store, to),
        _ => here.is_wet() && (there.is_wet() || hangs(store, to)),
    }
}

/// Returns whether water falls out of a cell.
fn hangs(store: &Store, place: Place) -> bool {
    store.floor(place).room() > 0
}

/// Returns whether water in the air passes on sideways instead of falling, as a jet.
fn jets(store: &Store, place: Place, voxel: Voxel) -> bool {
    voxel.direction().filter(|face| face.is_lateral()).is_some_and(|face| {
        let is_ahead = |ahead: Place| store.read(ahead).is_connected() && hangs(store, ahead);
        hangs(store, place)
            && flies(store, place, voxel, face)
            && store.across(place, face).is_some_and(is_ahead)
    })
}

/// Returns whether the water of a cell in the air is a jet that passes on sideways: see `jet` in
/// [`kernel`](crate::water::flow::kernel).
fn flies(store: &Store, place: Place, voxel: Voxel, face: Face) -> bool {
    let is_behind =
        |behind: Place| store.read(behind).direction() == Some(face) && !hangs(store, behind);
    voxel.direction() == Some(face) && store.across(place, face.opposite()).is_some_and(is_behind)
}

/// Returns the face across which steady flow leaves the world at a cell, upwards only out of a full
/// cell; `None` if the cell is no end of the network.
pub(super) fn exit_of(store: &Store, place: Place) -> Option<Face> {
    let is_end = store.outlets(place.slot).is_some_and(|cells| cells.contains(place.index));
    if !is_end {
        return None;
    }
    let is_full = store.read(place).is_closed();
    let may_pass = |face: &Face| *face != Face::Up || is_full;
    let mut exits = EXITS.into_iter().filter(may_pass);
    exits.find(|&face| store.look(place, face) == Voxel::DRAIN)
}

/// Returns the units of steady flow that enter a cell.
pub(super) fn steady_inflow(store: &Store, place: Place) -> u8 {
    let from = |face: Face| {
        let there = store.step(place, face);
        if there.is_some() { store.steady(there).across(face.opposite()) } else { 0 }
    };
    Face::ALL.into_iter().map(from).sum()
}

/// Adds units to the steady flow that leaves a cell across a face, or subtracts them.
pub(super) fn add_steady(store: &mut Store, place: Place, face: Face, units: i8) {
    let flows = store.steady(place);
    let sum = flows.across(face).saturating_add_signed(units);
    store.set_steady(place, flows.with(face, sum));
}

/// Returns the most steady flow that a cell lets through: none if it is not connected, or if the
/// flow yields and a body has been levelled through the cell.
pub(super) fn steady_capacity(tick: &Tick, place: Place) -> u8 {
    let voxel = tick.store.read(place);
    if !voxel.is_connected() || tick.is_yielding && is_levelled(tick, place) {
        return 0;
    }
    let passed = if tick.is_yielding { tick.passed(place) } else { 0 };
    within_quota(tick.store, place, tick.limits.left(voxel, passed), passed)
}

/// Returns whether a body has been levelled through a cell in this tick.
pub(super) fn is_levelled(tick: &Tick, place: Place) -> bool {
    let record = tick.scratch.get(place.layer_id());
    record.is_some_and(|record| record.marked(Mark::Levelled).contains(place.cell()))
}

/// Returns the units that a cell gives to the steady flow besides the units that enter it: 0 except
/// for springs.
pub(super) fn steady_supply(tick: &Tick, place: Place) -> u8 {
    if tick.store.read(place).is_source() { steady_capacity(tick, place) } else { 0 }
}

/// Returns the units that a spring still has for the steady flow.
pub(super) fn unused_supply(tick: &Tick, place: Place, flows: FaceFlows) -> u8 {
    let given = flows.through().saturating_sub(steady_inflow(tick.store, place));
    steady_supply(tick, place).saturating_sub(given)
}
