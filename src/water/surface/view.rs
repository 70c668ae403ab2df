//! What drawing reads of water: looks and currents of a world or of a mirror.

use crate::chunk::{Chunk, LAYER_CELLS, LayerMask};
use crate::coords::{ChunkPos, Cube, Shape};
use crate::grid::{LayerId, Slot};
use crate::water::cell::FULL;
use crate::water::feed::{holds, look_within};
use crate::water::rules::Edge;
use crate::water::scratch::rollback::cells_before;
use crate::water::surface::corners;
use crate::water::surface::falls::{Fall, falls};
use crate::water::surface::flow::FlowField;
use crate::water::surface::level::{self, Submerged, SubmergedError};
use crate::water::surface::mesh::{SurfaceMesh, surface_mesh};
use crate::water::voxel::Voxel;
use crate::water::{Look, Mirror, WaterWorld};
use glam::{IVec3, Vec3};
use std::borrow::Cow;

/// Water that can be drawn and felt: a [`WaterWorld`], or a [`Mirror`] on a client. Both are drawn
/// the same if they have the same chunks.
///
/// ```
/// use floodplain::water::{Feed, Mirror, Rules, SurfaceMesh, Voxel, WaterView, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// fn drawn(water: &impl WaterView) -> SurfaceMesh {
///     water.surface_mesh(ChunkPos::ZERO, None)
/// }
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// world.pour(IVec3::new(8, 0, 8), 7)?;
/// world.run(9);
/// let (mut feed, mut mirror) = (Feed::new(&mut world), Mirror::new(1));
/// mirror.apply(&feed.whole(&world, [ChunkPos::ZERO]))?;
/// assert_eq!(drawn(&mirror), drawn(&world));
/// assert!(!drawn(&mirror).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait WaterView: Seen {
    /// Returns the net flow of water out of a cell in the last complete tick for which it is known:
    /// units along x, y and z, each −7 to 7; zero where none is known.
    fn current(&self, cell: IVec3) -> IVec3 {
        self.current_at(cell)
    }

    /// Returns the look of a cell; `None` if its chunk is not here, or the cell lies outside
    /// the world's bounds.
    fn look(&self, cell: IVec3) -> Option<Look> {
        self.look_at(cell)
    }

    /// Returns the units of water in a cell, 0 to 7, 7 for the sea; 0 if its chunk is not here.
    fn units(&self, cell: IVec3) -> u8 {
        self.look_at(cell).map_or(0, Look::height)
    }

    /// Returns the surface of the water in a chunk; empty if the chunk is not loaded. With `flow`,
    /// fills in [`SurfaceMesh::flow`], which is zero without it.
    ///
    /// The mesh has these faces of each cell with water:
    ///
    /// - its top, with the heights of [`surface_corner`](WaterView::surface_corner), unless there
    ///   is water above it, or ground that touches the water at all four corners;
    /// - its sides and its bottom towards open cells without water.
    ///
    /// So the skin is closed, also where two chunks meet, except for edges at ground, at the end of
    /// the world and at chunks that are not loaded. Where all four corners of a face have the same
    /// height, flow and slope, it is merged with faces like it: tops and bottoms into rectangles,
    /// sides into rows. Corners in the middle of a merged edge lie on it exactly.
    ///
    /// A cell changes the mesh of the chunks within a cell of it, see
    /// [`meshes_touched`](crate::water::meshes_touched). Water
    /// that passes through empty cells is not part of the mesh; see [`falls`](WaterView::falls).
    /// While a tick is underway, this is the surface after the last complete one.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterView, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
    /// let pool = Region::new(IVec3::new(2, 8, 2), IVec3::new(9, 8, 12));
    /// for cell in pool.positions() {
    ///     world.clear_solid(cell)?;
    /// }
    /// world.fill_water(pool, 4)?;
    /// let mesh = world.surface_mesh(ChunkPos::ZERO, None);
    /// assert_eq!(mesh.indices.len(), 6, "all of a still pool is two triangles");
    /// assert!(mesh.positions.iter().all(|position| position.y == 8.0 + 4.0 / 7.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn surface_mesh(&self, chunk: ChunkPos, flow: Option<&FlowField>) -> SurfaceMesh {
        surface_mesh(self, chunk, flow)
    }

    /// Returns the falls of a chunk, in order of their lowest cells: y slowest, then z, then x. A
    /// fall that extends into the chunk below is continued among the falls of that chunk.
    ///
    /// A cell is part of a fall if
    ///
    /// - it holds water, and the cell below is open and not full; or
    /// - it holds water, as do the cells above and below it, and there is air at one of its sides:
    ///   a full jet, or a wall of water that cannot stand; or
    /// - it holds no water between ticks, but water of a spring passes through it.
    ///
    /// The mesh shows cells with water above them as full; a fall has the thickness of its water. A
    /// world at rest has no falls, except springs in the air that supply nothing. Like the mesh,
    /// falls depend on the cells that [`take_changes`](WaterWorld::take_changes) lists within a
    /// cell of them. While a tick is underway, these are the falls after the last complete one.
    ///
    /// ```
    /// use floodplain::water::{Fall, Rules, Voxel, WaterView, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Face, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(3, Rules { source_supply: 2, ..Rules::lossless() })?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.add_source(IVec3::new(8, 12, 8))?;
    /// world.run(11);
    /// let lowest = IVec3::new(8, 1, 8);
    /// let fall = world.falls(ChunkPos::ZERO)[0];
    /// assert_eq!(fall, Fall { lowest, cells: 11, direction: Face::Down, units: 2 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn falls(&self, chunk: ChunkPos) -> Vec<Fall> {
        falls(self, chunk)
    }

    /// Returns the height of the water's surface at the north-west corner of a cell, above the
    /// bottom of that cell: 1/7 to 1, or `None` if none of the four cells around the corner in this
    /// layer holds water. It is 1 if one of them has water above it, else the mean of their heights
    /// in cells.
    ///
    /// The corner is the one with the cell's smallest x and z. The result is the same for all cells
    /// that share the corner, in whichever chunks they are. Cells that are not loaded count as
    /// ground.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterView, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// let cell = |x, z| IVec3::new(x, 0, z);
    /// world.fill_water(Region::cell(cell(4, 4)), 7)?;
    /// world.fill_water(Region::cell(cell(5, 4)), 3)?;
    /// assert_eq!(world.surface_corner(cell(5, 5)), Some(5.0 / 7.0), "the mean of both");
    /// assert_eq!(world.surface_corner(cell(6, 4)), Some(3.0 / 7.0), "that of one");
    /// assert_eq!(world.surface_corner(cell(7, 4)), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn surface_corner(&self, cell: IVec3) -> Option<f32> {
        corners::surface_corner(self, cell)
    }

    /// Returns the y of the water's surface over or under a point that is in a cell with water: the
    /// top of the water that stands in this cell and, without a gap, in the cells above it. `None`
    /// if the point's cell holds no water.
    ///
    /// The surface is that of [`surface_mesh`](WaterView::surface_mesh); in still, level water it
    /// is exactly the height of the cells. The point may lie above the surface, in a cell that is
    /// not full. Takes time linear in the depth.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterView, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::{IVec3, Vec3}};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 2, 15)), 7)?;
    /// world.fill_water(Region::new(IVec3::new(0, 3, 0), IVec3::new(15, 3, 15)), 3)?;
    /// let diver = Vec3::new(4.2, 1.0, 7.9);
    /// assert_eq!(world.level_at(diver), Some(3.0 + 3.0 / 7.0));
    /// assert_eq!(world.depth_below(diver), 2.0 + 3.0 / 7.0);
    /// assert_eq!(world.level_at(Vec3::new(4.2, 4.1, 7.9)), None, "in the air");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn level_at(&self, point: Vec3) -> Option<f32> {
        level::level_at(self, point)
    }

    /// Returns how far a point is below the surface of the water that it is in, in cells; 0 if the
    /// point lies above the surface or in no water. See [`level_at`](WaterView::level_at).
    fn depth_below(&self, point: Vec3) -> f32 {
        self.level_at(point).map_or(0.0, |level| (level - point.y).max(0.0))
    }

    /// Returns the part of a box between two corners that is under water, for its buoyancy.
    ///
    /// Each cell counts with the part of the box in it, up to the surface over the middle of that
    /// part. In still, level water this is exact except for rounding.
    ///
    /// # Errors
    /// A corner is not a number or out of the `i32` range, or the box touches more than
    /// [`MOST_CELLS`](Submerged::MOST_CELLS) cells.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterView, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::{IVec3, Vec3}};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 2, 15)), 7)?;
    /// // A raft of 2×1×2 cells, half under water.
    /// let raft = world.submerged(Vec3::new(4.0, 2.5, 4.0), Vec3::new(6.0, 3.5, 6.0))?;
    /// assert_eq!(raft.volume, 2.0);
    /// assert_eq!(raft.centre, Vec3::new(5.0, 2.75, 5.0));
    /// assert_eq!(raft.buoyancy(1000.0, 9.81), 19_620.0, "newtons, if cells are cubic metres");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn submerged(&self, a: Vec3, b: Vec3) -> Result<Submerged, SubmergedError> {
        level::submerged(self, a, b)
    }
}

