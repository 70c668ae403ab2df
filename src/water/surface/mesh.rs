//! The mesh of a chunk's water: a closed skin between water and air, flat stretches merged.

use crate::chunk::{LAYER_CELLS, ones};
use crate::coords::{ChunkPos, Cube, Face, Region, Shape};
use crate::simulation::ChunkChanges;
use crate::water::surface::corners::{self, Column, Neighbourhood, Plane, column, third, within};
use crate::water::surface::flow::{FlowField, LayerFlow};
use crate::water::surface::merge::{Rectangle, rectangles};
use crate::water::surface::view::WaterView;
use glam::{IVec3, Vec2, Vec3};

/// The surface of the water in a chunk, as triangles for a renderer. See
/// [`WaterView::surface_mesh`].
///
/// Positions, normals and flow have one entry for each vertex. Four successive vertices are a
/// quadrilateral of two triangles; there are at most 13,056 quadrilaterals in a chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Positions in cells, from the corner of the chunk with the smallest coordinates: 0 to 16.
    pub positions: Vec<Vec3>,
    /// Unit vectors that point out of the water. The normals of tops follow the slope of the
    /// surface at the corner; cells that share the corner have the same normal there.
    pub normals: Vec<Vec3>,
    /// The smoothed flow at the vertex, in full cells a tick: the mean over the up to four cells
    /// with water around it in its layer.
    pub flow: Vec<Vec3>,
    /// Three indices for each triangle, counterclockwise as seen from outside the water.
    pub indices: Vec<u32>,
}

impl SurfaceMesh {
    /// Returns whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    fn add(&mut self, vertices: [(Vec3, Vec3, Vec3); 4]) {
        let first = self.positions.len() as u32;
        for (position, normal, flow) in vertices {
            self.positions.push(position);
            self.normals.push(normal);
            self.flow.push(flow);
        }
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|vertex| first + vertex));
    }
}

/// See [`WaterView::surface_mesh`].
pub(super) fn surface_mesh(
    view: &(impl WaterView + ?Sized),
    chunk: ChunkPos,
    flow: Option<&FlowField>,
) -> SurfaceMesh {
    crate::spans::span!("mesh");
    let mut mesh = SurfaceMesh::default();
    let wet = view.wet_layers(chunk);
    if wet == 0 {
        return mesh;
    }
    let chunks = Neighbourhood::of(view, chunk);
    for layer in ones(wet.into()) {
        let [below, here, above] = [-1, 0, 1].map(|offset| chunks.plane(layer as i32 + offset));
        let shown = Face::ALL.map(|face| shown(face, [&below, &here, &above]));
        if shown.as_flattened().iter().any(|&row| row != 0) {
            let flow = flow.map(|flow| flow.round(chunk, layer));
            let corners = corners_of(&here, &above, flow);
            Layer { y: layer as f32, above, corners }.add_to(&mut mesh, &shown);
        }
    }
    mesh
}

/// Returns the chunks whose [`surface_mesh`](WaterView::surface_mesh) may change because of changed
/// cells: chunks within a cell of them, loaded or not, each once, in order of position. A chunk
/// that is loaded or unloaded touches the 26 chunks around it.
///
/// ```
/// use floodplain::water::{Rules, Voxel, WaterWorld, meshes_touched};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// world.pour(IVec3::new(15, 8, 8), 7)?;
/// assert_eq!(meshes_touched(&world.take_changes()), [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn meshes_touched(changes: &[ChunkChanges]) -> Vec<ChunkPos> {
    let mut touched = Vec::new();
    for ChunkChanges { chunk, cells } in changes {
        let mut seen = [false; 27];
        for cell in cells.iter() {
            let local = Cube::cell_at(ChunkPos::ZERO, cell);
            let near = Region::new((local - 1) >> 4, (local + 1) >> 4);
            near.positions().for_each(|IVec3 { x, y, z }| {
                seen[(9 * (y + 1) + 3 * (z + 1) + x + 1) as usize] = true;
            });
        }
        let round = Region::new(IVec3::NEG_ONE, IVec3::ONE).positions().zip(seen);
        let near = round.filter(|&(_, is_near)| is_near);
        let near = near.filter_map(|(offset, _)| IVec3::from(*chunk).checked_add(offset));
        touched.extend(near.map(ChunkPos::from).filter(|&chunk| Cube::holds_chunk(chunk)));
    }
    touched.sort_unstable();
    touched.dedup();
    touched
}

/// The surface at a corner of a layer.
#[derive(Clone, Copy, Default, PartialEq)]
struct Corner {
    /// The height above the bottom of the layer.
    height: f32,
    slope: Vec2,
    flow: Vec3,
}

/// The corners of a layer, by z and x.
type Corners = [[Corner; 17]; 17];

fn corners_of(here: &Plane, above: &Plane, flow: Option<[[Option<&LayerFlow>; 3]; 3]>) -> Corners {
    let mut corners = [[Corner::default(); 17]; 17];
    for (z, row) in (0..).zip(&mut corners) {
        // Bit x is the cell before x; most layers of real ground hold a few cells of water.
        let wet = here.wet(z - 1) | here.wet(z);
        for (x, corner) in (0..).zip(row).filter(|&(x, _)| wet >> x & 0b11 != 0) {
            let cells = [(x - 1, z - 1), (x, z - 1), (x - 1, z), (x, z)];
            let round = cells.map(|(x, z)| column(here, above, x, z));
            if let Some(height) = corners::height(round) {
                let flow = flow.map_or(Vec3::ZERO, |layers| mean_flow(&layers, cells, round));
                *corner = Corner { height, slope: corners::slope(round), flow };
            }
        }
    }
    corners
}

