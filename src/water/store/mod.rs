//! The chunks of a water world, and the data cached for each: bit masks, outlets, sources and
//! parents.
//!
//! Voxels are written only by [`Store::write`], [`Store::write_layer`] and [`Store::write_marks`],
//! so that the masks always agree with the cells.

mod changes;
mod chunks;
mod edges;
mod frozen;
#[cfg(feature = "rayon")]
mod lend;
mod links;
mod masks;
pub(crate) mod news;
pub(crate) mod parents;
mod place;
pub(crate) mod sea;
mod sources;
mod touched;
mod wake;

pub(crate) use changes::{Changes, Edited};
pub(crate) use edges::border_cells;
pub(crate) use place::Place;
#[cfg(feature = "store")]
pub(crate) use touched::Since;

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, Cube, Face, Region, Shape};
use crate::grid::{Grid, Slot};
use crate::water::cell::FULL;
use crate::water::rules::{Edge, Edges};
use crate::water::voxel::Voxel;
use changes::VisibleChanges;
use glam::IVec3;
use masks::LayerMasks;
use news::News;
use std::collections::BTreeMap;
use std::sync::Arc;
#[cfg(feature = "store")]
use touched::Periods;
use wake::Withheld;

/// The cells that an operation on a [`LayerMask`] charges to the budget: one for each row.
pub(crate) const LAYER_ROWS: usize = 16;

/// The wet and the closed cells of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayerState {
    /// Height 1 to 7.
    pub(crate) wet: LayerMask,
    /// No room: full, solid, the sea, or a mark other than a drain.
    pub(crate) closed: LayerMask,
}

/// A cell of a path, and the face through which it passes water on.
pub(crate) type Step = (Place, Face);

/// The data cached for one chunk. `masks` is `Some` exactly if the chunk is dense.
#[derive(Default)]
struct Beside {
    masks: Option<Box<LayerMasks>>,
    /// The cells with a drain below or beside them, if there are any.
    outlets: Option<Box<CellMask>>,
    /// The cells with sea beside or above them, the sea itself left out, if there are any.
    coast: Option<Box<CellMask>>,
    /// The sources, if there are any.
    sources: Option<Box<CellMask>>,
    /// For each face, the cells with the Extra flag that have a parent across it. Each such cell
    /// has two parents or more.
    extras: Option<Box<[CellMask; 6]>>,
    /// The chunks across the six faces. Cached, since water often crosses borders.
    neighbours: [Slot; 6],
    /// The faces, by bit, across which a chunk is loaded that stands still while this one does not,
    /// or the reverse. It is none of `neighbours`.
    parted: u8,
    /// Whether the chunk stands still.
    is_frozen: bool,
    /// [`Store::loads`] once the chunk was inserted, so no two chunks of a world have the same.
    load: u64,
    /// The period in which the chunk was last touched.
    #[cfg(feature = "store")]
    touched: u64,
}

pub(crate) struct Store {
    grid: Grid<Voxel>,
    beside: Vec<Beside>,
    /// How often a chunk was inserted or removed.
    loads: u64,
    /// The number of sources at each y.
    source_heights: BTreeMap<i32, usize>,
    /// Whether parents or sources may have changed since the HasSource flags were last right
    /// everywhere, other than by the flow of a tick.
    ties_changed: bool,
    visible_changes: VisibleChanges,
    /// `Some` while a tick ends.
    withheld: Option<Withheld>,
    /// What has changed, for the pools; `None` in a world without them.
    news: Option<News>,
    bounds: Region,
    edges: Edges,
    /// What overrides the edge of chunks that are not loaded, by column; `None` for nothing.
    column_edges: Option<Arc<BTreeMap<[i32; 2], Edge>>>,
    /// Whether any edge drains.
    drains_somewhere: bool,
    #[cfg(feature = "store")]
    periods: Periods,
}

