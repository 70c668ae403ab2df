//! A synchronous step done ahead, in pieces, so that a caller can stop in between. Until the step,
//! the world is as it was.
//!
//! First the awake chunks are stepped, one at a time, on copies. Then these are looked through
//! twice, some at a time, for what the step comes to besides: what it adds to the ledger, and which
//! chunks wake and which fall asleep. The step itself exchanges pointers and writes the rows that
//! change where few do, and what the world had before is freed after it, some at a time again.

use super::job::Job;
use super::step::record;
use super::{HumidityShape, HumidityWorld, Ledger, Sweep};
use crate::automata::engine::changes::Changes;
use crate::automaton::StepReport;
use crate::chunk::{CellMask, Chunk, LAYER_CELLS};
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;

/// The chunks that are looked through, or freed, in a piece.
const PART: usize = 16;

/// The cells that count for each of them.
const PART_CELLS: u64 = LAYER_CELLS as u64 / 2;

/// What is done of the next step.
pub(super) struct Ahead<S: HumidityShape> {
    /// The awake chunks.
    slots: Vec<Slot>,
    /// Copies of the first of these, stepped.
    done: Vec<Done<S>>,
    /// How many chunks were looked through, in both rounds.
    looked_through: usize,
    /// By slot, whether a chunk is awake after the step, as far as is known.
    stays: Vec<bool>,
    wakes: Vec<Slot>,
    sleepers: Vec<Slot>,
    report: StepReport,
    /// That of the world after the step, as far as its chunks were looked through.
    ledger: Ledger,
}

/// A chunk that was stepped.
struct Done<S: HumidityShape> {
    job: Job<S>,
    /// What its chunk has marked as changed, with what the step changes; `None` if it has nothing
    /// marked.
    all_marks: Option<Box<CellMask>>,
}

impl<S: HumidityShape> Done<S> {
    fn heap_bytes(&self) -> usize {
        let masks = [self.job.changes.marks.cells(), self.all_marks.as_deref()];
        self.job.heap_bytes() + masks.iter().flatten().count() * size_of::<CellMask>()
    }
}

impl<S: HumidityShape> Ahead<S> {
    pub(super) fn memory_bytes(&self) -> usize {
        self.done.iter().map(Done::heap_bytes).sum::<usize>()
            + self.done.capacity() * size_of::<Done<S>>()
            + self.stays.capacity()
            + [&self.slots, &self.wakes, &self.sleepers].map(Vec::capacity).iter().sum::<usize>()
                * size_of::<Slot>()
    }
}

/// What the world had before a step that was done ahead, to be freed.
pub(super) struct Leavings<S: HumidityShape> {
    done: Vec<Done<S>>,
    /// Of the chunks that fell asleep.
    #[expect(clippy::vec_box, reason = "a mask is moved by its pointer")]
    masks: Vec<Box<CellMask>>,
}

impl<S: HumidityShape> Default for Leavings<S> {
    fn default() -> Self {
        Leavings { done: Vec::new(), masks: Vec::new() }
    }
}

