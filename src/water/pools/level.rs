//! Levelling: in each body that is not level, units move from its highest surfaces to its lowest
//! places, draw by draw, each by the shortest way with throughput left.
//!
//! Two searches expand in turns, from a lowest place towards high water and from a highest surface
//! towards room. The first that finds its goal ends both, and so does the first that finds that
//! there is none: no tick looks at more of a body than the smaller side has.

use crate::coords::Face;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::context::sorting::Sorting;
use crate::water::pools::Pools;
use crate::water::pools::bodies::{Body, NodeId, PieceId};
use crate::water::pools::choice::{Candidates, Choice, Start};
use crate::water::pools::search::{Found, SEARCH_STEP, Search, Searched};
use crate::water::pools::way::{Carried, Way};
use crate::water::random::{Purpose, mix};
use crate::water::store::Place;
use core::cmp::Reverse;
use core::ops::Range;

/// Most draws from one body in a tick. A body with further draws to make stays awake.
const DRAWS_PER_BODY: u32 = 96;

/// The same in a body that is stirred: there the flow does most of the levelling.
const DRAWS_IF_STIRRED: u32 = 48;

/// Layers that the searches of a draw may look at once something spent was met, before a draw of
/// the body has found a way in the tick.
const FIRST_LAYERS: u64 = 2048;

/// The same after draws that have found one: so many layers, and so many for each of theirs.
const LAYERS: u64 = 64;
const LAYERS_EACH: u64 = 4;

/// How far a tick's levelling has come.
#[derive(Default)]
pub(crate) struct Levelling {
    stage: Stage,
    /// Bodies still to be looked at, as a stack.
    roots: Vec<NodeId>,
    /// The body whose splits are being looked for.
    settling: Option<NodeId>,
    /// Unlevel bodies that have been looked at.
    unlevel: Vec<NodeId>,
    /// How many of them have been queued.
    queued: usize,
    /// A cell of each body still to be levelled, as a stack.
    queue: Vec<Place>,
    /// The same while they are being put in order.
    sorting: Option<Sorting<QueueKey, Place>>,
    turn: Option<Turn>,
}

impl Levelling {
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.roots.capacity() + self.unlevel.capacity()) * size_of::<NodeId>()
            + self.queue.capacity() * size_of::<Place>()
    }
}

/// The place of a body in the queue, last to first.
type QueueKey = Reverse<(u64, [i32; 3])>;

/// The stages of a tick's levelling.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// The tick's levelling has not begun.
    #[default]
    Rest,
    /// What moved in the last tick may take water again.
    Calm,
    /// Layers that take part in the tick become known.
    Sweep,
    /// Bodies follow the water.
    Update,
    /// The bodies that are not level are found.
    Gather,
    /// They are put in order.
    Queue,
    /// They are levelled, one by one.
    Turns,
    /// Those that are not level yet are found.
    Wake,
    /// They are kept awake.
    Awake,
    /// In a world at rest, what is known of small bodies is dropped.
    Evict,
}

/// The levelling of one body.
struct Turn {
    /// Cells of the body. It is that of the first that still is of one.
    anchors: Vec<Place>,
    candidates: Candidates,
    /// Layers that the searches with a result have looked at.
    won: u64,
    state: State,
}

enum State {
    /// Bodies are brought up to date.
    Update,
    /// It is looked for splits, in the body of this piece.
    Settle(PieceId),
    /// The places where the next draw begins are chosen, in the body of this piece. The low one may
    /// be known already.
    Choose(PieceId, Option<Start>),
    /// The two searches of a draw.
    Search(Box<[Search; 2]>),
    /// Water moves along the way that one of the searches has found.
    Carry(Box<[Search; 2]>, usize, Box<Way>),
    /// What these of the searches have met is marked as dead, so far up to a node of the first.
    Bury(Box<[Search; 2]>, Range<usize>, usize),
}

