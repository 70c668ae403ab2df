//! Whole worlds as bytes, and back. Feature `snapshot`.
//!
//! A snapshot holds everything that decides the future: chunks, awake and changed cells, rules,
//! seed, ticks, ledger. A world that is saved, loaded and run equals, byte for byte, one that was
//! never saved.
//!
//! ```
//! use floodplain::snapshot::Saved;
//! use floodplain::water::{Rules, Voxel, WaterWorld};
//! use floodplain::{Chunk, ChunkPos, glam::IVec3};
//!
//! let mut world = WaterWorld::new(7, Rules::default())?;
//! world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
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
//! All numbers are little-endian; `f32` and `f64` are their IEEE 754 bits; a `bool` is one byte, 0
//! or 1; a position is three `i32`, x, y, z; a region is the positions of its least and its
//! greatest cell; a count is a `u64`; a mask is 512 bytes, cell i as bit i mod 8 of byte i div 8. A
//! *number* is LEB128, seven bits to a byte, lowest first. There is no padding.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `FLDPLAIN` |
//! | 2 | version, `u16` |
//! | 2 | kind of world, `u16`: see [`Kind`] |
//! | 4 | CRC-32 (IEEE) of the twelve bytes before |
//! | | section `RULE`: the rules |
//! | | section `WRLD`: bounds, seed, steps, ledger, and all else that belongs to no chunk |
//! | | section `CHNK`: a count, then for each chunk, in ascending order (y, then z, then x), its position and its record, as packed bytes |
//!
//! A section has
//!
//! | bytes | what |
//! |---|---|
//! | 4 | its name, ASCII |
//! | 8 | length of its content in bytes, `u64` |
//! | n | content |
//! | 4 | CRC-32 (IEEE) of name, length and content |
//!
//! The contents of rules, state and records are documented at the [`Saved`] of each kind of world.
//! In all of them, a *plane* is one value for each cell of a chunk. It begins with a byte, 0 or 1.
//! After 0 comes the one value of all cells; after 1 come runs, which together hold 4096 cells in
//! index order, not all of them equal. A run of n cells, at least one, begins with a number, 8 n +
//! kind. Kind 0 is followed by the values of the n cells; kinds 1 to 4 repeat the cells 1, 16, 64
//! and 256 places before. A repeating run has at least two cells and is the longest that can begin
//! at its place; of equally long ones, the highest kind is taken. A run of kind 0 ends where a
//! repeating run can begin, or at the last cell. Edits and records have their cells in the same
//! form.
//!
//! *Marks* are a byte with bit 0 set if some cells of the chunk are awake and bit 1 if some have
//! changed since all changes were last taken; then the mask of the awake cells and that of the
//! changed cells, each only if its bit is set. A mask that is written is not empty.
//!
//! *Packed* bytes begin with a number: twice the number of stored bytes, plus one if these are a
//! block of [LZ4](https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md). A block comes after
//! the number of bytes that it unpacks to. Other bytes follow as they are. Bytes are packed if that
//! makes them fewer. A chunk of ground with water and soil takes from a few hundred bytes to two
//! thousand.
//!
//! # What is refused
//!
//! Loading checks every length against the bytes left before it allocates, every checksum before it
//! reads a section, and every law of the world (as its `validate` does) before it returns the
//! world. So a damaged snapshot gives an error that names the section, and never a different world.
//!
//! Loading allocates at most 64 times the length of the input plus 256 KB. For each chunk it also
//! allocates up to as much as a chunk can hold, about 10 KB of water and at most 512 KB, however
//! short its record is: a forger can describe a chunk of even ground in 30 bytes. A step of the
//! loaded world may allocate more, since uniform chunks become dense in it. Limit the length of
//! snapshots from untrusted sources.

mod blast;
mod blast_graph;
#[cfg(feature = "store")]
mod copied;
mod humidity;
mod marks;
mod materials;
mod queued;
mod sections;
mod water;
mod water_2d;
mod world;

pub use crate::codec::Kind;
#[cfg(feature = "store")]
pub(crate) use copied::CopiedMaterials;
#[cfg(feature = "store")]
pub(crate) use water::put_chunk;
pub use world::Saved;
pub(crate) use world::read;

/// The version of the format.
pub const VERSION: u16 = 1;
