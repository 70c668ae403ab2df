//! Whole worlds as bytes, and back. With the feature `snapshot`.
//!
//! A snapshot holds everything that decides the future: chunks, awake and changed cells, rules, seed, ticks, ledger. A world that is
//! saved, loaded and run is, byte for byte, the world that was never saved.
//!
//! ```
//! use floodplain::water::{Rules, Voxel, WaterWorld};
//! use floodplain::{Chunk, glam::IVec3};
//!
//! let mut world = WaterWorld::new(7, Rules::default())?;
//! world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN))?;
//! world.add_source(IVec3::new(8, 12, 8))?;
//! world.run(20);
//! let saved = world.save();
//! let mut loaded = WaterWorld::load(&saved)?;
//! world.run(20);
//! loaded.run(20);
//! assert_eq!(world.state_hash(), loaded.state_hash());
//! assert_eq!(world.save(), loaded.save());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The format, version 1
//!
//! All numbers are little-endian; `f32` and `f64` are their IEEE 754 bits; a `bool` is one byte, 0 or 1; a position is
//! three `i32`, x, y, z; a region is the positions of its two corners, both inside; a count is a `u64`. There is no padding.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `FLDPLAIN` |
//! | 2 | version, `u16`: 1 |
//! | 2 | kind of world, `u16`: see [`Kind`] |
//! | 4 | CRC-32 (IEEE) of the twelve bytes before |
//! | | the sections of that kind of world, in the order that it gives, and nothing after the last |
//!
//! A section is
//!
//! | bytes | what |
//! |---|---|
//! | 4 | its name, ASCII |
//! | 8 | length of its content in bytes, `u64` |
//! | n | content |
//! | 4 | CRC-32 (IEEE) of name, length and content |
//!
//! # Chunks
//!
//! Every world keeps chunks in sections of one form: a count, then each chunk in ascending order of its position (y, then z, then x):
//!
//! | bytes | what |
//! |---|---|
//! | 12 | chunk position |
//! | 1 | bit 0: cells one by one; bit 1: some cells are awake; bit 2: some have changed since they were last asked for; other bits 0 |
//! | c or 4096·c | the one value of all cells, or every cell in index order; c is the size of a cell |
//! | 512 | if bit 1: the awake cells, cell i as bit i mod 8 of byte i div 8 |
//! | 512 | if bit 2: the changed cells, likewise |
//!
//! A chunk of equal cells always has the short form; masks are never empty.
//!
//! # What is refused
//!
//! Loading checks every length against the bytes that are there before it takes memory for them, every checksum before it reads a
//! section, and every law of the world (as its `validate` does) before it hands the world over. So a damaged snapshot gives an
//! error that names the section, and never a different world. The memory taken is at most 64 times the
//! input, plus a kilobyte; the most for uniform chunks next to drains.

mod bytes;
mod chunks;
mod error;
mod sections;
mod water;

pub use error::SnapshotError;
pub use sections::Kind;

/// The version that this crate writes, and the newest that it reads.
pub const VERSION: u16 = 1;
