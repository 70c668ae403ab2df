//! The automata that update every cell of a chunk by the same rule, and the engine that they share.
//! No automaton uses another.
//!
//! | folder | what it is | uses |
//! |---|---|---|
//! | `engine` | rules over rows of cells, rims (halo exchange), changes, the active set, threads, time skewing | chunks and grids only |
//! | `humidity` | humidity in permeable ground: weighted means or conservative fluxes | `engine` |
//! | `blast` | explosions: pressure by diffusion or damped waves; edits, queries, checks | `engine`, `blast/*` |
//! | `blast/field` | state besides pressures: borders, links, solid cells and walls, stored flows | `engine`, the types of `blast` |
//! | `blast/step` | a step: the front, ghost cells, the kernels (`uniform`, `weighted`), flux formulas | `blast/field`, `engine` |
//! | `blast/graph` | the same rules on a graph, in `f64` | `blast/field`, `blast/step` |
//! | `water2d` | vertical slices of water with pressure: literal or settling | `engine` |
//! | `part.rs` in each | a part of a divided world: its messages about chunks | `engine` |
//! | `shape.rs` | the shapes that both humidity and explosions run on | `humidity`, `blast` |
//!
//! A step of each automaton has these phases:
//!
//! 1. Explosions only: walls break, chunks fall silent, the front opens chunks. 2D water only: the
//!    wake timers of awake chunks count down.
//! 2. Save the rims of all awake chunks and their neighbours, and compute the data derived from the
//!    ground, if it is not cached (`prepare`, `ensure_conductances`).
//! 3. Move each awake chunk into a job, and run the kernel over its rows, on all threads.
//! 4. Put the chunks back, and record changes and ledgers in the order of the jobs.
//! 5. 2D water by the settling rule only: level the bodies of water near changes.
//! 6. Wake the chunks next to changes, and put unchanged ones to sleep.

pub mod blast;
pub(crate) mod engine;
pub mod humidity;
#[cfg(test)]
mod same_bytes;
mod shape;
pub mod water2d;

pub use shape::FieldShape;
