//! What is drawn and felt of water, of a world or of a mirror: looks, meshes, falls, currents,
//! levels, buoyancy.

use crate::border::{border, enter, out, room, value};
use crate::places::{chunk_at, chunk_numbers};
use crate::status::{Answer, Fault, FpStatus};
use crate::worlds::{FpWorld, with_view};
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::{FlowField, Look, WaterView};
use floodplain::{CHUNK_CELLS, ChunkPos, Cube, Shape};

/// In a look: the units of water, 0 to 7; 7 for the sea.
pub const FP_LOOK_UNITS: u16 = 7;
/// In a look: solid ground.
pub const FP_LOOK_SOLID: u16 = 1 << 3;
/// In a look: the sea.
pub const FP_LOOK_SEA: u16 = 1 << 4;
/// In a look: beyond the bounds of the world.
pub const FP_LOOK_BEYOND: u16 = 1 << 5;
/// In a look of 0 units: water passes through the cell. Its thickness, 0 to 7, is in bits 8 to 10,
/// its direction, a face, in bits 12 to 14.
pub const FP_LOOK_PASSING: u16 = 1 << 6;

/// Returns the bits of a look.
fn bits_of(look: Look) -> u16 {
    if look.is_solid() {
        return FP_LOOK_SOLID;
    }
    if look == Look::BEYOND {
        return FP_LOOK_BEYOND;
    }
    let sea = if look.is_sea() { FP_LOOK_SEA } else { 0 };
    let passing = match (look.passing(), look.direction()) {
        (Some(thickness), Some(direction)) => {
            FP_LOOK_PASSING | u16::from(thickness) << 8 | (direction.index() as u16) << 12
        }
        _ => 0,
    };
    u16::from(look.height()) | sea | passing
}

/// Writes what a cell looks like, in the bits of `FP_LOOK_UNITS` and those after it.
///
/// x, y and z are its position.
///
/// Errors: `FP_STATUS_NOT_LOADED`, also for a cell out of bounds; `FP_STATUS_KIND` for worlds
/// without water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_look(
    view: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    look: *mut u16,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (view, place) = unsafe { (enter(view)?, out(look, "look")?) };
        let at = IVec3::new(x, y, z);
        let look = with_view!(view.read(), view => Ok(view.look(at)))?;
        let words = format_args!("cell {at} is not here");
        place.put(bits_of(look.ok_or_else(|| Fault::new(FpStatus::NotLoaded, words))?));
        Ok(())
    })
}

/// Writes what the cells of a chunk look like, as `fp_view_look`: 4,096, by index.
///
/// x, y and z are its chunk position. `out` has room for `capacity` looks; `length` becomes 4,096.
///
/// Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for worlds without water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_looks(
    view: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    out: *mut u16,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    /// Returns the looks of a chunk that has cells within the bounds of the world.
    fn looks(view: &impl WaterView, chunk: ChunkPos) -> Option<Vec<u16>> {
        let cells = (0..CHUNK_CELLS).map(|index| view.look(Cube::cell_at(chunk, index)));
        let looks: Vec<Option<u16>> = cells.map(|look| look.map(bits_of)).collect();
        let is_here = looks.iter().any(Option::is_some);
        is_here.then(|| looks.iter().map(|look| look.unwrap_or(FP_LOOK_BEYOND)).collect())
    }
    border(|| {
        // SAFETY: the caller's promises.
        let (view, room) = unsafe { (enter(view)?, room(out, capacity, length)?) };
        let chunk = chunk_at([x, y, z]);
        let is_chunk = Cube::holds_chunk(chunk);
        let looks = with_view!(view.read(), view => {
            Ok(is_chunk.then(|| looks(view, chunk)).flatten())
        })?;
        room.fill(&looks.ok_or_else(|| Fault::absent([x, y, z]))?)
    })
}

/// Writes the net flow of water out of a cell in the last complete tick: units along x, y and z,
/// each −7 to 7.
///
/// x, y and z are the cell's position. `current` has room for three numbers.
///
/// Errors: `FP_STATUS_KIND` for worlds without water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_current(
    view: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    current: *mut i32,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (view, place) = unsafe { (enter(view)?, out(current.cast::<[i32; 3]>(), "current")?) };
        let current = with_view!(view.read(), view => Ok(view.current(IVec3::new(x, y, z))))?;
        place.put(current.into());
        Ok(())
    })
}

