//! A search over pieces for the nearest counterpart of a place: best-first, by the distance from
//! where it began.
//!
//! A piece in a layer in which nothing is spent is passed as a whole. In other layers the search
//! goes by flood fill over what can still pass water on. Layers towards that of the goal come
//! first; the way in the other direction opens when what is left lies much farther.

use crate::chunk::LayerMask;
use crate::coords::{Cube, Face, Shape};
use crate::grid::Slot;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::Pools;
use crate::water::pools::bodies::PieceId;
use crate::water::pools::levels::Lowest;
use crate::water::store::{LAYER_ROWS, Place, head};
use core::cmp::Reverse;
use glam::IVec3;
use hashbrown::HashMap;
use std::collections::BinaryHeap;

/// One layer away from that of the goal counts as so many steps.
const LAYER_STEPS: u32 = 64;

/// What a search looks for.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// Water to give: a surface at `enough` or higher, or a spring that lifts water to `least`.
    /// Failing that, the highest surface at `least` or higher.
    High { least: i64, enough: i64 },
    /// Room: a place at `enough` or lower. Failing that, the lowest at `most` or lower.
    Low { most: i64, enough: i64 },
}

/// A layer's part of a search.
pub(super) struct Node {
    pub(super) slot: Slot,
    pub(super) layer: u8,
    /// The face across which it was entered.
    pub(super) entered: Face,
    /// The node before, `None` in the first.
    pub(super) before: Option<u32>,
    /// The piece, if nothing in its layer is spent.
    piece: Option<PieceId>,
    distance: u32,
    /// The cells by which it is entered.
    pub(super) entry: LayerMask,
    /// The cells reached. Empty until it is expanded.
    pub(super) region: LayerMask,
}

/// A search from one place.
pub(crate) struct Search {
    /// 0 or 1: it has marks of its own in the pieces.
    side: usize,
    epoch: u64,
    goal: Goal,
    /// What gives or takes the water.
    pub(crate) target: Target,
    /// The piece where it began.
    pub(crate) piece: PieceId,
    from: IVec3,
    goal_y: i32,
    pub(super) nodes: Vec<Node>,
    /// The node that is being expanded, if what it has to give or room for is not known yet.
    expanding: Option<u32>,
    /// Nodes by distance and number.
    open: BinaryHeap<Reverse<(u32, u32)>>,
    /// Expanded nodes, with ways that are not open yet.
    later: Vec<u32>,
    opened_later: usize,
    /// The cells reached in layers where something is spent.
    seen: HashMap<(Slot, u8), LayerMask>,
    /// The best that is not enough: its level and node.
    best: Option<(i64, u32)>,
    /// Layers looked at.
    pub(crate) looked: u64,
    /// Whether cells were met that can pass on nothing more in this tick.
    pub(crate) met_spent: bool,
}

/// The end of a search: a node, and the cells there that give or take water.
pub(crate) struct Found {
    pub(super) node: u32,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    High(LayerMask),
    Low(Lowest),
}

/// The result of a step of a search.
pub(crate) enum Searched {
    Underway,
    /// The budget is spent in the middle of the step.
    Spent,
    Found(Box<Found>),
    Nothing,
}

/// Where water comes from or goes to.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// A cell.
    Cell(Place),
    /// The sea across a face of a cell.
    Sea(Place, Face),
}

impl Target {
    /// Returns the cell, or the one at the sea.
    fn place(self) -> Place {
        match self {
            Target::Cell(place) | Target::Sea(place, _) => place,
        }
    }

    /// Returns the cell, unless it is the sea.
    pub(crate) fn cell(self) -> Option<Place> {
        match self {
            Target::Cell(place) => Some(place),
            Target::Sea(..) => None,
        }
    }
}

