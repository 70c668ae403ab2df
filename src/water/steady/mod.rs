//! Steady flow: a maximum flow from springs to the ends of the world, kept from tick to tick on the
//! faces of cells. Only its changes are computed; all other flow takes the throughput that steady
//! flow leaves over.
//!
//! Only steady flow brings water from springs to the drains where it leaves the world, as much as
//! the cells between let through. It makes no difference whether these springs brought the water
//! there or whether it stood there before. If several ends demand more than there is, they share it
//! equally, except that where their ways part, flow that goes straight on is weighted 5 to 2
//! (momentum).
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `network` | which faces steady flow may cross, and how much passes through a cell | |
//! | `balance` | takes back flow that is no longer valid | worklist |
//! | `augment` | finds more flow for an end, or an equal share | Ford–Fulkerson, breadth-first search |
//! | `cycles` | cancels cycles | depth-first search |
//! | `execute` | passes a tick's units on by records; resting flow needs none | |
//!
//! A tick checks the steady flow and passes it on before water falls and spreads, so that all later
//! phases find what a cell has passed on in this tick. In one tick of [`YIELD_PERIOD`], steady flow
//! passes last and takes what is left (it *yields*): so a pit beside a river fills, though the
//! river passes all that its cells let through. In one tick of [`SEARCH_PERIOD`], ends search for
//! more flow; ends that have just lost flow search at once. A cell that steady flow passes has
//! FlowOut and keeps a unit.
//!
//! Steady flow wakes no cell that it passes, except where it changes. Where it takes all that a
//! cell lets through, other water could still move in a tick in which it yields. So the cells of a
//! river stay awake until such a tick, and fall asleep in it if no other water has moved in them.
//!
//! Flow that does not change rests. A chunk with steady flow and without awake cells takes part in
//! a tick only if its flow or an edge beside it has changed, if the flow may not balance, or if a
//! cell may have changed in it or near it: in a chunk beside it, or above or below these. Elsewhere
//! the table says what has passed, and the sum of all flow is kept. So a tick of a steady river
//! costs the same however long the river is.
//!
//! The total flow to the ends is unique, but its paths depend on earlier states. So the flow is
//! part of the state, and all choices are made by hashes of positions.

mod augment;
mod balance;
mod cycles;
pub(crate) mod execute;
pub(crate) mod network;

use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::random::position_seed;
use crate::water::scratch::Tick;
use crate::water::scratch::budget::Budget;
use crate::water::steady::augment::{End, Goal, Search, augment};
use crate::water::steady::balance::{Repair, balance_steady, cut_steady, find_broken};
use crate::water::steady::cycles::cancel_cycles;
use crate::water::steady::execute::{begin_passing, end_passing, execute_chunk, steady_members};
use crate::water::steady::network::{exit_of, steady_capacity};
use crate::water::store::Place;

/// Ends search once in this many ticks.
const SEARCH_PERIOD: u64 = 8;

/// The flow yields once in this many ticks.
const YIELD_PERIOD: u64 = 32;

/// The tick of each such period in which the flow yields. Ends do not search in that tick.
const YIELDING: u64 = SEARCH_PERIOD / 2;

/// The number of nodes that the searches of a tick may visit; the last search may exceed it.
const SEARCH_CREDIT: usize = 1 << 16;

/// The number of nodes for which a search keeps its buffers from tick to tick.
const SEARCH_BUFFER: usize = 1 << 10;

/// The next step of the steady flow in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Finds flow that is no longer valid, chunk by chunk.
    #[default]
    Check,
    /// Takes back flow that is no longer valid.
    Balance,
    /// Ends search for springs with supply left.
    Grow,
    /// Ends search for shares larger than their own.
    Share,
    /// Cells whose flow has changed in this tick wake, since they become active or lose FlowOut.
    Wake,
    /// Units flow, chunk by chunk.
    Execute,
    Done,
}

