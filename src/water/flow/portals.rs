//! Portals in a tick: what a portal may not pass in it is reserved after steady flow has passed,
//! so that no later phase uses it, and released before the ebb, which reads what cells have passed.
//!
//! An outlet passes steady flow alone: its water stands for that of the first cell beyond, which
//! other water reaches by the rules of the regions. A spring gives what its quota leaves over.

use crate::coords::Face;
use crate::water::flow_record::add_flow;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::Place;

/// Reserves the throughput of portals that the rest of the tick must not use.
pub(crate) fn reserve_portals(tick: &mut Tick) {
    if tick.store.portals().is_empty() || tick.scratch.schedule.members().is_empty() {
        return;
    }
    let places: Vec<Place> = tick.store.portals().keys().copied().collect();
    for place in places {
        let passed = tick.passed(place);
        let left = tick.limits.left(tick.store.read(place), passed);
        let Some(portal) = tick.store.portals_mut().get_mut(&place) else { continue };
        let is_spring = portal.is_spring;
        let free = if is_spring { portal.quota.saturating_sub(portal.passed) } else { 0 };
        let reserved = left.saturating_sub(free);
        portal.reserved = Some((passed, reserved));
        change_passed(tick, place, |flow| add_flow(flow, Face::Up, reserved));
        if is_spring {
            // The levelling of bodies looks only there for what a spring still may give.
            let mut record = tick.scratch.record_mut(tick.store, place.layer_id());
            record.cell(place.cell()).mark(Mark::Touched);
        }
    }
}

/// Releases what was reserved, and counts what springs have given meanwhile.
pub(crate) fn release_portals(tick: &mut Tick) {
    if tick.store.portals().is_empty() {
        return;
    }
    let places: Vec<Place> = tick.store.portals().keys().copied().collect();
    for place in places {
        let passed = tick.passed(place);
        let Some(portal) = tick.store.portals_mut().get_mut(&place) else { continue };
        let Some((before, reserved)) = portal.reserved.take() else { continue };
        let used = passed - before - reserved;
        let is_spring = portal.is_spring;
        if is_spring {
            portal.passed += used;
        }
        let mut units = 0;
        add_flow(&mut units, Face::Up, reserved);
        change_passed(tick, place, |flow| *flow = flow.wrapping_sub(units));
        if is_spring && passed == reserved {
            let mut record = tick.scratch.record_mut(tick.store, place.layer_id());
            record.cell(place.cell()).unmark(Mark::Touched);
        }
    }
}

/// Changes the flow record of a cell.
fn change_passed(tick: &mut Tick, place: Place, change: impl FnOnce(&mut u16)) {
    let layer = place.layer_id();
    let mut work = tick.scratch.record_mut(tick.store, layer);
    let mut flow = work.read().flow(place.cell());
    change(&mut flow);
    work.cell(place.cell()).set_flow(flow);
}
