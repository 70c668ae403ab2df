//! Augmenting paths (Ford–Fulkerson, with shortest paths by breadth-first search as Edmonds and
//! Karp do). An end with less flow than it lets through searches backwards through the residual
//! network: first for a spring with supply left, then for an end with a larger share than its own.
//!
//! Each cell is two nodes, and at most its throughput passes between them: units enter its first
//! node and leave from its second. A search runs against the flow: from where units leave to where
//! they enter and, where flow already stands, to where that flow could be spared.

use crate::coords::Face;
use crate::water::random::mix;
use crate::water::scratch::Tick;
use crate::water::scratch::budget::Budget;
use crate::water::scratch::place_set::PlaceSet;
use crate::water::steady::cycles::cancel_cycles;
use crate::water::steady::network::{add_steady, carries, exit_of, steady_capacity, unused_supply};
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// A node of the network, where units enter a cell or leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    In(Place),
    Out(Place),
}

impl Node {
    fn place(self) -> Place {
        match self {
            Node::In(place) | Node::Out(place) => place,
        }
    }
}

/// When flows part, their headings are compared over this number of cells.
const FORK_REACH: usize = 4;

/// The weights of the flow that goes straight on at a fork and of the flow that turns off.
/// Measured: with 5 to 2, half of a river that is three cells wide goes straight on at a crossing,
/// and 0.6 of a river that is one cell wide.
const STRAIGHT: u32 = 5;
const BRANCH: u32 = 2;

/// A search, which keeps its buffers.
#[derive(Default)]
pub(super) struct Search {
    /// The nodes met, in this order, each with the number of its predecessor.
    nodes: Vec<(Node, u32)>,
    /// The number of the node that is visited next.
    next: usize,
    /// The cells visited at their first node, where units enter.
    met_in: PlaceSet,
    /// The cells visited at their second node, where units leave.
    met_out: PlaceSet,
    /// The cells visited in searches for cycles since this search began.
    visited: usize,
}

impl Search {
    /// Forgets the visited nodes.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.met_in.clear();
        self.met_out.clear();
    }

    /// Begins a search at an end. Nodes that earlier searches have visited in vain are left out.
    pub(super) fn begin(&mut self, end: End) {
        self.nodes.clear();
        (self.next, self.visited) = (0, 0);
        self.meet(Node::Out(end.place), 0);
    }

    fn meet(&mut self, node: Node, from: usize) {
        let is_new = match node {
            Node::In(place) => self.met_in.insert(place),
            Node::Out(place) => self.met_out.insert(place),
        };
        if is_new {
            self.nodes.push((node, from as u32));
        }
    }

    /// Returns the nodes from the node of this number to the end at which the search began.
    fn way(&self, from: usize) -> impl Iterator<Item = Node> + '_ {
        let numbers =
            core::iter::successors(Some(from), |&at| (at > 0).then(|| self.nodes[at].1 as usize));
        numbers.map(|at| self.nodes[at].0)
    }

    pub(super) fn visited(&self) -> usize {
        self.nodes.len() + self.visited
    }

    pub(super) fn shrink(&mut self, most: usize) {
        self.clear();
        self.nodes.shrink_to(most);
        self.met_in.shrink(most);
        self.met_out.shrink(most);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<(Node, u32)>()
            + self.met_in.memory_bytes()
            + self.met_out.memory_bytes()
    }
}

/// An end of the network that lets more through than it gets.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub(super) place: Place,
    pub(super) exit: Face,
}

/// The goal of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// A spring with supply left, at the height of the end or higher.
    Spring,
    /// An end with more than a fair share, at the height of the searching end or higher.
    Share,
}

