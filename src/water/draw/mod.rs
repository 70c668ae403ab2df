//! Draws: films that a spring feeds draw water from it along their parents. Draws are a separate
//! stage of the tick, which works on whole layers of the world from the bottom up, and visits the
//! cells of a layer in random order across all chunks: draws made chunk by chunk would show the
//! chunk grid.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `turns` | the order of the cells of a layer | random permutation by hash, stratified by row, bucket sort |
//! | `path` | one draw: a walk up the parents to a spring, then water along that path | blocking flow (Dinic) |
//! | `supply` | what the springs of a film's flow have left | connected components of chunks |
//! | `vain` | which other draws would be in vain | fixpoint of bit masks |
//! | `layer` | read access to a layer | |
//! | `reroute` | a way for later ticks from an idle spring | breadth-first search |
//!
//! A film is a cell with room on solid ground. In deeper water, springs fill their body, which
//! [`pools`](crate::water::pools) levels; without the rule of pools, all supported cells with room
//! draw, and full cells draw for the cells above them if the spring is higher. What leaves the
//! world comes by [`steady`](crate::water::steady) flow.
//!
//! # How a film draws
//!
//! 1. The awake, connected films of a layer of the world are gathered, where the springs of their
//!    flow have units left.
//! 2. Each film has one turn, until the springs of its flow have given all. A depth-first walk
//!    climbs its parents, at a fork in random order, to a spring. Where all parents of a cell are
//!    exhausted, the walk backtracks, and the cell is exhausted, too, for the rest of the tick.
//!    Once a draw was in vain, the exhausted cells are found by masks, and films that have no other
//!    parents get no turn.
//! 3. Units pass along the path, no more than its narrowest cell may still pass, and at most two,
//!    or one for each 16 cells of the path, or as many as the film itself has passed, whichever is
//!    most. They count as passed in each cell of the path, and the `largest` of the cell becomes
//!    the bottleneck between the spring and the cell.
//! 4. Every fourth tick, a film that has drawn in vain while a spring of its flow was idle gets a
//!    shortest way from that spring as its only path. Water moves on this path from the next tick
//!    on.
//!
//! # Why it ends
//!
//! Parents form no cycle, so a walk ends at a spring or goes back. The units that a cell may still
//! pass only become fewer during a tick, so an exhausted cell stays exhausted. Each layer is
//! gathered once, and each film in it has one turn.
//!
//! # What it costs
//!
//! A draw that succeeds costs its path, and passes on at least one unit of what springs give in a
//! tick. No walk enters a cell that is known to be exhausted, so together all walks that go back
//! visit about as many cells as the flow has. Only cells that lead to a spring that is too low are
//! entered again, by films that are higher. Draws in vain cost only the rows of their masks, and
//! nothing where the springs of a flow have given all.

mod layer;
pub(crate) mod path;
mod reroute;
mod supply;
mod turns;
mod vain;

use crate::chunk::LayerMask;
use crate::grid::LayerId;
use crate::water::draw::path::{Delivery, Demand, Path, draw_along};
use crate::water::draw::reroute::{Search, reroute};
use crate::water::draw::supply::{FlowId, Supply};
use crate::water::draw::turns::Turns;
use crate::water::draw::vain::{Ways, open_parents};
use crate::water::random::{Purpose, mix};
use crate::water::scratch::Tick;
use crate::water::scratch::budget::{Budget, Debt};
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::flow::parked::{parked, unpark, unpark_at};
use crate::water::store::{LAYER_ROWS, Place};

/// The state of the stage between two pieces of a tick.
#[derive(Default)]
pub(crate) struct Demands {
    is_done: bool,
    /// The y of the layer that is being gathered.
    gathering: Option<i32>,
    /// Whether cells of the gathered layer have no turns yet.
    has_gathered: bool,
    /// The first layer that has not been gathered yet.
    next_layer: Option<LayerId>,
    /// Whether all layers have been gathered.
    at_end: bool,
    turns: Turns,
    ways: Ways,
    /// Whether any cell has drawn in this tick.
    is_used: bool,
    /// The draw underway, if there is one.
    drawing: Option<Drawing>,
    /// Cells of draws that are still to be charged.
    debt: Debt,
    /// The path of the draw underway, or of the last draw.
    path: Path,
    /// The films without a path to units, in the order of their turns. If no spring of the flow is
    /// idle, films that are known to draw in vain get no turn, and are not listed.
    starved: Vec<Place>,
    search: Search,
    supply: Supply,
}

/// A draw that has begun.
struct Drawing {
    demand: Demand,
    /// The film that draws, and its flow.
    place: Place,
    flow: FlowId,
}

