//! One tick: outflows, then regular flow, each from the bottom layer up; then pools; then ebb; then
//! what that brings beyond the cells themselves. It is done in pieces, so that it can stop after
//! any of them and go on later.
//!
//! A tick owns nothing: it borrows the world's parts, and what it works with is the [`Workspace`].

use crate::automaton::StepReport;
use crate::grid::Slot;
use crate::water::WaterWorld;
use crate::water::context::Context;
use crate::water::context::limits::Limits;
use crate::water::context::schedule::Phase;
use crate::water::flow::window::Window;
use crate::water::random::mix;
use crate::water::store::LAYER_CELLS;

/// What a call with a budget did; see [`WaterWorld::step_within`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What this call did. The reports of all calls of a tick add up to that of the tick in one
    /// go, unless an edit ends the tick: what is done then is told to nobody.
    pub report: StepReport,
    /// Cells that the call looked at, counted anew in each pass, and rows of cells looked at as
    /// bits.
    pub looked_at: u64,
    /// Whether the tick is complete.
    pub finished: bool,
}

impl WaterWorld {
    /// Runs one tick: outflows, regular flow, pools, ebb. Looks at awake cells only. If a tick is
    /// underway, ends that one.
    pub fn step(&mut self) -> StepReport {
        self.step_within(u64::MAX).report
    }

    /// Runs `ticks` ticks and adds up what they did. What is at rest stays so: then time passes in
    /// one go.
    pub fn run(&mut self, ticks: u64) -> StepReport {
        // So many ticks at rest later, what the last motion was worked out with has gone back to
        // the system.
        const LAST_TICKS: u32 = 3;
        let mut sum = StepReport::default();
        let mut rested = 0;
        for left in (0..ticks).rev() {
            rested = if self.is_at_rest() { rested + 1 } else { 0 };
            sum += self.step();
            if rested == LAST_TICKS {
                self.tick = self.tick.wrapping_add(left);
                break;
            }
        }
        sum
    }

    /// Goes on with the tick that is underway, or begins one, and stops when it has looked at
    /// `budget` cells or the tick is complete. Calls that complete a tick leave the same bytes
    /// as [`step`](WaterWorld::step), however many they are.
    ///
    /// A tick passes over its awake cells several times, and each time counts; so do the cells that
    /// a body of joined water looks at, to level out, in search of a way, and those whose
    /// sources are looked for. Where a layer of a chunk is looked at as bits, to take part in
    /// the tick, to find bodies and their surfaces and to count what changed, each row counts as a
    /// cell; layers full from side to side that lie on one another count as one layer. All of it is
    /// done in pieces that end when 256 cells, as many as a layer has, are counted. The call
    /// stops after the piece that uses up the budget; with a budget of 0, after one.
    ///
    /// Not counted is what passes through many cells for one: a draw up its way to the head, a look
    /// for the sources that feed a cell, what dries up with a cell and is woken by that. Nor
    /// are lists: chunks, bodies and the pieces of a surface are put in order, and what changed
    /// is marked, each in one go.
    ///
    /// While a tick is underway, what can be asked shows how far it has come, and the sums balance;
    /// [`ticks`] counts it only when it is complete. Edits, [`step`](WaterWorld::step) and
    /// [`wake_all`](WaterWorld::wake_all) end it first.
    ///
    /// A world saved while a tick is underway is saved as it was when that tick began: in the loaded
    /// world the tick has not begun, and its first call begins it again. The bytes at the end of
    /// the tick are the same.
    ///
    /// [`ticks`]: WaterWorld::ticks
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, glam::IVec3};
    ///
    /// let build = || {
    ///     let mut world = WaterWorld::new(7, Rules::lossless())?;
    ///     world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN))?;
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
        let mut progress = Progress::default();
        let mut window = Window::new();
        let mut tick = self.underway();
        while let Some(cells) = tick.piece(&mut window) {
            progress.looked_at += cells;
            if progress.looked_at >= budget {
                progress.report = tick.report;
                return progress;
            }
        }
        progress.report = tick.report;
        progress.finished = true;
        self.tick = self.tick.wrapping_add(1);
        progress
    }

    /// Cells that the tick underway has still to look at, about: those awake now or touched by it,
    /// in the pass that it is in and once more in each that is to come; and one for its end. 0
    /// between ticks, and only then; so in a world that was just loaded.
    pub fn backlog(&self) -> u64 {
        self.work.backlog(&self.store, self.rules.pools)
    }

    /// Ends the tick that is underway, if there is one.
    pub(crate) fn end_tick(&mut self) {
        if self.is_underway() {
            self.step();
        }
    }

    /// The tick that is underway, begun if there is none.
    pub(crate) fn underway(&mut self) -> Context<'_> {
        if self.work.phase == Phase::Rest {
            let random = mix(self.seed, self.tick.wrapping_add(1));
            self.work.begin(&self.store, random);
            self.work.ledger_before = self.ledger;
            self.work.ties_changed = self.store.have_ties_changed();
            self.work.phase = Phase::Begin;
        }
        Context {
            store: &mut self.store,
            work: &mut self.work,
            ledger: &mut self.ledger,
            rules: &self.rules,
            limits: Limits { throughput: self.rules.throughput, supply: self.rules.source_supply },
            report: StepReport::default(),
        }
    }
}

