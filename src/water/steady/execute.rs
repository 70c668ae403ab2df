//! Lets the steady flow of a tick pass: each cell passes on its units, springs give, drains take.
//! No height changes by that.

use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::steady::balance::Repair;
use crate::water::store::steady::FaceFlows;
use crate::water::store::{LAYER_ROWS, Place};
use crate::water::voxel::Voxel;

/// What the steady flow of a tick gets from springs, and what leaves the world.
#[derive(Default)]
pub(super) struct Turnover {
    injected: u64,
    drained: u64,
}

impl Context<'_> {
    /// Lets the units of a chunk's cells flow, and adds what springs give and drains take.
    pub(super) fn execute_chunk(&mut self, slot: Slot, turnover: &mut Turnover) -> usize {
        let mut visited = 0;
        for layer in 0..16 {
            let Some(flows) = self.store.steady_layer(slot, layer) else { continue };
            let cells = flows.cells();
            visited += LAYER_ROWS.max(cells.count() as usize);
            self.leave_runs_among(slot, layer, cells);
            for cell in cells.iter() {
                let place = Place::in_layer(slot, layer, cell);
                self.execute_cell(place, self.store.steady(place), turnover);
            }
            let work = self.work.join(self.store, slot, layer);
            work.marked |= cells;
            work.woken |= cells;
            self.store.wake_layer(slot, layer, cells);
        }
        visited
    }

    /// Enters what springs gave and drains took, which is the same, at once.
    pub(super) fn enter_turnover(&mut self, turnover: &mut Turnover) {
        let Turnover { injected, drained } = core::mem::take(turnover);
        self.ledger.injected += injected;
        self.ledger.drained += drained;
    }

    /// Lets the units of a cell flow, and marks it with FlowOut.
    fn execute_cell(&mut self, place: Place, flows: FaceFlows, turnover: &mut Turnover) {
        let voxel = self.store.read(place);
        if !voxel.has(CellFlags::FLOW_OUT) {
            self.put_marks(place, voxel.with(CellFlags::FLOW_OUT, true));
        }
        let work = self.work.join(self.store, place.slot, place.layer());
        flows.iter().for_each(|(face, units)| work.pass_on(place.cell(), face, units));
        self.report.moved += u64::from(flows.through());
        if voxel.is_source() {
            turnover.injected += u64::from(flows.through() - self.store.steady_inflow(place));
        }
        // A cell that was full when the flow was checked may have room when it yields.
        let drained =
            flows.iter().filter(|&(face, _)| self.store.look(place, face) == Voxel::DRAIN);
        turnover.drained += drained.map(|(_, units)| u64::from(units)).sum::<u64>();
    }

    /// Lets the steady flow pass that is left over by what has flowed in this tick: each cell
    /// passes on what it still may. The flow itself stands as it was. Returns the cells visited.
    pub(crate) fn execute_last(&mut self) -> usize {
        let mark = self.store.steady_mark();
        self.is_yielding = true;
        let slots: Vec<Slot> = self.store.steady_slots().collect();
        let mut repair = Repair::default();
        for &slot in &slots {
            let list = self.store.steady_list(slot).into_iter();
            let places = list.map(|(index, _)| Place::new(slot, usize::from(index)));
            repair.open.extend(places.filter(|&place| self.passed(place) > 0));
        }
        let mut budget = Budget::new(usize::MAX);
        self.balance_steady(&mut repair, &mut budget);
        self.is_yielding = false;
        // The chunks in which no flow is left keep their place in the list.
        let mut turnover = Turnover::default();
        for &slot in &slots {
            budget.spend(self.execute_chunk(slot, &mut turnover));
        }
        self.enter_turnover(&mut turnover);
        self.store.return_steady(mark);
        budget.spent() as usize
    }
}