/// The state of the steady flow between two pieces of a tick.
#[derive(Default)]
pub(crate) struct SteadyTick {
    stage: Stage,
    /// The chunks still to be visited, in reverse order.
    chunks: Vec<Slot>,
    broken: Vec<(Place, Face)>,
    repair: Repair,
    /// Cells whose flow was loaded with a chunk, so that it may be part of a cycle.
    restored: Vec<Place>,
    /// The ends still to search, in reverse order.
    ends: Vec<End>,
    /// The end that searches.
    searching: Option<End>,
    search: Search,
    /// Nodes that searches may still visit in this tick.
    credit: usize,
    /// How many of the changes of the flow in this tick have woken their cells.
    woken: usize,
}

impl SteadyTick {
    /// Lists the chunks to be visited next, given in the order of the visits.
    fn list(&mut self, chunks: Vec<Slot>) {
        self.chunks = chunks;
        self.chunks.reverse();
    }

    fn end(&mut self) {
        self.search.shrink(SEARCH_BUFFER);
        self.stage = Stage::Done;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.chunks.capacity() * size_of::<Slot>()
            + self.broken.capacity() * size_of::<(Place, Face)>()
            + (self.repair.open.capacity() + self.repair.deprived.capacity()) * size_of::<Place>()
            + self.restored.capacity() * size_of::<Place>()
            + self.ends.capacity() * size_of::<End>()
            + self.search.memory_bytes()
    }
}

/// Begins the steady phase of a tick.
pub(crate) fn begin_steady(tick: &mut Tick, steady: &mut SteadyTick) {
    steady.stage = Stage::Check;
    (steady.credit, steady.woken) = (SEARCH_CREDIT, 0);
    steady.broken.clear();
    steady.repair.open.clear();
    steady.repair.deprived.clear();
    tick.store.forget_steady_before();
    steady.list(steady_members(tick));
}

/// Runs the next piece of the steady phase. Returns the cells charged to its budget; `None` if the
/// phase is complete.
pub(crate) fn advance_steady(tick: &mut Tick, steady: &mut SteadyTick) -> Option<u64> {
    let mut budget = Budget::of_a_piece();
    while !budget.is_spent() {
        match steady.stage {
            Stage::Check => match steady.chunks.pop() {
                Some(slot) => check_steady_chunk(tick, steady, slot, &mut budget),
                None => end_check(tick, steady),
            },
            Stage::Balance => {
                balance_steady(tick, &mut steady.repair, &mut budget);
                if steady.repair.open.is_empty() {
                    budget.spend(cancel_cycles(tick, &core::mem::take(&mut steady.restored)));
                    begin_searches(tick, steady, Stage::Grow);
                }
            }
            Stage::Grow => search_next(tick, steady, Goal::Spring, &mut budget),
            Stage::Share => search_next(tick, steady, Goal::Share, &mut budget),
            Stage::Wake => match tick.store.changed_steady(steady.woken) {
                Some(place) => {
                    tick.wake_cell(place);
                    steady.woken += 1;
                    budget.spend(1);
                }
                None if yields(tick) => steady.end(),
                None => {
                    steady.list(begin_passing(tick));
                    steady.stage = Stage::Execute;
                }
            },
            Stage::Execute => match steady.chunks.pop() {
                Some(slot) => {
                    budget.spend(execute_chunk(tick, slot));
                }
                None => {
                    end_passing(tick);
                    steady.end();
                }
            },
            Stage::Done => break,
        }
    }
    (budget.spent() > 0).then(|| budget.spent())
}

/// Finds flow that is no longer valid in a chunk.
fn check_steady_chunk(tick: &mut Tick, steady: &mut SteadyTick, slot: Slot, budget: &mut Budget) {
    budget.spend(1);
    (0..16)
        .for_each(|layer| find_broken(tick.store, LayerId::new(slot, layer), &mut steady.broken));
}

/// Takes back flow across faces that do not carry it any more, and adds the cells beside these
/// faces to the cells to be balanced.
fn end_check(tick: &mut Tick, steady: &mut SteadyTick) {
    // The unbalanced cells go to the bottom of the stack, so that cut cells are balanced first, as
    // in a world in which fewer cells are visited.
    tick.store.take_unbalanced(&mut steady.repair.open);
    steady.restored.clone_from(&steady.repair.open);
    for broken in core::mem::take(&mut steady.broken) {
        cut_steady(tick, broken, &mut steady.repair);
    }
    steady.stage = Stage::Balance;
}