impl<S: HumidityShape> Leavings<S> {
    pub(super) fn memory_bytes(&self) -> usize {
        self.done.iter().map(Done::heap_bytes).sum::<usize>()
            + self.done.capacity() * size_of::<Done<S>>()
            + self.masks.len() * size_of::<CellMask>()
            + self.masks.capacity() * size_of::<Box<CellMask>>()
    }
}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Does a piece of what the next step does, ahead of it. Returns how many cells that counts
    /// for; `None` if nothing is left but the step itself. Until that, nothing may be edited. The
    /// sweep must not be the one in place.
    pub(crate) fn step_ahead(&mut self) -> Option<u64> {
        debug_assert!(
            self.rules.sweep != Sweep::InPlace,
            "in place, a chunk sees what the step has made of others"
        );
        if self.is_at_rest() {
            return None;
        }
        let mut ahead = self.ahead.take().unwrap_or_else(|| self.begin_ahead());
        let counted = match ahead.slots.get(ahead.done.len()) {
            Some(&slot) => {
                ahead.done.push(self.done_ahead(slot));
                Some(CHUNK_CELLS as u64)
            }
            None => self.look_through(&mut ahead),
        };
        self.ahead = Some(ahead);
        counted
    }

    fn begin_ahead(&mut self) -> Ahead<S> {
        self.free_all();
        self.kernel.rims.begin_round();
        let slots = self.store.moisture.awake_slots().to_vec();
        Ahead {
            done: Vec::with_capacity(slots.len()),
            slots,
            looked_through: 0,
            stays: vec![false; self.store.moisture.slot_capacity()],
            wakes: Vec::new(),
            sleepers: Vec::new(),
            report: StepReport::default(),
            ledger: self.ledger,
        }
    }

    /// Returns a copy of a chunk, stepped.
    fn done_ahead(&mut self, slot: Slot) -> Done<S> {
        self.kernel.prepare(&self.store, slot);
        self.kernel.save_rims_of(&self.store, slot);
        self.steady.forget(slot);
        #[cfg(feature = "store")]
        self.note_stepped(slot);
        let mut job = self.jobs.pop().unwrap_or_else(|| Job::new(slot, Chunk::uniform(0)));
        job.slot = slot;
        job.is_by_rows = self.kernel.is_by_rows(&self.store, slot);
        if !job.is_by_rows {
            job.moisture.clone_from(self.store.moisture.chunk_at(slot));
        }
        let (kernel, store) = (&self.kernel, &self.store);
        self.workers.each(core::slice::from_mut(&mut job), |scratch, job| {
            kernel.step_chunk(store, kernel.rims.before(&store.moisture, slot), scratch, job);
        });
        let marked = store.moisture.changed_at(slot);
        let all_marks = marked.zip(job.changes.marks.cells()).map(|(marked, cells)| {
            let mut all = Box::new(marked.clone());
            all.union_with(cells);
            all
        });
        Done { job, all_marks }
    }

    /// Looks through some of the chunks that are stepped. Returns how many cells that counts for;
    /// `None` if all were looked through twice.
    fn look_through(&mut self, ahead: &mut Ahead<S>) -> Option<u64> {
        let (chunks, from) = (ahead.slots.len(), ahead.looked_through);
        let is_first_round = from < chunks;
        if from == chunks {
            // Of those that sleep in this step; the second round adds to them.
            self.steady.enter(&mut ahead.ledger, 1);
        }
        let to = (from + PART).min(if is_first_round { chunks } else { 2 * chunks });
        for at in from..to {
            if is_first_round {
                self.note_awake(ahead, at);
            } else {
                self.note_asleep(ahead, at - chunks);
            }
        }
        ahead.looked_through = to;
        (to > from).then_some((to - from) as u64 * PART_CELLS)
    }

    /// Notes what a chunk adds to the account, and what it keeps awake or wakes.
    fn note_awake(&self, ahead: &mut Ahead<S>, at: usize) {
        let Ahead { done, stays, wakes, report, ledger, .. } = ahead;
        let Job { slot, changes, tally, .. } = &done[at].job;
        record(report, ledger, changes.count(), tally);
        if changes.is_empty() {
            return;
        }
        stays[slot.index()] = true;
        let Some(touched) = changes.touched() else { return };
        let moisture = &self.store.moisture;
        let neighbours = moisture.neighbours_of(*slot).into_iter().zip(touched);
        let is_woken = |&(slot, touched): &(Slot, bool)| {
            touched && slot.is_some() && !moisture.is_shelved(slot)
        };
        for (slot, _) in neighbours.filter(is_woken) {
            let is_new = !core::mem::replace(&mut stays[slot.index()], true);
            if is_new && moisture.awake_at(slot).is_none() {
                wakes.push(slot);
            }
        }
    }

    /// Notes whether a chunk falls asleep. What steps keep of it is as after this one from here on.
    fn note_asleep(&mut self, ahead: &mut Ahead<S>, at: usize) {
        let job = &mut ahead.done[at].job;
        self.kernel.update(job);
        let Job { slot, tally, .. } = job;
        if !ahead.stays[slot.index()] {
            self.kernel.free(*slot);
            self.steady.note(*slot, *tally);
            ahead.sleepers.push(*slot);
        }
    }

    /// Completes the step that is done ahead. Returns `None` if there is
    /// none.
    pub(super) fn step_from_ahead(&mut self) -> Option<StepReport> {
        self.ahead.as_ref()?;
        while self.step_ahead().is_some() {}
        let Ahead { mut done, wakes, sleepers, report, ledger, .. } = self.ahead.take()?;
        let moisture = &mut self.store.moisture;
        for Done { job, all_marks } in &mut done {
            if job.changes.is_empty() {
                continue;
            }
            if job.is_by_rows {
                job.write_rows(moisture.chunk_at_mut(job.slot));
            } else {
                core::mem::swap(&mut job.moisture, moisture.chunk_at_mut(job.slot));
            }
            // Marks may have been taken since.
            let is_marked =
                all_marks.as_mut().is_some_and(|all| moisture.swap_changed_at(job.slot, all));
            if !is_marked && let Some(marks) = job.changes.marks.take() {
                moisture.mark_all_changed_at(job.slot, marks);
            }
        }
        wakes.into_iter().for_each(|slot| moisture.wake_chunk_at(slot));
        let mut masks = Vec::with_capacity(sleepers.len());
        moisture.sleep_chunks(&sleepers, &mut masks);
        self.ledger = ledger;
        self.leavings = Leavings { done, masks };
        Some(report)
    }

    /// Frees a part of what the last step has left, but for the arrays that the next one needs.
    /// Returns how many cells that counts for; `None` if nothing is left.
    pub(crate) fn free_some(&mut self) -> Option<u64> {
        let Leavings { done, masks } = &mut self.leavings;
        let next = self.store.moisture.awake_slots().len();
        let from = done.len().saturating_sub(PART);
        for Done { mut job, .. } in done.drain(from..) {
            if self.jobs.len() < next {
                job.changes = Changes::default();
                self.jobs.push(job);
            }
        }
        masks.truncate(masks.len().saturating_sub(PART));
        let is_rims_left = self.kernel.rims.drop_unrequested(PART);
        if done.is_empty() && masks.is_empty() && !is_rims_left {
            self.leavings = Leavings::default();
            return None;
        }
        Some(PART as u64 * PART_CELLS)
    }

    /// Frees all that the last step has left.
    pub(crate) fn free_all(&mut self) {
        while self.free_some().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Border, Cell, Rules};
    use super::*;
    use crate::coords::{Cube, Region, Sheet};
    use glam::IVec3;
    use proptest::prelude::*;

    fn ahead_changes_nothing<S: HumidityShape>(seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let sweep = [Sweep::Synchronous, Sweep::Conservative][rng.usize(..2)];
        let rules = Rules { borders: [Border::Drain; 6], cap: 600.0, ..Rules::with_sweep(sweep) };
        let chunks = Region::new(IVec3::ZERO, IVec3::new(2, 1, 0));
        let bounds = Region::new(IVec3::ZERO, S::region_of(chunks.max()).max());
        let [mut sliced, mut whole] =
            [(); 2].map(|()| HumidityWorld::<S>::with_bounds(rules, bounds).unwrap());
        for chunk in chunks.positions() {
            let cells = Chunk::uniform(Cell::soil(0.0, 1.0 + rng.f32()));
            for world in [&mut sliced, &mut whole] {
                world.insert_chunk(chunk, cells.clone()).unwrap();
            }
        }
        for step in 0..30 {
            if step % 4 == 0 {
                let chunk = IVec3::new(rng.i32(0..3), rng.i32(0..2), 0);
                let (cell, humidity) =
                    (S::cell_at(chunk, rng.usize(..4096)), f64::from(rng.u32(..600)));
                let is_rain = rng.u8(..4) == 0;
                for world in [&mut sliced, &mut whole] {
                    let edited = match is_rain {
                        true => world.set_rain(cell, humidity),
                        false => world.set_humidity(cell, humidity).map(drop),
                    };
                    assert!(edited.is_ok(), "seed {seed}, step {step}");
                }
            }
            let before = sliced.state_hash();
            let pieces = rng.usize(..8);
            let looked = (0..pieces).map_while(|_| sliced.step_ahead()).count();
            assert!(looked == pieces || sliced.step_ahead().is_none(), "seed {seed}, step {step}");
            assert_eq!(sliced.state_hash(), before, "seed {seed}, step {step}");
            assert_eq!(sliced.run(1), whole.run(1), "seed {seed}, step {step}");
            assert_eq!(sliced.state_hash(), whole.state_hash(), "seed {seed}, step {step}");
            assert_eq!(sliced.take_changes(), whole.take_changes(), "seed {seed}, step {step}");
            assert_eq!(sliced.ledger(), whole.ledger(), "seed {seed}, step {step}");
            assert_eq!(sliced.awake_cells(), whole.awake_cells(), "seed {seed}, step {step}");
            assert_eq!(sliced.validate(), Ok(()), "seed {seed}, step {step}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

        #[test]
        fn a_step_that_is_done_ahead_as_far_as_one_likes_is_the_same(seed: u64) {
            ahead_changes_nothing::<Sheet>(seed);
            ahead_changes_nothing::<Cube>(seed);
        }
    }
}
