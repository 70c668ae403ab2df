//! Worlds kept in a file, of which each save writes only the chunks that changed. With the feature
//! `store`.
//!
//! Once [`save`](SaveFile::save) has returned, the world is on the disk: after a crash of the
//! program or of the machine at any moment, [`open`](SaveFile::open) gives the world of the last
//! save that returned, or of the one that was under way. Never a mixture of two: a save is one
//! transaction.
//!
//! A file holds the world as it is loaded: a chunk that was unloaded is not in the next save. A
//! game that streams chunks in and out keeps those that are out itself, in a table of its own: what
//! `remove_chunk` returns, cell by cell, until `insert_chunk` takes it back.
//!
//! ```
//! use floodplain::save_file::SaveFile;
//! use floodplain::water::{Rules, Voxel, WaterWorld};
//! use floodplain::{Chunk, glam::IVec3};
//!
//! # let path = std::env::temp_dir().join(format!("floodplain-doc-{}.redb", std::process::id()));
//! # drop(std::fs::remove_file(&path));
//! let mut world = WaterWorld::new(7, Rules::lossless())?;
//! for x in 0..8 {
//!     world.insert_chunk(IVec3::new(x, 0, 0), Chunk::uniform(Voxel::OPEN))?;
//! }
//! let mut file = SaveFile::create(&path, &world)?;
//! world.pour(IVec3::new(8, 8, 8), 7)?;
//! world.run(2);
//! assert_eq!(file.save(&world)?.chunks_written, 1, "the one in which the water falls");
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
//! Each save looks at every chunk of the world, to see which differ from the last save: the time is
//! that of encoding and hashing all of them, however few are written, as much as a snapshot takes;
//! `benches/README.md` has figures. Then it waits for the disk, twice. In return a world that is
//! never saved pays nothing, and any world can be saved into any file of its kind. The last save is
//! known by a 64-bit hash (SipHash, with keys drawn anew for each [`SaveFile`]) of every record, 24
//! bytes a chunk in memory; a changed chunk that has the hash of the one before, one in 2⁶⁴, would
//! be taken for unchanged. On the disk, a dense chunk takes up to twice its 8 KiB, since redb's
//! pages double in size.
//!
//! An opening reads everything, checks it, and makes the world. A chunk counts as changed when its
//! record differs: cells, awake cells, or the cells that
//! [`take_changes`](crate::Automaton::take_changes) will tell.
//!
//! # The format, version 1
//!
//! A file of [redb](https://docs.rs/redb), version 3 of its format, with two tables. What rules, state and records hold stands
//! with the [`Saved`](crate::snapshot::Saved) of each kind of world; the byte conventions are those
//! of [`snapshot`](crate::snapshot).
//!
//! | table | key | value |
//! |---|---|---|
//! | `floodplain`, `&str` to `&[u8]` | `format` | `FLDPSAVE`; version, `u16`: 1; kind of world, `u16`: see [`Kind`](crate::snapshot::Kind) |
//! | | `rules` | the rules |
//! | | `state` | what belongs to no chunk |
//! | | `count` | how many chunks there are, `u64` |
//! | `chunks`, `&[u8; 12]` to `&[u8]` | position: y, z, x, each an `i32` with its sign bit flipped, *big*-endian, so that keys sort as positions do | the chunk's record |
//!
//! After each value stands a CRC-32 (IEEE, `u32`) of its key and itself.
//!
//! # What is refused
//!
//! Opening checks the database's own checksums, every CRC-32, every record, and every law of the
//! world (as its `validate` does) before it hands the world over. Until then nothing is written,
//! not even what the database would mend after a crash: a file that is refused stays as it was,
//! byte for byte.
//!
//! One byte has no checksum, that with redb's flags: if it is damaged after a crash, the save
//! before the last may come back.

mod error;
mod file;
mod fingerprints;
mod header;
mod load;
mod staged;
mod tables;

pub use error::{Part, SaveError};
pub use file::{SaveFile, SaveReport};
pub use redb::StorageBackend;

/// The version that this crate writes, and the newest that it reads.
///
/// A file of this version may hold water that was saved in the middle of a tick with the pieces of
/// it that were done, as version 1 of a [`snapshot`](crate::snapshot); they are ignored. None is
/// written.
pub const VERSION: u16 = 1;
