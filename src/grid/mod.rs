//! The sparse grid: a map from chunk positions to chunks, with sets of awake and changed cells.
//! Contains no rules.
//!
//! | file | what |
//! |---|---|
//! | `slot` | a [`Slot`] is the index of a chunk in the slab |
//! | `map` | from chunk position to slot: a chained hash table |
//! | `slab` | the chunks, each with its position; their order of position |
//! | `lend` | chunks that threads own for a while |
//! | `activity`, `marks` | awake and changed cells, by slot and by position |
//! | `part` | the columns that this grid owns where a world is divided; chunks in other columns are ghosts |
//! | `region` | fill and copy boxes of cells |
//! | `cursor`, `halo`, `faces` | three ways to read the surroundings of a cell or chunk |

mod activity;
mod cursor;
mod error;
mod faces;
mod halo;
#[cfg(feature = "rayon")]
pub(crate) mod lend;
mod map;
mod marks;
mod part;
mod region;
mod slab;
mod slot;

pub(crate) use activity::LentMarks;
pub use cursor::Cursor;
pub use error::{GridError, GridFault};
pub use faces::{FaceBuffer, FaceRow, Faces};
pub use halo::HaloShape;
pub use region::FILL_CHUNK_LIMIT;
pub(crate) use slot::{LayerId, Slot};

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, ColumnPos, Cube, Shape};
use crate::grid::map::find;
use activity::Activity;
use core::fmt;
use core::marker::PhantomData;
use glam::IVec3;
use hashbrown::HashSet;
use map::PositionHash;
use slot::Entry;
use std::sync::{Arc, OnceLock};

/// A sparse 3D array of `T` in chunks of 4096 cells; a missing chunk reads as the background and
/// costs nothing.
///
/// `S` is the shape of a chunk: [`Cube`] for worlds, [`Sheet`](crate::Sheet) for single-layer
/// worlds. Cells have positions over the whole `i32` range of each axis; a chunk position is the
/// position of its cells divided by the chunk's size, rounded down.
///
/// Iteration is always in order of position (y slowest, then z, then x), never in hash order.
///
/// A grid holds fewer than 2³²−1 chunks, which take at least 130 GB; a function that would add one
/// more panics.
///
/// ```
/// use floodplain::{ChunkPos, Cube, Grid, Region, glam::IVec3};
/// let mut grid = Grid::<u16, Cube>::new(0);
/// grid.fill(Region::new(IVec3::new(0, 0, 0), IVec3::new(31, 15, 15)), 7)?;
/// assert_eq!(grid.set(IVec3::new(-1, 0, 0), 5), 0);
/// assert_eq!(grid.get(IVec3::new(31, 15, 15)), 7);
/// assert_eq!(grid.get(IVec3::new(i32::MAX, 0, 0)), 0);
///
/// let positions: Vec<ChunkPos> = grid.chunks().map(|(chunk, _)| chunk).collect();
/// assert_eq!(positions, [-1, 0, 1].map(|x| ChunkPos::new(x, 0, 0)));
/// # Ok::<(), floodplain::GridError>(())
/// ```
#[derive(Clone)]
pub struct Grid<T, S: Shape = Cube> {
    hash: PositionHash,
    /// The first chunk of each bucket of the map.
    buckets: Vec<Slot>,
    entries: Vec<Entry<T>>,
    /// For each entry, the index of the chunk's activity or [`slab::NO_ACTIVITY`].
    activity_of: Vec<u32>,
    /// The first vacant entry of the slab.
    vacant: Slot,
    chunk_count: usize,
    /// A cache of the occupied slots in order of position, cleared when a chunk is added or
    /// removed.
    order: OnceLock<Vec<Slot>>,
    activities: Vec<Activity>,
    /// The chunks with an awake mask, each once.
    awake: Vec<Slot>,
    /// The chunks with a changed mask, each once.
    changed: Vec<Slot>,
    /// The columns that this grid owns; `None` if it owns all.
    own: Option<Arc<HashSet<ColumnPos>>>,
    background: T,
    shape: PhantomData<S>,
}

impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Returns a grid without chunks; every cell reads as `background`.
    pub fn new(background: T) -> Self {
        Grid {
            hash: PositionHash::new(),
            buckets: Vec::new(),
            entries: Vec::new(),
            activity_of: Vec::new(),
            vacant: Slot::NONE,
            chunk_count: 0,
            order: OnceLock::new(),
            activities: Vec::new(),
            awake: Vec::new(),
            changed: Vec::new(),
            own: None,
            background,
            shape: PhantomData,
        }
    }

    /// Returns the value that cells of missing chunks read as.
    pub fn background(&self) -> T {
        self.background
    }

    /// Returns the number of chunks stored.
    pub fn chunk_count(&self) -> usize {
        self.chunk_count
    }

    /// Returns the cell at `position`, or the background where the cell's chunk is missing.
    #[inline]
    pub fn get(&self, position: IVec3) -> T {
        match find(self, S::chunk_of(position)) {
            Some((_, entry)) => entry.chunk.get(S::index_of(position)),
            None => self.background,
        }
    }

    /// Writes a cell and returns its old value. If the chunk is missing, makes a chunk of
    /// background cells, unless the value is the background too.
    // Inlined, so that a caller that drops the old value does not wait for its load from memory.
    #[inline(always)]
    pub fn set(&mut self, position: IVec3, value: T) -> T {
        match self.slot(S::chunk_of(position)) {
            Some(slot) => self.chunk_at_mut(slot).set(S::index_of(position), value),
            None => self.set_in_missing(position, value),
        }
    }

    #[cold]
    #[inline(never)]
    fn set_in_missing(&mut self, position: IVec3, value: T) -> T {
        if value != self.background {
            let slot = self.occupy(S::chunk_of(position), Chunk::uniform(self.background));
            self.chunk_at_mut(slot).set(S::index_of(position), value);
        }
        self.background
    }

    /// Returns the chunk at a chunk position.
    pub fn chunk(&self, chunk: ChunkPos) -> Option<&Chunk<T>> {
        self.slot(chunk).map(|slot| self.chunk_at(slot))
    }

    /// Stores a chunk at a chunk position, canonicalised, and returns the chunk that it replaces.
    /// The sets of awake and changed cells stay as they are.
    ///
    /// # Errors
    /// [`GridError::ChunkOutOfRange`] if the cells would have no `i32` positions.
    ///
    /// ```
    /// use floodplain::{Chunk, ChunkPos, Cube, Grid, GridError, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// let far = ChunkPos::new(i32::MAX, 0, 0);
    /// assert_eq!(grid.insert(far, Chunk::uniform(1)), Err(GridError::ChunkOutOfRange(far)));
    /// assert_eq!(grid.insert(ChunkPos::new(far.x / 16, 0, 0), Chunk::uniform(1)), Ok(None));
    /// assert_eq!(grid.get(IVec3::new(far.x, 0, 0)), 1);
    /// ```
    pub fn insert(
        &mut self,
        position: ChunkPos,
        mut chunk: Chunk<T>,
    ) -> Result<Option<Chunk<T>>, GridError> {
        if !S::holds_chunk(position) {
            return Err(GridError::ChunkOutOfRange(position));
        }
        chunk.canonicalize();
        match self.slot(position) {
            Some(slot) => Ok(Some(core::mem::replace(self.chunk_at_mut(slot), chunk))),
            None => {
                self.occupy(position, chunk);
                Ok(None)
            }
        }
    }

    /// Removes and returns the chunk at a chunk position; returns `None` if it is missing. The
    /// chunk's cells leave the sets of awake and changed cells.
    pub fn remove(&mut self, position: ChunkPos) -> Option<Chunk<T>> {
        self.vacate(position)
    }

    /// Returns every chunk with its chunk position, in order of position. The first call after an
    /// insertion or removal sorts the positions.
    pub fn chunks(&self) -> impl Iterator<Item = (ChunkPos, &Chunk<T>)> {
        self.order().iter().map(|&slot| (self.position_at(slot), self.chunk_at(slot)))
    }

    /// Returns every chunk with its chunk position, as a parallel iterator of rayon 1: the work is
    /// shared by the threads of the pool in which the iterator is consumed. Collected results are
    /// in order of position. As in [`chunks`](Grid::chunks), the first call after an insertion or
    /// removal sorts the positions. Feature `rayon`.
    ///
    /// ```
    /// use floodplain::{Chunk, ChunkPos, Grid, glam::IVec3};
    /// use rayon::prelude::*;
    ///
    /// let mut grid = Grid::<u16>::new(0);
    /// for x in [2, 0, 1] {
    ///     grid.insert(ChunkPos::new(x, 0, 0), Chunk::uniform(10 * x as u16))?;
    /// }
    /// let first_cells: Vec<u16> = grid.par_chunks().map(|(_, chunk)| chunk.get(0)).collect();
    /// assert_eq!(first_cells, [0, 10, 20]);
    /// # Ok::<(), floodplain::GridError>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_chunks(
        &self,
    ) -> impl rayon::iter::IndexedParallelIterator<Item = (ChunkPos, &Chunk<T>)>
    where
        T: Send + Sync,
    {
        use rayon::prelude::*;
        self.order().par_iter().map(|&slot| (self.position_at(slot), self.chunk_at(slot)))
    }

    /// Returns the bytes that the grid holds on the heap: cells, masks, slab and map, spare room
    /// included.
    pub fn memory_bytes(&self) -> usize {
        let cells: usize = self.entries.iter().map(|entry| entry.chunk.heap_bytes()).sum();
        let masks: usize = self.activities.iter().map(Activity::heap_bytes).sum();
        cells
            + masks
            + self.slab_bytes()
            + self.activities.capacity() * size_of::<Activity>()
            + (self.awake.capacity() + self.changed.capacity()) * size_of::<Slot>()
    }

    /// Checks all invariants.
    ///
    /// # Errors
    /// A fault is found, which is a bug of this crate. The error is the first [`GridFault`] found.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), GridFault> {
        self.validate_slab()?;
        self.validate_activities()
    }
}

