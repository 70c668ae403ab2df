//! One tick, phase by phase. It is done in pieces, and can stop after any of them.
//!
//! | phase | what | where |
//! |---|---|---|
//! | `Begin` | the chunks with awake cells or restless steady flow take part, and other records of the last tick are freed | [`scratch`](crate::water::scratch) |
//! | `Steady` | the flow from springs to the world's ends is checked and searched for, and passes | [`steady`](crate::water::steady) |
//! | `Flow` | valves pass water on, then water falls and spreads, tile by tile, layers bottom-up | [`flow`](crate::water::flow) |
//! | `Draw` | films draw from springs along their parents, layers bottom-up | [`draw`](crate::water::draw) |
//! | `Flood` | the labels of bodies are updated, and bodies that are not level are found; only with the rule of pools | [`pools`](crate::water::pools) |
//! | `Level` | bodies that are not level are levelled, those beyond a tile first, then tile by tile | [`pools`](crate::water::pools) |
//! | `Ebb` | in some ticks, steady flow passes only now; activity falls, parents change, cells fall asleep, chunk by chunk | [`ebb`](crate::water::ebb) |
//! | `End` | still water evaporates, cells dry up, water that springs feed is connected to them, sleepers wake, and the changes are published | [`ebb::finish`](crate::water::ebb::finish) |
//!
//! All phases share a [`Tick`], which borrows the world's parts. State that a phase carries from
//! one piece to the next is in [`TickState`] and is passed to that phase alone. Every random
//! choice comes from a counter-based generator of seed, tick and cell, so a tick in pieces gives
//! the same bytes.
//!
//! Threads share the tiles of some phases, and flows that lie apart in Draw (`shards`).

#[cfg(feature = "rayon")]
mod flow_groups;
#[cfg(feature = "rayon")]
mod shards;

use crate::coords::Region;
use crate::grid::Slot;
use crate::simulation::{Progress, StepReport};
use crate::spans::spanned;
use crate::water::draw::{Demands, begin_draws, draw_next};
use crate::water::ebb::ageing::Ageing;
use crate::water::ebb::deferred::Deferred;
use crate::water::ebb::evaporation::Evaporation;
#[cfg(feature = "rayon")]
use crate::water::ebb::finish::list_shared;
use crate::water::ebb::finish::{Ending, begin_ending};
use crate::water::ebb::{ebb_chunk, finish};
use crate::water::edit::EditError;
use crate::water::flow::flow_layer;
use crate::water::flow::portals::{release_portals, reserve_portals};
use crate::water::flow::runs::{end_runs, settle_runs};
use crate::water::flow::valves::run_valves;
use crate::water::flow::window::Window;
use crate::water::pools::Pools;
use crate::water::pools::stages::{find_bodies, level_bodies};
use crate::water::random::mix;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::ChunkRecord;
use crate::water::scratch::limits::Limits;
use crate::water::scratch::rollback::has_begun;
use crate::water::scratch::schedule::Phase;
use crate::water::settle::Settling;
use crate::water::steady::execute::execute_last;
use crate::water::steady::{SteadyTick, advance_steady, begin_steady, is_yield_tick, yields};
use crate::water::store::LAYER_ROWS;
use crate::water::store::changed::touched::begin_tick_period;
use crate::water::store::fixtures::valves::{Valve, valves};
#[cfg(feature = "rayon")]
use crate::water::tick::shards::{
    Shards, draw_shared, ebb_shared, find_bodies_shared, flow_shared, is_worth_sharing,
    level_bodies_shared,
};
use crate::water::{WaterWorld, settle};
use std::time::{Duration, Instant};

/// The state that the phases carry from one piece of a tick to the next.
pub(crate) struct TickState {
    /// The valves that have not passed water on yet, in reverse order.
    valves: Vec<Valve>,
    steady: SteadyTick,
    draws: Demands,
    pub(crate) pools: Pools,
    /// The work that the ebb defers to the end of the tick.
    deferred: Deferred,
    /// The end of the tick, once it has begun.
    ending: Option<Ending>,
    pub(crate) ageing: Ageing,
    pub(crate) evaporation: Evaporation,
    #[cfg(feature = "rayon")]
    shards: Shards,
}

impl TickState {
    pub(crate) fn new(evaporation: Evaporation) -> Self {
        TickState {
            valves: Vec::new(),
            steady: SteadyTick::default(),
            draws: Demands::default(),
            pools: Pools::default(),
            deferred: Deferred::default(),
            ending: None,
            ageing: Ageing::default(),
            evaporation,
            #[cfg(feature = "rayon")]
            shards: Shards::default(),
        }
    }

