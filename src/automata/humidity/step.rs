//! A step: the chunks that are awake, each from its own cells and its neighbours' rims, and what it leaves awake.

use super::HumidityWorld;
use super::mean::{Mean, Squares};
use super::rules::{Rules, Sweep};
use super::seep::{Flows, Seep};
use super::store::Store;
use crate::automata::ahead::{self, Ahead, Future};
use crate::automata::changed::Changes;
use crate::automata::front;
use crate::automata::rims::Rims;
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

    /// Works out what follows from the ground of a chunk, unless that is at hand.
    pub(super) fn prepare(&mut self, store: &Store<S>, slot: Slot) {
        match self {
            Kernel::Mean(mean) => mean.prepare(store, slot),
            Kernel::Seep(seep) => seep.prepare(store, slot),
        }
    }

    /// What is kept of the faces of chunks, which is lost to every change of a chunk that is not a step's.
    pub(super) fn rims_mut(&mut self) -> &mut Rims<u32, S> {
        match self {
            Kernel::Mean(mean) => mean.rims_mut(),
            Kernel::Seep(seep) => seep.rims_mut(),
        }
    }

    /// Saves what is at the faces of these chunks and of their neighbours, as it is now.
    pub(super) fn save_rims(&mut self, store: &Store<S>, slots: &[Slot], ahead: &Ahead<u32, S>) {
        match self {
            Kernel::Mean(mean) => mean.save_rims(store, slots, ahead),
            Kernel::Seep(seep) => seep.save_rims(store, slots),
        }
    }

    /// Steps a chunk that was prepared, whose words are no longer in the store, from the rims that were saved.
    pub(super) fn step_chunk(&self, store: &Store<S>, room: &mut Room<S>, job: &mut Job<S>) {
        match (self, store.sweep) {
            (Kernel::Mean(mean), Sweep::InPlace) => mean.step_chunk::<true>(store, room, job),
            (Kernel::Mean(mean), _) => mean.step_chunk::<false>(store, room, job),
            (Kernel::Seep(seep), _) => seep.step_chunk(store, job),
        }
        job.moisture.canonicalize();
        job.changes.sum_up::<S>();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Kernel::Mean(mean) => mean.memory_bytes(),
            Kernel::Seep(seep) => seep.memory_bytes(),
        }
    }
}

/// What a worker needs to step a chunk.
pub(super) struct Room<S: FieldShape> {
    pub(super) halo: Box<S::Halo<u32>>,
    pub(super) ground: Option<Box<[u32; CHUNK_CELLS]>>,
    squares: Option<Box<Squares>>,
}

impl<S: FieldShape> Room<S> {
    pub(super) fn new() -> Self {
        Room { halo: S::uniform_halo(0), ground: None, squares: None }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<S::Halo<u32>>()
            + self.ground.as_ref().map_or(0, |_| size_of::<[u32; CHUNK_CELLS]>())
            + self.squares.as_ref().map_or(0, |_| size_of::<Squares>())
    }
}

/// A chunk to step, and what came of it: its changed cells, its rims after the step, and what flowed.
pub(super) struct Job<S: FieldShape> {
    pub(super) slot: Slot,
    pub(super) moisture: Chunk<u32>,
    pub(super) changes: Changes,
    pub(super) rims: Box<S::Rims<u32>>,
    pub(super) flows: Flows,
}

impl<S: FieldShape> Job<S> {
    pub(super) fn new(slot: Slot, moisture: Chunk<u32>) -> Self {
        let rims = Box::new(S::uniform_rims(0));
        Job { slot, moisture, changes: Changes::NONE, rims, flows: Flows::default() }
    }
}

impl<S: FieldShape> HumidityWorld<S> {
    /// Runs one step. `visited` counts every cell of the chunks that are awake; `moved` units of 1/65,536 in the conservative
    /// sweep, and nothing in the others.
    pub fn step(&mut self) -> StepReport {
        self.ticks = self.ticks.wrapping_add(1);
        match self.rules.sweep {
            Sweep::InPlace => self.step_in_order(),
            Sweep::Synchronous | Sweep::Conservative => self.step_at_once(),
        }
    }

