//! Splits: when cells leave a body, does the rest still hang together (decremental connectivity)?
//!
//! Each loss is an event, with a cell of each piece around what has gone. Searches from these
//! pieces expand in turns, and merge where they meet; a search that ends alone has found a body of
//! its own. So a split costs what the smaller parts do. Most events are over after a few steps. The
//! others are kept with the body as fractures, until water is to be moved in it.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::Pools;
use crate::water::pools::bodies::{NodeId, PieceId};
use crate::water::store::{LAYER_ROWS, Place, Store};

/// Steps of the searches for a split right after an event.
const EVENT_STEPS: u64 = 48;

/// Losses whose consequences are not known yet.
#[derive(Default)]
pub(crate) struct Events {
    /// The number of the last event.
    last: u32,
    /// Cells next to what has gone, by event.
    cells: Vec<(u32, Place)>,
    /// Events that took a cell that a fracture names.
    carried: Vec<u32>,
    /// Whether a cell that an event names has gone with its chunk.
    is_broken: bool,
    check: Option<Check>,
    connect: Option<Connect>,
}

impl Events {
    pub(crate) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<(u32, Place)>()
            + self.carried.capacity() * size_of::<u32>()
    }
}

/// The check of all events, underway.
struct Check {
    events: Vec<(u32, Place)>,
    carried: Vec<u32>,
    /// Whether the events must be taken as one, since cells that they name have gone.
    is_one: bool,
    /// How many cells have been looked at.
    at: usize,
    /// Pieces that had been of one body, set by set.
    sets: Vec<Vec<PieceId>>,
    /// Bodies of which a part was split off.
    split: Vec<NodeId>,
    is_second_pass: bool,
}

/// A search for whether pieces of one body are still connected.
struct Connect {
    root: NodeId,
    groups: Vec<Group>,
    /// Groups that have neither ended nor merged into another.
    live: usize,
    turn: usize,
    epoch: u64,
    steps_left: u64,
    /// Whether no part was split off so far.
    is_whole: bool,
    /// The pieces of a part that leaves the body, as a stack, and the new body once it has any.
    leaving: Vec<PieceId>,
    new: Option<NodeId>,
}

/// The pieces found from one piece on.
struct Group {
    /// Itself, or the group that it merged into.
    parent: usize,
    found: Vec<PieceId>,
    /// How many of these have been expanded.
    expanded: usize,
    is_done: bool,
}

impl Pools {
    /// Returns the piece of a cell, if it is of one.
    pub(crate) fn piece_at(&self, place: Place) -> Option<PieceId> {
        let of = self.pieces.of(place.slot, place.layer()).iter().copied();
        of.into_iter().find(|&piece| self.bodies.piece(piece).cells.contains(place.cell()))
    }

    /// Notes that cells leave a piece.
    pub(super) fn note_loss(
        &mut self,
        store: &Store,
        (slot, layer): (Slot, usize),
        piece: PieceId,
        gone: LayerMask,
    ) {
        let is_gone = |place: &Place| {
            place.slot == slot && place.layer() == layer && gone.contains(place.cell())
        };
        self.events.last += 1;
        let root = self.bodies.root_of(piece);
        if self.bodies.body(root).fractures.iter().any(is_gone) {
            self.events.carried.push(self.events.last);
        }
        self.name(slot, layer, gone.spread());
        self.name_around(store, (slot, layer), gone);
        let above_and_below = [store.upper_layer(slot, layer), store.lower_layer(slot, layer)];
        for (slot, layer) in above_and_below.into_iter().flatten() {
            self.name(slot, layer, gone);
        }
    }

    /// Notes that springs no longer stand on full cells.
    pub(super) fn cut_below(
        &mut self,
        (slot, layer): (Slot, usize),
        above: (Slot, usize),
        cells: LayerMask,
    ) {
        for cell in cells.iter() {
            self.events.last += 1;
            self.name(slot, layer, LayerMask::single(cell));
            self.name(above.0, above.1, LayerMask::single(cell));
        }
    }