    /// Returns the bytes held by steady flow, draws, pools, ageing, evaporation and shards. The
    /// lists of valves, of the ebb and of the end, which are freed within the tick, are not
    /// counted.
    pub(crate) fn memory_bytes(&self) -> usize {
        let bytes = self.steady.memory_bytes()
            + self.draws.memory_bytes()
            + self.pools.memory_bytes()
            + self.ageing.memory_bytes()
            + self.evaporation.memory_bytes();
        #[cfg(feature = "rayon")]
        let bytes = bytes + self.shards.memory_bytes();
        bytes
    }
}

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
    /// Some work is done at once, whatever its cost. A draw, the change of the steady flow along a
    /// path that a search has found, a search from one cell or chunk for an idle spring, and the
    /// passing of a yielding flow are charged to their piece. A body of water is walked through and
    /// levelled at once; its pieces are counted, and charged to the following pieces of the tick.
    /// Work on the list of the tick's chunks is not counted: the list is sorted three times, and
    /// the changes are published together. Each of these takes half a millisecond for some 5,000
    /// chunks.
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
    /// [Frozen](WaterWorld::freeze) chunks stay frozen. The call takes as long as these ticks: to
    /// settle generated ground on another thread, see [`Settle`](crate::water::Settle).
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

/// Returns whether water has flowed in a chunk in this tick.
fn has_flowed(tick: &Tick, slot: Slot) -> bool {
    let record = tick.scratch.of_chunk(slot);
    record.is_some_and(ChunkRecord::has_flowed) || tick.store.has_passed_in_runs(slot)
}

impl TickState {
    /// Runs the next piece of the tick underway. Returns the number of cells visited, or `None` if
    /// the tick is complete. The window, which the layers share, is allocated when a layer flows.
    fn piece(&mut self, tick: &mut Tick, window: &mut Option<Window>) -> Option<u64> {
        loop {
            match tick.scratch.phase {
                Phase::Begin => match tick.scratch.enter_next(tick.store) {
                    Some(cells) => return Some(cells),
                    None => {
                        begin_steady(tick, &mut self.steady);
                        tick.scratch.phase = Phase::Steady;
                    }
                },
                Phase::Steady => match advance_steady(tick, &mut self.steady) {
                    Some(cells) => return Some(cells),
                    None => {
                        reserve_portals(tick);
                        tick.scratch.phase = Phase::Flow;
                        self.valves = valves(tick.store).collect();
                        self.valves.reverse();
                        // Threads may share the work that follows the valves.
                        while !tick.scratch.is_in_slices
                            && run_valves(tick, &mut self.valves).is_some()
                        {
                        }
                        #[cfg(feature = "rayon")]
                        if self.shares(tick) {
                            let visited = flow_shared(tick, &mut self.shards);
                            return Some(visited + self.begin_draws(tick).unwrap_or(0));
                        }
                    }
                },
                Phase::Flow => {
                    if let Some(cells) = run_valves(tick, &mut self.valves) {
                        return Some(cells);
                    }
                    match tick.scratch.next_layer(tick.store) {
                        Some(layer) => {
                            let before = tick.report.visited;
                            flow_layer(tick, window.get_or_insert_with(Window::new), layer);
                            return Some((tick.report.visited - before).max(LAYER_ROWS as u64));
                        }
                        None => {
                            if let Some(cells) = self.begin_draws(tick) {
                                return Some(cells);
                            }
                        }
                    }
                }
                Phase::Draw => match draw_next(tick, &mut self.draws) {
                    Some(cells) => return Some(cells),
                    None => {
                        tick.scratch.schedule.begin_tiles(tick.store);
                        if tick.rules.pools {
                            tick.scratch.begin_sweep();
                            tick.scratch.phase = Phase::Flood;
                        } else if let Some(cells) = self.begin_ebb(tick) {
                            return Some(cells);
                        }
                    }
                },
                Phase::Flood => {
                    #[cfg(feature = "rayon")]
                    if self.pools.may_share_search() && self.shares(tick) {
                        find_bodies_shared(tick, &mut self.shards, &mut self.pools);
                    }
                    match find_bodies(tick, &mut self.pools) {
                        Some(cells) => return Some(cells),
                        None => tick.scratch.phase = Phase::Level,
                    }
                }
                Phase::Level => {
                    // In a tick in which steady flow yields, passes mark their ways. The store of a
                    // thread does not show whether the world has steady flow.
                    #[cfg(feature = "rayon")]
                    if self.pools.may_share_passes() && !yields(tick) && self.shares(tick) {
                        level_bodies_shared(tick, &mut self.shards, &mut self.pools);
                    }
                    match level_bodies(tick, &mut self.pools) {
                        Some(cells) => return Some(cells),
                        None => {
                            if let Some(cells) = self.begin_ebb(tick) {
                                return Some(cells);
                            }
                        }
                    }
                }
                Phase::Ebb => {
                    if let Some(cells) = self.ebb_next(tick) {
                        return Some(cells);
                    }
                    if tick.scratch.schedule.members().is_empty()
                        && !self.ageing.is_due(tick.tick)
                        && !self.evaporation.is_due()
                    {
                        tick.store.settle_links();
                        end_runs(tick, Vec::new());
                        tick.scratch.phase = Phase::Rest;
                        continue;
                    }
                    let deferred = core::mem::take(&mut self.deferred);
                    self.ending = Some(begin_ending(tick, deferred, &mut self.ageing));
                    tick.scratch.phase = Phase::End;
                }
                Phase::End => {
                    if let Some(mut ending) = self.ending.take() {
                        #[cfg(feature = "rayon")]
                        if self.shares(tick) && ending.is_about_to_list() {
                            let cells = list_shared(tick, &mut ending);
                            self.ending = Some(ending);
                            return Some(cells);
                        }
                        if let Some(cells) = finish::finish(
                            tick,
                            &mut ending,
                            &mut self.ageing,
                            &mut self.evaporation,
                        ) {
                            self.ending = Some(ending);
                            return Some(cells);
                        }
                        finish::publish(tick, ending);
                    }
                    tick.scratch.phase = Phase::Rest;
                }
                Phase::Rest => return None,
            }
        }
    }

