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
        let touched = |piece: &Piece| {
            self.work.get(piece.slot, piece.layer).map_or(LayerMask::NONE, |work| work.touched)
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Face;
    use crate::grid::Slot;
    use crate::water::context::layer_record::LayerRecord;
    use crate::water::context::test_worlds;
    use crate::water::store::{LAYER_CELLS, Store};
    use crate::water::voxel::Voxel;
    use crate::water::{Rules, WaterCell, WaterWorld};
    use glam::IVec3;

    /// The path crosses a chunk border, and goes up and down, so that it re-enters layers.
    #[test]
    fn a_transfer_along_a_path_equals_passing_from_cell_to_cell() {
        let cells = [
            (14, 12),
            (14, 13),
            (15, 13),
            (15, 12),
            (16, 12),
            (16, 13),
            (16, 14),
            (16, 15),
            (17, 15),
        ];
        for (narrow, at_most) in
            (0..cells.len()).flat_map(|narrow| [(narrow, 1), (narrow, 3), (narrow, 7)])
        {
            let [mut world, mut other] = [(); 2].map(|()| {
                let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
                for x in 0..2 {
                    let full = Chunk::uniform(Voxel::OPEN.with_height(FULL));
                    world.insert_chunk(IVec3::X * x, full).expect("none is there");
                }
                assert_eq!(world.scoop(IVec3::new(13, 12, 5), 5), Ok(5));
                test_worlds::put_to_sleep(&mut world.store);
                world
            });
            let place = |(x, y): (i32, i32)| {
                let cell = IVec3::new(x, y, 5);
                world.place(cell).expect("loaded")
            };
            let to = place((13, 12));
            let mut path: Vec<Step> = Vec::new();
            for cell in cells {
                let before = path.last().map_or(to, |&(before, _)| before);
                let exit = Face::ALL
                    .into_iter()
                    .find(|&face| world.store.step(place(cell), face) == before);
                path.push((place(cell), exit.expect("the cell before lies beside it")));
            }
            let (mut tick, mut reference) =
                (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
            for tick in [&mut tick, &mut reference] {
                tick.pass_on(path[narrow].0, Face::Up, FULL - at_most);
            }
            let own = head(12, 2);
            tick.transfer(&path, to, own);
            let units = at_most.min(5);
            reference.take(path[cells.len() - 1].0, units);
            for &(place, exit) in path.iter().rev() {
                reference.pass_on(place, exit, units);
                reference.wake_cell(place);
            }
            reference.receive(to, path[0].1.opposite(), units, reference.store.read(to).largest());

            assert_eq!(tick.report, reference.report, "{narrow}, {at_most}");
            for (slot, layer) in tick
                .store
                .grid()
                .sorted_slots()
                .into_iter()
                .flat_map(|slot| (0..16).map(move |at| (slot, at)))
            {
                let marks = |work: &LayerRecord| {
                    (work.flow, work.inflow, [work.touched, work.woken, work.blocked])
                };
                let [here, there] =
                    [&tick, &reference].map(|tick| tick.work.get(slot, layer).map(marks));
                assert_eq!(here, there, "{narrow}, {at_most}");
                assert_eq!(
                    tick.awake(slot, layer),
                    reference.awake(slot, layer),
                    "{narrow}, {at_most}"
                );
                let [here, there] = [&tick, &reference]
                    .map(|tick| tick.store.select(slot, layer, Voxel::is_closed));
                assert_eq!(here, there, "{narrow}, {at_most}");
            }
            assert_eq!(tick.store.read(to).height(), 2 + units);
        }
    }

    /// Puddles on a floor, most of them of one unit. In every other world most of the water has
    /// moved.
    #[test]
    fn no_cell_draws_from_a_film_or_from_water_that_has_moved() {
        let (mut films, mut moved, mut others) = (0, 0, 0);
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut cells = [Voxel::OPEN; 16 * LAYER_CELLS];
            cells[..LAYER_CELLS].fill(Voxel::SOLID);
            for cell in &mut cells[LAYER_CELLS..2 * LAYER_CELLS] {
                *cell = match random.u8(..60) {
                    0..20 => Voxel::OPEN.with_height(1),
                    20 => Voxel::OPEN.with_height(random.u8(2..8)),
                    21 => Voxel::water(WaterCell::SOURCE),
                    22..26 => Voxel::SOLID,
                    _ => Voxel::OPEN,
                };
            }
            let mut world = WaterWorld::new(seed, Rules::lossless()).expect("rules in range");
            world.insert_chunk(IVec3::ZERO, Chunk::from_cells(&cells)).expect("none is there");
            world.wake_all();
            let slot = world.store.grid().sorted_slots()[0];
            let mut tick = test_worlds::tick(&mut world);
            if seed % 2 == 1 {
                let still = 1 << random.u32(..64) | 1 << random.u32(..64);
                tick.work.join(tick.store, slot, 1).touched = LayerMask::from_words([!still; 4]);
            }
            let mut pools = Pools::begun(tick.store);
            pools.find(&mut tick, slot, 1);
            for body in core::mem::take(&mut pools.bodies) {
                let (is_film, has_moved) = (tick.is_film(&body), tick.is_all_touched(&body));
                let mut levelling = Levelling::new(body);
                assert!(
                    tick.advance_to_draw(&mut levelling, &mut Budget::new(usize::MAX)),
                    "seed {seed}"
                );
                let drawers = levelling.drawers.len();
                assert!(!(is_film || has_moved) || drawers == 0, "seed {seed}");
                films += u32::from(is_film);
                moved += u32::from(has_moved && !is_film);
                others += u32::from(drawers > 0);
            }
        }
        assert!(
            films > 100 && moved > 20 && others > 20,
            "{films} films, {moved} moved, {others} with drawers"
        );
    }

    /// Bodies over several layers. In some layers all water has moved.
    #[test]
    fn a_body_has_moved_if_all_its_cells_have_moved() {
        let mut found = [0; 3];
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let layers: Vec<_> =
                slots.iter().flat_map(|&slot| (0..16).map(move |layer| (slot, layer))).collect();
            world.wake_all();
            let mut tick = test_worlds::tick(&mut world);
            for &(slot, layer) in &layers {
                let touched = if random.u8(..4) > 0 { LayerMask::ALL } else { LayerMask::NONE };
                tick.work.join(tick.store, slot, layer).touched = touched;
            }
            let mut pools = Pools::begun(tick.store);
            for &(slot, layer) in &layers {
                pools.find(&mut tick, slot, layer);
            }
            for body in core::mem::take(&mut pools.bodies) {
                let moved = |piece: &&Piece| {
                    tick.work
                        .get(piece.slot, piece.layer)
                        .is_some_and(|work| work.touched == LayerMask::ALL)
                };
                let count = body.pieces.iter().filter(moved).count();
                assert_eq!(tick.is_all_touched(&body), count == body.pieces.len(), "seed {seed}");
                found[usize::from(count > 0) + usize::from(count == body.pieces.len())] += 1;
            }
        }
        assert!(
            found.iter().all(|&bodies| bodies > 20),
            "{found:?} bodies at rest, in part, and all in motion"
        );
    }

    impl Pools {
        /// Returns an empty set of bodies for a tick that has begun.
        pub(crate) fn begun(store: &Store) -> Self {
            let mut pools = Pools::default();
            pools.begin(store.grid().slot_capacity());
            pools
        }

        /// Finds all bodies with awake or touched cells in a layer.
        pub(crate) fn find(&mut self, tick: &mut Context, slot: Slot, layer: usize) {
            tick.begin_flood(self, slot, layer);
            while tick.resume_flood(self).is_some() {}
        }
    }

    #[test]
    fn passing_along_a_layer_equals_passing_from_cell_to_cell() {
        let mut random = fastrand::Rng::with_seed(12);
        let (mut passed_on, mut exhausted, mut woken) = (0, 0, 0);
        for seed in 0..6 {
            let [mut world, mut other] = [(); 2].map(|()| {
                let mut world = test_worlds::springs(seed);
                if seed % 2 == 1 {
                    test_worlds::put_to_sleep(&mut world.store);
                }
                world
            });
            let slots = world.store.grid().sorted_slots();
            let (mut tick, mut reference) =
                (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
            for (slot, layer) in
                slots.into_iter().flat_map(|slot| (0..64).map(move |at| (slot, at % 16)))
            {
                let wet = tick.store.layer(slot, layer).wet.iter();
                let mut path: Vec<Step> = Vec::new();
                for cell in wet {
                    let exit = Face::ALL[random.usize(..6)];
                    path.extend(
                        (random.u8(..3) == 0).then_some((Place::in_layer(slot, layer, cell), exit)),
                    );
                }
                let left = path.iter().map(|&(place, _)| {
                    reference.limits.left(reference.store.read(place), reference.work.passed(place))
                });
                let left = left.min().unwrap_or(u8::MAX);
                assert_eq!(tick.left_along(&path), left, "seed {seed}");
                if path.is_empty() || left == 0 {
                    continue;
                }
                let units = random.u8(1..=left);
                let awake_before = tick.awake(slot, layer);
                tick.pass_along_in_layer(&path, units);
                for &(place, exit) in &path {
                    reference.pass_on(place, exit, units);
                    reference.wake_cell(place);
                }
                let (here, there) = (tick.work.get(slot, layer), reference.work.get(slot, layer));
                let (here, there) =
                    (here.expect("the layer is recorded"), there.expect("the layer is recorded"));
                let marks = |work: &LayerRecord| [work.touched, work.woken, work.blocked];
                assert_eq!((here.flow, marks(here)), (there.flow, marks(there)), "seed {seed}");
                assert_eq!(tick.awake(slot, layer), reference.awake(slot, layer), "seed {seed}");
                assert_eq!(tick.report, reference.report, "seed {seed}");
                passed_on += path.len();
                exhausted += here.blocked.count();
                woken += (tick.awake(slot, layer) - awake_before).count();
            }
        }
        assert!(passed_on > 500 && exhausted > 50, "{passed_on} cells, {exhausted} exhausted");
        assert!(woken > 100, "{woken} cells slept");
    }
}