impl Store {
    pub(crate) fn new(bounds: Region, edges: Edges) -> Self {
        Store {
            grid: Grid::new(Voxel::HELD),
            beside: Vec::new(),
            loads: 0,
            source_heights: BTreeMap::new(),
            ties_changed: false,
            visible_changes: VisibleChanges::default(),
            withheld: None,
            news: None,
            bounds,
            edges,
            column_edges: None,
            drains_somewhere: edges.any_drains(),
            #[cfg(feature = "store")]
            periods: Periods::default(),
        }
    }

    /// Records that parents or sources may have changed.
    pub(crate) fn note_ties(&mut self) {
        self.ties_changed = true;
    }

    /// Returns whether parents or sources may have changed since the last
    /// [`settle_ties`](Self::settle_ties).
    pub(crate) fn have_ties_changed(&self) -> bool {
        self.ties_changed
    }

    /// Records that the HasSource flags are right everywhere.
    pub(crate) fn settle_ties(&mut self) {
        self.ties_changed = false;
    }

    /// Returns the chunks with their awake and changed cells, read-only: writes go through the
    /// store, which keeps its cached data up to date.
    #[inline]
    pub(crate) fn grid(&self) -> &Grid<Voxel> {
        &self.grid
    }

    /// Returns the chunks, to set awake and changed cells while a world is restored.
    #[cfg(any(test, feature = "snapshot"))]
    pub(crate) fn grid_mut(&mut self) -> &mut Grid<Voxel> {
        &mut self.grid
    }

    pub(crate) fn bounds(&self) -> Region {
        self.bounds
    }

    #[inline]
    pub(crate) fn read(&self, Place { slot, index }: Place) -> Voxel {
        self.grid.chunk_at(slot).get(index)
    }

    /// Writes a voxel and updates the masks. The caller updates sources, outlets, coasts and
    /// parents.
    #[inline]
    pub(crate) fn write(&mut self, Place { slot, index }: Place, voxel: Voxel) {
        self.touch(slot);
        let chunk = self.grid.chunk_at_mut(slot);
        let beside = &mut self.beside[slot.index()];
        let cells = chunk.cells_mut();
        let masks = beside.masks.get_or_insert_with(|| Box::new(LayerMasks::of(cells)));
        let old = core::mem::replace(&mut cells[index & (CHUNK_CELLS - 1)], voxel);
        masks.set(index, voxel);
        let may_be_uniform = cells[0] == voxel && cells[CHUNK_CELLS - 1] == voxel;
        self.note_cell(Place { slot, index }, old, voxel);
        if may_be_uniform {
            self.canonicalize(slot);
        }
    }

    /// Changes the cells of a chunk without updating the masks: `change` must keep heights and
    /// HasSource.
    #[inline]
    pub(crate) fn write_marks(
        &mut self,
        slot: Slot,
        change: impl FnOnce(&mut [Voxel; CHUNK_CELLS]),
    ) {
        self.touch(slot);
        let beside = &mut self.beside[slot.index()];
        let cells = self.grid.chunk_at_mut(slot).cells_mut();
        if beside.masks.is_none() {
            beside.masks = Some(Box::new(LayerMasks::of(cells)));
        }
        change(cells);
        if cells[0] == cells[CHUNK_CELLS - 1] {
            self.canonicalize(slot);
        }
    }

    /// Returns the cells of a layer (0 to 15), if the chunk is dense.
    #[inline]
    pub(crate) fn cells(&self, slot: Slot, layer: usize) -> Option<&[Voxel; LAYER_CELLS]> {
        self.grid.chunk_at(slot).as_dense()?.as_chunks().0.get(layer)
    }

