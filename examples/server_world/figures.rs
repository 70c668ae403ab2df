//! How long the ticks took, and what they did.

use crate::distribution::{distribution, sorted};
use core::fmt;
use std::time::Duration;

/// What one tick of the server took and did.
pub struct Tick {
    /// Finding which chunks are to stand still and which to go on.
    pub choice: Duration,
    /// The call that makes edits and does as much of a tick of the world as there is time for.
    pub world: Duration,
    /// Finding what has changed, and the bytes for all clients.
    pub feed: Duration,
    /// Copying what is saved.
    pub save: Duration,
    /// What all clients took to read and to draw; no part of the server's tick.
    pub clients: Duration,
    /// Whether a tick of the world was completed.
    pub is_complete: bool,
    pub edits: usize,
    pub bytes: usize,
    pub awake: usize,
    pub reduction: u32,
}

/// The figures of a run of some ticks.
pub struct Figures<'a>(pub &'a [Tick]);

impl Figures<'_> {
    fn times(&self, time: fn(&Tick) -> Duration) -> String {
        distribution(&sorted(self.0.iter().map(time)))
    }

    /// Returns the mean and the most.
    fn mean_and_most(&self, of: fn(&Tick) -> usize) -> (usize, usize) {
        let sum: usize = self.0.iter().map(of).sum();
        (sum / self.0.len(), self.0.iter().map(of).max().unwrap_or(0))
    }
}

impl fmt::Display for Figures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let completed = self.0.iter().filter(|tick| tick.is_complete).count();
        let of_server = |tick: &Tick| tick.choice + tick.world + tick.feed + tick.save;
        writeln!(f, "world        {}", self.times(|tick| tick.world))?;
        writeln!(
            f,
            "completed    {completed} ticks of the world in {} of the server: {:.1} in 100",
            self.0.len(),
            100.0 * completed as f64 / self.0.len() as f64,
        )?;
        let (mean, most) = self.mean_and_most(|tick| 100 * tick.reduction as usize);
        writeln!(
            f,
            "distance     {}; shorter for lag by {:.1} columns, at most {}",
            self.times(|tick| tick.choice),
            mean as f64 / 100.0,
            most / 100,
        )?;
        writeln!(f, "feed         {}", self.times(|tick| tick.feed))?;
        writeln!(f, "save         {}", self.times(|tick| tick.save))?;
        writeln!(f, "server       {}", self.times(of_server))?;
        writeln!(f, "all clients  {}", self.times(|tick| tick.clients))?;
        let (mean, most) = self.mean_and_most(|tick| tick.bytes);
        writeln!(f, "to clients   {mean} bytes a tick, at most {most}")?;
        let (mean, most) = self.mean_and_most(|tick| tick.edits);
        writeln!(f, "edits        {mean} in line before a tick, at most {most}")?;
        let (mean, most) = self.mean_and_most(|tick| tick.awake);
        writeln!(f, "awake        {mean} cells, at most {most}")
    }
}
