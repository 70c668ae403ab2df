//! The part of a grid that one owner has, where a world is divided by columns of chunks. Chunks in
//! the columns of other owners are *ghosts*, as in halo exchange: they are found by position and
//! read, but they are shelved, so that no step visits them, and left out of every list and sum.

use super::{Grid, Slot};
use crate::coords::{ChunkPos, ChunkRegion, ColumnPos, Region, Shape};
#[cfg(feature = "snapshot")]
use hashbrown::HashSet;
#[cfg(feature = "snapshot")]
use std::sync::Arc;

impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Returns whether this grid owns only some of the columns.
    pub(crate) fn is_divided(&self) -> bool {
        self.own.is_some()
    }

    /// Returns whether another owner has the column of a chunk, whether the chunk is loaded or not.
    #[inline]
    pub(crate) fn is_foreign(&self, chunk: ChunkPos) -> bool {
        self.own.as_ref().is_some_and(|own| !own.contains(&ColumnPos::new(chunk.x, chunk.z)))
    }

    /// Returns whether a chunk is a ghost.
    #[inline]
    pub(crate) fn is_ghost_at(&self, slot: Slot) -> bool {
        self.own.is_some() && self.is_foreign(self.position_at(slot))
    }

    /// Returns whether the column of a chunk, or one of the eight around it, is owned.
    pub(crate) fn is_near_own(&self, chunk: ChunkPos) -> bool {
        let mut around = ColumnPos::new(chunk.x, chunk.z).around(1);
        self.own.as_ref().is_none_or(|own| around.any(|column| own.contains(&column)))
    }

    /// Returns the first chunk position of a region, in order, that is in an owned column and has
    /// no chunk. In a divided grid, takes time in proportion to the number of owned columns and
    /// their chunks, however large the region is.
    pub(crate) fn first_absent_in(&self, region: Region) -> Option<ChunkPos> {
        let is_absent = |chunk: &ChunkPos| self.slot(*chunk).is_none();
        let Some(own) = &self.own else {
            return ChunkRegion::of::<S>(region).positions().find(is_absent);
        };
        let heights = S::chunk_of(region.min()).y..=S::chunk_of(region.max()).y;
        let first_of =
            |column: &ColumnPos| heights.clone().map(|y| column.chunk(y)).find(is_absent);
        own.iter().filter(|&&column| is_column_of::<S>(column, region)).filter_map(first_of).min()
    }

    /// Returns the slots of a box of chunk positions in order, including ghosts.
    pub(crate) fn slots_and_ghosts_in(&self, chunks: ChunkRegion) -> Vec<Slot> {
        if chunks.volume() <= self.chunk_count as u128 {
            return self.slots_in(chunks);
        }
        let is_within = |slot: &Slot| chunks.contains(self.position_at(*slot));
        self.in_order(self.occupied().filter(is_within))
    }
}

#[cfg(feature = "snapshot")]
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Sets the columns that this grid owns. A chunk that becomes a ghost loses its awake and
    /// changed cells; a chunk that stops being a ghost has none.
    pub(crate) fn divide(&mut self, own: Arc<HashSet<ColumnPos>>) {
        let slots: Vec<Slot> = self.occupied().collect();
        let before: Vec<bool> = slots.iter().map(|&slot| self.is_ghost_at(slot)).collect();
        self.own = Some(own);
        self.order.take();
        for (slot, was_ghost) in slots.into_iter().zip(before) {
            let is_ghost = self.is_ghost_at(slot);
            if is_ghost != was_ghost {
                self.retire(slot);
            }
            if is_ghost && !was_ghost {
                self.shelve(&[slot]);
            }
        }
    }

    /// Returns whether a column of a region is owned.
    pub(crate) fn owns_any_of(&self, region: Region) -> bool {
        let is_any =
            |own: &HashSet<ColumnPos>| own.iter().any(|&column| is_column_of::<S>(column, region));
        self.own.as_deref().is_none_or(is_any)
    }

    /// Returns the ghosts, in the order of the slab.
    pub(crate) fn ghosts(&self) -> Vec<Slot> {
        self.occupied().filter(|&slot| self.is_ghost_at(slot)).collect()
    }

    /// Returns the positions of the chunks of a column in order, including ghosts. Takes time in
    /// proportion to the bounds' height in chunks or to the number of chunks, whichever is smaller.
    pub(crate) fn positions_in(&self, column: ColumnPos, bounds: Region) -> Vec<ChunkPos> {
        let [low, high] = [bounds.min(), bounds.max()].map(|cell| S::chunk_of(cell).y);
        if u64::from(low.abs_diff(high)) < self.chunk_count() as u64 {
            let chunks = (low..=high).map(|y| column.chunk(y));
            return chunks.filter(|&chunk| self.slot(chunk).is_some()).collect();
        }
        let positions = self.occupied().map(|slot| self.position_at(slot));
        let mut there: Vec<ChunkPos> = positions.filter(|chunk| chunk.column() == column).collect();
        there.sort_unstable_by_key(|chunk| chunk.y);
        there
    }

    /// Returns the positions of the ghosts, in order.
    pub(crate) fn ghost_positions(&self) -> Vec<ChunkPos> {
        let ghosts = self.in_order(self.ghosts().into_iter());
        ghosts.into_iter().map(|slot| self.position_at(slot)).collect()
    }
}

/// Returns whether a region has cells in a column.
fn is_column_of<S: Shape>(column: ColumnPos, region: Region) -> bool {
    let [low, high] = [region.min(), region.max()].map(S::chunk_of);
    (low.x..=high.x).contains(&column.x) && (low.z..=high.z).contains(&column.z)
}

#[cfg(all(test, feature = "snapshot"))]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Cube;

    fn columns(own: impl IntoIterator<Item = i32>) -> Arc<HashSet<ColumnPos>> {
        Arc::new(own.into_iter().map(|x| ColumnPos::new(x, 0)).collect())
    }

    #[test]
    fn ghosts_are_found_and_neither_listed_nor_awake() {
        let mut grid = Grid::<u16, Cube>::new(0);
        let put = |grid: &mut Grid<u16, Cube>, x: i32| {
            let chunk = ChunkPos::new(x, 0, 0);
            grid.insert(chunk, Chunk::uniform(7)).unwrap();
            grid.wake_chunk_at(grid.slot(chunk).unwrap());
        };
        (0..3).for_each(|x| put(&mut grid, x));
        grid.divide(columns([0, 3]));
        (3..5).for_each(|x| put(&mut grid, x));
        let listed = |grid: &Grid<u16, Cube>| grid.chunks().map(|at| at.0.x).collect::<Vec<_>>();
        assert_eq!((listed(&grid), grid.awake_slots().len()), (vec![0, 3], 2));
        assert_eq!(grid.get(Cube::cell_at(ChunkPos::new(4, 0, 0), 9)), 7, "ghosts are read");
        assert_eq!(grid.ghosts().len(), 3);
        assert_eq!(grid.validate(), Ok(()));
        grid.divide(columns([1, 3]));
        assert_eq!((listed(&grid), grid.awake_slots().len()), (vec![1, 3], 1));
        assert_eq!(grid.validate(), Ok(()));
        grid.remove(ChunkPos::new(0, 0, 0)).unwrap();
        grid.remove(ChunkPos::new(1, 0, 0)).unwrap();
        assert_eq!(grid.validate(), Ok(()));
    }
}