impl Search {
    /// Returns a search from a place and the cells `entry` of its piece, towards a layer.
    pub(crate) fn new(
        tick: &Context,
        pools: &mut Pools,
        side: usize,
        (target, piece): (Target, PieceId),
        entry: LayerMask,
        (goal, goal_y): (Goal, i32),
    ) -> Self {
        let epoch = pools.next_epoch();
        let Place { slot, .. } = pools.first_cell(piece);
        let layer = usize::from(pools.bodies.piece(piece).layer);
        let is_free = pools.spent(tick, slot, layer).is_empty();
        if is_free {
            pools.bodies.piece_mut(piece).met[side] = epoch;
        }
        let first = Node {
            slot,
            layer: layer as u8,
            entered: Face::Up,
            before: None,
            piece: is_free.then_some(piece),
            distance: 0,
            entry,
            region: LayerMask::NONE,
        };
        let mut open = BinaryHeap::new();
        if entry.any() {
            open.push(Reverse((0, 0)));
        }
        Search {
            side,
            epoch,
            goal,
            target,
            piece,
            from: tick.store.position(target.place()),
            goal_y,
            nodes: vec![first],
            expanding: None,
            open,
            later: Vec::new(),
            opened_later: 0,
            seen: HashMap::new(),
            best: None,
            looked: 0,
            met_spent: !is_free,
        }
    }

    /// Expands the next node, or goes on with the one that is being expanded.
    pub(crate) fn advance(
        &mut self,
        tick: &mut Context,
        pools: &mut Pools,
        budget: &mut Budget,
    ) -> Searched {
        if self.expanding.is_none() && self.open_later(tick, pools) {
            return Searched::Underway;
        }
        if self.expanding.is_none() {
            let Some(Reverse((_, at))) = self.open.pop() else {
                return self.end(tick, pools, budget);
            };
            self.expanding = self.reach(tick, pools, at).then_some(at);
        }
        match self.expanding {
            Some(at) => self.expand(tick, pools, at, budget),
            None => Searched::Underway,
        }
    }

    /// Opens the ways up and down from the first node that waits for that, if what is left lies
    /// much farther. Returns whether it did.
    fn open_later(&mut self, tick: &Context, pools: &mut Pools) -> bool {
        let nearest = self.open.peek().map_or(u32::MAX, |&Reverse((distance, _))| distance);
        let Some(&at) = self.later.get(self.opened_later) else { return false };
        if self.nodes[at as usize].distance.saturating_add(LAYER_STEPS) > nearest {
            return false;
        }
        self.opened_later += 1;
        let toward = self.toward(tick, at);
        for face in [Face::Down, Face::Up].into_iter().filter(|&face| toward != Some(face)) {
            self.open_across(tick, pools, at, face);
        }
        true
    }

    /// Ends the search, of which no node is left, with the best that it has met.
    fn end(&self, tick: &mut Context, pools: &mut Pools, budget: &mut Budget) -> Searched {
        let Some((_, node)) = self.best else { return Searched::Nothing };
        match self.goals_at(tick, pools, node, budget) {
            Some(Some((_, kind))) => Searched::Found(Box::new(Found { node, kind })),
            Some(None) => Searched::Nothing,
            None => Searched::Spent,
        }
    }

    /// Finds out what a node has to give or room for, and opens what lies around it.
    fn expand(
        &mut self,
        tick: &mut Context,
        pools: &mut Pools,
        at: u32,
        budget: &mut Budget,
    ) -> Searched {
        let Some(goals) = self.goals_at(tick, pools, at, budget) else { return Searched::Spent };
        self.expanding = None;
        self.looked += 1;
        if let Some((level, kind)) = goals {
            let is_enough = match (self.goal, &kind) {
                (Goal::High { enough, .. }, Kind::High(_)) => level >= enough,
                (Goal::Low { enough, .. }, _) => level <= enough,
                _ => false,
            };
            if is_enough {
                return Searched::Found(Box::new(Found { node: at, kind }));
            }
            let is_better = self.best.is_none_or(|(best, _)| match self.goal {
                Goal::High { .. } => level > best,
                Goal::Low { .. } => level < best,
            });
            if is_better {
                self.best = Some((level, at));
            }
        }
        for face in Face::LATERAL {
            self.open_across(tick, pools, at, face);
        }
        if let Some(face) = self.toward(tick, at) {
            self.open_across(tick, pools, at, face);
        }
        self.later.push(at);
        Searched::Underway
    }

