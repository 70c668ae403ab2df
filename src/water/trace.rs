//! Paths: following a cell's parents to the head of its flow, and drawing from there what the path lets through.
//!
//! Directions do not change before the tick's ebb, so the parents form one forest for the whole tick. Three things keep
//! its cost about the number of cells, however long the paths are: which tree a cell belongs to is looked up once; a way
//! found exhausted is marked down to where the search began, and no later search passes a mark; and what a head gives in
//! a tick is bounded, so only so many searches can succeed.

use super::bits::{self, NONE, and, any, minus, or};
use super::cell::CellFlags;
use super::chance::{Purpose, layer_seed, mix};
use super::store::{LAYER_CELLS, Place, Store, head, parent_face};
use super::tick::Tick;
use super::voxel::Voxel;
use super::window::{lower_layer, upper_layer};
use crate::coords::Face;
use crate::grid::Slot;
use hashbrown::HashSet;
use smallvec::SmallVec;

/// The tree of a cell above which flows join, so that it has more than one head.
const JOINED: u32 = u32::MAX;

/// The heads of the flows met in this tick, and buffers for searches.
#[derive(Default)]
pub(super) struct Trees {
    heads: Vec<Place>,
    walked: Vec<Place>,
    path: Vec<(Place, Face)>,
}

/// What water is drawn for, which decides what a head has to offer.
#[derive(Clone, Copy)]
pub(super) enum Need {
    /// To leave the world: any head will do.
    Leave,
    /// To fill a cell at this height above y = 0 in cells, whose own head is given in units. A cell that has a source
    /// draws from sources only: it may sleep while they lie too low, and must miss nothing by that.
    Fill { y: i32, head: i64, sourced: bool },
    /// To rise into a cell at this height: the source must lie higher.
    Rise { y: i32 },
}

/// Where a search may take another way.
struct Fork {
    /// Cells of the path up to here.
    length: usize,
    ways: SmallVec<[Face; 6]>,
    /// Whether a way tried ended at a head with nothing to give, so that the cell is not exhausted for everyone.
    nothing: bool,
}

/// What came of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// Units that reached the end of the path, 1 to 7, and the path's bottleneck.
    Units { units: u8, largest: u8 },
    /// The head has water, but the way is exhausted for this tick.
    Waiting,
    /// The head has nothing to give.
    Nothing,
}

