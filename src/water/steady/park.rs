//! Which chunks are parked: those in which nothing happens except that steady flow passes.
//!
//! This is told by a tick in which the flow has not yielded. Where nothing but steady flow has
//! moved in it, no cell has changed, and none was woken from outside, the next such tick would find
//! what this one found. Bodies are levelled only from cells that steady flow does not pass.

use crate::chunk::LayerMask;
use crate::grid::{LayerId, Slot};
use crate::water::context::Tick;
use crate::water::context::chunk_record::Mark;
use crate::water::context::parked::Turnover;
use crate::water::steady::network::steady_inflow;
use crate::water::store::{Place, fixtures};
use crate::water::voxel::Voxel;

/// Parks the chunks of a tick in which nothing but steady flow has moved, and will move until
/// something around them changes or the flow yields. It has not yielded in this tick.
pub(crate) fn park_quiet(tick: &mut Tick) {
    #[cfg(test)]
    if tick.store.parking_is_forbidden {
        return;
    }
    let members = tick.scratch.schedule.members().iter().copied();
    let quiet = members.filter(|&slot| is_quiet(tick, slot));
    let chunks: Vec<(Slot, Turnover)> = quiet.map(|slot| (slot, turnover(tick, slot))).collect();
    for &(slot, _) in &chunks {
        tick.store.grid_mut().park(slot);
    }
    tick.scratch.park(&chunks);
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
        && record.marked(Mark::Waiting).is_empty()
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