impl<T: Copy + PartialEq + fmt::Debug, S: Shape> fmt::Debug for Grid<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grid")
            .field("shape", &S::default())
            .field("background", &self.background)
            .field("chunks", &self.chunk_count())
            .finish_non_exhaustive()
    }
}

/// # Cursors
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Returns a cursor at `position`, for reading.
    ///
    /// The cursor caches its chunk and the chunks around it, so neighbours cost no lookup.
    ///
    /// ```
    /// use floodplain::{Cube, Face, Grid, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// grid.set(IVec3::new(-1, 0, 0), 7);
    /// let mut cursor = grid.cursor(IVec3::ZERO);
    /// assert_eq!(cursor.neighbour(Face::West), 7);
    /// assert_eq!(cursor.near(IVec3::new(-1, 1, 0)), 0);
    /// assert!(cursor.step(Face::West));
    /// assert_eq!((cursor.position(), cursor.get()), (IVec3::NEG_X, 7));
    /// ```
    pub fn cursor(&self, position: IVec3) -> Cursor<'_, T, S> {
        Cursor::new(self, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_chunk_fits_in_64_bytes_with_all_spare_room() {
        assert_eq!(size_of::<Entry<u16>>(), 32);
        assert_eq!(size_of::<Entry<f32>>(), 32);
        let mut grid = Grid::<u16, Cube>::new(0);
        let mut rooms = std::collections::BTreeSet::new();
        for count in 1..5000 {
            rooms.insert(grid.entries.capacity());
            grid.insert(ChunkPos::new(count % 17, count / 289, count / 17 % 17), Chunk::uniform(1))
                .unwrap();
            if count >= 16 {
                assert_eq!(grid.chunks().count(), count as usize);
                let bytes = grid.memory_bytes();
                assert!(bytes <= 64 * count as usize, "{count} chunks take {bytes} bytes");
            }
        }
        // Room grows by two chunks up to sixteen, then by an eighth: for 5,000 chunks it grows 8 +
        // log(5000 / 16) / log(9 / 8) times, and a few more by rounding.
        assert!(rooms.len() < 70, "the slab grew {} times", rooms.len());
    }

    #[test]
    fn memory_is_the_sum_of_all_heap_allocations() {
        let mut grid = Grid::<u16, Cube>::new(0);
        assert_eq!(grid.memory_bytes(), 0);
        for x in 0..11 {
            grid.insert(ChunkPos::new(x, 0, 0), Chunk::uniform(1)).unwrap();
        }
        // An entry, the index of its activity, and four buckets.
        let mut held = grid.entries.capacity() * (32 + 4 + 4 * 4);
        assert_eq!(grid.memory_bytes(), held);
        (0..3).for_each(|x| _ = grid.set(IVec3::X * 16 * x, 2));
        held += 3 * 8192;
        assert_eq!(grid.memory_bytes(), held, "cells");
        assert_eq!(grid.chunks().count(), 11);
        held += 4 * grid.order.get().map_or(0, Vec::capacity);
        assert_eq!(grid.memory_bytes(), held, "the order");
        grid.mark_changed(IVec3::ZERO).unwrap();
        held +=
            512 + grid.activities.capacity() * size_of::<Activity>() + 4 * grid.changed.capacity();
        assert_eq!(grid.memory_bytes(), held, "a changed mask");
        grid.wake(IVec3::ZERO).unwrap();
        held += 512 + 4 * grid.awake.capacity();
        assert_eq!(grid.memory_bytes(), held, "an awake mask");
        grid.wake(IVec3::X * 16).unwrap();
        assert_eq!(grid.memory_bytes(), held + 512, "another, in spare room");
    }

    #[test]
    fn a_grid_prints_its_size_and_not_its_cells() {
        let mut grid = Grid::<u16, Cube>::new(7);
        grid.set(IVec3::ZERO, 1);
        assert_eq!(format!("{grid:?}"), "Grid { shape: Cube, background: 7, chunks: 1, .. }");
    }

    #[test]
    fn order_does_not_come_from_the_hash() {
        let fill = |order: &mut dyn Iterator<Item = i32>| {
            let mut grid = Grid::<u16, Cube>::new(0);
            for index in order {
                let cell = IVec3::new(index % 5 * 16, index / 25 * -16, index / 5 % 5 * 16);
                grid.set(cell, 1);
                grid.wake(cell).unwrap();
            }
            let positions: Vec<ChunkPos> = grid.chunks().map(|(chunk, _)| chunk).collect();
            assert_eq!(
                positions,
                grid.take_awake().into_iter().map(|(chunk, _)| chunk).collect::<Vec<_>>()
            );
            positions
        };
        let positions = fill(&mut (0..125));
        assert_eq!(positions, fill(&mut (0..125).rev()));
        assert!(positions.is_sorted_by_key(|chunk| [chunk.y, chunk.z, chunk.x]));
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn threads_get_all_chunks_in_order() {
        use rayon::prelude::*;
        let mut random = fastrand::Rng::with_seed(12);
        let mut grid = Grid::<u16, Cube>::new(0);
        for value in 0..500 {
            let position = ChunkPos::from(core::array::from_fn(|_| random.i32(-6..6)));
            grid.insert(position, Chunk::uniform(value)).unwrap();
        }
        // The copies made of this grid have no cached order either.
        let unsorted = grid.clone();
        let expected: Vec<(ChunkPos, u16)> =
            grid.chunks().map(|(position, chunk)| (position, chunk.get(0))).collect();
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let grid = unsorted.clone();
            let chunks =
                || {
                    grid.par_chunks()
                        .map(|(position, chunk)| (position, chunk.get(0)))
                        .collect::<Vec<(ChunkPos, u16)>>()
                };
            let (one, other) = pool.join(chunks, chunks);
            assert_eq!([&one, &other], [&expected; 2], "{threads} threads");
        }
    }

    #[test]
    fn idle_activity_is_removed() {
        let mut grid = Grid::<u16, Cube>::new(0);
        for x in 0..3 {
            grid.set(IVec3::new(16 * x, 0, 0), 1);
        }
        let slots = grid.sorted_slots();
        assert!(
            grid.wake_at(slots[0], 0)
                && grid.wake_at(slots[2], 0)
                && grid.mark_changed_at(slots[1], 0)
        );
        if let Some(mask) = grid.awake_at_mut(slots[0]) {
            mask.remove(0);
        }
        assert_eq!(grid.awake_chunks().count(), 1);
        grid.drop_sleepers();
        assert_eq!(grid.awake_slots(), [slots[2]]);
        assert_eq!((grid.activities.len(), grid.slot_capacity()), (2, 3));
        assert!(grid.sleep(IVec3::new(32, 0, 0)));
        assert_eq!(grid.take_changes().len(), 1);
        assert!(grid.activities.is_empty());
        assert_eq!(grid.validate(), Ok(()));
    }
}
