//! What the fuzz targets share: operations made of bytes, run by the same oracles as the property
//! tests.
//!
//! An operation takes a fixed number of bytes, so that a change of one byte changes one thing.

mod automata_ops;
mod bytes_ops;
mod c_ops;
mod import_ops;
mod recording_ops;
mod region_ops;
mod snapshot_ops;
mod store_ops;
mod water_ops;

pub use automata_ops::{BlastRun, HumidityRun, WorldRun};
pub use bytes_ops::EditBytesRun;
pub use c_ops::call_c_interface;
pub use import_ops::RegionRun;
pub use recording_ops::RecordingRun;
pub use region_ops::RegionBytesRun;
pub use snapshot_ops::SnapshotRun;
pub use store_ops::StoreRun;
pub use water_ops::{ArrivalRun, EditRun, StreamRun};