impl Tick<'_> {
    /// Lets an outlet's water leave: what its path brings from the head, then its own.
    pub(super) fn flow_out(&mut self, place: Place) {
        let voxel = self.store.read(place);
        if voxel.is_mark() || voxel == Voxel::OPEN {
            return;
        }
        let exits = [Face::Down, Face::West, Face::East, Face::North, Face::South];
        let Some(exit) = exits.into_iter().find(|&face| self.store.look(place, face) == Voxel::DRAIN) else { return };
        self.mark_way(place);
        let wanted = self.limits.left(voxel, self.work.passed(place));
        if wanted == 0 {
            return;
        }
        if let Drawn::Units { units, .. } = self.draw(place, exit, wanted, Need::Leave) {
            self.ledger.drained += u64::from(units);
        }
        let voxel = self.store.read(place);
        let own = voxel.height().min(self.limits.left(voxel, self.work.passed(place)));
        if own > 0 {
            self.take(place, own);
            self.pass_on(place, exit, own);
            self.ledger.drained += u64::from(own);
        }
    }

    /// Sets FlowOut from an outlet up to the heads of its flows.
    fn mark_way(&mut self, outlet: Place) {
        let mut open = vec![outlet];
        while let Some(place) = open.pop() {
            let scratch = self.work.join(self.store, place.0);
            if !scratch.marked.insert(place.1) {
                continue;
            }
            let voxel = self.store.read(place);
            if !voxel.has(CellFlags::FLOW_OUT) {
                self.put(place, voxel.with(CellFlags::FLOW_OUT, true));
                self.wake_cell(place);
            }
            for face in Store::faces(self.store.parents_of(place)) {
                let parent = self.store.step(place, face);
                if parent.0.is_some() {
                    open.push(parent);
                }
            }
        }
    }

    /// Lets the layer's awake cells draw from their heads: those on firm ground with room for themselves, full ones with
    /// a source for the cell above.
    pub(super) fn draws(&mut self, slot: Slot, layer: usize) {
        let awake = self.awake(slot, layer);
        if !any(awake) {
            return;
        }
        let (wet, closed) = self.store.layer(slot, layer);
        let firm = match lower_layer(self.store, slot, layer) {
            Some((slot, layer)) => self.store.layer(slot, layer).1,
            None if self.store.beyond(slot, Face::Down).is_closed() => bits::ALL,
            None => NONE,
        };
        let roof = match upper_layer(self.store, slot, layer) {
            Some((slot, layer)) => self.store.layer(slot, layer).1,
            None if self.store.beyond(slot, Face::Up).is_closed() => bits::ALL,
            None => NONE,
        };
        let fillers = minus(and(awake, firm), closed);
        let y = self.store.grid.position_at(slot).y * 16 + layer as i32;
        let mut risers = minus(and(awake, and(wet, closed)), roof);
        if self.store.highest_source().is_none_or(|highest| highest <= y.saturating_add(1)) {
            risers = NONE;
        }
        if !any(or(fillers, risers)) {
            return;
        }
        let mut queue = self.queue(slot, layer, Purpose::Order, or(fillers, risers));
        while let Some(cell) = queue.pop() {
            let place = (slot, layer * LAYER_CELLS + cell);
            let drawn = if bits::contains(&fillers, cell) { self.fill_up(place, y) } else { self.rise(place, y) };
            if drawn == Drawn::Waiting {
                self.work.join(self.store, slot).waiting.insert(place.1);
            }
        }
    }

    /// Draws for a cell with room.
    fn fill_up(&mut self, place: Place, y: i32) -> Drawn {
        let voxel = self.store.read(place);
        if voxel.is_mark() || voxel.direction_code() == 0 || voxel.room() == 0 {
            return Drawn::Nothing;
        }
        let sourced = voxel.has(CellFlags::HAS_SOURCE);
        let need = Need::Fill { y, head: head(y, voxel.height()), sourced };
        let parents = self.store.parents_in(place, voxel);
        if Store::faces(parents).all(|face| self.is_exhausted(self.store.step(place, face))) {
            self.work.join(self.store, place.0).blocked.insert(place.1);
            return Drawn::Waiting;
        }
        let mut drawn = Drawn::Nothing;
        for face in self.shuffled(place, parents) {
            let parent = self.store.step(place, face);
            drawn = match self.draw(parent, face.opposite(), voxel.room(), need) {
                Drawn::Nothing => drawn,
                other => other,
            };
            if let Drawn::Units { units, largest } = drawn {
                self.receive(place, face, units);
                self.set_largest(place, largest);
                break;
            }
        }
        drawn
    }

    /// Draws for the cell above a full cell that has a source.
    fn rise(&mut self, place: Place, y: i32) -> Drawn {
        let voxel = self.store.read(place);
        if !voxel.has(CellFlags::HAS_SOURCE) || voxel.has(CellFlags::IS_SOURCE) {
            return Drawn::Nothing;
        }
        let above = self.store.look(place, Face::Up);
        let drawn = self.draw(place, Face::Up, above.room(), Need::Rise { y: y.saturating_add(1) });
        if let Drawn::Units { units, .. } = drawn {
            if above == Voxel::DRAIN {
                self.ledger.drained += u64::from(units);
            } else {
                self.receive(self.store.step(place, Face::Up), Face::Down, units);
            }
        }
        drawn
    }

    /// Draws up to `wanted` units along the parents of `first`, which passes them on across `exit`. The caller sees to
    /// where they go.
    fn draw(&mut self, first: Place, exit: Face, wanted: u8, need: Need) -> Drawn {
        let tree = self.tree_of(first);
        let mut path = core::mem::take(&mut self.trees.path);
        path.clear();
        let found = if tree == JOINED {
            self.search(first, exit, need, &mut path)
        } else {
            self.walk(self.trees.heads[tree as usize - 1], first, exit, need, &mut path)
        };
        let drawn = match found {
            Ok(offer) => self.pass_along(&path, wanted, offer),
            Err(nothing) => nothing,
        };
        self.trees.path = path;
        drawn
    }

    /// The path in a tree with one head: what the head offers, or why there is nothing.
    fn walk(
        &mut self,
        head: Place,
        first: Place,
        exit: Face,
        need: Need,
        path: &mut Vec<(Place, Face)>,
    ) -> Result<u8, Drawn> {
        let offer = self.offer(head, need);
        if offer == 0 {
            return Err(Drawn::Nothing);
        }
        if self.is_exhausted(head) {
            self.block(&[(first, exit)]);
            return Err(Drawn::Waiting);
        }
        let (mut place, mut exit) = (first, exit);
        loop {
            if self.is_exhausted(place) {
                self.block(path);
                return Err(Drawn::Waiting);
            }
            path.push((place, exit));
            match parent_face(self.store.read(place)) {
                Some(face) if place != head => {
                    (place, exit) = (self.store.step(place, face), face.opposite());
                }
                _ => return Ok(offer),
            }
        }
    }

    /// The path where flows join: at each fork the parents are tried in random order. A cell all of whose ways are
    /// exhausted is marked, as on a path in a tree.
    fn search(&mut self, first: Place, exit: Face, need: Need, path: &mut Vec<(Place, Face)>) -> Result<u8, Drawn> {
        let mut forks: SmallVec<[Fork; 4]> = SmallVec::new();
        let mut fruitless = HashSet::new();
        let mut waiting = false;
        let (mut place, mut exit) = (first, exit);
        loop {
            let mut nothing = fruitless.contains(&place);
            if !nothing && self.is_exhausted(place) {
                waiting = true;
            } else if !nothing {
                path.push((place, exit));
                let parents = self.store.parents_of(place);
                if parents == 0 {
                    let offer = self.offer(place, need);
                    if offer > 0 {
                        return Ok(offer);
                    }
                    nothing = true;
                } else {
                    let mut ways = self.shuffled(place, parents);
                    let Some(face) = ways.pop() else { continue };
                    if !ways.is_empty() {
                        forks.push(Fork { length: path.len(), ways, nothing: false });
                    }
                    (place, exit) = (self.store.step(place, face), face.opposite());
                    continue;
                }
            }
            let next = loop {
                let length = forks.last().map_or(0, |fork| fork.length);
                if !nothing {
                    self.block(&path[length..]);
                }
                path.truncate(length);
                let Some(fork) = forks.last_mut() else {
                    return Err(if waiting { Drawn::Waiting } else { Drawn::Nothing });
                };
                fork.nothing |= nothing;
                let at = path[length - 1].0;
                if let Some(face) = fork.ways.pop() {
                    break (self.store.step(at, face), face.opposite());
                }
                nothing = fork.nothing;
                forks.pop();
                if nothing {
                    fruitless.insert(at);
                }
            };
            (place, exit) = next;
        }
    }

    /// Takes water from the head at the path's end and lets it pass to the path's start; marks the path.
    fn pass_along(&mut self, path: &[(Place, Face)], wanted: u8, offer: u8) -> Drawn {
        let Some(&(head, _)) = path.last() else { return Drawn::Nothing };
        let mut largest = offer;
        for &(place, _) in path {
            largest = largest.min(self.limits.left(self.store.read(place), self.work.passed(place)));
        }
        let units = wanted.min(largest);
        self.take(head, units);
        let mut bottleneck = offer;
        for &(place, exit) in path.iter().rev() {
            let voxel = self.store.read(place);
            bottleneck = bottleneck.min(self.limits.left(voxel, self.work.passed(place)));
            self.pass_on(place, exit, units);
            self.set_largest(place, bottleneck);
        }
        Drawn::Units { units, largest }
    }

    fn set_largest(&mut self, place: Place, largest: u8) {
        let voxel = self.store.read(place);
        if voxel.direction_code() != 0 && voxel.largest() != largest {
            self.put(place, voxel.with_largest(largest));
        }
    }

    /// Units that a head would give for a need.
    fn offer(&self, place: Place, need: Need) -> u8 {
        let voxel = self.store.read(place);
        let y = self.store.grid.position_at(place.0).y * 16 + (place.1 / LAYER_CELLS) as i32;
        if voxel.has(CellFlags::IS_SOURCE) {
            let reaches = match need {
                Need::Leave => true,
                Need::Fill { y: wanted, .. } => y >= wanted,
                Need::Rise { y: wanted } => y > wanted,
            };
            return if reaches { self.limits.supply } else { 0 };
        }
        match need {
            Need::Leave => voxel.height(),
            Need::Fill { sourced: true, .. } => 0,
            Need::Fill { head: wanted, .. } => {
                let half = (head(y, voxel.height()) - wanted).max(0) / 2;
                voxel.height().min(half.min(7) as u8)
            }
            Need::Rise { .. } => 0,
        }
    }

    /// Whether a cell is fed by sources and all of them lie below `y`. A cell cut from its source, which will lose its
    /// flag when that news reaches it, counts as within reach until then: it may be asleep, and must miss nothing by that.
    pub(super) fn is_out_of_reach(&mut self, place: Place, y: i32) -> bool {
        let tree = self.tree_of(place);
        if tree != JOINED {
            let head = self.trees.heads[tree as usize - 1];
            return self.source_height(head).is_some_and(|height| height < y);
        }
        let mut open = vec![place];
        let mut forks = HashSet::new();
        let mut fed = false;
        while let Some(place) = open.pop() {
            let parents = self.store.parents_of(place);
            if parents.count_ones() > 1 && !forks.insert(place) {
                continue;
            }
            if let Some(height) = self.source_height(place) {
                if height >= y {
                    return false;
                }
                fed = true;
            }
            let above = Store::faces(parents).map(|face| self.store.step(place, face));
            open.extend(above.filter(|parent| parent.0.is_some()));
        }
        fed
    }

    /// The height of a source's cell, or `None` if the cell is no source.
    fn source_height(&self, place: Place) -> Option<i32> {
        let height = self.store.grid.position_at(place.0).y * 16 + (place.1 / LAYER_CELLS) as i32;
        self.store.read(place).has(CellFlags::IS_SOURCE).then_some(height)
    }

    /// The number of the tree that a cell belongs to in this tick, from 1, or [`JOINED`].
    fn tree_of(&mut self, place: Place) -> u32 {
        let mut walked = core::mem::take(&mut self.trees.walked);
        walked.clear();
        let mut at = place;
        let tree = loop {
            let known = self.work.join(self.store, at.0).tree[at.1];
            if known != 0 {
                break known;
            }
            walked.push(at);
            let parents = self.store.parents_of(at);
            if parents.count_ones() > 1 {
                break JOINED;
            }
            let parent = Store::faces(parents).next().map(|face| self.store.step(at, face));
            match parent {
                Some(parent) if parent.0.is_some() => at = parent,
                _ => {
                    self.trees.heads.push(at);
                    break self.trees.heads.len() as u32;
                }
            }
        };
        for &(slot, index) in &walked {
            let scratch = self.work.join(self.store, slot);
            scratch.use_layer(index / LAYER_CELLS);
            scratch.tree[index] = tree;
        }
        self.trees.walked = walked;
        tree
    }

    #[inline]
    fn is_exhausted(&self, place: Place) -> bool {
        let blocked = self.work.get(place.0).is_some_and(|scratch| scratch.blocked.contains(place.1));
        blocked || self.limits.left(self.store.read(place), self.work.passed(place)) == 0
    }

    fn block(&mut self, path: &[(Place, Face)]) {
        for &((slot, index), _) in path {
            self.work.join(self.store, slot).blocked.insert(index);
        }
    }

    /// The faces of a set in random order.
    fn shuffled(&self, place: Place, faces: u8) -> SmallVec<[Face; 6]> {
        let mut faces: SmallVec<[Face; 6]> = Store::faces(faces).collect();
        if faces.len() > 1 {
            let position = self.store.grid.position_at(place.0);
            let seed = layer_seed(self.random, Purpose::Parent, position, place.1 / LAYER_CELLS);
            let mut random = fastrand::Rng::with_seed(mix(seed, place.1 as u64));
            // Not `shuffle`, which draws numbers as wide as a pointer: targets of 32 bits would go other ways.
            for last in 1..faces.len() {
                faces.swap(last, random.u64(..=last as u64) as usize);
            }
        }
        faces
    }
}
