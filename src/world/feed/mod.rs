//! The feed of a world: which materials, which water and which moisture look different since the
//! last call, and which ground broke. The changes are values, or bytes for a network; a mirror is a
//! copy that follows them. Changes of water, and chunks that are loaded or unloaded, come from the
//! [feed of water](crate::water::Feed).
//!
//! | file | what |
//! |---|---|
//! | `update` | [`Update`]: the changes between two calls, in runs of equal cells |
//! | `take` | [`Feed`]: makes updates of a world |
//! | `unread` | the changes that a feed, `take_changes` or `take_events` has not taken yet |
//! | `bytes` | updates in bytes |
//! | `mirror` | [`Mirror`]: materials, water and moisture on the side of a client |

mod bytes;
mod mirror;
mod take;
pub(crate) mod unread;
mod update;

pub use mirror::Mirror;
pub use take::Feed;
pub use update::{ChunkUpdate, MOISTURE_STEP, Update};
