//! What the ticks of a rank cost: processor time of its thread, without waiting, and the work that
//! explains it. Times of a clock on the wall would measure what else runs on the machine.

use crate::exchange::Ranks;
use crate::faults::Fault;
use crate::options::Options;
use rustix::time::{ClockId, clock_gettime};
use std::fs;

/// Ticks that are added up to a row.
const TICKS: u64 = 10;

/// The heading of a file of rows.
const HEADING: &str =
    "scene,ranks,rank,ticks,chunks,changed,ahead,messages,bytes,rounds,compute_ns,exchange_ns\n";

/// Returns the processor time of this thread, in nanoseconds.
pub fn processor_time() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What has been done and taken since the start.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub ticks: u64,
    /// Awake chunks stepped, summed over the ticks.
    pub chunks: u64,
    /// Cells that changed, summed over the ticks.
    pub changed: u64,
    /// Pieces of work done ahead, while messages were under way.
    pub ahead: u64,
    pub messages: u64,
    pub bytes: u64,
    /// Exchanges with other ranks.
    pub rounds: u64,
    /// Nanoseconds in steps.
    pub compute: u64,
    /// Nanoseconds in which messages were packed, sent, taken and applied.
    pub exchange: u64,
}

impl Cost {
    fn since(&self, before: &Cost) -> [u64; 9] {
        [
            self.ticks - before.ticks,
            self.chunks - before.chunks,
            self.changed - before.changed,
            self.ahead - before.ahead,
            self.messages - before.messages,
            self.bytes - before.bytes,
            self.rounds - before.rounds,
            self.compute - before.compute,
            self.exchange - before.exchange,
        ]
    }
}

/// The costs of this rank, in rows of some ticks.
#[derive(Default)]
pub struct Meter {
    last: Cost,
    rows: Vec<[u64; 9]>,
}

impl Meter {
    /// Adds a row if one is complete.
    pub fn note(&mut self, now: Cost) {
        if now.ticks - self.last.ticks >= TICKS {
            self.rows.push(now.since(&self.last));
            self.last = now;
        }
    }

    /// Writes the rows of all ranks to the file of `--measure`, if there is one.
    pub fn write(&self, options: &Options, ranks: &mut Ranks) -> Result<(), Fault> {
        let Some(file) = &options.measure else { return Ok(()) };
        let mut text = String::new();
        for row in &self.rows {
            let numbers = row.map(|number| number.to_string()).join(",");
            text += &format!("{:?},{},{},{numbers}\n", options.scene, ranks.count(), ranks.me());
        }
        let all = ranks.gather(text.into_bytes());
        if ranks.me() == 0 {
            fs::write(file, [HEADING.as_bytes().to_vec(), all.concat()].concat())?;
        }
        Ok(())
    }
}
