//! Currents smoothed in space and time: exponential smoothing of each cell's current, and explicit
//! diffusion between neighbouring cells of water.

use crate::chunk::{LAYER_CELLS, LayerMask, ones};
use crate::coords::{ChunkPos, Cube, Face, Shape};
use crate::water::cell::FULL;
use crate::water::feed::Look;
use crate::water::surface::corners::{third, within};
use crate::water::surface::view::WaterView;
use glam::{IVec3, Vec3};
use hashbrown::HashMap;

/// The part of the gap to its current that a cell's flow closes in a tick. Its inverse, 8 ticks, is
/// the time constant of the smoothing: 0.4 s at 20 ticks a second.
const GAIN: f32 = 1.0 / 8.0;
/// The part of the gap to each neighbour's flow that a cell's flow closes in a tick. The smoothing
/// reaches √(`SPREAD` / `GAIN`) = 1 cell. `GAIN` + 6 `SPREAD` is below 1, so a new flow is a mean
/// of old flows and the current.
const SPREAD: f32 = 1.0 / 8.0;
/// A flow below this in every axis is set to zero, so that still water costs nothing: a hundredth
/// of a unit a tick, which is not visible.
const LEAST: f32 = 0.01 / 7.0;

/// Currents smoothed in space and time, for swimmers, boats and moving textures.
///
/// The [`current`](crate::water::WaterWorld::current) of a cell is its outflow in one tick. In a
/// wide river with little water it is 7 in one lane and 0 beside it, and the lanes change from tick
/// to tick. A flow field smooths the current over about 8 ticks and over one cell to each side,
/// only within water. Flow is in full cells a tick: −1 to 1 along each axis.
///
/// A field belongs to the client, not to the world, and is not part of a snapshot. It depends only
/// on the ticks at which it was updated, not on how often it is read. It holds only cells with
/// flow, and an update visits only layers of chunks with flow or currents.
///
/// ```
/// use floodplain::glam::{IVec3, Vec3};
/// use floodplain::water::{FlowField, Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, Region};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// world.add_source(IVec3::new(8, 8, 8))?;
/// let mut flow = FlowField::new();
/// for _ in 0..40 {
///     world.step();
///     flow.update(&world);
/// }
/// let falling = flow.at(&world, Vec3::new(8.5, 4.5, 8.5));
/// assert!(falling.y < -0.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FlowField {
    chunks: HashMap<ChunkPos, ChunkFlow>,
    /// The tick of the currents of the last update.
    tick: Option<u64>,
}

type ChunkFlow = [Option<Box<LayerFlow>>; 16];

/// The flow in a layer of a chunk.
#[derive(Clone, Debug)]
pub(super) struct LayerFlow {
    moving: LayerMask,
    cells: [Vec3; LAYER_CELLS],
}

impl LayerFlow {
    /// Returns the flow of a cell, 0 to 255.
    pub(super) fn get(&self, cell: usize) -> Vec3 {
        self.cells[cell & (LAYER_CELLS - 1)]
    }
}

impl FlowField {
    /// Returns a field without flow.
    pub fn new() -> FlowField {
        FlowField::default()
    }

    /// Follows the currents of the last tick. Call it after each tick, or after each update of a
    /// mirror, whose feed has to [send](crate::water::Feed::send_currents) currents. A call for a
    /// tick that the field has already followed does nothing, nor does a call while a tick is
    /// underway.
    pub fn update(&mut self, view: &(impl WaterView + ?Sized)) {
        let tick = view.current_tick();
        if tick.is_none() || tick == self.tick {
            return;
        }
        self.tick = tick;
        let currents: HashMap<ChunkPos, u16> = view.current_layers().into_iter().collect();
        let mut chunks = HashMap::new();
        for (chunk, layers) in self.candidates(&currents) {
            let with_currents = currents.get(&chunk).copied().unwrap_or(0);
            let mut flow = ChunkFlow::default();
            for layer in ones(u64::from(layers)) {
                let has_currents = with_currents >> layer & 1 != 0;
                flow[layer] = self.next_layer(view, chunk, layer, has_currents).map(Box::new);
            }
            if flow.iter().any(Option::is_some) {
                chunks.insert(chunk, flow);
            }
        }
        self.chunks = chunks;
    }

