//! Incremental saves: a world in a file, where each save writes only the chunks that changed.
//! Feature `store`.
//!
//! Once [`save`](SaveFile::save) has returned, the world is on the disk. A save is one transaction:
//! after a crash of the program or of the machine, [`open`](SaveFile::open) returns the world of
//! the last save that returned, or of the save that the crash interrupted, never a mixture.
//!
//! [`save`](SaveFile::save) writes the loaded chunks, and drops the chunks that the world has
//! unloaded. A game whose chunks come and go keeps the unloaded ones in the same file, by a
//! [`Stream`]. Each save of a stream is one transaction over loaded and unloaded chunks and the
//! ledger, so that a crash never doubles or loses a unit. Such a save is prepared on the thread of
//! the game, which copies what has been touched since the save before, and written on another
//! thread.
//!
//! ```
//! use floodplain::save_file::SaveFile;
//! use floodplain::water::{Rules, Voxel, WaterWorld};
//! use floodplain::{Chunk, ChunkPos, glam::IVec3};
//!
//! # let path = std::env::temp_dir().join(format!("floodplain-doc-{}.redb", std::process::id()));
//! # drop(std::fs::remove_file(&path));
//! let mut world = WaterWorld::new(7, Rules::lossless())?;
//! for x in 0..8 {
//!     world.insert_chunk(ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN))?;
//! }
//! let mut file = SaveFile::create(&path, &world)?;
//! world.pour(IVec3::new(8, 8, 8), 7)?;
//! world.run(2);
//! assert_eq!(file.save(&world)?.chunks_written, 1, "the chunk in which the water falls");
//! drop(file);
//!
//! let (_file, opened) = SaveFile::<WaterWorld>::open(&path)?;
//! assert_eq!(opened.state_hash(), world.state_hash());
//! # drop(_file);
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a save costs
//!
//! [`save`](SaveFile::save) encodes and hashes every chunk of the world to find the chunks that
//! differ from the last save, however few it writes. That takes as long as a snapshot;
//! `benches/README.md` has figures. Then it waits for the disk twice. In return, a world that is
//! never saved pays nothing, and any world can be saved into any file of its kind. Of the last
//! save, only a 64-bit hash of each record stays in memory (SipHash, with new random keys for each
//! [`SaveFile`]), 24 bytes a chunk. A changed chunk whose hash collides with that of its old
//! record, one in 2⁶⁴, would not be written.
//!
//! A [prepared](Stream::prepare) save costs the thread of the game a look at the state of each
//! chunk and a copy of each chunk touched since the last save. A copy shares the arrays of cells
//! with the world, which copies an array before writing it while a save holds it (copy on write).
//! So preparing takes about 0.7 µs for each touched chunk, and saves the world of that moment,
//! however late the save is written. The copying may be spread over earlier ticks by
//! [`copy_ahead`](Stream::copy_ahead). The thread that writes the save encodes and hashes the
//! touched chunks only.
//!
//! Opening reads and checks everything except the unloaded chunks, which are checked when they are
//! taken. A chunk has changed when its record differs: its cells, its awake cells, or the cells
//! that will be returned as changed.
//!
//! # The format, version 1
//!
//! A save is a file of [redb](https://docs.rs/redb), in version 3 of its format, with two or three
//! tables. The contents of rules, state and records are documented at each world's
//! [`Saved`](crate::snapshot::Saved); the byte conventions are those of
//! [`snapshot`](crate::snapshot).
//!
//! | table | key | value |
//! |---|---|---|
//! | `floodplain`, `&str` to `&[u8]` | `format` | `FLDPSAVE`; version, `u16`; kind of world, `u16`: see [`Kind`](crate::snapshot::Kind) |
//! | | `rules` | the rules |
//! | | `state` | all that belongs to no chunk |
//! | | `count` | the number of chunks, `u64` |
//! | `chunks`, `&[u8; 12]` to `&[u8]` | position: y, z, x, each an `i32` with its sign bit flipped, *big*-endian, so that keys sort as positions do | the chunk's record, as packed bytes |
//! | `unloaded`, `&[u8; 12]` to `&[u8]`; if a chunk was unloaded | position, in the same form | the bytes of its record, packed: a record of [water](crate::water::ChunkRecord::to_bytes), or one [with ground](crate::world::ChunkRecord::to_bytes) |
//!
//! Each value ends with a CRC-32 (IEEE, `u32`) of its key and of the rest of the value.
//!
//! # What is refused
//!
//! Opening checks the database's own checksums, every CRC-32, every record, and every law of the
//! world (as its `validate` does) before it returns the world. Until then nothing is written, not
//! even the database's repairs after a crash: a file that is refused stays the same byte for byte.
//!
//! One byte has no checksum, that of redb's flags: if it is damaged after a crash, opening may
//! return the save before the last.

mod contents;
mod error;
mod file;
mod fingerprints;
mod header;
mod job;
mod load;
mod staged;
mod stream;
mod streamed;
mod tables;

pub use error::{Part, SaveError};
pub use file::{SaveFile, SaveReport};
pub use job::SaveJob;
pub use redb::StorageBackend;
pub use stream::Stream;
pub use streamed::Streamed;

/// The version of the format.
pub const VERSION: u16 = 1;
