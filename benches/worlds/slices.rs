//! What single calls of `step_within` take: a game pays for each within a frame. A tick in slices
//! does the same in each run, so each call is timed in several runs, and its least time counts:
//! what else the machine did meanwhile is left out.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Cells that a call looks at.
pub const BUDGET: u64 = 256;
/// Runs of which each call's least time counts.
const RUNS: usize = 3;

/// Runs `ticks` ticks of a world in slices, with an edit before each; `slice` does one and returns
/// whether the tick is complete. Returns the time of each call.
pub fn in_slices<W>(
    mut world: W,
    ticks: u64,
    edit: &impl Fn(&mut W, u64),
    slice: &impl Fn(&mut W) -> bool,
) -> Vec<Duration> {
    let mut calls = Vec::new();
    for tick in 0..ticks {
        edit(&mut world, tick);
        loop {
            let start = Instant::now();
            let is_complete = black_box(slice(&mut world));
            calls.push(start.elapsed());
            if is_complete {
                break;
            }
        }
    }
    calls
}

/// Prints the mean, the 99.9th percentile and the worst of the calls of several runs, each of which
/// does the same. Returns the number of calls.
pub fn print_calls(name: &str, ticks: u64, run: impl Fn() -> Vec<Duration>) -> usize {
    let mut least = run();
    for _ in 1..RUNS {
        let calls = run();
        assert_eq!(calls.len(), least.len(), "a run differs");
        least.iter_mut().zip(calls).for_each(|(least, call)| *least = call.min(*least));
    }
    let slowest = (0..least.len()).max_by_key(|&at| least[at]).unwrap_or(0);
    let (count, sum) = (least.len(), least.iter().sum::<Duration>());
    least.sort_unstable();
    println!(
        "budget/{name}: {ticks} ticks in {count} calls; mean {:.2?}, p99.9 {:.2?}, worst {:.2?} \
         (call {slowest})",
        sum / count as u32,
        least[count * 999 / 1000],
        least[count - 1],
    );
    count
}
