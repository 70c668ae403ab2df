//! A* search for the shortest route through a body of water, from a cell that draws to the surface
//! that it draws from, so against the flow. The heuristic is the Manhattan distance.
//!
//! A greedy walk tries the straight route first (see `straight_route`). Discovered cells are marked
//! in pages of one byte per cell and stored in one list, so that the priority queue is a heap of
//! integers. The search can stop at any cell and resume there.

use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::nearest::distance;
use crate::water::pools::straight_route::{Walk, Walked};
use crate::water::store::{Place, Step};
use core::cmp::Reverse;
use glam::IVec3;
use hashbrown::HashMap;
use std::collections::BinaryHeap;

/// Cells that the searches of one body may visit in a tick. The cells of a walk that gets stuck are
/// counted only when the A* search visits them again.
const BODY_SEARCH_LIMIT: usize = 1 << 16;

/// Cells that a search visits, in addition to eight for each step to its goal, before it settles
/// for the best surface found so far.
const SEARCH_SLACK: usize = 64;

/// Mark of a cell not discovered. The mark of a discovered cell is 1 + the index of the face across
/// which the next cell of its route lies.
const UNKNOWN: u8 = 0;
/// Mark of the drawing cell, where the route ends.
const END: u8 = 7;
/// Mark of a cell discovered by a search that found nothing. Later drawers have higher heads, so a
/// cell fruitless for one drawer is fruitless for all later ones.
const FRUITLESS: u8 = 8;

/// The searches of one body in a tick: their budget, their buffers, and the cells where they found
/// nothing.
pub(crate) struct Search {
    /// Cells that may still be visited.
    cells: usize,
    /// The search in progress.
    query: Option<Query>,
    marks: Marks,
    /// The cells in order of discovery; the first is the drawing cell.
    discovered: Vec<Place>,
    /// Mark of the drawing cell before the search.
    mark_before: u8,
    open: BinaryHeap<Reverse<u64>>,
}

/// A search in progress.
struct Query {
    /// The greedy walk, until it gets stuck.
    walk: Option<Walk>,
    /// The drawing cell: the route ends there, so the search begins there.
    to: Place,
    /// The surface cell to find.
    goal: Place,
    /// Position of `goal`.
    target: IVec3,
    /// Head of the drawing cell.
    own: i64,
    /// Manhattan distance from `to` to `goal`.
    straight: u32,
    /// Number of cells visited.
    visited: usize,
    best: Option<Start>,
}

/// A surface cell found by a search: its head, its distance from the drawing cell, the position of
/// its chunk (y, z, x) and its place. The greatest is the best. The chunk position precedes the
/// place because slots depend on the order in which chunks were inserted.
type Start = (i64, Reverse<u32>, [i32; 3], Place);

/// The result of running a search.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A route: its cells with the faces that they pass water across, the drawing end first.
    Route(Vec<Step>),
    /// No route exists.
    Nothing,
    /// The budget is spent before the search has ended.
    Underway,
}

/// One mark for each cell of the chunks that searches have reached, in pages.
#[derive(Default)]
struct Marks {
    numbers: HashMap<Slot, usize>,
    pages: Vec<(Slot, Box<[u8; CHUNK_CELLS]>)>,
    /// The last page used, which is usually the next one too.
    last: usize,
}

impl Marks {
    #[inline]
    fn of(&mut self, Place { slot, index }: Place) -> &mut u8 {
        if self.pages.get(self.last).is_none_or(|page| page.0 != slot) {
            self.select_page(slot);
        }
        &mut self.pages[self.last].1[index & (CHUNK_CELLS - 1)]
    }

    fn select_page(&mut self, slot: Slot) {
        let pages = &mut self.pages;
        self.last = *self.numbers.entry(slot).or_insert_with(|| {
            pages.push((slot, Box::new([UNKNOWN; CHUNK_CELLS])));
            pages.len() - 1
        });
    }

    fn is_fruitless(&self, Place { slot, index }: Place) -> bool {
        self.numbers
            .get(&slot)
            .is_some_and(|&page| self.pages[page].1[index & (CHUNK_CELLS - 1)] == FRUITLESS)
    }
}

