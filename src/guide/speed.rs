//! What a profiler shows of this crate, and how to run it fast in a debug build of your game.
//!
//! # Where the time goes
//!
//! With the feature `profiling`, ticks, meshes, feeds and saves are spans of the crate
//! [profiling](https://docs.rs/profiling). They expand to nothing until your game turns on one of
//! its backends: `tracing`, Tracy, puffin, optick or Superluminal.
//!
//! ```toml
//! floodplain = { version = "0.1", features = ["profiling"] }
//! profiling = { version = "1", default-features = false, features = ["profile-with-tracing"] }
//! ```
//!
//! Each span of this crate is then a span of tracing of the level `INFO`, whose target is a module
//! of `floodplain`: a filter like `floodplain=info` shows no other spans. A phase of a tick has one
//! span in each call.
//!
//! | span | what |
//! |---|---|
//! | `water steady`, `water flow`, `water draw`, `water pools`, `water ebb`, `water end` | the phases of a tick of water |
//! | `world` | a tick of a [`World`](crate::world::World), or a slice of one, which contains the spans of its parts |
//! | `humidity`, `explosions`, `explosions on a graph`, `2D water` | a step; `humidity ahead`, `explosions ahead`: a chunk of the next step |
//! | `mesh` | the mesh of a chunk |
//! | `feed`, `feed of the world` | an update for clients |
//! | `snapshot`, `save file` | a world to bytes; the transaction of a save |
//!
//! The sandbox draws a bar for each phase: the subscriber in `examples/sandbox/src/spans.rs` adds
//! up the time in spans by a clock that works in browsers, too.
//!
//! # Debug builds
//!
//! The kernels are compiled with this crate. So worlds run as fast in an unoptimised game as in a
//! release build if these lines are in the game's `Cargo.toml`:
//!
//! ```toml
//! [profile.dev.package.floodplain]
//! opt-level = 3
//! overflow-checks = false
//! debug-assertions = false
//! ```