/// Resumes the search of an end for more flow until the budget is spent, and adds the flow that it
/// finds. Returns the units gained; `None` if the search is unfinished.
pub(super) fn augment(
    tick: &mut Tick,
    search: &mut Search,
    (end, goal): (End, Goal),
    budget: &mut Budget,
) -> Option<u8> {
    let turn = mix(tick.scratch.random(), end.place.index as u64) as usize & 3;
    let y = tick.store.position(end.place).y;
    let is_lifted = end.exit == Face::Up;
    while let Some(&(node, _)) = search.nodes.get(search.next) {
        if !budget.spend(1) {
            return None;
        }
        let at = search.next;
        let above = tick.store.position(node.place()).y;
        // A spring must be higher than the cells into which it lifts water.
        let is_found = (above > y || above == y && !is_lifted)
            && match (node, goal) {
                (Node::In(place), Goal::Spring) => {
                    unused_supply(tick, place, tick.store.steady(place)) > 0
                }
                (Node::Out(place), Goal::Share) => {
                    place != end.place && may_take_share(tick, search, at, end, place)
                }
                _ => false,
            };
        if is_found {
            let units = flow_along(tick, search, at, end);
            if units > 0 {
                let way: Vec<Place> = search.way(at).map(Node::place).collect();
                search.visited = cancel_cycles(tick, &way);
                budget.spend(search.visited);
                return Some(units);
            }
        }
        match node {
            Node::Out(place) => meet_before_out(tick, search, at, place, turn),
            Node::In(place) => meet_before_in(tick, search, at, place, turn),
        }
        search.next += 1;
    }
    Some(0)
}

/// Visits the nodes from which units could arrive to leave a cell: the cell itself, if it lets more
/// through, and the cells to which it gives flow that could be spared there.
fn meet_before_out(tick: &Tick, search: &mut Search, at: usize, place: Place, turn: usize) {
    let flows = tick.store.steady(place);
    if flows.through() < steady_capacity(tick, place) {
        search.meet(Node::In(place), at);
    }
    for face in turned(turn) {
        let there = tick.store.step(place, face);
        let is_inside = there.is_some() && tick.store.read(there) != Voxel::DRAIN;
        if flows.across(face) > 0 && is_inside {
            search.meet(Node::In(there), at);
        }
    }
}

/// Visits the nodes from which units could enter a cell: the neighbours from which water may come,
/// and the cell itself, if the flow through it could be spared.
fn meet_before_in(tick: &Tick, search: &mut Search, at: usize, place: Place, turn: usize) {
    if !tick.store.steady(place).is_none() {
        search.meet(Node::Out(place), at);
    }
    for face in turned(turn) {
        if let Some(there) = tick.store.across(place, face)
            && !search.met_out.contains(there)
            && carries(tick.store, there, face.opposite(), place)
        {
            search.meet(Node::Out(there), at);
        }
    }
}

/// Returns whether an end may take a unit from the end that the search has reached. The shares of
/// both ends are to be equal, except that a flow that goes straight on at the fork gets a larger
/// share (momentum).
fn may_take_share(tick: &Tick, search: &Search, at: usize, end: End, other: Place) -> bool {
    let Some(exit) = exit_of(tick.store, other) else { return false };
    let theirs = u32::from(tick.store.steady(other).across(exit));
    let own = u32::from(tick.store.steady(end.place).across(end.exit));
    if theirs == 0 {
        return false;
    }
    let [own_weight, their_weight] = weights_at_fork(tick, search, at);
    theirs * own_weight >= (own + 1) * their_weight
}

/// Returns the weights of the shares of the end at which the search began and of the end that it
/// has reached. If one flow goes straight on where their ways part and the other turns off, the
/// weights are [`STRAIGHT`] and [`BRANCH`]; else both are 1.
fn weights_at_fork(tick: &Tick, search: &Search, at: usize) -> [u32; 2] {
    let mut cells: Vec<Place> = search.way(at).map(Node::place).collect();
    cells.dedup();
    let gives = |from: Place, to: Place| back_flow(tick, from, to) > 0;
    // Walks up the flow of the other end while the path follows it.
    let is_theirs = |pair: &&[Place]| gives(pair[1], pair[0]);
    let fork = cells.windows(2).take_while(is_theirs).count();
    let Some(heading) = heading_into(tick, cells[fork]) else { return [1, 1] };
    let theirs = heading_between(tick, cells[fork], cells[fork.saturating_sub(FORK_REACH)]);
    let own = heading_between(tick, cells[fork], cells[(fork + FORK_REACH).min(cells.len() - 1)]);
    match Some(heading) {
        _ if theirs == own => [1, 1],
        straight if theirs == straight => [BRANCH, STRAIGHT],
        straight if own == straight => [STRAIGHT, BRANCH],
        _ => [1, 1],
    }
}

/// Returns the direction in which the steady flow enters a cell, over a few cells.
fn heading_into(tick: &Tick, place: Place) -> Option<Face> {
    let mut at = place;
    for _ in 0..FORK_REACH {
        let Some(face) = main_heading_into(tick.store, at) else { break };
        at = tick.store.step(at, face.opposite());
    }
    heading_between(tick, at, place)
}