    /// Begins the draws. If threads share them, does all of them, and returns the number of cells
    /// visited.
    fn begin_draws(&mut self, tick: &mut Tick) -> Option<u64> {
        tick.scratch.phase = Phase::Draw;
        settle_runs(tick);
        let store = &*tick.store;
        tick.scratch.schedule.begin_world(store, |slot| store.has_connected(slot));
        begin_draws(tick, &mut self.draws);
        #[cfg(feature = "rayon")]
        if !self.draws.are_done() && self.shares(tick) {
            let visited = draw_shared(tick, &mut self.shards)?;
            self.draws.end();
            return Some(visited);
        }
        None
    }

    /// Passes on the steady flow if it yields, and begins the ebb. If threads share the ebb, does
    /// all of the shared part. Returns the number of cells visited, if any.
    fn begin_ebb(&mut self, tick: &mut Tick) -> Option<u64> {
        release_portals(tick);
        let passed = if yields(tick) { execute_last(tick) as u64 } else { 0 };
        // Active cells in which steady flow has ended age from now on.
        for place in tick.store.steady_changed_since(0) {
            self.ageing.watch(tick.store, place.slot);
        }
        tick.scratch.phase = Phase::Ebb;
        tick.scratch.begin_sweep();
        #[cfg(feature = "rayon")]
        if self.shares(tick) {
            let members = tick.scratch.schedule.members();
            for &slot in members {
                if has_flowed(tick, slot) {
                    self.ageing.watch(tick.store, slot);
                }
                self.evaporation.watch(slot);
            }
            let visited = ebb_shared(tick, &mut self.shards, &mut self.deferred);
            tick.scratch.begin_sweep_over(&[]);
            return Some(passed + visited);
        }
        (passed > 0).then_some(passed)
    }

    /// Applies the ebb to the next chunk. Returns the cells charged; `None` if nothing is left.
    fn ebb_next(&mut self, tick: &mut Tick) -> Option<u64> {
        let slot = tick.scratch.next_chunk_in_sweep()?;
        if has_flowed(tick, slot) {
            self.ageing.watch(tick.store, slot);
        }
        self.evaporation.watch(slot);
        Some(ebb_chunk(tick, &mut self.deferred, slot) as u64)
    }

    /// Returns whether the next phase is shared among threads.
    #[cfg(feature = "rayon")]
    fn shares(&mut self, tick: &Tick) -> bool {
        let shares = !tick.scratch.is_in_slices && is_worth_sharing(tick);
        if !shares {
            self.shards = Shards::default();
        }
        shares
    }
}
