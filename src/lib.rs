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
pub use grid::{Grid, GridError};
