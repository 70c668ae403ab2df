//! The chunks of a water world, and the data cached for each: bit masks, outlets, sources and
//! parents.
//!
//! Voxels are written only by [`Store::write`], [`Store::write_layer`] and [`Store::write_marks`],
//! so that the masks always agree with the cells.

pub(crate) mod changed;
pub(crate) mod chunks;
mod edges;
pub(crate) mod faces;
pub(crate) mod fixtures;
pub(crate) mod flow;
pub(crate) mod frozen;
#[cfg(feature = "rayon")]
pub(crate) mod lend;
pub(crate) mod links;
mod masks;
pub(crate) mod neighbours;
pub(crate) mod parents;
mod place;
pub(crate) mod sea;
pub(crate) mod sources;
mod wake;

pub(crate) use changed::changes::Changes;
#[cfg(feature = "store")]
pub(crate) use changed::touched::Since;
pub(crate) use edges::border_cells;
pub(crate) use place::Place;

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, ChunkPos, ColumnPos, Cube, Face, Region, Shape};
use crate::grid::{Grid, LayerId, Slot};
use crate::water::cell::FULL;
use crate::water::fixture::Fixture;
use crate::water::flow_record::FaceFlows;
use crate::water::rules::{Edge, Edges};
use crate::water::store::changed::dirty_layers::{note_cell, note_masks};
use crate::water::store::changed::touched::touch;
use crate::water::store::flow::portals::Portals;
use crate::water::voxel::Voxel;
use changed::changes::VisibleChanges;
use changed::dirty_layers::DirtyLayers;
use changed::tick_changes::TickChanges;
#[cfg(feature = "store")]
use changed::touched::Periods;
use fixtures::Fixtures;
use flow::runs::Runs;
use flow::steady::{SteadyLayers, Turnover};
use glam::IVec3;
use masks::LayerMasks;
use std::collections::BTreeMap;
use std::sync::Arc;
use wake::PendingChanges;

/// The cells that an operation on a [`LayerMask`] charges to the budget: one for each row.
pub(crate) const LAYER_ROWS: usize = 16;

/// The wet and the closed cells of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayerState {
    /// Cells with a height of 1 to 7.
    pub(crate) wet: LayerMask,
    /// Cells without room: full, solid, the sea, or a mark other than a drain.
    pub(crate) closed: LayerMask,
}

impl LayerState {
    /// Returns the cells that hold as much water as they can.
    #[inline]
    pub(crate) fn full(self) -> LayerMask {
        self.wet & self.closed
    }
}

/// The data of one chunk besides its cells, most of it cached. `masks` is `Some` exactly if the
/// chunk is dense.
#[derive(Default)]
struct ChunkCache {
    masks: Option<Box<LayerMasks>>,
    /// The cells with a drain beside, below or above them, if there are any.
    outlets: Option<Box<CellMask>>,
    /// The cells with sea beside or above them, except the sea itself, if there are any.
    coast: Option<Box<CellMask>>,
    /// The sources, if there are any.
    sources: Option<Box<CellMask>>,
    /// For each face, the cells with the Extra flag that have a parent across it. Each such cell
    /// has two parents or more.
    extras: Option<Box<[CellMask; 6]>>,
    /// The fixtures, if there are any. They are part of the state.
    fixtures: Option<Box<Fixtures>>,
    /// The steady flow in the chunk, if there is any. It is part of the state.
    steady: Option<Box<SteadyLayers>>,
    /// The cells of steady falls, if there are any.
    runs: Option<Box<Runs>>,
    /// The parked films, if there are any.
    parked: Option<Box<CellMask>>,
    /// The chunks across the six faces. They are cached, since water often crosses borders.
    neighbours: [Slot; 6],
    /// The faces, by bit, across which a chunk is loaded that is frozen while this chunk is not, or
    /// the reverse. Such a chunk is none of `neighbours`.
    parted: u8,
    /// Whether changes are recorded for the pools: a chunk within two steps may have labels.
    is_near_label: bool,
    /// Whether the chunk stands still.
    is_frozen: bool,
    /// The value of [`loads`](crate::water::store::chunks::loads) when the chunk was inserted, so
    /// no two chunks of a world have the same value.
    load: u64,
    /// The period in which the chunk was last touched.
    #[cfg(feature = "store")]
    touched: u64,
    /// The number of awake cells at the last save, if the chunk was frozen.
    #[cfg(feature = "store")]
    awake_frozen: u16,
}

