//! Bodies: the connected components of water, joined sideways in a layer, and up and down wherever
//! the lower cell is full. Found by flood fill over bit masks, in pieces.
//!
//! Layers of a chunk that are full from side to side are flooded together, and those of them that
//! can neither be a surface nor border on a dry cell are left out of the body: a lake costs what
//! its surface and its shores do.

use crate::chunk::{CellMask, LayerMask, ones};
use crate::coords::{Cube, Face, Shape};
use crate::grid::Slot;
use crate::water::context::budget::Budget;
use crate::water::store::{LAYER_CELLS, LAYER_ROWS, Store};
use core::ops::RangeInclusive;

/// A body's cells in one layer of one chunk. A body may have several pieces in the same layer.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) slot: Slot,
    pub(crate) layer: usize,
    pub(crate) cells: LayerMask,
}

/// Joined water.
pub(crate) struct Body {
    /// Its cells, but for layers full from side to side that have no surface and no dry cell
    /// beside them.
    pub(crate) pieces: Vec<Piece>,
    /// Its lowest cell: y, z and x.
    pub(crate) lowest: [i32; 3],
}

/// The cells that belong to a body found in this tick, whether or not their chunk takes part in it.
#[derive(Default)]
pub(crate) struct Flooded {
    chunks: Vec<Option<Box<FloodedChunk>>>,
    tick: u64,
    /// Those of this tick and of the one before: others have nothing in `chunks`.
    reached: [Vec<Slot>; 2],
    /// The body that is being flooded, and what is known to be joined to it.
    growing: Option<Body>,
    open: Vec<Piece>,
    open_layers: Vec<(Slot, u16)>,
    /// Lists of pieces to be used again.
    spare: Vec<Vec<Piece>>,
    /// Lists that were taken in this tick.
    lists: usize,
}

#[derive(Default)]
struct FloodedChunk {
    tick: u64,
    cells: CellMask,
    /// The layers (by bit) that are full of water from side to side.
    full: u16,
    /// Those of them that are flooded.
    done: u16,
}

impl Flooded {
    /// Begins a tick: nothing is flooded. What the last one had no use for goes back to the system.
    pub(crate) fn begin(&mut self, slots: usize) {
        self.chunks.resize_with(slots, || None);
        let [last, before] = &mut self.reached;
        for slot in before.drain(..) {
            let chunk = &mut self.chunks[slot.index()];
            if chunk.as_ref().is_some_and(|chunk| chunk.tick != self.tick) {
                *chunk = None;
            }
        }
        core::mem::swap(last, before);
        self.tick += 1;
        self.spare.truncate(core::mem::take(&mut self.lists));
    }

    /// The flooded cells of a layer (0 to 15).
    pub(crate) fn cells(&mut self, store: &Store, slot: Slot, layer: usize) -> LayerMask {
        self.chunk(store, slot).cells.layer(layer)
    }

    #[inline]
    fn chunk(&mut self, store: &Store, slot: Slot) -> &mut FloodedChunk {
        let tick = self.tick;
        let chunk = &mut **self.chunks[slot.index()].get_or_insert_default();
        if chunk.tick != tick {
            self.reached[0].push(slot);
            *chunk =
                FloodedChunk { tick, full: store.full_layers(slot), ..FloodedChunk::default() };
        }
        chunk
    }

    /// Begins to flood the body of the cells in `seed`.
    pub(crate) fn begin_body(&mut self, seed: Piece) {
        let pieces = self.spare.pop().unwrap_or_default();
        self.growing = Some(Body { pieces, lowest: [i32::MAX; 3] });
        self.lists += 1;
        self.open.push(seed);
    }

    /// Whether a body has been begun and not taken.
    pub(crate) fn is_growing(&self) -> bool {
        self.growing.is_some()
    }

