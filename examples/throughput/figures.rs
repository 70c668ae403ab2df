//! The figures of one workload with so many threads, and their lines of JSON. A time of one thread
//! is that in which it computes; of more threads, that of the clock.

use serde_json::{Value, json};

/// What the ticks of one run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Seconds of each tick.
    pub ticks: Vec<f64>,
    /// Chunks with awake cells, added up over the ticks.
    pub chunks: u64,
    /// Cells visited.
    pub cells: u64,
    /// Units that pressure has moved, where that is measured.
    pub units: u64,
    /// What the world holds after the last tick.
    pub bytes: u64,
    /// The state after the last tick: equal work has equal hashes.
    pub hash: u64,
}

/// The runs of a workload. Each does the same work.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    pub workload: String,
    pub threads: usize,
    pub ticks: u64,
    pub chunks: u64,
    pub cells: u64,
    pub units: u64,
    pub bytes: u64,
    pub hash: u64,
    /// Of each run, the shortest first.
    pub seconds: Vec<f64>,
    /// The 99th percentile and the worst of the ticks, in seconds. Each run does the same ticks,
    /// and of each the least time counts: what else the machine did meanwhile is left out.
    pub p99: f64,
    pub worst: f64,
}

impl Figures {
    /// Returns the figures of runs, of which there is at least one. Fails if one did other work
    /// than the first.
    pub fn of(workload: &str, threads: usize, samples: &[Sample]) -> Result<Figures, String> {
        let Some(first) = samples.first() else {
            return Err(format!("{workload}: no run"));
        };
        let work = |sample: &Sample| (sample.ticks.len(), sample.cells, sample.hash);
        if samples.iter().any(|sample| work(sample) != work(first)) {
            return Err(format!("{workload}: two runs came to different states"));
        }
        let mut seconds: Vec<f64> =
            samples.iter().map(|sample| sample.ticks.iter().sum()).collect();
        seconds.sort_by(f64::total_cmp);
        let least = |at| samples.iter().map(|sample| sample.ticks[at]).fold(f64::MAX, f64::min);
        let mut ticks: Vec<f64> = (0..first.ticks.len()).map(least).collect();
        ticks.sort_by(f64::total_cmp);
        Ok(Figures {
            workload: workload.to_owned(),
            threads,
            ticks: ticks.len() as u64,
            chunks: first.chunks,
            cells: first.cells,
            units: first.units,
            bytes: first.bytes,
            hash: first.hash,
            seconds,
            p99: ticks[ticks.len() * 99 / 100],
            worst: ticks[ticks.len() - 1],
        })
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
            "units_by_pressure": self.units,
            "bytes": self.bytes,
            "state_hash": format!("{:016x}", self.hash),
            "seconds": self.seconds,
            "p99": self.p99,
            "worst": self.worst,
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
    let time = |name: &str| value[name].as_f64();
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
        units: number("units_by_pressure")?,
        bytes: number("bytes")?,
        hash: u64::from_str_radix(value["state_hash"].as_str()?, 16).ok()?,
        seconds,
        p99: time("p99")?,
        worst: time("worst")?,
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A run of eight ticks that take as long as each other.
    fn sample(seconds: f64) -> Sample {
        let ticks = vec![seconds / 8.0; 8];
        Sample { ticks, chunks: 40, cells: 9_000, units: 0, bytes: 12_345, hash: 0xfeed }
    }

    /// Figures of three runs.
    pub fn figures(workload: &str, threads: usize, seconds: [f64; 3]) -> Figures {
        Figures::of(workload, threads, &seconds.map(sample)).expect("the same work")
    }

    #[test]
    fn lines_are_read_back_and_others_refused() {
        let all = [figures("floor", 1, [0.75, 0.25, 0.5]), figures("sea", 2, [1.0, 1.0, 1.5])];
        let text: String = all.iter().map(|figures| figures.to_line() + "\n").collect();
        assert_eq!(read(&text), Ok(all.to_vec()));
        assert_eq!(read("{}"), Err("line 1: not of this program".to_owned()));
        assert_eq!(read(""), Err("no line of figures".to_owned()));
        let empty = text.replace("[0.25,0.5,0.75]", "[]");
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
        for other in [Sample { hash: 0xdead, ..sample(1.0) }, Sample { cells: 1, ..sample(1.0) }] {
            assert!(Figures::of("floor", 1, &[sample(1.0), other]).is_err());
        }
        assert!(Figures::of("floor", 1, &[]).is_err());
    }

    #[test]
    fn a_tick_is_its_least_time() {
        let [mut one, mut other] = [sample(8.0), sample(8.0)];
        (one.ticks[2], one.ticks[5], other.ticks[5]) = (9.0, 4.0, 5.0);
        let figures = Figures::of("floor", 1, &[one, other]).expect("the same work");
        assert_eq!((figures.p99, figures.worst, figures.seconds), (4.0, 4.0, vec![12.0, 19.0]));
    }
}
