//! Saves on disk: what is opened is what was saved, whatever happened to the process, the machine
//! or the disk; and what is no save, or a damaged one, is refused by its own error and left as it
//! was.

mod disk;
mod faults;
mod homes;
mod kill;
mod kinds;
mod laws;
mod living;
mod refusals;
mod stream;
mod world_stream;

use std::fs;
use std::path::PathBuf;

/// A path in the build folder at which nothing lies.
fn path(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("save_file_{name}.redb"));
    let _ = fs::remove_file(&path);
    path
}