/// Room of the caller for a mesh. Four successive vertices are a quadrilateral of two triangles; a
/// chunk has at most 52,224 vertices and 78,336 indices.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FpMesh {
    /// Three numbers for each vertex, in cells from the least corner of the chunk: 0 to 16.
    pub positions: *mut f32,
    /// Unit vectors out of the water, three numbers for each vertex; null if not wanted.
    pub normals: *mut f32,
    /// The smoothed flow, in full cells a tick, three numbers for each vertex; null if not wanted.
    /// Zeros until `fp_view_follow_flow` was called.
    pub flow: *mut f32,
    /// The vertices that each of these lists has room for.
    pub vertex_capacity: usize,
    /// Becomes the number of vertices.
    pub vertex_count: usize,
    /// Three for each triangle, counterclockwise as seen from outside the water.
    pub indices: *mut u32,
    /// The indices that there is room for.
    pub index_capacity: usize,
    /// Becomes the number of indices.
    pub index_count: usize,
}

/// Writes the surface of the water in a chunk, as triangles; empty if the chunk is not here.
///
/// x, y and z are its chunk position. `mesh` has the caller's lists, and gets the counts.
///
/// Errors: `FP_STATUS_BUFFER`: the counts are what is needed, and nothing else is written;
/// `FP_STATUS_KIND` for worlds without water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_mesh(
    view: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    mesh: *mut FpMesh,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (view, given) = unsafe { (enter(view)?, value(mesh, "mesh")?) };
        let (chunk, flow) = (chunk_at([x, y, z]), view.flow.as_ref());
        let made = with_view!(view.read(), view => Ok(view.surface_mesh(chunk, flow)))?;
        let mut counts = FpMesh { vertex_count: made.positions.len(), ..given };
        counts.index_count = made.indices.len();
        // SAFETY: the caller's promises.
        unsafe { out(mesh, "mesh") }?.put(counts);
        let is_small = counts.vertex_count > given.vertex_capacity
            || counts.index_count > given.index_capacity;
        if is_small {
            let (vertices, indices) = (counts.vertex_count, counts.index_count);
            let words = format_args!("a mesh of {vertices} vertices and {indices} indices");
            return Err(Fault::new(FpStatus::Buffer, words));
        }
        // Of all lists, before the first is written.
        let of = |first, name| {
            // SAFETY: the caller's promises.
            unsafe { vectors(first, given.vertex_capacity, name) }
        };
        let positions = of(given.positions, "positions")?;
        let wanted = |first: *mut f32, name| match first.is_null() {
            true => Ok(None),
            false => of(first, name).map(Some),
        };
        let (normals, flow) = (wanted(given.normals, "normals")?, wanted(given.flow, "flow")?);
        let mut count = 0;
        // SAFETY: the caller's promises.
        let indices = unsafe { room(given.indices, given.index_capacity, &mut count) }?;
        positions.fill(&flat(&made.positions))?;
        normals.map_or(Ok(()), |room| room.fill(&flat(&made.normals)))?;
        flow.map_or(Ok(()), |room| room.fill(&flat(&made.flow)))?;
        indices.fill(&made.indices)
    })
}

fn flat(vectors: &[Vec3]) -> Vec<[f32; 3]> {
    vectors.iter().map(|vector| vector.to_array()).collect()
}

/// A list of the caller for vectors.
struct Vectors {
    first: *mut [f32; 3],
    capacity: usize,
}

impl Vectors {
    fn fill(&self, values: &[[f32; 3]]) -> Answer {
        let mut length = 0;
        // SAFETY: made by `vectors`, of a list that the caller promised.
        unsafe { room(self.first, self.capacity, &mut length) }?.fill(values)
    }
}

/// Returns a list for vectors, checked.
///
/// # Safety
/// The caller's promises.
unsafe fn vectors(first: *mut f32, capacity: usize, name: &str) -> Answer<Vectors> {
    let first = first.cast::<[f32; 3]>();
    let mut length = 0;
    // SAFETY: as of this function.
    let checked = unsafe { room(first, capacity, &mut length) };
    checked.map_err(|fault| Fault::new(fault.status, format_args!("{name}: {}", fault.words)))?;
    Ok(Vectors { first, capacity })
}

/// Falling water: cells of a chunk one above another with the same direction and thickness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpFall {
    /// The lowest cell.
    pub lowest: [i32; 3],
    /// The number of cells, 1 to 16.
    pub cells: u8,
    /// The face that it is heading to: 2 for down.
    pub direction: u8,
    /// The thickness in sevenths of a cell, 0 to 7.
    pub units: u8,
    /// Unused.
    pub reserved: u8,
}