pub(crate) struct Store {
    grid: Grid<Voxel>,
    caches: Vec<ChunkCache>,
    /// The number of times that a chunk was inserted or removed.
    loads: u64,
    /// The number of sources in chunks that are not frozen.
    source_count: usize,
    /// The chunks with valves, in order of position.
    with_valves: BTreeMap<ChunkPos, Slot>,
    /// The chunks that the steady flow passes, in order of position.
    with_steady: BTreeMap<ChunkPos, Slot>,
    /// The steady flow of the whole world, each layer as it was counted last.
    steady_sum: Turnover,
    /// Chunks in which the steady flow does not rest in the next tick, besides those that
    /// `add_restless` finds.
    restless: Vec<Slot>,
    /// The old values of steady flow that was changed since the last tick began, in order.
    steady_before: Vec<(Place, FaceFlows)>,
    /// Chunks in or beside which the steady flow may not balance.
    unbalanced: Vec<Slot>,
    /// The chunks with runs.
    with_runs: Vec<Slot>,
    /// Whether no cell may enter a run.
    #[cfg(test)]
    runs_forbidden: bool,
    /// Whether no film may be parked.
    #[cfg(test)]
    parking_forbidden: bool,
    /// Whether any chunk may have runs; in the store of a thread, whether any chunk of the whole
    /// world may.
    has_runs: bool,
    /// Whether parents or sources may have changed, by anything but the flow of a tick, since the
    /// HasSource flags were last right everywhere.
    links_changed: bool,
    visible_changes: VisibleChanges,
    tick_changes: TickChanges,
    /// The withheld changes and wakes; `Some` while a tick ends.
    pending: Option<PendingChanges>,
    /// The changes for the pools; `None` in a world without pools.
    dirty: Option<DirtyLayers>,
    /// The portals, if this is a region of a divided world.
    portals: Portals,
    bounds: Region,
    edges: Edges,
    /// The overrides of the edge of chunks that are not loaded, by column; `None` if there are
    /// none.
    column_edges: Option<Arc<BTreeMap<ColumnPos, Edge>>>,
    /// Whether any edge drains.
    drains_somewhere: bool,
    #[cfg(feature = "store")]
    periods: Periods,
}

impl Store {
    pub(crate) fn new(bounds: Region, edges: Edges) -> Self {
        Store {
            grid: Grid::new(Voxel::HELD),
            caches: Vec::new(),
            loads: 0,
            source_count: 0,
            with_valves: BTreeMap::new(),
            with_steady: BTreeMap::new(),
            steady_sum: Turnover::default(),
            restless: Vec::new(),
            steady_before: Vec::new(),
            unbalanced: Vec::new(),
            with_runs: Vec::new(),
            #[cfg(test)]
            runs_forbidden: false,
            #[cfg(test)]
            parking_forbidden: false,
            has_runs: false,
            links_changed: false,
            visible_changes: VisibleChanges::default(),
            tick_changes: TickChanges::default(),
            pending: None,
            dirty: None,
            portals: Portals::new(),
            bounds,
            edges,
            column_edges: None,
            drains_somewhere: edges.any_drains(),
            #[cfg(feature = "store")]
            periods: Periods::default(),
        }
    }

    /// Records that parents or sources may have changed.
    pub(crate) fn note_links(&mut self) {
        self.links_changed = true;
    }

    /// Returns whether parents or sources may have changed since the last
    /// [`settle_links`](Self::settle_links).
    pub(crate) fn have_links_changed(&self) -> bool {
        self.links_changed
    }

    /// Records that the HasSource flags are right everywhere.
    pub(crate) fn settle_links(&mut self) {
        self.links_changed = false;
    }

    /// Returns the chunks with their awake and changed cells, read-only: writes go through the
    /// store, which keeps its cached data up to date.
    #[inline]
    pub(crate) fn grid(&self) -> &Grid<Voxel> {
        &self.grid
    }

    /// Returns the chunks, for setting awake and changed cells while a world is restored.
    #[cfg(any(test, feature = "snapshot"))]
    pub(crate) fn grid_mut(&mut self) -> &mut Grid<Voxel> {
        &mut self.grid
    }

    pub(crate) fn bounds(&self) -> Region {
        self.bounds
    }

    /// Returns the portals.
    pub(crate) fn portals(&self) -> &Portals {
        &self.portals
    }

    /// Returns the portals, to be changed. A lower quota is seen by steady flow once the cell's
    /// chunk is noted as unbalanced.
    pub(crate) fn portals_mut(&mut self) -> &mut Portals {
        &mut self.portals
    }

    #[inline]
    pub(crate) fn read(&self, Place { slot, index }: Place) -> Voxel {
        self.grid.chunk_at(slot).get(index)
    }