impl Context<'_> {
    /// Brings the bodies up to date with the water. Returns the cells charged; `None` if that is
    /// done.
    pub(crate) fn find_bodies(&mut self, pools: &mut Pools) -> Option<u64> {
        let mut budget = Budget::of_a_piece();
        while !budget.is_spent() {
            match pools.levelling.stage {
                Stage::Rest => {
                    pools.round += 1;
                    pools.levelling.stage = Stage::Calm;
                }
                Stage::Calm => {
                    if pools.calm(&mut budget) {
                        pools.levelling.stage = Stage::Sweep;
                    }
                }
                Stage::Sweep => match self.work.next_in_sweep() {
                    Some((slot, layer)) => {
                        pools.sweep(self, slot, layer);
                        budget.spend(1);
                    }
                    None => pools.levelling.stage = Stage::Update,
                },
                Stage::Update => {
                    if pools.update(self, &mut budget) {
                        pools.levelling.stage = Stage::Gather;
                    }
                }
                Stage::Gather
                | Stage::Queue
                | Stage::Turns
                | Stage::Wake
                | Stage::Awake
                | Stage::Evict => break,
            }
        }
        (budget.spent() > 0).then(|| budget.spent())
    }

    /// Levels bodies. Returns the cells charged; `None` if that is done.
    pub(crate) fn level_bodies(&mut self, pools: &mut Pools) -> Option<u64> {
        let mut budget = Budget::of_a_piece();
        while !budget.is_spent() {
            match pools.levelling.stage {
                Stage::Gather => {
                    if pools.look_at_unlevel(self, &mut budget) {
                        pools.levelling.stage = Stage::Queue;
                    }
                }
                Stage::Queue => {
                    if pools.fill_queue(self, &mut budget) {
                        pools.levelling.stage = Stage::Turns;
                    }
                }
                Stage::Turns => {
                    let turn = pools.levelling.turn.take();
                    let next = || pools.levelling.queue.pop().map(Turn::new);
                    match turn.or_else(next) {
                        Some(mut turn) => {
                            if !self.resume_turn(pools, &mut turn, &mut budget) {
                                pools.levelling.turn = Some(turn);
                            }
                        }
                        None => pools.levelling.stage = Stage::Wake,
                    }
                }
                Stage::Wake => {
                    if pools.look_at_unlevel(self, &mut budget) {
                        pools.levelling.unlevel.reverse();
                        pools.levelling.stage = Stage::Awake;
                    }
                }
                Stage::Awake => {
                    let Some(root) = pools.levelling.unlevel.pop() else {
                        pools.levelling.unlevel = Vec::new();
                        pools.levelling.stage = Stage::Evict;
                        continue;
                    };
                    if let Some(place) = pools.lowest_cell(root) {
                        self.wake_neighbourhood(place);
                    }
                    pools.bodies.watch_if_unlevel(root);
                    budget.spend(1);
                }
                Stage::Evict => {
                    if !self.work.schedule.members().is_empty() || pools.evict(&mut budget) {
                        pools.levelling.stage = Stage::Rest;
                    }
                }
                Stage::Rest | Stage::Calm | Stage::Sweep | Stage::Update => break,
            }
        }
        (budget.spent() > 0).then(|| budget.spent())
    }

    /// Resumes the levelling of a body. Returns whether it is done; if not, the budget is spent.
    fn resume_turn(&mut self, pools: &mut Pools, turn: &mut Turn, budget: &mut Budget) -> bool {
        loop {
            if budget.is_spent() {
                return false;
            }
            match &mut turn.state {
                State::Update => {
                    if !pools.update(self, budget) {
                        return false;
                    }
                    let of_body = turn.anchors.iter().find_map(|&place| pools.piece_at(place));
                    let Some(piece) = of_body.filter(|_| turn.candidates.draws_left > 0) else {
                        return true;
                    };
                    turn.state = State::Settle(piece);
                }
                &mut State::Settle(piece) => {
                    let root = pools.bodies.root_of(piece);
                    let may_move = pools.is_settling() || pools.bodies.body(root).may_be_unlevel();
                    if may_move && !pools.settle(self, root, budget) {
                        return false;
                    }
                    let root = pools.bodies.root_of(piece);
                    let body = pools.bodies.body(root);
                    let made = DRAWS_PER_BODY - turn.candidates.draws_left;
                    if !body.is_unlevel() || body.is_stirred() && made >= DRAWS_IF_STIRRED {
                        return true;
                    }
                    turn.state = State::Choose(piece, None);
                }
                State::Choose(piece, low) => {
                    match self.choose(pools, &mut turn.candidates, (*piece, low), budget) {
                        Choice::Underway => return false,
                        Choice::None => return true,
                        Choice::Some(searches) => {
                            turn.candidates.draws_left -= 1;
                            turn.state = State::Search(searches);
                        }
                    }
                }
                State::Search(searches) => {
                    let side = usize::from(searches[1].looked < searches[0].looked);
                    budget.spend(SEARCH_STEP);
                    let looked = searches[0].looked + searches[1].looked;
                    match searches[side].advance(self, pools, budget) {
                        Searched::Spent => return false,
                        Searched::Underway => {
                            let limit = match turn.won {
                                0 if searches.iter().all(|search| !search.met_spent) => u64::MAX,
                                0 => FIRST_LAYERS,
                                won => LAYERS + LAYERS_EACH * won,
                            };
                            if looked < limit {
                                continue;
                            }
                            turn.end_search(0..2);
                        }
                        Searched::Nothing => turn.end_search(side..side + 1),
                        Searched::Found(found) => {
                            let piece = searches[side].piece;
                            let random = self.random_at(pools, piece, turn.candidates.draws_left);
                            turn.won += looked.max(1);
                            turn.begin_way(side, *found, random);
                        }
                    }
                }
                State::Carry(searches, side, way) => {
                    let side = *side;
                    match self.carry(pools, (way, &searches[side]), budget) {
                        Carried::Underway => return false,
                        Carried::Nothing => turn.end_search(side..side + 1),
                        Carried::Units => {
                            turn.anchors = core::mem::take(&mut way.anchors);
                            turn.state = State::Update;
                        }
                    }
                }
                State::Bury(searches, sides, next) => {
                    let Some(side) = sides.next() else {
                        turn.state = State::Update;
                        continue;
                    };
                    if searches[side].bury(pools, next, budget) {
                        *next = 0;
                    } else {
                        sides.start = side;
                        return false;
                    }
                }
            }
        }
    }

    /// Keeps a body awake for the next tick: wakes a cell, if it is wet, and the water around it.
    pub(crate) fn wake_neighbourhood(&mut self, place: Place) {
        for face in Face::ALL {
            let there = self.store.step(place, face);
            if there.is_some() && self.store.read(there).is_wet() {
                self.wake_cell(there);
            }
        }
        if self.store.read(place).is_wet() {
            self.wake_cell(place);
        }
    }
}