impl Demands {
    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.turns.memory_bytes()
            + self.ways.memory_bytes()
            + self.path.memory_bytes()
            + self.starved.capacity() * size_of::<Place>()
            + self.search.memory_bytes()
            + self.supply.memory_bytes()
    }

    /// Returns whether no film is left to draw.
    #[cfg(feature = "rayon")]
    pub(crate) fn are_done(&self) -> bool {
        self.is_done
    }

    /// Ends the stage, once all draws have been made on shards.
    #[cfg(feature = "rayon")]
    pub(crate) fn end(&mut self) {
        self.is_done = true;
    }

    /// Frees the buffers that only a larger tick needed, and all buffers if no cell has drawn.
    fn shrink(&mut self) {
        /// Buffers up to this many cells are kept.
        const BUFFER: usize = 1 << 10;
        let most = if core::mem::take(&mut self.is_used) { BUFFER } else { 0 };
        self.turns.shrink(most);
        self.ways.shrink(most);
        self.path.shrink(most);
        self.starved.shrink_to(most);
        self.search.shrink(most);
        self.supply.shrink(most);
    }
}

/// Begins the stage.
pub(crate) fn begin_draws(tick: &mut Tick, draws: &mut Demands) {
    draws.at_end = false;
    draws.is_done = tick.limits.supply == 0 && tick.rules.pools;
}

/// Runs the next piece of the stage. Returns the cells charged to its budget, or `None` if the
/// stage is complete.
pub(crate) fn draw_next(tick: &mut Tick, draws: &mut Demands) -> Option<u64> {
    let mut budget = Budget::of_a_piece();
    if draws.is_done {
        let Some(cell) = draws.starved.pop() else {
            draws.shrink();
            return None;
        };
        let flow = draws.supply.flow_of(tick, cell.slot);
        if draws.supply.has_idle(flow) {
            budget.spend(1 + reroute(tick, &mut draws.search, cell));
        }
        budget.spend(draws.supply.take_visited());
        return Some(budget.spent());
    }
    while draws.debt.pay(&mut budget) && !draws.is_done {
        budget.spend(1);
        if let Some(drawing) = draws.drawing.take() {
            draw(tick, draws, drawing, &mut budget);
            continue;
        }
        if let Some(y) = draws.gathering {
            gather_next(tick, draws, y, &mut budget);
            continue;
        }
        if draws.has_gathered {
            give_turns(tick, draws, &mut budget);
            continue;
        }
        match next_turn(tick, draws, &mut budget) {
            Some((layer, cell)) => take_turn(tick, draws, layer, cell, &mut budget),
            None if draws.turns.begin_late() => {
                draws.ways.begin_turns();
                draws.has_gathered = true;
            }
            None => begin_next_layer(tick, draws),
        }
    }
    Some(budget.spent())
}

/// Begins to gather the next layer, or ends the stage if there is none.
fn begin_next_layer(tick: &mut Tick, draws: &mut Demands) {
    if draws.next_layer.is_none() && !draws.at_end {
        draws.next_layer = tick.scratch.next_layer(tick.store);
    }
    match draws.next_layer {
        Some(layer) => {
            let y = tick.store.layer_y(layer);
            draws.turns.begin(mix(Purpose::Draws.seed(tick.scratch.random()), y as u64));
            draws.ways.begin();
            draws.gathering = Some(y);
        }
        None => {
            draws.is_done = true;
            draws.starved.reverse();
        }
    }
}

/// Gathers the cells that draw in the next chunk's layer, if the layer is at height `y`.
fn gather_next(tick: &mut Tick, draws: &mut Demands, y: i32, budget: &mut Budget) {
    let next = draws.next_layer.take().or_else(|| tick.scratch.next_layer(tick.store));
    match next {
        Some(layer) if tick.store.layer_y(layer) == y => {
            gather_cells(tick, draws, layer);
            budget.spend(LAYER_ROWS + draws.supply.take_visited());
        }
        _ => {
            // `None` ends the schedule's pass, so the end must be kept until the turns are over.
            draws.next_layer = next;
            draws.at_end = next.is_none();
            draws.gathering = None;
            draws.has_gathered = true;
        }
    }
}

/// In the next chunk of the gathered layer, finds the exhausted cells or gives cells their turns.
/// Cells that would draw in vain get a turn only where a spring of their flow is idle, because the
/// searches for paths are made in the order of the turns.
fn give_turns(tick: &mut Tick, draws: &mut Demands, budget: &mut Budget) {
    budget.spend(LAYER_ROWS);
    if draws.ways.search_next(tick) {
        return;
    }
    let Some((layer, cells, live)) = draws.ways.next() else {
        draws.has_gathered = false;
        return;
    };
    let flow = draws.ways.flow(layer);
    if draws.supply.is_left(flow) {
        let listed = if draws.supply.has_idle(flow) { cells } else { live };
        let origin = tick.store.position(draws.ways.place(layer, 0));
        budget.spend(draws.turns.push(layer, listed, origin));
    }
}

/// Returns the next cell to draw, and the number of its layer.
fn next_turn(tick: &Tick, draws: &mut Demands, budget: &mut Budget) -> Option<(u32, usize)> {
    let Demands { turns, ways, supply, .. } = draws;
    if !turns.has_sorted() {
        while ways.search_next(tick) {
            budget.spend(LAYER_ROWS);
        }
    }
    turns.next(|layer, cell| {
        let flow = ways.flow(layer);
        supply.is_left(flow) && (!ways.is_vain(layer, cell) || supply.has_idle(flow))
    })
}

