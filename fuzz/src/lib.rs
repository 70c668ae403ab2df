//! What the fuzz targets share: operations made of bytes, run by the same oracles as the property tests.
//!
//! An operation takes a fixed number of bytes, so that a change of one byte changes one thing.

#[path = "../../tests/support/cells.rs"]
pub mod cells;
#[path = "../../tests/support/chunk.rs"]
pub mod chunk;
#[path = "../../tests/support/edits.rs"]
pub mod edits;
#[path = "../../tests/support/storage.rs"]
pub mod storage;
#[path = "../../tests/support/words.rs"]
pub mod words;

#[path = "../../tests/support/worlds.rs"]
pub mod worlds;

mod snapshot_ops;
mod store_ops;
mod water_ops;

pub use snapshot_ops::SnapshotRun;
pub use store_ops::StoreRun;
pub use water_ops::{EditRun, StreamRun};
