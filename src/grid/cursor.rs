//! Cursors: a position in a grid with a small cache of the chunks around it, so that neighbouring
//! cells are read without a lookup.

use super::{Grid, Slot};
use crate::coords::{ChunkPos, Cube, Face, Shape};
use crate::grid::map::slot_or_none;
use glam::IVec3;

/// Reads the cells around a position that moves; see [`Grid::cursor`].
#[derive(Clone)]
pub struct Cursor<'g, T, S: Shape = Cube> {
    grid: &'g Grid<T, S>,
    position: IVec3,
    chunk: ChunkPos,
    /// The slot of the chunk at the position.
    slot: Slot,
    /// A direct-mapped cache, indexed by the parities of the three chunk coordinates: no two chunks
    /// that touch share an entry, so around a chunk border no chunk is looked up twice.
    cache: [(ChunkPos, Slot); 8],
}

impl<'g, T: Copy + PartialEq, S: Shape> Cursor<'g, T, S> {
    pub(super) fn new(grid: &'g Grid<T, S>, position: IVec3) -> Self {
        let chunk = S::chunk_of(position);
        let slot = slot_or_none(grid, chunk);
        // An entry is looked up only for positions of its own parity. In seven of the eight entries
        // the initial position has another parity, so it never matches.
        Cursor { grid, position, chunk, slot, cache: [(chunk, slot); 8] }
    }

    /// Returns the cursor's position.
    #[inline]
    pub fn position(&self) -> IVec3 {
        self.position
    }

    /// Returns the cell at the cursor, or the background where the cell's chunk is missing.
    #[inline]
    pub fn get(&self) -> T {
        read(self.grid, self.slot, self.position)
    }

    /// Returns the cell at this offset from the cursor, or the background where the cell's chunk is
    /// missing or its position would leave the `i32` range.
    #[inline]
    pub fn near(&mut self, offset: IVec3) -> T {
        let Some(target) = self.position.checked_add(offset) else { return self.grid.background() };
        let chunk = S::chunk_of(target);
        let slot = if chunk == self.chunk { self.slot } else { self.find_cached(chunk) };
        read(self.grid, slot, target)
    }

    /// Returns the cell across `face`, or the background where the cell's chunk is missing or its
    /// position would leave the `i32` range.
    #[inline]
    pub fn neighbour(&mut self, face: Face) -> T {
        self.near(face.offset())
    }

    /// Moves to `position`.
    #[inline]
    pub fn move_to(&mut self, position: IVec3) {
        let chunk = S::chunk_of(position);
        self.position = position;
        if chunk != self.chunk {
            self.slot = self.find_cached(chunk);
            self.chunk = chunk;
        }
    }

    /// Moves one cell across `face`. If that would leave the `i32` range, stays and returns
    /// `false`.
    #[inline]
    pub fn step(&mut self, face: Face) -> bool {
        let next = face.step(self.position);
        if let Some(next) = next {
            self.move_to(next);
        }
        next.is_some()
    }

    #[inline]
    fn find_cached(&mut self, chunk: ChunkPos) -> Slot {
        let cached = &mut self.cache[parity(chunk)];
        if cached.0 != chunk {
            *cached = (chunk, slot_or_none(self.grid, chunk));
        }
        cached.1
    }
}

#[inline]
fn parity(chunk: ChunkPos) -> usize {
    (chunk.x & 1 | (chunk.y & 1) << 1 | (chunk.z & 1) << 2) as usize
}

#[inline]
fn read<T: Copy + PartialEq, S: Shape>(grid: &Grid<T, S>, slot: Slot, position: IVec3) -> T {
    if slot.is_some() { grid.chunk_at(slot).get(S::index_of(position)) } else { grid.background() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{Region, Sheet};

    /// Walks at random across chunk borders, and compares each neighbouring cell with a lookup.
    fn agrees_with_lookups<S: Shape>(start: IVec3) {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut grid = Grid::<u16, S>::new(9);
        for _ in 0..2000 {
            let away = IVec3::new(rng.i32(-80..80), rng.i32(-80..80), rng.i32(-8..8));
            grid.set(start.saturating_add(away), rng.u16(8..11));
        }
        let (mut cursor, mut position) = (grid.cursor(start), start);
        let cell = |position: Option<IVec3>| position.map_or(9, |position| grid.get(position));
        for _ in 0..4000 {
            let face = Face::ALL[rng.usize(..6)];
            assert_eq!(cursor.step(face), face.step(position).is_some());
            position = face.step(position).unwrap_or(position);
            if rng.u8(..20) == 0 {
                let [x, y] = [(); 2].map(|()| rng.i32(-40..40));
                position = position.saturating_add(IVec3::new(x, y, rng.i32(-2..3)));
                cursor.move_to(position);
            }
            assert_eq!((cursor.position(), cursor.get()), (position, grid.get(position)));
            let far = IVec3::new(rng.i32(-70..70), rng.i32(-70..70), rng.i32(-20..20));
            for offset in Face::ALL.map(Face::offset).into_iter().chain([far]) {
                assert_eq!(cursor.near(offset), cell(position.checked_add(offset)));
            }
            assert_eq!(cursor.neighbour(face), cell(face.step(position)));
        }
    }

    #[test]
    fn chunks_that_touch_have_different_cache_entries() {
        for corner in
            [IVec3::ZERO, IVec3::splat(-1), IVec3::new(7, -8, 1), IVec3::MIN, IVec3::MAX - 1]
        {
            let mut places = Region::new(corner, corner + 1)
                .positions()
                .map(|at| parity(at.into()))
                .collect::<Vec<_>>();
            places.sort_unstable();
            assert_eq!(places, [0, 1, 2, 3, 4, 5, 6, 7]);
        }
    }

    #[test]
    fn cursors_agree_with_lookups_in_both_shapes_and_at_the_extremes() {
        for start in [IVec3::ZERO, IVec3::splat(-1), IVec3::MIN, IVec3::MAX] {
            agrees_with_lookups::<Cube>(start);
            agrees_with_lookups::<Sheet>(start);
        }
    }
}