/// Priority of a cell, least first: the shortest route, then the cell nearest to the goal, so that
/// open water is crossed in a straight line, then the one discovered first. `number` is the index
/// in order of discovery, `steps` the distance from the drawing cell, and `detour` the lower bound
/// of the route's length less the straight distance.
fn priority(detour: u32, steps: u32, number: usize) -> u64 {
    u64::from(detour) << 40 | u64::from(FIELD_MAX - steps) << 20 | number as u64
}

/// Mask of the 20-bit fields of a priority. Exceeds the steps of any route and the cells that the
/// searches of a body may discover: six for each cell visited.
const FIELD_MAX: u32 = (1 << 20) - 1;

impl Query {
    /// Cells to visit before settling for the best surface found.
    fn visit_limit(&self) -> usize {
        SEARCH_SLACK + 8 * self.straight as usize
    }

    /// Returns the best surface found.
    fn start(&self) -> Option<Place> {
        self.best.map(|(.., place)| place)
    }
}

impl Search {
    pub(crate) fn new() -> Self {
        Search {
            cells: BODY_SEARCH_LIMIT,
            query: None,
            marks: Marks::default(),
            discovered: Vec::new(),
            mark_before: UNKNOWN,
            open: BinaryHeap::new(),
        }
    }

    /// Begins a search for the shortest route from `goal`, a surface cell, to the drawing cell `to`
    /// through cells that may still pass water on. If the goal cannot be reached, the search finds
    /// the highest reachable surface instead, provided that its head exceeds `own`, the head of
    /// `to`, by 2 or more.
    pub(crate) fn begin(&mut self, tick: &Context, to: Place, goal: Place, own: i64) {
        let (position, target) = (tick.store.position(to), tick.store.position(goal));
        let (walk, straight) =
            (Some(Walk::new(to, position, goal, target)), distance(position, target));
        self.query = Some(Query { walk, to, goal, target, own, straight, visited: 0, best: None });
    }

    /// Begins the A* search at the drawing cell.
    fn begin_a_star(&mut self, to: Place) {
        self.discovered.clear();
        self.open.clear();
        self.mark_before = *self.marks.of(to);
        self.discover(to, END, 0, 0);
    }

    /// Whether a search has begun and not ended.
    pub(crate) fn is_underway(&self) -> bool {
        self.query.is_some()
    }

    /// Adds a discovered cell to the queue and sets its mark.
    fn discover(&mut self, place: Place, next: u8, detour: u32, steps: u32) {
        *self.marks.of(place) = next;
        self.open.push(Reverse(priority(detour, steps, self.discovered.len())));
        self.discovered.push(place);
    }

    /// Removes the first cell from the queue. Returns it with its distance from the drawing cell.
    fn next(&mut self) -> Option<(Place, u32)> {
        let Reverse(priority) = self.open.pop()?;
        let number = priority & u64::from(FIELD_MAX);
        let steps = FIELD_MAX - ((priority >> 20) as u32 & FIELD_MAX);
        Some((self.discovered[number as usize], steps))
    }

    /// Returns the route from a discovered cell to the drawing cell: its cells with the faces that
    /// they pass water across, the neighbour of the drawing cell first.
    fn route_from(&mut self, tick: &Context, start: Place) -> Vec<Step> {
        let mut route = Vec::new();
        let mut at = start;
        while let Some(exit) = self.marks.of(at).checked_sub(1).and_then(Face::from_index) {
            route.push((at, exit));
            at = tick.store.step(at, exit);
        }
        route.reverse();
        route
    }

    /// Ends a search: clears its marks or, if it found nothing, marks the cells as fruitless. The
    /// drawing cell gets its former mark back.
    fn end(&mut self, found: bool) {
        let mark = if found { UNKNOWN } else { FRUITLESS };
        for &place in &self.discovered {
            *self.marks.of(place) = mark;
        }
        if let Some(&end) = self.discovered.first() {
            *self.marks.of(end) = self.mark_before;
        }
    }
}

