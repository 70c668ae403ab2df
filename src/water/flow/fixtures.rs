//! The fixtures of a layer act before its water flows: drains take, taps add. `has_work` in
//! `store/fixtures` decides which cells stay awake for fixtures; valves act before all layers, in
//! `valves.rs`.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::fixture::Fixture;
use crate::water::flow::fill;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::fixtures::{fixtures_in, has_work};
use crate::water::store::{Place, fixtures};
use smallvec::SmallVec;

/// Makes the drains and taps in awake cells of a layer act.
#[inline]
pub(super) fn run_fixtures(tick: &mut Tick, layer: LayerId) {
    if fixtures::fixtures(tick.store, layer.slot).is_some() {
        run_all_fixtures(tick, layer);
    }
}

fn run_all_fixtures(tick: &mut Tick, layer: LayerId) {
    let awake = tick.awake(layer);
    let acts = |&(cell, _): &(usize, Fixture)| {
        awake.contains(cell) && has_work(tick.store, Place::in_layer(layer, cell))
    };
    let here: SmallVec<[(usize, Fixture); 8]> =
        fixtures_in(tick.store, layer).filter(acts).collect();
    for (cell, fixture) in here {
        match fixture {
            Fixture::Drain(rate) => drain(tick, Place::in_layer(layer, cell), rate),
            Fixture::Valve { .. } => {}
            Fixture::Tap(rate) => {
                tick.ledger.injected += fill(tick, layer, LayerMask::single(cell), rate);
            }
        }
    }
}

/// Takes up to `rate` units out of a cell. They count as passed on through its floor.
fn drain(tick: &mut Tick, place: Place, rate: u8) {
    let (layer, cell) = (place.layer_id(), place.cell());
    let voxel = tick.store.read(place);
    let units =
        rate.min(voxel.height()).min(tick.limits.left(voxel, tick.scratch.passed_by_record(place)));
    if units == 0 {
        return;
    }
    tick.put(place, voxel.with_height(voxel.height() - units));
    tick.pass_on(place, Face::Down, units);
    tick.scratch.record_mut(tick.store, layer).cell(cell).mark(Mark::Touched);
    tick.ledger.drained += u64::from(units);
    tick.wake_givers(layer, LayerMask::single(cell));
}