impl Pools {
    /// Looks at the bodies that were seen to be unlevel, after finding out whether they are split,
    /// and gathers those that still are. Returns whether that is done; if not, the budget is spent.
    fn look_at_unlevel(&mut self, tick: &Context, budget: &mut Budget) -> bool {
        loop {
            if let Some(root) = self.levelling.settling {
                if !self.settle(tick, root, budget) {
                    return false;
                }
                self.levelling.settling = None;
                // Splitting it may have put it on the list again.
                self.bodies.unwatch(root);
                if self.bodies.get(root).is_some_and(Body::is_unlevel) {
                    self.levelling.unlevel.push(root);
                }
            }
            if !budget.spend(1) {
                return false;
            }
            let Some(root) = self.levelling.roots.pop() else {
                if self.bodies.watch.is_empty() {
                    return true;
                }
                self.levelling.roots.append(&mut self.bodies.watch);
                continue;
            };
            if self.bodies.unwatch(root) {
                self.levelling.settling = Some(root);
            }
        }
    }

    /// Queues the unlevel bodies in random order, which is the same in all worlds with the same
    /// water. They stay watched until they are level. Returns whether that is done; if not, the
    /// budget is spent.
    fn fill_queue(&mut self, tick: &Context, budget: &mut Budget) -> bool {
        while let Some(&root) = self.levelling.unlevel.get(self.levelling.queued) {
            if !budget.spend(1) {
                return false;
            }
            self.levelling.queued += 1;
            self.levelling.queue.extend(self.lowest_cell(root));
            self.bodies.watch_if_unlevel(root);
        }
        let Levelling { queue, sorting, .. } = &mut self.levelling;
        let is_in_slices = tick.work.is_in_slices;
        let sorting =
            sorting.get_or_insert_with(|| Sorting::new(core::mem::take(queue), is_in_slices));
        let key = |place: Place| {
            let seed = tick.work.seed(tick.store, place.slot, place.layer());
            let position = tick.store.position(place).to_array();
            Reverse((mix(Purpose::Pool.seed(seed), place.cell() as u64), position))
        };
        let Some(sorted) = sorting.advance(key, budget) else { return false };
        (self.levelling.queue, self.levelling.sorting) = (sorted, None);
        self.levelling.unlevel = Vec::new();
        self.levelling.queued = 0;
        true
    }

    /// Returns the first cell of the lowest piece of a body.
    fn lowest_cell(&self, root: NodeId) -> Option<Place> {
        let (_, &(_, piece)) = self.bodies.get(root)?.low.first_key_value()?;
        Some(self.first_cell(piece))
    }
}

impl Turn {
    /// Ends the searches: what these of them have met is to be marked as dead.
    fn end_search(&mut self, sides: Range<usize>) {
        self.state = match core::mem::replace(&mut self.state, State::Update) {
            State::Search(searches) | State::Carry(searches, ..) => State::Bury(searches, sides, 0),
            state => state,
        };
    }

    /// Ends the searches with what one of them has found.
    fn begin_way(&mut self, side: usize, found: Found, random: u64) {
        self.state = match core::mem::replace(&mut self.state, State::Update) {
            State::Search(searches) => {
                let way = Way::new(found, &searches[side], random);
                State::Carry(searches, side, Box::new(way))
            }
            state => state,
        };
    }

    fn new(anchor: Place) -> Self {
        Turn {
            anchors: vec![anchor],
            candidates: Candidates::new(DRAWS_PER_BODY),
            won: 0,
            state: State::Update,
        }
    }
}
