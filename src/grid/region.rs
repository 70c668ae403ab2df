//! Boxes of cells: fill, copy in and out, iterate.

use super::Grid;
use super::error::GridError;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, ChunkRegion, Region, Shape};
use core::ops::Range;
use glam::IVec3;

/// The most chunks that one [`Grid::fill`] may make: 2²⁰. That is a cube of more than 1,600
/// cells a side, or a layer of 16,384 cells a side.
pub const FILL_CHUNK_LIMIT: u128 = 1 << 20;

/// # Regions
///
/// Flat slices and iterators run over the cells of a region with y slowest, then z, then x.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Writes every cell of a region.
    ///
    /// A chunk that lies in the region as a whole becomes uniform in constant time. Missing chunks
    /// are made, unless the value is the background. A fill with the background makes no chunks and
    /// may cover any region, up to [`Region::EVERYWHERE`].
    ///
    /// # Errors
    /// [`GridError::RegionTooLarge`] if the fill would make more than [`FILL_CHUNK_LIMIT`] chunks.
    ///
    /// ```
    /// use floodplain::{ChunkPos, Cube, Grid, GridError, Region, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// grid.fill(Region::new(IVec3::splat(-16), IVec3::splat(15)), 3)?;
    /// let chunk = grid.chunk(ChunkPos::new(-1, -1, -1));
    /// assert_eq!(chunk.and_then(|chunk| chunk.as_uniform()), Some(3));
    /// assert_eq!(
    ///     grid.fill(Region::EVERYWHERE, 3),
    ///     Err(GridError::RegionTooLarge { chunks: (1 << 84) - 8 })
    /// );
    /// grid.fill(Region::EVERYWHERE, 0)?;
    /// assert_eq!(grid.get(IVec3::NEG_ONE), 0);
    /// # Ok::<(), GridError>(())
    /// ```
    pub fn fill(&mut self, region: Region, value: T) -> Result<(), GridError> {
        let chunks = ChunkRegion::of::<S>(region);
        if value == self.background {
            for slot in self.slots_in(chunks) {
                let cover = cover::<S>(self.position_at(slot), region);
                fill_chunk::<T, S>(self.chunk_at_mut(slot), cover, value);
            }
            return Ok(());
        }
        if chunks.volume() > FILL_CHUNK_LIMIT {
            let missing = chunks.volume() - self.slots_in(chunks).len() as u128;
            if missing > FILL_CHUNK_LIMIT {
                return Err(GridError::RegionTooLarge { chunks: missing });
            }
        }
        for chunk in chunks.positions() {
            let cover = cover::<S>(chunk, region);
            match self.slot(chunk) {
                Some(slot) => fill_chunk::<T, S>(self.chunk_at_mut(slot), cover, value),
                None => {
                    let mut new = Chunk::uniform(self.background);
                    fill_chunk::<T, S>(&mut new, cover, value);
                    self.occupy(chunk, new);
                }
            }
        }
        Ok(())
    }

    /// Copies the cells of a region into `out`.
    ///
    /// # Errors
    /// [`GridError::SliceLength`] if `out` has another number of cells than the region.
    ///
    /// ```
    /// use floodplain::{Cube, Grid, Region, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// let region = Region::new(IVec3::new(-1, 0, 0), IVec3::new(1, 1, 0));
    /// grid.copy_in(region, &[1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(grid.get(IVec3::new(1, 1, 0)), 6);
    /// let mut out = [0; 3];
    /// grid.copy_out(Region::new(IVec3::new(0, 0, 0), IVec3::new(2, 0, 0)), &mut out)?;
    /// assert_eq!(out, [2, 3, 0]);
    /// # Ok::<(), floodplain::GridError>(())
    /// ```
    pub fn copy_out(&self, region: Region, out: &mut [T]) -> Result<(), GridError> {
        check_length(region, out.len())?;
        for chunk in S::chunks_of(region) {
            let rows = rows::<S>(cover::<S>(chunk, region), region);
            match self.chunk(chunk).map(|chunk| (chunk.as_dense(), chunk)) {
                Some((Some(cells), _)) => {
                    rows.for_each(|(here, flat)| out[flat].copy_from_slice(&cells[here]))
                }
                Some((None, chunk)) => {
                    let value = chunk.get(0);
                    rows.for_each(|(_, flat)| out[flat].fill(value));
                }
                None => rows.for_each(|(_, flat)| out[flat].fill(self.background)),
            }
        }
        Ok(())
    }

    /// Copies `cells` into a region. Makes a missing chunk only if one of its cells is not the
    /// background.
    ///
    /// # Errors
    /// [`GridError::SliceLength`] if `cells` has another number of cells than the region.
    pub fn copy_in(&mut self, region: Region, cells: &[T]) -> Result<(), GridError> {
        check_length(region, cells.len())?;
        for chunk in S::chunks_of(region) {
            let cover = cover::<S>(chunk, region);
            let all = |value: T| {
                rows::<S>(cover, region)
                    .all(|(_, flat)| cells[flat].iter().all(|&cell| cell == value))
            };
            let slot = match self.slot(chunk) {
                Some(slot) => slot,
                None if all(self.background) => continue,
                None => self.occupy(chunk, Chunk::uniform(self.background)),
            };
            let target = self.chunk_at_mut(slot);
            if target.as_uniform().is_some_and(all) {
                continue;
            }
            let target_cells = target.cells_mut();
            rows::<S>(cover, region)
                .for_each(|(here, flat)| target_cells[here].copy_from_slice(&cells[flat]));
            target.canonicalize();
        }
        Ok(())
    }

    /// Returns every cell of a region with its position, including cells of missing chunks.
    pub fn cells(&self, region: Region) -> impl Iterator<Item = (IVec3, T)> {
        let mut cursor = self.cursor(region.min());
        region.positions().map(move |position| {
            cursor.move_to(position);
            (position, cursor.get())
        })
    }

    /// Returns the chunks that share cells with a region, with their chunk positions, in order of
    /// position.
    pub fn chunks_in(&self, region: Region) -> impl Iterator<Item = (ChunkPos, &Chunk<T>)> {
        let slots = self.slots_in(ChunkRegion::of::<S>(region));
        slots.into_iter().map(|slot| (self.position_at(slot), self.chunk_at(slot)))
    }
}