    /// Goes on with the body that was begun, and returns it when all of it is flooded; `None` if
    /// the budget is spent before that. A layer counts as many cells
    /// as it has rows with water of the body, a run of full layers as many as one of them.
    pub(crate) fn grow(&mut self, store: &Store, budget: &mut Budget) -> Option<Body> {
        let mut body = self.growing.take()?;
        while !budget.is_spent() {
            if let Some((slot, layers)) = self.open_layers.pop() {
                self.flood_layers(store, slot, layers, &mut body);
                budget.spend(LAYER_ROWS);
            } else if let Some(piece) = self.open.pop() {
                if self.chunk(store, piece.slot).full >> piece.layer & 1 != 0 {
                    self.open_layers.push((piece.slot, 1 << piece.layer));
                } else {
                    let rows = self.flood_piece(store, piece, &mut body);
                    budget.spend(rows.max(1));
                }
            } else {
                return Some(body);
            }
        }
        self.growing = Some(body);
        None
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = self.spare.iter().chain(self.growing.as_ref().map(|body| &body.pieces));
        let pieces: usize = lists.map(Vec::capacity).sum();
        self.chunks.iter().flatten().count() * size_of::<FloodedChunk>()
            + self.chunks.capacity() * size_of::<Option<Box<FloodedChunk>>>()
            + (pieces + self.open.capacity()) * size_of::<Piece>()
            + self.open_layers.capacity() * size_of::<(Slot, u16)>()
            + self.reached.iter().map(Vec::capacity).sum::<usize>() * size_of::<Slot>()
    }

    /// Takes a body back that is done with.
    pub(crate) fn recycle(&mut self, mut body: Body) {
        body.pieces.clear();
        self.spare.push(body.pieces);
    }

    /// Floods the cells of a piece and what is joined to them in its layer. Returns how many rows
    /// these have.
    fn flood_piece(
        &mut self,
        store: &Store,
        Piece { slot, layer, cells }: Piece,
        body: &mut Body,
    ) -> usize {
        let wet = store.layer(slot, layer).wet;
        let mask = &mut self.chunk(store, slot).cells;
        let fresh = wet - mask.layer(layer);
        if (cells & fresh).is_empty() {
            return 0;
        }
        let filled = cells.flood(fresh);
        mask.insert_layer(layer, filled);
        body.take(store, Piece { slot, layer, cells: filled });
        // One cell off the chunk's sides: what lies beside it is in the layer that was filled, and
        // dry.
        let inner = filled
            .only()
            .filter(|cell| (1..15).contains(&(cell & 15)) && (1..15).contains(&(cell >> 4)));
        let layers =
            inner.map_or(layer..=layer, |cell| self.flood_column(store, slot, layer, cell, body));
        let closed = store.layer(slot, *layers.end()).closed;
        if let Some((slot, layer)) = store.upper_layer(slot, *layers.end()) {
            self.reach(store, slot, layer, filled & closed);
        }
        if let Some((slot, layer)) = store.lower_layer(slot, *layers.start()) {
            self.reach(store, slot, layer, filled & store.layer(slot, layer).closed);
        }
        if inner.is_none() {
            self.reach_beside(store, slot, layer, filled);
        }
        // A column has one in each layer.
        if inner.is_some() { layers.count() } else { filled.rows().count_ones() as usize }
    }

    /// Keeps for later what lies beside the sides of a chunk at which these cells of a layer are.
    fn reach_beside(&mut self, store: &Store, slot: Slot, layer: usize, cells: LayerMask) {
        for (face, cells) in Face::LATERAL.into_iter().zip(cells.leaving()) {
            let there = store.neighbour(slot, face);
            if there.is_some() {
                self.reach(store, there, layer, cells);
            }
        }
    }