impl<W: Seen> WaterView for W {}

/// Looks and currents, from which everything is drawn: the part of drawing that differs between a
/// world and a mirror.
pub trait Seen {
    /// Returns the looks of the cells of a chunk after the last complete tick; `None` if the chunk
    /// is not here.
    fn looks(&self, chunk: ChunkPos) -> Option<ChunkLooks<'_>>;

    /// Returns the number of complete ticks when the water had its currents; `None` if the currents
    /// are not known, or while a tick is underway.
    fn current_tick(&self) -> Option<u64>;

    /// Returns the net flow of water out of a cell in the last complete tick with known currents:
    /// units along x, y and z, each −7 to 7; zero where none is known.
    fn current_at(&self, cell: IVec3) -> IVec3;

    /// Returns the chunks that may have currents, each once, with the layers (by bit, from the
    /// lowest) that may have them.
    fn current_layers(&self) -> Vec<(ChunkPos, u16)>;

    /// Returns the layers (by bit) of a chunk that may hold water, the sea or a fall; 0 if the
    /// chunk is not here. Other layers are not read.
    fn wet_layers(&self, chunk: ChunkPos) -> u16 {
        let Some(looks) = self.looks(chunk) else { return 0 };
        let is_wet = |look: Look| look.may_flow() || look.is_sea();
        if let Some(look) = looks.as_uniform() {
            return if is_wet(look) { u16::MAX } else { 0 };
        }
        let cells = |layer: usize| layer * LAYER_CELLS..(layer + 1) * LAYER_CELLS;
        let wet = (0..16).filter(|&layer| cells(layer).any(|index| is_wet(looks.get(index))));
        wet.fold(0, |layers, layer| layers | 1 << layer)
    }