/// Gathers the awake cells of a chunk's layer that draw, where the springs of their flow have units
/// left. Marks those that are not parked as waiting until they have drawn. Unparks parked cells
/// that no longer draw.
fn gather_cells(tick: &mut Tick, draws: &mut Demands, layer: LayerId) {
    let cells = cells_that_draw(tick, layer);
    let parked = parked(tick.store, layer);
    // A cell keeps its parents as long as it is parked.
    let waiting = with_ways(tick, layer, cells - parked);
    if waiting.any() {
        tick.scratch.record_mut(tick.store, layer).mark(Mark::Waiting, waiting);
    }
    if (parked - cells).any() {
        unpark(tick.store, layer, parked - cells);
    }
    let films = waiting | cells & parked;
    if films.any() {
        let flow = draws.supply.flow_of(tick, layer.slot);
        if draws.supply.is_left(flow) {
            draws.ways.gather(layer, films, flow);
        }
    }
}

/// Returns the cells of `cells` that have a parent beside or below them, or are full and draw for
/// the cell above. Falling water fills a cell that has a parent only above it.
fn with_ways(tick: &Tick, layer: LayerId, cells: LayerMask) -> LayerMask {
    if cells.is_empty() {
        return cells;
    }
    let [west, east, down, _, north, south] = open_parents(tick, layer);
    cells & (west | east | down | north | south | tick.store.layer(layer).closed)
}

/// Returns the awake cells of a layer that draw unless all their parents are above them.
fn cells_that_draw(tick: &Tick, layer: LayerId) -> LayerMask {
    let awake = tick.awake(layer) - tick.store.in_runs(layer);
    let connected = awake & tick.store.connected(layer);
    if connected.is_empty() {
        return LayerMask::NONE;
    }
    let cells = if tick.rules.pools {
        films(tick, layer, connected)
    } else {
        fillers(tick, layer, connected) | risers(tick, layer, connected)
    };
    cells - tick.store.springs(layer)
}

/// Returns the cells with room on solid ground.
fn films(tick: &Tick, layer: LayerId, awake: LayerMask) -> LayerMask {
    let fillers = fillers(tick, layer, awake);
    if fillers.is_empty() { fillers } else { fillers - tick.store.over_water(layer) }
}

/// Returns the supported cells with room: they have no room below.
fn fillers(tick: &Tick, layer: LayerId, awake: LayerMask) -> LayerMask {
    let open = awake - tick.store.layer(layer).closed;
    if open.is_empty() { open } else { open & tick.store.supported(layer) }
}

/// Returns the full cells that have room above them.
fn risers(tick: &Tick, layer: LayerId, awake: LayerMask) -> LayerMask {
    let full = awake & tick.store.layer(layer).full();
    if full.is_empty() { full } else { full - tick.store.capped(layer) }
}

/// Makes a cell draw: a cell with room for itself, a full cell for the cell above it.
fn take_turn(tick: &mut Tick, draws: &mut Demands, layer: u32, cell: usize, budget: &mut Budget) {
    let (place, flow) = (draws.ways.place(layer, cell), draws.ways.flow(layer));
    if !draws.supply.is_left(flow) {
        return;
    }
    draws.is_used = true;
    if draws.ways.is_vain(layer, cell) {
        draws.starved.push(place);
        return;
    }
    let voxel = tick.store.read(place);
    let demand = match voxel.room() {
        0 => Demand::to_rise(tick, place),
        _ => Demand::to_fill(tick, place, voxel),
    };
    let Some(demand) = demand else { return stop_waiting(tick, place) };
    draws.path.begin(&demand);
    draw(tick, draws, Drawing { demand, place, flow }, budget);
}

/// Does the next part of a draw, and keeps the draw if it is not complete.
fn draw(tick: &mut Tick, draws: &mut Demands, drawing: Drawing, budget: &mut Budget) {
    let Drawing { ref demand, place, flow } = drawing;
    let drawn = draw_along(tick, demand, &mut draws.path, &mut draws.ways);
    draws.debt.add(draws.path.charge(drawn.is_some()));
    match drawn {
        None => draws.drawing = Some(drawing),
        Some(Delivery::Exhausted) => {
            draws.starved.push(place);
            draws.ways.begin_search(tick);
        }
        Some(Delivery::Units) => {
            draws.supply.note_given(tick, flow, draws.path.root());
            budget.spend(draws.supply.take_visited());
            stop_waiting(tick, place);
        }
        Some(Delivery::Nothing) => stop_waiting(tick, place),
    }
}

/// Unparks a film that has drawn, or notes that it no longer waits.
fn stop_waiting(tick: &mut Tick, place: Place) {
    if !unpark_at(tick.store, place) {
        let mut work = tick.scratch.record_mut(tick.store, place.layer_id());
        work.cell(place.cell()).unmark(Mark::Waiting);
    }
}

#[cfg(test)]
mod tests;
