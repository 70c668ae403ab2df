//! Cursors: a position in a grid with a small cache of the chunks around it, so that neighbouring
//! cells are read without a lookup.

use super::{Grid, Slot};
use crate::coords::{ChunkPos, Cube, Face, Shape};
use crate::grid::map::slot_or_none;
use glam::IVec3;

/// A cell position, the slot of its chunk, and the chunks looked up on the way there.
#[derive(Clone)]
struct Trail {
    position: IVec3,
    chunk: ChunkPos,
    slot: Slot,
    /// A direct-mapped cache by the parities of the three chunk coordinates: no two chunks that
    /// touch share an entry, so around a chunk border no chunk is looked up twice.
    cache: [(ChunkPos, Slot); 8],
}

impl Trail {
    fn new<T: Copy + PartialEq, S: Shape>(grid: &Grid<T, S>, position: IVec3) -> Trail {
        let chunk = S::chunk_of(position);
        let slot = slot_or_none(grid, chunk);
        // Each entry holds a position of its own parity. In the other seven entries the position
        // never matches.
        Trail { position, chunk, slot, cache: [(chunk, slot); 8] }
    }

    #[inline]
    fn get<T: Copy + PartialEq, S: Shape>(&self, grid: &Grid<T, S>) -> T {
        read::<T, S>(grid, self.slot, self.position)
    }

    #[inline]
    fn near<T: Copy + PartialEq, S: Shape>(&mut self, grid: &Grid<T, S>, offset: IVec3) -> T {
        let Some(target) = self.position.checked_add(offset) else { return grid.background() };
        let chunk = S::chunk_of(target);
        let slot = if chunk == self.chunk { self.slot } else { self.find_cached(grid, chunk) };
        read::<T, S>(grid, slot, target)
    }

    #[inline]
    fn move_to<T: Copy + PartialEq, S: Shape>(&mut self, grid: &Grid<T, S>, position: IVec3) {
        let chunk = S::chunk_of(position);
        self.position = position;
        if chunk != self.chunk {
            self.slot = self.find_cached(grid, chunk);
            self.chunk = chunk;
        }
    }

    fn step<T: Copy + PartialEq, S: Shape>(&mut self, grid: &Grid<T, S>, face: Face) -> bool {
        let next = face.step(self.position);
        if let Some(next) = next {
            self.move_to(grid, next);
        }
        next.is_some()
    }

    #[inline]
    fn find_cached<T: Copy + PartialEq, S: Shape>(
        &mut self,
        grid: &Grid<T, S>,
        chunk: ChunkPos,
    ) -> Slot {
        let cached = &mut self.cache[Trail::parity(chunk)];
        if cached.0 != chunk {
            *cached = (chunk, slot_or_none(grid, chunk));
        }
        cached.1
    }

    #[inline]
    fn parity(chunk: ChunkPos) -> usize {
        (chunk.x & 1 | (chunk.y & 1) << 1 | (chunk.z & 1) << 2) as usize
    }
}

#[inline]
fn read<T: Copy + PartialEq, S: Shape>(grid: &Grid<T, S>, slot: Slot, position: IVec3) -> T {
    if slot.is_some() { grid.chunk_at(slot).get(S::index_of(position)) } else { grid.background() }
}

/// Reads the cells around a position that moves; see [`Grid::cursor`].
#[derive(Clone)]
pub struct Cursor<'g, T, S: Shape = Cube> {
    grid: &'g Grid<T, S>,
    trail: Trail,
}

/// Reads and writes the cells around a position that moves; see [`Grid::cursor_mut`].
pub struct CursorMut<'g, T, S: Shape = Cube> {
    grid: &'g mut Grid<T, S>,
    trail: Trail,
}

impl<'g, T: Copy + PartialEq, S: Shape> Cursor<'g, T, S> {
    pub(super) fn new(grid: &'g Grid<T, S>, position: IVec3) -> Self {
        Cursor { trail: Trail::new(grid, position), grid }
    }
}

impl<'g, T: Copy + PartialEq, S: Shape> CursorMut<'g, T, S> {
    pub(super) fn new(grid: &'g mut Grid<T, S>, position: IVec3) -> Self {
        CursorMut { trail: Trail::new(grid, position), grid }
    }
}

