//! Worlds that outlive a run: as bytes, as files that grow with them, and as recordings of what was
//! done to them.
//!
//! `snapshot` writes a whole world. `save_file` keeps one in a database and writes what has
//! changed. `recording` keeps a start and the edits after it. Both stand on `snapshot`.

#[cfg(feature = "recording")]
pub mod recording;
#[cfg(feature = "store")]
pub mod save_file;
#[cfg(feature = "snapshot")]
pub mod snapshot;