    /// Changes the cells of a layer (0 to 15) and updates the masks, as [`write`](Store::write)
    /// does for one cell. `change` must not add or remove sea.
    #[inline]
    pub(crate) fn write_layer(
        &mut self,
        slot: Slot,
        layer: usize,
        change: impl FnOnce(&mut [Voxel; LAYER_CELLS]),
    ) {
        self.touch(slot);
        let beside = &mut self.beside[slot.index()];
        let cells = self.grid.chunk_at_mut(slot).cells_mut();
        let masks = beside.masks.get_or_insert_with(|| Box::new(LayerMasks::of(cells)));
        let Some(layer_cells) = cells.as_chunks_mut().0.get_mut(layer) else { return };
        let before = LayerState { wet: masks.wet.layer(layer), closed: masks.closed.layer(layer) };
        change(layer_cells);
        masks.refresh(layer, layer_cells);
        let may_be_uniform = cells[0] == cells[CHUNK_CELLS - 1];
        if self.news.is_some() {
            self.note_masks(slot, layer, before);
        }
        if may_be_uniform {
            self.canonicalize(slot);
        }
    }

    /// Stores a chunk whose cells are all equal as uniform, without masks.
    pub(crate) fn canonicalize(&mut self, slot: Slot) {
        if self.grid.chunk_at_mut(slot).canonicalize() {
            self.beside[slot.index()].masks = None;
        }
    }

    /// Returns the cell across `face`; its slot is [`Slot::NONE`] where the chunk is not loaded.
    #[inline]
    pub(crate) fn step(&self, place: Place, face: Face) -> Place {
        let Place { slot, index } = place;
        let (stride, at) = match face {
            Face::West | Face::East => (1, index & 15),
            Face::North | Face::South => (16, index >> 4 & 15),
            Face::Down | Face::Up => (256, index >> 8 & 15),
        };
        match face {
            Face::West | Face::North | Face::Down if at > 0 => Place::new(slot, index - stride),
            Face::West | Face::North | Face::Down => {
                Place::new(self.neighbour(slot, face), index + 15 * stride)
            }
            _ if at < 15 => Place::new(slot, index + stride),
            _ => Place::new(self.neighbour(slot, face), index - 15 * stride),
        }
    }

    /// Returns the position of a cell in the world.
    pub(crate) fn position(&self, Place { slot, index }: Place) -> IVec3 {
        Cube::cell_at(self.grid.position_at(slot), index)
    }

    /// Returns the y of a layer (0 to 15) of a chunk in the world.
    #[inline]
    pub(crate) fn layer_y(&self, slot: Slot, layer: usize) -> i32 {
        self.grid.position_at(slot).y * 16 + layer as i32
    }

    /// Returns the chunk across a face; [`Slot::NONE`] where it is not loaded, or where one of the
    /// two is frozen and the other is not.
    #[inline]
    pub(crate) fn neighbour(&self, slot: Slot, face: Face) -> Slot {
        self.beside[slot.index()].neighbours[face.index()]
    }

    /// Returns the layer below a layer, in the same chunk or at the top of the one below, if that
    /// is loaded.
    #[inline]
    pub(crate) fn lower_layer(&self, slot: Slot, layer: usize) -> Option<(Slot, usize)> {
        if layer > 0 {
            return Some((slot, layer - 1));
        }
        let below = self.neighbour(slot, Face::Down);
        below.is_some().then_some((below, 15))
    }

    /// Returns the layer above a layer, if it is loaded.
    #[inline]
    pub(crate) fn upper_layer(&self, slot: Slot, layer: usize) -> Option<(Slot, usize)> {
        if layer < 15 {
            return Some((slot, layer + 1));
        }
        let above = self.neighbour(slot, Face::Up);
        above.is_some().then_some((above, 0))
    }

    /// Returns the voxel across `face`, or the mark of the edge where no chunk is loaded.
    #[inline]
    pub(crate) fn look(&self, place: Place, face: Face) -> Voxel {
        let there = self.step(place, face);
        if there.is_some() {
            self.read(there)
        } else {
            self.beyond(place.slot, face, place.layer())
        }
    }

    /// Returns the voxel below, as water falls on it: the sea has room.
    #[inline]
    pub(crate) fn floor(&self, place: Place) -> Voxel {
        let below = self.look(place, Face::Down);
        if below.is_sea() { Voxel::SINK } else { below }
    }

