//! Draws: outlets, cells with room, and full cells for the cells above them draw water from the
//! roots of their flows. A stage of the tick of its own, over whole layers of the world from the
//! bottom up, with the cells of a layer in random order across all chunks: what is drawn within
//! the turn of a chunk prints the chunk grid.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `turns` | the order of the cells of a layer | random permutation by hash, bucket sort |
//! | `path` | one draw: up the parents to a root, then water along that path | walk up a forest |
//! | `search` | a way to the nearest spring, round what is exhausted or for later ticks | breadth-first search |
//! | `roots` | the root of a cell, and what it offers | tree labelling, depth-first search |
//! | `outlets` | water that leaves the world, and the mark of the paths that lead there | |
//!
//! A draw follows the parents first. If they are exhausted, an outlet is fed instead by the nearest
//! spring that cells with throughput left lead to, and the way becomes the parents, so that a wide
//! river keeps its lanes. Other cells wait; if springs stay idle meanwhile, a search finds a
//! shortest way for later ticks. Outlets draw before all others or after them, by coin in each
//! tick, so that neither starves. What else was tried: see `benches/decisions.md`.

mod outlets;
pub(crate) mod path;
pub(crate) mod roots;
mod search;
mod turns;

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::context::layer_record::passed;
use crate::water::draw::path::{Draw, Drawn, Purpose as DrawFor};
use crate::water::draw::roots::Need;
use crate::water::draw::search::Search;
use crate::water::draw::turns::Turns;
use crate::water::random::{Purpose, mix};
use crate::water::store::{LAYER_ROWS, LayerState, Place, Step, head};
use crate::water::voxel::Voxel;

/// Cells that the searches of a tick may visit, besides twice the length of every way that water
/// took.
const SEARCH_CREDIT: i64 = 1_024;

/// The passes of the stage, each over all layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pass {
    #[default]
    Done,
    /// Outlets, with the limit on draws that turn off a straight flow.
    Outlets,
    /// The outlets that the limit held back, without it.
    HeldBack,
    /// Cells with room, and full cells below cells with room.
    Cells,
}

/// The state of the stage between two pieces of a tick.
#[derive(Default)]
pub(crate) struct Draws {
    pass: Pass,
    /// Whether outlets draw first in this tick.
    outlets_first: bool,
    /// The y of the layer that is being gathered.
    gathering: Option<i32>,
    /// The first layer that has not been gathered yet.
    next_layer: Option<(Slot, usize)>,
    /// Whether the pass has gathered all layers.
    at_end: bool,
    turns: Turns,
    /// Gathered cells of the layer that are not connected to a spring.
    finite: u32,
    /// Whether any cell has drawn in this tick.
    is_used: bool,
    held_back: Vec<Place>,
    /// The first cell of the pass that drew in vain.
    starved: Option<(Place, Need)>,
    /// The cell whose turn has begun, while the search for its springs is underway.
    turn: Option<Place>,
    underway: Option<Draw>,
    /// The outlet whose draw is over and whose own water is still to leave, and its exit.
    leaving: Option<Step>,
    /// The cells from which paths up to the roots are still to be marked, as a stack.
    unmarked: Vec<Place>,
    /// The path of the draw underway.
    path: path::Path,
    search: Search,
    /// Units that springs may give in a tick.
    supply: u64,
    /// Cells that searches may still visit in this tick.
    credit: i64,
}

impl Draws {
    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.turns.memory_bytes()
            + (self.held_back.capacity() + self.unmarked.capacity()) * size_of::<Place>()
            + self.path.memory_bytes()
            + self.search.memory_bytes()
    }

    /// Frees what only a larger tick needed, and all if none was needed.
    fn shrink(&mut self) {
        /// Buffers up to this many cells are kept.
        const BUFFER: usize = 1 << 10;
        let most = if core::mem::take(&mut self.is_used) { BUFFER } else { 0 };
        self.turns.shrink(most);
        self.held_back.shrink_to(most);
        self.unmarked.shrink_to(most);
        self.path.shrink(most);
        self.search.shrink(most);
    }
}