    /// Floods on from a cell with no water beside it to those above and below it in its chunk, as
    /// long as these have none either, as falling water has. The cell does not lie at a side of
    /// its chunk. Returns the layers that are flooded then.
    fn flood_column(
        &mut self,
        store: &Store,
        slot: Slot,
        layer: usize,
        cell: usize,
        body: &mut Body,
    ) -> RangeInclusive<usize> {
        let Some(voxels) = store.grid().chunk_at(slot).as_dense() else { return layer..=layer };
        let flooded = &mut self.chunk(store, slot).cells;
        let column = LayerMask::single(cell);
        let voxel = |layer: usize, cell: usize| voxels[layer * LAYER_CELLS + cell];
        let mut take = |layer: usize| {
            let is_alone = [cell - 1, cell + 1, cell - 16, cell + 16]
                .into_iter()
                .all(|at| !voxel(layer, at).is_wet());
            let joins = is_alone
                && voxel(layer, cell).is_wet()
                && flooded.insert(layer * LAYER_CELLS + cell);
            if joins {
                body.pieces.push(Piece { slot, layer, cells: column });
            }
            joins
        };
        let (mut bottom, mut top) = (layer, layer);
        while top < 15 && voxel(top, cell).is_closed() && take(top + 1) {
            top += 1;
        }
        while bottom > 0 && voxel(bottom - 1, cell).is_closed() && take(bottom - 1) {
            bottom -= 1;
        }
        body.reach_to(store, slot, bottom, column);
        bottom..=top
    }

    /// Keeps the wet ones of these cells for later, but for those that are flooded: most of what a
    /// piece borders on is.
    #[inline]
    fn reach(&mut self, store: &Store, slot: Slot, layer: usize, cells: LayerMask) {
        let cells = cells & store.layer(slot, layer).wet;
        if cells.any() {
            let cells = cells - self.chunk(store, slot).cells.layer(layer);
            if cells.any() {
                self.open.push(Piece { slot, layer, cells });
            }
        }
    }

    /// Floods those of a chunk's layers (by bit) that are full from side to side, and the full ones
    /// that they touch.
    fn flood_layers(&mut self, store: &Store, slot: Slot, layers: u16, body: &mut Body) {
        let chunk = self.chunk(store, slot);
        let free = chunk.full & !chunk.done;
        let mut run = layers & free;
        loop {
            let grown = run | (run << 1 | run >> 1) & free;
            if grown == run {
                break;
            }
            run = grown;
        }
        if run == 0 {
            return;
        }
        chunk.done |= run;
        let full = chunk.full;
        for layer in ones(u64::from(run)) {
            chunk.cells.insert_layer(layer, LayerMask::ALL);
        }
        let inner = self.spread_layers(store, slot, run, full);
        for layer in ones(u64::from(run & !inner)) {
            body.pieces.push(Piece { slot, layer, cells: LayerMask::ALL });
        }
        body.reach_to(store, slot, run.trailing_zeros() as usize, LayerMask::ALL);
    }

    /// Goes on from full layers (by bit) of a chunk to all that is joined to them. Returns those
    /// among them that are covered by full layers and have no others at their sides; `full` are
    /// the full layers of their chunk.
    fn spread_layers(&mut self, store: &Store, slot: Slot, layers: u16, full: u16) -> u16 {
        let mut inner = layers;
        for (face, border) in Face::LATERAL.into_iter().zip(LayerMask::ALL.leaving()) {
            let there = store.neighbour(slot, face);
            if !there.is_some() {
                continue;
            }
            let next = self.chunk(store, there);
            let (joined, partial) = (layers & next.full & !next.done, layers & !next.full);
            inner &= next.full;
            if joined != 0 {
                self.open_layers.push((there, joined));
            }
            for layer in ones(u64::from(partial)) {
                self.reach(store, there, layer, border);
            }
        }
        for layer in ones(u64::from(layers & !(full << 1))) {
            if let Some((slot, layer)) = store.lower_layer(slot, layer) {
                self.reach(store, slot, layer, store.layer(slot, layer).closed);
            }
        }
        let above = store.neighbour(slot, Face::Up);
        let covered_top = above.is_some() && self.chunk(store, above).full & 1 != 0;
        for layer in ones(u64::from(layers & !(full >> 1))) {
            if let Some((slot, layer)) = store.upper_layer(slot, layer) {
                self.reach(store, slot, layer, LayerMask::ALL);
            }
        }
        if store.has_springs(slot) { 0 } else { inner & (full >> 1 | u16::from(covered_top) << 15) }
    }
}

impl Body {
    fn take(&mut self, store: &Store, piece: Piece) {
        self.pieces.push(piece);
        self.reach_to(store, piece.slot, piece.layer, piece.cells);
    }

