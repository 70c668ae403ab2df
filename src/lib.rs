//! Finite water and cellular automata for block games, on sparse voxel chunks.
//!
//! Priorities, in this order: the same seed and edits give the same bytes; no unit of water is made
//! or lost; speed; memory.
//!
//! ```
//! use floodplain::water::{Rules, Voxel, WaterWorld};
//! use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
//!
//! let mut water = WaterWorld::new(7, Rules::lossless())?; // beside your own blocks
//! water.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?; // 16³ cells, on loading
//! water.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, 0, 15)))?; // where your ground is
//! water.add_source(IVec3::new(8, 4, 8))?; // a player places a spring
//! for _ in 0..20 {
//!     water.step(); // your 20 Hz tick
//! }
//! for changes in water.take_changes() {
//!     println!("redraw {} cells of chunk {}", changes.cells.len(), changes.chunk);
//! }
//! assert_eq!(water.current(IVec3::new(8, 3, 8)).y, -7); // it falls, seven units a tick
//! assert_eq!(water.total(), water.ledger().total()); // counted, and as booked: none is lost
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | | what |
//! |---|---|
//! | [`water`] | finite, pressurised 3D water: two bytes a cell, 16³ chunks, drains at the world's edge |
//! | [`humidity`] | moisture that spreads through soils of different permeability, from rain, round rocks |
//! | [`blast`] | explosions: pressure on 64×64 sheets, 16³ chunks or a graph, with walls that break |
//! | [`water2d`] | water in a vertical slice, with pressure: integer levels on 64×64 chunks |
//! | [`world`] | one ground of materials for water, moisture and explosions, with one clock and one account |
//! | [`Grid`] | the store below them: a sparse 3D array in chunks of 4096 cells, over the whole `i32` range |
//! | [`Simulation`] | the interface that all worlds share |
//! | [`prelude`] | what most games use, to be imported in one line |
//! | `snapshot` | whole worlds as bytes, and back |
//! | `recording` | recordings of edits, for bug reports, lock-step games and undo |
//! | `save_file` | a world in a file, where a save writes only the chunks that changed |
//! | `parts` | a world shared out among processes: humidity, explosions, literal 2D water |
//! | [`regions`] | water over regions of fixed size, between which messages pass once a tick |
//! | `import` | Minecraft regions, MagicaVoxel models and heightmaps as worlds of water, and regions back |
//! | `scenario` | worlds drawn in text, run, and compared with expectations |
//! | `bevy` | a plugin for the engine Bevy: worlds as components, edits and changes as messages |
//! | `testing` | tools for tests: worlds that are watched, law by law; and how to fuzz your own rules |
//! | [`guide`] | into your game: each step, from your columns to water drawn, streamed, sent and saved |
//! | [`guarantees`] | each promise, how it is tested, and what is not promised |
//! | [`sources`] | the texts that the systems follow, their authors and licences |
//!
//! # Features
//!
//! | | adds |
//! |---|---|
//! | `simd` (default) | kernels for the widest vectors of the machine, picked at run time; the same bytes |
//! | `rayon` | threads: the flow, the smaller bodies and the ebb of water, humidity, explosions and literal 2D water run on the pool from which they are called |
//! | `import` | the module `import`; the dependencies flate2 and png |
//! | `bevy` | the module `bevy`, and Bevy's `Reflect` for values; needs Rust 1.95 |
//! | `testing` | the module `testing`, for tests; turns on `snapshot`; the dependency arbitrary |
//! | `proptest` | values drawn by `testing` as strategies of the crate proptest; turns on `testing` |
//! | `snapshot`, `store`, `scenario` | the modules `snapshot` and `parts`, `save_file` (`store` turns on `snapshot` too) and `scenario` (turns on `serde`) |
//! | `profiling` | spans for profilers, of the crate `profiling`: see [`guide::speed`](guide::speed#where-the-time-goes) |
//! | `recording` | the module `recording`; turns on `snapshot` |
//! | `serde` | rules, edits and their outcomes, cells, chunks, palettes, ledgers and reports in the formats of serde; the dependency serde |
//!
//! Serialised values have the names that they have in Rust. Fields that are left out of rules have
//! the defaults of their struct. A value that is impossible for its type is refused when it is
//! read: a region whose corners are swapped, a word that no cell has, a chunk of more or fewer than
//! 4096 cells, materials that form no palette. A value that no world accepts is refused when a
//! world takes it: rules out of range, the rate of a fixture.
//!
//! # When not to use this
//!
//! For smooth, particle-like or two-phase fluids: water here is whole units in whole cells. For
//! small, dense worlds: a plain array is simpler.
//!
//! # Where to go next
//!
//! The [`guide`] goes step by step. [`water::WaterWorld`] has all edits and queries of 3D water,
//! [`water::Rules`] all parameters. The README shows each automaton, with pictures that `examples/`
//! makes.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod automata;
#[cfg(feature = "bevy")]
pub mod bevy;
mod chunk;
mod codec;
mod coords;
mod edit_queue;
mod edit_table;
mod grid;
pub mod guarantees;
pub mod guide;
#[cfg(feature = "import")]
pub mod import;
mod limits;
#[cfg(feature = "snapshot")]
pub mod parts;
mod persist;
pub mod prelude;
pub mod regions;
mod rules_error;
#[cfg(feature = "scenario")]
pub mod scenario;
#[cfg(feature = "serde")]
mod serde_as;
mod simd;
mod simulation;
pub mod sources;
mod spans;
mod state_hash;
mod subscribers;
#[cfg(feature = "testing")]
pub mod testing;
pub mod water;
pub mod world;

pub use automata::*;
pub use chunk::{CellMask, Chunk};
pub use codec::{DecodeError, DecodeProblem, Format};
pub use coords::{CHUNK_CELLS, ChunkPos, ColumnPos, Cube, Face, Region, Shape, Sheet};
pub use edit_queue::{EditReport, Ticket};
pub use glam;
#[doc(hidden)]
pub use grid::GridFault;
pub use grid::{Cursor, FILL_CHUNK_LIMIT, FaceBuffer, FaceRow, Faces, Grid, GridError, HaloShape};
pub use limits::{ClientEditError, EditKinds, LimitError, Limits};
#[cfg(feature = "recording")]
pub use persist::recording;
#[cfg(feature = "store")]
pub use persist::save_file;
#[cfg(feature = "snapshot")]
pub use persist::snapshot;
pub use rules_error::RulesError;
pub use simulation::{
    ChunkChanges, Displaced, EditValue, Progress, Simulation, StepReport, Violation,
};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
