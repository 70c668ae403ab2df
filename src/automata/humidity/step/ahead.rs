//! A synchronous step done ahead, in pieces, so that a caller can stop in between. Until the step,
//! the world does not change.
//!
//! First the awake chunks are stepped, one at a time, on copies. Edits are allowed in between: the
//! kernel drops each copy whose inputs an edit changes, and the chunk is stepped again. Once all
//! chunks are stepped, the step is closed, and edits are not allowed until it is complete. Two
//! passes over the copies, a few at a time, find the step's ledger entry, the chunks that wake and
//! the chunks that fall asleep. The step itself swaps pointers, or writes single rows where few
//! rows change. The old arrays are freed after the step, a few at a time.

use crate::automata::engine::changes::Changes;
use crate::automata::humidity::step::job::Job;
use crate::automata::humidity::step::record;
#[cfg(feature = "store")]
use crate::automata::humidity::step::stepped::note_stepped;
use crate::automata::humidity::{HumidityShape, HumidityWorld, Ledger, Sweep};
use crate::chunk::{CellMask, Chunk, LAYER_CELLS};
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
use crate::simulation::StepReport;

/// The number of chunks that a piece collects, reads through, or frees.
const PART: usize = 16;

/// The number of cells charged for each chunk that a piece collects, reads through, or frees.
const PART_CELLS: u64 = LAYER_CELLS as u64 / 2;

/// A step that is being closed.
pub(in crate::automata::humidity) struct Closing<S: HumidityShape> {
    /// The awake chunks.
    slots: Vec<Slot>,
    /// Stepped copies of the first of `slots`.
    done: Vec<Done<S>>,
    /// How many chunks were read through, in both rounds.
    looked_through: usize,
    /// By slot, whether a chunk is awake after the step, for the chunks read so far.
    stays: Vec<bool>,
    wakes: Vec<Slot>,
    sleepers: Vec<Slot>,
    report: StepReport,
    /// The ledger after the step, for the chunks read so far.
    ledger: Ledger,
}

/// A chunk that was stepped.
pub(in crate::automata::humidity) struct Done<S: HumidityShape> {
    job: Job<S>,
    /// The chunk's marks of changed cells, including the changes of the step; `None` unless it had
    /// marks before and the step changes cells.
    all_marks: Option<Box<CellMask>>,
}

impl<S: HumidityShape> Done<S> {
    pub(in crate::automata::humidity) fn heap_bytes(&self) -> usize {
        let masks = [self.job.changes.marks.cells(), self.all_marks.as_deref()];
        self.job.heap_bytes() + masks.iter().flatten().count() * size_of::<CellMask>()
    }
}

impl<S: HumidityShape> Closing<S> {
    pub(in crate::automata::humidity) fn memory_bytes(&self) -> usize {
        self.done.iter().map(Done::heap_bytes).sum::<usize>()
            + self.done.capacity() * size_of::<Done<S>>()
            + self.stays.capacity()
            + [&self.slots, &self.wakes, &self.sleepers].map(Vec::capacity).iter().sum::<usize>()
                * size_of::<Slot>()
    }
}

/// The old data of a step that was done ahead, to be freed.
pub(in crate::automata::humidity) struct Leavings<S: HumidityShape> {
    done: Vec<Done<S>>,
    /// The masks of the chunks that fell asleep.
    #[expect(clippy::vec_box, reason = "a mask is moved by its pointer")]
    masks: Vec<Box<CellMask>>,
}

impl<S: HumidityShape> Default for Leavings<S> {
    fn default() -> Self {
        Leavings { done: Vec::new(), masks: Vec::new() }
    }
}