impl Context<'_> {
    /// Does the next piece; returns how many cells it looked at, or `None` if there is nothing more
    /// to do: then the tick is complete.
    fn piece(&mut self, window: &mut Window) -> Option<u64> {
        loop {
            match self.work.phase {
                Phase::Begin => match self.work.enter_next(self.store) {
                    Some(cells) => return Some(cells),
                    None => {
                        self.work.drop_last();
                        self.work.phase = if self.rules.edges.any_drains() {
                            Phase::Outflows
                        } else {
                            Phase::Flow
                        };
                    }
                },
                Phase::Outflows => match self.work.next_layer(self.store) {
                    Some((slot, layer)) => return Some(self.outflow(slot, layer)),
                    None => self.work.phase = Phase::Flow,
                },
                Phase::Flow => match self.work.next_layer(self.store) {
                    Some((slot, layer)) => return Some(self.regular_flow(window, slot, layer)),
                    None => {
                        self.work.phase = if self.rules.pools { Phase::Flood } else { Phase::Ebb };
                        self.work.begin_sweep();
                    }
                },
                Phase::Flood => {
                    if let Some(seeds) = self.work.seeds.take() {
                        return Some(self.flood(seeds, LAYER_CELLS));
                    }
                    match self.work.next_in_sweep() {
                        Some((slot, layer)) => return Some(self.begin_flood(slot, layer)),
                        None => {
                            self.work.sort_bodies();
                            self.work.phase = Phase::Level;
                        }
                    }
                }
                Phase::Level => match self.level_next() {
                    Some(cells) => return Some(cells),
                    None => {
                        self.work.phase = Phase::Ebb;
                        self.work.begin_sweep();
                    }
                },
                Phase::Ebb => match self.work.next_in_sweep() {
                    Some((slot, layer)) => return Some(self.ebb(slot, layer)),
                    None if self.work.schedule.members().is_empty() => {
                        self.store.settle_ties();
                        self.work.phase = Phase::Rest;
                    }
                    None => {
                        self.begin_ending();
                        self.work.phase = Phase::End;
                    }
                },
                Phase::End => match self.work.ending.take() {
                    Some(ending) if !ending.is_counted() => return Some(self.finish(ending)),
                    Some(ending) => {
                        self.tell(&ending);
                        self.work.phase = Phase::Rest;
                    }
                    None => self.work.phase = Phase::Rest,
                },
                Phase::Rest => return None,
            }
        }
    }

    /// The second pass: down, sideways, then draws from the head for whoever still has room.
    fn regular_flow(&mut self, window: &mut Window, slot: Slot, layer: usize) -> u64 {
        let before = self.report.visited;
        self.local_flow(window, slot, layer);
        self.draws(slot, layer);
        self.report.visited - before
    }
}
