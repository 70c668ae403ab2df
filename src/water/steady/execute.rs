//! Lets the steady flow of a tick pass: each cell passes on its units, springs give, drains take.
//! No height changes by that.

use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::store::steady::FaceFlows;
use crate::water::store::{LAYER_ROWS, Place};

impl Context<'_> {
    /// Lets the units of a chunk's cells flow.
    pub(super) fn execute_chunk(&mut self, slot: Slot, budget: &mut Budget) {
        for layer in 0..16 {
            let Some(flows) = self.store.steady_layer(slot, layer) else { continue };
            let cells = flows.cells();
            budget.spend(LAYER_ROWS.max(cells.count() as usize));
            for cell in cells.iter() {
                let place = Place::in_layer(slot, layer, cell);
                self.execute_cell(place, self.store.steady(place));
            }
            let work = self.work.join(self.store, slot, layer);
            work.marked |= cells;
            work.woken |= cells;
            self.store.wake_layer(slot, layer, cells);
        }
    }

    /// Lets the units of a cell flow, and marks it with FlowOut.
    fn execute_cell(&mut self, place: Place, flows: FaceFlows) {
        let voxel = self.store.read(place);
        if !voxel.has(CellFlags::FLOW_OUT) {
            self.put_marks(place, voxel.with(CellFlags::FLOW_OUT, true));
        }
        let work = self.work.join(self.store, place.slot, place.layer());
        flows.iter().for_each(|(face, units)| work.pass_on(place.cell(), face, units));
        self.report.moved += u64::from(flows.through());
        if voxel.is_source() {
            let given = flows.through() - self.store.steady_inflow(place);
            self.ledger.injected += u64::from(given);
        }
        if let Some(exit) = self.store.exit_of(place) {
            self.ledger.drained += u64::from(flows.across(exit));
        }
    }

    /// Lets the steady flow pass that is left over by what has flowed in this tick: each cell passes
    /// on what it still may. The flow itself stands as it was.
    pub(crate) fn execute_last(&mut self) {
        let mark = self.store.steady_mark();
        self.is_yielding = true;
        let slots: Vec<Slot> = self.store.steady_slots().collect();
        let mut open = Vec::new();
        for &slot in &slots {
            let list = self.store.steady_list(slot).into_iter();
            let places = list.map(|(index, _)| Place::new(slot, usize::from(index)));
            open.extend(places.filter(|&place| self.work.passed(place) > 0));
        }
        self.balance_steady(&mut open, &mut Budget::new(usize::MAX));
        self.is_yielding = false;
        // The chunks in which no flow is left keep their place in the list.
        for &slot in &slots {
            self.execute_chunk(slot, &mut Budget::new(usize::MAX));
        }
        self.store.return_steady(mark);
    }
}
