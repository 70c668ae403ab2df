//! Bodies of water: connected-component labelling by bitmask flood fill. Wet cells are connected
//! sideways, and vertically wherever the lower cell is full.
//!
//! Layers of a chunk that are completely full of water are flooded together. Those that can neither
//! be a surface nor border on a dry cell are left out of the body, so that the cost of a lake is
//! that of its surface and its shores.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask, ones};
use crate::coords::{Cube, Face, Shape};
use crate::grid::Slot;
use crate::water::context::budget::Budget;
use crate::water::store::{LAYER_ROWS, Store};
use core::ops::RangeInclusive;

/// A body's cells in one layer of one chunk. A body may have several pieces in the same layer.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) slot: Slot,
    pub(crate) layer: usize,
    pub(crate) cells: LayerMask,
}

/// A connected component of water.
pub(crate) struct Body {
    /// Its cells, without completely full layers that have neither a surface nor a dry neighbour.
    pub(crate) pieces: Vec<Piece>,
    /// Its first cell in the order of y, z, x.
    pub(crate) lowest: [i32; 3],
}

/// The flood fill and the cells flooded in this tick, including those of chunks that do not take
/// part in it.
#[derive(Default)]
pub(crate) struct Flooded {
    chunks: Vec<Option<Box<FloodedChunk>>>,
    tick: u64,
    /// The chunks reached in this tick and in the one before. Others have no entry in `chunks`.
    reached: [Vec<Slot>; 2],
    /// The body in progress.
    growing: Option<Body>,
    /// Stack of cells connected to it that are still to be flooded.
    open: Vec<Piece>,
    /// The same for completely full layers, by bit.
    open_layers: Vec<(Slot, u16)>,
    /// Lists of pieces for reuse.
    spare: Vec<Vec<Piece>>,
    /// Number of bodies begun in this tick: the spare lists to keep.
    lists_in_use: usize,
}

#[derive(Default)]
struct FloodedChunk {
    tick: u64,
    cells: CellMask,
    /// The layers, by bit, that are completely full of water.
    full: u16,
    /// The full layers that are flooded.
    flooded_layers: u16,
}