impl Context<'_> {
    /// Begins the stage.
    pub(crate) fn begin_draws(&mut self, draws: &mut Draws) {
        draws.outlets_first = mix(self.work.random(), Purpose::Draws as u64) & 1 == 0;
        draws.pass = if draws.outlets_first { Pass::Outlets } else { Pass::Cells };
        if !self.store.any_drains() {
            draws.pass = Pass::Cells;
        }
        let per_spring = u64::from(self.limits.supply.min(self.limits.throughput));
        draws.supply = self.store.source_count() as u64 * per_spring;
        draws.credit = SEARCH_CREDIT;
    }

    /// Does the next piece of the stage. Returns the cells charged to its budget, or `None` if the
    /// stage is complete.
    pub(crate) fn draw_next(&mut self, draws: &mut Draws) -> Option<u64> {
        if draws.pass == Pass::Done {
            draws.shrink();
            return None;
        }
        let mut budget = Budget::of_a_piece();
        while !budget.is_spent() {
            if let Some(place) = draws.unmarked.pop() {
                self.mark_next(draws, place, &mut budget);
            } else if let Some((place, exit)) = draws.leaving.take() {
                self.leave(draws, (place, exit), &mut budget);
            } else if let Some(draw) = draws.underway.take() {
                self.resume_draw(draws, draw, &mut budget);
            } else if draws.pass == Pass::Done {
                break;
            } else {
                self.step_between_draws(draws, &mut budget);
            }
        }
        Some(budget.spent())
    }

    /// Moves to the pass after the current one, which is complete.
    fn begin_next_pass(&mut self, draws: &mut Draws) {
        if draws.pass != Pass::Outlets
            && let Some((place, need)) = draws.starved.take()
        {
            // The pass ends once the search is over.
            draws.underway = self.begin_later(draws, place, need);
            return;
        }
        draws.at_end = false;
        draws.pass = match draws.pass {
            Pass::Outlets => {
                draws.held_back.reverse();
                Pass::HeldBack
            }
            Pass::HeldBack if draws.outlets_first => Pass::Cells,
            Pass::Cells if !draws.outlets_first && self.store.any_drains() => Pass::Outlets,
            _ => Pass::Done,
        };
    }

    /// Does a step of the stage between two draws: gathers the next layer, chunk by chunk, begins
    /// the turn of the next cell, or moves to the next pass.
    fn step_between_draws(&mut self, draws: &mut Draws, budget: &mut Budget) {
        budget.spend(1);
        if draws.pass == Pass::HeldBack {
            match draws.held_back.pop() {
                Some(place) => draws.underway = self.begin_outlet(draws, place, false),
                None => self.begin_next_pass(draws),
            }
        } else if let Some(y) = draws.gathering {
            self.gather_next(draws, y, budget);
        } else if let Some(place) = draws.turn.take() {
            self.take_turn(draws, place, budget);
        } else {
            match draws.turns.next(self.work.is_in_slices, budget) {
                Some(Some(place)) => self.take_turn(draws, place, budget),
                Some(None) => self.begin_next_layer(draws, budget),
                None => {}
            }
        }
    }

    /// Begins a cell's turn, or goes on finding out whether it draws.
    fn take_turn(&mut self, draws: &mut Draws, place: Place, budget: &mut Budget) {
        draws.is_used = true;
        match self.begin_turn(draws, place, budget) {
            Some(draw) => draws.underway = draw,
            None => draws.turn = Some(place),
        }
    }

    /// Begins to gather the next layer, or the next pass if there is none.
    fn begin_next_layer(&mut self, draws: &mut Draws, budget: &mut Budget) {
        if draws.next_layer.is_none() && !draws.at_end {
            let Some(next) = self.work.next_layer(self.store, budget) else { return };
            draws.next_layer = next;
        }
        match draws.next_layer {
            Some((slot, layer)) => {
                let y = self.store.layer_y(slot, layer);
                draws.turns.begin(mix(Purpose::Draws.seed(self.work.random()), y as u64));
                (draws.gathering, draws.finite) = (Some(y), 0);
            }
            None => self.begin_next_pass(draws),
        }
    }

    /// Gathers the cells that draw in the next chunk's layer, if that lies at height `y`.
    fn gather_next(&mut self, draws: &mut Draws, y: i32, budget: &mut Budget) {
        let next = match draws.next_layer.take() {
            None => {
                let Some(next) = self.work.next_layer(self.store, budget) else { return };
                next
            }
            known => known,
        };
        match next {
            Some((slot, layer)) if self.store.layer_y(slot, layer) == y => {
                budget.spend(LAYER_ROWS);
                match draws.pass {
                    Pass::Outlets => self.gather_outlets(&mut draws.turns, slot, layer),
                    _ => self.gather_cells(draws, slot, layer, y),
                }
            }
            _ => {
                // `None` ends the schedule's pass, so the end must be kept until the turns are
                // over.
                draws.next_layer = next;
                draws.at_end = next.is_none();
                draws.gathering = None;
            }
        }
    }

    /// Gathers the awake outlets of a chunk's layer.
    fn gather_outlets(&mut self, turns: &mut Turns, slot: Slot, layer: usize) {
        let Some(outlets) = self.store.outlets(slot) else { return };
        let cells = outlets.layer(layer) & self.awake(slot, layer);
        self.report.visited += u64::from(cells.count());
        self.push_all(turns, slot, layer, cells);
    }

    /// Gathers the awake cells of a chunk's layer that draw: those on firm ground with room, and
    /// those below cells with room that are connected to a spring. Until they have drawn, they
    /// wait.
    fn gather_cells(&mut self, draws: &mut Draws, slot: Slot, layer: usize, y: i32) {
        let awake = self.awake(slot, layer);
        if awake.is_empty() {
            return;
        }
        let cells = self.fillers(slot, layer, awake) | self.risers(slot, layer, awake, y);
        if cells.is_empty() {
            return;
        }
        let fed = LayerMask::union(self.store.parent_planes(slot, layer));
        let cells = cells & fed;
        if cells.any() {
            self.work.join(self.store, slot, layer).waiting |= cells;
            draws.finite += (cells - self.store.connected(slot, layer)).count();
            self.push_all(&mut draws.turns, slot, layer, cells);
        }
    }

    /// Returns the cells with room on firm ground.
    fn fillers(&self, slot: Slot, layer: usize, awake: LayerMask) -> LayerMask {
        let open = awake - self.store.layer(slot, layer).closed;
        if open.is_empty() { open } else { open & self.firm(slot, layer) }
    }

    /// Returns the full cells that are connected to a spring and have room above them, if any
    /// spring lies higher than that.
    fn risers(&self, slot: Slot, layer: usize, awake: LayerMask, y: i32) -> LayerMask {
        if self.store.highest_source().is_none_or(|highest| highest <= y.saturating_add(1)) {
            return LayerMask::NONE;
        }
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        let full = awake & self.store.connected(slot, layer) & wet & closed;
        if full.is_empty() {
            return full;
        }
        match self.store.upper_layer(slot, layer) {
            Some((slot, layer)) => full - self.store.layer(slot, layer).closed,
            None if self.store.beyond(slot, Face::Up, layer).is_closed() => LayerMask::NONE,
            None => full,
        }
    }

    fn push_all(&self, turns: &mut Turns, slot: Slot, layer: usize, cells: LayerMask) {
        for cell in cells.iter() {
            let place = Place::in_layer(slot, layer, cell);
            turns.push(place, self.store.position(place));
        }
    }

    /// Begins a cell's turn. Returns its draw, if it makes one; `None` if the budget is spent
    /// before that is known.
    fn begin_turn(
        &mut self,
        draws: &mut Draws,
        place: Place,
        budget: &mut Budget,
    ) -> Option<Option<Draw>> {
        if draws.pass == Pass::Outlets {
            return Some(self.begin_outlet(draws, place, true));
        }
        let voxel = self.store.read(place);
        let y = self.store.layer_y(place.slot, place.layer());
        let is_full = voxel.room() == 0;
        let least = if is_full { y.saturating_add(2) } else { y };
        if voxel.is_connected() {
            if self.is_beyond_reach(place, least, budget)? {
                self.stop_waiting(place);
                return Some(None);
            }
            if self.springs_left(draws) == 0 {
                if draws.finite == 0 {
                    draws.turns.clear();
                }
                return Some(None);
            }
        }
        Some(if is_full {
            self.begin_rise(place, y)
        } else {
            self.begin_fill(draws, place, voxel, y)
        })
    }

    /// Begins the draw of a cell with room, from one of its parents at random, but not from above:
    /// what is fed from there is filled by what falls.
    fn begin_fill(
        &mut self,
        draws: &mut Draws,
        place: Place,
        voxel: Voxel,
        y: i32,
    ) -> Option<Draw> {
        let mut parents = self.store.parents_in(place, voxel) & !(1 << Face::Up.index());
        draws.path.forked = parents.count_ones() > 1;
        let Some(face) = self.pick(place, &mut parents) else {
            self.stop_waiting(place);
            return None;
        };
        let parent = self.store.step(place, face);
        if parent.is_some() && self.is_exhausted(parent) {
            self.bury_cell(place);
            return None;
        }
        let connected = voxel.has(CellFlags::HAS_SOURCE);
        let need = Need::Fill { y, head: head(y, voxel.height()), connected };
        let first = (parent, face.opposite());
        Some(Draw::new(DrawFor::Fill, place, first, voxel.room(), need))
    }

    /// Whether a cell cannot pass on anything more in this tick.
    #[inline]
    fn is_exhausted(&self, place: Place) -> bool {
        let (layer, cell) = (place.layer(), place.cell());
        self.work.get(place.slot, layer).is_some_and(|work| {
            let left = self.limits.left(self.store.read(place), passed(work.flow(cell)));
            work.dead.contains(cell) || left == 0
        })
    }

    /// Begins the draw of a full cell for the cell above it.
    fn begin_rise(&mut self, place: Place, y: i32) -> Option<Draw> {
        let room = self.store.look(place, Face::Up).room();
        let need = Need::Rise { y: y.saturating_add(1) };
        (room > 0).then(|| Draw::new(DrawFor::Rise, place, (place, Face::Up), room, need))
    }

    /// Begins a search for a way that a starved cell can use in later ticks, if any spring has
    /// been idle in this one.
    fn begin_later(&mut self, draws: &mut Draws, place: Place, need: Need) -> Option<Draw> {
        let is_idle = self.springs_left(draws) >= u64::from(self.limits.throughput);
        let may = is_idle && self.store.read(place).is_connected();
        (may && self.begin_search_for_later(draws, place))
            .then(|| Draw::new(DrawFor::Later, place, (place, Face::Up), 0, need).for_later())
    }

    /// Returns whether all springs that feed a connected cell lie below `least`; `None` if the
    /// budget is spent.
    fn is_beyond_reach(&mut self, place: Place, least: i32, budget: &mut Budget) -> Option<bool> {
        let (lowest, highest) = (self.store.lowest_source(), self.store.highest_source());
        if lowest.is_some_and(|lowest| lowest >= least) {
            return Some(false);
        }
        if highest.is_some_and(|highest| highest < least) {
            return Some(true);
        }
        self.is_out_of_reach(place, least, budget)
    }

    /// Returns the units that the springs of the world may still give in this tick.
    fn springs_left(&self, draws: &Draws) -> u64 {
        let given = self.ledger.injected - self.work.ledger_before.injected;
        draws.supply.saturating_sub(given)
    }

    /// Records that a cell does not wait for water, so it may sleep.
    fn stop_waiting(&mut self, place: Place) {
        self.work.join(self.store, place.slot, place.layer()).waiting.remove(place.cell());
    }

    /// Resumes a draw until it is complete or the budget is spent.
    fn resume_draw(&mut self, draws: &mut Draws, mut draw: Draw, budget: &mut Budget) {
        let Some(drawn) = self.advance(draws, &mut draw, budget) else {
            draws.underway = Some(draw);
            return;
        };
        draws.path.clear();
        let may_be_starved = drawn == Drawn::Waiting && draw.purpose != DrawFor::Later;
        if may_be_starved && draws.starved.is_none() {
            draws.starved = Some((draw.cell, draw.need));
        }
        match draw.purpose {
            DrawFor::Leave { .. } => self.end_outlet(draws, &draw, drawn),
            DrawFor::Fill | DrawFor::Rise if drawn != Drawn::Waiting => {
                self.stop_waiting(draw.cell)
            }
            DrawFor::Fill | DrawFor::Rise | DrawFor::Later => {}
        }
    }
}

#[cfg(test)]
mod tests;
