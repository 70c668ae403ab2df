//! What the fuzz targets share: operations made of bytes, run by the same oracles as the property
//! tests.
//!
//! An operation takes a fixed number of bytes, so that a change of one byte changes one thing.

#[path = "../../tests/support/blast_edits.rs"]
pub mod blast_edits;
#[path = "../../tests/support/blast_map.rs"]
pub mod blast_map;
#[path = "../../tests/support/bounds.rs"]
pub mod bounds;
#[path = "../../tests/support/bytes.rs"]
pub mod bytes;
#[path = "../../tests/support/cells.rs"]
pub mod cells;
#[path = "../../tests/support/chunk.rs"]
pub mod chunk;
#[path = "../../tests/support/edits.rs"]
pub mod edits;
#[path = "../../tests/support/graph_edits.rs"]
pub mod graph_edits;
#[path = "../../tests/support/humidity_edits.rs"]
pub mod humidity_edits;
#[path = "../../tests/humidity_oracle/mod.rs"]
pub mod humidity_oracle;
#[path = "../../tests/support/orders.rs"]
pub mod orders;
#[path = "../../tests/support/plain_water2d.rs"]
pub mod plain_water2d;
#[path = "../../tests/support/probes.rs"]
pub mod probes;
#[path = "../../tests/support/storage.rs"]
pub mod storage;
#[path = "../../tests/support/twins.rs"]
pub mod twins;
#[path = "../../tests/support/water2d_edits.rs"]
pub mod water2d_edits;
#[path = "../../tests/support/words.rs"]
pub mod words;
#[path = "../../tests/support/worlds.rs"]
pub mod worlds;

mod automata_ops;
mod snapshot_ops;
mod store_ops;
mod water_ops;

pub use automata_ops::{BlastRun, GraphRun, HumidityRun, Water2dRun};
pub use snapshot_ops::SnapshotRun;
pub use store_ops::StoreRun;
pub use water_ops::{EditRun, StreamRun};