    /// Returns the face of a node towards the layer of the goal, unless it lies in it.
    fn toward(&self, tick: &Context, at: u32) -> Option<Face> {
        let Node { slot, layer, .. } = self.nodes[at as usize];
        let y = tick.y_of(slot, usize::from(layer));
        (y != self.goal_y).then_some(if y < self.goal_y { Face::Up } else { Face::Down })
    }

    /// Finds the cells of a node that are reached. Returns whether there are any.
    fn reach(&mut self, tick: &Context, pools: &mut Pools, at: u32) -> bool {
        let node = &mut self.nodes[at as usize];
        if let Some(piece) = node.piece {
            node.region = pools.bodies.piece(piece).cells;
            return true;
        }
        let (slot, layer) = (node.slot, usize::from(node.layer));
        let supported = pools.pieces.supported(slot, layer).unwrap_or(LayerMask::NONE);
        let seen = self.seen.entry((slot, node.layer)).or_insert(LayerMask::NONE);
        let free = supported - pools.spent(tick, slot, layer) - *seen;
        // The place that begins need not pass on anything itself.
        if node.before.is_some() {
            node.entry &= free;
        }
        if node.entry.is_empty() {
            return false;
        }
        node.region = node.entry.flood(free | node.entry);
        *seen |= node.region;
        true
    }

    /// Returns what the region of a node has to give or room for, if that is of any use; `None` if
    /// the budget is spent before that is known.
    fn goals_at(
        &self,
        tick: &mut Context,
        pools: &mut Pools,
        at: u32,
        budget: &mut Budget,
    ) -> Option<Option<(i64, Kind)>> {
        let node = &self.nodes[at as usize];
        let (slot, layer) = (node.slot, usize::from(node.layer));
        if let Some(piece) = node.piece {
            let levels = pools.bodies.piece(piece).levels;
            let is_useful = match self.goal {
                Goal::High { least, .. } => {
                    levels.high.is_some() && levels.high.level >= least
                        || levels.springs.is_some() && levels.springs.level >= least
                }
                Goal::Low { most, .. } => levels.low.is_some() && levels.low.level <= most,
            };
            if !is_useful {
                return Some(None);
            }
        }
        match self.goal {
            Goal::High { least, .. } => Some(self.giving_at(tick, pools, node, least)),
            Goal::Low { most, .. } => {
                let mut surroundings = tick.surroundings(&pools.pieces, slot, layer);
                let lowest = tick.lowest_unsupplied(&mut surroundings, node.region, budget)?;
                let lowest = lowest.filter(|lowest| lowest.level <= most);
                Some(lowest.map(|lowest| (lowest.level, Kind::Low(lowest))))
            }
        }
    }

    /// Returns what the region of a node has to give at `least` or higher.
    fn giving_at(
        &self,
        tick: &Context,
        pools: &mut Pools,
        node: &Node,
        least: i64,
    ) -> Option<(i64, Kind)> {
        let (slot, layer) = (node.slot, usize::from(node.layer));
        let surroundings = tick.surroundings(&pools.pieces, slot, layer);
        let mut cells = node.region - pools.spent(tick, slot, layer);
        let place = self.target.place();
        if place.slot == slot && place.layer() == layer {
            cells.remove(place.cell());
        }
        let sea = tick.store.sea_levels(slot, layer, cells);
        if let Some((level, cells)) = sea.map(|levels| levels.high)
            && level >= least
        {
            return Some((i64::MAX, Kind::High(cells)));
        }
        let springs = cells & surroundings.springs;
        if springs.any() && head(tick.y_of(slot, layer), 0) >= least {
            return Some((i64::MAX, Kind::High(springs)));
        }
        let (level, cells) = tick.highest(&surroundings, cells)?;
        (level >= least).then_some((level, Kind::High(cells)))
    }

