//! Who does the work of a step: one thread, or with the feature `rayon` those of the pool that the
//! step is run in.
//!
//! A step makes a list of jobs, each with all that it writes, so that no two of them touch the same
//! memory and no job sees what another did. What jobs report is taken from the list in its order.
//! So nothing depends on threads.

/// Jobs that are worth a second thread: some tens of microseconds.
const LEAST: usize = 16;

/// Parts into which the jobs are split for each thread, so that one that is held up does not hold
/// up all.
const PARTS: usize = 4;

/// What jobs need while they run, such as halos: one for each part of the jobs, kept from step to
/// step.
pub(crate) struct Workers<W> {
    make: fn() -> W,
    scratch: Vec<W>,
}

impl<W: Send> Workers<W> {
    /// Workers with what `make` makes to work in.
    pub(crate) fn new(make: fn() -> W) -> Self {
        Workers { make, scratch: vec![make()] }
    }

    /// Does every job.
    pub(crate) fn each<J: Send>(&mut self, jobs: &mut [J], work: impl Fn(&mut W, &mut J) + Sync) {
        self.in_parts(jobs_in_part(jobs.len()), jobs, work);
    }

    /// Does every job, each of which is worth a thread.
    pub(crate) fn each_large<J: Send>(
        &mut self,
        jobs: &mut [J],
        work: impl Fn(&mut W, &mut J) + Sync,
    ) {
        let part = if threads() > 1 { 1 } else { jobs.len() };
        self.in_parts(part, jobs, work);
    }

    /// Does every job, so many of them in a row.
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
        // From the first to the last: processors fetch by themselves what comes next in memory,
        // where the next chunk mostly lies.
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

    /// What workers have to work in.
    pub(crate) fn scratch(&self) -> &[W] {
        &self.scratch
    }
}

/// Does every job, without anything to work in.
pub(crate) fn each<J: Send>(jobs: &mut [J], work: impl Fn(&mut J) + Sync) {
    Workers::new(|| ()).each(jobs, |(), job| work(job));
}

/// How many jobs one thread does in a row: all of them, unless there are several threads, and work
/// for them.
fn jobs_in_part(jobs: usize) -> usize {
    if jobs >= LEAST && threads() > 1 { jobs.div_ceil(threads() * PARTS) } else { jobs }
}

/// Threads that share the jobs.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Does something in a pool of so many threads, where there are any.
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

    /// The numbers of 100 jobs in the order in which they were done.
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