/// Returns the mean flow of the cells that hold water among four cells, at least one of which does.
fn mean_flow(
    layers: &[[Option<&LayerFlow>; 3]; 3],
    cells: [(i32, i32); 4],
    round: [Column; 4],
) -> Vec3 {
    let (mut sum, mut wet) = (Vec3::ZERO, 0.0);
    for ((x, z), column) in cells.into_iter().zip(round) {
        if column.units > 0 {
            wet += 1.0;
            if let Some(layer) = layers[third(z)][third(x)] {
                sum += layer.get(within(z) << 4 | within(x));
            }
        }
    }
    sum / wet
}

/// Returns the cells of the middle one of three layers with a face towards air, by z and bit. For
/// the tops, it returns the cells without water above them.
fn shown(face: Face, [below, here, above]: [&Plane; 3]) -> [u16; 16] {
    let row = |z: i32| {
        let beyond = match face {
            Face::Down => below.air(z),
            Face::Up => !above.wet(z),
            // In a row, bit 0 is the cell before the first.
            Face::West => here.air(z) << 1,
            Face::East => here.air(z) >> 1,
            Face::North | Face::South => here.air(z + face.offset().z),
        };
        ((here.wet(z) & beyond) >> 1) as u16
    };
    core::array::from_fn(|z| row(z as i32))
}

/// A layer of a chunk, ready to be meshed.
struct Layer {
    y: f32,
    above: Plane,
    corners: Corners,
}

/// A corner of a face: the x and z of its lattice point, and whether it is at the surface, not at
/// the bottom of the layer.
type Point = (usize, usize, bool);

/// Returns the corners of a face of a rectangle of cells, counterclockwise from outside.
fn points(face: Face, Rectangle { x, z, x_end, z_end }: Rectangle) -> [Point; 4] {
    let (low, high) = (false, true);
    match face {
        Face::West => [(x, z, low), (x, z_end, low), (x, z_end, high), (x, z, high)],
        Face::East => {
            [(x_end, z_end, low), (x_end, z, low), (x_end, z, high), (x_end, z_end, high)]
        }
        Face::Down => [(x, z, low), (x_end, z, low), (x_end, z_end, low), (x, z_end, low)],
        Face::Up => [(x, z, high), (x, z_end, high), (x_end, z_end, high), (x_end, z, high)],
        Face::North => [(x_end, z, low), (x, z, low), (x, z, high), (x_end, z, high)],
        Face::South => {
            [(x, z_end, low), (x_end, z_end, low), (x_end, z_end, high), (x, z_end, high)]
        }
    }
}

impl Layer {
    /// Adds the faces that are shown, by [`Face::index`].
    fn add_to(&self, mesh: &mut SurfaceMesh, shown: &[[u16; 16]; 6]) {
        for (face, rows) in Face::ALL.into_iter().zip(shown) {
            if *rows == [0; 16] {
                continue;
            }
            let mut flat = [const { None }; LAYER_CELLS];
            for (z, &row) in rows.iter().enumerate() {
                for x in ones(u64::from(row)) {
                    if face == Face::Up && self.fills_up_to_ground(x, z) {
                        continue;
                    }
                    let cell = Rectangle { x, z, x_end: x + 1, z_end: z + 1 };
                    match self.flat(face, cell) {
                        None => self.add(mesh, face, cell),
                        corner => flat[z << 4 | x] = corner,
                    }
                }
            }
            let is_level = !face.is_lateral();
            let along_x = is_level || matches!(face, Face::North | Face::South);
            let along_z = is_level || matches!(face, Face::West | Face::East);
            rectangles(flat, [along_x, along_z], |rectangle| self.add(mesh, face, rectangle));
        }
    }

    /// Returns whether the water of a cell touches ground above it at all four corners.
    fn fills_up_to_ground(&self, x: usize, z: usize) -> bool {
        let is_high = |x: usize, z: usize| self.corners[z][x].height == 1.0;
        self.above.is_ground(x as i32, z as i32)
            && is_high(x, z)
            && is_high(x + 1, z)
            && is_high(x, z + 1)
            && is_high(x + 1, z + 1)
    }

    /// Returns the surface that all four corners of a face share if the face is flat. Only the
    /// parts of a corner that the face shows are compared.
    fn flat(&self, face: Face, cell: Rectangle) -> Option<Corner> {
        let shown = points(face, cell).map(|(x, z, _)| {
            let corner = self.corners[z][x];
            Corner {
                height: if face == Face::Down { 0.0 } else { corner.height },
                slope: if face == Face::Up { corner.slope } else { Vec2::ZERO },
                flow: corner.flow,
            }
        });
        let [first, rest @ ..] = shown;
        (first.slope == Vec2::ZERO && rest == [first; 3]).then_some(first)
    }

    fn add(&self, mesh: &mut SurfaceMesh, face: Face, rectangle: Rectangle) {
        mesh.add(points(face, rectangle).map(|(x, z, is_high)| {
            let corner = self.corners[z][x];
            let height = if is_high { corner.height } else { 0.0 };
            let normal = match face {
                Face::Up => Vec3::new(-corner.slope.x, 1.0, -corner.slope.y).normalize(),
                _ => face.offset().as_vec3(),
            };
            (Vec3::new(x as f32, self.y + height, z as f32), normal, corner.flow)
        }));
    }
}
