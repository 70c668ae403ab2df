//! The feed of changes: what looks different since the last call, why, and in which chunks. Changes
//! come as values or as bytes for a network, and a mirror, a copy of the world's looks, follows
//! them. Evaporation counts as flow. After a snapshot is loaded, feeds and mirrors start again.
//!
//! | file | what |
//! |---|---|
//! | `look` | [`Look`]: the visible state of a cell |
//! | `run` | [`Run`]: successive cells of a chunk with equal values |
//! | `update` | [`Update`]: the changes between two calls, in runs of equal cells |
//! | `currents` | the currents that a feed has sent, and the currents that have changed |
//! | `unread` | the changes that a feed or `take_changes` has not taken yet |
//! | `take` | [`Feed`], which makes updates of a world |
//! | `bytes` | updates in bytes: run-length coding, a byte for the gap and the look of a run |
//! | `mirror` | [`Mirror`]: looks and currents on the side of a client |

mod bytes;
mod currents;
mod look;
mod mirror;
mod run;
mod take;
pub(crate) mod unread;
mod update;

pub(crate) use bytes::{next_chunk, put_runs, take_runs};
pub use look::Look;
pub use mirror::{Mirror, MirrorError};
pub use run::Run;
pub(crate) use run::runs;
pub use take::Feed;
pub(crate) use unread::Unread;
pub use update::{Cause, ChunkCurrents, ChunkEvent, ChunkUpdate, Span, Update};
pub(crate) use update::{faces_of, holds, look_within};
