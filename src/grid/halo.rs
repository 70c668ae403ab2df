//! Halos (ghost cells): the cells of a chunk with a rim one cell wide, gathered into a fixed-size
//! array.

use super::Grid;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Shape, Sheet};
use core::ops::Range;
use glam::IVec3;

/// The array that holds a chunk of this shape with a rim one cell wide. Implemented by [`Cube`] and
/// [`Sheet`] only.
pub trait HaloShape: Shape {
    /// The type of the array. For [`Cube`] it is `[[[T; 18]; 18]; 18]`, indexed by y, z, x; for
    /// [`Sheet`] it is `[[T; 66]; 66]`, indexed by y, x. The chunk's own cells begin at index 1.
    type Halo<T: Send>: Send;

    /// Fills the array from the chunks at offsets −1 to 1 along each axis.
    #[doc(hidden)]
    fn gather<'c, T: Copy + PartialEq + Send + 'c>(
        chunk: impl Fn(IVec3) -> &'c Chunk<T>,
        halo: &mut Self::Halo<T>,
    );
}

impl HaloShape for Cube {
    type Halo<T: Send> = [[[T; 18]; 18]; 18];

    fn gather<'c, T: Copy + PartialEq + Send + 'c>(
        chunk: impl Fn(IVec3) -> &'c Chunk<T>,
        halo: &mut Self::Halo<T>,
    ) {
        for (y, ys, from_y) in parts::<16>() {
            for (z, zs, from_z) in parts::<16>() {
                let chunks = [-1, 0, 1].map(|x| chunk(IVec3::new(x, y, z)));
                let uniform = chunks.map(|chunk| [chunk.get(0); 16]);
                let [west, here, east] = [0, 1, 2].map(|x| Rows::of(chunks[x], &uniform[x]));
                for (layer, from_y) in halo[ys.clone()].iter_mut().zip(from_y..) {
                    for (row, from_z) in layer[zs.clone()].iter_mut().zip(from_z..) {
                        let from = 16 * from_y + from_z;
                        row[0] = west.at(from)[15];
                        row[1..17].copy_from_slice(here.at(from));
                        row[17] = east.at(from)[0];
                    }
                }
            }
        }
    }
}

impl HaloShape for Sheet {
    type Halo<T: Send> = [[T; 66]; 66];

    fn gather<'c, T: Copy + PartialEq + Send + 'c>(
        chunk: impl Fn(IVec3) -> &'c Chunk<T>,
        halo: &mut Self::Halo<T>,
    ) {
        for (y, ys, from_y) in parts::<64>() {
            let chunks = [-1, 0, 1].map(|x| chunk(IVec3::new(x, y, 0)));
            let uniform = chunks.map(|chunk| [chunk.get(0); 64]);
            let [west, here, east] = [0, 1, 2].map(|x| Rows::of(chunks[x], &uniform[x]));
            for (row, from) in halo[ys].iter_mut().zip(from_y..) {
                row[0] = west.at(from)[63];
                row[1..65].copy_from_slice(here.at(from));
                row[65] = east.at(from)[0];
            }
        }
    }
}

/// Returns, along one axis, for each of the three chunks: its offset, the range of the halo that it
/// fills, and the first of its cells to copy.
fn parts<const SIDE: usize>() -> [(i32, Range<usize>, usize); 3] {
    [(-1, 0..1, SIDE - 1), (0, 1..SIDE + 1, 0), (1, SIDE + 1..SIDE + 2, 0)]
}

/// The rows of a chunk along x. A uniform chunk has one row, repeated with a step of 0 instead of a
/// branch per row.
struct Rows<'c, T, const SIDE: usize> {
    rows: &'c [[T; SIDE]],
    step: usize,
}

impl<'c, T: Copy + PartialEq, const SIDE: usize> Rows<'c, T, SIDE> {
    fn of(chunk: &'c Chunk<T>, uniform: &'c [T; SIDE]) -> Self {
        match chunk.as_dense() {
            Some(cells) => Rows { rows: cells.as_chunks().0, step: 1 },
            None => Rows { rows: core::slice::from_ref(uniform), step: 0 },
        }
    }

