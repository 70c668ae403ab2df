//! The input of a seven-point stencil: a chunk's cells in place, and copies of the six planes of
//! neighbouring cells that touch it.
//!
//! A halo copies 18³ cells, faces copy only six planes of 16² cells. Chunks are scattered in
//! memory, so a visit of all chunks prefetches: while the rows of one chunk are read, the rows of a
//! later chunk are loaded.

use super::Grid;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Face};
use core::{array, hint};

/// 16×16 cells: a horizontal layer by z and x, or the face of a chunk.
type Plane<T> = [[T; 16]; 16];

/// A buffer for the cells that [`Grid::faces`] copies. One buffer for each thread is enough.
#[derive(Clone)]
pub struct FaceBuffer<T> {
    /// The cells of a uniform chunk, as an array.
    uniform: Box<[Plane<T>]>,
    /// The planes by [`Face`]. Rows run along x where the plane has an x axis, else along z; the
    /// rows of lower y or z come first.
    planes: [Plane<T>; 6],
    /// For each plane, the value of all of its cells, if they are known to be equal.
    equal: [Option<T>; 6],
}

/// A chunk and the cells that touch its six faces; see [`Grid::faces`].
#[derive(Clone, Copy)]
pub struct Faces<'f, T> {
    layers: &'f [Plane<T>; 16],
    planes: &'f [Plane<T>; 6],
    /// The cells of a later chunk, to prefetch.
    ahead: &'f [Plane<T>; 16],
}

/// Sixteen cells along x and, for each of them, the six cells that touch it; see [`Faces::row`].
#[derive(Clone, Copy)]
pub struct FaceRow<'f, T> {
    /// The cells themselves.
    pub here: &'f [T; 16],
    /// The cells at smaller x.
    pub west: [T; 16],
    /// The cells at larger x.
    pub east: [T; 16],
    /// The cells at smaller y.
    pub down: &'f [T; 16],
    /// The cells at larger y.
    pub up: &'f [T; 16],
    /// The cells at smaller z.
    pub north: &'f [T; 16],
    /// The cells at larger z.
    pub south: &'f [T; 16],
}

impl<T: Copy + PartialEq> FaceBuffer<T> {
    /// Returns a buffer for any number of calls on any grid. It holds about 5,600 cells, which are
    /// initially `value`. If values are equal but differ in bits, such as 0.0 and −0.0, the faces
    /// may hold either value, as a uniform chunk may.
    pub fn new(value: T) -> Self {
        FaceBuffer {
            uniform: vec![[[value; 16]; 16]; 16].into_boxed_slice(),
            planes: [[[value; 16]; 16]; 6],
            equal: [Some(value); 6],
        }
    }

    /// Sets all cells of a plane.
    fn fill(&mut self, face: Face, value: T) {
        let equal = &mut self.equal[face.index()];
        if *equal != Some(value) {
            *equal = Some(value);
            self.planes[face.index()] = [[value; 16]; 16];
        }
    }

    /// Copies the plane of `beyond`, the chunk across `face`, that touches this chunk.
    fn copy(&mut self, beyond: &Chunk<T>, face: Face) {
        let Some(layers) = dense_layers(beyond) else { return self.fill(face, beyond.get(0)) };
        self.equal[face.index()] = None;
        let plane = &mut self.planes[face.index()];
        match face {
            Face::West => copy_column(layers, 15, plane),
            Face::East => copy_column(layers, 0, plane),
            Face::Down => *plane = layers[15],
            Face::Up => *plane = layers[0],
            Face::North => plane.iter_mut().zip(layers).for_each(|(row, layer)| *row = layer[15]),
            Face::South => plane.iter_mut().zip(layers).for_each(|(row, layer)| *row = layer[0]),
        }
    }
}

/// # Faces
impl<T: Copy + PartialEq> Grid<T, Cube> {
    /// Returns a chunk and the cells that touch its six faces, for kernels that read no farther. A
    /// dense chunk's own cells are not copied, so this takes half the time of a
    /// [`halo`](Grid::halo). Missing chunks, including the chunk itself, and positions outside the
    /// `i32` range read as the background.
    ///
    /// ```
    /// use floodplain::{ChunkPos, Cube, FaceBuffer, Grid, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// grid.set(IVec3::new(3, 15, 0), 5);
    /// grid.set(IVec3::new(3, 16, 0), 6);
    /// grid.set(IVec3::new(3, 15, -1), 7);
    /// let mut buffer = FaceBuffer::new(0);
    /// let row = grid.faces(ChunkPos::ZERO, &mut buffer).row(15, 0);
    /// assert_eq!((row.here[3], row.west[4], row.up[3], row.north[3]), (5, 5, 6, 7));
    /// ```
    pub fn faces<'f>(&'f self, chunk: ChunkPos, buffer: &'f mut FaceBuffer<T>) -> Faces<'f, T> {
        for face in Face::ALL {
            match chunk.step(face).and_then(|beyond| self.chunk(beyond)) {
                Some(beyond) => buffer.copy(beyond, face),
                None => buffer.fill(face, self.background()),
            }
        }
        let FaceBuffer { uniform, planes, .. } = buffer;
        let own = self.chunk(chunk);
        let layers = match own.and_then(dense_layers) {
            Some(layers) => layers,
            None => {
                let value = own.and_then(Chunk::as_uniform).unwrap_or(self.background());
                if uniform[0][0][0] != value {
                    uniform.fill([[value; 16]; 16]);
                }
                sixteen(uniform)
            }
        };
        Faces { layers, planes, ahead: layers }
    }