/// Writes the falls of a chunk, in order of their lowest cells.
///
/// x, y and z are its chunk position. `out` has room for `capacity` falls; `length` becomes how
/// many there are, 0 if the chunk is not here.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for worlds without water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_falls(
    view: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    out: *mut FpFall,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (view, room) = unsafe { (enter(view)?, room(out, capacity, length)?) };
        let chunk = chunk_at([x, y, z]);
        let falls = with_view!(view.read(), view => Ok(view.falls(chunk)))?;
        let falls = falls.into_iter().map(|fall| FpFall {
            lowest: fall.lowest.into(),
            cells: fall.cells,
            direction: fall.direction.index() as u8,
            units: fall.units,
            reserved: 0,
        });
        room.fill(&falls.collect::<Vec<_>>())
    })
}

/// The part of a box that is under water.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FpSubmerged {
    /// In cells of space, 0 to the volume of the box. Times the density of water and gravity it is
    /// the force that lifts the box.
    pub volume: f32,
    /// Its centre of gravity, at which that force acts; zeros if nothing is under water.
    pub centre: [f32; 3],
}

/// Writes the part of a box that is under water.
///
/// `a` and `b` are two opposite corners, three numbers each, in cells.
///
/// Errors: `FP_STATUS_VALUE` for a corner that is not a number or not among the cells of a world,
/// and for a box of more than 32,768 cells; `FP_STATUS_KIND` for worlds without water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_submerged(
    view: *const FpWorld,
    a: *const f32,
    b: *const f32,
    submerged: *mut FpSubmerged,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (view, a, b, place) = unsafe {
            (enter(view)?, vector(a, "a")?, vector(b, "b")?, out(submerged, "submerged")?)
        };
        let part = with_view!(view.read(), view => Ok(view.submerged(a, b)?))?;
        place.put(FpSubmerged { volume: part.volume, centre: part.centre.into() });
        Ok(())
    })
}

/// Returns a vector of three numbers.
///
/// # Safety
/// The caller's promises.
unsafe fn vector(first: *const f32, name: &str) -> Answer<Vec3> {
    // SAFETY: as of this function.
    unsafe { value(first.cast::<[f32; 3]>(), name) }.map(Vec3::from)
}

/// Writes the y of the water's surface over or under a point that lies in a cell with water.
///
/// `point` is three numbers, in cells.
///
/// Errors: `FP_STATUS_NONE` if the point's cell holds no water; `FP_STATUS_KIND` for worlds without
/// water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_level(
    view: *const FpWorld,
    point: *const f32,
    level: *mut f32,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (view, point, place) =
            unsafe { (enter(view)?, vector(point, "point")?, out(level, "level")?) };
        let level = with_view!(view.read(), view => Ok(view.level_at(point)))?;
        let words = format_args!("no water at {point}");
        place.put(level.ok_or_else(|| Fault::new(FpStatus::None, words))?);
        Ok(())
    })
}

/// Follows the currents of the last tick, for meshes and `fp_view_flow`: call it after each tick,
/// or after each update of a mirror whose feed sends currents.
///
/// Errors: `FP_STATUS_KIND` for worlds without water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_follow_flow(view: *mut FpWorld) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let mut view = unsafe { enter(view) }?;
        let mut flow = view.flow.take().unwrap_or_else(FlowField::new);
        let followed = with_view!(view.read(), view => {
            flow.update(view);
            Ok(())
        });
        view.flow = Some(flow);
        followed
    })
}

/// Writes the smoothed flow at a point, in full cells a tick: −1 to 1 along x, y and z. Zeros where
/// there is no water, and until `fp_view_follow_flow` was called.
///
/// `point` is three numbers, in cells; `flow` has room for three.
///
/// Errors: `FP_STATUS_KIND` for worlds without water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_flow(
    view: *const FpWorld,
    point: *const f32,
    flow: *mut f32,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (view, point, place) = unsafe {
            (enter(view)?, vector(point, "point")?, out(flow.cast::<[f32; 3]>(), "flow")?)
        };
        let field = view.flow.as_ref();
        let flow = with_view!(view.read(), view => {
            Ok(field.map_or(Vec3::ZERO, |flow| flow.at(view, point)))
        })?;
        place.put(flow.into());
        Ok(())
    })
}

/// Lists the chunks with flow, in order of position: their meshes' flow may change in every tick.
///
/// `out` has room for `capacity` numbers, three for each chunk position; `length` becomes how many
/// there are.
///
/// Errors: `FP_STATUS_BUFFER`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_view_flow_chunks(
    view: *const FpWorld,
    out: *mut i32,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (view, room) = unsafe { (enter(view)?, room(out, capacity, length)?) };
        let chunks = view.flow.as_ref().map_or_else(Vec::new, FlowField::chunks);
        let numbers: Vec<[i32; 3]> = chunks.into_iter().map(chunk_numbers).collect();
        room.fill(numbers.as_flattened())
    })
}