    /// Runs `steps` steps. The same bytes as that many calls of [`step`](HumidityWorld::step), but in the synchronous sweep on
    /// [`Sheet`](crate::Sheet)s faster in worlds larger than the cache: eight steps at a time are worked out chunk by chunk,
    /// for which the world takes up to twice its memory meanwhile.
    pub fn run(&mut self, steps: u64) -> StepReport {
        let mut report = StepReport::default();
        let mut left = steps;
        while left > 0 {
            if self.is_at_rest() {
                // Nothing changes any more; time still passes.
                self.ticks = self.ticks.wrapping_add(left);
                break;
            }
            let together = if left >= ahead::STEPS as u64 && self.look_ahead() { ahead::STEPS as u64 } else { 1 };
            for _ in 0..together {
                report += self.step();
            }
            self.catch_up();
            left -= together;
        }
        report
    }

    /// Works out the next [`ahead::STEPS`] steps of the chunks around which all are awake. `false` if there are too few.
    fn look_ahead(&mut self) -> bool {
        if self.rules.sweep != Sweep::Synchronous {
            return false;
        }
        let Kernel::Mean(mean) = &mut self.kernel else { return false };
        let awake = self.store.moisture.awake_slots();
        let plain = awake.iter().copied().collect();
        let mut futures = Ahead::plan(&self.store.moisture, &plain, awake.len(), 0);
        if !futures.is_empty() {
            awake.iter().for_each(|&slot| mean.prepare(&self.store, slot));
        }
        let (mean, store) = (&*mean, &self.store);
        self.workers.each(&mut futures, |room, future| {
            let squares = room.squares.get_or_insert_with(|| Box::new([[0; ahead::WIDTH * ahead::WIDTH]; 4]));
            mean.look_ahead(store, future, squares);
        });
        let any = !futures.is_empty();
        self.ahead.begin(futures);
        any
    }

    /// Puts what was worked out in its place, after its last step.
    fn catch_up(&mut self) {
        let futures = self.ahead.take();
        let slots: Vec<Slot> = futures.iter().map(Future::slot).collect();
        for future in futures {
            let moisture = self.store.moisture.chunk_at_mut(future.slot());
            *moisture = future.cells;
            moisture.canonicalize();
        }
        slots.iter().for_each(|&slot| self.kernel.rims_mut().lose(slot));
        self.forget_sleepers(&slots);
    }

