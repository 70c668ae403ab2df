//! A step: the chunks that are awake, each from its own cells and its neighbours' rims, and what it leaves awake.

use super::HumidityWorld;
use super::mean::Mean;
use super::rules::{Rules, Sweep};
use super::seep::{Flows, Seep};
use super::store::Store;
use crate::automata::front;
use crate::automata::rows::FieldShape;
use crate::automaton::StepReport;
use crate::chunk::{CellMask, Chunk};
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;

/// The sweep's arithmetic, with what it derives from the ground and its scratch memory.
pub(super) enum Kernel<S: FieldShape> {
    Mean(Mean<S>),
    Seep(Seep<S>),
}

impl<S: FieldShape> Kernel<S> {
    pub(super) fn new(rules: &Rules) -> Self {
        match rules.sweep {
            Sweep::InPlace | Sweep::Synchronous => Kernel::Mean(Mean::new(rules)),
            Sweep::Conservative => Kernel::Seep(Seep::new(rules)),
        }
    }

    /// Drops what was derived from the ground of a chunk and its neighbours.
    pub(super) fn forget(&mut self, slot: Slot) {
        match self {
            Kernel::Mean(mean) => mean.forget(slot),
            Kernel::Seep(seep) => seep.forget(slot),
        }
    }

    pub(super) fn save_rims(&mut self, store: &Store<S>, slots: &[Slot]) {
        match self {
            Kernel::Mean(mean) => mean.save_rims(store, slots),
            Kernel::Seep(seep) => seep.save_rims(store, slots),
        }
    }

    /// Steps the words of a chunk, which are no longer in the store, from the rims that were saved.
    pub(super) fn step_chunk(
        &mut self,
        store: &Store<S>,
        slot: Slot,
        cells: &mut [u32; CHUNK_CELLS],
    ) -> (CellMask, Flows) {
        match (self, store.sweep) {
            (Kernel::Mean(mean), Sweep::InPlace) => (mean.step_chunk::<true>(store, slot, cells), Flows::default()),
            (Kernel::Mean(mean), _) => (mean.step_chunk::<false>(store, slot, cells), Flows::default()),
            (Kernel::Seep(seep), _) => seep.step_chunk(store, slot, cells),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Kernel::Mean(mean) => mean.memory_bytes(),
            Kernel::Seep(seep) => seep.memory_bytes(),
        }
    }
}

impl<S: FieldShape> HumidityWorld<S> {
    /// Runs one step. `visited` counts every cell of the chunks that are awake; `moved` units of 1/65,536 in the conservative
    /// sweep, and nothing in the others.
    pub fn step(&mut self) -> StepReport {
        self.ticks += 1;
        match self.rules.sweep {
            Sweep::InPlace => self.step_in_order(),
            Sweep::Synchronous | Sweep::Conservative => self.step_at_once(),
        }
    }

    /// Runs `steps` steps. The same bytes as that many calls of [`step`](HumidityWorld::step).
    pub fn run(&mut self, steps: u64) -> StepReport {
        let mut report = StepReport::default();
        for _ in 0..steps {
            report += self.step();
        }
        report
    }

    /// Every chunk that is awake, from the state before the step.
    fn step_at_once(&mut self) -> StepReport {
        let slots = self.store.moisture.awake_slots().to_vec();
        self.kernel.save_rims(&self.store, &slots);
        let mut report = StepReport::default();
        let mut flowing = Vec::new();
        let mut stepped = core::mem::take(&mut self.stepped);
        for &slot in &slots {
            let (changed, flows) = self.step_chunk(slot, &mut report);
            if (flows.rained, flows.runoff, flows.drained) != (0, 0, 0) {
                flowing.push(slot);
            }
            stepped.push((slot, changed));
        }
        front::advance(&mut self.store.moisture, &stepped);
        stepped.clear();
        self.stepped = stepped;
        // What rain gives and the cap and the borders take is entered anew in each step, even if no cell changes.
        for slot in flowing {
            self.store.moisture.wake_chunk_at(slot);
        }
        self.forget_sleepers(&slots);
        report
    }

    /// Chunk by chunk in order of position, so that each comes after its neighbours at smaller coordinates. A chunk that
    /// changes wakes its neighbours: those still to come for this step, the others for the next.
    fn step_in_order(&mut self) -> StepReport {
        let mut report = StepReport::default();
        if self.is_at_rest() {
            return report;
        }
        let slots = self.store.moisture.sorted_slots();
        for &slot in &slots {
            if self.store.moisture.awake_at(slot).is_none_or(CellMask::is_empty) {
                continue;
            }
            self.store.moisture.sleep_chunk_at(slot);
            self.kernel.save_rims(&self.store, &[slot]);
            let (changed, _) = self.step_chunk(slot, &mut report);
            if !changed.is_empty() {
                self.store.moisture.mark_changes_at(slot, &changed);
                self.store.moisture.wake_chunk_at(slot);
                front::wake_touched(&mut self.store.moisture, slot, &changed).for_each(drop);
            }
        }
        self.store.moisture.drop_sleepers();
        self.forget_sleepers(&slots);
        report
    }

    fn step_chunk(&mut self, slot: Slot, report: &mut StepReport) -> (CellMask, Flows) {
        let chunk = self.store.moisture.chunk_at_mut(slot);
        let mut moisture = core::mem::replace(chunk, Chunk::uniform(0));
        let (changed, flows) = self.kernel.step_chunk(&self.store, slot, moisture.cells_mut());
        moisture.canonicalize();
        *self.store.moisture.chunk_at_mut(slot) = moisture;

        report.visited += CHUNK_CELLS as u64;
        report.changed += changed.len() as u64;
        report.moved += flows.moved;
        self.ledger.rained += i128::from(flows.rained);
        self.ledger.runoff += u128::from(flows.runoff);
        self.ledger.drained += u128::from(flows.drained);
        (changed, flows)
    }

    /// A chunk that sleeps keeps nothing but its cells.
    fn forget_sleepers(&mut self, slots: &[Slot]) {
        for &slot in slots {
            if self.store.moisture.awake_at(slot).is_none() {
                self.kernel.forget(slot);
            }
        }
    }
}
