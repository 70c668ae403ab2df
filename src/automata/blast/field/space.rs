//! The bounds and borders of a world, its extent, and the geometry behind a face of a cell or
//! chunk.

use crate::automata::blast::rules::{Border, Borders};
use crate::coords::{ChunkPos, Face, Region, Shape};
use glam::IVec3;
use hashbrown::HashSet;

/// The result of a step across a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond<P> {
    /// A rigid border, or the face of a chunk that stands still.
    Rigid,
    /// An open border, or the end of the extent.
    Open,
    /// A cell or a chunk at this position, loaded or not.
    There(P),
}

/// A face of a chunk, or of the part of it that is in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// The local coordinate, along the face's axis, of the last cells before the face.
    pub(crate) plane: usize,
    /// What lies behind the face.
    pub(crate) beyond: Beyond<ChunkPos>,
    /// Whether the face is at the world's bounds, including periodic borders.
    pub(crate) is_border: bool,
}

/// The bounds of a world with their borders, and the chunks with special treatment.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    pub(crate) bounds: Region,
    pub(crate) borders: Borders,
    /// The chunks that pressure may enter; `None` if it may enter all chunks. Pressure leaves at
    /// the faces of all other chunks, as across an open border.
    pub(crate) extent: Option<HashSet<ChunkPos>>,
    /// The chunks that stand still: no pressure passes their faces.
    pub(crate) still: HashSet<ChunkPos>,
}

impl Space {
    /// Returns a space in which pressure may enter all chunks, and none stands still.
    pub(crate) fn new(bounds: Region, borders: Borders) -> Space {
        Space { bounds, borders, extent: None, still: HashSet::new() }
    }

    /// Returns the bytes on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.still.allocation_size() + self.extent.as_ref().map_or(0, HashSet::allocation_size)
    }

    /// Returns whether pressure may enter a chunk.
    pub(crate) fn admits(&self, chunk: ChunkPos) -> bool {
        self.extent.as_ref().is_none_or(|extent| extent.contains(&chunk))
    }

    /// Returns whether no pressure passes between two chunks because one of them stands still.
    pub(crate) fn is_parted(&self, chunks: [ChunkPos; 2]) -> bool {
        !self.still.is_empty() && chunks.iter().any(|chunk| self.still.contains(chunk))
    }

    /// Returns the result of a step across the face between two chunks: `there`, a chunk or a cell
    /// of the second one, if pressure may pass between them.
    fn across<P>(&self, chunks: [ChunkPos; 2], there: P) -> Beyond<P> {
        if self.is_parted(chunks) {
            Beyond::Rigid
        } else if self.admits(chunks[1]) {
            Beyond::There(there)
        } else {
            Beyond::Open
        }
    }

    /// Returns the world's last coordinate towards `face`, and the last one towards the opposite
    /// face.
    fn ends(&self, face: Face) -> (i32, i32) {
        let axis = axis(face);
        let (min, max) = (self.bounds.min()[axis], self.bounds.max()[axis]);
        if is_positive(face) { (max, min) } else { (min, max) }
    }

    fn beyond_border<P>(&self, face: Face, on_the_other_side: P) -> Beyond<P> {
        match self.borders.by_axis()[axis(face)] {
            Border::Rigid => Beyond::Rigid,
            Border::Open => Beyond::Open,
            Border::Periodic => Beyond::There(on_the_other_side),
        }
    }

    /// Returns the cell or border behind a face of a cell of the world.
    pub(crate) fn beyond_cell<S: Shape>(&self, cell: IVec3, face: Face) -> Beyond<IVec3> {
        let (end, other_end) = self.ends(face);
        match face.step(cell) {
            Some(there) if cell[axis(face)] != end => {
                let chunks = [cell, there].map(S::chunk_of);
                if chunks[0] == chunks[1] {
                    Beyond::There(there)
                } else {
                    self.across(chunks, there)
                }
            }
            _ => self.beyond_border(face, with_axis(cell, face, other_end)),
        }
    }

    /// Returns the chunk or border behind a face of a chunk that has cells in the world.
    pub(crate) fn side<S: Shape>(&self, chunk: ChunkPos, face: Face) -> Side {
        let axis = axis(face);
        let (end, other_end) = self.ends(face);
        let chunk_of = |cell: i32| IVec3::from(S::chunk_of(IVec3::splat(cell)))[axis];
        let local = |cell: i32| (cell & ((1 << S::BITS[axis]) - 1)) as usize;
        match chunk.step(face) {
            Some(there) if IVec3::from(chunk)[axis] != chunk_of(end) => Side {
                plane: outermost::<S>(face),
                beyond: self.across([chunk, there], there),
                is_border: false,
            },
            _ => {
                let around = with_axis(chunk.into(), face, chunk_of(other_end));
                Side {
                    plane: local(end),
                    beyond: self.beyond_border(face, ChunkPos::from(around)),
                    is_border: true,
                }
            }
        }
    }

    /// Returns whether all cells of a chunk are in the world.
    pub(crate) fn has_all_of<S: Shape>(&self, chunk: ChunkPos) -> bool {
        let region = S::region_of(chunk);
        self.bounds.intersection(&region) == Some(region)
    }

    /// Returns the local coordinate, along the face's axis, of the cells behind a periodic border.
    pub(crate) fn opposite_plane<S: Shape>(&self, face: Face) -> usize {
        let (_, other_end) = self.ends(face);
        (other_end & ((1 << S::BITS[axis(face)]) - 1)) as usize
    }
}