    /// Every chunk that is awake, from the state before the step.
    fn step_at_once(&mut self) -> StepReport {
        let mut report = StepReport::default();
        let mut slots = self.store.moisture.awake_slots().to_vec();
        slots.retain(|&slot| match self.ahead.changed(slot) {
            Some(changed) => {
                report.visited += CHUNK_CELLS as u64;
                report.changed += changed.count() as u64;
                self.kernel.rims_mut().lose(slot);
                false
            }
            None => true,
        });
        self.kernel.save_rims(&self.store, &slots, &self.ahead);
        let jobs = self.step_chunks(&slots, &mut report);
        let stepped = jobs.iter().map(|job| (job.slot, &job.changes)).chain(self.ahead.changes());
        front::advance(&mut self.store.moisture, stepped);
        self.ahead.pass();
        // What rain gives and the cap and the borders take is entered anew in each step, even if no cell changes.
        for job in jobs.iter().filter(|job| (job.flows.rained, job.flows.runoff, job.flows.drained) != (0, 0, 0)) {
            self.store.moisture.wake_chunk_at(job.slot);
        }
        self.jobs = jobs;
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
            self.kernel.save_rims(&self.store, &[slot], &self.ahead);
            let jobs = self.step_chunks(&[slot], &mut report);
            for Job { changes, .. } in jobs.iter().filter(|job| !job.changes.is_empty()) {
                front::wake_around(&mut self.store.moisture, slot, changes);
            }
            self.jobs = jobs;
        }
        self.store.moisture.drop_sleepers();
        self.forget_sleepers(&slots);
        report
    }

    /// Steps these chunks, and enters what came of it.
    fn step_chunks(&mut self, slots: &[Slot], report: &mut StepReport) -> Vec<Job<S>> {
        let mut jobs = core::mem::take(&mut self.jobs);
        jobs.resize_with(slots.len(), || Job::new(Slot::NONE, Chunk::uniform(0)));
        for (job, &slot) in jobs.iter_mut().zip(slots) {
            self.kernel.prepare(&self.store, slot);
            job.slot = slot;
            core::mem::swap(&mut job.moisture, self.store.moisture.chunk_at_mut(slot));
        }
        let (kernel, store) = (&self.kernel, &self.store);
        self.workers.each(&mut jobs, |room, job| kernel.step_chunk(store, room, job));
        for job in &mut jobs {
            core::mem::swap(&mut job.moisture, self.store.moisture.chunk_at_mut(job.slot));
            self.kernel.rims_mut().note(job.slot, &mut job.rims);
            report.visited += CHUNK_CELLS as u64;
            report.changed += job.changes.count() as u64;
            report.moved += job.flows.moved;
            self.ledger.rained += i128::from(job.flows.rained);
            self.ledger.runoff += u128::from(job.flows.runoff);
            self.ledger.drained += u128::from(job.flows.drained);
        }
        jobs
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

#[cfg(test)]
mod tests {
    use super::super::{Border, Cell};
    use super::*;
    use crate::coords::{Cube, Region, Sheet};
    use glam::IVec3;

    const LAST: IVec3 = IVec3::new(4, 3, 0);

    fn cell(rng: &mut fastrand::Rng) -> Cell {
        Cell::soil(f64::from(rng.u32(..900)), 1.0 + rng.f32())
    }

    /// One of many edits; whether it was made.
    fn edit<S: FieldShape>(world: &mut HumidityWorld<S>, mut rng: fastrand::Rng) -> bool {
        let chunk = IVec3::new(rng.i32(0..=LAST.x), rng.i32(0..=LAST.y), 0);
        let at = S::cell_at(chunk, rng.usize(..4096));
        match rng.u32(..10) {
            0 => world.set_humidity(at, f64::from(rng.u32(..900))).is_ok(),
            1 => world.set_impermeability(at, 1.0 + rng.f32()).is_ok(),
            2 => world.set_rock(at).is_ok(),
            3 => world.set_rain(at, f64::from(rng.u32(..900))).is_ok(),
            4 => world.fill_cells(S::region_of(chunk), cell(&mut rng)).is_ok(),
            5 => world.remove_chunk(chunk).is_ok(),
            _ => world.insert_chunk(chunk, Chunk::uniform(cell(&mut rng))).is_ok(),
        }
    }

    fn rims_that_are_kept_change_nothing<S: FieldShape>(sweep: Sweep) {
        let rules = Rules { borders: [Border::Drain; 6], ..Rules::with_sweep(sweep) };
        let bounds = Region::new(IVec3::ZERO, S::region_of(LAST).max());
        let mut rng = fastrand::Rng::with_seed(6);
        let [mut keeping, mut forgetful] = [(); 2].map(|()| HumidityWorld::<S>::with_bounds(rules, bounds).unwrap());
        for chunk in Region::new(IVec3::ZERO, LAST).positions() {
            let cells = Chunk::uniform(cell(&mut rng));
            keeping.insert_chunk(chunk, cells.clone()).unwrap();
            forgetful.insert_chunk(chunk, cells).unwrap();
        }
        let mut looked_ahead = 0;
        for seed in 0..40 {
            let edits = [&mut keeping, &mut forgetful].map(|world| edit(world, fastrand::Rng::with_seed(seed)));
            assert_eq!(edits[0], edits[1], "edit {seed}");
            let steps = rng.u64(1..13);
            if steps >= ahead::STEPS as u64 && keeping.look_ahead() {
                // Planned here to learn that it is, and once more by the run.
                keeping.ahead.take();
                looked_ahead += 1;
            }
            keeping.run(steps);
            for _ in 0..steps {
                forgetful.kernel = Kernel::new(&rules);
                forgetful.step();
            }
            assert_eq!(keeping.state_hash(), forgetful.state_hash(), "edit {seed}");
        }
        assert_eq!(looked_ahead > 0, sweep == Sweep::Synchronous && S::NEIGHBOURS == 4, "{looked_ahead}");
    }

    #[test]
    fn rims_that_are_kept_from_step_to_step_change_nothing() {
        for sweep in [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative] {
            rims_that_are_kept_change_nothing::<Sheet>(sweep);
            rims_that_are_kept_change_nothing::<Cube>(sweep);
        }
    }
}
