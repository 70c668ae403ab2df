//! Which chunks are parked: those in which nothing happens except that steady flow passes.
//!
//! A tick tells. Where nothing but steady flow has moved in it, no cell has changed, and none was
//! woken from outside, the next tick would find what this one found (a fixed point). This holds for
//! ticks in which the flow yields, and for other ticks: in the first, water moves before the steady
//! flow passes. So a chunk that was quiet in a tick of the second kind is parked until the flow
//! yields; a chunk that was quiet while the flow yielded is parked until something wakes it.
//!
//! Bodies may cross the border of a parked chunk. They are levelled from awake cells: if the flow
//! does not yield, from cells that it does not pass, of which a parked chunk has none; if it
//! yields, from any. A body all of whose awake cells lie in parked chunks is as it was in the tick
//! that told, in which it could not be levelled.

use crate::chunk::LayerMask;
use crate::grid::{LayerId, Slot};
use crate::water::context::Tick;
use crate::water::context::chunk_record::Mark;
use crate::water::context::parked::{Turnover, settle_parked};
use crate::water::draw::thirsty;
use crate::water::steady::network::steady_inflow;
use crate::water::steady::yields;
use crate::water::store::{Place, fixtures};
use crate::water::voxel::Voxel;

/// Parks the chunks of a tick in which nothing but steady flow has moved.
pub(crate) fn park_quiet(tick: &mut Tick) {
    #[cfg(test)]
    if tick.store.parking_is_forbidden {
        return;
    }
    settle_parked(tick.store, tick.scratch);
    let members = tick.scratch.schedule.members().iter().copied();
    let quiet = members.filter(|&slot| is_quiet(tick, slot));
    let chunks: Vec<(Slot, Turnover)> = quiet.map(|slot| (slot, turnover(tick, slot))).collect();
    tick.store.grid_mut().park(chunks.iter().map(|&(slot, _)| slot));
    tick.scratch.park(&chunks, yields(tick));
}

/// Returns whether nothing but steady flow has moved in a chunk, and nothing else can.
fn is_quiet(tick: &Tick, slot: Slot) -> bool {
    let store = &*tick.store;
    // Fixtures and the sea act by themselves.
    let is_plain = fixtures::fixtures(store, slot).is_none()
        && store.coast(slot).is_none()
        && !store.has_runs_in(slot);
    is_plain
        && store.grid().awake_at(slot).is_some()
        && !store.is_frozen(slot)
        && slot.layers().any(|layer| store.steady_layer(layer).is_some())
        && slot.layers().all(|layer| is_quiet_layer(tick, layer))
        && tick.scratch.of_chunk(slot).is_some_and(|record| !record.has_changes(store, slot))
}

fn is_quiet_layer(tick: &Tick, layer: LayerId) -> bool {
    let store = &*tick.store;
    let table = store.steady_layer(layer);
    let flow = table.map_or(LayerMask::NONE, |table| table.cells());
    let Some(record) = tick.scratch.get(layer) else {
        return flow.is_empty() && tick.awake(layer).is_empty();
    };
    // Other water may have passed a cell and left it as it was.
    let passes_all =
        |cell: usize| table.is_some_and(|table| record.flow(cell) == table.records()[cell]);
    // Ends search for more flow.
    let ends = store.outlets(layer.slot).map_or(LayerMask::NONE, |ends| ends.layer(layer.y));
    tick.awake(layer) == flow
        && record.marked(Mark::Touched) == flow
        && record.marked(Mark::Steady) == flow
        && thirsty(tick, layer).is_empty()
        && record.marked(Mark::Woken).is_empty()
        && (ends & store.connected(layer)).is_empty()
        && store.select(layer, Voxel::is_active) == flow
        && flow.iter().all(passes_all)
}

/// Returns what the steady flow of a chunk without ends moves in a tick.
fn turnover(tick: &Tick, slot: Slot) -> Turnover {
    let mut sum = Turnover::default();
    for layer in slot.layers() {
        let Some(flow) = tick.store.steady_layer(layer) else { continue };
        sum.moved += u64::from(flow.through());
        for cell in (flow.cells() & tick.store.springs(layer)).iter() {
            let place = Place::in_layer(layer, cell);
            let given = flow.flows(cell).through() - steady_inflow(tick.store, place);
            sum.injected += u64::from(given);
        }
    }
    sum
}

#[cfg(test)]
mod tests;