/// Returns the axis across a face: 0 to 2 for x to z.
pub(crate) fn axis(face: Face) -> usize {
    face.index() / 2
}

/// Returns whether a face looks towards larger coordinates.
pub(crate) fn is_positive(face: Face) -> bool {
    face.index() % 2 == 1
}

/// Returns the local coordinate, along a face's axis, of a chunk's cells at that face.
pub(crate) fn outermost<S: Shape>(face: Face) -> usize {
    if is_positive(face) { (1 << S::BITS[axis(face)]) - 1 } else { 0 }
}

fn with_axis(mut position: IVec3, face: Face, value: i32) -> IVec3 {
    position[axis(face)] = value;
    position
}

/// Returns the indices of a chunk's cells with this local coordinate along this axis, ascending.
pub(crate) fn plane_cells<S: Shape>(axis: usize, at: usize) -> impl Iterator<Item = usize> + Clone {
    let side = |axis: usize| 1usize << S::BITS[axis];
    let [a, b] = [[1, 2], [2, 0], [0, 1]][axis];
    let (fast, slow) = if S::STRIDES[a] < S::STRIDES[b] { (a, b) } else { (b, a) };
    (0..side(slow)).flat_map(move |outer| {
        (0..side(fast)).map(move |inner| {
            at * S::STRIDES[axis] + outer * S::STRIDES[slow] + inner * S::STRIDES[fast]
        })
    })
}

/// Returns the index of the cell behind a face, if it is in the same chunk.
pub(crate) fn inner_step<S: Shape>(index: usize, face: Face) -> Option<usize> {
    let (axis, last) = (axis(face), (1 << S::BITS[axis(face)]) - 1);
    let local = (index / S::STRIDES[axis]) & last;
    match is_positive(face) {
        true if local < last => Some(index + S::STRIDES[axis]),
        false if local > 0 => Some(index - S::STRIDES[axis]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{CHUNK_CELLS, Cube, Sheet};

    fn planes_are_all_cells_with_a_coordinate<S: Shape>() {
        for axis in 0..3 {
            for at in
                [0, 5, (1 << S::BITS[axis]) - 1].into_iter().filter(|at| at >> S::BITS[axis] == 0)
            {
                let expected: Vec<usize> = (0..CHUNK_CELLS)
                    .filter(|&index| S::cell_at(ChunkPos::ZERO, index)[axis] == at as i32)
                    .collect();
                assert_eq!(plane_cells::<S>(axis, at).collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn planes_are_all_cells_with_a_coordinate_in_both_shapes() {
        planes_are_all_cells_with_a_coordinate::<Sheet>();
        planes_are_all_cells_with_a_coordinate::<Cube>();
    }

    #[test]
    fn cells_and_chunks_agree_on_what_lies_beyond() {
        let bounds = Region::new(IVec3::new(-3, 0, 0), IVec3::new(29, 63, 0));
        let borders = Borders { x: Border::Periodic, y: Border::Open, z: Border::Rigid };
        let space = Space::new(bounds, borders);
        assert_eq!(
            space.beyond_cell::<Sheet>(IVec3::new(29, 4, 0), Face::East),
            Beyond::There(IVec3::new(-3, 4, 0))
        );
        assert_eq!(
            space.beyond_cell::<Sheet>(IVec3::new(0, 4, 0), Face::West),
            Beyond::There(IVec3::new(-1, 4, 0))
        );
        assert_eq!(space.beyond_cell::<Sheet>(IVec3::new(0, 63, 0), Face::Up), Beyond::Open);
        let side = space.side::<Sheet>(ChunkPos::ZERO, Face::East);
        assert_eq!(
            (side.plane, side.beyond, side.is_border),
            (29, Beyond::There(ChunkPos::new(-1, 0, 0)), true)
        );
        assert_eq!(space.opposite_plane::<Sheet>(Face::East), 61);
        let side = space.side::<Sheet>(ChunkPos::ZERO, Face::West);
        assert_eq!(
            (side.plane, side.beyond, side.is_border),
            (0, Beyond::There(ChunkPos::new(-1, 0, 0)), false)
        );
        let everywhere = Space::new(Region::EVERYWHERE, borders);
        assert_eq!(
            everywhere.beyond_cell::<Sheet>(IVec3::MAX, Face::East),
            Beyond::There(IVec3::new(i32::MIN, i32::MAX, i32::MAX))
        );
        assert_eq!(everywhere.beyond_cell::<Sheet>(IVec3::MAX, Face::South), Beyond::Rigid);
    }

    #[test]
    fn pressure_leaves_at_the_end_of_the_extent_and_stays_where_chunks_stand_still() {
        let mut space = Space::new(Region::EVERYWHERE, Borders::default());
        space.extent = Some([ChunkPos::ZERO, ChunkPos::new(1, 0, 0)].into_iter().collect());
        space.still.insert(ChunkPos::new(1, 0, 0));
        for (face, is_rigid) in [(Face::East, true), (Face::West, false)] {
            let side = space.side::<Cube>(ChunkPos::ZERO, face);
            let beyond = if is_rigid { Beyond::Rigid } else { Beyond::Open };
            assert_eq!((side.beyond, side.is_border), (beyond, false));
            let cell = IVec3::X * if face == Face::East { 15 } else { 0 };
            let beyond = if is_rigid { Beyond::Rigid } else { Beyond::Open };
            assert_eq!(space.beyond_cell::<Cube>(cell, face), beyond);
        }
        assert_eq!(space.beyond_cell::<Cube>(IVec3::X, Face::West), Beyond::There(IVec3::ZERO));
    }
}
