//! The calls that run ticks of water: whole ones, or pieces of one, by cells, by time or while a
//! condition holds.

use crate::coords::Region;
use crate::simulation::{Progress, StepReport};
use crate::spans::spanned;
use crate::water::edit::EditError;
use crate::water::random::mix;
use crate::water::scratch::Tick;
use crate::water::scratch::limits::Limits;
use crate::water::scratch::rollback::has_begun;
use crate::water::scratch::schedule::Phase;
use crate::water::settle::Settling;
use crate::water::steady::is_yield_tick;
use crate::water::store::changed::touched::begin_tick_period;
use crate::water::tick::TickState;
use crate::water::{WaterWorld, settle};
use std::time::{Duration, Instant};

impl WaterWorld {
    /// Runs one tick (steady flow, local flow, draws, pools, ebb) over the awake cells, or
    /// completes the tick that is underway. Returns a report of the tick.
    pub fn step(&mut self) -> StepReport {
        self.step_within(u64::MAX).report
    }

    /// Completes the tick that is underway, or does nothing if there is none. Returns a report of
    /// the call.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.pour(IVec3::new(8, 15, 8), 7)?;
    /// assert!(!world.step_within(0).finished);
    /// assert_eq!(world.finish_tick().moved, 7);
    /// assert_eq!((world.ticks(), world.backlog()), (1, 0));
    /// assert_eq!(world.finish_tick().moved, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn finish_tick(&mut self) -> StepReport {
        if has_begun(self) { self.step() } else { StepReport::default() }
    }

    /// Runs `ticks` ticks and returns the sum of their reports. While every cell is asleep, only
    /// the tick counter advances, up to the next tick in which water may evaporate.
    pub fn run(&mut self, ticks: u64) -> StepReport {
        // After this many ticks at rest, the buffers of the last motion have been freed.
        const LAST_TICKS: u32 = 3;
        let mut sum = StepReport::default();
        let (mut left, mut rested) = (ticks, 0);
        while left > 0 {
            rested = if self.is_asleep() { rested + 1 } else { 0 };
            sum += self.step();
            left -= 1;
            if rested >= LAST_TICKS && self.is_asleep() {
                let skipped = left.min(self.tick_state.evaporation.ticks_without(self.tick));
                if skipped > 0 {
                    self.scratch.forget_evaporated();
                }
                self.tick = self.tick.wrapping_add(skipped);
                left -= skipped;
            }
        }
        sum
    }

    /// Resumes the tick that is underway, or begins one, and stops when `budget` cells have been
    /// visited or the tick is complete. A tick done in any number of calls leaves the same bytes
    /// as one [`step`](WaterWorld::step).
    ///
    /// A tick visits its awake cells in several passes, and each visit counts. The following count
    /// one each: a cell on the path of a draw, including cells from which the draw backtracks; a
    /// cell whose steady flow changes or is balanced; a node that a search for more steady flow
    /// visits; a cell that a search visits for a path from an idle spring or for water that becomes
    /// connected; a chunk in which such a search would look for springs; a cell that dries up with
    /// another, or that loses a parent or is woken because of that. Where a layer of a chunk is
    /// read as bits (to enter the tick, to pass on steady flow, to find the cells that draw, to
    /// find bodies and their surfaces, to count changes), a row counts as one cell, and a layer in
    /// which few cells flow or ebb counts as its rows. The work is done in pieces of about 256
    /// counted cells, the size of a layer; the last pass over a chunk, up to 4,112 counted cells,
    /// is one piece. The call stops after the piece that exhausts the budget; with a budget of 0,
    /// after one piece.
    ///
    /// Some work is never interrupted. A change of the steady flow along a path that a search has
    /// found, a search from one cell or chunk for an idle spring, and the passing of a yielding
    /// flow are charged to their piece. A draw may stop along a path of more than 1,300 cells. A
    /// body of water is searched and levelled in parts; a part is a connected piece of the body's
    /// water in a layer of a chunk, or in several layers where the water is deep. Some steps treat
    /// all parts of a body together: they choose the level to which it is brought, run a phase of
    /// its flow network, build the network of its cells, or note that it is level. Each takes less
    /// than half a millisecond for 1,000 parts. Draws and bodies are charged to the pieces of the
    /// tick that follow. The lists of the tick's chunks (three times), of the bodies that are not
    /// level, and of the cells that were cut off or may become connected are each sorted at once,
    /// and the changes are published together. None of this is charged; each takes half a
    /// millisecond for some 5,000 entries.
    ///
    /// Before a tick begins, the [queued](WaterWorld::queue) edits are made. Each is a piece, and
    /// counts as the number of cells of its region or chunks, or as one.
    ///
    /// While a tick is underway, all queries answer for the world after the last complete tick:
    /// cells, chunks, currents, the ledger, and [`ticks`](WaterWorld::ticks). Only
    /// [`backlog`](WaterWorld::backlog), [`is_at_rest`](WaterWorld::is_at_rest) and
    /// [`memory_bytes`](WaterWorld::memory_bytes) answer for the tick underway. Edits that change
    /// something, [`step`](WaterWorld::step), [`finish_tick`](WaterWorld::finish_tick) and
    /// [`wake_all`](WaterWorld::wake_all) complete that tick first.
    ///
    /// A world saved while a tick is underway is saved as it was when that tick began. The loaded
    /// world starts the tick again, and reaches the same bytes at its end.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let build = || {
    ///     let mut world = WaterWorld::new(7, Rules::lossless())?;
    ///     world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    ///     world.add_source(IVec3::new(8, 15, 8))?;
    ///     world.run(40);
    ///     Ok::<_, Box<dyn std::error::Error>>(world)
    /// };
    /// let (mut at_once, mut in_slices) = (build()?, build()?);
    /// at_once.step();
    /// let mut slices = 1;
    /// while !in_slices.step_within(20).finished {
    ///     assert!(in_slices.backlog() > 0);
    ///     slices += 1;
    /// }
    /// assert!(slices > 2);
    /// assert_eq!(in_slices.state_hash(), at_once.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_within(&mut self, budget: u64) -> Progress {
        self.scratch.is_in_slices = budget < u64::MAX;
        self.advance(|progress| progress.visited < budget)
    }

    /// Works like [`step_within`](WaterWorld::step_within), but stops after the piece during which
    /// `time` since the call has passed, or when the tick is complete. A piece takes microseconds,
    /// an edit of a large region more. When a call stops depends on the machine; the result of the
    /// tick does not.
    ///
    /// # Panics
    /// Panics where the standard library has no clock, as on `wasm32-unknown-unknown`. There,
    /// [`step_while`](WaterWorld::step_while) can be used with another clock.
    ///
    /// ```
    /// use floodplain::water::{Rules, WaterWorld};
    /// use std::time::Duration;
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// // In each frame:
    /// let progress = world.step_for(Duration::from_millis(4));
    /// assert!(progress.finished, "nothing moves");
    /// # Ok::<(), floodplain::RulesError>(())
    /// ```
    pub fn step_for(&mut self, time: Duration) -> Progress {
        let begin = Instant::now();
        self.step_while(|_| begin.elapsed() < time)
    }

    /// Works like [`step_within`](WaterWorld::step_within), but stops when `goes_on` returns
    /// `false`. `goes_on` is called after each piece, with a report of the call so far. The call
    /// also stops when the tick is complete.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.pour(IVec3::new(8, 15, 8), 7)?;
    /// let progress = world.step_while(|progress| progress.report.moved == 0);
    /// assert_eq!((progress.report.moved, progress.finished), (7, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_while(&mut self, goes_on: impl FnMut(&Progress) -> bool) -> Progress {
        self.scratch.is_in_slices = true;
        self.advance(goes_on)
    }

    /// Makes the edits queued before the next tick and then does that tick, or resumes where the
    /// last call stopped. Works piece by piece while `goes_on` returns `true` and until the tick is
    /// complete.
    fn advance(&mut self, mut goes_on: impl FnMut(&Progress) -> bool) -> Progress {
        let mut progress = Progress::default();
        self.queue.begin_tick();
        while self.queue.due() > 0 {
            progress.visited += self.make_next_edit();
            if !goes_on(&progress) {
                return progress;
            }
        }
        let mut window = None;
        let (mut tick, tick_state) = self.underway();
        while tick.scratch.phase != Phase::Rest {
            let phase = tick.scratch.phase;
            let may_go_on = in_span(phase, || {
                while tick.scratch.phase == phase
                    && let Some(cells) = tick_state.piece(&mut tick, &mut window)
                {
                    progress.visited += cells;
                    progress.report = tick.report;
                    if !goes_on(&progress) {
                        return false;
                    }
                }
                true
            });
            if !may_go_on {
                return progress;
            }
        }
        progress.report = tick.report;
        progress.finished = true;
        self.scratch.drop_last_flows();
        self.queue.end_tick();
        self.tick = self.tick.wrapping_add(1);
        progress
    }

    /// Returns roughly how many cells the tick underway still has to visit: the cells awake now or
    /// touched by it, once for the current pass and once for each later pass, and one for the end.
    /// While queued edits are made before it, their number is counted too. Returns 0 exactly
    /// between ticks, and so in a world that was just loaded, unless edits were queued after the
    /// tick in which it was saved.
    pub fn backlog(&self) -> u64 {
        match self.scratch.backlog(&self.store, self.rules.pools) {
            0 if self.queue.has_begun() => {
                1 + self.queue.due() as u64 + self.store.grid().awake_cells() as u64
            }
            backlog => backlog,
        }
    }

    /// Returns the tick that is underway, after beginning one if there is none.
    pub(crate) fn underway(&mut self) -> (Tick<'_>, &mut TickState) {
        if self.scratch.phase == Phase::Rest {
            let random = mix(self.seed, self.tick.wrapping_add(1));
            begin_tick_period(&mut self.store);
            self.scratch.begin(&self.store, random);
            // This number is read only between slices.
            if self.scratch.is_in_slices {
                self.scratch.awake_before = self.store.cells_asleep_in_runs();
            }
            self.tick_state.evaporation.begin(self.tick);
            self.scratch.ledger_before = self.ledger;
            self.scratch.links_changed = self.store.have_links_changed();
            self.scratch.phase = Phase::Begin;
        }
        let holds_ends = is_yield_tick(self.tick);
        let tick = Tick {
            store: &mut self.store,
            scratch: &mut self.scratch,
            ledger: &mut self.ledger,
            rules: &self.rules,
            tick: self.tick,
            is_yielding: false,
            limits: Limits { holds_ends, ..Limits::of(&self.rules) },
            report: StepReport::default(),
        };
        (tick, &mut self.tick_state)
    }

    /// Brings the water of the loaded chunks that a region touches to rest at once, while the rest
    /// of the world stands still and [`ticks`](WaterWorld::ticks) do not advance. Returns the
    /// chunks that are not at rest after `most` ticks of these chunks. The ledger counts the units
    /// that springs and the sea supply and the units that leave; nothing evaporates. First makes
    /// the queued edits and completes a tick that is underway.
    ///
    /// Totals and levels equal the totals and levels after the same number of ticks of the world,
    /// if no water crosses the chunks' outer faces. Water is held there, and flows again with the
    /// next tick of the world, which visits the surfaces of the chunks' water once more.
    /// [Frozen](WaterWorld::freeze) chunks stay frozen. A [`Feed`](crate::water::Feed) reports the
    /// chunks as loaded again, and [`take_changes`](WaterWorld::take_changes) and
    /// [`take_all_changes`](WaterWorld::take_all_changes) list the cells that have changed. The
    /// call takes as long as these ticks: to settle generated ground on another thread, see
    /// [`Settle`](crate::water::Settle).
    ///
    /// # Errors
    /// None of the chunks that the region touches is loaded.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(3, 3, 15)), 7)?;
    /// let settling = world.settle_now(Region::cell(IVec3::ZERO), 1_000)?;
    /// assert!(settling.is_at_rest());
    /// assert_eq!((world.units(IVec3::new(15, 0, 15)), world.ticks()), (7, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn settle_now(&mut self, region: Region, most: u64) -> Result<Settling, EditError> {
        settle::settle_now(self, region, most)
    }
}

/// Runs `work` in the span of a phase. A piece that ends a phase counts for that phase, though it
/// may begin the next phase.
fn in_span<T>(phase: Phase, work: impl FnOnce() -> T) -> T {
    match phase {
        Phase::Begin | Phase::Steady => spanned!("water steady", work),
        Phase::Flow => spanned!("water flow", work),
        Phase::Draw => spanned!("water draw", work),
        Phase::Flood | Phase::Level => spanned!("water pools", work),
        Phase::Ebb => spanned!("water ebb", work),
        Phase::End => spanned!("water end", work),
        Phase::Rest => work(),
    }
}
