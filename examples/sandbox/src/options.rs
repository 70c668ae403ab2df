//! What the program is asked to do when it begins.

use crate::model::worlds::Kind;
use std::path::PathBuf;

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub world: Kind,
    pub script: Option<PathBuf>,
    pub is_live: bool,
    pub is_measured: bool,
    pub shots: PathBuf,
    pub save: PathBuf,
    pub size: [u16; 2],
}

impl Default for Options {
    fn default() -> Options {
        Options {
            world: Kind::Hamlet,
            script: None,
            is_live: false,
            is_measured: false,
            shots: "target/sandbox".into(),
            save: "target/sandbox.world".into(),
            size: [1280, 720],
        }
    }
}