    /// Returns the cells of a layer, 0 to 15, that hold water or that water passes through, without
    /// the sea: by bit, from the first index on.
    fn flowing(&self, chunk: ChunkPos, layer: usize) -> [u64; 4] {
        let Some(looks) = self.looks(chunk) else { return [0; 4] };
        if let Some(look) = looks.as_uniform() {
            return LayerMask::all_if(look.may_flow()).words();
        }
        let cells = core::array::from_fn(|cell| looks.get(layer * LAYER_CELLS + cell));
        LayerMask::select(&cells, Look::may_flow).words()
    }

    /// Returns the look of a cell; `None` if its chunk is not here, or it is out of the world's
    /// bounds.
    fn look_at(&self, cell: IVec3) -> Option<Look> {
        let look = self.looks(Cube::chunk_of(cell))?.get(Cube::index_of(cell));
        (look != Look::BEYOND).then_some(look)
    }
}

/// The looks of the cells of a chunk, borrowed or made. See [`Seen::looks`].
#[derive(Clone, Debug)]
pub struct ChunkLooks<'c>(Cells<'c>);

#[derive(Clone, Debug)]
enum Cells<'c> {
    Voxels(Cow<'c, Chunk<Voxel>>),
    Looks(Cow<'c, Chunk<Look>>),
}

impl<'c> From<&'c Chunk<Look>> for ChunkLooks<'c> {
    fn from(chunk: &'c Chunk<Look>) -> Self {
        ChunkLooks(Cells::Looks(Cow::Borrowed(chunk)))
    }
}

impl From<Chunk<Look>> for ChunkLooks<'_> {
    fn from(chunk: Chunk<Look>) -> Self {
        ChunkLooks(Cells::Looks(Cow::Owned(chunk)))
    }
}

/// The value of [`ChunkLooks::units`] for solid ground.
pub(super) const GROUND: u8 = FULL + 1;
/// The value of [`ChunkLooks::units`] for a cell beyond the end of the world or not loaded.
pub(super) const BEYOND: u8 = FULL + 2;

impl ChunkLooks<'_> {
    /// Returns the look of a cell, by local index, which wraps at 4096.
    pub fn get(&self, index: usize) -> Look {
        match &self.0 {
            Cells::Voxels(chunk) => Look::of(chunk.get(index)),
            Cells::Looks(chunk) => chunk.get(index),
        }
    }

    fn as_uniform(&self) -> Option<Look> {
        match &self.0 {
            Cells::Voxels(chunk) => chunk.as_uniform().map(Look::of),
            Cells::Looks(chunk) => chunk.as_uniform(),
        }
    }

    /// Returns the units of a cell, [`FULL`] for the sea, or else [`GROUND`] or [`BEYOND`].
    pub(super) fn units(&self, index: usize) -> u8 {
        match &self.0 {
            Cells::Voxels(chunk) => units_of_voxel(chunk.get(index)),
            Cells::Looks(chunk) => units_of_look(chunk.get(index)),
        }
    }

    /// Returns the units of 16 cells, beginning at an index.
    pub(super) fn row(&self, start: usize) -> [u8; 16] {
        match &self.0 {
            Cells::Voxels(chunk) => row_of(chunk, start, units_of_voxel),
            Cells::Looks(chunk) => row_of(chunk, start, units_of_look),
        }
    }
}