    /// Calls `visit` with each chunk's position and [`faces`](Grid::faces), in the order of
    /// [`chunks`](Grid::chunks). This is faster than separate calls if the chunks exceed the
    /// processor's second-level cache: each row that the kernel reads prefetches a row of the chunk
    /// after the next.
    ///
    /// ```
    /// use floodplain::{ChunkPos, Cube, FaceBuffer, Grid, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// grid.set(IVec3::new(15, 0, 0), 5);
    /// grid.set(IVec3::new(16, 0, 0), 6);
    /// let mut east_of_five = None;
    /// grid.for_each_faces(&mut FaceBuffer::new(0), |chunk, faces| {
    ///     if chunk == ChunkPos::ZERO {
    ///         east_of_five = Some(faces.row(0, 0).east[15]);
    ///     }
    /// });
    /// assert_eq!(east_of_five, Some(6));
    /// ```
    pub fn for_each_faces(
        &self,
        buffer: &mut FaceBuffer<T>,
        mut visit: impl FnMut(ChunkPos, &Faces<'_, T>),
    ) {
        // The next chunk is often a neighbour, whose rim has been read already.
        let mut later = self.chunks().skip(2);
        for (position, _) in self.chunks() {
            let mut faces = self.faces(position, buffer);
            if let Some(ahead) = later.next().and_then(|(_, chunk)| dense_layers(chunk)) {
                faces.ahead = ahead;
            }
            visit(position, &faces);
        }
    }
}

impl<'f, T: Copy> Faces<'f, T> {
    /// Returns the row of the chunk at `y` and `z`, 0 to 15, and the cells that touch it. Both
    /// coordinates wrap at 16.
    ///
    /// Write the results of a row to a local array, and store that array as a whole: then the
    /// compiler can tell that no result overwrites an input. A kernel without this took five times
    /// as long.
    #[inline]
    pub fn row(&self, y: usize, z: usize) -> FaceRow<'f, T> {
        let (y, z) = (y & 15, z & 15);
        // A prefetch in safe code: a load whose result is not used, so no instruction waits for it.
        hint::black_box(self.ahead[y][z][0]);
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

/// Returns the sixteen layers of a dense chunk.
fn dense_layers<T: Copy + PartialEq>(chunk: &Chunk<T>) -> Option<&[Plane<T>; 16]> {
    chunk.as_dense().map(|cells| sixteen(cells.as_chunks().0.as_chunks().0))
}

/// Returns the layers as an array.
fn sixteen<T>(layers: &[Plane<T>]) -> &[Plane<T>; 16] {
    match layers.try_into() {
        Ok(layers) => layers,
        Err(_) => unreachable!("a chunk has sixteen layers"),
    }
}

/// Copies the cells with this x into `plane`.
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
    use glam::IVec3;

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
                        let expected =
                            offsets.map(|offset| look(x + offset.x, y + offset.y, z + offset.z));
                        assert!(expected.eq(near), "{cell}, seed {seed}: {x} {y} {z}");
                    }
                }
            }
        }
    }

    /// Whichever chunks are prefetched, each chunk is visited in order with its own cells: dense
    /// chunks, uniform chunks, and the last two chunks, for which nothing is prefetched.
    #[test]
    fn a_visit_of_all_chunks_shows_what_separate_calls_show() {
        for chunks in [0, 1, 2, 3, 7] {
            let mut grid = Grid::<u16, Cube>::new(3);
            for at in 0..chunks {
                let mut chunk = Chunk::uniform(at as u16);
                if at % 3 != 1 {
                    chunk.set(40 * at, 99);
                }
                grid.insert(ChunkPos::new(at as i32 % 4, -(at as i32) / 4, 0), chunk)
                    .expect("none is there");
            }
            let (mut buffer, mut visited) = (FaceBuffer::new(0), Vec::new());
            grid.for_each_faces(&mut FaceBuffer::new(0), |position, faces| {
                let alone = grid.faces(position, &mut buffer);
                for (y, z) in (0..16).flat_map(|y| (0..16).map(move |z| (y, z))) {
                    let near = |row: FaceRow<'_, u16>| {
                        [*row.here, row.west, row.east, *row.down, *row.up, *row.north, *row.south]
                    };
                    assert_eq!(near(faces.row(y, z)), near(alone.row(y, z)), "{position}: {y} {z}");
                }
                visited.push(position);
            });
            assert_eq!(visited, grid.chunks().map(|(position, _)| position).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_chunk_position_outside_the_range_reads_as_background() {
        let grid = world::<Cube>(IVec3::ZERO, 1);
        let mut buffer = FaceBuffer::new(9);
        let faces = grid.faces(IVec3::MAX.into(), &mut buffer);
        for row in (0..256).map(|row| faces.row(row / 16, row % 16)) {
            let near = [row.here, &row.west, &row.east, row.down, row.up, row.north, row.south];
            assert_eq!(near, [&[3; 16]; 7]);
        }
    }
}
