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

mod calls;
#[cfg(feature = "rayon")]
mod flow_groups;
#[cfg(feature = "rayon")]
mod shards;

use crate::grid::Slot;
use crate::water::draw::{Demands, begin_draws, draw_next};
use crate::water::ebb::ageing::Ageing;
use crate::water::ebb::deferred::Deferred;
use crate::water::ebb::evaporation::Evaporation;
#[cfg(feature = "rayon")]
use crate::water::ebb::finish::list_shared;
use crate::water::ebb::finish::{Ending, begin_ending};
use crate::water::ebb::{ebb_chunk, finish};
use crate::water::flow::flow_layer;
use crate::water::flow::portals::{release_portals, reserve_portals};
use crate::water::flow::runs::{end_runs, settle_runs};
use crate::water::flow::valves::run_valves;
use crate::water::flow::window::Window;
use crate::water::pools::Pools;
use crate::water::pools::stages::{find_bodies, level_bodies};
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::ChunkRecord;
use crate::water::scratch::schedule::Phase;
use crate::water::steady::execute::execute_last;
use crate::water::steady::{SteadyTick, advance_steady, begin_steady, yields};
use crate::water::store::LAYER_ROWS;
use crate::water::store::fixtures::valves::{Valve, valves};
#[cfg(feature = "rayon")]
use crate::water::tick::shards::{
    Shards, draw_shared, ebb_shared, find_bodies_shared, flow_shared, is_worth_sharing,
    level_bodies_shared,
};

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