    /// Opens what lies across a face of a node's region.
    fn open_across(&mut self, tick: &Context, pools: &mut Pools, at: u32, face: Face) {
        let &Node { slot, layer, region, .. } = &self.nodes[at as usize];
        let layer = usize::from(layer);
        let (there, cells) = match face {
            Face::Up => (tick.store.upper_layer(slot, layer), region & tick.full(slot, layer)),
            Face::Down => {
                let there = tick.store.lower_layer(slot, layer);
                (there, there.map_or(region, |(slot, layer)| region & tick.full(slot, layer)))
            }
            _ => {
                let there = tick.store.neighbour(slot, face);
                let [west, east, north, south] = region.leaving();
                let cells = match face {
                    Face::West => west,
                    Face::East => east,
                    Face::North => north,
                    _ => south,
                };
                (there.is_some().then_some((there, layer)), cells)
            }
        };
        let Some((slot, layer)) = there else { return };
        if cells.is_empty() || pools.pieces.of(slot, layer).is_empty() {
            return;
        }
        if pools.spent(tick, slot, layer).any() {
            let seen = self.seen.get(&(slot, layer as u8)).copied().unwrap_or_default();
            let joined = cells & pools.pieces.supported(slot, layer).unwrap_or_default();
            // What other bodies have in the layer says nothing, since it need not be known.
            self.met_spent |= joined.any();
            let entry = joined - seen;
            if entry.any() {
                let distance = self.distance(tick, slot, layer);
                self.push((slot, layer), face, at, None, distance, entry);
            }
            return;
        }
        for &id in pools.pieces.of(slot, layer) {
            let piece = pools.bodies.piece_mut(id);
            let entry = cells & piece.cells;
            if entry.any() && piece.met[self.side] != self.epoch {
                piece.met[self.side] = self.epoch;
                let distance = self.distance(tick, slot, layer);
                self.push((slot, layer), face, at, Some(id), distance, entry);
            }
        }
    }

    fn push(
        &mut self,
        (slot, layer): (Slot, usize),
        entered: Face,
        before: u32,
        piece: Option<PieceId>,
        distance: u32,
        entry: LayerMask,
    ) {
        self.open.push(Reverse((distance, self.nodes.len() as u32)));
        let (layer, region) = (layer as u8, LayerMask::NONE);
        let before = Some(before);
        self.nodes.push(Node { slot, layer, entered, before, piece, distance, entry, region });
    }

    /// Returns the priority of a layer: the steps to it from where the search began, and from it to
    /// the layer of the goal, which count more.
    fn distance(&self, tick: &Context, slot: Slot, layer: usize) -> u32 {
        let corner = Cube::cell_at(tick.store.grid().position_at(slot), 0);
        let steps = |at: i32, low: i32| {
            let below = i64::from(low) - i64::from(at);
            below.max(-15 - below).clamp(0, 1 << 30) as u32
        };
        let layers = tick.y_of(slot, layer).abs_diff(self.goal_y);
        steps(self.from.x, corner.x)
            .saturating_add(steps(self.from.z, corner.z))
            .saturating_add(layers.saturating_mul(LAYER_STEPS))
    }

    /// Marks the pieces that were reached as dead for this round, from a node on. Each node counts,
    /// and each piece looked at. Returns whether that is done; if not, the budget is spent.
    pub(crate) fn bury(&self, pools: &mut Pools, next: &mut usize, budget: &mut Budget) -> bool {
        let round = pools.round;
        while let Some(node) = self.nodes.get(*next) {
            if !budget.spend(1) {
                return false;
            }
            *next += 1;
            match node.piece {
                _ if node.region.is_empty() => {}
                Some(piece) => pools.bodies.piece_mut(piece).dead = round,
                None => {
                    let of_layer = pools.pieces.of(node.slot, usize::from(node.layer));
                    budget.spend(of_layer.len());
                    for &id in of_layer {
                        let piece = pools.bodies.piece_mut(id);
                        if (piece.cells & node.region).any() {
                            piece.dead = round;
                        }
                    }
                }
            }
        }
        pools.bodies.piece_mut(self.piece).dead = round;
        true
    }
}

/// The cells that a step of a search charges to the budget.
pub(crate) const SEARCH_STEP: usize = LAYER_ROWS;
