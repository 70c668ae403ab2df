//! A tick of a world, in pieces: that of water, then what passes between water and soil, then the
//! step of soil, then those of explosions.

use super::World;
#[cfg(feature = "snapshot")]
use super::rules::Rules;
use crate::automaton::StepReport;
use crate::water::Progress;
use std::time::{Duration, Instant};

/// What a tick does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// None is underway.
    Rest,
    /// The tick of water, which may be underway itself.
    Water,
    /// What passes between water and soil, in the ticks of soil.
    Exchange,
    /// The step of soil, in its ticks.
    Soil,
    /// Steps of explosions, after so many.
    Blast(u32),
}

impl Stage {
    /// Returns a number for hashes and saves. The tick of water counts as none: until its end, the
    /// world is as it was before.
    pub(crate) fn number(self) -> u32 {
        match self {
            Stage::Rest | Stage::Water => 0,
            Stage::Exchange => 1,
            Stage::Soil => 2,
            Stage::Blast(done) => 3 + done,
        }
    }

    /// Returns the stage of a number, in a world with these rules. `None` if there is none.
    #[cfg(feature = "snapshot")]
    pub(crate) fn from_number(number: u32, rules: &Rules) -> Option<Stage> {
        match number.checked_sub(Stage::Blast(0).number()) {
            Some(done) => (done <= rules.blast_steps).then_some(Stage::Blast(done)),
            None => [Stage::Rest, Stage::Exchange, Stage::Soil]
                .into_iter()
                .find(|stage| stage.number() == number),
        }
    }
}

impl World {
    /// Runs one tick, or completes the one that is underway. First the [queued](World::queue) edits
    /// are made, then water has its tick, then in every
    /// [`soil_period`](super::Rules::soil_period)-th tick [units pass](super::Couplings) between water
    /// and soil, and soil has its step, then pressure its
    /// [`blast_steps`](super::Rules::blast_steps), if there is any, and what is left of it
    /// [throws](super::Rules::throw_flow) water. In the report, `moved` counts the units of water that
    /// its tick moved.
    pub fn step(&mut self) -> StepReport {
        self.advance(None).report
    }

    /// Runs `ticks` ticks and returns the sum of their reports. At rest only the counters advance.
    pub fn run(&mut self, ticks: u64) -> StepReport {
        let mut sum = StepReport::default();
        for left in (1..=ticks).rev() {
            if self.is_at_rest() {
                self.pass(left);
                break;
            }
            sum += self.step();
        }
        sum
    }

    /// Completes the tick that is underway, and does nothing if there is none. Returns what the
    /// call did.
    pub fn finish_tick(&mut self) -> StepReport {
        if self.stage == Stage::Rest { StepReport::default() } else { self.step() }
    }

    /// Resumes the tick that is underway, or begins one, and stops when `budget` cells have been
    /// visited or the tick is complete. A tick done in any number of calls leaves the same bytes as
    /// one [`step`](World::step).
    ///
    /// The tick of water is done in the pieces of
    /// [`WaterWorld::step_within`](crate::water::WaterWorld::step_within). What passes between
    /// water and soil is one piece, the step of soil is one, and so is each step of explosions,
    /// whatever they visit.
    ///
    /// While water has its tick, whatever is read of the world is as it was after the last complete
    /// tick. From then until the tick is complete, water, with its ledger, is that of the new tick,
    /// and soil, pressure and ground are as far as their pieces have come; [`ticks`](World::ticks)
    /// counts complete ticks. Edits complete a tick that is underway first.
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::world::{Content, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let air = palette.id("air").expect("natural");
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// world.insert_chunk(IVec3::ZERO, Content::from_fn(IVec3::ZERO, |_| air))?;
    /// world.rain(IVec3::new(8, 15, 8), 7)?;
    /// let mut calls = 1;
    /// while !world.step_within(1).finished {
    ///     calls += 1;
    /// }
    /// assert!(calls > 2 && world.ticks() == 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_within(&mut self, budget: u64) -> Progress {
        if budget == u64::MAX {
            return self.advance(None);
        }
        self.step_while(|progress| progress.looked_at < budget)
    }

    /// Does as [`step_within`](World::step_within) does, and stops after the piece with which
    /// `time` has passed since the call, or when the tick is complete. What a tick comes to does
    /// not depend on it.
    ///
    /// # Panics
    /// Where the standard library has no clock, as on `wasm32-unknown-unknown`; there,
    /// [`step_while`](World::step_while) takes one.
    pub fn step_for(&mut self, time: Duration) -> Progress {
        let begin = Instant::now();
        self.step_while(|_| begin.elapsed() < time)
    }

    /// Does as [`step_within`](World::step_within) does, as long as `goes_on` says so: it is asked
    /// after each piece, with what the call has done so far. The call stops after the first piece
    /// for which it says no, or when the tick is complete.
    pub fn step_while(&mut self, mut goes_on: impl FnMut(&Progress) -> bool) -> Progress {
        self.advance(Some(&mut goes_on))
    }