/// Lists the ends with less flow than they let through, in a random order: all of them if it is
/// their turn in this tick, else only ends that have just lost flow, so that a fall that breaks for
/// a moment costs little.
fn begin_searches(tick: &mut Tick, steady: &mut SteadyTick, stage: Stage) {
    steady.ends.clear();
    steady.search.clear();
    steady.stage = stage;
    // An end that only water outside the steady flow reaches stays wet for a moment after the
    // steady flow has yielded.
    let has_yielded = tick.tick % YIELD_PERIOD == YIELDING + 1;
    let is_turn = tick.tick.is_multiple_of(SEARCH_PERIOD) || has_yielded;
    let mut places = Vec::new();
    if is_turn && tick.store.any_drains() {
        list_ends(tick, &mut places);
    } else if stage == Stage::Grow {
        places.append(&mut steady.repair.deprived);
    }
    let end = |place: Place| {
        let end = End { place, exit: exit_of(tick.store, place)? };
        let position = tick.store.position(place);
        let key = (position_seed(tick.scratch.random(), position), position.to_array());
        is_hungry(tick, end).then_some((key, end))
    };
    let mut keyed: Vec<_> = places.into_iter().filter_map(end).collect();
    keyed.sort_unstable_by_key(|&(key, _)| key);
    keyed.dedup_by_key(|&mut (key, _)| key);
    steady.ends.extend(keyed.into_iter().map(|(_, end)| end));
}

/// Adds the connected ends that are awake.
fn list_ends(tick: &Tick, places: &mut Vec<Place>) {
    for &slot in tick.scratch.schedule.members() {
        let Some(outlets) = tick.store.outlets(slot) else { continue };
        for layer in 0..16 {
            let awake = outlets.layer(layer) & tick.awake(LayerId::new(slot, layer));
            let ends = awake & tick.store.connected(LayerId::new(slot, layer));
            places.extend(ends.iter().map(|cell| Place::in_layer(LayerId::new(slot, layer), cell)));
        }
    }
}

/// Returns whether an end gets less flow than it lets through.
fn is_hungry(tick: &Tick, end: End) -> bool {
    tick.store.steady(end.place).across(end.exit) < steady_capacity(tick, end.place)
}

/// Resumes the search of an end for more flow, or begins that of the next end; after the last end,
/// begins the next stage.
fn search_next(tick: &mut Tick, steady: &mut SteadyTick, goal: Goal, budget: &mut Budget) {
    let Some(end) = steady.searching.or_else(|| begin_search(steady, budget)) else {
        if goal == Goal::Spring {
            return begin_searches(tick, steady, Stage::Share);
        }
        steady.stage = Stage::Wake;
        return;
    };
    let Some(gained) = augment(tick, &mut steady.search, (end, goal), budget) else { return };
    steady.searching = None;
    steady.credit = steady.credit.saturating_sub(steady.search.visited());
    if gained > 0 || goal == Goal::Share {
        // A node that was visited in vain may lead to more flow now.
        steady.search.clear();
    }
    if gained > 0 && goal == Goal::Spring && is_hungry(tick, end) {
        steady.ends.push(end);
    }
}

/// Begins the search of the next end, and returns the end; `None` if there is none, or if no more
/// nodes may be visited in this tick.
fn begin_search(steady: &mut SteadyTick, budget: &mut Budget) -> Option<End> {
    let end = steady.ends.pop().filter(|_| steady.credit > 0)?;
    budget.spend(1);
    steady.search.begin(end);
    steady.searching = Some(end);
    Some(end)
}

/// Returns whether the flow yields in this tick.
pub(crate) fn yields(tick: &Tick) -> bool {
    is_yield_tick(tick.tick) && tick.store.has_steady()
}

/// Returns whether steady flow, where there is any, yields in a tick.
pub(crate) fn is_yield_tick(tick: u64) -> bool {
    tick % YIELD_PERIOD == YIELDING
}

#[cfg(test)]
mod tests;
