//! The edges of the world: the marks beyond them, the overrides for single columns, and the
//! outlets, which are the cells that drain into the marks.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, ChunkPos, ColumnPos, Cube, Face, Layout, Shape};
use crate::grid::{LayerId, Slot};
use crate::water::rules::{Edge, Edges};
use crate::water::store::neighbours::is_parted;
use crate::water::store::{Place, Store, boxed};
use crate::water::voxel::Voxel;
use glam::IVec3;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Store {
    /// Returns the mark that stands for the missing neighbour across `face` of the chunk at `slot`,
    /// at a layer (0 to 15) of that chunk.
    pub(crate) fn beyond(&self, slot: Slot, face: Face, layer: usize) -> Voxel {
        mark(self.edge_beyond(slot, face), face, self.layer_y(LayerId::new(slot, layer)))
    }

    /// Returns the edge across `face` of the chunk at `slot`, where it has no neighbour.
    pub(crate) fn edge_beyond(&self, slot: Slot, face: Face) -> Edge {
        if is_parted(self, slot, face) {
            return Edge::Held;
        }
        let chunk = self.grid.position_at(slot) + face.offset();
        let inside =
            Cube::holds_chunk(chunk) && self.bounds.intersection(&Cube::region_of(chunk)).is_some();
        if inside { self.edge_of_column(chunk) } else { self.edges.outer[face.index()] }
    }

    /// Returns the edge that stands for a chunk in bounds that is not loaded.
    pub(crate) fn edge_of_column(&self, chunk: ChunkPos) -> Edge {
        match &self.column_edges {
            Some(columns) => columns.get(&chunk.column()).copied(),
            None => None,
        }
        .unwrap_or(self.edges.unloaded)
    }

    /// Returns the overrides of the edge of chunks that are not loaded, by the x and z of their
    /// columns.
    pub(crate) fn column_edges(&self) -> Option<&BTreeMap<ColumnPos, Edge>> {
        self.column_edges.as_deref()
    }

    /// Overrides the edge of the chunks of a column while they are not loaded, or removes the
    /// override. Returns whether that changes anything. The caller refreshes and wakes the cells
    /// beside the column.
    pub(crate) fn set_column_edge(&mut self, column: ColumnPos, edge: Option<Edge>) -> bool {
        let columns = Arc::make_mut(self.column_edges.get_or_insert_default());
        let before = match edge {
            Some(edge) => columns.insert(column, edge),
            None => columns.remove(&column),
        };
        if columns.is_empty() {
            self.column_edges = None;
        }
        self.find_drains();
        before != edge
    }

    /// Recomputes outlets and coasts for the loaded chunks of a column and of the four columns
    /// beside it, and wakes the cells at these chunks' sides, at their floors and at the sea.
    pub(crate) fn refresh_columns(&mut self, ColumnPos { x, z }: ColumnPos) {
        let is_near = |slot: &Slot| {
            let chunk = self.grid.position_at(*slot);
            chunk.x.abs_diff(x).saturating_add(chunk.z.abs_diff(z)) <= 1
        };
        let slots: Vec<Slot> = self.grid.sorted_slots().into_iter().filter(is_near).collect();
        for slot in slots {
            self.refresh_edges(slot);
            for face in Face::LATERAL.into_iter().chain([Face::Down]) {
                self.wake_border(slot, face, CHUNK_CELLS);
            }
            self.wake_coast(slot);
        }
    }

    /// Returns whether any edge drains.
    pub(crate) fn any_drains(&self) -> bool {
        self.drains_somewhere
    }

    /// Recomputes whether any edge drains.
    pub(crate) fn find_drains(&mut self) {
        let mut columns = self.column_edges.iter().flat_map(|columns| columns.values());
        self.drains_somewhere = self.edges.any_drains() || columns.any(|edge| edge.may_drain());
    }

    /// Recomputes the outlets and the coast of a chunk.
    pub(crate) fn refresh_edges(&mut self, slot: Slot) {
        self.note_unrest(slot);
        self.refresh_outlets(slot);
        self.refresh_coast(slot);
    }

    /// Replaces the edges: the marks beyond the bounds, and the outlets. The caller wakes the cells
    /// that may move.
    pub(crate) fn set_edges(&mut self, edges: Edges) {
        self.edges = edges;
        self.find_drains();
        let slots = self.grid.sorted_slots();
        for &slot in &slots {
            if self.is_within(self.grid.position_at(slot)) {
                continue;
            }
            for layer in 0..16 {
                for (cells, mark) in self.marks_of_layer(self.grid.position_at(slot), layer) {
                    cells.iter().for_each(|cell| {
                        self.write(Place::in_layer(LayerId::new(slot, layer), cell), mark)
                    });
                }
            }
        }
        slots.into_iter().for_each(|slot| self.refresh_edges(slot));
    }

    /// Returns the chunk's outlets, the cells with a drain beside, below or above them, if there
    /// are any.
    #[inline]
    pub(crate) fn outlets(&self, slot: Slot) -> Option<&CellMask> {
        self.caches[slot.index()].outlets.as_deref()
    }

    /// Returns, for each outer face in the order of [`Face::index`], the cells of a layer (0 to 15)
    /// of a chunk that are [beyond](Self::face_beyond) it, and the mark that stands for them.
    pub(crate) fn marks_of_layer(&self, chunk: ChunkPos, layer: usize) -> [(LayerMask, Voxel); 6] {
        let origin = Cube::cell_at(chunk, layer * LAYER_CELLS);
        let (min, max) = (self.bounds.min(), self.bounds.max());
        let vertical = [origin.y < min.y, origin.y > max.y];
        let [west, east, north, south] = match vertical {
            [false, false] => {
                let [west, east] = outside_of_span(origin.x, min.x, max.x);
                let [north, south] = outside_of_span(origin.z, min.z, max.z);
                let within = !(west | east);
                [(west, !0), (east, !0), (within, north), (within, south)]
            }
            _ => [(0, 0); 4],
        }
        .map(|(columns, rows)| LayerMask::crossing(columns, rows));
        let mut marks = [(LayerMask::NONE, Voxel::OPEN); 6];
        for (face, cells) in [
            (Face::West, west),
            (Face::East, east),
            (Face::Down, LayerMask::all_if(vertical[0])),
            (Face::Up, LayerMask::all_if(vertical[1])),
            (Face::North, north),
            (Face::South, south),
        ] {
            let at = face.index();
            marks[at] = (cells, mark(self.edges.outer[at], face, origin.y));
        }
        marks
    }

    /// Returns the outer face beyond which a cell is; `None` in bounds. Down comes first, so that a
    /// draining floor extends below the sides.
    pub(crate) fn face_beyond(&self, cell: IVec3) -> Option<Face> {
        let (min, max) = (self.bounds.min(), self.bounds.max());
        let beyond = [
            (cell.y < min.y, Face::Down),
            (cell.y > max.y, Face::Up),
            (cell.x < min.x, Face::West),
            (cell.x > max.x, Face::East),
            (cell.z < min.z, Face::North),
            (cell.z > max.z, Face::South),
        ];
        beyond.into_iter().find(|&(outside, _)| outside).map(|(_, face)| face)
    }

    /// Returns whether every cell of a chunk is in bounds, so that none of them is a mark.
    pub(crate) fn is_within(&self, chunk: ChunkPos) -> bool {
        let cells = Cube::region_of(chunk);
        self.bounds.contains(cells.min()) && self.bounds.contains(cells.max())
    }

    /// Recomputes a chunk's outlets after a change at its faces.
    pub(crate) fn refresh_outlets(&mut self, slot: Slot) {
        if self.outlets(slot).is_none() && !self.may_drain(slot) {
            return;
        }
        self.caches[slot.index()].outlets = boxed(self.outlets_of(slot));
    }

    pub(crate) fn outlets_of(&self, slot: Slot) -> CellMask {
        let mut outlets = CellMask::EMPTY;
        if !self.may_drain(slot) {
            return outlets;
        }
        for layer in 0..16 {
            let at = LayerId::new(slot, layer);
            let drains = |layer| [self.drains(layer)];
            let beyond = |face| [LayerMask::all_if(self.beyond(slot, face, layer) == Voxel::DRAIN)];
            let [beside] = self.beside(at, LayerMask::ALL, drains(at), drains, beyond);
            let [above] = self.vertical(at, Face::Up, drains, beyond);
            let [below] = self.vertical(at, Face::Down, drains, beyond);
            outlets.set_layer(layer, below | above | LayerMask::union(beside));
        }
        outlets
    }

    /// Returns whether a chunk can have outlets: a quick test, since most chunks have none.
    fn may_drain(&self, slot: Slot) -> bool {
        let has_marks = |slot: Slot| !self.is_within(self.grid.position_at(slot));
        let drains = |face: Face| match self.neighbour(slot, face) {
            // If any of its layers drains, the topmost one does.
            Slot::NONE => self.beyond(slot, face, 15) == Voxel::DRAIN,
            there => has_marks(there),
        };
        has_marks(slot) || Face::ALL.into_iter().any(drains)
    }

    /// Returns the drains of a layer.
    pub(crate) fn drains(&self, layer: LayerId) -> LayerMask {
        if self.is_within(self.grid.position_at(layer.slot)) {
            return LayerMask::NONE;
        }
        self.select(layer, |voxel| voxel == Voxel::DRAIN)
    }
}

