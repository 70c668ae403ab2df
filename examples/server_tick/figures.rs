//! How long the ticks took.

use crate::distribution::{distribution, sorted};
use core::fmt;
use std::time::Duration;

/// What one tick of the server took and did.
pub struct Tick {
    /// The call that makes edits and does as much of a tick of the water as there is time for.
    pub water: Duration,
    /// Its share for edits; 0 if the tick may be cut short.
    pub edited: Duration,
    /// Finding what has changed, and the bytes for all clients.
    pub feed: Duration,
    /// Finding which chunks are to stand still and which to go on.
    pub choice: Duration,
    /// By how many columns the simulation distance is shorter, for lag.
    pub reduction: u32,
    /// Whether a tick of the water was completed.
    pub is_complete: bool,
    /// Edits in line.
    pub edits: usize,
    pub bytes: usize,
    /// Cells that the tick of the water that is underway has still to visit.
    pub backlog: u64,
    pub awake: usize,
}

/// The figures of a run.
pub struct Figures {
    /// In milliseconds, in ascending order.
    water: Vec<f64>,
    edited: Vec<f64>,
    feed: Vec<f64>,
    choice: Vec<f64>,
    reduction: (usize, usize),
    completed: usize,
    edits: (usize, usize),
    bytes: (usize, usize),
    backlog: (u64, u64),
    awake: (usize, usize),
}

impl Figures {
    /// Returns the figures of ticks, of which there are some.
    pub fn of(ticks: &[Tick]) -> Figures {
        let times = |time: fn(&Tick) -> Duration| sorted(ticks.iter().map(time));
        let mean_and_most = |of: fn(&Tick) -> usize| {
            let sum: usize = ticks.iter().map(of).sum();
            (sum / ticks.len(), ticks.iter().map(of).max().unwrap_or(0))
        };
        let backlog = |of: fn(&Tick) -> u64| {
            let sum: u64 = ticks.iter().map(of).sum();
            (sum / ticks.len() as u64, ticks.iter().map(of).max().unwrap_or(0))
        };
        Figures {
            water: times(|tick| tick.water),
            edited: times(|tick| tick.edited),
            feed: times(|tick| tick.feed),
            choice: times(|tick| tick.choice),
            reduction: mean_and_most(|tick| 100 * tick.reduction as usize),
            completed: ticks.iter().filter(|tick| tick.is_complete).count(),
            edits: mean_and_most(|tick| tick.edits),
            bytes: mean_and_most(|tick| tick.bytes),
            backlog: backlog(|tick| tick.backlog),
            awake: mean_and_most(|tick| tick.awake),
        }
    }

    /// Returns the mean time of the water in a tick, in milliseconds.
    pub fn mean(&self) -> f64 {
        mean(&self.water)
    }

    /// The same for making edits, in ticks that are never cut short.
    pub fn mean_edited(&self) -> f64 {
        mean(&self.edited)
    }

    /// Returns the times of the water, for ticks that are never cut short.
    pub fn of_whole_ticks(&self) -> String {
        format!("mean {:.2} ms, {}", self.mean(), distribution(&self.water))
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let over = self.water.iter().filter(|&&time| time > 50.0).count();
        let count = self.water.len();
        writeln!(f, "water        {}; {over} over 50 ms", distribution(&self.water))?;
        writeln!(
            f,
            "completed    {} ticks of the water in {count} of the server: {:.1} in 100",
            self.completed,
            100.0 * self.completed as f64 / count as f64,
        )?;
        let (mean, most) = self.reduction;
        writeln!(
            f,
            "distance     {}; shorter for lag by {:.1} columns, at most {}",
            distribution(&self.choice),
            mean as f64 / 100.0,
            most / 100,
        )?;
        writeln!(f, "feed         {}", distribution(&self.feed))?;
        let (mean, most) = self.bytes;
        writeln!(f, "to clients   {mean} bytes a tick, at most {most}")?;
        let (mean, most) = self.edits;
        writeln!(f, "edits        {mean} in line before a tick, at most {most}")?;
        let (mean, most) = self.backlog;
        writeln!(f, "backlog      {mean} cells after a tick, at most {most}")?;
        let (mean, most) = self.awake;
        writeln!(f, "awake        {mean} cells, at most {most}")
    }
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}
