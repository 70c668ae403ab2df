//! Pools: each body of connected water levels out, as its lowest cells draw from its highest
//! surface, one cell at a time.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `body` | finds the bodies | connected-component labelling by bitmask flood fill |
//! | `surface` | finds the highest surface of a body | scan for a maximum |
//! | `drawers` | selects the cells that draw, lowest first | scan, top *k* |
//! | `nearest` | finds the surface cell nearest to a drawer | nearest-neighbour search in buckets |
//! | `route` | finds the route between the two | A* search |
//! | `straight_route` | tries the straight route first | greedy best-first walk |
//!
//! Levelling a body stops whenever the budget of a piece of the tick is spent, and resumes in the
//! next piece: see [`Stage`].

pub(crate) mod body;
pub(crate) mod drawers;
pub(crate) mod nearest;
pub(crate) mod route;
pub(crate) mod straight_route;
pub(crate) mod surface;
#[cfg(test)]
mod tests;

use crate::chunk::LayerMask;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::body::{Body, Flooded, Piece};
use crate::water::pools::drawers::Gathering;
use crate::water::pools::route::{Found, Search};
use crate::water::pools::surface::{Surface, Survey};
use crate::water::store::{LAYER_ROWS, Place, Step, head};
use crate::water::voxel::Voxel;
use core::cmp::Reverse;

/// Most draws from one body in a tick. A body with further draws to make stays awake.
const DRAWS_PER_BODY: usize = 96;

/// The bodies of water of the current tick, found and levelled one by one.
#[derive(Default)]
pub(crate) struct Pools {
    flooded: Flooded,
    /// Cells of the current layer whose bodies have not been found yet.
    seeds: Option<Piece>,
    /// Bodies still to be levelled, as a stack.
    bodies: Vec<Body>,
    levelling: Option<Levelling>,
}

impl Pools {
    /// Begins a tick with no known body. `slots` is the chunk capacity of the world.
    pub(crate) fn begin(&mut self, slots: usize) {
        self.flooded.begin(slots);
    }

    /// Sorts the bodies by their lowest cell. A dry cell between two bodies may draw from either,
    /// so their order must not depend on which cells were awake.
    pub(crate) fn sort(&mut self) {
        self.bodies.sort_unstable_by_key(|body| Reverse(body.lowest));
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let pieces = |body: &Body| body.pieces.capacity() * size_of::<Piece>();
        self.flooded.memory_bytes() + self.bodies.iter().map(pieces).sum::<usize>()
    }
}

/// A body that is being levelled.
struct Levelling {
    body: Body,
    stage: Stage,
    /// The surface that cells draw from.
    surface: Surface,
    /// The cells still to draw, as a stack.
    drawers: Vec<Place>,
    /// Whether there are more cells that could draw than [`DRAWS_PER_BODY`].
    has_more: bool,
    /// The last cell that could not get all the water available to it in this tick.
    unserved: Option<Place>,
    /// Draws left in this tick.
    draws: usize,
    search: Search,
}

/// The current stage of levelling a body.
enum Stage {
    /// Finds the highest surface.
    Survey(Survey),
    /// Finds the cells that draw from it.
    Gather(Gathering),
    /// Draws, one cell at a time.
    Draw,
    /// The surface is exhausted: finds the highest one below it.
    Lower(Survey),
}

/// The result of drawing for a cell.
enum Outcome {
    /// The cell is level with the surface, or full.
    Level,
    /// The cell could not get all the water available to it in this tick.
    Unserved,
    /// The budget of the piece is spent before the cell is done.
    Underway,
}

impl Levelling {
    fn new(body: Body) -> Self {
        Levelling {
            body,
            stage: Stage::Survey(Survey::below(i64::MAX)),
            surface: Surface::none(),
            drawers: Vec::new(),
            has_more: false,
            unserved: None,
            draws: DRAWS_PER_BODY,
            search: Search::new(),
        }
    }

    /// Whether no cell has been visited yet.
    fn is_new(&self) -> bool {
        matches!(&self.stage, Stage::Survey(survey) if survey.is_new())
    }

    /// Whether no cell is left to draw.
    fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Draw) && self.drawers.is_empty()
    }
}