impl Context<'_> {
    /// Resumes the search in progress until it ends or the budget is spent.
    pub(crate) fn route(&self, search: &mut Search, budget: &mut Budget) -> Found {
        let Some(mut query) = search.query.take() else { return Found::Nothing };
        if let Some(mut walk) = query.walk.take() {
            match self
                .walk(&mut walk, budget, search.cells, |place| search.marks.is_fruitless(place))
            {
                Walked::Arrived => {
                    search.cells -= walk.visited();
                    return Found::Route(walk.into_route());
                }
                Walked::Underway => {
                    query.walk = Some(walk);
                    search.query = Some(query);
                    return Found::Underway;
                }
                Walked::Stuck => search.begin_a_star(query.to),
            }
        }
        self.resume_a_star(query, search, budget)
    }

    /// Resumes the A* search.
    fn resume_a_star(&self, mut query: Query, search: &mut Search, budget: &mut Budget) -> Found {
        let start = loop {
            if budget.is_spent() {
                search.query = Some(query);
                return Found::Underway;
            }
            let Some((place, steps)) = search.next() else { break query.start() };
            if place == query.goal {
                break Some(place);
            }
            if search.cells == 0 || query.visited > query.visit_limit() && query.best.is_some() {
                break query.start();
            }
            search.cells -= 1;
            budget.spend(1);
            query.visited += 1;
            self.visit(place, steps, &mut query, search);
        };
        let route = start.map(|start| search.route_from(self, start));
        search.end(route.is_some());
        route.map_or(Found::Nothing, Found::Route)
    }

    /// Visits a cell: notes it if it is a better surface, and discovers its neighbours.
    fn visit(&self, place: Place, steps: u32, query: &mut Query, search: &mut Search) {
        if place != query.to
            && let Some(head) = self.crest_head(place)
            && head >= query.own + 2
        {
            let IVec3 { x, y, z } = self.store.grid().position_at(place.slot);
            query.best = query.best.max(Some((head, Reverse(steps), [y, z, x], place)));
        }
        let full = place != query.to && self.store.read(place).is_closed();
        for face in Face::ALL {
            let there = self.store.step(place, face);
            if there.is_some()
                && *search.marks.of(there) == UNKNOWN
                && self.passes(there, face, full)
            {
                let ahead = distance(self.store.position(there), query.target);
                let detour = (steps + 1 + ahead).saturating_sub(query.straight);
                search.discover(there, face.opposite().index() as u8 + 1, detour, steps + 1);
            }
        }
    }

    /// Whether a cell is connected to its neighbour that it lies across `face` from, and may still
    /// pass water on. `full` is whether that neighbour is full.
    pub(crate) fn passes(&self, there: Place, face: Face, full: bool) -> bool {
        let voxel = self.store.read(there);
        let connected = match face {
            Face::Up => full && voxel.is_wet(),
            Face::Down => voxel.is_wet() && voxel.is_closed(),
            _ => voxel.is_wet(),
        };
        connected && self.limits.left(voxel, self.work.passed(there)) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{Cube, Region, Shape};
    use crate::water::cell::FULL;
    use crate::water::context::test_worlds;
    use crate::water::voxel::Voxel;
    use crate::water::{Rules, WaterWorld};
    use hashbrown::HashSet;

    /// Reference: the same A* search with a hash table, an unpacked heap, and no walk.
    fn reference(
        tick: &Context,
        to: Place,
        goal: Place,
        own: i64,
        left: &mut usize,
        fruitless: &mut HashSet<Place>,
    ) -> Option<Vec<(Place, Face)>> {
        let target = tick.store.position(goal);
        let ahead_of = |place: Place| i64::from(distance(tick.store.position(place), target));
        let visit_limit = 64 + 8 * ahead_of(to);
        let mut visited = 0;
        let mut discovered = HashMap::new();
        let mut open = BinaryHeap::from([(Reverse(0), 0, Reverse(0), to, 0)]);
        let mut best: Option<(i64, Reverse<i64>, [i32; 3], Place)> = None;
        while let Some((_, _, _, place, steps)) = open.pop() {
            if place == goal {
                best = Some((i64::MAX, Reverse(0), [0; 3], goal));
                break;
            }
            if *left == 0 || visited > visit_limit && best.is_some() {
                break;
            }
            (*left, visited) = (*left - 1, visited + 1);
            if let Some(head) =
                tick.crest_head(place).filter(|&head| place != to && head >= own + 2)
            {
                let [x, y, z] = tick.store.grid().position_at(place.slot).to_array();
                best = best.max(Some((head, Reverse(steps), [y, z, x], place)));
            }
            for face in Face::ALL {
                let there = tick.store.step(place, face);
                if !there.is_some()
                    || there == to
                    || discovered.contains_key(&there)
                    || fruitless.contains(&there)
                {
                    continue;
                }
                let voxel = tick.store.read(there);
                let connected = match face {
                    Face::Up => place != to && tick.store.read(place).is_closed(),
                    Face::Down => voxel.is_closed(),
                    _ => true,
                };
                if !connected
                    || !voxel.is_wet()
                    || tick.limits.left(voxel, tick.work.passed(there)) == 0
                {
                    continue;
                }
                discovered.insert(there, (place, face.opposite()));
                let ahead = ahead_of(there);
                open.push((
                    Reverse(steps + 1 + ahead),
                    -ahead,
                    Reverse(discovered.len()),
                    there,
                    steps + 1,
                ));
            }
        }
        let Some((.., mut at)) = best else {
            fruitless.extend(discovered.into_keys());
            return None;
        };
        let mut route = Vec::new();
        while at != to {
            let (next, exit) = discovered[&at];
            route.push((at, exit));
            at = next;
        }
        route.reverse();
        Some(route)
    }

    /// Boxes over four chunks, so that cells of different chunks share an index: full, partial and
    /// dry cells and walls, some of them exhausted. Several searches of one body follow one
    /// another, some with a small limit, each in pieces. Only the cells of a stuck walk are visited
    /// twice.
    #[test]
    fn a_search_finds_the_route_that_a_plain_search_finds() {
        let mut random = fastrand::Rng::with_seed(31);
        let (mut outcomes, mut kinds, mut ran_out, mut stops, mut uniform) =
            ([0; 3], [0; 2], 0, [0; 2], 0);
        for round in 0..150 {
            let mut world = WaterWorld::new(round, Rules::lossless()).expect("rules in range");
            // Boxes long from west to east or from north to south. In some rounds one chunk is
            // uniformly full of water.
            let (chunks, part) = if round % 2 == 0 {
                (IVec3::new(1, 1, 0), Region::new(IVec3::new(4, 11, 3), IVec3::new(25, 30, 5)))
            } else {
                (IVec3::new(0, 1, 1), Region::new(IVec3::new(3, 11, 4), IVec3::new(5, 30, 25)))
            };
            let full = Voxel::OPEN.with_height(FULL);
            for (number, chunk) in Region::new(IVec3::ZERO, chunks).positions().enumerate() {
                let is_full = round % 7 == 4 && number == round as usize / 7 % 4;
                let voxel = if is_full { full } else { Voxel::OPEN };
                world.insert_chunk(chunk, Chunk::uniform(voxel)).expect("none is there");
            }
            let walls = 1 + round as u8 % 5;
            let mut places = Vec::new();
            for cell in part.positions() {
                let slot = world.store.grid().slot(Cube::chunk_of(cell)).expect("loaded");
                let place = Place::new(slot, Cube::index_of(cell));
                places.push(place);
                if world.store.grid().chunk_at(slot).as_uniform() == Some(full) {
                    uniform += 1;
                    continue;
                }
                let voxel = match random.u8(..12) {
                    kind if kind < walls => Voxel::SOLID,
                    kind if kind == walls => Voxel::OPEN.with_height(random.u8(..FULL)),
                    _ => full,
                };
                world.store.write(place, voxel);
            }
            world.wake_all();
            let tick = test_worlds::tick(&mut world);
            for &place in places.iter().filter(|place| place.index % 11 == 0) {
                let work = tick.work.join(tick.store, place.slot, place.layer());
                work.pass_on(place.cell(), Face::Up, 7);
            }
            let (mut search, mut fruitless) = (Search::new(), HashSet::new());
            search.cells = if round % 3 == 0 { 400 } else { BODY_SEARCH_LIMIT };
            let mut left = search.cells;
            for _ in 0..20 {
                let [to, goal] = [(); 2].map(|()| places[random.usize(..places.len())]);
                if to == goal {
                    continue;
                }
                let own = random.i64(11 * 7..31 * 7);
                let expected = reference(&tick, to, goal, own, &mut left, &mut fruitless);
                search.begin(&tick, to, goal, own);
                let (before, mut visited) = (search.cells, 0);
                let route = loop {
                    let most = [8, 200][random.usize(..2)];
                    let mut budget = Budget::new(random.usize(1..most));
                    let found = tick.route(&mut search, &mut budget);
                    visited += budget.spent() as usize;
                    match found {
                        Found::Underway => {
                            assert!(budget.is_spent() && search.is_underway(), "round {round}")
                        }
                        Found::Nothing => break None,
                        Found::Route(route) => break Some(route),
                    }
                    stops[usize::from(
                        search.query.as_ref().is_some_and(|query| query.walk.is_some()),
                    )] += 1;
                };
                let counted = before - search.cells;
                assert!(
                    (counted..=2 * counted).contains(&visited),
                    "round {round}: {visited} for {counted}"
                );
                kinds[usize::from(visited == counted)] += 1;
                assert_eq!((&route, search.cells), (&expected, left), "round {round}");
                let reached =
                    route.as_ref().and_then(|route| route.last()).map(|&(start, _)| start == goal);
                outcomes[reached.map_or(2, usize::from)] += 1;
                ran_out += usize::from(left == 0);
            }
        }
        assert!(
            outcomes.iter().all(|&count| count > 100) && ran_out > 20,
            "{outcomes:?}, {ran_out}"
        );
        assert!(
            kinds.iter().all(|&count| count > 100),
            "{kinds:?}: searches, and walks that arrived"
        );
        assert!(
            stops.iter().all(|&count| count > 100),
            "{stops:?}: searches and walks that were interrupted"
        );
        assert!(uniform > 1_000, "{uniform} cells of full chunks");
    }

    /// A search from one end of a channel marks it as fruitless, all but its own first cell. A
    /// later walk passes that cell and must stop before the fruitless ones.
    #[test]
    fn a_walk_does_not_enter_fruitless_cells() {
        for axis in [IVec3::X, IVec3::Z] {
            let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
            world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).expect("none is there");
            let far = IVec3::new(9, 9, 9);
            for region in [Region::new(axis, axis * 9), Region::new(far, far)] {
                world.fill_water(region, 7).expect("a loaded chunk");
            }
            let slot = world.store.grid().sorted_slots()[0];
            let tick = test_worlds::tick(&mut world);
            let place = |cell: IVec3| Place::new(slot, Cube::index_of(cell));
            let (mut search, mut budget) = (Search::new(), Budget::new(4096));
            for (to, goal) in [(axis * 2, far), (axis, axis * 9)] {
                search.begin(&tick, place(to), place(goal), 1_000);
                assert!(
                    matches!(tick.route(&mut search, &mut budget), Found::Nothing),
                    "to {goal}"
                );
            }
        }
    }

    #[test]
    fn priority_orders_by_detour_then_steps_then_number() {
        let mut random = fastrand::Rng::with_seed(32);
        for _ in 0..1_000 {
            let mut any = || {
                (
                    random.u32(..3 * FIELD_MAX),
                    random.u32(..FIELD_MAX),
                    random.usize(..FIELD_MAX as usize),
                )
            };
            let (one, other) = (any(), any());
            for other in [other, (one.0, other.1, other.2), (one.0, one.1, other.2)] {
                let key =
                    |(detour, steps, number): (u32, u32, usize)| (detour, Reverse(steps), number);
                assert_eq!(
                    priority(one.0, one.1, one.2).cmp(&priority(other.0, other.1, other.2)),
                    key(one).cmp(&key(other))
                );
            }
        }
    }
}
