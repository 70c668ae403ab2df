//! Running a rule over a chunk: row by row along x, each row with its neighbour rows, as arrays of
//! fixed size.
//!
//! A rule is written once, over the width `W` of a row and the number `N` of a cell's neighbours,
//! and serves both shapes. Without bounds checks and chunk look-ups the compiler vectorises it.

use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Cube, Face, Shape, Sheet};
use crate::grid::HaloShape;

/// The index, in a buffer of one row's flows along x, of the flow out of the row's first cell; the
/// flow into that cell precedes it. It is sixteen words of four bytes, so that the outflows begin
/// at a cache line if the buffer does.
pub(crate) const FIRST_OUT: usize = 16;

/// A rule that reads a halo and writes one row at a time.
pub(crate) trait RowRule<T> {
    /// Writes the row of `cells` that begins at index `first`. `here` is that row before the step,
    /// and `around` the neighbours of its cells: west, east, down, up, and for cubes north, south,
    /// as in [`Face`].
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[T; W],
        around: [&[T; W]; N],
        cells: &mut [T; W],
    );
}

/// A rule that changes a chunk in place, row by row.
pub(crate) trait InPlaceRule<T> {
    /// Writes the row of `cells` that begins at index `first`. Later rows still hold their values
    /// from before the step.
    fn row<const W: usize>(&mut self, first: usize, cells: &mut [T; CHUNK_CELLS]);
}

/// A value that an automaton stores for each cell.
pub trait Value: Copy + PartialEq + Send + Sync {}

impl<T: Copy + PartialEq + Send + Sync> Value for T {}

/// A shape whose chunks consist of rows, and have rims that their neighbours read. Implemented by
/// [`Cube`] and [`Sheet`] only.
pub trait RowShape: HaloShape {
    /// The cells at each face of a chunk, by the face's index; of a [`Sheet`], at four faces.
    #[doc(hidden)]
    type Rims<T: Value>: Copy + Send + Sync;

    /// The cells at each face, by the face's index; for a [`Sheet`], none at the last two.
    #[doc(hidden)]
    const FACE_CELLS: [CellMask; 6];

    /// Returns a halo of equal cells.
    #[doc(hidden)]
    fn uniform_halo<T: Copy + Send>(value: T) -> Box<Self::Halo<T>>;

    /// Returns the rims of a chunk of equal cells.
    #[doc(hidden)]
    fn uniform_rims<T: Value>(value: T) -> Self::Rims<T>;

    /// Returns the rims of a chunk.
    #[doc(hidden)]
    fn rims_of<T: Value>(cells: &[T; CHUNK_CELLS]) -> Self::Rims<T>;

    /// Returns the cells of a rim at a face, in index order; none at the last two faces of a
    /// [`Sheet`].
    #[doc(hidden)]
    fn rim<T: Value>(rims: &Self::Rims<T>, face: usize) -> &[T];

    /// Returns the mutable cells of a rim at a face.
    #[doc(hidden)]
    fn rim_mut<T: Value>(rims: &mut Self::Rims<T>, face: usize) -> &mut [T];

    /// Combines two rims cell by cell with `combine`.
    #[doc(hidden)]
    fn zip_rims<A: Value, B: Value, C: Value>(
        a: &Self::Rims<A>,
        b: &Self::Rims<B>,
        combine: impl Fn(A, B) -> C,
    ) -> Self::Rims<C>;

    /// Fills a halo with a chunk and the rims of its neighbours. Edges and corners, which no rule
    /// reads, are left alone. `fill` writes the row of the chunk that begins at an index; `around`
    /// is by the index of the face behind which a neighbour is.
    #[doc(hidden)]
    fn pad<T: Value>(
        fill: impl FnMut(usize, &mut [T]),
        around: [&Self::Rims<T>; 6],
        halo: &mut Self::Halo<T>,
    );

    /// Returns the halo's value behind a face of the chunk's cell at `index`.
    #[doc(hidden)]
    fn behind<T: Send>(halo: &mut Self::Halo<T>, index: usize, face: Face) -> &mut T;