/// Returns the lateral direction from one cell to another along the axis of their larger distance.
fn heading_between(tick: &Tick, from: Place, to: Place) -> Option<Face> {
    let way = tick.store.position(to) - tick.store.position(from);
    match () {
        () if way.x == 0 && way.z == 0 => None,
        () if way.x.abs() >= way.z.abs() => Some(if way.x < 0 { Face::West } else { Face::East }),
        () => Some(if way.z < 0 { Face::North } else { Face::South }),
    }
}

/// Adds flow along the path found, from the node of this number to the end: as many units as the
/// whole path lets through. Returns the units.
fn flow_along(tick: &mut Tick, search: &Search, at: usize, end: End) -> u8 {
    let nodes: Vec<Node> = search.way(at).collect();
    let given = match nodes[0] {
        Node::In(spring) => unused_supply(tick, spring, tick.store.steady(spring)),
        Node::Out(_) => 1,
    };
    let lets = |pair: &[Node]| residual(tick, pair[0], pair[1]);
    let share = tick.store.steady(end.place).across(end.exit);
    let wanted = steady_capacity(tick, end.place).saturating_sub(share);
    let units = nodes.windows(2).map(lets).fold(given.min(wanted), u8::min);
    if units == 0 {
        return 0;
    }
    if let Node::Out(other) = nodes[0]
        && let Some(exit) = exit_of(tick.store, other)
    {
        add_steady(tick.store, other, exit, -(units as i8));
    }
    for pair in nodes.windows(2) {
        add_between(tick, pair[0], pair[1], units);
    }
    add_steady(tick.store, end.place, end.exit, units as i8);
    units
}

/// Returns the units that may pass from one node of a path to the next.
fn residual(tick: &Tick, from: Node, to: Node) -> u8 {
    let through = |place: Place| tick.store.steady(place).through();
    match (from, to) {
        (Node::In(place), Node::Out(next)) if place == next => {
            steady_capacity(tick, place).saturating_sub(through(place))
        }
        (Node::Out(place), Node::In(next)) if place == next => through(place),
        // Flow in the opposite direction is taken back.
        (Node::In(place), Node::Out(next)) => back_flow(tick, next, place),
        (Node::Out(place), Node::In(next)) => {
            let limit = tick.limits.throughput + back_flow(tick, next, place);
            limit.saturating_sub(back_flow(tick, place, next))
        }
        _ => 0,
    }
}

/// Returns the flow from one cell to another beside it.
fn back_flow(tick: &Tick, from: Place, to: Place) -> u8 {
    let face = face_between(tick.store, from, to);
    face.map_or(0, |face| tick.store.steady(from).across(face))
}

/// Adds units between two successive nodes of a path. First takes them off the flow in the opposite
/// direction.
fn add_between(tick: &mut Tick, from: Node, to: Node, units: u8) {
    let (here, there) = (from.place(), to.place());
    let (Some(face), true) = (face_between(tick.store, here, there), here != there) else {
        return;
    };
    let back = tick.store.steady(there).across(face.opposite()).min(units);
    add_steady(tick.store, there, face.opposite(), -(back as i8));
    if matches!(from, Node::Out(_)) {
        add_steady(tick.store, here, face, (units - back) as i8);
    }
}

/// Returns the face of the cell `from` across which the cell `to` lies.
fn face_between(store: &Store, from: Place, to: Place) -> Option<Face> {
    Face::ALL.into_iter().find(|&face| store.step(from, face) == to)
}

/// Returns the direction in which most of the steady flow enters a cell; `None` for none.
fn main_heading_into(store: &Store, place: Place) -> Option<Face> {
    let from = |face: Face| {
        let there = store.step(place, face.opposite());
        if there.is_some() { store.steady(there).across(face) } else { 0 }
    };
    let most = Face::ALL.into_iter().max_by_key(|&face| from(face))?;
    (from(most) > 0).then_some(most)
}

/// Returns the lateral faces in order, beginning at number `turn`, then down and up.
fn turned(turn: usize) -> impl Iterator<Item = Face> {
    let lateral = (0..4).map(move |at| Face::LATERAL[(at + turn) & 3]);
    lateral.chain([Face::Down, Face::Up])
}
