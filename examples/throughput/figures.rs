//! The figures of one workload with so many threads, and their lines of JSON.

use serde_json::{Value, json};

/// What the ticks of one run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    pub seconds: f64,
    /// Chunks with awake cells, added up over the ticks.
    pub chunks: u64,
    /// Cells visited.
    pub cells: u64,
}

/// The runs of a workload. Each does the same work.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    pub workload: String,
    pub threads: usize,
    pub ticks: u64,
    pub chunks: u64,
    pub cells: u64,
    /// What the world holds after the last tick.
    pub bytes: u64,
    /// The state after the last tick: equal work has equal hashes.
    pub hash: u64,
    /// Of each run, the shortest first.
    pub seconds: Vec<f64>,
}

impl Figures {
    pub fn new(workload: &str, threads: usize, ticks: u64) -> Figures {
        let (chunks, cells, bytes, hash) = (0, 0, 0, 0);
        let seconds = Vec::new();
        let workload = workload.to_owned();
        Figures { workload, threads, ticks, chunks, cells, bytes, hash, seconds }
    }

    /// Adds a run. Fails if it did other work than the first.
    pub fn add(&mut self, sample: Sample, bytes: usize, hash: u64) -> Result<(), String> {
        if !self.seconds.is_empty() && (self.cells, self.hash) != (sample.cells, hash) {
            return Err(format!("{}: two runs came to different states", self.workload));
        }
        (self.chunks, self.cells, self.bytes) = (sample.chunks, sample.cells, bytes as u64);
        self.hash = hash;
        let at = self.seconds.partition_point(|&seconds| seconds <= sample.seconds);
        self.seconds.insert(at, sample.seconds);
        Ok(())
    }

    /// Returns the median of the runs' seconds.
    pub fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    pub fn chunks_a_second(&self) -> f64 {
        self.chunks as f64 / self.median()
    }

    pub fn cells_a_second(&self) -> f64 {
        self.cells as f64 / self.median()
    }

    /// Returns the half of the difference of the longest and the shortest run, as a part of the
    /// median.
    pub fn spread(&self) -> f64 {
        let [least, most] = self.extremes();
        (most - least) / 2.0 / self.median()
    }

    /// Returns how many times as fast as before this is: by the medians, at least and at most.
    pub fn ratio(&self, before: &Figures) -> [f64; 3] {
        let ([least, most], [least_before, most_before]) = (self.extremes(), before.extremes());
        [before.median() / self.median(), least_before / most, most_before / least]
    }

    fn extremes(&self) -> [f64; 2] {
        [self.seconds[0], self.seconds[self.seconds.len() - 1]]
    }

    /// Returns the same workload with the same threads among others.
    pub fn same_in<'a>(&self, others: &'a [Figures]) -> Option<&'a Figures> {
        let key = |figures: &Figures| (figures.workload.clone(), figures.threads);
        others.iter().find(|&other| key(other) == key(self))
    }

    /// Returns the figures as a line of JSON.
    pub fn to_line(&self) -> String {
        json!({
            "workload": self.workload,
            "threads": self.threads,
            "ticks": self.ticks,
            "chunk_updates": self.chunks,
            "cells": self.cells,
            "bytes": self.bytes,
            "state_hash": format!("{:016x}", self.hash),
            "seconds": self.seconds,
        })
        .to_string()
    }
}

/// Reads the lines of an earlier run; there is at least one.
pub fn read(text: &str) -> Result<Vec<Figures>, String> {
    let read = |(at, line)| from_line(line).ok_or(format!("line {}: not of this program", at + 1));
    let all = text.lines().enumerate().map(read).collect::<Result<Vec<Figures>, String>>()?;
    if all.is_empty() { Err("no line of figures".to_owned()) } else { Ok(all) }
}

fn from_line(line: &str) -> Option<Figures> {
    let value: Value = serde_json::from_str(line).ok()?;
    let number = |name: &str| value[name].as_u64();
    let seconds = value["seconds"].as_array()?.iter().map(Value::as_f64);
    let mut seconds = seconds.collect::<Option<Vec<f64>>>()?;
    seconds.sort_by(f64::total_cmp);
    let all_positive = seconds.first().is_some_and(|&least| least > 0.0);
    all_positive.then_some(Figures {
        workload: value["workload"].as_str()?.to_owned(),
        threads: number("threads")? as usize,
        ticks: number("ticks")?,
        chunks: number("chunk_updates")?,
        cells: number("cells")?,
        bytes: number("bytes")?,
        hash: u64::from_str_radix(value["state_hash"].as_str()?, 16).ok()?,
        seconds,
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Figures of three runs.
    pub fn figures(workload: &str, threads: usize, seconds: [f64; 3]) -> Figures {
        let mut figures = Figures::new(workload, threads, 10);
        for seconds in seconds {
            let sample = Sample { seconds, chunks: 40, cells: 9_000 };
            figures.add(sample, 12_345, 0xfeed).expect("the same work");
        }
        figures
    }

    #[test]
    fn lines_are_read_back_and_others_refused() {
        let all = [figures("floor", 1, [0.3, 0.1, 0.2]), figures("sea", 2, [1.0, 1.0, 1.5])];
        let text: String = all.iter().map(|figures| figures.to_line() + "\n").collect();
        assert_eq!(read(&text), Ok(all.to_vec()));
        assert_eq!(read("{}"), Err("line 1: not of this program".to_owned()));
        assert_eq!(read(""), Err("no line of figures".to_owned()));
        let empty = text.replace("[0.1,0.2,0.3]", "[]");
        assert_eq!(read(&empty), Err("line 1: not of this program".to_owned()));
    }

    #[test]
    fn a_ratio_has_the_spread_of_both_runs() {
        let (now, before) =
            (figures("floor", 1, [1.0, 2.0, 4.0]), figures("floor", 1, [2.0, 4.0, 6.0]));
        assert_eq!(now.ratio(&before), [2.0, 0.5, 6.0]);
        assert_eq!((now.median(), now.spread()), (2.0, 0.75));
        assert_eq!((now.cells_a_second(), now.chunks_a_second()), (4_500.0, 20.0));
    }

    #[test]
    fn a_run_that_does_other_work_is_refused() {
        let mut figures = figures("floor", 1, [1.0, 2.0, 4.0]);
        let sample = Sample { seconds: 1.0, chunks: 40, cells: 9_000 };
        assert!(figures.add(sample, 1, 0xdead).is_err());
    }
}
