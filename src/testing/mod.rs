//! Tools for tests: the laws of the crate, for those who build on it. Feature `testing`.
//!
//! A [`Watched`] world is one with twins and a naive model: one twin never sleeps, one takes its
//! ticks in slices, one is saved and loaded. After each edit and tick, the world is compared with
//! its twins and its model, and laws of your own are checked; broken laws are reported by name. The
//! crate's own property tests and fuzz targets use the same parts.
//!
//! | | what |
//! |---|---|
//! | [`Watched`] | a world that is watched; [`LAWS`] has the names of the laws |
//! | [`mirrored`], [`mirrors`] | a companion of a watched world of materials: a client, and a check of its copy |
//! | [`Watch`], [`Model`] | the traits of a watched world and of a naive model, for types of your own |
//! | [`Op`], [`Run`] | an operation on a watched world, and a whole run |
//! | [`check_arrival`], [`max_outflow`] | whether the water of springs arrives at the ends of a world without edits, and how much of it can arrive |
//! | feature `recording` | `Watched::of` and `follow`: a recorded game, repeated under all laws |
//! | [`Small`], [`Bytes`] | small worlds of every kind and their edits, drawn from bytes; worlds, rules, edits and chunks are `Arbitrary` of the crate [arbitrary] |
//! | feature `proptest` | the module `strategies` for the crate [proptest]: strategies for all that is drawn, which shrink towards fewer edits, chunks, ticks and units |
//!
//! | watched | twins | naive model |
//! |---|---|---|
//! | [`WaterWorld`](crate::water::WaterWorld) | never asleep, in slices that are saved and loaded, saved and loaded | cells, account, bodies, fixtures |
//! | [`World`](crate::world::World) | the same | what cells are made of, what breaks, account |
//! | [`BlastWorld`](crate::blast::BlastWorld), [`BlastGraph`](crate::blast::BlastGraph) | never asleep, several steps by one call with probes, saved and loaded | cells or nodes, links, walls that break, each step by the formulas |
//! | [`HumidityWorld`](crate::humidity::HumidityWorld), [`Water2dWorld`](crate::water2d::Water2dWorld) | never asleep, several steps by one call, saved and loaded | cells, account, each step by the formulas to the bit; for water that settles, also its energy, and its levels at rest |
//!
//! # Fuzz your own rules
//!
//! A first fuzz target takes ten minutes. You need a nightly toolchain and
//! `cargo install cargo-fuzz`. In the folder of your game, with this crate beside it:
//!
//! ```sh
//! cargo +nightly fuzz init --target own_rules
//! cargo add --manifest-path fuzz/Cargo.toml --path ../floodplain --features testing
//! ```
//!
//! Replace `fuzz/fuzz_targets/own_rules.rs` by this; `fuzz/` of this crate has the same file:
//!
//! ```ignore
//! //! Your own rules, with a law of your own, under any edits.
//!
//! #![no_main]
//!
//! use floodplain::testing::{Run, Small, Start, Watched};
//! use floodplain::water::{Rules, WaterWorld};
//! use libfuzzer_sys::fuzz_target;
//!
//! /// The rules of your game.
//! fn rules() -> Rules {
//!     Rules { throughput: 3, source_supply: 2, ..Rules::lossless() }
//! }
//!
//! /// What your game relies on.
//! fn springs_are_full(world: &WaterWorld) -> Result<(), String> {
//!     let is_dry = |&cell: &_| {
//!         let water = world.cell(cell);
//!         water.is_some_and(|water| water.is_source() && water.height() < 7)
//!     };
//!     match world.bounds().positions().find(is_dry) {
//!         None => Ok(()),
//!         Some(cell) => Err(format!("the spring at {cell}")),
//!     }
//! }
//!
//! fuzz_target!(|run: Run<WaterWorld>| {
//!     let start = Start { rules: rules(), ..run.start };
//!     let world = || WaterWorld::build(&start);
//!     let mut watched = Watched::new(world).with_law("springs_are_full", springs_are_full);
//!     if let Err(broken) = watched.play(&run.ops) {
//!         panic!("{broken}");
//!     }
//! });
//! ```
//!
//! and run it until a law is broken:
//!
//! ```sh
//! cargo +nightly fuzz run -s none own_rules -- -max_len=192
//! ```
//!
//! The option `-s none` is there because a crate without unsafe code needs no sanitizer, and runs
//! are several times faster without one. Check that your law can be broken at all: with
//! `height() < 8`, the target stops within a second.
//!
//! **A generator, a game.** [`Watched::new`] takes any world that can be made twice: the chunks of
//! your generator, by a seed that the run brings, or your own type around a world, if it implements
//! [`Watch`]. Edits of your own, such as the emptying of a bucket, are the `Edit` of that type;
//! implement [`Small`] for the type, and `Run` draws them.
//!
//! ```
//! use floodplain::testing::Watched;
//! use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
//! use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Region, Shape, glam::IVec3};
//!
//! /// Your generator: hills under a lake.
//! fn generate(seed: u64) -> WaterWorld {
//!     let bounds = Region::new(IVec3::ZERO, IVec3::splat(15));
//!     let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
//!     let voxel = |index: usize| {
//!         let IVec3 { x, y, z } = Cube::cell_at(ChunkPos::ZERO, index);
//!         let ground = (x * z + seed as i32) % 4;
//!         match y {
//!             y if y <= ground => Voxel::SOLID,
//!             ..6 => Voxel::water(WaterCell::STILL),
//!             _ => Voxel::OPEN,
//!         }
//!     };
//!     let cells: [Voxel; CHUNK_CELLS] = std::array::from_fn(voxel);
//!     world.insert_chunk(ChunkPos::ZERO, Chunk::from_cells(&cells)).unwrap();
//!     world
//! }
//!
//! for seed in 0..4 {
//!     let mut watched = Watched::new(|| generate(seed)).with_law("lakes_are_still", |world| {
//!         let holds = world.is_at_rest() || world.ticks() < 8;
//!         if holds { Ok(()) } else { Err("it flows".to_owned()) }
//!     });
//!     (0..12).for_each(|_| _ = watched.step());
//!     watched.check_laws()?;
//! }
//! # Ok::<(), floodplain::testing::BrokenLaws>(())
//! ```
//!
//! **Replay.** libFuzzer leaves the input of a failure in `fuzz/artifacts/own_rules`. The first
//! command prints the bounds and operations of the input, and the rules that this target replaces;
//! the second command runs the input again:
//!
//! ```sh
//! cargo +nightly fuzz fmt -s none own_rules fuzz/artifacts/own_rules/crash-…
//! cargo +nightly fuzz run -s none own_rules fuzz/artifacts/own_rules/crash-…
//! ```
//!
//! Without cargo-fuzz, or in a test, read the run from the bytes of the file. Then do as the target
//! does, with your rules and your laws:
//!
//! ```
//! use floodplain::testing::{Run, Small, Start, Watched};
//! use floodplain::water::{Rules, WaterWorld};
//!
//! // std::fs::read("fuzz/artifacts/own_rules/crash-…")?
//! let bytes = [3, 0, 0, 9, 20, 30, 1, 7, 5, 0, 2];
//! let run = Run::<WaterWorld>::from_bytes(&bytes);
//! let start = Start { rules: Rules::lossless(), ..run.start };
//! Watched::new(|| WaterWorld::build(&start)).play(&run.ops)?;
//! # Ok::<(), floodplain::testing::BrokenLaws>(())
//! ```
//!
//! **Minimise.** `cargo +nightly fuzz tmin -s none own_rules FILE` makes the input shorter. A
//! property test shrinks its input without help: with the strategy `strategies::runs`, a failing
//! run is left with few operations, ticks and units, also if it breaks a law of your own. If your
//! game records its edits (feature `recording`), a recording that breaks a law of [`LAWS`] is
//! minimised in a clone of this crate, by `cargo run --release --example minimise -- FILE`. The
//! example does not check laws of your own; `Watched::follow` finds out whether a recording breaks
//! them.
//!
//! **Report.** If the broken law is one of [`LAWS`], and your [`Watch`] is not at fault, it is a
//! bug of this crate: report the text of the law with the printed operations, or the input and the
//! version. If the law is your own, the printed operations are your next test.
//!
//! # Does water arrive?
//!
//! The laws that are checked after each edit and tick state that nothing is lost. Whether water
//! gets where it can is seen only once a world has been left to itself for about a hundred ticks:
//! by [`let_rest`](Watched::let_rest) and [`follow`](Watched::follow), at the end of a run. A small
//! world with springs and draining edges, without evaporation, sea, fixtures and frozen chunks,
//! then keeps the laws below, whatever was done to it before. A type of your own around a
//! [`WaterWorld`] checks them in its [`let_alone`](Watch::let_alone), by [`check_arrival`]:
//!
//! | law | what is compared |
//! |---|---|
//! | `outflow` | what leaves in 128 ticks, with nine tenths of [`max_outflow`], a max flow from springs to edges in which each cell passes on at most the throughput; where springs lie at several heights, with nine tenths of the max flow of the springs at any one height, from which the other springs take nothing away |
//! | `reach` | the water into which connected water heads, down or sideways, with its flag HasSource, tick by tick |
//! | `history` | what leaves if the world was dry, or full, at first, with the same nine tenths |
//! | `filled` | in a world that nothing leaves, what stands in the cells below springs to which their water can come, with nine tenths of the room in these cells |
//! | `level_in_time` | in a closed world, the highest surface of each body with the lowest place to which it could flow |
//!
//! [`WaterWorld`]: crate::water::WaterWorld
//!
//! # What may change
//!
//! The types and functions here follow semantic versioning, and a law keeps its name. Any release
//! may change which values are drawn from which bytes, as new variants of edits do, so keep
//! operations, not inputs. It may also add laws and make checks stricter, and change the texts of
//! reports and the time that a check takes. Do not build a game on this module: it is made to be
//! thorough, not fast.
//!
//! [arbitrary]: https://docs.rs/arbitrary
//! [proptest]: https://docs.rs/proptest

mod blast;
mod board;
mod bytes;
mod compare;
mod draw;
mod findings;
#[cfg(feature = "recording")]
mod follow;
mod humidity;
mod kind;
mod law;
mod materials;
mod op;
mod run;
#[cfg(feature = "proptest")]
pub mod strategies;
mod watch;
mod watched;
mod water;
mod water2d;
mod worlds;

pub use bytes::Bytes;
pub use draw::{Small, Start};
pub use findings::{BrokenLaw, BrokenLaws, Findings};
pub use law::LAWS;
pub use materials::{mirrored, mirrors, palette};
pub use op::Op;
pub use run::Run;
pub use watch::{Changes, Looks, Model, Watch};
pub use watched::Watched;
pub use water::{check_arrival, look, max_outflow, stream_edit};
