//! The time in which a thread computes, without that in which other programs had its processor.
//! Benches and examples that measure include this file as a module.

use std::time::{Duration, Instant};

/// Measures the thread that started it, which must not sleep meanwhile.
pub struct Stopwatch {
    before: Instant,
    waited: Duration,
    start: Instant,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        let (before, waited) = (Instant::now(), waited());
        Stopwatch { before, waited, start: Instant::now() }
    }

    /// Returns the lesser of two times: by the clock, and by the clock less what the thread waited
    /// for a processor. The second is some microseconds longer on an idle machine, since the wait
    /// is read within it, so that a wait beside the measured work is not taken off that work.
    pub fn stop(self) -> Duration {
        let elapsed = self.start.elapsed();
        let waited = waited() - self.waited;
        elapsed.min(self.before.elapsed().saturating_sub(waited))
    }
}

/// Returns how long this thread has been ready to run without a processor; zero where the system
/// does not count that, as only Linux does.
fn waited() -> Duration {
    let figures = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = figures.split(' ').nth(1).and_then(|figure| figure.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
