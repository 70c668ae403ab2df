//! A* search: the shortest route through a body of water, from a cell that draws to the surface that
//! it draws from. It is searched in that order, so against the flow.
//!
//! `straight_route` has the routes on which each step is one nearer to the goal. The search marks
//! the cells that it meets in pages, one byte a cell, and puts them in one list, so that its
//! priority queue is a heap of numbers. It can stop at any cell and resume there.

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

/// Cells that the searches of one body look at in a tick. Those of a walk that gets stuck count
/// once, with the search that looks at them again.
const BODY_SEARCH_LIMIT: usize = 1 << 16;

/// Cells that a search looks at, beside eight for each step to its goal, before it takes the best
/// surface it has met.
const SEARCH_SLACK: usize = 64;

/// A byte of a page: not met. A cell met has one more than the index of the face across which the
/// next cell of its way lies.
const UNKNOWN: u8 = 0;
/// Where the way ends.
const END: u8 = 7;
/// Met by a search that found nothing. Later drawers stand higher, so what has nothing for one has
/// nothing for them.
const FRUITLESS: u8 = 8;

/// What one body's searches may still cost in this tick, what they work with, and where they found
/// nothing.
pub(crate) struct Search {
    /// Cells that they may still look at.
    cells: usize,
    /// What is sought, while a search is underway.
    quest: Option<Quest>,
    marks: Marks,
    /// The cells met, in order; the first is where the way ends.
    met: Vec<Place>,
    /// What its page said of that one before.
    was: u8,
    open: BinaryHeap<Reverse<u64>>,
}

/// A search that is underway.
struct Quest {
    /// The straight way, until there turns out to be none.
    walk: Option<Walk>,
    /// Where the way is to end.
    to: Place,
    /// Where it is to begin, and the position of that.
    goal: Place,
    target: IVec3,
    /// The head of the cell that draws.
    own: i64,
    /// Steps from one to the other in open water.
    straight: u32,
    /// Cells looked at.
    looked: usize,
    best: Option<Start>,
}

/// A surface that a search has come to: its head, its steps to the end, the position of its chunk,
/// and itself. Of two the greater is better; among equals the last in order of position. Slots
/// would not do for that: they depend on the order in which chunks came.
type Start = (i64, Reverse<u32>, [i32; 3], Place);

/// How far a search has come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A route: its cells with the faces that they pass water through, the drawing end first.
    Route(Vec<Step>),
    /// There is none.
    Nothing,
    /// It has more to look at.
    Underway,
}

/// A byte for each cell of the chunks that a search has come to.
#[derive(Default)]
struct Marks {
    numbers: HashMap<Slot, usize>,
    pages: Vec<(Slot, Box<[u8; CHUNK_CELLS]>)>,
    /// The page asked for last: mostly the one that is asked for next.
    last: usize,
}

impl Marks {
    #[inline]
    fn of(&mut self, Place { slot, index }: Place) -> &mut u8 {
        if self.pages.get(self.last).is_none_or(|page| page.0 != slot) {
            self.turn_to(slot);
        }
        &mut self.pages[self.last].1[index & (CHUNK_CELLS - 1)]
    }