    /// Writes a voxel and updates the masks. The caller updates sources, outlets, coasts and
    /// parents.
    #[inline]
    pub(crate) fn write(&mut self, Place { slot, index }: Place, voxel: Voxel) {
        touch(self, slot);
        let chunk = self.grid.chunk_at_mut(slot);
        let beside = &mut self.caches[slot.index()];
        let cells = chunk.cells_mut();
        let masks = beside.masks.get_or_insert_with(|| Box::new(LayerMasks::of(cells)));
        let old = core::mem::replace(&mut cells[index & (CHUNK_CELLS - 1)], voxel);
        masks.set(index, voxel);
        let may_be_uniform = cells[0] == voxel && cells[CHUNK_CELLS - 1] == voxel;
        note_cell(self, Place { slot, index }, old, voxel);
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
        touch(self, slot);
        let beside = &mut self.caches[slot.index()];
        let cells = self.grid.chunk_at_mut(slot).cells_mut();
        if beside.masks.is_none() {
            beside.masks = Some(Box::new(LayerMasks::of(cells)));
        }
        change(cells);
        if cells[0] == cells[CHUNK_CELLS - 1] {
            self.canonicalize(slot);
        }
    }

    /// Returns the cells of a layer, if the chunk is dense.
    #[inline]
    pub(crate) fn cells(&self, layer: LayerId) -> Option<&[Voxel; LAYER_CELLS]> {
        self.grid.chunk_at(layer.slot).as_dense()?.as_chunks().0.get(layer.y)
    }

    /// Changes the cells of a layer and updates the masks, as [`write`](Store::write)
    /// does for one cell. `change` must not add or remove sea.
    #[inline]
    pub(crate) fn write_layer(
        &mut self,
        layer: LayerId,
        change: impl FnOnce(&mut [Voxel; LAYER_CELLS]),
    ) {
        touch(self, layer.slot);
        let beside = &mut self.caches[layer.slot.index()];
        let cells = self.grid.chunk_at_mut(layer.slot).cells_mut();
        let masks = beside.masks.get_or_insert_with(|| Box::new(LayerMasks::of(cells)));
        let Some(layer_cells) = cells.as_chunks_mut().0.get_mut(layer.y) else { return };
        let before =
            LayerState { wet: masks.wet.layer(layer.y), closed: masks.closed.layer(layer.y) };
        change(layer_cells);
        masks.refresh(layer.y, layer_cells);
        let may_be_uniform = cells[0] == cells[CHUNK_CELLS - 1];
        if self.dirty.is_some() {
            note_masks(self, layer, before);
        }
        if may_be_uniform {
            self.canonicalize(layer.slot);
        }
    }

    /// Stores a chunk whose cells are all equal as uniform, without masks.
    pub(crate) fn canonicalize(&mut self, slot: Slot) {
        if self.grid.chunk_at_mut(slot).canonicalize() {
            self.caches[slot.index()].masks = None;
        }
    }

    /// Returns the cell across `face`. Its slot is [`Slot::NONE`] where the chunk there is not
    /// loaded, or where one of the two chunks is frozen and the other is not. Rules that move water
    /// use [`across`](Store::across).
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

    /// Returns the y of a layer in the world.
    #[inline]
    pub(crate) fn layer_y(&self, layer: LayerId) -> i32 {
        self.grid.position_at(layer.slot).y * 16 + layer.y as i32
    }

    /// Returns the chunk across a face; [`Slot::NONE`] where it is not loaded, or where one of the
    /// two chunks is frozen and the other is not.
    #[inline]
    pub(crate) fn neighbour(&self, slot: Slot, face: Face) -> Slot {
        self.caches[slot.index()].neighbours[face.index()]
    }

    /// Returns the layer below a layer, in the same chunk or at the top of the chunk below, if that
    /// chunk is loaded.
    #[inline]
    pub(crate) fn lower_layer(&self, layer: LayerId) -> Option<LayerId> {
        if layer.y > 0 {
            return Some(LayerId::new(layer.slot, layer.y - 1));
        }
        let below = self.neighbour(layer.slot, Face::Down);
        below.is_some().then_some(LayerId::new(below, 15))
    }

    /// Returns the layer above a layer, if it is loaded.
    #[inline]
    pub(crate) fn upper_layer(&self, layer: LayerId) -> Option<LayerId> {
        if layer.y < 15 {
            return Some(LayerId::new(layer.slot, layer.y + 1));
        }
        let above = self.neighbour(layer.slot, Face::Up);
        above.is_some().then_some(LayerId::new(above, 0))
    }

    /// Returns the wet and the closed cells of a layer.
    #[inline]
    pub(crate) fn layer(&self, layer: LayerId) -> LayerState {
        match &self.caches[layer.slot.index()].masks {
            Some(masks) => {
                LayerState { wet: masks.wet.layer(layer.y), closed: masks.closed.layer(layer.y) }
            }
            None => {
                let voxel = self.grid.chunk_at(layer.slot).get(0);
                LayerState {
                    wet: LayerMask::all_if(voxel.is_wet()),
                    closed: LayerMask::all_if(voxel.is_closed()),
                }
            }
        }
    }

