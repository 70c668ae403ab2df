//! What a seven-point kernel reads: a chunk's cells where they lie, and the faces of its six neighbours that touch it.
//!
//! A halo copies 18³ cells. Here only the planes of the six faces are copied.

use super::Grid;
use crate::chunk::Chunk;
use crate::coords::{Cube, Face};
use core::array;
use glam::IVec3;

/// 16×16 cells: a horizontal layer by z and x, or the face of a chunk.
type Plane<T> = [[T; 16]; 16];

/// Room for what [`Grid::faces`] copies; one for a thread is enough.
#[derive(Clone)]
pub struct FaceBuffer<T> {
    /// The cells of a chunk that is not dense, all alike.
    uniform: Box<[Plane<T>]>,
    /// By [`Face`]. The rows run along x where the plane has an x axis, else along z; lower y or z first.
    planes: [Plane<T>; 6],
}

/// A chunk and the cells that touch its six faces; see [`Grid::faces`].
#[derive(Clone, Copy)]
pub struct Faces<'f, T> {
    layers: &'f [Plane<T>; 16],
    planes: &'f [Plane<T>; 6],
}

/// Sixteen cells along x and, for each of them, the six cells that touch it; see [`Faces::row`].
#[derive(Clone, Copy)]
pub struct FaceRow<'f, T> {
    /// The cells themselves.
    pub here: &'f [T; 16],
    /// At smaller x.
    pub west: [T; 16],
    /// At larger x.
    pub east: [T; 16],
    /// At smaller y.
    pub down: &'f [T; 16],
    /// At larger y.
    pub up: &'f [T; 16],
    /// At smaller z.
    pub north: &'f [T; 16],
    /// At larger z.
    pub south: &'f [T; 16],
}

impl<T: Copy + PartialEq> FaceBuffer<T> {
    /// A buffer for any number of calls on any grid. It holds some 5,600 cells; `value` is what they are until then.
    pub fn new(value: T) -> Self {
        FaceBuffer { uniform: vec![[[value; 16]; 16]; 16].into_boxed_slice(), planes: [[[value; 16]; 16]; 6] }
    }
}

/// # Faces
impl<T: Copy + PartialEq> Grid<T, Cube> {
    /// A chunk and the cells that touch its six faces, for kernels that look no farther: a dense chunk's own cells are
    /// not copied, so it takes half of the time of a [`halo`](Grid::halo). Missing chunks, the chunk itself too, and
    /// positions outside the `i32` range read as the background.
    ///
    /// ```
    /// use floodplain::{Cube, FaceBuffer, Grid, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// grid.set(IVec3::new(3, 15, 0), 5);
    /// grid.set(IVec3::new(3, 16, 0), 6);
    /// grid.set(IVec3::new(3, 15, -1), 7);
    /// let mut buffer = FaceBuffer::new(0);
    /// let row = grid.faces(IVec3::ZERO, &mut buffer).row(15, 0);
    /// assert_eq!((row.here[3], row.west[4], row.up[3], row.north[3]), (5, 5, 6, 7));
    /// ```
    pub fn faces<'f>(&'f self, chunk: IVec3, buffer: &'f mut FaceBuffer<T>) -> Faces<'f, T> {
        let FaceBuffer { uniform, planes } = buffer;
        for (face, plane) in Face::ALL.into_iter().zip(planes.iter_mut()) {
            match face.step(chunk).and_then(|beyond| self.chunk(beyond)) {
                Some(beyond) => copy_face(beyond, face, plane),
                None => *plane = [[self.background(); 16]; 16],
            }
        }
        let own = self.chunk(chunk);
        if let Some(cells) = own.and_then(Chunk::as_dense) {
            return Faces { layers: layers(cells.as_chunks().0.as_chunks().0), planes };
        }
        let value = own.and_then(Chunk::as_uniform).unwrap_or(self.background());
        if uniform[0][0][0] != value {
            uniform.fill([[value; 16]; 16]);
        }
        Faces { layers: layers(uniform), planes }
    }
}

