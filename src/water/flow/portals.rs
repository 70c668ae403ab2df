//! Portals in a tick. Once steady flow has passed, the throughput that a portal may not use in this
//! tick is reserved, so that no later phase uses it. It is released before Ebb, which reads what
//! cells have passed.
//!
//! A portal that is an outlet passes steady flow alone: its water stands for that of the first cell
//! beyond the face, which all other water reaches by the rules of the regions. A portal that is a
//! spring gives what steady flow has left of its quota.

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
            // Only for cells with this mark does the levelling of bodies read what a spring may
            // still give.
            let mut record = tick.scratch.record_mut(tick.store, place.layer_id());
            record.cell(place.cell()).mark(Mark::Touched);
        }
    }
}

/// Releases the reserved throughput, and counts the units that springs have given since.
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
        if is_spring && used == 0 {
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