/// Returns the part of `region` that lies in a chunk that it touches.
fn cover<S: Shape>(chunk: ChunkPos, region: Region) -> Region {
    let whole = S::region_of(chunk);
    Region::new(whole.min().max(region.min()), whole.max().min(region.max()))
}

/// Returns the rows along x of `cover`, a box in one chunk: the range of each row in the chunk, and
/// its range in the flat slice of `region`. The ranges in the slice fit into `usize` because the
/// slice's length does.
fn rows<S: Shape>(
    cover: Region,
    region: Region,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let width = cover.size()[0] as usize;
    let [length, depth] = [region.size()[0] as usize, region.size()[2] as usize];
    let starts = Region::new(cover.min(), IVec3::new(cover.min().x, cover.max().y, cover.max().z));
    starts.positions().map(move |start| {
        let [x, y, z] = [0, 1, 2].map(|axis| start[axis].abs_diff(region.min()[axis]) as usize);
        let (here, flat) = (S::index_of(start), (y * depth + z) * length + x);
        (here..here + width, flat..flat + width)
    })
}

fn fill_chunk<T: Copy + PartialEq, S: Shape>(chunk: &mut Chunk<T>, cover: Region, value: T) {
    if cover.volume() == crate::coords::CHUNK_CELLS as u128 {
        chunk.fill(value);
    } else if chunk.as_uniform() != Some(value) {
        let cells = chunk.cells_mut();
        rows::<S>(cover, cover).for_each(|(here, _)| cells[here].fill(value));
        chunk.canonicalize();
    }
}

fn check_length(region: Region, slice: usize) -> Result<(), GridError> {
    if region.volume() == slice as u128 {
        Ok(())
    } else {
        Err(GridError::SliceLength { slice, region: region.volume() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Cube;

    #[test]
    fn a_fill_makes_chunks_up_to_the_limit_and_not_one_more() {
        let mut grid = Grid::<u8, Cube>::new(0);
        let layer =
            |depth: i32| Region::new(IVec3::ZERO, IVec3::new(16 * 1024 - 1, 0, 16 * depth - 1));
        grid.fill(layer(1), 1).unwrap();
        let refused = grid.fill(layer(1026), 2);
        assert_eq!(refused, Err(GridError::RegionTooLarge { chunks: FILL_CHUNK_LIMIT + 1024 }));
        assert_eq!((grid.chunk_count(), grid.get(IVec3::ZERO)), (1024, 1));
        grid.fill(layer(1025), 0).unwrap();
        assert_eq!((grid.chunk_count(), grid.get(IVec3::ZERO)), (1024, 0));
        // The missing chunks number exactly the limit, besides the existing ones.
        let whole = Region::new(IVec3::ZERO, IVec3::new(16 * 1024 - 1, 15, 16 * 1025 - 1));
        grid.fill(whole, 3).unwrap();
        assert_eq!(grid.chunk_count() as u128, FILL_CHUNK_LIMIT + 1024);
        assert_eq!([grid.get(whole.min()), grid.get(whole.max())], [3; 2]);
    }
}
