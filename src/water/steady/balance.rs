//! Steady flow that is no longer valid is taken back: flow across faces that do not carry it any
//! more, flow above what a cell lets through, and flow of cells that pass on another amount than
//! they receive. A worklist algorithm: each step takes units off a face, so it ends, and the rest
//! is a flow again.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::context::Tick;
use crate::water::context::budget::Budget;
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

impl Store {
    /// Adds the faces in a layer with steady flow that they do not carry any more.
    pub(super) fn find_broken(&self, layer: LayerId, broken: &mut Vec<(Place, Face)>) {
        let Some(flows) = self.steady_layer(layer) else { return };
        let suspects = self.suspects(layer, &flows.out);
        for face in Face::ALL {
            for cell in suspects[face.index()].iter() {
                let place = Place::in_layer(layer, cell);
                let holds = self.carries(place, face, self.step(place, face))
                    || self.drains_across(place, face);
                if !holds {
                    broken.push((place, face));
                }
            }
        }
    }

    /// Returns whether steady flow leaves the world across a face of a cell.
    pub(super) fn drains_across(&self, place: Place, face: Face) -> bool {
        let voxel = self.read(place);
        self.look(place, face) == Voxel::DRAIN
            && voxel.is_connected()
            && (face != Face::Up || voxel.is_closed())
    }

    /// Returns, for each face, the cells whose flow across it may be invalid, by bit masks: cells
    /// that are not like a river, which is full on full ground and connected.
    fn suspects(&self, layer: LayerId, out: &[LayerMask; 6]) -> [LayerMask; 6] {
        let river = |layer: LayerId| {
            let LayerState { wet, .. } = self.layer(layer);
            self.connected(layer) & wet & self.grounded(layer)
        };
        let own = river(layer);
        let beside = Face::LATERAL.map(|face| match self.neighbour(layer.slot, face) {
            there if there.is_some() => river(layer.in_chunk(there)),
            _ => LayerMask::NONE,
        });
        let across = own.shifted(&beside);
        let mut suspects = *out;
        for (side, face) in Face::LATERAL.into_iter().enumerate() {
            suspects[face.index()] -= own & across[side];
        }
        suspects
    }

    /// Returns the cells of a layer out of which no water falls.
    fn grounded(&self, layer: LayerId) -> LayerMask {
        match self.lower_layer(layer) {
            Some(layer) => self.layer(layer).closed - self.sea(layer),
            None => LayerMask::all_if(self.beyond(layer.slot, Face::Down, layer.y).is_closed()),
        }
    }
}

impl Tick<'_> {
    /// Takes back the flow across a face, and adds the cells on both sides to the cells to be
    /// balanced.
    pub(super) fn cut_steady(&mut self, (place, face): (Place, Face), repair: &mut Repair) {
        let flows = self.store.steady(place);
        if flows.across(face) > 0 {
            self.take_off(place, face, flows.across(face), repair);
            repair.open.push(place);
        }
    }

    /// Balances cells until the budget is spent: each passes on exactly the units that it receives
    /// or supplies, and no more than it lets through.
    pub(super) fn balance_steady(&mut self, repair: &mut Repair, budget: &mut Budget) {
        while !budget.is_spent()
            && let Some(place) = repair.open.pop()
        {
            budget.spend(1);
            self.balance_cell(place, repair);
        }
    }

    fn balance_cell(&mut self, place: Place, repair: &mut Repair) {
        // Draining flow may end in a mark of the world's end.
        if self.store.read(place) == Voxel::DRAIN {
            return;
        }
        let through = self.store.steady(place).through();
        let most = self.steady_capacity(place);
        if through > most {
            self.lower_outflow(place, through - most, repair);
        }
        let (inflow, through) =
            (self.store.steady_inflow(place), self.store.steady(place).through());
        let supply = self.steady_supply(place);
        if inflow > through {
            self.lower_inflow(place, inflow - through, repair);
        } else if through - inflow > supply {
            self.lower_outflow(place, through - inflow - supply, repair);
        }
    }

    /// Takes units off the flow that leaves a cell.
    fn lower_outflow(&mut self, place: Place, mut units: u8, repair: &mut Repair) {
        for (face, across) in self.store.steady(place).iter() {
            let less = across.min(units);
            if less > 0 {
                self.take_off(place, face, less, repair);
            }
            units -= less;
        }
    }

    /// Takes units off the flow that enters a cell.
    fn lower_inflow(&mut self, place: Place, mut units: u8, repair: &mut Repair) {
        for face in Face::ALL {
            let there = self.store.step(place, face);
            if !there.is_some() {
                continue;
            }
            let less = self.store.steady(there).across(face.opposite()).min(units);
            if less > 0 {
                self.store.add_steady(there, face.opposite(), -(less as i8));
                repair.open.push(there);
            }
            units -= less;
        }
    }

    /// Takes units off the flow across a face; the cell beyond it then receives too little.
    fn take_off(&mut self, place: Place, face: Face, units: u8, repair: &mut Repair) {
        self.store.add_steady(place, face, -(units as i8));
        if self.store.drains_across(place, face) {
            repair.deprived.push(place);
        }
        let there = self.store.step(place, face);
        if there.is_some() {
            repair.open.push(there);
        }
    }
}