    /// Runs a rule over every row of a chunk.
    #[doc(hidden)]
    #[expect(private_bounds, reason = "the trait is sealed, and rules are this crate's own")]
    fn rows<T: Copy + Send, R: RowRule<T>>(
        halo: &Self::Halo<T>,
        cells: &mut [T; CHUNK_CELLS],
        rule: &mut R,
    );

    /// Runs a rule over every row of a chunk in index order.
    #[doc(hidden)]
    #[expect(private_bounds, reason = "the trait is sealed, and rules are this crate's own")]
    fn rows_in_place<T: Copy + Send, R: InPlaceRule<T>>(cells: &mut [T; CHUNK_CELLS], rule: &mut R);
}

/// The functions in which the shapes differ only by the width of a row.
macro_rules! for_rows_of {
    ($width:literal) => {
        const FACE_CELLS: [CellMask; 6] = face_cells::<Self>();

        #[inline(always)]
        fn rim<T: Value>(rims: &Self::Rims<T>, face: usize) -> &[T] {
            rims.get(face).map_or(&[], |rim| rim)
        }

        #[inline(always)]
        fn rim_mut<T: Value>(rims: &mut Self::Rims<T>, face: usize) -> &mut [T] {
            rims.get_mut(face).map_or(&mut [], |rim| rim)
        }

        #[inline(always)]
        fn zip_rims<A: Value, B: Value, C: Value>(
            a: &Self::Rims<A>,
            b: &Self::Rims<B>,
            combine: impl Fn(A, B) -> C,
        ) -> Self::Rims<C> {
            let cell = |face: usize, cell: usize| combine(a[face][cell], b[face][cell]);
            core::array::from_fn(|face| core::array::from_fn(|index| cell(face, index)))
        }

        #[inline(always)]
        #[expect(private_bounds, reason = "the trait is sealed, and rules are this crate's own")]
        fn rows_in_place<T: Copy + Send, R: InPlaceRule<T>>(
            cells: &mut [T; CHUNK_CELLS],
            rule: &mut R,
        ) {
            for first in (0..CHUNK_CELLS).step_by($width) {
                rule.row::<$width>(first, cells);
            }
        }
    };
}

impl RowShape for Sheet {
    for_rows_of!(64);

    type Rims<T: Value> = [[T; 64]; 4];

    fn uniform_halo<T: Copy + Send>(value: T) -> Box<Self::Halo<T>> {
        Box::new([[value; 66]; 66])
    }

    fn uniform_rims<T: Value>(value: T) -> Self::Rims<T> {
        [[value; 64]; 4]
    }

    #[inline(always)]
    fn rims_of<T: Value>(cells: &[T; CHUNK_CELLS]) -> Self::Rims<T> {
        let rows: &[[T; 64]] = cells.as_chunks().0;
        let column = |x: usize| core::array::from_fn(|y| rows[y][x]);
        [column(0), column(63), rows[0], rows[63]]
    }

    #[inline(always)]
    fn pad<T: Value>(
        mut fill: impl FnMut(usize, &mut [T]),
        around: [&Self::Rims<T>; 6],
        halo: &mut Self::Halo<T>,
    ) {
        let [west, east, down, up] = core::array::from_fn(|face| &around[face][face ^ 1]);
        halo[0][1..65].copy_from_slice(down);
        halo[65][1..65].copy_from_slice(up);
        for (y, padded) in halo[1..65].iter_mut().enumerate() {
            padded[0] = west[y];
            fill(64 * y, &mut padded[1..65]);
            padded[65] = east[y];
        }
    }

    #[inline]
    fn behind<T: Send>(halo: &mut Self::Halo<T>, index: usize, face: Face) -> &mut T {
        let [x, y] = [index % 64, index / 64].map(|local| local as i32 + 1);
        let offset = face.offset();
        &mut halo[(y + offset.y) as usize][(x + offset.x) as usize]
    }

    #[inline(always)]
    #[expect(private_bounds, reason = "the trait is sealed, and rules are this crate's own")]
    fn rows<T: Copy + Send, R: RowRule<T>>(
        halo: &Self::Halo<T>,
        cells: &mut [T; CHUNK_CELLS],
        rule: &mut R,
    ) {
        for (y, cells) in cells.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            let row = &halo[y + 1];
            let around = [part(row, 0), part(row, 2), part(&halo[y], 1), part(&halo[y + 2], 1)];
            rule.row(64 * y, part(row, 1), around, cells);
        }
    }
}

