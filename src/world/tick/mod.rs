//! A tick of a world, in pieces: the tick of water, the exchange between water and soil, chunk by
//! chunk, then the step of soil, then the steps of explosions. In a step of soil or of explosions,
//! the work that only reads is done ahead, one chunk in each piece, before anything changes; the
//! last piece of the step makes the changes. Soil is also stepped ahead in the ticks between its
//! steps, in the time that is left.
//!
//! | file | what |
//! |---|---|
//! | `contacts`, `exchange`, `seabed` | where units may pass between water and soil, how they do, and which soil the sea keeps full |
//! | `settle` | ticks of some chunks alone, until nothing moves in them |
//! | `touched` | the chunks that a save may leave out |

pub(super) mod contacts;
pub(super) mod exchange;
pub(crate) mod seabed;
pub(super) mod settle;
pub(crate) mod touched;

use crate::automata::blast::mirror::stirred_chunks;
use crate::automata::blast::step::ahead::step_ahead;
use crate::chunk::LAYER_CELLS;
use crate::coords::{CHUNK_CELLS, ChunkPos, Region};
use crate::simulation::Progress;
use crate::simulation::StepReport;
use crate::world::World;
use crate::world::pressure::reach::forget_origins;
use crate::world::pressure::throws::{find_throws_ahead, throw_water};
use crate::world::pressure::under_water::follow_water;
use crate::world::pressure::{lend_beside, step_blast, take_back_silent};
#[cfg(feature = "snapshot")]
use crate::world::rules::Rules;
use crate::world::rules::error::EditError;
use crate::world::tick::contacts::note_all_ground;
use crate::world::tick::exchange::{Soaking, Springing, ebb, exchange_piece};
use crate::world::tick::settle::Settling;
use crate::world::tick::touched::{touch, touch_pressure};
use std::time::{Duration, Instant};

/// The next stage of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// No tick is underway.
    Rest,
    /// The tick of water, which may be underway itself.
    Water,
    /// Water soaks into soil, in ticks with a step of soil: in the chunks after this one, in order
    /// of position.
    Soaking(Option<ChunkPos>),
    /// Soil gives water, in ticks with a step of soil: in the chunks after this one, in order of
    /// position.
    Springing(Option<ChunkPos>),
    /// The step of soil, in the ticks that have one.
    Soil,
    /// Ground is lent for a step of explosions, after this many steps of this tick.
    Blast(u32),
    /// A step of explosions, whose ground is lent, after this many steps of this tick.
    Lent(u32),
    /// Throwing of water, after the steps of explosions.
    Throws,
}

/// The first number of each of the last three kinds of stage in [`Stage::number`].
const BLAST: u32 = 4;
const LENT: u32 = 1 << 16;
const THROWS: u32 = 1 << 17;

/// The result of a piece.
pub(in crate::world) struct Piece {
    pub(in crate::world) report: StepReport,
    /// The number of cells that the piece visited.
    pub(in crate::world) visited: u64,
}

impl Piece {
    pub(in crate::world) const NONE: Piece =
        Piece { report: StepReport { visited: 0, changed: 0, moved: 0 }, visited: 0 };

    /// Returns a piece done ahead, whose result counts when the stage is complete.
    pub(in crate::world) fn ahead(visited: u64) -> Piece {
        Piece { visited, ..Piece::NONE }
    }

    /// Returns a piece that completes a step. A chunk counts as a layer if its result was computed
    /// ahead and is only put in place, and as a whole chunk otherwise.
    fn completing(report: StepReport, was_ahead: bool) -> Piece {
        let part = if was_ahead { LAYER_CELLS as u64 } else { CHUNK_CELLS as u64 };
        Piece { report, visited: report.visited / CHUNK_CELLS as u64 * part }
    }
}

impl Stage {
    /// Returns the number of the stage for hashes and saves. A tick of water that is underway has
    /// the number of [`Stage::Rest`]: until it ends, the world is as it was before.
    pub(crate) fn number(self) -> u32 {
        match self {
            Stage::Rest | Stage::Water => 0,
            Stage::Soaking(_) => 1,
            Stage::Springing(_) => 2,
            Stage::Soil => 3,
            Stage::Blast(done) => BLAST + done,
            Stage::Lent(done) => LENT + done,
            Stage::Throws => THROWS,
        }
    }