    /// Returns the wet and the closed cells of a layer (0 to 15).
    #[inline]
    pub(crate) fn layer(&self, slot: Slot, layer: usize) -> LayerState {
        match &self.beside[slot.index()].masks {
            Some(masks) => {
                LayerState { wet: masks.wet.layer(layer), closed: masks.closed.layer(layer) }
            }
            None => {
                let voxel = self.grid.chunk_at(slot).get(0);
                LayerState {
                    wet: LayerMask::all_if(voxel.is_wet()),
                    closed: LayerMask::all_if(voxel.is_closed()),
                }
            }
        }
    }

    /// Returns the cells of a layer (0 to 15) that are sources or connected to one.
    #[inline]
    pub(crate) fn connected(&self, slot: Slot, layer: usize) -> LayerMask {
        match &self.beside[slot.index()].masks {
            Some(masks) => {
                masks.connected.as_ref().map_or(LayerMask::NONE, |connected| connected.layer(layer))
            }
            None => self.select(slot, layer, Voxel::is_connected),
        }
    }

    /// Returns whether any cell of a layer (0 to 15) satisfies `is_in`.
    pub(crate) fn has(&self, slot: Slot, layer: usize, is_in: impl Fn(Voxel) -> bool) -> bool {
        match self.cells(slot, layer) {
            Some(cells) => LayerMask::any_cell(cells, is_in),
            None => is_in(self.grid.chunk_at(slot).get(0)),
        }
    }

    /// Returns the cells of a layer (0 to 15) that satisfy `is_in`.
    #[inline]
    pub(crate) fn select(
        &self,
        slot: Slot,
        layer: usize,
        is_in: impl Fn(Voxel) -> bool,
    ) -> LayerMask {
        match self.cells(slot, layer) {
            Some(cells) => LayerMask::select(cells, is_in),
            None => LayerMask::all_if(is_in(self.grid.chunk_at(slot).get(0))),
        }
    }

    /// Returns the cells among `cells` of a layer (0 to 15) that satisfy `is_in`. Tests a sparse
    /// set cell by cell.
    #[inline]
    pub(crate) fn select_among(
        &self,
        slot: Slot,
        layer: usize,
        cells: LayerMask,
        is_in: impl Fn(Voxel) -> bool,
    ) -> LayerMask {
        match self.cells(slot, layer) {
            Some(voxels) if cells.is_sparse() => {
                cells.iter().filter(|&cell| is_in(voxels[cell])).collect()
            }
            _ => cells & self.select(slot, layer, is_in),
        }
    }

    /// Returns, for each face, the cells with the Extra flag that have a parent across it; `None`
    /// if the chunk has never had any.
    #[inline]
    pub(crate) fn extras(&self, slot: Slot) -> Option<&[CellMask; 6]> {
        self.beside[slot.index()].extras.as_deref()
    }

    pub(crate) fn extras_mut(&mut self, slot: Slot) -> &mut Option<Box<[CellMask; 6]>> {
        &mut self.beside[slot.index()].extras
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        let beside = |beside: &Beside| {
            beside.masks.as_ref().map_or(0, |masks| masks.heap_bytes())
                + beside.extras.as_ref().map_or(0, |_| size_of::<[CellMask; 6]>())
                + [&beside.outlets, &beside.coast, &beside.sources].into_iter().flatten().count()
                    * size_of::<CellMask>()
        };
        self.grid.memory_bytes()
            + self.beside.iter().map(beside).sum::<usize>()
            + self.beside.capacity() * size_of::<Beside>()
            + self.visible_changes.memory_bytes()
            + self.withheld.as_ref().map_or(0, Withheld::memory_bytes)
            + self.news.as_ref().map_or(0, News::memory_bytes)
    }
}

/// Returns the mask boxed, or `None` if it is empty.
fn boxed(mask: CellMask) -> Option<Box<CellMask>> {
    (!mask.is_empty()).then(|| Box::new(mask))
}

