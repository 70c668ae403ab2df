//! Recordings of the edits that a game makes: for bug reports, lock-step games and undo. Feature
//! `recording`.
//!
//! The same seed and edits give the same bytes, so a world is determined by its start and by the
//! edits that were made before each of its ticks. A [`Recorder`] wraps a world and keeps its start
//! and edits; a [`Recording`] is the result; a [`Replay`] repeats the recording and compares.
//!
//! ```
//! use floodplain::{ChunkPos, glam::IVec3};
//! use floodplain::recording::{Recorder, Recording};
//! use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
//! use floodplain::Chunk;
//!
//! let mut game = Recorder::new(WaterWorld::new(7, Rules::lossless())?);
//! let (position, chunk) = (ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
//! game.apply(Edit::InsertChunk { position, chunk })?;
//! game.apply(Edit::AddSource(IVec3::new(8, 12, 8)))?;
//! game.run(40);
//!
//! // What goes into a bug report: some hundred bytes.
//! let bytes = game.recording().to_bytes();
//! let recording = Recording::<WaterWorld>::from_bytes(&bytes)?;
//! let world = recording.replay()?;
//! assert_eq!(world.state_hash(), game.world().state_hash());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What differs
//!
//! At its start, and then every few ticks, a recorder [checks](Recorder::check_every): it keeps the
//! hash of the state, and a hash of each chunk that has changed since the check before. A replay
//! compares the hashes and names the first check and chunk that differ. It also names the cell if
//! there is a [keyframe](Recorder::keyframe_every) at that check, since only a keyframe has the
//! cells. With a check and a keyframe in every tick, these are the first tick, chunk and cell that
//! differ.
//!
//! # Lock-step
//!
//! In a network game each machine has the same world and makes the same edits before the same
//! ticks. The machines send [the edits of a tick](Recording::tick_bytes), as they stand in a
//! recording:
//!
//! ```
//! use floodplain::{ChunkPos, glam::IVec3};
//! use floodplain::recording::Recorder;
//! use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
//! use floodplain::Chunk;
//!
//! let new = || -> Result<_, Box<dyn std::error::Error>> {
//!     let mut world = WaterWorld::new(7, Rules::lossless())?;
//!     world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//!     Ok(Recorder::new(world))
//! };
//! let (mut host, mut guest) = (new()?, new()?);
//! for tick in 0..20 {
//!     if tick % 5 == 0 {
//!         host.apply(Edit::Pour { cell: IVec3::new(4, 9, 4), units: 7 })?;
//!     }
//!     let sent = host.recording().tick_bytes(tick);
//!     guest.apply_bytes(&sent)?;
//!     host.step();
//!     guest.step();
//!     assert_eq!(host.world().state_hash(), guest.world().state_hash());
//! }
//! assert_eq!(host.recording(), guest.recording());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Undo
//!
//! The world at an earlier tick is restored from the last keyframe up to that tick, and from the
//! edits and ticks since the keyframe:
//!
//! ```
//! use floodplain::{ChunkPos, glam::IVec3};
//! use floodplain::recording::Recorder;
//! use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
//! use floodplain::Chunk;
//!
//! let mut world = WaterWorld::new(7, Rules::lossless())?;
//! world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//! let mut game = Recorder::new(world).keyframe_every(16);
//! game.run(50);
//! let before = game.world().state_hash();
//! let flood = Edit::Pour { cell: IVec3::new(4, 9, 4), units: 7 };
//! game.apply(flood.clone())?;
//! game.run(9);
//! assert_eq!(game.recording().world_at(20)?.ticks(), 20);
//! assert_eq!(game.undo()?, Some(flood), "back to where it was made");
//! assert_eq!((game.ticks(), game.world().state_hash()), (50, before));
//! assert_eq!(game.undo()?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The bytes, version 1
//!
//! A number is LEB128, seven bits to a byte, lowest first; all else is little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `FLDRECRD` |
//! | 2 | version, `u16` |
//! | 2 | kind of world, `u16`: see [`Kind`](crate::snapshot::Kind) |
//! | 8 | the number of all bytes, `u64` |
//! | n | the number of ticks |
//! | n | the start: 0 and a [snapshot](crate::snapshot), after the number of its bytes; or 1, and the name and the parameters of a generator as texts in UTF-8, each after the number of its bytes |
//! | n | the number of ticks before which there are edits; for each the ticks since the one before, the number of its edits, then each edit's number of bytes and its bytes |
//! | n | the number of checks; for each the ticks since the one before, the hash of the state `u64`, the number of chunks that have changed, then for each, in order (y, then z, then x), the way to its position from that of the chunk before, as three zigzag numbers, then 0 if the chunk is gone, or 1 and its hash `u32` |
//! | n | the number of keyframes; for each the ticks since the one before, and a snapshot, after the number of its bytes |
//! | 4 | CRC-32 (IEEE) of all bytes before |
//!
//! The text form ([`Recording::to_text`]) has the same content in lines. Edits are bytes in it,
//! too, followed by their description in words.

mod bytes;
mod error;
mod hashes;
mod parts;
mod recorder;
mod replay;
mod text;

pub use error::{CellDifference, Divergence, RecordingError, ReplayError};
pub use hashes::Check;
pub use parts::Recording;
pub use recorder::Recorder;
pub use replay::Replay;
