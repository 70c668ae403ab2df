//! How much of a plan has a way: a flow network of cells. Each cell passes on as many units as it
//! still may in the tick.
//!
//! The network has all the cells of a body of at most 256 cells. Of a larger body, it has the
//! pieces that pass water in the network of pieces, cell by cell, except that a piece that is wide
//! for its flow is a single node. So the size of the network follows the moving water.

use crate::chunk::LAYER_CELLS;
use crate::coords::Face;
use crate::water::pools::max_flow::MaxFlow;
use crate::water::pools::network::{Network, Node};
use crate::water::pools::plan::{Kind, Plan};
use crate::water::pools::walk::{Walk, least_left, left_at};
use crate::water::pools::wide::narrow_pieces;
use crate::water::random::shuffle;
use crate::water::scratch::Tick;
use crate::water::store::Place;

/// The maximum number of cells of a body whose cells are all in the network.
const WHOLE: u32 = 256;

/// A body of more cells than this is large.
const LARGE: u32 = 8_192;

/// The maximum number of cells of the network of a body, and of a large body. If more cells pass
/// water, as where a dam breaks, only the contacts between pieces and their necks limit the flow.
const MOST: [u32; 2] = [2_048, 1_024];

/// The pieces of a network. The cells of the narrow pieces are nodes; each wide piece is one node.
struct Parts {
    narrow: Vec<usize>,
    wide: Vec<usize>,
}

/// The id of no node.
const NONE: u32 = u32::MAX;

/// The nodes of cells, by layers of a walk.
#[derive(Default)]
struct Ids {
    /// For each layer of the walk, the index of its table plus one.
    table: Vec<u32>,
    tables: Vec<[u32; LAYER_CELLS]>,
}

impl Ids {
    /// Returns the entry for the node of a cell, given its layer in the walk.
    fn entry(&mut self, layer: u32, cell: usize) -> &mut u32 {
        let layer = layer as usize;
        if layer >= self.table.len() {
            self.table.resize(layer + 1, 0);
        }
        if self.table[layer] == 0 {
            self.tables.push([NONE; LAYER_CELLS]);
            self.table[layer] = self.tables.len() as u32;
        }
        &mut self.tables[self.table[layer] as usize - 1][cell]
    }

    /// Returns the node of a cell, if it has one.
    fn get(&self, walk: &Walk, place: Place) -> Option<u32> {
        let layer = walk.index_of(place)?;
        let table = self.table.get(layer as usize)?.checked_sub(1)?;
        let id = self.tables[table as usize][place.cell()];
        (id != NONE).then_some(id)
    }
}

/// The nodes of a network of cells: first the wide pieces, then the cells.
#[derive(Default)]
struct Cells {
    nodes: Vec<Node>,
    ids: Ids,
    wide: u32,
    /// The cells, in the order of their nodes.
    places: Vec<Place>,
}

impl Cells {
    /// Adds a cell of a layer of the walk that may pass on `most` units, if it has no node yet.
    /// Returns its node.
    fn add(&mut self, layer: u32, place: Place, most: impl Fn(Place) -> i32) -> u32 {
        let id = self.ids.entry(layer, place.cell());
        if *id == NONE {
            *id = self.nodes.len() as u32;
            self.nodes.push(Node::letting(most(place)));
            self.places.push(place);
        }
        *id
    }

    /// Returns the cell of a node; `None` for a wide piece.
    fn place(&self, node: u32) -> Option<Place> {
        Some(self.places[node.checked_sub(self.wide)? as usize])
    }
}

/// The search for the units of a plan that have a way.
pub(crate) struct Trimming {
    network: MaxFlow,
    /// The node of each change of the plan.
    nodes: Vec<u32>,
}

/// Begins to lower the plan of a body, made up of all the pieces of a walk, to the units that have
/// a way. `pieces` is the network of the pieces after they have passed water. Returns `None` if no
/// network of cells is needed, or it would be too large.
pub(crate) fn begin_trim(
    tick: &Tick,
    plan: &mut Plan,
    walk: &mut Walk,
    pieces: &Network,
) -> Option<Trimming> {
    plan.take_back_unfounded();
    let Parts { narrow, wide } = parts(tick, plan, walk, pieces)?;
    let mut cells = nodes_of_pieces(tick, walk, &wide, &narrow, pieces);
    let nodes = add_changes(tick, &mut cells, plan, walk);
    let mut joins = joins(tick, &cells, walk);
    // If not all units find a way, no side is preferred.
    shuffle(tick.scratch.random(), &mut joins);
    let mut network = MaxFlow::new(cells.nodes, &joins);
    network.begin(tick.scratch.random());
    Some(Trimming { network, nodes })
}

impl Trimming {
    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.network.memory_bytes() + self.nodes.capacity() * size_of::<u32>()
    }

    /// Finds further ways. Returns whether all are found.
    pub(crate) fn advance(&mut self) -> bool {
        self.network.advance()
    }

    /// Lowers the plan to the units that have found a way.
    pub(crate) fn apply(mut self, plan: &mut Plan) {
        for (change, node) in plan.changes_mut().iter_mut().zip(self.nodes) {
            let node = &mut self.network.nodes[node as usize];
            let units = match change.kind {
                Kind::Give => &mut node.gave,
                Kind::Rise(_) | Kind::IntoSea => &mut node.took,
            };
            let done = i32::from(change.units).min(*units);
            *units -= done;
            change.units = done as u8;
        }
    }
}