    fn turn_to(&mut self, slot: Slot) {
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

/// The turn of the cell met as number `number`, after `steps` steps, on a way that is by `detour`
/// steps longer than the straight one at least: the shortest way first, then the cell nearest to
/// the goal, so that open water is crossed in a straight line, then the one met first.
fn turn(detour: u32, steps: u32, number: usize) -> u64 {
    u64::from(detour) << 40 | u64::from(MOST - steps) << 20 | number as u64
}

/// More than the steps of any way, and more than the cells that a body's searches may meet, six for
/// each they look at.
const MOST: u32 = (1 << 20) - 1;

impl Quest {
    /// Cells to look at before the best surface met is taken.
    fn patience(&self) -> usize {
        SEARCH_SLACK + 8 * self.straight as usize
    }

    /// The best surface met.
    fn start(&self) -> Option<Place> {
        self.best.map(|(.., place)| place)
    }
}

impl Search {
    pub(crate) fn new() -> Self {
        Search {
            cells: BODY_SEARCH_LIMIT,
            quest: None,
            marks: Marks::default(),
            met: Vec::new(),
            was: UNKNOWN,
            open: BinaryHeap::new(),
        }
    }

    /// Begins a search for the shortest way from a surface cell, the goal, to a cell that draws,
    /// through cells of the body that may still pass water on. If the goal cannot be reached,
    /// the highest surface that can be is taken instead, if its head is above `own`, that of
    /// the drawing cell, by 2 or more.
    pub(crate) fn begin(&mut self, tick: &Context, to: Place, goal: Place, own: i64) {
        let (position, target) = (tick.store.position(to), tick.store.position(goal));
        let (walk, straight) =
            (Some(Walk::new(to, position, goal, target)), distance(position, target));
        self.quest = Some(Quest { walk, to, goal, target, own, straight, looked: 0, best: None });
    }

    /// Begins to look around from where the way is to end.
    fn set_out(&mut self, to: Place) {
        self.met.clear();
        self.open.clear();
        self.was = *self.marks.of(to);
        self.meet(to, END, 0, 0);
    }

    /// Whether a search has begun and not ended.
    pub(crate) fn is_underway(&self) -> bool {
        self.quest.is_some()
    }

    /// Takes a cell in. `next` is what its page says of it.
    fn meet(&mut self, place: Place, next: u8, detour: u32, steps: u32) {
        *self.marks.of(place) = next;
        self.open.push(Reverse(turn(detour, steps, self.met.len())));
        self.met.push(place);
    }

    /// The next cell to look at, and its steps from the way's end.
    fn next(&mut self) -> Option<(Place, u32)> {
        let Reverse(turn) = self.open.pop()?;
        let number = turn & u64::from(MOST);
        let steps = MOST - ((turn >> 20) as u32 & MOST);
        Some((self.met[number as usize], steps))
    }

    /// The way from a cell met to the end: the cells with the faces that they pass water through,
    /// the end's neighbour first.
    fn route_from(&mut self, tick: &Context, start: Place) -> Vec<Step> {
        let mut way = Vec::new();
        let mut at = start;
        while let Some(exit) = self.marks.of(at).checked_sub(1).and_then(Face::from_index) {
            way.push((at, exit));
            at = tick.store.step(at, exit);
        }
        way.reverse();
        way
    }

    /// Ends a search: all that it met is unknown again or, if it found nothing, fruitless; its end
    /// is what it was.
    fn end(&mut self, found: bool) {
        let mark = if found { UNKNOWN } else { FRUITLESS };
        for &place in &self.met {
            *self.marks.of(place) = mark;
        }
        if let Some(&end) = self.met.first() {
            *self.marks.of(end) = self.was;
        }
    }
}

impl Context<'_> {
    /// Goes on with the search that is underway, until it ends or the budget is spent.
    pub(crate) fn route(&self, search: &mut Search, budget: &mut Budget) -> Found {
        let Some(mut quest) = search.quest.take() else { return Found::Nothing };
        if let Some(mut walk) = quest.walk.take() {
            match self
                .walk_on(&mut walk, budget, search.cells, |place| search.marks.is_fruitless(place))
            {
                Walked::Arrived => {
                    search.cells -= walk.looked();
                    return Found::Route(walk.into_route());
                }
                Walked::Underway => {
                    quest.walk = Some(walk);
                    search.quest = Some(quest);
                    return Found::Underway;
                }
                Walked::Stuck => search.set_out(quest.to),
            }
        }
        self.look_on(quest, search, budget)
    }

    /// Goes on looking around.
    fn look_on(&self, mut quest: Quest, search: &mut Search, budget: &mut Budget) -> Found {
        let start = loop {
            if budget.is_spent() {
                search.quest = Some(quest);
                return Found::Underway;
            }
            let Some((place, steps)) = search.next() else { break quest.start() };
            if place == quest.goal {
                break Some(place);
            }
            if search.cells == 0 || quest.looked > quest.patience() && quest.best.is_some() {
                break quest.start();
            }
            search.cells -= 1;
            budget.spend(1);
            quest.looked += 1;
            self.look_around(place, steps, &mut quest, search);
        };
        let way = start.map(|start| search.route_from(self, start));
        search.end(way.is_some());
        way.map_or(Found::Nothing, Found::Route)
    }

    /// Looks whether a search may begin at a cell, and takes in those beside it.
    fn look_around(&self, place: Place, steps: u32, quest: &mut Quest, search: &mut Search) {
        if place != quest.to
            && let Some(head) = self.crest_head(place)
            && head >= quest.own + 2
        {
            let IVec3 { x, y, z } = self.store.grid().position_at(place.slot);
            quest.best = quest.best.max(Some((head, Reverse(steps), [y, z, x], place)));
        }
        let full = place != quest.to && self.store.read(place).is_closed();
        for face in Face::ALL {
            let there = self.store.step(place, face);
            if there.is_some()
                && *search.marks.of(there) == UNKNOWN
                && self.passes(there, face, full)
            {
                let ahead = distance(self.store.position(there), quest.target);
                let detour = (steps + 1 + ahead).saturating_sub(quest.straight);
                search.meet(there, face.opposite().index() as u8 + 1, detour, steps + 1);
            }
        }
    }

    /// Whether a cell is joined to the one from which it lies across `face`, and may still pass
    /// water on. `full` says whether that one is full.
    pub(crate) fn passes(&self, there: Place, face: Face, full: bool) -> bool {
        let voxel = self.store.read(there);
        let joined = match face {
            Face::Up => full && voxel.is_wet(),
            Face::Down => voxel.is_wet() && voxel.is_closed(),
            _ => voxel.is_wet(),
        };
        joined && self.limits.left(voxel, self.work.passed(there)) > 0
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

    /// The same search with a table of what was met, a heap of what is to be looked at, and nothing
    /// packed.
    fn plainly(
        tick: &Context,
        to: Place,
        goal: Place,
        own: i64,
        left: &mut usize,
        fruitless: &mut HashSet<Place>,
    ) -> Option<Vec<(Place, Face)>> {
        let target = tick.store.position(goal);
        let ahead_of = |place: Place| i64::from(distance(tick.store.position(place), target));
        let patience = 64 + 8 * ahead_of(to);
        let mut looked = 0;
        let mut met = HashMap::new();
        let mut open = BinaryHeap::from([(Reverse(0), 0, Reverse(0), to, 0)]);
        let mut best: Option<(i64, Reverse<i64>, [i32; 3], Place)> = None;
        while let Some((_, _, _, place, steps)) = open.pop() {
            if place == goal {
                best = Some((i64::MAX, Reverse(0), [0; 3], goal));
                break;
            }
            if *left == 0 || looked > patience && best.is_some() {
                break;
            }
            (*left, looked) = (*left - 1, looked + 1);
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
                    || met.contains_key(&there)
                    || fruitless.contains(&there)
                {
                    continue;
                }
                let voxel = tick.store.read(there);
                let joined = match face {
                    Face::Up => place != to && tick.store.read(place).is_closed(),
                    Face::Down => voxel.is_closed(),
                    _ => true,
                };
                if !joined
                    || !voxel.is_wet()
                    || tick.limits.left(voxel, tick.work.passed(there)) == 0
                {
                    continue;
                }
                met.insert(there, (place, face.opposite()));
                let ahead = ahead_of(there);
                open.push((
                    Reverse(steps + 1 + ahead),
                    -ahead,
                    Reverse(met.len()),
                    there,
                    steps + 1,
                ));
            }
        }
        let Some((.., mut at)) = best else {
            fruitless.extend(met.into_keys());
            return None;
        };
        let mut way = Vec::new();
        while at != to {
            let (next, exit) = met[&at];
            way.push((at, exit));
            at = next;
        }
        way.reverse();
        Some(way)
    }

    /// Boxes over four chunks, in which cells of several have the same index: full, partial and dry
    /// cells and walls, some of which have passed all they may; several searches of one body,
    /// one after another, some with few cells left to look at, each in pieces. A walk that got
    /// stuck is looked at again by the search that follows, and no more than that.
    #[test]
    fn a_search_finds_the_way_that_a_plain_one_finds() {
        let mut random = fastrand::Rng::with_seed(31);
        let (mut outcomes, mut kinds, mut ran_out, mut stops, mut uniform) =
            ([0; 3], [0; 2], 0, [0; 2], 0);
        for round in 0..150 {
            let mut world = WaterWorld::new(round, Rules::lossless()).expect("rules in range");
            // Long from west to east, or from north to south; in some, one chunk is full of water
            // and stored as one cell.
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
                crate::water::context::layer_record::add_flow(
                    &mut work.flow[place.cell()],
                    Face::Up,
                    7,
                );
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
                let expected = plainly(&tick, to, goal, own, &mut left, &mut fruitless);
                search.begin(&tick, to, goal, own);
                let (before, mut looked) = (search.cells, 0);
                let way = loop {
                    let most = [8, 200][random.usize(..2)];
                    let mut budget = Budget::new(random.usize(1..most));
                    let found = tick.route(&mut search, &mut budget);
                    looked += budget.spent() as usize;
                    match found {
                        Found::Underway => {
                            assert!(budget.is_spent() && search.is_underway(), "round {round}")
                        }
                        Found::Nothing => break None,
                        Found::Route(way) => break Some(way),
                    }
                    stops[usize::from(
                        search.quest.as_ref().is_some_and(|quest| quest.walk.is_some()),
                    )] += 1;
                };
                let counted = before - search.cells;
                assert!(
                    (counted..=2 * counted).contains(&looked),
                    "round {round}: {looked} for {counted}"
                );
                kinds[usize::from(looked == counted)] += 1;
                assert_eq!((&way, search.cells), (&expected, left), "round {round}");
                let reached =
                    way.as_ref().and_then(|way| way.last()).map(|&(start, _)| start == goal);
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
            "{stops:?}: searches and walks that stopped on the way"
        );
        assert!(uniform > 1_000, "{uniform} cells of full chunks");
    }

    /// What a search from one end of a channel has looked through in vain, another does not walk
    /// through: straight ahead of it lies first the cell at which that search began, which was
    /// not in vain by itself, and then the rest, which was.
    #[test]
    fn a_walk_does_not_stride_through_what_was_looked_through_in_vain() {
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
    fn turns_go_by_detour_then_steps_and_then_number() {
        let mut random = fastrand::Rng::with_seed(32);
        for _ in 0..1_000 {
            let mut any =
                || (random.u32(..3 * MOST), random.u32(..MOST), random.usize(..MOST as usize));
            let (one, other) = (any(), any());
            for other in [other, (one.0, other.1, other.2), (one.0, one.1, other.2)] {
                let key =
                    |(detour, steps, number): (u32, u32, usize)| (detour, Reverse(steps), number);
                assert_eq!(
                    turn(one.0, one.1, one.2).cmp(&turn(other.0, other.1, other.2)),
                    key(one).cmp(&key(other))
                );
            }
        }
    }
}