    /// Begins the event that a chunk is removed.
    pub(super) fn begin_chunk_event(&mut self, slot: Slot) {
        self.events.last += 1;
        let named = self.events.cells.len();
        self.events.cells.retain(|(_, place)| place.slot != slot);
        self.events.is_broken |= self.events.cells.len() < named;
    }

    /// Adds the loss of a piece to the event that its chunk is removed.
    pub(super) fn note_chunk_loss(
        &mut self,
        store: &Store,
        (slot, layer): (Slot, usize),
        piece: PieceId,
    ) {
        let gone = self.bodies.piece(piece).cells;
        let root = self.bodies.root_of(piece);
        let fractures = &mut self.bodies.body_mut(root).fractures;
        let named = fractures.len();
        fractures.retain(|place| place.slot != slot);
        if fractures.len() < named {
            self.events.carried.push(self.events.last);
        }
        self.name_around(store, (slot, layer), gone);
        for (end, place) in
            [(15, store.upper_layer(slot, layer)), (0, store.lower_layer(slot, layer))]
        {
            if let Some((slot, there)) = place
                && layer == end
            {
                self.name(slot, there, gone);
            }
        }
    }

    /// Names a cell of each piece across the sides of a chunk.
    fn name_around(&mut self, store: &Store, (slot, layer): (Slot, usize), gone: LayerMask) {
        for (face, cells) in Face::LATERAL.into_iter().zip(gone.leaving()) {
            let there = store.neighbour(slot, face);
            if there.is_some() {
                self.name(there, layer, cells);
            }
        }
    }

    /// Names, for the current event, one cell of each supported component among these. Components
    /// of all supported cells are taken, since the pieces of the layer may not be up to date.
    fn name(&mut self, slot: Slot, layer: usize, cells: LayerMask) {
        let Some(supported) = self.pieces.supported(slot, layer) else { return };
        let mut cells = cells & supported;
        while let Some(cell) = cells.iter().next() {
            cells -= LayerMask::single(cell).flood(supported);
            self.events.cells.push((self.events.last, Place::in_layer(slot, layer, cell)));
        }
    }

    /// Finds out what the events have split. Returns whether that is done; if not, the budget is
    /// spent.
    pub(super) fn check_events(&mut self, tick: &Context, budget: &mut Budget) -> bool {
        if self.events.check.is_none() {
            if self.events.cells.is_empty() {
                return true;
            }
            let events = core::mem::take(&mut self.events.cells);
            let carried = core::mem::take(&mut self.events.carried);
            let is_gone = |&(_, place): &(u32, Place)| self.piece_at(place).is_none();
            let is_one = self.events.is_broken || events.iter().any(is_gone);
            self.events.is_broken = false;
            self.events.last = 0;
            self.events.check = Some(Check {
                events,
                carried,
                is_one,
                at: 0,
                sets: Vec::new(),
                split: Vec::new(),
                is_second_pass: false,
            });
        }
        let Some(mut check) = self.events.check.take() else { return true };
        let is_done = self.resume_check(tick, &mut check, budget);
        if !is_done {
            self.events.check = Some(check);
        }
        is_done
    }

    fn resume_check(&mut self, tick: &Context, check: &mut Check, budget: &mut Budget) -> bool {
        loop {
            if self.events.connect.is_some() {
                match self.resume_connect(tick, budget) {
                    None => return false,
                    Some((root, is_whole)) => {
                        if !is_whole && !check.is_second_pass && !check.split.contains(&root) {
                            check.split.push(root);
                        }
                    }
                }
            }
            if !budget.spend(1) {
                return false;
            }
            if let Some(set) = check.sets.pop() {
                self.begin_connect(&set, EVENT_STEPS);
            } else if check.at < check.events.len() {
                self.gather_sets(check);
            } else if let Some(root) = check.split.pop() {
                check.is_second_pass = true;
                self.gather_rest(check, root);
            } else {
                return true;
            }
        }
    }