impl<S: HumidityShape> Leavings<S> {
    pub(in crate::automata::humidity) fn memory_bytes(&self) -> usize {
        self.done.iter().map(Done::heap_bytes).sum::<usize>()
            + self.done.capacity() * size_of::<Done<S>>()
            + self.masks.len() * size_of::<CellMask>()
            + self.masks.capacity() * size_of::<Box<CellMask>>()
    }
}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Steps an awake chunk ahead, if more than `left` awake chunks are not stepped yet. Returns
    /// the number of cells charged; `None` if there is no chunk to step. Edits may follow. The
    /// sweep must not be in place.
    pub(crate) fn step_chunk_ahead(&mut self, left: usize) -> Option<u64> {
        crate::spans::span!("humidity ahead");
        let awake = self.store.moisture.awake_slots();
        if self.closing.is_some() || awake.len() - self.kernel.ahead.len() <= left {
            return None;
        }
        let (before, after) = awake.split_at(self.next_ahead.min(awake.len()));
        let mut turns = after.iter().chain(before);
        let skipped = turns.position(|slot| !self.kernel.ahead.contains_key(slot))?;
        self.next_ahead = (before.len() + skipped) % awake.len();
        let slot = awake[self.next_ahead];
        self.begin_ahead();
        let done = self.done_ahead(slot);
        self.kernel.ahead.insert(slot, done);
        Some(CHUNK_CELLS as u64)
    }

    /// Steps ahead some of the awake chunks for which `is_due` holds. Returns whether there were
    /// any such chunks. Edits may follow. The sweep must not be in place.
    #[cfg(feature = "snapshot")]
    pub(in crate::automata::humidity) fn step_some_ahead(
        &mut self,
        is_due: impl Fn(&Self, Slot) -> bool,
    ) -> bool {
        let is_due = |slot: &Slot| !self.kernel.ahead.contains_key(slot) && is_due(self, *slot);
        let awake = self.store.moisture.awake_slots().iter().copied();
        let slots: Vec<Slot> = awake.filter(is_due).take(PART).collect();
        for &slot in &slots {
            self.begin_ahead();
            let done = self.done_ahead(slot);
            self.kernel.ahead.insert(slot, done);
        }
        !slots.is_empty()
    }

    /// Does a piece of the next step's work ahead of that step. Returns the number of cells
    /// charged; `None` if only the step itself is left. No edit may be made between this call and
    /// the step. The sweep must not be in place.
    pub(crate) fn step_ahead(&mut self) -> Option<u64> {
        crate::spans::span!("humidity ahead");
        debug_assert!(
            self.rules.sweep != Sweep::InPlace,
            "in place, a chunk sees what the step has made of others"
        );
        if self.is_at_rest() {
            return None;
        }
        let mut closing = self.closing.take().unwrap_or_else(|| self.close());
        let counted = self.collect(&mut closing).or_else(|| self.look_through(&mut closing));
        self.closing = Some(closing);
        counted
    }

    /// Returns whether a part of the next step is done ahead.
    pub(in crate::automata::humidity) fn is_ahead(&self) -> bool {
        self.closing.is_some() || !self.kernel.ahead.is_empty()
    }

    /// Prepares for stepping a chunk ahead, if it is the first chunk of the step.
    fn begin_ahead(&mut self) {
        if !self.is_ahead() {
            self.free_all();
            self.kernel.rims.begin_round();
        }
    }

    /// Begins to close the step.
    fn close(&mut self) -> Closing<S> {
        self.begin_ahead();
        let slots = self.store.moisture.awake_slots().to_vec();
        Closing {
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

    /// Collects some of the stepped chunks, or steps another chunk. Returns the number of cells
    /// charged; `None` if all chunks are collected.
    fn collect(&mut self, closing: &mut Closing<S>) -> Option<u64> {
        let from = closing.done.len();
        let left = closing.slots.get(from..).filter(|left| !left.is_empty())?;
        for &slot in left.iter().take(PART) {
            let Some(done) = self.kernel.ahead.remove(&slot) else { break };
            closing.done.push(done);
        }
        let counted = match closing.done.len() - from {
            0 => {
                closing.done.push(self.done_ahead(left[0]));
                CHUNK_CELLS as u64
            }
            collected => collected as u64 * PART_CELLS,
        };
        for &slot in &closing.slots[from..closing.done.len()] {
            self.steady.forget(slot);
            #[cfg(feature = "store")]
            note_stepped(self, slot);
        }
        Some(counted)
    }

    /// Returns a copy of a chunk, stepped.
    fn done_ahead(&mut self, slot: Slot) -> Done<S> {
        self.kernel.prepare(&self.store, slot);
        self.kernel.save_rims_of(&self.store, slot);
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

    /// Reads through some of the stepped chunks. Returns the number of cells charged; `None` if all
    /// chunks were read through twice.
    fn look_through(&mut self, closing: &mut Closing<S>) -> Option<u64> {
        let (chunks, from) = (closing.slots.len(), closing.looked_through);
        let is_first_round = from < chunks;
        if from == chunks {
            // The steady flow of the chunks that sleep in this step; the second round adds to it.
            self.steady.post(&mut closing.ledger, 1);
        }
        let to = (from + PART).min(if is_first_round { chunks } else { 2 * chunks });
        for at in from..to {
            if is_first_round {
                self.note_awake(closing, at);
            } else {
                self.note_asleep(closing, at - chunks);
            }
        }
        closing.looked_through = to;
        (to > from).then_some((to - from) as u64 * PART_CELLS)
    }

    /// Records the ledger entry of a chunk, and the chunks that it keeps awake or wakes.
    fn note_awake(&self, closing: &mut Closing<S>, at: usize) {
        let Closing { done, stays, wakes, report, ledger, .. } = closing;
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

    /// Records whether a chunk falls asleep. From here on, the derived data of the chunk is as
    /// after the step.
    fn note_asleep(&mut self, closing: &mut Closing<S>, at: usize) {
        let job = &mut closing.done[at].job;
        self.kernel.update(job);
        if !job.changed_rows.is_empty() {
            // Otherwise the first step after a save would copy at once all the arrays that it
            // writes.
            self.store.moisture.chunk_at_mut(job.slot).unshare();
        }
        let Job { slot, tally, .. } = job;
        if !closing.stays[slot.index()] {
            self.kernel.free(*slot);
            self.steady.note(*slot, *tally);
            closing.sleepers.push(*slot);
        }
    }

    /// Completes the step that was done ahead. Returns `None` if there is none.
    pub(in crate::automata::humidity) fn step_from_ahead(&mut self) -> Option<StepReport> {
        if !self.is_ahead() {
            return None;
        }
        while self.step_ahead().is_some() {}
        let Closing { mut done, wakes, sleepers, report, ledger, .. } = self.closing.take()?;
        self.kernel.rims.end_round();
        self.note_touched(done.iter().map(|done| &done.job));
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
            // Marks may have been taken since the chunk was stepped.
            let is_marked =
                all_marks.as_mut().is_some_and(|all| moisture.swap_changed_at(job.slot, all));
            if !is_marked && let Some(marks) = job.changes.marks.take() {
                moisture.mark_all_changed_at(job.slot, marks);
            }
        }
        wakes.into_iter().for_each(|slot| moisture.wake_chunk_at(slot));
        let mut masks = Vec::with_capacity(sleepers.len());
        moisture.sleep_chunks(&sleepers, &mut masks);
        debug_assert!(self.kernel.ahead.is_empty(), "only awake chunks are stepped ahead");
        self.ledger = ledger;
        self.leavings = Leavings { done, masks };
        Some(report)
    }

    /// Frees some of the last step's arrays, and keeps as many as the next step needs. Returns the
    /// number of cells charged; `None` if nothing is left to free.
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

    /// Frees all old data of the last step.
    pub(crate) fn free_all(&mut self) {
        while self.free_some().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automata::humidity::step::still::set_still;
    use crate::automata::humidity::{Border, Cell, Fed, Rules};
    use crate::coords::{ChunkPos, Cube, Region, Sheet};
    use fastrand::Rng;
    use glam::IVec3;
    use proptest::prelude::*;

    const LAST: IVec3 = IVec3::new(2, 1, 0);

    fn soil(rng: &mut Rng) -> Chunk<Cell> {
        Chunk::uniform(Cell::soil(f64::from(rng.u8(..2)) * 300.0, 1.0 + rng.f32()))
    }

    /// Makes a random edit, or stops or resumes a chunk, which only the conservative sweep
    /// supports.
    fn edit<S: HumidityShape>(world: &mut HumidityWorld<S>, mut rng: Rng) {
        let chunk = ChunkPos::new(rng.i32(0..=LAST.x), rng.i32(0..=LAST.y), 0);
        let cell = S::cell_at(chunk, rng.usize(..4096));
        let (humidity, units) = (f64::from(rng.u32(..600)), rng.u32(..1 << 24));
        let has_units = world.rules.sweep == Sweep::Conservative;
        match rng.u8(..12) {
            0 => _ = world.set_humidity(cell, humidity),
            1 => _ = world.set_rain(cell, humidity),
            2 => _ = world.set_rock(cell),
            3 => _ = world.set_impermeability(cell, 1.0 + rng.f32()),
            4 => _ = world.remove_chunk(chunk),
            5 => _ = world.insert_chunk(chunk, soil(&mut rng)),
            6 if has_units => set_still(world, chunk, true),
            7 | 8 if has_units => set_still(world, chunk, false),
            9 if has_units => _ = world.add_units(cell, units),
            10 if has_units => _ = world.take_units(cell, units),
            11 if has_units => {
                let fed = (0..3).map(|index| Fed { index: 900 * index, full: units }).collect();
                world.set_fed(chunk, fed);
            }
            _ => drop(world.take_changes()),
        }
    }

    /// Returns two equal worlds. In some of the pairs, steps leave out rows.
    fn twins<S: HumidityShape>(rng: &mut Rng) -> [HumidityWorld<S>; 2] {
        let sweep = [Sweep::Synchronous, Sweep::Conservative][rng.usize(..2)];
        let rules = Rules { borders: [Border::Drain; 6], cap: 600.0, ..Rules::with_sweep(sweep) };
        let bounds = Region::new(IVec3::ZERO, S::region_of(LAST.into()).max());
        let (seed, leaves_out) = (rng.u64(..), sweep == Sweep::Conservative && rng.bool());
        [(); 2].map(|()| {
            let mut rng = Rng::with_seed(seed);
            let mut world = HumidityWorld::with_bounds(rules, bounds).unwrap();
            if leaves_out {
                world.count_no_moves();
            }
            for chunk in Region::new(IVec3::ZERO, LAST).positions() {
                world.insert_chunk(chunk.into(), soil(&mut rng)).unwrap();
            }
            world
        })
    }

    /// Steps chunks ahead between edits, and drops some of the stepped chunks.
    fn ahead_with_edits<S: HumidityShape>(worlds: &mut [HumidityWorld<S>; 2], rng: &mut Rng) {
        if rng.u8(..4) == 0 {
            let seed = rng.u64(..);
            worlds.iter_mut().for_each(|world| edit(world, Rng::with_seed(seed)));
        }
        let [sliced, _] = worlds;
        let (before, left) = (sliced.state_hash(), rng.usize(..6));
        while sliced.step_chunk_ahead(left).is_some() {}
        let awake = sliced.store.moisture.awake_slots().len();
        assert!(sliced.kernel.ahead.len() >= awake.saturating_sub(left));
        if rng.u8(..4) == 0 {
            sliced.kernel.ahead.retain(|_, _| rng.bool());
        }
        assert_eq!(sliced.state_hash(), before);
    }

    fn ahead_changes_nothing<S: HumidityShape>(seed: u64) {
        let mut rng = Rng::with_seed(seed);
        let mut worlds = twins::<S>(&mut rng);
        for step in 0..30 {
            (0..rng.usize(..4)).for_each(|_| ahead_with_edits(&mut worlds, &mut rng));
            let [sliced, whole] = &mut worlds;
            let before = sliced.state_hash();
            let pieces = rng.usize(..8);
            let looked = (0..pieces).map_while(|_| sliced.step_ahead()).count();
            assert!(looked == pieces || sliced.step_ahead().is_none(), "seed {seed}, step {step}");
            assert_eq!(sliced.state_hash(), before, "seed {seed}, step {step}");
            let steps = rng.u64(1..3);
            // Where steps leave out rows, moved units are not counted.
            let counts = !whole.kernel.stirred.is_kept;
            let [one, other] = [sliced.run(steps), whole.run(steps)]
                .map(|report| (report.visited, report.changed, report.moved * u64::from(counts)));
            assert_eq!(one, other, "seed {seed}, step {step}");
            assert_eq!(sliced.state_hash(), whole.state_hash(), "seed {seed}, step {step}");
            assert_eq!(sliced.take_changes(), whole.take_changes(), "seed {seed}, step {step}");
            assert_eq!(sliced.ledger(), whole.ledger(), "seed {seed}, step {step}");
            assert_eq!(sliced.awake_cells(), whole.awake_cells(), "seed {seed}, step {step}");
            assert_eq!(sliced.validate(), Ok(()), "seed {seed}, step {step}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(14) })]

        #[test]
        fn a_step_that_is_done_ahead_as_far_as_one_likes_is_the_same(seed: u64) {
            ahead_changes_nothing::<Sheet>(seed);
            ahead_changes_nothing::<Cube>(seed);
        }
    }

    /// The first step after a save once copied hundreds of chunks in its last piece, which took 1
    /// to 3 ms.
    #[cfg(feature = "store")]
    #[test]
    fn arrays_shared_with_a_save_are_copied_before_the_step() {
        let mut world = HumidityWorld::<Cube>::new(Rules::default()).unwrap();
        world.count_no_moves();
        let mut cells = Chunk::uniform(Cell::soil(0.0, 1.0));
        cells.set(2_008, Cell::soil(90.0, 1.0));
        world.insert_chunk(ChunkPos::ZERO, cells).unwrap();
        let slot = world.store.moisture.slot(ChunkPos::ZERO).unwrap();
        world.share_chunk(slot);
        let saved = world.store.moisture.chunk_at(slot).clone();
        let is_shared = |world: &HumidityWorld<Cube>| {
            let [here, saved] = [world.store.moisture.chunk_at(slot), &saved].map(Chunk::as_dense);
            core::ptr::eq(here.unwrap(), saved.unwrap())
        };
        while world.step_chunk_ahead(0).is_some() {}
        assert!(is_shared(&world), "the world does not change");
        while world.step_ahead().is_some() {}
        assert!(!is_shared(&world));
        assert_eq!(world.step().changed, 7);
    }

    /// If an edit dropped more, little of the work done ahead would survive in a busy world.
    #[test]
    fn an_edit_drops_what_reads_it_and_nothing_else() {
        let mut world = HumidityWorld::<Cube>::new(Rules::default()).unwrap();
        let chunks: Vec<ChunkPos> = (0..3).map(|x| ChunkPos::new(x, 0, 0)).collect();
        for &chunk in &chunks {
            world.insert_chunk(chunk, Chunk::uniform(Cell::soil(9.0, 1.0))).unwrap();
        }
        let left = |world: &mut HumidityWorld<Cube>| {
            let is_ahead = |&chunk| {
                let slot = world.store.moisture.slot(chunk);
                slot.is_some_and(|slot| world.kernel.ahead.contains_key(&slot))
            };
            let left: Vec<bool> = chunks.iter().map(is_ahead).collect();
            while world.step_chunk_ahead(0).is_some() {}
            left
        };
        assert_eq!(left(&mut world), [false; 3]);
        world.set_humidity(IVec3::new(24, 8, 8), 5.0).unwrap();
        assert_eq!(left(&mut world), [true, false, true]);
        world.add_units(IVec3::new(31, 8, 8), 7);
        assert_eq!(left(&mut world), [true, false, false]);
        world.set_fed(ChunkPos::new(1, 0, 0), vec![Fed { index: 7, full: 9 }]);
        assert_eq!(left(&mut world), [true, false, true]);
        set_still(&mut world, ChunkPos::ZERO, true);
        assert_eq!(left(&mut world), [false, false, true]);
        world.remove_chunk(ChunkPos::new(2, 0, 0)).unwrap();
        assert_eq!(left(&mut world), [false; 3]);
        assert_eq!(world.kernel.ahead.len(), 1, "one goes on");
    }
}