    #[inline]
    fn at(&self, row: usize) -> &'c [T; SIDE] {
        &self.rows[row * self.step]
    }
}

/// # Halos
impl<T: Copy + PartialEq, S: HaloShape> Grid<T, S> {
    /// Copies the cells of a chunk and the rim of cells around it, corners included. Missing
    /// chunks, including the chunk itself, and positions outside the `i32` range read as the
    /// background.
    ///
    /// A kernel over a halo is a plain loop over an array of fixed size, without bounds checks or
    /// lookups.
    ///
    /// ```
    /// use floodplain::{ChunkPos, Cube, Grid, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// grid.set(IVec3::new(3, 15, 0), 5);
    /// grid.set(IVec3::new(3, 16, 0), 6);
    /// let mut halo = [[[0; 18]; 18]; 18];
    /// grid.halo(ChunkPos::ZERO, &mut halo);
    /// assert_eq!((halo[16][1][4], halo[17][1][4]), (5, 6));
    /// ```
    pub fn halo(&self, chunk: ChunkPos, halo: &mut S::Halo<T>)
    where
        T: Send,
    {
        let background = Chunk::uniform(self.background());
        let at = |offset| {
            IVec3::from(chunk)
                .checked_add(offset)
                .and_then(|beyond| self.chunk(beyond.into()))
                .unwrap_or(&background)
        };
        S::gather(at, halo);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::coords::{CHUNK_CELLS, Region};

    /// Returns a grid of dense, uniform and missing chunks around the chunk that holds `cell`.
    pub(in crate::grid) fn world<S: Shape>(cell: IVec3, seed: u64) -> Grid<u16, S> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut grid = Grid::new(3);
        let around = Region::new(IVec3::NEG_ONE, IVec3::ONE);
        for chunk in around
            .positions()
            .filter_map(|offset| IVec3::from(S::chunk_of(cell)).checked_add(offset))
        {
            let chunk_kind = rng.u8(..4);
            let mut cells = [rng.u16(..5); CHUNK_CELLS];
            if chunk_kind > 1 {
                cells.fill_with(|| rng.u16(..));
            }
            if chunk_kind > 0 && S::holds_chunk(chunk.into()) {
                grid.insert(chunk.into(), Chunk::from_cells(&cells)).unwrap();
            }
        }
        grid
    }

    fn expected<S: Shape>(grid: &Grid<u16, S>, min: IVec3, [x, y, z]: [usize; 3]) -> u16 {
        let offset = IVec3::new(x as i32, y as i32, z as i32) - 1;
        min.checked_add(offset).map_or(3, |position| grid.get(position))
    }

    #[test]
    fn halos_agree_with_lookups_in_both_shapes_and_at_the_extremes() {
        for cell in [IVec3::ZERO, IVec3::splat(-1), IVec3::MIN, IVec3::MAX] {
            let grid = world::<Cube>(cell, 11);
            let mut halo = [[[0; 18]; 18]; 18];
            grid.halo(Cube::chunk_of(cell), &mut halo);
            let min = Cube::region_of(Cube::chunk_of(cell)).min();
            for (y, layer) in halo.iter().enumerate() {
                for (z, row) in layer.iter().enumerate() {
                    for (x, &value) in row.iter().enumerate() {
                        assert_eq!(value, expected(&grid, min, [x, y, z]), "{cell}: {x} {y} {z}");
                    }
                }
            }

            let grid = world::<Sheet>(cell, 11);
            let mut halo = [[0; 66]; 66];
            grid.halo(Sheet::chunk_of(cell), &mut halo);
            let min = Sheet::region_of(Sheet::chunk_of(cell)).min();
            for (y, row) in halo.iter().enumerate() {
                for (x, &value) in row.iter().enumerate() {
                    assert_eq!(value, expected(&grid, min, [x, y, 1]), "{cell}: {x} {y}");
                }
            }
        }
    }

    #[test]
    fn a_chunk_position_outside_the_range_reads_as_background() {
        let grid = world::<Cube>(IVec3::ZERO, 11);
        let mut halo = [[[0; 18]; 18]; 18];
        grid.halo(IVec3::MAX.into(), &mut halo);
        assert_eq!(halo, [[[3; 18]; 18]; 18]);
    }
}