impl<'f, T: Copy> Faces<'f, T> {
    /// The row of the chunk at `y` and `z`, 0 to 15, and what touches it. Both wrap at 16.
    ///
    /// A kernel is best written so that a row of results is a local array which is stored as a whole: then the compiler need
    /// not fear that a result overwrites what is still to be read. One that it did not trust took five times as long.
    #[inline]
    pub fn row(&self, y: usize, z: usize) -> FaceRow<'f, T> {
        let (y, z) = (y & 15, z & 15);
        let (layers, plane) = (self.layers, |face: Face| &self.planes[face.index()]);
        let here = &layers[y][z];
        let (west, east) = (plane(Face::West)[y][z], plane(Face::East)[y][z]);
        FaceRow {
            here,
            west: array::from_fn(|x| if x == 0 { west } else { here[x - 1] }),
            east: array::from_fn(|x| if x == 15 { east } else { here[x + 1] }),
            down: if y == 0 { &plane(Face::Down)[z] } else { &layers[y - 1][z] },
            up: if y == 15 { &plane(Face::Up)[z] } else { &layers[y + 1][z] },
            north: if z == 0 { &plane(Face::North)[y] } else { &layers[y][z - 1] },
            south: if z == 15 { &plane(Face::South)[y] } else { &layers[y][z + 1] },
        }
    }
}

/// The sixteen layers of a chunk.
fn layers<T>(layers: &[Plane<T>]) -> &[Plane<T>; 16] {
    match layers.try_into() {
        Ok(layers) => layers,
        Err(_) => unreachable!("a chunk has sixteen layers"),
    }
}

/// Copies the plane of the chunk beyond `face` that touches it.
fn copy_face<T: Copy + PartialEq>(beyond: &Chunk<T>, face: Face, plane: &mut Plane<T>) {
    let Some(cells) = beyond.as_dense() else {
        *plane = [[beyond.get(0); 16]; 16];
        return;
    };
    let layers = layers(cells.as_chunks().0.as_chunks().0);
    match face {
        Face::West => copy_column(layers, 15, plane),
        Face::East => copy_column(layers, 0, plane),
        Face::Down => *plane = layers[15],
        Face::Up => *plane = layers[0],
        Face::North => plane.iter_mut().zip(layers).for_each(|(row, layer)| *row = layer[15]),
        Face::South => plane.iter_mut().zip(layers).for_each(|(row, layer)| *row = layer[0]),
    }
}

/// Copies the cells with this x.
fn copy_column<T: Copy>(layers: &[Plane<T>; 16], x: usize, plane: &mut Plane<T>) {
    for (cells, layer) in plane.iter_mut().zip(layers) {
        for (cell, row) in cells.iter_mut().zip(layer) {
            *cell = row[x];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Shape;
    use crate::grid::halo::tests::world;

    #[test]
    fn faces_agree_with_lookups_at_the_extremes_too() {
        let mut buffer = FaceBuffer::new(9);
        for cell in [IVec3::ZERO, IVec3::splat(-1), IVec3::MIN, IVec3::MAX] {
            for seed in 0..8 {
                let grid = world::<Cube>(cell, seed);
                let faces = grid.faces(Cube::chunk_of(cell), &mut buffer);
                let min = Cube::region_of(Cube::chunk_of(cell)).min();
                let look = |x: i32, y: i32, z: i32| {
                    let cell = min.checked_add(IVec3::new(x, y, z));
                    cell.map_or(3, |cell| grid.get(cell))
                };
                for y in 0..16 {
                    for (z, x) in (0..16).flat_map(|z| (0..16).map(move |x| (z, x))) {
                        let (row, at) = (faces.row(y as usize, z as usize), x as usize);
                        let beside = [row.here[at], row.west[at], row.east[at]];
                        let beyond = [row.down[at], row.up[at], row.north[at], row.south[at]];
                        let near = beside.into_iter().chain(beyond);
                        let offsets = [IVec3::ZERO].into_iter().chain(Face::ALL.map(Face::offset));
                        let expected = offsets.map(|offset| look(x + offset.x, y + offset.y, z + offset.z));
                        assert!(expected.eq(near), "{cell}, seed {seed}: {x} {y} {z}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_chunk_position_outside_the_range_reads_as_background() {
        let grid = world::<Cube>(IVec3::ZERO, 1);
        let mut buffer = FaceBuffer::new(9);
        let faces = grid.faces(IVec3::MAX, &mut buffer);
        for row in (0..256).map(|row| faces.row(row / 16, row % 16)) {
            let near = [row.here, &row.west, &row.east, row.down, row.up, row.north, row.south];
            assert_eq!(near, [&[3; 16]; 7]);
        }
    }
}
