//! Who does the work of a step: one thread, or with the feature `rayon` those of the pool that the step is run in.
//!
//! A step makes a list of jobs, each with all that it writes, so that no two of them touch the same memory and no job sees
//! what another did. What jobs report is taken from the list in its order. So nothing depends on threads.

/// Jobs that are worth a second thread: some tens of microseconds.
#[cfg(feature = "rayon")]
const LEAST: usize = 16;

/// Parts into which the jobs are split for each thread, so that one that is held up does not hold up all.
#[cfg(feature = "rayon")]
const PARTS: usize = 4;

/// What jobs need while they run, such as halos: one for each part of the jobs, kept from step to step.
pub(crate) struct Workers<W> {
    make: fn() -> W,
    rooms: Vec<W>,
}

impl<W: Send> Workers<W> {
    /// Workers with what `make` makes to work in.
    pub(crate) fn new(make: fn() -> W) -> Self {
        Workers { make, rooms: vec![make()] }
    }

    /// Does every job.
    pub(crate) fn each<J: Send>(&mut self, jobs: &mut [J], work: impl Fn(&mut W, &mut J) + Sync) {
        let part = jobs_in_part(jobs.len());
        let parts = jobs.len().div_ceil(part.max(1)).max(1);
        if self.rooms.len() < parts {
            self.rooms.resize_with(parts, self.make);
        }
        let run = |(jobs, room): (&mut [J], &mut W)| jobs.iter_mut().for_each(|job| work(room, job));
        #[cfg(feature = "rayon")]
        if parts > 1 {
            use rayon::prelude::*;
            jobs.par_chunks_mut(part).zip(&mut self.rooms).for_each(run);
            return;
        }
        run((jobs, &mut self.rooms[0]));
    }

    /// What workers have to work in.
    pub(crate) fn rooms(&self) -> &[W] {
        &self.rooms
    }
}

/// Does every job, without anything to work in.
pub(crate) fn each<J: Send>(jobs: &mut [J], work: impl Fn(&mut J) + Sync) {
    Workers::new(|| ()).each(jobs, |(), job| work(job));
}

/// How many jobs one thread does in a row: all of them, unless there are several threads, and work for them.
fn jobs_in_part(jobs: usize) -> usize {
    #[cfg(feature = "rayon")]
    if jobs >= LEAST && rayon::current_num_threads() > 1 {
        return jobs.div_ceil(rayon::current_num_threads() * PARTS);
    }
    jobs
}
