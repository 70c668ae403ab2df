//! How long frames and ticks take.

use crate::spans::ByPart;
use std::fmt;

/// The frames and ticks of late, over which what is shown is taken.
const LATELY: usize = 60;

/// A list of times in milliseconds.
#[derive(Debug, Default)]
pub struct Times(Vec<f32>);

impl Times {
    fn add(&mut self, milliseconds: f32) {
        self.0.push(milliseconds);
    }

    fn lately(&self) -> &[f32] {
        &self.0[self.0.len().saturating_sub(LATELY)..]
    }

    /// Returns the mean of late.
    pub fn mean_lately(&self) -> f32 {
        let lately = self.lately();
        lately.iter().fold(0.0, |sum, time| sum + time) / lately.len().max(1) as f32
    }

    /// Returns the most of late.
    pub fn most_lately(&self) -> f32 {
        self.lately().iter().copied().fold(0.0, f32::max)
    }
}

impl fmt::Display for Times {
    /// The number of times, their mean, the one that 1 % exceed, and the most.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort_by(f32::total_cmp);
        let at = |share: usize| sorted.get(sorted.len() * share / 100).or(sorted.last());
        let time = |time: Option<&f32>| time.copied().unwrap_or(0.0);
        let mean = sorted.iter().fold(0.0, |sum, time| sum + time) / sorted.len().max(1) as f32;
        let (p99, most) = (time(at(99)), time(sorted.last()));
        write!(f, "{} times, mean {mean:.2} ms, 99 % {p99:.2} ms, most {most:.2} ms", sorted.len())
    }
}

impl fmt::Display for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Meter { frames, work, drawing, ticks, .. } = self;
        write!(f, "frames: {frames}\n  work: {work}\n  drawing: {drawing}\nticks: {ticks}")
    }
}

/// The times of a run.
#[derive(Debug, Default)]
pub struct Meter {
    /// From one frame to the next.
    pub frames: Times,
    /// What the program works on a frame, without the calls that draw it.
    pub work: Times,
    /// The calls that draw a frame: driver, and GPU as far as they wait for it.
    pub drawing: Times,
    /// What a call takes that does pieces of a tick, and what it takes to follow a tick.
    pub pieces: Times,
    pub following: Times,
    /// What the meshes of a frame take.
    pub meshes: Times,
    /// What the pieces of a tick take together.
    pub ticks: Times,
    /// What each part of a tick takes.
    pub parts: ByPart<Times>,
    /// The pieces of the tick that is underway, and their parts.
    tick: f32,
    tick_parts: ByPart<f32>,
}

impl Meter {
    /// Counts the time from one frame to the next.
    pub fn begin_frame(&mut self, seconds: f64) {
        self.frames.add(seconds as f32 * 1e3);
    }

    /// Counts the parts of a frame.
    pub fn end_frame(&mut self, work: f64, drawing: f64) {
        self.work.add(work as f32 * 1e3);
        self.drawing.add(drawing as f32 * 1e3);
    }

    /// Counts what it took to follow a tick.
    pub fn count_following(&mut self, seconds: f64) {
        self.following.add(seconds as f32 * 1e3);
    }

    /// Counts what the meshes of a frame took.
    pub fn count_meshes(&mut self, seconds: f64) {
        self.meshes.add(seconds as f32 * 1e3);
    }

    /// Counts a piece of a tick with its parts, and the tick if that completes it.
    pub fn count_piece(&mut self, seconds: f64, parts: ByPart<f64>, is_complete: bool) {
        self.pieces.add(seconds as f32 * 1e3);
        self.tick += seconds as f32 * 1e3;
        for (sum, part) in self.tick_parts.iter_mut().zip(parts) {
            *sum += part as f32 * 1e3;
        }
        if is_complete {
            self.ticks.add(std::mem::take(&mut self.tick));
            for (times, sum) in self.parts.iter_mut().zip(&mut self.tick_parts) {
                times.add(std::mem::take(sum));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spans::Part;

    /// A piece that is in one part all the time.
    fn of(part: Part, seconds: f64) -> ByPart<f64> {
        Part::ALL.map(|other| if other == part { seconds } else { 0.0 })
    }

    #[test]
    fn pieces_add_up_to_ticks() {
        let mut meter = Meter::default();
        meter.count_piece(0.001, of(Part::Flow, 0.001), false);
        meter.count_piece(0.002, of(Part::Flow, 0.002), true);
        meter.count_piece(0.005, of(Part::Ebb, 0.005), true);
        let parts = meter.parts.each_ref().map(Times::mean_lately);
        for part in Part::ALL {
            let mean = match part {
                Part::Flow => 1.5,
                Part::Ebb => 2.5,
                _ => 0.0,
            };
            assert!((parts[part as usize] - mean).abs() < 1e-3, "{part:?}: {parts:?}");
        }
        assert_eq!(meter.ticks.0.len(), 2);
        assert!((meter.ticks.mean_lately() - 4.0).abs() < 1e-3);
        assert!((meter.ticks.most_lately() - 5.0).abs() < 1e-3);
    }

    #[test]
    fn a_list_tells_what_few_exceed() {
        let mut times = Times::default();
        for time in 1..=200_u8 {
            times.add(f32::from(time));
        }
        let text = "200 times, mean 100.50 ms, 99 % 199.00 ms, most 200.00 ms";
        assert_eq!(times.to_string(), text);
        assert_eq!(
            Times::default().to_string(),
            "0 times, mean 0.00 ms, 99 % 0.00 ms, most 0.00 ms"
        );
        assert_eq!(times.most_lately(), 200.0);
        assert!((times.mean_lately() - 170.5).abs() < 1e-3);
    }
}