impl Flooded {
    /// Begins a tick with no cell flooded. Frees chunks and lists that the last tick did not use.
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
        self.spare.truncate(core::mem::take(&mut self.lists_in_use));
    }

    /// Returns the flooded cells of a layer (0 to 15).
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

    /// Begins the body that contains the cells in `seed`.
    pub(crate) fn begin_body(&mut self, seed: Piece) {
        let pieces = self.spare.pop().unwrap_or_default();
        self.growing = Some(Body { pieces, lowest: [i32::MAX; 3] });
        self.lists_in_use += 1;
        self.open.push(seed);
    }

    /// Whether a body is in progress.
    pub(crate) fn is_growing(&self) -> bool {
        self.growing.is_some()
    }

    /// Resumes the body in progress. Returns it when it is complete, `None` if the budget is spent
    /// before. Charges one cell for each row of a layer with water of the body; a run of full
    /// layers costs as much as one layer.
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

    /// Keeps the list of a body for reuse.
    pub(crate) fn recycle(&mut self, mut body: Body) {
        body.pieces.clear();
        self.spare.push(body.pieces);
    }

    /// Floods the cells of a piece and those connected to them in its layer. Returns the number of
    /// rows to charge.
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
        body.add(store, Piece { slot, layer, cells: filled });
        // A single cell away from the chunk's sides: the flood fill found no water beside it.
        let inner = filled
            .only()
            .filter(|cell| (1..15).contains(&(cell & 15)) && (1..15).contains(&(cell >> 4)));
        let layers =
            inner.map_or(layer..=layer, |cell| self.flood_column(store, slot, layer, cell, body));
        let closed = store.layer(slot, *layers.end()).closed;
        if let Some((slot, layer)) = store.upper_layer(slot, *layers.end()) {
            self.push_unflooded(store, slot, layer, filled & closed);
        }
        if let Some((slot, layer)) = store.lower_layer(slot, *layers.start()) {
            self.push_unflooded(store, slot, layer, filled & store.layer(slot, layer).closed);
        }
        if inner.is_none() {
            self.push_beside(store, slot, layer, filled);
        }
        // A column has one row in each layer.
        if inner.is_some() { layers.count() } else { filled.rows().count_ones() as usize }
    }

    /// Pushes the cells of neighbouring chunks that border on these cells of a layer.
    fn push_beside(&mut self, store: &Store, slot: Slot, layer: usize, cells: LayerMask) {
        for (face, cells) in Face::LATERAL.into_iter().zip(cells.leaving()) {
            let there = store.neighbour(slot, face);
            if there.is_some() {
                self.push_unflooded(store, there, layer, cells);
            }
        }
    }

    /// Extends a flooded cell with no water beside it up and down its chunk, as long as the cells
    /// have no water beside them either, as in falling water. The cell must not lie at a side of
    /// its chunk. Returns the flooded layers of the column.
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
        let mut join = |layer: usize| {
            let is_alone = [cell - 1, cell + 1, cell - 16, cell + 16]
                .into_iter()
                .all(|at| !voxel(layer, at).is_wet());
            let is_new = is_alone
                && voxel(layer, cell).is_wet()
                && flooded.insert(layer * LAYER_CELLS + cell);
            if is_new {
                body.pieces.push(Piece { slot, layer, cells: column });
            }
            is_new
        };
        let (mut bottom, mut top) = (layer, layer);
        while top < 15 && voxel(top, cell).is_closed() && join(top + 1) {
            top += 1;
        }
        while bottom > 0 && voxel(bottom - 1, cell).is_closed() && join(bottom - 1) {
            bottom -= 1;
        }
        body.note_lowest(store, slot, bottom, column);
        bottom..=top
    }

    /// Pushes the wet cells among `cells` that are not flooded yet. Most neighbours of a piece
    /// already are.
    #[inline]
    fn push_unflooded(&mut self, store: &Store, slot: Slot, layer: usize, cells: LayerMask) {
        let cells = cells & store.layer(slot, layer).wet;
        if cells.any() {
            let cells = cells - self.chunk(store, slot).cells.layer(layer);
            if cells.any() {
                self.open.push(Piece { slot, layer, cells });
            }
        }
    }

    /// Floods the full layers among `layers` (by bit) of a chunk, and the full layers connected to
    /// them in the chunk.
    fn flood_layers(&mut self, store: &Store, slot: Slot, layers: u16, body: &mut Body) {
        let chunk = self.chunk(store, slot);
        let free = chunk.full & !chunk.flooded_layers;
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
        chunk.flooded_layers |= run;
        let full = chunk.full;
        for layer in ones(u64::from(run)) {
            chunk.cells.insert_layer(layer, LayerMask::ALL);
        }
        let inner = self.spread_layers(store, slot, run, full);
        for layer in ones(u64::from(run & !inner)) {
            body.pieces.push(Piece { slot, layer, cells: LayerMask::ALL });
        }
        body.note_lowest(store, slot, run.trailing_zeros() as usize, LayerMask::ALL);
    }

    /// Pushes the neighbours of flooded full layers (by bit) of a chunk. Returns the inner ones:
    /// those below a full layer, with no partial layer at their sides, in a chunk without springs.
    /// `full` are the full layers of the chunk.
    fn spread_layers(&mut self, store: &Store, slot: Slot, layers: u16, full: u16) -> u16 {
        let mut inner = layers;
        for (face, border) in Face::LATERAL.into_iter().zip(LayerMask::ALL.leaving()) {
            let there = store.neighbour(slot, face);
            if !there.is_some() {
                continue;
            }
            let next = self.chunk(store, there);
            let (connected, partial) =
                (layers & next.full & !next.flooded_layers, layers & !next.full);
            inner &= next.full;
            if connected != 0 {
                self.open_layers.push((there, connected));
            }
            for layer in ones(u64::from(partial)) {
                self.push_unflooded(store, there, layer, border);
            }
        }
        for layer in ones(u64::from(layers & !(full << 1))) {
            if let Some((slot, layer)) = store.lower_layer(slot, layer) {
                self.push_unflooded(store, slot, layer, store.layer(slot, layer).closed);
            }
        }
        let above = store.neighbour(slot, Face::Up);
        let covered_top = above.is_some() && self.chunk(store, above).full & 1 != 0;
        for layer in ones(u64::from(layers & !(full >> 1))) {
            if let Some((slot, layer)) = store.upper_layer(slot, layer) {
                self.push_unflooded(store, slot, layer, LayerMask::ALL);
            }
        }
        if store.has_springs(slot) { 0 } else { inner & (full >> 1 | u16::from(covered_top) << 15) }
    }
}

