//! One tick, phase by phase. It is done in pieces, and can stop after any of them.
//!
//! | phase | what | where |
//! |---|---|---|
//! | `Begin` | the chunks with awake cells take part, and what the last tick kept of others is freed | [`context`](crate::water::context) |
//! | `Outflows` | water at the world's end leaves, layers bottom-up; only where an edge drains | [`flow::outflow`](crate::water::flow::outflow) |
//! | `Flow` | water falls and spreads, then cells with room draw along the parents of their flow, layers bottom-up | [`flow`](crate::water::flow), [`draw`](crate::water::draw) |
//! | `Flood` | bodies of joined water are found, chunk by chunk; only with the rule of pools | [`pools`](crate::water::pools) |
//! | `Level` | bodies are levelled, one by one | [`pools`](crate::water::pools) |
//! | `Ebb` | activity falls, parents change, water evaporates, cells fall asleep, chunk by chunk | [`ebb`](crate::water::ebb) |
//! | `End` | cells dry up, flags are propagated, sleepers wake, and what has changed is published | [`ebb::finish`](crate::water::ebb::finish) |
//!
//! What all phases read and write is their [`Context`], which borrows the world's parts. What one of
//! them has half done is in [`Unfinished`], and is handed to it as a parameter. An order within a
//! layer and every other choice is random by counter: it depends on the seed, the tick and the cell
//! alone, so that a tick in pieces comes to the same bytes.

use crate::automaton::StepReport;
use crate::grid::Slot;
use crate::water::WaterWorld;
use crate::water::context::Context;
use crate::water::context::limits::Limits;
use crate::water::context::schedule::Phase;
use crate::water::ebb::finish::{Afterwards, Ending};
use crate::water::flow::window::Window;
use crate::water::pools::Pools;
use crate::water::random::mix;

/// What the phases of a tick have half done when it stops: each is handed its own.
#[derive(Default)]
pub(crate) struct Unfinished {
    pools: Pools,
    /// What the ebb has found, for the end of the tick.
    later: Afterwards,
    /// The end of the tick, once it has begun.
    ending: Option<Ending>,
}

impl Unfinished {
    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.pools.memory_bytes()
    }
}

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
        let (mut tick, unfinished) = self.underway();
        while let Some(cells) = unfinished.piece(&mut tick, &mut window) {
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
    pub(crate) fn underway(&mut self) -> (Context<'_>, &mut Unfinished) {
        if self.work.phase == Phase::Rest {
            let random = mix(self.seed, self.tick.wrapping_add(1));
            self.work.begin(&self.store, random);
            self.unfinished.pools.begin(self.store.grid().slot_capacity());
            self.work.ledger_before = self.ledger;
            self.work.ties_changed = self.store.have_ties_changed();
            self.work.phase = Phase::Begin;
        }
        let tick = Context {
            store: &mut self.store,
            work: &mut self.work,
            ledger: &mut self.ledger,
            rules: &self.rules,
            limits: Limits { throughput: self.rules.throughput, supply: self.rules.source_supply },
            report: StepReport::default(),
        };
        (tick, &mut self.unfinished)
    }
}

impl Unfinished {
    /// Does the next piece of the tick underway. Returns how many cells it looked at, or `None` if
    /// there is nothing more to do: then the tick is complete.
    fn piece(&mut self, tick: &mut Context, window: &mut Window) -> Option<u64> {
        loop {
            match tick.work.phase {
                Phase::Begin => match tick.work.enter_next(tick.store) {
                    Some(cells) => return Some(cells),
                    None => {
                        tick.work.drop_last();
                        tick.work.phase = if tick.rules.edges.any_drains() {
                            Phase::Outflows
                        } else {
                            Phase::Flow
                        };
                    }
                },
                Phase::Outflows => match tick.work.next_layer(tick.store) {
                    Some((slot, layer)) => return Some(tick.outflow(slot, layer)),
                    None => tick.work.phase = Phase::Flow,
                },
                Phase::Flow => match tick.work.next_layer(tick.store) {
                    Some((slot, layer)) => return Some(regular_flow(tick, window, slot, layer)),
                    None => {
                        tick.work.phase = if tick.rules.pools { Phase::Flood } else { Phase::Ebb };
                        tick.work.begin_sweep();
                    }
                },
                Phase::Flood => {
                    if let Some(cells) = tick.resume_flood(&mut self.pools) {
                        return Some(cells);
                    }
                    match tick.work.next_in_sweep() {
                        Some((slot, layer)) => {
                            return Some(tick.begin_flood(&mut self.pools, slot, layer));
                        }
                        None => {
                            self.pools.sort();
                            tick.work.phase = Phase::Level;
                        }
                    }
                }
                Phase::Level => match tick.level_next(&mut self.pools) {
                    Some(cells) => return Some(cells),
                    None => {
                        tick.work.phase = Phase::Ebb;
                        tick.work.begin_sweep();
                    }
                },
                Phase::Ebb => match tick.work.next_in_sweep() {
                    Some((slot, layer)) => return Some(tick.ebb(&mut self.later, slot, layer)),
                    None if tick.work.schedule.members().is_empty() => {
                        tick.store.settle_ties();
                        tick.work.phase = Phase::Rest;
                    }
                    None => {
                        self.ending = Some(tick.begin_ending(core::mem::take(&mut self.later)));
                        tick.work.phase = Phase::End;
                    }
                },
                Phase::End => {
                    if let Some(ending) = &mut self.ending {
                        if let Some(cells) = tick.finish(ending) {
                            return Some(cells);
                        }
                        tick.publish(ending);
                        self.ending = None;
                    }
                    tick.work.phase = Phase::Rest;
                }
                Phase::Rest => return None,
            }
        }
    }
}

/// Lets water flow out of a layer's cells, down and sideways, and then lets those that still have
/// room draw from the roots of their flows.
fn regular_flow(tick: &mut Context, window: &mut Window, slot: Slot, layer: usize) -> u64 {
    let before = tick.report.visited;
    tick.flow_layer(window, slot, layer);
    tick.draws(slot, layer);
    tick.report.visited - before
}
