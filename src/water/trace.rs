//! Paths: following a cell's parents to the head of its flow, and drawing from there what the path lets through.
//!
//! Directions do not change before the tick's ebb, so the parents form one forest for the whole tick. Three things keep
//! its cost about the number of cells, however long the paths are: which tree a cell belongs to is looked up once; a way
//! found exhausted is marked down to where the search began, and no later search passes a mark; and what a head gives in
//! a tick is bounded, so only so many searches can succeed.

use super::bits::{self};
use super::cell::CellFlags;
use super::chance::{Purpose, mix};
use super::links::Met;
use super::store::{LAYER_CELLS, Place, Store, head};
use super::tick::Tick;
use super::workspace::{add_flow, passed};
use crate::coords::Face;
use crate::grid::Slot;
use smallvec::SmallVec;

/// The tree of a cell above which flows join, so that it has more than one head.
const JOINED: u32 = u32::MAX;

/// The heads of the flows met in this tick, and buffers for searches.
#[derive(Default)]
pub(super) struct Trees {
    heads: Vec<Place>,
    walked: Vec<Place>,
    path: Vec<Step>,
    /// Whether a draw has brought a cell to what it may pass on in the tick, since this was last put back.
    pub(super) spent: bool,
}

/// A cell of a path, the face that it passes water on across, and the units that it still may.
#[derive(Clone, Copy)]
struct Step {
    place: Place,
    exit: Face,
    left: u8,
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
    /// The faces not tried yet, by bit.
    ways: u8,
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
    /// Draws up to `wanted` units along the parents of `first`, which passes them on across `exit`. The caller sees to
    /// where they go.
    pub(super) fn draw(&mut self, first: Place, exit: Face, wanted: u8, need: Need) -> Drawn {
        let mut path = core::mem::take(&mut self.trees.path);
        path.clear();
        let drawn = match self.search(first, exit, need, &mut path) {
            Ok(offer) => self.pass_along(&path, wanted, offer),
            Err(nothing) => nothing,
        };
        self.trees.path = path;
        drawn
    }