    /// Gathers the pieces around the next event, body by body.
    fn gather_sets(&mut self, check: &mut Check) {
        let rest = &check.events[check.at..];
        let event = rest[0].0;
        let length = match check.is_one {
            true => rest.len(),
            false => rest.iter().take_while(|&&(other, _)| other == event).count(),
        };
        let of_event = &rest[..length];
        check.at += length;
        let is_carried = match check.is_one {
            true => !check.carried.is_empty(),
            false => check.carried.contains(&event),
        };
        if length < 2 && !is_carried {
            return;
        }
        let pieces: Vec<PieceId> =
            of_event.iter().filter_map(|&(_, place)| self.piece_at(place)).collect();
        let mut found: Vec<(NodeId, PieceId)> =
            pieces.into_iter().map(|piece| (self.bodies.root_of(piece), piece)).collect();
        found.sort_unstable();
        found.dedup();
        for of_body in found.chunk_by(|a, b| a.0 == b.0) {
            let set: Vec<PieceId> = of_body.iter().map(|&(_, piece)| piece).collect();
            if is_carried {
                self.keep_fractures(of_body[0].0, &set);
            } else {
                check.sets.push(set);
            }
        }
    }

    /// Gathers all that events name in a body of which a part was split off: that part may have
    /// been what tied other events, or older fractures, together.
    fn gather_rest(&mut self, check: &mut Check, root: NodeId) {
        if self.bodies.get(root).is_none() {
            return;
        }
        let named = check.events.iter().filter_map(|&(_, place)| self.piece_at(place));
        let mut named: Vec<PieceId> = named.collect();
        named.retain(|&piece| self.bodies.root_of(piece) == root);
        if self.bodies.body(root).fractures.is_empty() {
            check.sets.push(named);
        } else {
            self.keep_fractures(root, &named);
        }
    }

    /// Keeps a cell of each piece as fractures of their body.
    fn keep_fractures(&mut self, root: NodeId, pieces: &[PieceId]) {
        for &piece in pieces {
            let place = self.first_cell(piece);
            self.bodies.body_mut(root).fractures.push(place);
        }
        self.bodies.watch_if_unlevel(root);
    }

    /// Returns the first cell of a piece.
    pub(crate) fn first_cell(&self, piece: PieceId) -> Place {
        let first = self.bodies.first_cell(piece);
        let piece = self.bodies.piece(piece);
        Place::in_layer(piece.slot, usize::from(piece.layer), first)
    }

    /// Returns whether a split is being looked for.
    pub(crate) fn is_settling(&self) -> bool {
        self.events.connect.is_some()
    }

    /// Splits a body where its fractures have parted it: all parts but one become bodies of their
    /// own. Returns whether that is done; if not, the budget is spent.
    pub(crate) fn settle(&mut self, tick: &Context, root: NodeId, budget: &mut Budget) -> bool {
        if self.events.connect.is_none() {
            let fractures = core::mem::take(&mut self.bodies.body_mut(root).fractures);
            let mut pieces: Vec<PieceId> =
                fractures.into_iter().filter_map(|place| self.piece_at(place)).collect();
            pieces.retain(|&piece| self.bodies.root_of(piece) == root);
            self.begin_connect(&pieces, u64::MAX);
        }
        self.events.connect.is_none() || self.resume_connect(tick, budget).is_some()
    }

