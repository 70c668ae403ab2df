//! The threads that run a step: one, or with the feature `rayon` the threads of the pool in which
//! the step is run.
//!
//! A step makes a list of jobs. Each job owns all the data that it writes, and no job reads data
//! that another writes. Results are collected in the order of the list, so nothing depends on
//! threads.

/// The number of jobs from which several threads pay off: some tens of microseconds of work.
const LEAST: usize = 16;

/// The number of parts per thread into which the jobs are split, so that one delayed thread does
/// not delay the step.
const PARTS: usize = 4;

/// Scratch memory for running jobs, such as halos: one for each part of the jobs, kept from step to
/// step.
pub(crate) struct Workers<W> {
    make: fn() -> W,
    scratch: Vec<W>,
}

impl<W: Send> Workers<W> {
    /// Returns workers whose scratch memory `make` creates.
    pub(crate) fn new(make: fn() -> W) -> Self {
        Workers { make, scratch: vec![make()] }
    }

    /// Runs every job.
    pub(crate) fn each<J: Send>(&mut self, jobs: &mut [J], work: impl Fn(&mut W, &mut J) + Sync) {
        self.in_parts(jobs_in_part(jobs.len()), jobs, work);
    }

    /// Runs every job, each of which is large enough for a separate thread.
    pub(crate) fn each_large<J: Send>(
        &mut self,
        jobs: &mut [J],
        work: impl Fn(&mut W, &mut J) + Sync,
    ) {
        let part = if threads() > 1 { 1 } else { jobs.len() };
        self.in_parts(part, jobs, work);
    }

    /// Runs every job, in parts of `part` consecutive jobs.
    fn in_parts<J: Send>(
        &mut self,
        part: usize,
        jobs: &mut [J],
        work: impl Fn(&mut W, &mut J) + Sync,
    ) {
        let parts = jobs.len().div_ceil(part.max(1)).max(1);
        if self.scratch.len() < parts {
            self.scratch.resize_with(parts, self.make);
        }
        // Jobs run in ascending order, since hardware prefetchers load the memory that follows,
        // where the next chunk mostly is.
        let run = |(jobs, scratch): (&mut [J], &mut W)| {
            jobs.iter_mut().for_each(|job| work(scratch, job))
        };
        #[cfg(feature = "rayon")]
        if parts > 1 {
            use rayon::prelude::*;
            jobs.par_chunks_mut(part).zip(&mut self.scratch).for_each(run);
            return;
        }
        run((jobs, &mut self.scratch[0]));
    }

    /// Returns the workers' scratch memory.
    pub(crate) fn scratch(&self) -> &[W] {
        &self.scratch
    }
}

/// Runs every job without scratch memory.
pub(crate) fn each<J: Send>(jobs: &mut [J], work: impl Fn(&mut J) + Sync) {
    Workers::new(|| ()).each(jobs, |(), job| work(job));
}

/// Returns how many consecutive jobs a thread runs: all of them, unless there are several threads
/// and enough work for them.
fn jobs_in_part(jobs: usize) -> usize {
    if jobs >= LEAST && threads() > 1 { jobs.div_ceil(threads() * PARTS) } else { jobs }
}

/// Returns the number of threads that share the jobs.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Runs `work` in a pool of this many threads, if the feature `rayon` is on.
#[cfg(test)]
pub(crate) fn in_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    return rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work);
    #[cfg(not(feature = "rayon"))]
    return (threads, work()).1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Returns the numbers of 100 jobs in the order in which they ran.
    fn done(workers: &mut Workers<()>) -> Vec<usize> {
        let order = Mutex::new(Vec::new());
        let mut jobs: Vec<usize> = (0..100).collect();
        workers.each(&mut jobs, |(), job| order.lock().unwrap().push(*job));
        order.into_inner().unwrap()
    }

    #[test]
    fn every_job_is_done_once() {
        let work = || {
            let mut workers = Workers::new(|| ());
            for _ in 0..4 {
                let mut order = done(&mut workers);
                order.sort_unstable();
                assert!(order.into_iter().eq(0..100));
            }
        };
        work();
        #[cfg(feature = "rayon")]
        rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap().install(work);
    }

    #[test]
    fn one_thread_goes_from_the_first_to_the_last() {
        let in_order = || assert!(done(&mut Workers::new(|| ())).into_iter().eq(0..100));
        #[cfg(feature = "rayon")]
        rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(in_order);
        #[cfg(not(feature = "rayon"))]
        in_order();
    }
}
