//! What a pass is to change, cell by cell, and how much of it has a way in a small body: there each
//! cell passes on as many units as it still may in the tick.

use crate::coords::Face;
use crate::water::context::Context;
use crate::water::pools::network::{Network, Node};
use crate::water::pools::walk::Walk;
use crate::water::random::shuffle;
use crate::water::store::Place;
use hashbrown::HashMap;

/// The maximum number of cells of a body that is trimmed by a network of its cells. In larger
/// bodies only the contacts between pieces limit the flow.
const EXACT: u32 = 2_048;

/// How a cell changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Units enter it, in a dry one through a face.
    Rise(Option<Face>),
    Give,
    /// Units pass from it into the sea.
    IntoSea,
}

/// Units that enter or leave a cell.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
    pub(crate) units: u8,
}

/// The changes of a pass, at most one of each kind in a cell.
#[derive(Default)]
pub(crate) struct Plan {
    changes: Vec<Change>,
    /// The index of each.
    at: HashMap<(Place, Kind), usize>,
    /// Units that were to be given, and that no cell has.
    pub(crate) unfounded: i32,
}

impl Plan {
    /// Adds up to `most` units to what changes in a cell, for which there is room for `room` in
    /// all. Returns the units added.
    pub(crate) fn add(&mut self, place: Place, kind: Kind, most: u8, room: u8) -> u8 {
        let index = *self.at.entry((place, kind)).or_insert_with(|| {
            self.changes.push(Change { place, kind, units: 0 });
            self.changes.len() - 1
        });
        let change = &mut self.changes[index];
        let units = most.min(room.saturating_sub(change.units));
        change.units += units;
        units
    }

    pub(crate) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter()
    }

    fn given(&self) -> i32 {
        let gives = self.changes.iter().filter(|change| matches!(change.kind, Kind::Give));
        gives.map(|change| i32::from(change.units)).sum()
    }

    /// Takes back units that were to enter cells, the last first.
    fn take_back(&mut self, mut units: i32) {
        let enter = self.changes.iter_mut().rev();
        for change in enter.filter(|change| !matches!(change.kind, Kind::Give)) {
            let less = units.min(i32::from(change.units));
            change.units -= less as u8;
            units -= less;
        }
    }
}

impl Context<'_> {
    /// Lowers what is planned for a body, the pieces of a walk, to what has a way.
    pub(crate) fn trim(&self, plan: &mut Plan, walk: &Walk) {
        let unfounded = core::mem::take(&mut plan.unfounded);
        plan.take_back(unfounded);
        let cells: u32 = walk.pieces.iter().map(|piece| piece.cells.count()).sum();
        if cells > EXACT || plan.given() <= self.least_left(walk) {
            return;
        }
        let (mut network, nodes) = self.network_of_cells(plan, walk);
        network.run();
        for change in &mut plan.changes {
            let node = &mut network.nodes[nodes[&change.place] as usize];
            let units = match change.kind {
                Kind::Give => &mut node.gave,
                Kind::Rise(_) | Kind::IntoSea => &mut node.took,
            };
            let done = i32::from(change.units).min(*units);
            *units -= done;
            change.units = done as u8;
        }
    }

    /// Returns the least units that any cell of a walk may still pass on.
    fn least_left(&self, walk: &Walk) -> i32 {
        let left = walk.pieces.iter().flat_map(|piece| {
            let at = walk.layer(piece.layer);
            let (slot, layer) = (at.slot, at.layer);
            let cells = piece.cells & self.touched(slot, layer);
            cells.iter().map(move |cell| self.left_at(Place::in_layer(slot, layer, cell)))
        });
        left.min().unwrap_or(i32::from(self.limits.throughput))
    }

    /// Returns the units that a cell may still pass on, whether or not they are its own.
    fn left_at(&self, place: Place) -> i32 {
        i32::from(self.limits.left(self.store.read(place), self.passed(place)))
    }

    /// Returns the network of the cells of a walk and of those that are to change, and the node of
    /// each cell.
    fn network_of_cells(&self, plan: &Plan, walk: &Walk) -> (Network, HashMap<Place, u32>) {
        let (mut nodes, mut places, mut at) = (Vec::new(), Vec::new(), HashMap::new());
        let own = walk.pieces.iter().flat_map(|piece| {
            let layer = walk.layer(piece.layer);
            let (slot, layer) = (layer.slot, layer.layer);
            piece.cells.iter().map(move |cell| Place::in_layer(slot, layer, cell))
        });
        let own: Vec<Place> = own.collect();
        let others = plan.changes().map(|change| change.place);
        for place in own.iter().copied().chain(others) {
            at.entry(place).or_insert_with(|| {
                nodes.push(Node::letting(self.left_at(place)));
                places.push(place);
                places.len() as u32 - 1
            });
        }
        for change in plan.changes() {
            let node = &mut nodes[at[&change.place] as usize];
            let units = i32::from(change.units);
            match change.kind {
                Kind::Give => node.give += units,
                // What a cell takes, it does not pass on.
                Kind::Rise(_) => (node.take, node.left) = (node.take + units, node.left + units),
                Kind::IntoSea => node.take += units,
            }
        }
        let mut joins = Vec::new();
        // What is dry passes nothing on.
        let is_wet = |&place: &Place| self.store.read(place).is_wet();
        let wet = (0..own.len()).chain((own.len()..places.len()).filter(|&id| is_wet(&places[id])));
        for (place, id) in wet.map(|id| (places[id], id as u32)) {
            for face in Face::ALL {
                // What is wet comes first, or is joined from its other end.
                if let Some(&there) = at.get(&self.store.step(place, face))
                    && (there > id || !is_wet(&places[there as usize]))
                {
                    let left = nodes[id as usize].left.min(nodes[there as usize].left);
                    joins.push(([id, there], left));
                }
            }
        }
        // Where not all finds a way, no side is preferred.
        shuffle(self.work.random(), &mut joins);
        (Network::new(nodes, &joins), at)
    }
}