    /// Wakes every cell. The next ticks cost more, but change nothing that they would not have
    /// changed otherwise. Completes a tick underway first.
    pub fn wake_all(&mut self) {
        self.settle();
        self.water.wake_all();
        self.soil.wake_all();
        self.blast.wake_all();
        self.note_all_ground();
    }

    /// Makes the queued edits, then does the tick stage by stage, while `goes_on`, or whole.
    fn advance(&mut self, mut goes_on: Option<&mut dyn FnMut(&Progress) -> bool>) -> Progress {
        let mut progress = Progress::default();
        self.queue.begin_tick();
        while self.queue.due() > 0 {
            progress.looked_at += self.make_next_edit();
            if goes_on.as_mut().is_some_and(|goes_on| !goes_on(&progress)) {
                return progress;
            }
        }
        if matches!(self.stage, Stage::Rest | Stage::Water) {
            let water = self.step_water(&mut progress, &mut goes_on);
            if !water {
                return progress;
            }
        }
        while self.stage != Stage::Rest {
            let report = self.piece();
            progress.looked_at += report.visited;
            progress.report += StepReport { moved: 0, ..report };
            if self.stage != Stage::Rest
                && goes_on.as_mut().is_some_and(|goes_on| !goes_on(&progress))
            {
                return progress;
            }
        }
        self.queue.end_tick();
        self.tick = self.tick.wrapping_add(1);
        progress.finished = true;
        progress
    }

    /// Does the tick of water, or a part of it. Returns whether it is complete.
    fn step_water(
        &mut self,
        progress: &mut Progress,
        goes_on: &mut Option<&mut dyn FnMut(&Progress) -> bool>,
    ) -> bool {
        self.stage = Stage::Water;
        let before = *progress;
        let sum = |water: &Progress| {
            let mut report = before.report;
            report += water.report;
            let looked_at = before.looked_at + water.looked_at;
            Progress { report, looked_at, finished: false }
        };
        let water = match goes_on {
            None => self.water.step_within(u64::MAX),
            Some(goes_on) => self.water.step_while(|water| goes_on(&sum(water))),
        };
        *progress = sum(&water);
        if water.finished {
            progress.report.changed += self.ebb();
            self.stage = Stage::Exchange;
        }
        // The pieces that close the tick need a call that may go on.
        water.finished && goes_on.as_mut().is_none_or(|goes_on| goes_on(progress))
    }

    /// Does a piece of the stages after that of water.
    fn piece(&mut self) -> StepReport {
        match self.stage {
            Stage::Rest | Stage::Water => StepReport::default(),
            Stage::Exchange => {
                self.stage = Stage::Soil;
                if self.has_soil_step() { self.exchange() } else { StepReport::default() }
            }
            Stage::Soil => {
                self.stage = Stage::Blast(0);
                if self.has_soil_step() { self.step_soil() } else { StepReport::default() }
            }
            Stage::Blast(done) => self.blast_piece(done),
        }
    }

    fn step_soil(&mut self) -> StepReport {
        self.touch_awake_soil();
        self.soil.run(1)
    }

    /// Does a piece of explosions, of which so many steps are done.
    fn blast_piece(&mut self, done: u32) -> StepReport {
        self.touch_pressure();
        if done == 0 {
            self.follow_water();
        }
        if done < self.rules.blast_steps && !self.blast.is_at_rest() {
            self.stage = Stage::Blast(done + 1);
            return self.step_blast();
        }
        self.stage = Stage::Rest;
        self.blast.run(u64::from(self.rules.blast_steps - done));
        self.lend_stirred();
        let changed = self.throw_water();
        self.take_back_silent();
        StepReport { changed, ..StepReport::default() }
    }

    /// Returns whether soil has its step in the tick after the last complete one.
    fn has_soil_step(&self) -> bool {
        self.tick.wrapping_add(1).is_multiple_of(self.rules.soil_period.into())
    }

    /// Passes so many ticks at rest.
    fn pass(&mut self, ticks: u64) {
        let period = u64::from(self.rules.soil_period);
        let (end, wraps) = self.tick.overflowing_add(ticks);
        self.water.run(ticks);
        let (before, after) = (self.tick / period, end / period);
        // A counter that wraps passes 0, a multiple of any period.
        self.soil.run(if wraps { u64::MAX / period - before + 1 + after } else { after - before });
        self.blast.run(ticks.wrapping_mul(self.rules.blast_steps.into()));
        self.tick = end;
    }

    /// Makes all edits that wait and completes the tick that is underway, before an edit that is
    /// made directly.
    pub(super) fn settle(&mut self) {
        self.make_queued_edits();
        self.finish_tick();
        self.is_water_edited = true;
    }
}