    /// Returns the flow of a cell, in full cells a tick: −1 to 1 along x, y and z. Zero in still
    /// water and in cells without water.
    pub fn cell(&self, cell: IVec3) -> Vec3 {
        let index = Cube::index_of(cell);
        self.layer(Cube::chunk_of(cell), index >> 8)
            .map_or(Vec3::ZERO, |layer| layer.get(index & (LAYER_CELLS - 1)))
    }

    /// Returns the flow at a point, in full cells a tick: between the centres of cells it is
    /// interpolated (trilinearly, over the cells with water), so it has no jumps within water. Zero
    /// where none of the eight cells around the point holds water, and at points that are not in
    /// the `i32` range.
    pub fn at(&self, view: &(impl WaterView + ?Sized), point: Vec3) -> Vec3 {
        let from = (point - 0.5).floor();
        let is_in_range = from.abs().max_element() < i32::MAX as f32;
        if !is_in_range || !point.is_finite() {
            return Vec3::ZERO;
        }
        let (low, part) = (from.as_ivec3(), point - 0.5 - from);
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for corner in 0..8 {
            let offset = IVec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
            let cell = low + offset;
            let nearness = Vec3::select(offset.cmpeq(IVec3::ONE), part, 1.0 - part);
            let weight = nearness.element_product();
            if weight > 0.0 && view.look(cell).is_some_and(Look::may_flow) {
                sum += self.cell(cell) * weight;
                weights += weight;
            }
        }
        if weights > 0.0 { sum / weights } else { Vec3::ZERO }
    }

    /// Returns the chunks with flow, in order of position. Their
    /// [`SurfaceMesh::flow`](crate::water::SurfaceMesh::flow) may change in every tick.
    pub fn chunks(&self) -> Vec<ChunkPos> {
        let mut chunks: Vec<ChunkPos> = self.chunks.keys().copied().collect();
        chunks.sort_unstable();
        chunks
    }

    /// Returns the bytes that the field holds on the heap.
    pub fn memory_bytes(&self) -> usize {
        let layers = self.chunks.values().flatten().flatten().count();
        self.chunks.allocation_size() + layers * size_of::<LayerFlow>()
    }

    fn layer(&self, chunk: ChunkPos, layer: usize) -> Option<&LayerFlow> {
        self.chunks.get(&chunk)?[layer].as_deref()
    }

    /// Returns a layer of a chunk and of the eight chunks beside it, by z and x.
    pub(super) fn round(&self, chunk: ChunkPos, layer: usize) -> [[Option<&LayerFlow>; 3]; 3] {
        let along = [-1, 0, 1];
        along.map(|z| along.map(|x| self.layer(chunk + IVec3::new(x, 0, z), layer)))
    }

    /// Returns the layers (by bit) of chunks that may have flow after this tick: layers with
    /// currents or flow, and layers that flow may spread to.
    fn candidates(&self, currents: &HashMap<ChunkPos, u16>) -> HashMap<ChunkPos, u16> {
        let mut candidates = currents.clone();
        let mut add = |chunk: ChunkPos, layers: u16| {
            if layers != 0 {
                *candidates.entry(chunk).or_default() |= layers;
            }
        };
        for (&chunk, layers) in &self.chunks {
            for (layer, flow) in layers.iter().enumerate() {
                let Some(flow) = flow else { continue };
                let bit = 1 << layer;
                add(chunk, bit | bit << 1 | bit >> 1);
                add(chunk + IVec3::Y, bit >> 15);
                add(chunk + IVec3::NEG_Y, bit << 15);
                for (face, cells) in Face::LATERAL.into_iter().zip(flow.moving.leaving()) {
                    add(chunk + face.offset(), if cells.any() { bit } else { 0 });
                }
            }
        }
        candidates
    }
}

/// The input of a step of the smoothing: a layer and the layers at its six faces.
struct Around<'f> {
    here: Option<&'f LayerFlow>,
    /// By [`Face::index`].
    beside: [Option<&'f LayerFlow>; 6],
}