    /// Returns the chunk after which the stage resumes; `None` if it has not begun, or is not done
    /// chunk by chunk.
    pub(crate) fn after(self) -> Option<ChunkPos> {
        match self {
            Stage::Soaking(after) | Stage::Springing(after) => after,
            _ => None,
        }
    }

    /// Returns the stage with a number, in a world with these rules, resuming after a chunk; `None`
    /// if there is no such stage.
    #[cfg(feature = "snapshot")]
    pub(crate) fn from_number(
        number: u32,
        after: Option<ChunkPos>,
        rules: &Rules,
    ) -> Option<Stage> {
        match number {
            1 => Some(Stage::Soaking(after)),
            2 => Some(Stage::Springing(after)),
            _ if after.is_some() => None,
            0 => Some(Stage::Rest),
            3 => Some(Stage::Soil),
            BLAST..LENT => {
                Some(number - BLAST).filter(|&done| done <= rules.blast_steps).map(Stage::Blast)
            }
            LENT..THROWS => {
                Some(number - LENT).filter(|&done| done < rules.blast_steps).map(Stage::Lent)
            }
            THROWS => Some(Stage::Throws),
            _ => None,
        }
    }
}

impl World {
    /// Runs one tick, or completes the one that is underway. First the [queued](World::queue) edits
    /// are made, then water has its tick. In every
    /// [`soil_period`](crate::world::Rules::soil_period)-th tick [units
    /// pass](crate::world::Couplings) between water and soil, and soil has its step. Then pressure,
    /// if there is any, has its [`blast_steps`](crate::world::Rules::blast_steps), and the
    /// remaining pressure [throws](crate::world::Rules::throw_flow) water. In the report, `moved`
    /// counts the units moved by the tick of water.
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

    /// Completes the tick that is underway, or does nothing if there is none. Returns a report of
    /// the call.
    pub fn finish_tick(&mut self) -> StepReport {
        if self.stage == Stage::Rest { StepReport::default() } else { self.step() }
    }

