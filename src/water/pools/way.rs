//! The way that a search has found, and the water that passes along it.
//!
//! A way may be as long as a body is large. So it is traced back node by node, measured and walked
//! through cell by cell, and each cell counts each time. Only where it ends are units taken and
//! delivered, at once, so that the account balances between two pieces of a tick.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::Pools;
use crate::water::pools::levels::Lowest;
use crate::water::pools::search::{Found, Kind, Node, Search, Target};
use crate::water::store::{Place, Step, head};

/// A way for water, and how far it has been worked through.
pub(crate) struct Way {
    stage: Stage,
    kind: Kind,
    random: u64,
    /// The cells from where the search ended to where it began, as far as they have been traced.
    cells: Vec<Place>,
    /// The cells that pass the water on, from the one that gives it, as far as they are known.
    path: Vec<Step>,
    /// What takes the water.
    to: Target,
    /// Cells of the body after water has moved: the one that took it, then those of the path.
    pub(crate) anchors: Vec<Place>,
}

/// What is done with a way.
#[derive(Clone, Copy)]
enum Stage {
    /// Its cells are traced back from this node, which is left by one of these cells.
    Trace { node: u32, goals: LayerMask },
    /// The faces are found across which they pass water on, and how many units they let through.
    Measure { units: u8 },
    /// So many units pass along it; those of the first cells have passed.
    Pass { units: u8, passed: usize },
}

/// What came of a way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carried {
    /// The budget is spent.
    Underway,
    /// Nothing moves.
    Nothing,
    /// Water has moved.
    Units,
}

impl Way {
    /// Returns the way to what a search has found. Of several cells to go to, `random` decides.
    pub(crate) fn new(found: Found, search: &Search, random: u64) -> Self {
        let goals = match &found.kind {
            Kind::High(cells) => *cells,
            Kind::Low(lowest) => lowest.cells(),
        };
        Way {
            stage: Stage::Trace { node: found.node, goals },
            kind: found.kind,
            random,
            cells: Vec::new(),
            path: Vec::new(),
            to: search.target,
            anchors: Vec::new(),
        }
    }

    /// Returns a cell of the way, counted from the one that gives the water.
    fn cell(&self, at: usize) -> Option<Place> {
        match self.kind {
            Kind::High(_) => self.cells.get(at).copied(),
            Kind::Low(_) => self.cells.iter().rev().nth(at).copied(),
        }
    }

    /// Returns the number of cells that pass water on: all but the one that takes it.
    fn length(&self) -> usize {
        let last = self.cells.len().checked_sub(1);
        let takes = last.is_some_and(|last| self.cell(last) == self.to.cell());
        self.cells.len() - usize::from(takes)
    }
}