fn row_of<T: Copy + PartialEq>(chunk: &Chunk<T>, start: usize, units: fn(T) -> u8) -> [u8; 16] {
    match chunk.as_dense().and_then(|cells| cells[start..].first_chunk::<16>()) {
        Some(cells) => cells.map(units),
        None => [units(chunk.get(start)); 16],
    }
}

fn units_of_voxel(voxel: Voxel) -> u8 {
    if voxel.is_solid() {
        GROUND
    } else if voxel.is_outside() {
        BEYOND
    } else {
        voxel.seen_height()
    }
}

fn units_of_look(look: Look) -> u8 {
    match look {
        Look::GROUND => GROUND,
        Look::BEYOND => BEYOND,
        look => look.height(),
    }
}

impl Seen for WaterWorld {
    fn looks(&self, chunk: ChunkPos) -> Option<ChunkLooks<'_>> {
        let cells = self.chunk(chunk)?;
        // Beyond an edge with a level, the chunk holds sea, which is no cell of the world.
        let is_level = |edge: &Edge| matches!(edge, Edge::Level(_));
        if self.rules.edges.outer.iter().any(is_level) && !holds(self.bounds(), chunk) {
            let look =
                |index| look_within(self.bounds(), Cube::cell_at(chunk, index), cells.get(index));
            return Some(Chunk::from_cells(&core::array::from_fn(look)).into());
        }
        Some(ChunkLooks(Cells::Voxels(cells)))
    }

    fn current_tick(&self) -> Option<u64> {
        (self.backlog() == 0).then_some(self.tick)
    }

    fn current_at(&self, cell: IVec3) -> IVec3 {
        WaterWorld::current(self, cell)
    }

    fn current_layers(&self) -> Vec<(ChunkPos, u16)> {
        let grid = self.store.grid();
        self.current_layers_at().map(|(slot, layers)| (grid.position_at(slot), layers)).collect()
    }

    fn wet_layers(&self, chunk: ChunkPos) -> u16 {
        let Some(slot) = self.store.grid().slot(chunk) else { return 0 };
        let in_tick = layers_in_tick(self, slot);
        let is_wet = |&layer: &usize| {
            let wet = self.store.layer(LayerId::new(slot, layer)).wet
                | self.store.sea(LayerId::new(slot, layer));
            wet.any() || self.store.has(LayerId::new(slot, layer), |voxel| !voxel.is_inert())
        };
        (0..16).filter(is_wet).fold(in_tick, |layers, layer| layers | 1 << layer)
    }

    fn flowing(&self, chunk: ChunkPos, layer: usize) -> [u64; 4] {
        let Some(slot) = self.store.grid().slot(chunk) else { return [0; 4] };
        if layers_in_tick(self, slot) >> layer & 1 == 0 {
            return self.store.select(LayerId::new(slot, layer), |voxel| !voxel.is_inert()).words();
        }
        let chunk = cells_before(self, slot);
        let cells = core::array::from_fn(|cell| chunk.get(layer * LAYER_CELLS + cell));
        LayerMask::select(&cells, |voxel: Voxel| !voxel.is_inert()).words()
    }

    fn look_at(&self, cell: IVec3) -> Option<Look> {
        self.voxel(cell).map(Look::of)
    }
}

/// Returns the layers of a chunk that take part in a tick that is underway. Their cached masks may
/// not match the cells from before the tick.
fn layers_in_tick(world: &WaterWorld, slot: Slot) -> u16 {
    if world.scratch.have_entered() { world.scratch.open_layers(slot) } else { 0 }
}

impl Seen for Mirror {
    fn looks(&self, chunk: ChunkPos) -> Option<ChunkLooks<'_>> {
        self.chunk(chunk).map(ChunkLooks::from)
    }

    fn current_tick(&self) -> Option<u64> {
        Mirror::current_tick(self)
    }

    fn current_at(&self, cell: IVec3) -> IVec3 {
        Mirror::current(self, cell)
    }

    fn current_layers(&self) -> Vec<(ChunkPos, u16)> {
        Mirror::current_layers(self).collect()
    }
}