    /// Returns the cells of a layer that are sources or connected to a source.
    #[inline]
    pub(crate) fn connected(&self, layer: LayerId) -> LayerMask {
        match &self.caches[layer.slot.index()].masks {
            Some(masks) => masks
                .connected
                .as_ref()
                .map_or(LayerMask::NONE, |connected| connected.layer(layer.y)),
            None => self.select(layer, Voxel::is_connected),
        }
    }

    /// Returns whether any cell of a chunk is a source or connected to a source.
    #[inline]
    pub(crate) fn has_connected(&self, slot: Slot) -> bool {
        match &self.caches[slot.index()].masks {
            Some(masks) => masks.connected.is_some(),
            None => self.grid.chunk_at(slot).get(0).is_connected(),
        }
    }

    /// Returns whether any cell of a layer satisfies `is_in`.
    pub(crate) fn has(&self, layer: LayerId, is_in: impl Fn(Voxel) -> bool) -> bool {
        match self.cells(layer) {
            Some(cells) => LayerMask::any_cell(cells, is_in),
            None => is_in(self.grid.chunk_at(layer.slot).get(0)),
        }
    }

    /// Returns the cells of a layer that satisfy `is_in`.
    #[inline]
    pub(crate) fn select(&self, layer: LayerId, is_in: impl Fn(Voxel) -> bool) -> LayerMask {
        match self.cells(layer) {
            Some(cells) => LayerMask::select(cells, is_in),
            None => LayerMask::all_if(is_in(self.grid.chunk_at(layer.slot).get(0))),
        }
    }

    /// Returns the cells among `cells` of a layer that satisfy `is_in`. Tests a sparse
    /// set cell by cell.
    #[inline]
    pub(crate) fn select_among(
        &self,
        layer: LayerId,
        cells: LayerMask,
        is_in: impl Fn(Voxel) -> bool,
    ) -> LayerMask {
        match self.cells(layer) {
            Some(voxels) if cells.is_sparse() => {
                cells.iter().filter(|&cell| is_in(voxels[cell])).collect()
            }
            _ => cells & self.select(layer, is_in),
        }
    }

    /// Returns, for each face, the cells with the Extra flag that have a parent across it; `None`
    /// if the chunk has never had any.
    #[inline]
    pub(crate) fn extras(&self, slot: Slot) -> Option<&[CellMask; 6]> {
        self.caches[slot.index()].extras.as_deref()
    }

    pub(crate) fn extras_mut(&mut self, slot: Slot) -> &mut Option<Box<[CellMask; 6]>> {
        &mut self.caches[slot.index()].extras
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        let beside = |beside: &ChunkCache| {
            beside.masks.as_ref().map_or(0, |masks| masks.heap_bytes())
                + beside.extras.as_ref().map_or(0, |_| size_of::<[CellMask; 6]>())
                + beside.fixtures.as_ref().map_or(0, |fixtures| {
                    size_of::<Fixtures>() + fixtures.len() * size_of::<(u16, Fixture)>()
                })
                + beside.steady.as_deref().map_or(0, Self::steady_bytes)
                + [&beside.outlets, &beside.coast, &beside.sources, &beside.parked]
                    .into_iter()
                    .flatten()
                    .count()
                    * size_of::<CellMask>()
        };
        self.grid.memory_bytes()
            + self.caches.iter().map(beside).sum::<usize>()
            + self.caches.capacity() * size_of::<ChunkCache>()
            + self.steady_before.capacity() * size_of::<(Place, FaceFlows)>()
            + (self.unbalanced.capacity() + self.restless.capacity()) * size_of::<Slot>()
            + self.bytes_of_runs()
            + self.visible_changes.memory_bytes()
            + self.tick_changes.memory_bytes()
            + self.pending.as_ref().map_or(0, PendingChanges::memory_bytes)
            + self.dirty.as_ref().map_or(0, DirtyLayers::memory_bytes)
    }

    /// Returns whether a chunk stands still.
    #[inline]
    pub(crate) fn is_frozen(&self, slot: Slot) -> bool {
        self.caches[slot.index()].is_frozen
    }

    /// Returns whether a chunk has any source.
    pub(crate) fn has_springs(&self, slot: Slot) -> bool {
        self.caches[slot.index()].sources.is_some()
    }

    /// Returns the source cells of a layer.
    #[inline]
    pub(crate) fn springs(&self, layer: LayerId) -> LayerMask {
        self.caches[layer.slot.index()]
            .sources
            .as_ref()
            .map_or(LayerMask::NONE, |sources| sources.layer(layer.y))
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
mod tests;
