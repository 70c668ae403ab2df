//! Steady flow that is no longer valid is taken back: flow across faces that do not carry it any
//! more, flow above what a cell lets through, and flow of cells that pass on more or less than they
//! receive. This is a worklist algorithm: each step takes units off a face, so it ends, and what
//! remains is a flow again.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::scratch::Tick;
use crate::water::scratch::budget::Budget;
use crate::water::steady::network::{
    add_steady, carries, steady_capacity, steady_inflow, steady_supply,
};
use crate::water::store::faces::nothing;
use crate::water::store::{LayerState, Place, Store};
use crate::water::voxel::Voxel;

/// The repairs of the steady flow still to be made.
#[derive(Default)]
pub(super) struct Repair {
    /// Cells still to be balanced, as a stack.
    pub(super) open: Vec<Place>,
    /// Ends that have lost flow.
    pub(super) deprived: Vec<Place>,
}

/// Adds to `broken` the faces in a layer that no longer carry the steady flow across them.
pub(super) fn find_broken(store: &Store, layer: LayerId, broken: &mut Vec<(Place, Face)>) {
    let Some(flows) = store.steady_layer(layer) else { return };
    let suspects = suspects(store, layer, &flows.out);
    for face in Face::ALL {
        for cell in suspects[face.index()].iter() {
            let place = Place::in_layer(layer, cell);
            let holds = store.across(place, face).is_some_and(|to| carries(store, place, face, to))
                || drains_across(store, place, face);
            if !holds {
                broken.push((place, face));
            }
        }
    }
}

/// Returns whether steady flow leaves the world across a face of a cell.
pub(super) fn drains_across(store: &Store, place: Place, face: Face) -> bool {
    let voxel = store.read(place);
    store.look(place, face) == Voxel::DRAIN
        && voxel.is_connected()
        && (face != Face::Up || voxel.is_closed())
}

/// Returns, for each face, the cells whose flow across it may be invalid, by bit masks. Lateral
/// flow between two cells of a river is valid: both are connected, wet and without room below.
fn suspects(store: &Store, layer: LayerId, out: &[LayerMask; 6]) -> [LayerMask; 6] {
    let river = |layer: LayerId| {
        let LayerState { wet, .. } = store.layer(layer);
        store.connected(layer) & wet & store.supported(layer)
    };
    let own = river(layer);
    let [across] = store.beside(layer, own, [own], |layer| [river(layer)], nothing);
    let mut suspects = *out;
    for (across, face) in across.into_iter().zip(Face::LATERAL) {
        suspects[face.index()] -= across;
    }
    suspects
}

/// Takes back the flow across a face, and adds the cells on both sides to the cells to be balanced.
pub(super) fn cut_steady(tick: &mut Tick, (place, face): (Place, Face), repair: &mut Repair) {
    let flows = tick.store.steady(place);
    if flows.across(face) > 0 {
        take_off(tick, place, face, flows.across(face), repair);
        repair.open.push(place);
    }
}

/// Balances cells until the budget is spent: each then passes on exactly the units that it receives
/// or supplies, and no more than it lets through.
pub(super) fn balance_steady(tick: &mut Tick, repair: &mut Repair, budget: &mut Budget) {
    while !budget.is_spent()
        && let Some(place) = repair.open.pop()
    {
        budget.spend(1);
        balance_cell(tick, place, repair);
    }
}

fn balance_cell(tick: &mut Tick, place: Place, repair: &mut Repair) {
    // Draining flow may end in a mark beyond the world's edge.
    if tick.store.read(place) == Voxel::DRAIN {
        return;
    }
    let through = tick.store.steady(place).through();
    let most = steady_capacity(tick, place);
    if through > most {
        lower_outflow(tick, place, through - most, repair);
    }
    let (inflow, through) = (steady_inflow(tick.store, place), tick.store.steady(place).through());
    let supply = steady_supply(tick, place);
    if inflow > through {
        lower_inflow(tick, place, inflow - through, repair);
    } else if through - inflow > supply {
        lower_outflow(tick, place, through - inflow - supply, repair);
    }
}

/// Takes units off the flow that leaves a cell.
fn lower_outflow(tick: &mut Tick, place: Place, mut units: u8, repair: &mut Repair) {
    for (face, across) in tick.store.steady(place).iter() {
        let less = across.min(units);
        if less > 0 {
            take_off(tick, place, face, less, repair);
        }
        units -= less;
    }
}

/// Takes units off the flow that enters a cell.
fn lower_inflow(tick: &mut Tick, place: Place, mut units: u8, repair: &mut Repair) {
    for face in Face::ALL {
        let there = tick.store.step(place, face);
        if !there.is_some() {
            continue;
        }
        let less = tick.store.steady(there).across(face.opposite()).min(units);
        if less > 0 {
            add_steady(tick.store, there, face.opposite(), -(less as i8));
            repair.open.push(there);
        }
        units -= less;
    }
}

/// Takes units off the flow across a face; the cell beyond it then receives too little.
fn take_off(tick: &mut Tick, place: Place, face: Face, units: u8, repair: &mut Repair) {
    add_steady(tick.store, place, face, -(units as i8));
    if drains_across(tick.store, place, face) {
        repair.deprived.push(place);
    }
    let there = tick.store.step(place, face);
    if there.is_some() {
        repair.open.push(there);
    }
}