impl Context<'_> {
    /// Levels bodies until the budget of a piece is spent. Returns the cells charged to it: cells
    /// that drew, exhausted surface cells, cells visited by searches, and each row of a layer
    /// scanned as a bit mask. Returns `None` if no body is left.
    pub(crate) fn level_next(&mut self, pools: &mut Pools) -> Option<u64> {
        if pools.levelling.is_none() && pools.bodies.is_empty() {
            return None;
        }
        let mut budget = Budget::of_a_piece();
        while !budget.is_spent() {
            let begun = pools.levelling.take();
            let Some(mut levelling) = begun.or_else(|| pools.bodies.pop().map(Levelling::new))
            else {
                break;
            };
            if self.level(&mut levelling, &mut budget) {
                pools.flooded.recycle(levelling.body);
            } else {
                pools.levelling = Some(levelling);
            }
        }
        Some(budget.spent())
    }

    /// Resumes levelling a body. Returns whether it is done; if not, the budget is spent.
    fn level(&mut self, levelling: &mut Levelling, budget: &mut Budget) -> bool {
        if levelling.is_new() && self.is_idle(&levelling.body, budget) {
            return true;
        }
        if self.advance_to_draw(levelling, budget) {
            self.draw_all(levelling, budget);
        }
        let is_done = levelling.is_done();
        if is_done && let Some(place) = levelling.unserved {
            self.wake_neighbourhood(place);
        }
        is_done
    }

    /// Whether a cheap test shows that no cell draws from a body.
    fn is_idle(&self, body: &Body, budget: &mut Budget) -> bool {
        budget.spend(LAYER_ROWS);
        self.is_film(body) || self.is_all_touched(body)
    }

    /// Whether a body consists only of cells of one unit in one layer of one chunk, as rain leaves
    /// them. Drawing takes a head difference of two units, and a dry cell beside them has one.
    fn is_film(&self, body: &Body) -> bool {
        let is_deeper = |voxel: Voxel| voxel.height() > 1;
        match body.pieces[..] {
            [Piece { slot, layer, cells }] => {
                self.store.select_among(slot, layer, cells, is_deeper).is_empty()
            }
            _ => false,
        }
    }

    /// Whether all cells of a body have moved in this tick, as falling water does. Cells that moved
    /// do not draw.
    fn is_all_touched(&self, body: &Body) -> bool {
        let touched = |piece: &Piece| self.touched(piece.slot, piece.layer);
        body.pieces.iter().all(|piece| (piece.cells - touched(piece)).is_empty())
    }

    /// Advances to [`Stage::Draw`]. Returns whether it is reached; if not, the budget is spent.
    fn advance_to_draw(&mut self, levelling: &mut Levelling, budget: &mut Budget) -> bool {
        loop {
            let is_complete = match &mut levelling.stage {
                Stage::Survey(survey) | Stage::Lower(survey) => {
                    self.survey(&levelling.body.pieces, survey, budget)
                }
                Stage::Gather(gathering) => self.gather(&levelling.body.pieces, gathering, budget),
                Stage::Draw => return true,
            };
            if !is_complete {
                return false;
            }
            match core::mem::replace(&mut levelling.stage, Stage::Draw) {
                Stage::Survey(survey) => {
                    levelling.surface = survey.surface(self.store);
                    if !levelling.surface.is_none() {
                        let highest = levelling.surface.head - 2;
                        levelling.stage = Stage::Gather(Gathering::new(highest, DRAWS_PER_BODY));
                    }
                }
                Stage::Gather(gathering) => {
                    let (drawers, has_more) = gathering.into_drawers();
                    levelling.drawers =
                        drawers.into_iter().rev().map(|(_, _, place)| place).collect();
                    levelling.has_more = has_more;
                }
                Stage::Lower(survey) => levelling.surface = survey.surface(self.store),
                Stage::Draw => {}
            }
        }
    }

    /// Draws for one drawer after another until none is left or the budget is spent.
    fn draw_all(&mut self, levelling: &mut Levelling, budget: &mut Budget) {
        while !budget.is_spent()
            && let Some(&place) = levelling.drawers.last()
        {
            match self.draw_from(place, levelling, budget) {
                Outcome::Underway => return,
                Outcome::Level if !levelling.has_more => {}
                Outcome::Level | Outcome::Unserved => levelling.unserved = Some(place),
            }
            levelling.drawers.pop();
            budget.spend(1);
        }
    }

    /// Draws for one cell until it is level with the surface or full, or the budget is spent.
    fn draw_from(
        &mut self,
        place: Place,
        levelling: &mut Levelling,
        budget: &mut Budget,
    ) -> Outcome {
        loop {
            let own = head(self.height_of(place), self.store.read(place).height());
            if !levelling.search.is_underway() {
                match self.choose_goal(place, own, levelling, budget) {
                    Ok(goal) => levelling.search.begin(self, place, goal, own),
                    Err(outcome) => return outcome,
                }
            }
            match self.route(&mut levelling.search, budget) {
                Found::Route(path) => self.transfer(&path, place, own),
                Found::Nothing => return Outcome::Unserved,
                Found::Underway => return Outcome::Underway,
            }
        }
    }

    /// Returns the surface cell that `place`, whose head is `own`, draws from: the nearest one
    /// with water to give.
    fn choose_goal(
        &mut self,
        place: Place,
        own: i64,
        levelling: &mut Levelling,
        budget: &mut Budget,
    ) -> Result<Place, Outcome> {
        loop {
            if !self.advance_to_draw(levelling, budget) {
                return Err(Outcome::Underway);
            }
            let Levelling { surface, draws, .. } = levelling;
            if self.store.read(place).room() == 0 || surface.head < own + 2 {
                return Err(Outcome::Level);
            }
            let Some(goal) = surface.cells.nearest(self.store, place) else {
                levelling.stage = Stage::Lower(Survey::below(surface.head));
                continue;
            };
            let spent = self.limits.left(self.store.read(goal), self.work.passed(goal)) == 0;
            if spent || self.crest_head(goal) != Some(surface.head) || goal == place {
                if !budget.spend(1) {
                    return Err(Outcome::Underway);
                }
                let mut exhausted_cells = self.spent_springs(surface.cells.last_piece());
                exhausted_cells.insert(goal.cell());
                surface.cells.remove_from_last(exhausted_cells);
                continue;
            }
            *draws = draws.checked_sub(1).ok_or(Outcome::Unserved)?;
            return Ok(goal);
        }
    }

    /// Returns the springs of a piece that can give no more in this tick. They are removed
    /// together: with many springs level with a wide surface, the near ones are soon spent.
    fn spent_springs(&self, piece: Option<&Piece>) -> LayerMask {
        let Some(&Piece { slot, layer, cells }) = piece else { return LayerMask::NONE };
        let mut spent = cells & self.store.springs(slot, layer);
        for cell in spent.iter() {
            let place = Place::in_layer(slot, layer, cell);
            if self.limits.left(self.store.read(place), self.work.passed(place)) > 0 {
                spent.remove(cell);
            }
        }
        spent
    }

    /// Returns the units that every cell of a path may still pass on in this tick. The cells must
    /// lie in one layer of one chunk.
    fn left_along(&self, path: &[Step]) -> u8 {
        let Some(&(first, _)) = path.first() else { return u8::MAX };
        let layer = self.layer_of(first);
        let left = |(place, _): &Step| {
            let cell = place.cell();
            self.limits.left(layer.voxel(cell), layer.passed(cell))
        };
        path.iter().map(left).min().unwrap_or(u8::MAX)
    }

    /// Moves water from the end of a path to `to`, whose head is `own`: as much as half the
    /// difference of heads, the room in `to` and the throughput of the path allow.
    fn transfer(&mut self, path: &[Step], to: Place, own: i64) {
        let Some(&(from, _)) = path.last() else { return };
        let source = self.store.read(from);
        let available = if source.has(CellFlags::IS_SOURCE) { FULL } else { source.height() };
        let half =
            self.crest_head(from).map_or(0, |head| (head - own) / 2).clamp(0, i64::from(FULL))
                as u8;
        let mut units = self.store.read(to).room().min(available).min(half);
        for stretch in path.chunk_by(are_in_one_layer) {
            units = units.min(self.left_along(stretch));
        }
        self.take(from, units);
        for stretch in path.chunk_by(are_in_one_layer).rev() {
            self.pass_along_in_layer(stretch, units);
        }
        if let Some(&(_, exit)) = path.first() {
            self.receive(to, exit.opposite(), units, self.store.read(to).largest());
        }
    }
}

/// Whether two cells of a path lie in the same layer of the same chunk.
fn are_in_one_layer((a, _): &Step, (b, _): &Step) -> bool {
    (a.slot, a.layer()) == (b.slot, b.layer())
}