impl FlowField {
    /// Returns the flow of a layer after this tick; `None` if there is none.
    fn next_layer(
        &self,
        view: &(impl WaterView + ?Sized),
        chunk: ChunkPos,
        layer: usize,
        has_currents: bool,
    ) -> Option<LayerFlow> {
        let water = water_in(view, chunk, layer);
        if water.is_empty() {
            return None;
        }
        let [down, up] = [Face::Down, Face::Up].map(|face| vertical(chunk, layer, face));
        let flow = Face::ALL.map(|face| match face {
            Face::Down => self.layer(down.0, down.1),
            Face::Up => self.layer(up.0, up.1),
            _ => self.layer(chunk + face.offset(), layer),
        });
        let around = Around { here: self.layer(chunk, layer), beside: flow };
        let beside = water_beside(view, chunk, layer, water);
        let mut next = LayerFlow { moving: LayerMask::NONE, cells: [Vec3::ZERO; LAYER_CELLS] };
        let cells = if has_currents { water } else { water & around.reached() };
        for cell in cells.iter() {
            let current = match has_currents {
                true => view.current(Cube::cell_at(chunk, layer << 8 | cell)).as_vec3(),
                false => Vec3::ZERO,
            };
            let is_beside = |face: Face| beside[face.index()].contains(cell);
            let flow = around.smoothed(cell, current / f32::from(FULL), is_beside);
            if flow.abs().max_element() >= LEAST {
                next.cells[cell] = flow;
                next.moving.insert(cell);
            }
        }
        next.moving.any().then_some(next)
    }
}

impl Around<'_> {
    /// Returns the cells with flow and the cells beside them.
    fn reached(&self) -> LayerMask {
        let moving = |layer: Option<&LayerFlow>| layer.map_or(LayerMask::NONE, |flow| flow.moving);
        let here = moving(self.here);
        let lateral = Face::LATERAL.map(|face| moving(self.beside[face.index()]));
        let vertical =
            [Face::Down, Face::Up].map(|face| moving(self.beside[face.index()])).into_iter();
        LayerMask::union(here.shifted(&lateral).into_iter().chain(vertical).chain([here]))
    }

    /// Returns the flow of a cell after this tick. `is_beside` returns whether there is water at a
    /// face.
    fn smoothed(&self, cell: usize, current: Vec3, is_beside: impl Fn(Face) -> bool) -> Vec3 {
        let get =
            |layer: Option<&LayerFlow>, cell| layer.map_or(Vec3::ZERO, |layer| layer.get(cell));
        let own = get(self.here, cell);
        let mut flow = own + (current - own) * GAIN;
        for face in Face::ALL {
            if is_beside(face) {
                let (x, z) = ((cell & 15) as i32, (cell >> 4) as i32);
                let (x, z) = (x + face.offset().x, z + face.offset().z);
                let is_in_chunk = third(x) == 1 && third(z) == 1 && face.is_lateral();
                let layer = if is_in_chunk { self.here } else { self.beside[face.index()] };
                flow += (get(layer, within(z) << 4 | within(x)) - own) * SPREAD;
            }
        }
        flow
    }
}

/// Returns the chunk and layer below or above a layer.
fn vertical(chunk: ChunkPos, layer: usize, face: Face) -> (ChunkPos, usize) {
    match (face, layer) {
        (Face::Down, 0) => (chunk + IVec3::NEG_Y, 15),
        (Face::Down, _) => (chunk, layer - 1),
        (_, 15) => (chunk + IVec3::Y, 0),
        _ => (chunk, layer + 1),
    }
}

/// Returns the cells of a layer that hold water or that water passes through.
fn water_in(view: &(impl WaterView + ?Sized), chunk: ChunkPos, layer: usize) -> LayerMask {
    LayerMask::from_words(view.flowing(chunk, layer))
}

/// Returns, for each face by [`Face::index`], the cells of a layer with water across it.
fn water_beside(
    view: &(impl WaterView + ?Sized),
    chunk: ChunkPos,
    layer: usize,
    water: LayerMask,
) -> [LayerMask; 6] {
    let lateral = Face::LATERAL.map(|face| water_in(view, chunk + face.offset(), layer));
    let [west, east, north, south] = water.shifted(&lateral);
    let [down, up] = [Face::Down, Face::Up].map(|face| {
        let (chunk, layer) = vertical(chunk, layer, face);
        water_in(view, chunk, layer)
    });
    [west, east, down, up, north, south]
}
