//! Boxes of chunk positions.

use super::{ChunkPos, Region, Shape};
use glam::IVec3;

/// A box of chunks, as [`Region`] is a box of cells; its corners belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkRegion(Region);

impl ChunkRegion {
    /// Returns the box of the chunks that the cells of a region belong to.
    pub(crate) fn of<S: Shape>(cells: Region) -> ChunkRegion {
        ChunkRegion::new(S::chunk_of(cells.min()), S::chunk_of(cells.max()))
    }

    /// Returns the smallest box that holds both chunks.
    pub(crate) fn new(a: ChunkPos, b: ChunkPos) -> ChunkRegion {
        ChunkRegion(Region::new(a.into(), b.into()))
    }

    /// Returns the number of chunks, 1 to 2⁹⁶.
    pub(crate) fn volume(&self) -> u128 {
        self.0.volume()
    }

    pub(crate) fn contains(&self, chunk: ChunkPos) -> bool {
        self.0.contains(chunk.into())
    }

    /// Returns the box grown by `by` chunks on both sides of each axis, without chunks outside the
    /// `i32` range.
    pub(crate) fn grown(&self, by: IVec3) -> ChunkRegion {
        let (min, max) = (self.0.min(), self.0.max());
        ChunkRegion(Region::new(min.saturating_sub(by), max.saturating_add(by)))
    }

    /// Returns every chunk in order of position.
    pub(crate) fn positions(self) -> impl Iterator<Item = ChunkPos> {
        self.0.positions().map(ChunkPos::from)
    }
}