impl RowShape for Cube {
    for_rows_of!(16);

    type Rims<T: Value> = [[T; 256]; 6];

    fn uniform_halo<T: Copy + Send>(value: T) -> Box<Self::Halo<T>> {
        Box::new([[[value; 18]; 18]; 18])
    }

    fn uniform_rims<T: Value>(value: T) -> Self::Rims<T> {
        [[value; 256]; 6]
    }

    #[inline(always)]
    fn rims_of<T: Value>(cells: &[T; CHUNK_CELLS]) -> Self::Rims<T> {
        // A face's cells in index order: along x or z first, then along the slower of the other two
        // axes.
        let face = |first: usize, fast: usize, slow: usize| {
            core::array::from_fn(|cell| cells[first + cell % 16 * fast + cell / 16 * slow])
        };
        [
            face(0, 16, 256),
            face(15, 16, 256),
            face(0, 1, 16),
            face(15 * 256, 1, 16),
            face(0, 1, 256),
            face(15 * 16, 1, 256),
        ]
    }

    #[inline(always)]
    fn pad<T: Value>(
        mut fill: impl FnMut(usize, &mut [T]),
        around: [&Self::Rims<T>; 6],
        halo: &mut Self::Halo<T>,
    ) {
        let [west, east, down, up, north, south] =
            core::array::from_fn(|face| &around[face][face ^ 1]);
        let planes = |face: &[T; 256]| -> [[T; 16]; 16] {
            core::array::from_fn(|row| *part(face, 16 * row))
        };
        let [down, up, north, south] = [down, up, north, south].map(planes);
        for side in 0..16 {
            halo[0][side + 1][1..17].copy_from_slice(&down[side]);
            halo[17][side + 1][1..17].copy_from_slice(&up[side]);
            halo[side + 1][0][1..17].copy_from_slice(&north[side]);
            halo[side + 1][17][1..17].copy_from_slice(&south[side]);
        }
        for index in 0..256 {
            let padded = &mut halo[index / 16 + 1][index % 16 + 1];
            padded[0] = west[index];
            fill(16 * index, &mut padded[1..17]);
            padded[17] = east[index];
        }
    }

    #[inline]
    fn behind<T: Send>(halo: &mut Self::Halo<T>, index: usize, face: Face) -> &mut T {
        let [x, y, z] = [index % 16, index / 256, index / 16 % 16].map(|local| local as i32 + 1);
        let offset = face.offset();
        &mut halo[(y + offset.y) as usize][(z + offset.z) as usize][(x + offset.x) as usize]
    }

    #[inline(always)]
    #[expect(private_bounds, reason = "the trait is sealed, and rules are this crate's own")]
    fn rows<T: Copy + Send, R: RowRule<T>>(
        halo: &Self::Halo<T>,
        cells: &mut [T; CHUNK_CELLS],
        rule: &mut R,
    ) {
        for (index, cells) in cells.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let (y, z) = (index / 16 + 1, index % 16 + 1);
            let row = &halo[y][z];
            let around = [
                part(row, 0),
                part(row, 2),
                part(&halo[y - 1][z], 1),
                part(&halo[y + 1][z], 1),
                part(&halo[y][z - 1], 1),
                part(&halo[y][z + 1], 1),
            ];
            rule.row(16 * index, part(row, 1), around, cells);
        }
    }
}

/// Returns `W` consecutive cells of a row or of a chunk, from index `first` on.
#[inline(always)]
pub(crate) fn part<T, const W: usize>(row: &[T], first: usize) -> &[T; W] {
    row[first..].first_chunk().expect("rows end inside of what they are part of")
}

/// Returns a `fill` for [`RowShape::pad`] that copies a chunk's cells unchanged.
#[inline(always)]
pub(crate) fn copy_of<T: Copy>(cells: &[T; CHUNK_CELLS]) -> impl FnMut(usize, &mut [T]) {
    move |first, row| row.copy_from_slice(&cells[first..first + row.len()])
}