/// Returns whether all cells of a body, made up of all the pieces of a walk, may be in the network.
pub(crate) fn is_small(walk: &Walk) -> bool {
    count(walk, 0..walk.pieces.len()) <= WHOLE
}

/// Returns the number of cells of pieces.
fn count(walk: &Walk, pieces: impl IntoIterator<Item = usize>) -> u32 {
    pieces.into_iter().map(|piece| walk.pieces[piece].count()).sum()
}

/// Returns the pieces that the network has; `None` if it is not needed or would be too large.
fn parts(tick: &Tick, plan: &Plan, walk: &Walk, pieces: &Network) -> Option<Parts> {
    let mut all: Vec<usize> = (0..walk.pieces.len()).collect();
    let size = count(walk, all.iter().copied());
    if size > WHOLE {
        all.retain(|&piece| pieces.nodes[piece].passed() > 0);
    }
    let given = plan.given();
    if given <= i32::from(tick.limits.throughput) && given <= least_left(tick, walk, &all) {
        return None;
    }
    let (narrow, wide) = if size > WHOLE {
        let is_narrow = narrow_pieces(tick, plan, walk, pieces);
        all.into_iter().partition(|&piece| is_narrow[piece])
    } else {
        (all, Vec::new())
    };
    let most = MOST[usize::from(size > LARGE)];
    let has_place = !narrow.is_empty() && count(walk, narrow.iter().copied()) <= most;
    has_place.then_some(Parts { narrow, wide })
}

/// Returns a node for each wide piece and for each cell of the narrow pieces.
fn nodes_of_pieces(
    tick: &Tick,
    walk: &Walk,
    wide: &[usize],
    narrow: &[usize],
    pieces: &Network,
) -> Cells {
    let mut cells = Cells { wide: wide.len() as u32, ..Cells::default() };
    for (&id, node) in wide.iter().zip(0..) {
        let piece = walk.pieces[id];
        for cell in piece.cells.iter() {
            *cells.ids.entry(piece.layer, cell) = node;
        }
        cells.nodes.push(Node::letting(pieces.nodes[id].passed()));
    }
    for &id in narrow {
        let piece = walk.pieces[id];
        let at = walk.layer(piece.layer);
        for cell in piece.cells.iter() {
            let place = Place::in_layer(at.layer, cell);
            cells.add(piece.layer, place, |place| left_at(tick, place));
        }
    }
    cells
}

/// Adds the units that the cells of the plan give and take. Returns the node of each change.
fn add_changes(tick: &Tick, cells: &mut Cells, plan: &Plan, walk: &mut Walk) -> Vec<u32> {
    let mut ids = Vec::with_capacity(plan.changes().len());
    for change in plan.changes() {
        let (place, units) = (change.place, i32::from(change.units));
        let layer = walk.index_or_read(tick, place.layer_id());
        let id = cells.add(layer, place, |place| left_at(tick, place));
        let node = &mut cells.nodes[id as usize];
        match change.kind {
            Kind::Give => node.give += units,
            // A cell does not pass on the units that it takes. The capacity of a wide piece
            // includes these units already.
            Kind::Rise(_) if id >= cells.wide => {
                (node.take, node.left) = (node.take + units, node.left + units);
            }
            Kind::Rise(_) | Kind::IntoSea => node.take += units,
        }
        ids.push(id);
    }
    ids
}

/// Returns the edges between nodes, and the capacity of each.
fn joins(tick: &Tick, cells: &Cells, walk: &Walk) -> Vec<([u32; 2], i32)> {
    let throughput = i32::from(tick.limits.throughput);
    let is_wet = |place: Place| tick.store.read(place).is_wet();
    let mut joins = Vec::new();
    for (id, &place) in (cells.wide..).zip(&cells.places) {
        for face in Face::ALL {
            let there = tick.store.across(place, face);
            let Some(there) = there.and_then(|there| cells.ids.get(walk, there)) else { continue };
            // A dry cell passes nothing on, so two dry cells are not joined. Two wet cells are
            // joined by the first of them.
            let is_joined = match cells.place(there) {
                None => true,
                Some(other) if !is_wet(place) => is_wet(other),
                Some(other) => id < there && is_wet(other),
            };
            if is_joined {
                let most = cells.nodes[id as usize].left.min(cells.nodes[there as usize].left);
                joins.push(([id, there], most.min(throughput)));
            }
        }
    }
    let node_of = |piece: u32| cells.ids.get(walk, walk.first_cell(piece as usize));
    for contact in walk.contacts() {
        if let [Some(a), Some(b)] = contact.pieces.map(node_of)
            && a.max(b) < cells.wide
        {
            joins.push(([a, b], contact.capacity));
        }
    }
    joins
}