    /// Begins to find out whether pieces that had been of one body still are, in so many steps at
    /// most.
    fn begin_connect(&mut self, pieces: &[PieceId], steps: u64) {
        let Some(&first) = pieces.first() else { return };
        let root = self.bodies.root_of(first);
        let epoch = self.next_epoch();
        let mut groups = Vec::new();
        for &piece in pieces {
            if self.bodies.piece(piece).met[0] == epoch || self.bodies.root_of(piece) != root {
                continue;
            }
            let met = self.bodies.piece_mut(piece);
            (met.met[0], met.group) = (epoch, groups.len() as u32);
            let (parent, found) = (groups.len(), vec![piece]);
            groups.push(Group { parent, found, expanded: 0, is_done: false });
        }
        if groups.len() > 1 {
            self.events.connect = Some(Connect {
                root,
                live: groups.len(),
                groups,
                turn: 0,
                epoch,
                steps_left: steps,
                is_whole: true,
                leaving: Vec::new(),
                new: None,
            });
        }
    }

    /// Resumes the search for a split. Returns the body and whether it is whole; `None` if the
    /// budget is spent before.
    fn resume_connect(&mut self, tick: &Context, budget: &mut Budget) -> Option<(NodeId, bool)> {
        let mut connect = self.events.connect.take()?;
        while connect.live > 1 || !connect.leaving.is_empty() {
            if budget.is_spent() {
                self.events.connect = Some(connect);
                return None;
            }
            if let Some(piece) = connect.leaving.pop() {
                let root = *connect.new.get_or_insert_with(|| self.bodies.add_body());
                self.bodies.move_piece(piece, root);
                budget.spend(1);
                if connect.leaving.is_empty() {
                    connect.new = None;
                    self.bodies.watch_if_unlevel(root);
                }
                continue;
            }
            if connect.steps_left == 0 {
                self.give_up(&connect);
                break;
            }
            let group = connect.turn % connect.groups.len();
            connect.turn += 1;
            if connect.groups[group].parent == group && !connect.groups[group].is_done {
                budget.spend(LAYER_ROWS);
                self.expand(tick, &mut connect, group);
            } else {
                budget.spend(1);
            }
        }
        Some((connect.root, connect.is_whole))
    }

    /// Keeps what is not known yet as fractures.
    fn give_up(&mut self, connect: &Connect) {
        let live = connect.groups.iter().enumerate();
        let live = live.filter(|&(at, group)| group.parent == at && !group.is_done);
        let pieces: Vec<PieceId> = live.map(|(_, group)| group.found[0]).collect();
        self.keep_fractures(connect.root, &pieces);
    }

    /// Expands one piece of a group, or finds that the group is a body of its own, which leaves.
    fn expand(&mut self, tick: &Context, connect: &mut Connect, mut group: usize) {
        let Group { found, expanded, is_done, .. } = &mut connect.groups[group];
        let Some(&piece) = found.get(*expanded) else {
            *is_done = true;
            connect.live -= 1;
            connect.is_whole = false;
            connect.leaving = core::mem::take(found);
            return;
        };
        *expanded += 1;
        connect.steps_left -= 1;
        for near in self.neighbours(tick, piece) {
            let met = self.bodies.piece_mut(near);
            if met.met[0] != connect.epoch {
                (met.met[0], met.group) = (connect.epoch, group as u32);
                connect.groups[group].found.push(near);
                continue;
            }
            let mut other = met.group as usize;
            while connect.groups[other].parent != other {
                other = connect.groups[other].parent;
            }
            if other != group {
                group = connect.merge(group, other);
            }
        }
    }
}

impl Connect {
    /// Merges two groups that have met. Returns the one that is left.
    fn merge(&mut self, a: usize, b: usize) -> usize {
        let is_larger = self.groups[a].found.len() >= self.groups[b].found.len();
        let (keep, gone) = if is_larger { (a, b) } else { (b, a) };
        let moved = core::mem::take(&mut self.groups[gone].found);
        let (expanded, open) = moved.split_at(self.groups[gone].expanded);
        self.groups[gone].parent = keep;
        let group = &mut self.groups[keep];
        let tail = group.found.split_off(group.expanded);
        group.found.extend_from_slice(expanded);
        group.expanded += expanded.len();
        group.found.extend(tail);
        group.found.extend_from_slice(open);
        self.live -= 1;
        keep
    }
}
