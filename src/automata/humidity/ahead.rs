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
    /// Those of the first of them, stepped.
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
    /// `None` if nothing is left but the step itself. Until that, nothing may be edited. Not for the
    /// sweep in place.
    pub(crate) fn step_ahead(&mut self) -> Option<u64> {
        debug_assert!(self.rules.sweep != Sweep::InPlace, "its chunks see each other");
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

    /// Steps a copy of a chunk.
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