    /// Resumes the tick that is underway, or begins one, and stops when `budget` cells have been
    /// visited or the tick is complete. A tick done in any number of calls leaves the same bytes as
    /// one [`step`](World::step).
    ///
    /// The tick of water is done in the pieces of
    /// [`WaterWorld::step_within`](crate::water::WaterWorld::step_within). The step of soil, each
    /// step of explosions, the search for new contacts of water and soil, and the search for thrown
    /// water are done chunk by chunk, and each chunk counts as 4,096 cells. The exchange between
    /// water and soil is done chunk by chunk, too; the cells of soil at which a unit may pass are
    /// counted, and 256 more for each chunk. The end of a step is one piece, and each chunk counts
    /// as 256 cells: for soil it exchanges pointers and writes few rows; for explosions it includes
    /// the breaking of ground. The lending of ground before a step of explosions and the flight of
    /// thrown water are also one piece each.
    ///
    /// The budget that remains when the tick is complete is spent on the next step of soil, up to
    /// an even share in each tick before it: chunks are stepped ahead, on copies, and each counts
    /// as 4,096 cells. If an edit changes the input of such a step, the chunk is stepped again. The
    /// copies take memory until the step, for awake chunks alone, and are not saved.
    ///
    /// While the tick of water is underway, all queries answer for the world after the last
    /// complete tick. From then until the tick is complete, water and its ledger are those of the
    /// new tick, units pass between water and soil chunk by chunk, and soil, pressure and ground
    /// show only whole steps: the result of a step is visible, and saved, when the step is
    /// complete. [`ticks`](World::ticks) counts complete ticks. Edits complete a tick that is
    /// underway first.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let air = palette.id("air").expect("natural");
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// world.insert_chunk(ChunkPos::ZERO, ChunkContent::from_fn(ChunkPos::ZERO, |_| air))?;
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
        self.step_while(|progress| progress.visited < budget)
    }

    /// Works like [`step_within`](World::step_within), but stops after the piece in which `time`
    /// has passed since the call, or when there is nothing left to do in the tick. The result of
    /// the tick does not depend on the time.
    ///
    /// Pieces of soil take up to 0.2 ms. Longer ones are queued edits of a region (16³ cells filled
    /// with rock in a lake: 14 ms) and the end of a step of explosions: 1 ms for a charge of radius
    /// 4 at 400, 9 ms for one of radius 16 at 10,000 (one EPYC core, 2026-11-27).
    ///
    /// # Panics
    /// Panics where the standard library has no clock, as on `wasm32-unknown-unknown`. There, use
    /// [`step_while`](World::step_while) with a clock of your own.
    pub fn step_for(&mut self, time: Duration) -> Progress {
        let begin = Instant::now();
        self.step_while(|_| begin.elapsed() < time)
    }

    /// Works like [`step_within`](World::step_within), but stops when `goes_on` returns `false`.
    /// `goes_on` is called after each piece, with a report of the call so far. The call also stops
    /// when there is nothing left to do in the tick.
    pub fn step_while(&mut self, mut goes_on: impl FnMut(&Progress) -> bool) -> Progress {
        self.advance(Some(&mut goes_on))
    }

    /// Wakes every cell. The next ticks cost more, but have the same results. Completes a tick
    /// underway first.
    pub fn wake_all(&mut self) {
        self.settle();
        self.water.wake_all();
        self.soil.wake_all();
        self.blast.wake_all();
        note_all_ground(self);
        // Frozen chunks do not count as awake.
        let chunks = self.water.chunks().map(|(chunk, _)| chunk);
        let still: Vec<_> = chunks.filter(|&chunk| self.water.is_frozen(chunk)).collect();
        still.into_iter().for_each(|chunk| touch(self, chunk));
    }

    /// Makes the queued edits, then does the tick stage by stage while `goes_on` returns `true`, or
    /// as a whole if `goes_on` is `None`.
    fn advance(&mut self, mut goes_on: Option<&mut dyn FnMut(&Progress) -> bool>) -> Progress {
        crate::spans::span!("world");
        let mut progress = Progress::default();
        self.queue.begin_tick();
        while self.queue.due() > 0 {
            progress.visited += self.make_next_edit();
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
            let Piece { report, visited } = self.piece(goes_on.is_some());
            progress.visited += visited;
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
        if let Some(goes_on) = goes_on {
            self.step_soil_ahead(&mut progress, goes_on);
        }
        progress
    }

    /// Steps soil ahead after a completed tick, in the time that is left: an even share in each
    /// tick, so that the tick of the next step of soil has no chunk left to step.
    fn step_soil_ahead(
        &mut self,
        progress: &mut Progress,
        goes_on: &mut dyn FnMut(&Progress) -> bool,
    ) {
        let between = u64::from(self.rules.soil_period) - 1;
        let to_come = between - self.tick % u64::from(self.rules.soil_period);
        let awake = self.soil.awake_chunks() as u64;
        let left = (awake * to_come).checked_div(between).unwrap_or(awake) as usize;
        while goes_on(progress)
            && let Some(cells) = self.soil.step_chunk_ahead(left)
        {
            progress.visited += cells;
        }
    }

    /// Runs the tick of water, or a part of it. Returns whether it is complete.
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
            let visited = before.visited + water.visited;
            Progress { report, visited, finished: false }
        };
        let water = match goes_on {
            None => self.water.step_within(u64::MAX),
            Some(goes_on) => self.water.step_while(|water| goes_on(&sum(water))),
        };
        *progress = sum(&water);
        if water.finished {
            progress.report.changed += ebb(self);
            self.stage = Stage::Soaking(None);
        }
        // The pieces after the tick of water run only if the call may continue.
        water.finished && goes_on.as_mut().is_none_or(|goes_on| goes_on(progress))
    }

    /// Runs a piece of a stage after the tick of water. If the call may not stop in between, no
    /// chunk is done ahead, and a step runs as a whole.
    fn piece(&mut self, may_stop: bool) -> Piece {
        if !may_stop {
            self.soil.free_all();
        }
        let ahead = if may_stop { self.piece_ahead() } else { None };
        if let Some(visited) = ahead {
            return Piece::ahead(visited);
        }
        match self.stage {
            Stage::Rest | Stage::Water => Piece::NONE,
            Stage::Soaking(after) => exchange_piece::<Soaking>(self, after),
            Stage::Springing(after) => exchange_piece::<Springing>(self, after),
            Stage::Soil => {
                self.stage = Stage::Blast(0);
                let is_due = self.has_soil_step();
                if is_due { Piece::completing(self.soil.run(1), may_stop) } else { Piece::NONE }
            }
            Stage::Blast(done) => self.lending_piece(done),
            Stage::Lent(done) => {
                self.stage = Stage::Blast(done + 1);
                touch_pressure(self);
                Piece::completing(step_blast(self), may_stop)
            }
            Stage::Throws => {
                self.stage = Stage::Rest;
                touch_pressure(self);
                let visited = (self.mirrored.len() * LAYER_CELLS) as u64;
                let changed = throw_water(self);
                take_back_silent(self);
                forget_origins(self);
                Piece { report: StepReport { changed, ..StepReport::default() }, visited }
            }
        }
    }

    /// Does the present stage ahead for its next chunk. Returns the number of cells visited; `None`
    /// if only the completion of the stage is left.
    fn piece_ahead(&mut self) -> Option<u64> {
        match self.stage {
            Stage::Soil if self.has_soil_step() => self.soil.step_ahead(),
            Stage::Blast(0) => self.soil.free_some(),
            Stage::Lent(_) => step_ahead(&mut self.blast),
            Stage::Throws => find_throws_ahead(self),
            _ => None,
        }
    }

    /// Lends explosions the ground for their next step, after `done` steps of this tick, or for the
    /// throws.
    fn lending_piece(&mut self, done: u32) -> Piece {
        touch_pressure(self);
        let changed = if done == 0 { follow_water(self) } else { 0 };
        if done < self.rules.blast_steps && !self.blast.is_at_rest() {
            self.stage = Stage::Lent(done);
        } else {
            self.stage = Stage::Throws;
            self.blast.run(u64::from(self.rules.blast_steps - done));
        }
        lend_beside(self, &stirred_chunks(&self.blast));
        let visited = (self.mirrored.len() * LAYER_CELLS) as u64;
        Piece { report: StepReport { changed, ..StepReport::default() }, visited }
    }

    /// Returns whether soil has its step in the tick after the last complete one.
    pub(in crate::world) fn has_soil_step(&self) -> bool {
        self.tick.wrapping_add(1).is_multiple_of(self.rules.soil_period.into())
    }

    /// Advances all parts and the clock by `ticks` ticks at rest.
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

    /// Makes all queued edits and completes the tick that is underway, before an edit that is made
    /// directly.
    pub(in crate::world) fn settle(&mut self) {
        self.make_queued_edits();
        self.finish_tick();
        self.is_water_edited = true;
    }

    /// Brings the water and the moisture of the loaded chunks that a region touches to rest at
    /// once, while the rest of the world and all pressure stand still and [`ticks`](World::ticks)
    /// do not advance. The result lists the chunks that are not at rest after `most` ticks of these
    /// chunks. The ledger counts the units that springs, rain and the sea supply, the units that
    /// leave, and the units that pass between water and soil; nothing evaporates. First makes the
    /// queued edits and completes a tick that is underway.
    ///
    /// Totals and levels equal those after the same number of ticks of the world, if nothing
    /// crosses the chunks' outer faces and there is no pressure. Water and moisture are held at the
    /// outer faces, and move again with the next tick of the world, which visits the chunks again.
    /// Chunks whose water is [frozen](crate::water::WaterWorld::freeze) stay frozen. A
    /// [`Feed`](crate::world::Feed) reports the chunks as loaded again, and
    /// [`take_changes`](World::take_changes) lists the cells that have changed. To settle generated
    /// ground on another thread, see [`Settle`](crate::world::Settle).
    ///
    /// ```
    /// use floodplain::{ChunkPos, Region};
    /// use floodplain::glam::IVec3;
    /// use floodplain::world::{ChunkContent, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let [air, rock] = ["air", "rock"].map(|name| palette.id(name).expect("natural"));
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 3, |_| rock, air);
    /// world.insert_chunk(ChunkPos::ZERO, ground)?;
    /// world.rain(IVec3::new(8, 15, 8), 60)?;
    /// assert_eq!(world.units(IVec3::new(8, 5, 8)), 7);
    /// let settling = world.settle_now(Region::cell(IVec3::ZERO), 1_000)?;
    /// assert!(settling.is_at_rest());
    /// assert_eq!((world.units(IVec3::new(8, 5, 8)), world.ticks()), (0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// None of the chunks that the region touches is loaded.
    pub fn settle_now(&mut self, region: Region, most: u64) -> Result<Settling, EditError> {
        settle::settle_now(self, region, most)
    }
}