    /// The path to a head that offers something, or why there is none. Where flows join, the parents are tried in random
    /// order.
    ///
    /// A cell all of whose ways are exhausted is marked so. A way to one head that has nothing to give is remembered with
    /// its head, so that who comes after asks that at once.
    fn search(&mut self, first: Place, exit: Face, need: Need, path: &mut Vec<Step>) -> Result<u8, Drawn> {
        let mut forks: SmallVec<[Fork; 4]> = SmallVec::new();
        let mut fruitless = Met::default();
        let mut waiting = false;
        let (mut place, mut exit) = (first, exit);
        loop {
            (place, exit) = self.climb(place, exit, path);
            let mut nothing = fruitless.contains(place);
            if !nothing && self.work.is_blocked(place) {
                waiting = true;
            } else if !nothing {
                let voxel = self.store.read(place);
                let left = self.limits.left(voxel, self.work.passed(place));
                path.push(Step { place, exit, left });
                let known = self.known_head(place);
                let mut ways = self.store.parents_in(place, voxel);
                if ways == 0 || known.is_some() {
                    let head = known.unwrap_or(place);
                    let offer = self.offer(head, need);
                    if offer > 0 && ways == 0 {
                        return Ok(offer);
                    }
                    if offer == 0 {
                        nothing = true;
                        if forks.is_empty() {
                            self.remember(path, head);
                        }
                    }
                }
                if !nothing && let Some(face) = self.pick(place, &mut ways) {
                    if ways != 0 {
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
                let at = path[length - 1].place;
                let mut ways = fork.ways;
                if let Some(face) = self.pick(at, &mut ways) {
                    if let Some(fork) = forks.last_mut() {
                        fork.ways = ways;
                    }
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

    /// Follows a path as long as it is plain: in one layer, one parent to a cell, nothing exhausted and no head remembered.
    /// Returns where that ends, a cell for the caller to look at.
    fn climb(&self, place: Place, exit: Face, path: &mut Vec<Step>) -> (Place, Face) {
        let (slot, layer) = (place.0, place.1 / LAYER_CELLS);
        let (Some(work), Some(cells)) = (self.work.get(slot, layer), self.store.cells(slot, layer)) else {
            return (place, exit);
        };
        if work.trees.is_some() {
            return (place, exit);
        }
        let (mut cell, mut exit) = (place.1 % LAYER_CELLS, exit);
        loop {
            let voxel = cells[cell];
            // The parent lies against the flow.
            let (parent, heading) = match voxel.direction_code() {
                1 if cell & 15 < 15 => (cell + 1, Face::West),
                2 if cell & 15 > 0 => (cell - 1, Face::East),
                5 if cell < 240 => (cell + 16, Face::North),
                6 if cell >= 16 => (cell - 16, Face::South),
                _ => break,
            };
            if voxel.has(CellFlags::EXTRA) || bits::contains(&work.blocked, cell) {
                break;
            }
            let left = self.limits.throughput.saturating_sub(passed(work.flow[cell]));
            path.push(Step { place: (slot, layer * LAYER_CELLS + cell), exit, left });
            (cell, exit) = (parent, heading);
        }
        ((slot, layer * LAYER_CELLS + cell), exit)
    }

    /// Takes water from the head at the path's end and lets it pass to the path's start; marks the path.
    fn pass_along(&mut self, path: &[Step], wanted: u8, offer: u8) -> Drawn {
        let Some(head) = path.last() else { return Drawn::Nothing };
        let largest = path.iter().fold(offer, |largest, step| largest.min(step.left));
        let units = wanted.min(largest);
        self.take(head.place, units);
        let mut bottleneck = offer;
        let mut rest = path;
        while let Some(last) = rest.last() {
            let (slot, layer) = (last.place.0, last.place.1 / LAYER_CELLS);
            let inside = |step: &Step| step.place.0 == slot && step.place.1 / LAYER_CELLS == layer;
            let start = rest.iter().rposition(|step| !inside(step)).map_or(0, |before| before + 1);
            bottleneck = self.pass_in_layer(slot, layer, &rest[start..], units, bottleneck);
            rest = &rest[..start];
        }
        self.report.moved += u64::from(units) * path.len() as u64;
        Drawn::Units { units, largest }
    }

    /// Lets units pass along the part of a path that lies in one layer. Returns the bottleneck from the head to its start.
    fn pass_in_layer(&mut self, slot: Slot, layer: usize, path: &[Step], units: u8, bottleneck: u8) -> u8 {
        let mut bottleneck = bottleneck;
        let work = self.work.join(self.store, slot, layer);
        work.save(self.store, slot, layer);
        let spent = &mut self.trees.spent;
        self.store.write_marks(slot, layer, |cells| {
            for step in path.iter().rev() {
                let cell = step.place.1 % LAYER_CELLS;
                bottleneck = bottleneck.min(step.left);
                add_flow(&mut work.flow[cell], step.exit, units);
                bits::insert(&mut work.touched, cell);
                if step.left == units {
                    bits::insert(&mut work.blocked, cell);
                    *spent = true;
                }
                if cells[cell].direction_code() != 0 {
                    cells[cell] = cells[cell].with_largest(bottleneck);
                }
            }
        });
        bottleneck
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
        let mut forks = Met::default();
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
            let known = self.work.get(at.0, at.1 / LAYER_CELLS).and_then(|work| work.trees.as_ref());
            let known = known.map_or(0, |trees| trees[at.1 % LAYER_CELLS]);
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
        for &place in &walked {
            self.label(place, tree);
        }
        self.trees.walked = walked;
        tree
    }

    /// The head of a cell's flow, if it has been asked for in this tick and is the only one.
    #[inline]
    fn known_head(&self, (slot, index): Place) -> Option<Place> {
        let trees = self.work.get(slot, index / LAYER_CELLS)?.trees.as_ref()?;
        match trees[index % LAYER_CELLS] {
            0 | JOINED => None,
            tree => self.trees.heads.get(tree as usize - 1).copied(),
        }
    }

    /// Remembers the one head of the cells of a path.
    fn remember(&mut self, path: &[Step], head: Place) {
        self.trees.heads.push(head);
        let tree = self.trees.heads.len() as u32;
        for step in path {
            self.label(step.place, tree);
        }
    }

    fn label(&mut self, (slot, index): Place, tree: u32) {
        let work = self.work.join(self.store, slot, index / LAYER_CELLS);
        work.trees.get_or_insert_with(|| Box::new([0; LAYER_CELLS]))[index % LAYER_CELLS] = tree;
    }

    fn block(&mut self, path: &[Step]) {
        for &Step { place: (slot, index), .. } in path {
            bits::insert(&mut self.work.join(self.store, slot, index / LAYER_CELLS).blocked, index % LAYER_CELLS);
        }
    }

    /// Takes one face out of a set of face bits, at random.
    #[inline]
    pub(super) fn pick(&self, place: Place, ways: &mut u8) -> Option<Face> {
        let several = *ways & ways.wrapping_sub(1) != 0;
        let face = if several { self.pick_one_of(place, *ways) } else { ways.trailing_zeros() };
        *ways &= !(1u32 << face) as u8;
        Face::from_index(face as u8)
    }

    fn pick_one_of(&self, (slot, index): Place, ways: u8) -> u32 {
        let layer_seed = self.work.seed(self.store, slot, index / LAYER_CELLS);
        let count = ways.count_ones();
        let random = mix(Purpose::Parent.seed(layer_seed), index as u64 | u64::from(count) << 16) >> 32;
        let mut left = ways;
        for _ in 0..(random * u64::from(count)) >> 32 {
            left &= left - 1;
        }
        left.trailing_zeros()
    }
}
