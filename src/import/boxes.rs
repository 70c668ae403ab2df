//! The chunks of a box of cells, up to the limit of all importers.

use super::MAX_CHUNKS;
use crate::coords::{ChunkRegion, Cube, Region};

/// The error of a box that has more than [`MAX_CHUNKS`] chunks.
pub(super) struct TooLarge;

/// Returns the chunk positions of all chunks that a box of cells touches.
pub(super) fn chunks_of_box(cells: Region) -> Result<ChunkRegion, TooLarge> {
    let chunks = ChunkRegion::of::<Cube>(cells);
    if chunks.volume() > MAX_CHUNKS as u128 { Err(TooLarge) } else { Ok(chunks) }
}