/// Returns the cells at each face of a chunk.
const fn face_cells<S: Shape>() -> [CellMask; 6] {
    let mut faces = [CellMask::EMPTY; 6];
    let mut index = 0;
    while index < CHUNK_CELLS {
        let mut axis = 0;
        while axis < 3 {
            let last = (1 << S::BITS[axis]) - 1;
            let along = (index / S::STRIDES[axis]) & last;
            // A chunk one cell thick has no faces across it that a rule could cross.
            if last > 0 {
                if along == 0 {
                    faces[2 * axis].insert_const(index);
                }
                if along == last {
                    faces[2 * axis + 1].insert_const(index);
                }
            }
            axis += 1;
        }
        index += 1;
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::ChunkPos;
    use crate::grid::Grid;

    /// A rule that records its input.
    struct Show<'a> {
        seen: &'a mut Vec<(usize, u32, Vec<u32>)>,
    }

    impl RowRule<u32> for Show<'_> {
        fn row<const W: usize, const N: usize>(
            &mut self,
            first: usize,
            here: &[u32; W],
            around: [&[u32; W]; N],
            cells: &mut [u32; W],
        ) {
            for x in 0..W {
                self.seen.push((first + x, here[x], around.iter().map(|row| row[x]).collect()));
                cells[x] = !here[x];
            }
        }
    }

    fn rows_see_every_cell_and_its_neighbours<S: RowShape>() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut grid = Grid::<u32, S>::new(9);
        for face in Face::ALL {
            let cells = core::array::from_fn(|_| rng.u32(..));
            grid.insert(face.offset().into(), Chunk::from_cells(&cells)).unwrap();
        }
        let mut cells: [u32; CHUNK_CELLS] = core::array::from_fn(|_| rng.u32(..));
        grid.insert(ChunkPos::ZERO, Chunk::from_cells(&cells)).unwrap();
        grid.remove(ChunkPos::new(1, 0, 0));
        grid.insert(ChunkPos::new(0, 1, 0), Chunk::uniform(4)).unwrap();

        let rims = Face::ALL.map(|face| match grid.chunk(face.offset().into()) {
            Some(chunk) => match chunk.as_dense() {
                Some(cells) => S::rims_of(cells),
                None => S::uniform_rims(chunk.get(0)),
            },
            None => S::uniform_rims(9),
        });
        let mut halo = S::uniform_halo(0);
        S::pad(copy_of(&cells), rims.each_ref(), &mut halo);
        for (index, face) in (0..CHUNK_CELLS).flat_map(|index| Face::ALL.map(|face| (index, face)))
        {
            if face.index() < S::NEIGHBOURS {
                let there = S::cell_at(ChunkPos::ZERO, index) + face.offset();
                assert_eq!(
                    *S::behind(&mut halo, index, face),
                    grid.get(there),
                    "{face:?} of {index}"
                );
            }
        }
        let mut seen = Vec::new();
        S::rows(&halo, &mut cells, &mut Show { seen: &mut seen });

        assert_eq!(seen.len(), CHUNK_CELLS);
        for (index, here, around) in seen {
            let position = S::cell_at(ChunkPos::ZERO, index);
            assert_eq!((here, cells[index]), (grid.get(position), !here));
            let expected: Vec<u32> = Face::ALL[..S::NEIGHBOURS]
                .iter()
                .map(|face| grid.get(position + face.offset()))
                .collect();
            assert_eq!(around, expected, "{position}");
        }
    }

    #[test]
    fn rows_see_every_cell_and_its_neighbours_in_both_shapes() {
        rows_see_every_cell_and_its_neighbours::<Sheet>();
        rows_see_every_cell_and_its_neighbours::<Cube>();
    }

    #[test]
    fn faces_hold_the_cells_whose_neighbours_lie_in_another_chunk() {
        fn check<S: RowShape>() {
            for face in &Face::ALL[..S::NEIGHBOURS] {
                for index in 0..CHUNK_CELLS {
                    let beyond = S::cell_at(ChunkPos::ZERO, index) + face.offset();
                    let leaves = S::chunk_of(beyond) != ChunkPos::ZERO;
                    assert_eq!(
                        S::FACE_CELLS[face.index()].contains(index),
                        leaves,
                        "{face:?} {index}"
                    );
                }
            }
        }
        check::<Sheet>();
        check::<Cube>();
    }
}
