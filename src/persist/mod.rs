//! Worlds that outlive a run: as bytes, as files that grow with them, and as recordings of what was
//! done to them.
//!
//! `snapshot` writes a whole world. `save_file` keeps a world in a database and writes what has
//! changed. `recording` keeps the start of a world and the edits after it. Both build on
//! `snapshot`.

#[cfg(feature = "recording")]
pub mod recording;
#[cfg(feature = "store")]
pub mod save_file;
#[cfg(feature = "snapshot")]
pub mod snapshot;
