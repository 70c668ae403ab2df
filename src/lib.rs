//! Sparse voxel chunks, finite water and cellular automata for block games.

mod chunk;
mod coords;
mod grid;
#[cfg(feature = "scenario")]
pub mod scenario;
pub mod water;

pub use chunk::{CellMask, Chunk};
pub use coords::{CHUNK_CELLS, Cube, Face, Region, Shape, Sheet};
pub use glam;
#[doc(hidden)]
pub use grid::GridFault;
pub use grid::{Cursor, CursorMut, FILL_CHUNK_LIMIT, Grid, GridError, HaloShape};