impl Context<'_> {
    /// Goes on with a way: traces it, and moves water along it, as much as half the difference of
    /// levels, the room and the throughput of the way allow.
    pub(crate) fn carry(
        &mut self,
        pools: &mut Pools,
        (way, search): (&mut Way, &Search),
        budget: &mut Budget,
    ) -> Carried {
        while !budget.is_spent() {
            match way.stage {
                Stage::Trace { node, goals } => {
                    way.stage = self.trace(way, search, (node, goals), budget);
                }
                Stage::Measure { units } if way.path.len() < way.length() => {
                    let units = self.measure_next(way, units);
                    way.stage = Stage::Measure { units };
                    budget.spend(1);
                }
                Stage::Measure { units } => {
                    let units = units.min(self.units_at_ends(pools, way));
                    if units == 0 {
                        return Carried::Nothing;
                    }
                    way.anchors.extend(way.to.cell());
                    way.stage = Stage::Pass { units, passed: 0 };
                }
                Stage::Pass { units, passed } if passed < way.path.len() => {
                    let end = way.path.len().min(passed + budget.left());
                    self.pass_along(pools, &way.path[passed..end], units);
                    way.anchors.extend(way.path[passed..end].iter().map(|&(place, _)| place));
                    way.stage = Stage::Pass { units, passed: end };
                    budget.spend(end - passed);
                }
                Stage::Pass { units, .. } => {
                    self.deliver_along(pools, way, units);
                    return Carried::Units;
                }
            }
        }
        Carried::Underway
    }

    /// Adds the cells of a way in a node, which is left by one of `goals`. Returns what is next.
    fn trace(
        &self,
        way: &mut Way,
        search: &Search,
        (node, goals): (u32, LayerMask),
        budget: &mut Budget,
    ) -> Stage {
        let (node, before) = (&search.nodes[node as usize], way.cells.len());
        node.walk(goals, &mut way.cells);
        budget.spend(1.max(way.cells.len() - before));
        if let (Some(before), Some(&last)) = (node.before, way.cells.last()) {
            let there = self.store.step(last, node.entered.opposite());
            return Stage::Trace { node: before, goals: LayerMask::single(there.cell()) };
        }
        if let (Kind::Low(lowest), Some(&end)) = (&way.kind, way.cells.first()) {
            way.to = self.target(lowest, end, way.random);
        }
        Stage::Measure { units: FULL }
    }

    /// Adds the next cell of a way to its path. Returns the units that it lets through, of `units`.
    fn measure_next(&self, way: &mut Way, units: u8) -> u8 {
        let at = way.path.len();
        let Some(cell) = way.cell(at) else { return 0 };
        let next = way.cell(at + 1).filter(|_| at + 1 < way.length());
        let exit = match (next, way.to) {
            (Some(next), _) | (None, Target::Cell(next)) => exit_towards(self, cell, next),
            (None, Target::Sea(_, face)) => face,
        };
        way.path.push((cell, exit));
        units.min(self.limits.left(self.store.read(cell), self.work.passed(cell)))
    }

    /// Returns the units that the ends of a way let pass: half the difference of their levels, what
    /// there is to give, and the room.
    fn units_at_ends(&self, pools: &Pools, way: &Way) -> u8 {
        let Some(&(from, _)) = way.path.first() else { return 0 };
        let giver = self.store.read(from);
        let sea = self.store.sea_levels(from.slot, from.layer(), LayerMask::single(from.cell()));
        let is_source = giver.has(CellFlags::IS_SOURCE);
        let available = if is_source || sea.is_some() { FULL } else { giver.height() };
        let own = if is_source { 0 } else { giver.height() };
        let own = head(self.y_of(from.slot, from.layer()), own);
        let top = sea.map_or(own, |levels| levels.high.0);
        let (bottom, room) = self.level_and_room(pools, way.to);
        let half = ((top - bottom) / 2).clamp(0, i64::from(FULL)) as u8;
        half.min(room).min(available)
    }

    /// Returns the level at which a way ends, and the units that have room there.
    fn level_and_room(&self, pools: &Pools, to: Target) -> (i64, u8) {
        match to {
            Target::Cell(to) => {
                let taker = self.store.read(to);
                let own = if pools.piece_at(to).is_some() { taker.height() } else { 0 };
                (head(self.y_of(to.slot, to.layer()), own), taker.room())
            }
            Target::Sea(from, face) => {
                (self.store.sea_level_across(from, face).unwrap_or(i64::MAX), FULL)
            }
        }
    }

    /// Lets water pass along a part of a path.
    fn pass_along(&mut self, pools: &mut Pools, path: &[Step], units: u8) {
        for stretch in path.chunk_by(are_in_one_layer) {
            let (slot, layer) = (stretch[0].0.slot, stretch[0].0.layer());
            pools.note_passage(slot, layer);
            self.pass_along_in_layer(stretch, units);
            let springs = self.store.springs(slot, layer);
            let has_news =
                |&(place, _): &Step| springs.contains(place.cell()) || self.store.is_coast(place);
            if stretch.iter().any(has_news) {
                pools.mark_levels(slot, layer);
            }
        }
    }

    /// Takes water from the beginning of a way and delivers it at its end.
    fn deliver_along(&mut self, pools: &mut Pools, way: &Way, units: u8) {
        let (Some(&(from, _)), Some(&(_, exit))) = (way.path.first(), way.path.last()) else {
            return;
        };
        self.take(from, units);
        match way.to {
            Target::Cell(to) => {
                self.receive(to, exit.opposite(), units, self.store.read(to).largest());
                // It may lie in a layer that had no water yet.
                pools.want(to.slot, to.layer());
            }
            Target::Sea(..) => self.ledger.into_sea += u64::from(units),
        }
    }

    /// Returns where the water of one of the lowest cells goes. Of several faces, `random` decides;
    /// of several at the sea, the lowest level.
    pub(crate) fn target(&self, lowest: &Lowest, cell: Place, random: u64) -> Target {
        if lowest.is_sea(cell.cell()) {
            let level = |&face: &Face| self.store.sea_level_across(cell, face).unwrap_or(i64::MAX);
            let face = Face::ALL.into_iter().min_by_key(level).unwrap_or(Face::Up);
            return Target::Sea(cell, face);
        }
        match lowest.face_at(cell.cell(), random) {
            Some(face) => Target::Cell(self.store.step(cell, face)),
            None => Target::Cell(cell),
        }
    }
}

/// Returns the face of a cell towards a cell at it.
fn exit_towards(tick: &Context, cell: Place, next: Place) -> Face {
    let of_chunk = match next.index.wrapping_sub(cell.index) as isize {
        _ if cell.slot != next.slot => None,
        -1 => Some(Face::West),
        1 => Some(Face::East),
        -16 => Some(Face::North),
        16 => Some(Face::South),
        _ => None,
    };
    let found = || Face::ALL.into_iter().find(|&face| tick.store.step(cell, face) == next);
    of_chunk.or_else(found).unwrap_or(Face::Up)
}

/// Whether two cells of a path lie in the same layer of the same chunk.
fn are_in_one_layer((a, _): &Step, (b, _): &Step) -> bool {
    (a.slot, a.layer()) == (b.slot, b.layer())
}

impl Node {
    /// Adds the cells of a shortest way through the region, from one of `from` to the entry
    /// (breadth-first search by bit masks).
    fn walk(&self, from: LayerMask, way: &mut Vec<Place>) {
        let place = |cell: usize| Place::in_layer(self.slot, usize::from(self.layer), cell);
        let mut waves = vec![self.entry];
        let mut reached = self.entry;
        while (reached & from).is_empty() {
            let wave = (reached.spread() & self.region) - reached;
            if wave.is_empty() {
                return;
            }
            waves.push(wave);
            reached |= wave;
        }
        let Some(mut cell) = (reached & from).iter().next() else { return };
        way.push(place(cell));
        for wave in waves[..waves.len() - 1].iter().rev() {
            let near = LayerMask::single(cell).spread() & *wave;
            cell = near.iter().next().unwrap_or(cell);
            way.push(place(cell));
        }
    }
}