    /// Notes the lowest of these cells.
    fn reach_to(&mut self, store: &Store, slot: Slot, layer: usize, cells: LayerMask) {
        if let Some(first) = cells.iter().next() {
            let cell = Cube::cell_at(store.grid().position_at(slot), layer * LAYER_CELLS + first);
            self.lowest = self.lowest.min([cell.y, cell.z, cell.x]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{CHUNK_CELLS, Region};
    use crate::water::cell::FULL;
    use crate::water::rules::Edges;
    use crate::water::store::Place;
    use crate::water::voxel::Voxel;
    use glam::IVec3;
    use hashbrown::HashSet;

    /// The body of the cells in `seed`, found in one go.
    fn flood(flooded: &mut Flooded, store: &Store, seed: Piece) -> Body {
        flooded.begin_body(seed);
        flooded.grow(store, &mut Budget::new(usize::MAX)).expect("all of it")
    }

    /// Eight chunks, many layers of which are full from side to side.
    fn store(random: &mut fastrand::Rng) -> Store {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for position in Region::new(IVec3::ZERO, IVec3::ONE).positions() {
            let mut cells = [Voxel::OPEN; CHUNK_CELLS];
            for layer in cells.as_chunks_mut::<LAYER_CELLS>().0 {
                let full = Voxel::OPEN.with_height(FULL);
                layer.fill(if random.u8(..4) == 0 { Voxel::SOLID } else { full });
                if random.u8(..3) == 0 {
                    let solid = random.u8(..2) == 0;
                    layer.fill_with(|| match random.u8(..4) {
                        0 if solid => Voxel::SOLID,
                        1 => Voxel::OPEN.with_height(random.u8(..8)),
                        _ => full,
                    });
                }
            }
            if random.u8(..8) > 0 {
                store.insert(position, Chunk::from_cells(&cells));
            }
        }
        store
    }

    /// Eight chunks with columns of water, some of which have gaps, meet others or end in a pool.
    fn falls(random: &mut fastrand::Rng) -> Store {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for position in Region::new(IVec3::ZERO, IVec3::ONE).positions() {
            let mut cells = [Voxel::OPEN; CHUNK_CELLS];
            for _ in 0..random.usize(1..24) {
                let cell = random.usize(..LAYER_CELLS);
                for layer in random.usize(..8)..random.usize(8..17) {
                    let height = if random.u8(..8) == 0 { random.u8(..FULL) } else { FULL };
                    cells[layer * LAYER_CELLS + cell] = Voxel::OPEN.with_height(height);
                }
            }
            if random.bool() {
                cells[..random.usize(..3 * LAYER_CELLS)].fill(Voxel::OPEN.with_height(FULL));
            }
            store.insert(position, Chunk::from_cells(&cells));
        }
        store
    }

    /// The body of a cell, from cell to cell.
    fn walk(store: &Store, start: Place) -> HashSet<Place> {
        let mut body = HashSet::from([start]);
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            for face in Face::ALL {
                let there = store.step(place, face);
                let joined = there.is_some()
                    && store.read(there).is_wet()
                    && match face {
                        Face::Up => store.read(place).height() == FULL,
                        Face::Down => store.read(there).height() == FULL,
                        _ => true,
                    };
                if joined && body.insert(there) {
                    open.push(there);
                }
            }
        }
        body
    }

    /// Whether a cell may be left out of a body: full, under full water, beside nothing but full
    /// cells.
    fn is_inner(store: &Store, place: Place) -> bool {
        let is_full = |place: Place| !place.is_some() || store.read(place).height() == FULL;
        let covered = store.step(place, Face::Up);
        covered.is_some()
            && is_full(covered)
            && is_full(place)
            && Face::LATERAL.into_iter().all(|face| is_full(store.step(place, face)))
    }

    #[test]
    fn a_flood_finds_what_a_walk_finds_and_leaves_out_what_it_may() {
        let mut random = fastrand::Rng::with_seed(21);
        let (mut bodies, mut left_out) = (0, 0);
        for round in 0..36 {
            let store = if round % 3 == 0 { store(&mut random) } else { falls(&mut random) };
            let mut flooded = Flooded::default();
            flooded.begin(store.grid().slot_capacity());
            let mut slots = store.grid().sorted_slots();
            let downwards = random.bool();
            if downwards {
                slots.reverse();
            }
            for slot in slots {
                for index in 0..CHUNK_CELLS {
                    let index = if downwards { CHUNK_CELLS - 1 - index } else { index };
                    let place = Place { slot, index };
                    let (layer, cell) = (place.layer(), place.cell());
                    let seen = flooded.cells(&store, slot, layer).contains(cell);
                    if !store.read(place).is_wet() || seen {
                        continue;
                    }
                    let cells = LayerMask::single(cell);
                    flooded.begin_body(Piece { slot, layer, cells });
                    let found = core::iter::repeat_with(|| {
                        flooded.grow(&store, &mut Budget::new(random.usize(1..300)))
                    });
                    let found = found.flatten().next().expect("it comes to an end");
                    assert!(!flooded.is_growing());
                    let mut walked = walk(&store, place);
                    let key = |&place: &Place| {
                        let cell = store.position(place);
                        [cell.y, cell.z, cell.x]
                    };
                    assert_eq!(Some(found.lowest), walked.iter().map(key).min());
                    for piece in &found.pieces {
                        for cell in piece.cells.iter() {
                            assert!(
                                walked.remove(&Place::in_layer(piece.slot, piece.layer, cell)),
                                "once, and joined"
                            );
                        }
                    }
                    for &place in &walked {
                        let (layer, cell) = (place.layer(), place.cell());
                        assert!(
                            flooded.cells(&store, place.slot, layer).contains(cell),
                            "flooded all the same"
                        );
                        assert!(is_inner(&store, place));
                    }
                    bodies += 1;
                    left_out += walked.len();
                }
            }
        }
        assert!(bodies > 500 && left_out > 1_000, "{bodies} bodies, {left_out} cells left out");
    }

    /// Full chunks in a row. A layer of the second is rock, so that the water of the third is met
    /// above and below it.
    #[test]
    fn a_layer_between_two_that_are_met_is_flooded() {
        let full = Voxel::OPEN.with_height(FULL);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let mut parted = [full; CHUNK_CELLS];
        parted[5 * LAYER_CELLS..][..LAYER_CELLS].fill(Voxel::SOLID);
        for (x, chunk) in [Chunk::uniform(full), Chunk::from_cells(&parted), Chunk::uniform(full)]
            .into_iter()
            .enumerate()
        {
            store.insert(IVec3::X * x as i32, chunk);
        }
        let mut flooded = Flooded::default();
        flooded.begin(store.grid().slot_capacity());
        let slots = store.grid().sorted_slots();
        flood(&mut flooded, &store, Piece { slot: slots[0], layer: 3, cells: LayerMask::ALL });
        for (slot, layer) in
            slots.into_iter().flat_map(|slot| (0..16).map(move |layer| (slot, layer)))
        {
            assert_eq!(
                flooded.cells(&store, slot, layer),
                store.layer(slot, layer).wet,
                "layer {layer}"
            );
        }
    }

    #[test]
    fn the_list_of_a_body_is_used_again() {
        let mut random = fastrand::Rng::with_seed(22);
        let store = store(&mut random);
        let slot = store.grid().sorted_slots()[0];
        let layer = (0..16).find(|&layer| store.layer(slot, layer).wet.any()).expect("a wet layer");
        let seed = Piece { slot, layer, cells: LayerMask::ALL };
        let mut flooded = Flooded::default();
        let mut flood_twice = || {
            flooded.begin(store.grid().slot_capacity());
            let mut body = flood(&mut flooded, &store, seed);
            let (pieces, room) = (body.pieces.len(), body.pieces.capacity());
            body.pieces.reserve(1_000);
            flooded.recycle(body);
            let nothing = flood(&mut flooded, &store, seed);
            assert!(nothing.pieces.is_empty(), "all is flooded");
            flooded.recycle(nothing);
            (pieces, room)
        };
        let (first, again) = (flood_twice(), flood_twice());
        assert_eq!(first.0, again.0);
        assert!(
            first.1 < 1_000 && again.1 >= 1_000,
            "room for {} pieces, then {}",
            first.1,
            again.1
        );
    }
}
