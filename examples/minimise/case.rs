//! What is shrunk: a beginning, edits and ticks, apart from each other so that each can be made
//! less.

use crate::kinds::{EditOf, Kind};
use floodplain::recording::{Recording, ReplayError};

/// How a world begins.
pub enum Begin<W: Kind> {
    /// Empty: chunks or nodes come by edits.
    Empty(W::Setting),
    /// As it was saved.
    Saved(Vec<u8>),
}

impl<W: Kind> Clone for Begin<W> {
    fn clone(&self) -> Begin<W> {
        match self {
            Begin::Empty(setting) => Begin::Empty(setting.clone()),
            Begin::Saved(bytes) => Begin::Saved(bytes.clone()),
        }
    }
}

/// A recording that is taken apart.
pub struct Case<W: Kind> {
    pub begin: Begin<W>,
    /// Ascending by tick.
    pub edits: Vec<(u64, EditOf<W>)>,
    pub ticks: u64,
}

impl<W: Kind> Clone for Case<W> {
    fn clone(&self) -> Case<W> {
        let Case { begin, edits, ticks } = self;
        Case { begin: begin.clone(), edits: edits.clone(), ticks: *ticks }
    }
}

impl<W: Kind> Case<W> {
    /// Returns the case of a recording.
    pub fn of(recording: &Recording<W>) -> Result<Case<W>, ReplayError> {
        let begin = Begin::Saved(recording.start()?.save());
        Ok(Case { begin, edits: recording.edits().to_vec(), ticks: recording.ticks() })
    }

    /// Returns the world at the start.
    pub fn world(&self) -> W {
        match &self.begin {
            Begin::Empty(setting) => W::empty(setting).expect("a setting that a world had"),
            Begin::Saved(bytes) => W::load(bytes).expect("bytes that a world was saved as"),
        }
    }

    /// Returns the recording.
    pub fn recording(&self) -> Recording<W> {
        Recording::new(&self.world(), self.edits.clone(), self.ticks)
    }

    /// Returns the same case from an empty world, which edits fill. What edits cannot say is lost,
    /// such as the flows between cells, so the law may hold.
    pub fn by_edits(&self) -> Case<W> {
        let world = self.world();
        let first = world.rebuilt().into_iter().map(|edit| (0, edit));
        let edits = first.chain(self.edits.iter().cloned()).collect();
        Case { begin: Begin::Empty(world.setting()), edits, ticks: self.ticks }
    }

    /// Returns the number of chunks that edits insert.
    pub fn chunks(&self) -> usize {
        self.edits.iter().map(|(_, edit)| W::chunks_in(edit)).sum()
    }
}