impl Body {
    fn add(&mut self, store: &Store, piece: Piece) {
        self.pieces.push(piece);
        self.note_lowest(store, piece.slot, piece.layer, piece.cells);
    }

    /// Updates `lowest` with the first of these cells.
    fn note_lowest(&mut self, store: &Store, slot: Slot, layer: usize, cells: LayerMask) {
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

    /// Returns the body of the cells in `seed`, found without interruption.
    fn flood(flooded: &mut Flooded, store: &Store, seed: Piece) -> Body {
        flooded.begin_body(seed);
        flooded.grow(store, &mut Budget::new(usize::MAX)).expect("the budget suffices")
    }

    /// Eight chunks, in which many layers are completely full.
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

    /// Eight chunks with columns of water, some with gaps, some adjacent, some ending in a pool.
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

    /// Reference: the body of a cell, found by a depth-first search from cell to cell.
    fn search(store: &Store, start: Place) -> HashSet<Place> {
        let mut body = HashSet::from([start]);
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            for face in Face::ALL {
                let there = store.step(place, face);
                let connected = there.is_some()
                    && store.read(there).is_wet()
                    && match face {
                        Face::Up => store.read(place).height() == FULL,
                        Face::Down => store.read(there).height() == FULL,
                        _ => true,
                    };
                if connected && body.insert(there) {
                    open.push(there);
                }
            }
        }
        body
    }

    /// Whether a cell may be left out of a body: full, below a full cell, beside full cells only.
    fn is_inner(store: &Store, place: Place) -> bool {
        let is_full = |place: Place| !place.is_some() || store.read(place).height() == FULL;
        let covered = store.step(place, Face::Up);
        covered.is_some()
            && is_full(covered)
            && is_full(place)
            && Face::LATERAL.into_iter().all(|face| is_full(store.step(place, face)))
    }

    #[test]
    fn a_flood_fill_finds_what_a_search_finds_except_for_inner_cells() {
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
                    let found = found.flatten().next().expect("the flood fill ends");
                    assert!(!flooded.is_growing());
                    let mut searched = search(&store, place);
                    let key = |&place: &Place| {
                        let cell = store.position(place);
                        [cell.y, cell.z, cell.x]
                    };
                    assert_eq!(Some(found.lowest), searched.iter().map(key).min());
                    for piece in &found.pieces {
                        for cell in piece.cells.iter() {
                            assert!(
                                searched.remove(&Place::in_layer(piece.slot, piece.layer, cell)),
                                "each cell once, and connected"
                            );
                        }
                    }
                    for &place in &searched {
                        let (layer, cell) = (place.layer(), place.cell());
                        assert!(
                            flooded.cells(&store, place.slot, layer).contains(cell),
                            "marked as flooded"
                        );
                        assert!(is_inner(&store, place));
                    }
                    bodies += 1;
                    left_out += searched.len();
                }
            }
        }
        assert!(bodies > 500 && left_out > 1_000, "{bodies} bodies, {left_out} cells left out");
    }

    /// Three full chunks in a row. A layer of the second is rock, so that the flood fill enters the
    /// third above and below it.
    #[test]
    fn a_full_layer_between_two_flooded_ones_is_flooded() {
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
    fn the_list_of_a_body_is_reused() {
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
            assert!(nothing.pieces.is_empty(), "all cells are flooded already");
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
