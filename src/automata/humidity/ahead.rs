//! A synchronous step done ahead: its chunks one at a time before the step, on copies, so that a
//! caller can stop in between. Until the step, the world is as it was.

use super::job::Job;
use super::{HumidityShape, HumidityWorld, Sweep};
use crate::chunk::Chunk;
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;

/// What is done of the next step.
pub(super) struct Ahead<S: HumidityShape> {
    /// The awake chunks.
    slots: Vec<Slot>,
    /// Copies of the first of these, stepped.
    jobs: Vec<Job<S>>,
}

impl<S: HumidityShape> Ahead<S> {
    pub(super) fn memory_bytes(&self) -> usize {
        self.jobs.iter().map(|job| job.moisture.heap_bytes()).sum::<usize>()
            + self.jobs.capacity() * (size_of::<Job<S>>() + size_of::<S::Rims<u32>>())
            + self.slots.capacity() * size_of::<Slot>()
    }
}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Does what the next step does with a chunk, ahead of it. Returns how many cells it looked at;
    /// `None` if nothing is left but the step itself. Until that, nothing may be edited. The sweep
    /// must not be the one in place.
    pub(crate) fn step_ahead(&mut self) -> Option<u64> {
        debug_assert!(
            self.rules.sweep != Sweep::InPlace,
            "in place, a chunk sees what the step has made of others"
        );
        if self.is_at_rest() {
            return None;
        }
        let mut ahead = self.ahead.take().unwrap_or_else(|| {
            let awake = self.store.moisture.awake_slots();
            self.kernel.rims.request_for(&self.store.moisture, awake);
            Ahead { slots: awake.to_vec(), jobs: Vec::new() }
        });
        let slot = ahead.slots.get(ahead.jobs.len()).copied();
        ahead.jobs.extend(slot.map(|slot| self.job_ahead(slot)));
        self.ahead = Some(ahead);
        slot.map(|_| CHUNK_CELLS as u64)
    }

    /// Returns a copy of a chunk, stepped.
    fn job_ahead(&mut self, slot: Slot) -> Job<S> {
        self.kernel.prepare(&self.store, slot);
        self.kernel.save_requested_rims(&self.store, slot);
        let mut job = self.jobs.pop().unwrap_or_else(|| Job::new(slot, Chunk::uniform(0)));
        (job.slot, job.is_ahead) = (slot, true);
        job.moisture = self.store.moisture.chunk_at(slot).clone();
        let (kernel, store) = (&self.kernel, &self.store);
        self.workers.each(core::slice::from_mut(&mut job), |scratch, job| {
            kernel.step_chunk(store, kernel.rims.before(&store.moisture, slot), scratch, job);
        });
        job
    }

    /// Makes the jobs done ahead the first of the step's.
    pub(super) fn jobs_from_ahead(&mut self) {
        if let Some(Ahead { mut jobs, .. }) = self.ahead.take() {
            jobs.append(&mut self.jobs);
            self.jobs = jobs;
        }
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