/// Returns the hydraulic head of a cell: the height of its surface above y = 0, in units.
#[inline]
pub(crate) fn head(y: i32, height: u8) -> i64 {
    i64::from(y) * i64::from(FULL) + i64::from(height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;

    #[test]
    fn steps_agree_with_positions_across_loaded_and_missing_chunks() {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for cell in [IVec3::ZERO, IVec3::NEG_X, IVec3::NEG_Y, IVec3::NEG_Z, IVec3::MAX, IVec3::MIN]
        {
            store.insert(Cube::chunk_of(cell), Chunk::uniform(Voxel::OPEN));
        }
        store.remove(IVec3::NEG_Y);
        for slot in store.grid().sorted_slots() {
            assert!(store.beside_is_true(slot));
            for index in [0, 15, 17, 240, 255, 256, 2000, 3840, 4080, 4095] {
                for face in Face::ALL {
                    let there = store.step(Place { slot, index }, face);
                    match face.step(store.position(Place { slot, index })) {
                        Some(cell) if store.grid().slot(Cube::chunk_of(cell)).is_some() => {
                            assert_eq!(store.position(there), cell);
                        }
                        _ => assert_eq!(there.slot, Slot::NONE),
                    }
                }
            }
        }
    }

    /// Changes a few cells of an empty chunk and changes them back, by each of the three writers.
    #[test]
    fn a_chunk_is_stored_as_uniform_as_soon_as_its_cells_are_equal() {
        let mut random = fastrand::Rng::with_seed(12);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let slot = store.insert(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
        let mut cells = [Voxel::OPEN; CHUNK_CELLS];
        for round in 0..200 {
            let some: Vec<usize> = (0..random.usize(1..4))
                .map(|_| [0, 4095, random.usize(..CHUNK_CELLS)][random.usize(..3)])
                .collect();
            // A change of `largest` does not concern the masks.
            for voxel in [Voxel::OPEN.with_largest(1), Voxel::OPEN] {
                for &index in &some {
                    let (layer, cell) = (index / LAYER_CELLS, index % LAYER_CELLS);
                    match random.u8(..3) {
                        0 => store.write(Place { slot, index }, voxel),
                        1 => store.write_layer(slot, layer, |cells| cells[cell] = voxel),
                        _ => store.write_marks(slot, |cells| cells[index] = voxel),
                    }
                    cells[index] = voxel;
                    let are_equal = cells.iter().all(|&cell| cell == cells[0]);
                    assert_eq!(
                        store.grid().chunk_at(slot).as_uniform().is_some(),
                        are_equal,
                        "round {round}: {some:?}"
                    );
                    assert!(store.beside_is_true(slot), "round {round}: {some:?}");
                }
            }
        }
    }

    /// Adds each kind of cached data in turn.
    #[test]
    fn memory_is_that_of_the_data_held() {
        let cached = |store: &Store| store.memory_bytes() - store.grid().memory_bytes();
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        assert_eq!(cached(&store), 0);
        let slot = store.insert(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
        let mut expected = store.beside.capacity() * size_of::<Beside>();
        assert_eq!(cached(&store), expected);
        store.write(Place::new(slot, 1), Voxel::OPEN.with_height(3));
        expected += size_of::<LayerMasks>();
        assert_eq!(cached(&store), expected, "a dense chunk has masks");
        store.keep_parents(Place::new(slot, 1), 0b11, Voxel::OPEN.with_height(3));
        expected += size_of::<[CellMask; 6]>();
        assert_eq!(cached(&store), expected, "further parents");
        store.write(Place::new(slot, 2), Voxel::water(crate::water::WaterCell::SOURCE));
        expected += size_of::<CellMask>();
        assert_eq!(cached(&store), expected, "cells with a source");
        store.note_source(Place::new(slot, 2), true);
        expected += size_of::<CellMask>();
        assert_eq!(cached(&store), expected, "a source in place");
        (3..20).for_each(|index| store.note_source(Place { slot, index }, true));
        assert_eq!(cached(&store), expected, "however many");
    }

    #[test]
    fn sources_are_listed_by_chunk_and_by_height() {
        let mut random = fastrand::Rng::with_seed(13);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for chunk in [IVec3::ZERO, IVec3::NEG_Y] {
            store.insert(chunk, Chunk::uniform(Voxel::OPEN));
        }
        let slots = store.grid().sorted_slots();
        let mut sources = std::collections::BTreeSet::new();
        for round in 0..2_000 {
            // Few cells, so that many calls repeat an entry or remove a missing one.
            let place = Place::new(slots[random.usize(..2)], random.usize(..16) * 255);
            let present = random.bool();
            store.note_source(place, present);
            if present {
                sources.insert(place)
            } else {
                sources.remove(&place)
            };
            for &slot in &slots {
                let noted = (0..CHUNK_CELLS).filter(|index| {
                    store.springs(slot, index / LAYER_CELLS).contains(index % LAYER_CELLS)
                });
                let expected =
                    sources.iter().filter(|place| place.slot == slot).map(|place| place.index);
                assert!(noted.eq(expected), "round {round}");
            }
            let heights = || sources.iter().map(|&place| store.position(place).y);
            assert_eq!(store.highest_source(), heights().max(), "round {round}");
        }
    }

    /// The last cell that differs, at a border or inside, is overwritten by each of the three
    /// writers.
    #[test]
    fn a_chunk_of_equal_cells_is_uniform_whatever_was_written_last() {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let slot = store.insert(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
        let wet = Voxel::OPEN.with_height(3);
        for index in [0, 1, 255, 256, 2000, 4094, 4095] {
            let (layer, cell) = (index / LAYER_CELLS, index % LAYER_CELLS);
            for way in 0..3 {
                store.write(Place { slot, index }, wet);
                assert!(
                    store.grid().chunk_at(slot).as_dense().is_some() && store.beside_is_true(slot)
                );
                match way {
                    0 => store.write(Place { slot, index }, Voxel::OPEN),
                    1 => store.write_layer(slot, layer, |cells| cells[cell] = Voxel::OPEN),
                    _ => {
                        store.write_layer(slot, layer, |cells| {
                            cells[cell] = Voxel::OPEN.with_largest(2)
                        });
                        store.write_marks(slot, |cells| cells[index] = Voxel::OPEN);
                    }
                }
                assert_eq!(
                    store.grid().chunk_at(slot).as_uniform(),
                    Some(Voxel::OPEN),
                    "{index}, way {way}"
                );
                assert!(store.beside_is_true(slot), "{index}, way {way}");
            }
        }
    }

    #[test]
    fn among_few_cells_or_many_those_are_selected_that_satisfy() {
        let mut random = fastrand::Rng::with_seed(13);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let heights: [Voxel; CHUNK_CELLS] =
            core::array::from_fn(|_| Voxel::OPEN.with_height(random.u8(..8)));
        let dense = store.insert(IVec3::ZERO, Chunk::from_cells(&heights)).expect("none is there");
        let full = store
            .insert(IVec3::X, Chunk::uniform(Voxel::OPEN.with_height(FULL)))
            .expect("none is there");
        for round in 0..100 {
            let (layer, height) = (random.usize(..16), random.u8(..8));
            let mut cells = LayerMask::NONE;
            (0..[1, 8, 200][round % 3]).for_each(|_| cells.insert(random.usize(..LAYER_CELLS)));
            for slot in [dense, full] {
                let found =
                    store.select_among(slot, layer, cells, |voxel| voxel.height() == height);
                for cell in 0..LAYER_CELLS {
                    let is_in = store.read(Place::in_layer(slot, layer, cell)).height() == height;
                    assert_eq!(
                        found.contains(cell),
                        is_in && cells.contains(cell),
                        "round {round}"
                    );
                }
            }
        }
    }
}
