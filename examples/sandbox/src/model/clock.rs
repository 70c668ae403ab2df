//! When ticks are due: 20 a second times the speed, one by one while paused.

use super::action::{FASTEST, Refusal};

/// Ticks a second at speed 1.
pub const TICKS: f32 = 20.0;

/// The most ticks that may be late. Behind that, the world runs slower than it should, and the
/// frames keep their pace.
const MOST_LATE: f32 = 2.0;

/// The clock of a sandbox.
#[derive(Clone, Debug)]
pub struct Clock {
    pub is_paused: bool,
    pub speed: u32,
    /// Ticks that are due, with the part of the next one that has passed.
    due: f32,
    /// Single steps that were asked for.
    steps: u32,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { is_paused: false, speed: 1, due: 0.0, steps: 0 }
    }
}

impl Clock {
    /// Lets so many seconds pass.
    pub fn pass(&mut self, seconds: f32) {
        if !self.is_paused {
            let speed = self.speed as f32;
            self.due = (self.due + seconds * TICKS * speed).min(MOST_LATE * speed.max(1.0));
        }
    }

    /// Asks for a tick while paused.
    pub fn step(&mut self) {
        self.steps += 1;
    }

    /// Makes a tick due now, if the clock runs.
    pub fn hurry(&mut self) {
        if !self.is_paused {
            self.due = self.due.max(1.0);
        }
    }

    /// Sets the speed.
    pub fn set_speed(&mut self, speed: u32) -> Result<(), Refusal> {
        if !(1..=FASTEST).contains(&speed) {
            return Err(Refusal::Speed(speed));
        }
        self.speed = speed;
        Ok(())
    }

    /// Stops the clock or lets it go on.
    pub fn pause(&mut self, is_paused: bool) {
        (self.is_paused, self.due, self.steps) = (is_paused, 0.0, 0);
    }

    /// Returns whether it is paused, and no tick was asked for.
    pub fn is_stopped(&self) -> bool {
        self.is_paused && self.steps == 0
    }

    /// Takes a tick that is due. Returns whether there was one.
    pub fn take(&mut self) -> bool {
        if self.steps > 0 {
            self.steps -= 1;
            return true;
        }
        let is_due = !self.is_paused && self.due >= 1.0;
        if is_due {
            self.due -= 1.0;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(clock: &mut Clock) -> u32 {
        (0..).take_while(|_| clock.take()).count() as u32
    }

    #[test]
    fn twenty_ticks_a_second_times_the_speed_are_due() {
        let mut clock = Clock::default();
        let run = |clock: &mut Clock| -> u32 {
            let frame = |_| {
                clock.pass(1.0 / 64.0);
                ticks(clock)
            };
            (0..64).map(frame).sum()
        };
        assert_eq!(run(&mut clock), 20);
        clock.set_speed(4).unwrap();
        assert_eq!(run(&mut clock), 80);
    }

    #[test]
    fn a_late_clock_does_not_hurry_after() {
        let mut clock = Clock::default();
        clock.pass(10.0);
        assert_eq!(ticks(&mut clock), 2);
    }

    #[test]
    fn a_paused_clock_gives_the_steps_that_were_asked_for() {
        let mut clock = Clock::default();
        clock.pause(true);
        clock.pass(1.0);
        clock.hurry();
        assert_eq!(ticks(&mut clock), 0);
        clock.step();
        assert_eq!(ticks(&mut clock), 1);
    }

    #[test]
    fn speeds_out_of_range_are_refused() {
        let mut clock = Clock::default();
        assert_eq!(clock.set_speed(0), Err(Refusal::Speed(0)));
        assert_eq!(clock.set_speed(17), Err(Refusal::Speed(17)));
        assert_eq!(clock.speed, 1);
    }
}
