//! Runs of the worlds that have either shape of chunk.

use floodplain::testing::{Bytes, Run, Small};

/// A run of a world of sheets or of one of cubes.
#[derive(Clone, Debug)]
pub enum EitherShape<Flat, Deep> {
    Flat(Flat),
    Deep(Deep),
}

impl<Flat: Small, Deep: Small> EitherShape<Run<Flat>, Run<Deep>> {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut bytes = Bytes(bytes);
        match bytes.byte() % 2 {
            0 => EitherShape::Flat(bytes.any()),
            _ => EitherShape::Deep(bytes.any()),
        }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        match self {
            EitherShape::Flat(run) => run.check().unwrap(),
            EitherShape::Deep(run) => run.check().unwrap(),
        }
    }
}