/// Implements what both cursors do: read and move.
macro_rules! reads_and_moves {
    ($cursor:ident) => {
        impl<T: Copy + PartialEq, S: Shape> $cursor<'_, T, S> {
            /// Returns the cursor's position.
            #[inline]
            pub fn position(&self) -> IVec3 {
                self.trail.position
            }

            /// Returns the cell at the cursor; the background where its chunk is missing.
            #[inline]
            pub fn get(&self) -> T {
                self.trail.get(self.grid)
            }

            /// Returns the cell at this offset; the background where its chunk is missing or its
            /// position would leave the `i32` range.
            #[inline]
            pub fn near(&mut self, offset: IVec3) -> T {
                self.trail.near(self.grid, offset)
            }

            /// Returns the cell across `face`; the background where its chunk is missing or its
            /// position would leave the `i32` range.
            #[inline]
            pub fn neighbour(&mut self, face: Face) -> T {
                self.near(face.offset())
            }

            /// Moves to `position`.
            #[inline]
            pub fn move_to(&mut self, position: IVec3) {
                self.trail.move_to(self.grid, position);
            }

            /// Moves one cell across `face`; stays and returns `false` where that would leave the
            /// `i32` range.
            #[inline]
            pub fn step(&mut self, face: Face) -> bool {
                self.trail.step(self.grid, face)
            }
        }
    };
}
reads_and_moves!(Cursor);
reads_and_moves!(CursorMut);

impl<T: Copy + PartialEq, S: Shape> CursorMut<'_, T, S> {
    /// Writes the cell at the cursor and returns its old value, like [`Grid::set`].
    #[inline]
    pub fn set(&mut self, value: T) -> T {
        let trail = &mut self.trail;
        if trail.slot.is_some() {
            return self.grid.chunk_at_mut(trail.slot).set(S::index_of(trail.position), value);
        }
        let old = self.grid.set(trail.position, value);
        trail.slot = slot_or_none(self.grid, trail.chunk);
        trail.cache[Trail::parity(trail.chunk)] = (trail.chunk, trail.slot);
        old
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{Region, Sheet};

    /// Walks at random across chunk borders, reads and writes, and compares each neighbouring cell
    /// with a lookup.
    fn agrees_with_lookups<S: Shape>(start: IVec3) {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut plain = Grid::<u16, S>::new(9);
        let mut grid = Grid::<u16, S>::new(9);
        let mut cursor = grid.cursor_mut(start);
        let mut position = start;
        for _ in 0..4000 {
            let face = Face::ALL[rng.usize(..6)];
            assert_eq!(cursor.step(face), face.step(position).is_some());
            position = face.step(position).unwrap_or(position);
            if rng.u8(..20) == 0 {
                position = position.saturating_add(IVec3::new(
                    rng.i32(-40..40),
                    rng.i32(-40..40),
                    rng.i32(-2..3),
                ));
                cursor.move_to(position);
            }
            assert_eq!(cursor.position(), position);
            if rng.u8(..3) == 0 {
                let value = rng.u16(8..11);
                assert_eq!(cursor.set(value), plain.set(position, value));
            }
            assert_eq!(cursor.get(), plain.get(position));
            let far = IVec3::new(rng.i32(-70..70), rng.i32(-70..70), rng.i32(-20..20));
            for offset in Face::ALL.map(Face::offset).into_iter().chain([far]) {
                assert_eq!(
                    cursor.near(offset),
                    position.checked_add(offset).map_or(9, |target| plain.get(target))
                );
            }
            assert_eq!(
                cursor.neighbour(face),
                face.step(position).map_or(9, |target| plain.get(target))
            );
        }
        assert_eq!(grid.validate(), Ok(()));
        assert!(grid.chunks().eq(plain.chunks()));
        let (mut reader, mut position) = (grid.cursor(start), start);
        for _ in 0..400 {
            let face = Face::ALL[rng.usize(..6)];
            assert_eq!(reader.step(face), face.step(position).is_some());
            position = face.step(position).unwrap_or(position);
            assert_eq!((reader.position(), reader.get()), (position, plain.get(position)));
            let far = IVec3::new(rng.i32(-70..70), rng.i32(-70..70), rng.i32(-20..20));
            assert_eq!(
                reader.near(far),
                position.checked_add(far).map_or(9, |target| plain.get(target))
            );
            for face in Face::ALL {
                assert_eq!(
                    reader.neighbour(face),
                    face.step(position).map_or(9, |target| plain.get(target))
                );
            }
        }
    }

    #[test]
    fn chunks_that_touch_have_different_cache_entries() {
        for corner in
            [IVec3::ZERO, IVec3::splat(-1), IVec3::new(7, -8, 1), IVec3::MIN, IVec3::MAX - 1]
        {
            let mut places = Region::new(corner, corner + 1)
                .positions()
                .map(|at| Trail::parity(at.into()))
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