/// Returns the local indices of the 256 cells along a face of a chunk.
pub(crate) fn border_cells(face: Face) -> impl Iterator<Item = usize> {
    let axis = face.index() >> 1;
    let fixed = if face.index() & 1 == 0 { 0 } else { 15 * Cube::STRIDES[axis] };
    let [first, second] = match axis {
        0 => [Cube::STRIDES[2], Cube::STRIDES[1]],
        1 => [Cube::STRIDES[0], Cube::STRIDES[2]],
        _ => [Cube::STRIDES[0], Cube::STRIDES[1]],
    };
    (0..16).flat_map(move |b| (0..16).map(move |a| fixed + a * first + b * second))
}

/// Returns, by bit, which of the sixteen coordinates from `first` on are below `min`, and which are
/// above `max`.
fn outside_of_span(first: i32, min: i32, max: i32) -> [u16; 2] {
    let before = |end: i64| ((1_u32 << (end - i64::from(first)).clamp(0, 16)) - 1) as u16;
    [before(min.into()), !before(i64::from(max) + 1)]
}

/// Returns the mark that stands for a cell at height `y` beyond an edge of this kind, which is
/// across `face`.
fn mark(edge: Edge, face: Face, y: i32) -> Voxel {
    match edge {
        Edge::Wall => Voxel::WALL,
        Edge::Drain => Voxel::DRAIN,
        Edge::Held => Voxel::HELD,
        Edge::Level(_) if !face.is_lateral() => Voxel::HELD,
        Edge::Level(level) if y > level => Voxel::DRAIN,
        Edge::Level(_) => Voxel::SEA,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{ChunkRegion, Region};
    use crate::water::store::chunks;
    use crate::water::store::chunks::beside_is_true;

    #[test]
    fn marks_by_layer_are_those_of_each_cell() {
        let bounds = Region::new(IVec3::new(-3, 2, 5), IVec3::new(20, 17, 9));
        let mut store = Store::new(bounds, Edges::WALLS);
        let kinds = [Edge::Wall, Edge::Drain, Edge::Held, Edge::Level(7)];
        for first in 0..kinds.len() {
            let outer = core::array::from_fn(|face| kinds[(first + face) % kinds.len()]);
            store.set_edges(Edges { outer, ..Edges::WALLS });
            let chunks = ChunkRegion::of::<Cube>(bounds);
            for (chunk, index) in
                chunks.positions().flat_map(|at| (0..CHUNK_CELLS).map(move |i| (at, i)))
            {
                let (layer, at) = (index / LAYER_CELLS, index % LAYER_CELLS);
                let marks = store.marks_of_layer(chunk, layer).into_iter();
                let found: Vec<Voxel> =
                    marks.filter(|(cells, _)| cells.contains(at)).map(|(_, mark)| mark).collect();
                let cell = Cube::cell_at(chunk, index);
                let expected =
                    store.face_beyond(cell).map(|face| mark(outer[face.index()], face, cell.y));
                assert_eq!(found, Vec::from_iter(expected), "{cell}");
            }
        }
    }

    /// Checks cell by cell that the coast is the set of cells beside or below the sea that are not
    /// sea.
    fn check_coast(store: &Store, seed: u64) {
        for slot in store.grid().sorted_slots() {
            for place in (0..CHUNK_CELLS).map(|index| Place { slot, index }) {
                let mut from =
                    [Face::Up, Face::West, Face::East, Face::North, Face::South].into_iter();
                let expected = !store.read(place).is_sea()
                    && from.any(|face| store.look(place, face).is_sea());
                let cell = store.position(place);
                let voxel = store.read(place);
                assert_eq!(store.is_coast(place), expected, "seed {seed}: cell {cell}, {voxel:?}");
            }
        }
    }

    /// Checks cell by cell that the outlets are the cells beside, above or below a drain.
    fn check_outlets(store: &Store, seed: u64) {
        check_coast(store, seed);
        for slot in store.grid().sorted_slots() {
            for index in 0..CHUNK_CELLS {
                let is_drain = |face| store.look(Place { slot, index }, face) == Voxel::DRAIN;
                let expected = Face::ALL.into_iter().any(is_drain);
                let found = store.outlets(slot).is_some_and(|outlets| outlets.contains(index));
                assert_eq!(
                    found,
                    expected,
                    "seed {seed}: cell {}",
                    store.position(Place { slot, index })
                );
            }
        }
    }

    #[test]
    fn outlets_and_coasts_are_those_found_cell_by_cell_while_chunks_come_and_go() {
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut corner =
                |base: i32| IVec3::from_array([0; 3].map(|_| base + random.i32(-9..9)));
            let bounds = Region::new(corner(-8), corner(24));
            let edge = |random: &mut fastrand::Rng| {
                let level = Edge::Level(random.i32(-9..24));
                [Edge::Wall, Edge::Drain, Edge::Held, level][random.usize(..4)]
            };
            let edges =
                Edges { outer: [0; 6].map(|_| edge(&mut random)), unloaded: edge(&mut random) };
            let mut store = Store::new(bounds, edges);
            let touched = ChunkRegion::of::<Cube>(bounds);
            for chunk in touched.positions() {
                let ground = [Voxel::OPEN, Voxel::SOLID, Voxel::SEA][random.usize(..3)];
                if random.u8(..4) > 0 {
                    assert!(chunks::insert(&mut store, chunk, Chunk::uniform(ground)).is_some());
                }
            }
            check_outlets(&store, seed);
            for chunk in touched.positions().filter(|_| random.bool()) {
                chunks::remove(&mut store, chunk);
            }
            check_outlets(&store, seed);
            let slots = store.grid().sorted_slots();
            for _ in 0..random.usize(..40) {
                let Some(&slot) = slots.get(random.usize(..slots.len().max(1))) else { break };
                let place = Place { slot, index: random.usize(..CHUNK_CELLS) };
                if bounds.contains(store.position(place)) {
                    let voxel = [Voxel::SEA, Voxel::OPEN][random.usize(..2)];
                    let was_sea = store.read(place).is_sea();
                    store.write(place, voxel);
                    if was_sea != voxel.is_sea() {
                        store.note_sea(place);
                    }
                }
            }
            check_outlets(&store, seed);
            for column in [[-1, 0], [0, 1], [2, 2]].map(ColumnPos::from) {
                store.set_column_edge(column, Some(edge(&mut random)));
                store.refresh_columns(column);
            }
            check_outlets(&store, seed);
            let edges =
                Edges { outer: [0; 6].map(|_| edge(&mut random)), unloaded: edge(&mut random) };
            store.set_edges(edges);
            check_outlets(&store, seed);
            for slot in store.grid().sorted_slots() {
                assert!(beside_is_true(&store, slot), "seed {seed}");
            }
        }
    }
}
