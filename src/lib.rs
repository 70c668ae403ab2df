//! Sparse voxel chunks, finite water and cellular automata for block games.
//!
//! Priorities, in order: the same seed and edits give the same bytes; no water is made or lost;
//! fast; small.
//!
//! - [`Grid`] stores a 3D world in sparse chunks of 4096 cells, uniform or dense, over the whole
//!   `i32` range.
//! - [`water`] runs finite, pressurised water on 16³ chunks, two bytes a cell, draining at the
//!   world's end.
//! - [`humidity`] spreads through soils of different permeability, from rain, round rocks.
//! - [`blast`] runs explosions: pressure on 64×64 sheets, 16³ chunks or a graph, with walls that
//!   break.
//! - [`water2d`] runs a vertical slice of water with pressure, integer levels on 64×64 chunks.
//! - `snapshot` (a feature) turns whole worlds into bytes, and back.
//! - `save_file` (the feature `store`) keeps a world in a file, and writes only the chunks that
//!   changed.
//! - `scenario` (a feature) runs worlds drawn in text, and checks what they must show.
//!
//! A U-shaped pipe: water poured into one arm rises in the other, to the same level within a unit.
//!
//! ```
//! use floodplain::water::{Rules, Voxel, WaterWorld};
//! use floodplain::{Chunk, Region, glam::IVec3};
//!
//! let mut world = WaterWorld::new(7, Rules::lossless())?;
//! world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID))?;
//! for (from, to) in [([1, 1, 1], [5, 1, 1]), ([1, 2, 1], [1, 8, 1]), ([5, 2, 1], [5, 8, 1])] {
//!     world.fill_water(Region::new(from.into(), to.into()), 0)?;
//! }
//! let mut poured = 0;
//! for y in 2..=8 {
//!     poured += world.pour(IVec3::new(1, y, 1), 7)?;
//! }
//! world.run(400);
//! let arm = |x: i32| (1..=8).map(|y| i32::from(world.height(IVec3::new(x, y, 1)))).sum::<i32>();
//! assert!(arm(1).abs_diff(arm(5)) <= 1, "the arms are level");
//! assert_eq!(world.total(), u64::from(poured), "and no unit was made or lost");
//! assert!(world.is_at_rest());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is promised, and how each promise is tested, stands in [`guarantees`].
//!
//! # When not to use this
//! For smooth, particle-like or two-phase fluids: water here is whole units in whole cells. For
//! worlds that are dense and small throughout: a plain array is simpler.

mod automata;
mod automaton;
mod chunk;
mod coords;
mod grid;
pub mod guarantees;
#[cfg(feature = "store")]
pub mod save_file;
#[cfg(feature = "scenario")]
pub mod scenario;
mod simd;
#[cfg(feature = "snapshot")]
pub mod snapshot;
pub mod water;

pub use automata::{FieldShape, RowShape, blast, humidity, water2d};
pub use automaton::{Automaton, ChunkChanges, Displaced, StepReport};
pub use chunk::{CellMask, Chunk};
pub use coords::{CHUNK_CELLS, Cube, Face, Region, Shape, Sheet};
pub use glam;
#[doc(hidden)]
pub use grid::GridFault;
pub use grid::{
    Cursor, CursorMut, FILL_CHUNK_LIMIT, FaceBuffer, FaceRow, Faces, Grid, GridError, HaloShape,
};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
