//! What is shrunk: a start, edits and ticks, apart from each other so that each can be made less.

use floodplain::recording::{Recording, ReplayError};
use floodplain::snapshot::Saved;
use floodplain::water::{Edit, Rules, WaterWorld};
use floodplain::{Chunk, Region};

/// How a world begins.
#[derive(Clone)]
pub enum Begin {
    /// Without chunks: they come by edits.
    Empty { seed: u64, rules: Rules, bounds: Region },
    /// As it was saved.
    Saved(Vec<u8>),
}

/// A recording that is taken apart.
#[derive(Clone)]
pub struct Case {
    pub begin: Begin,
    /// Ascending by tick.
    pub edits: Vec<(u64, Edit)>,
    pub ticks: u64,
}

impl Case {
    /// Returns the case of a recording.
    pub fn of(recording: &Recording<WaterWorld>) -> Result<Case, ReplayError> {
        let begin = Begin::Saved(recording.start()?.save());
        Ok(Case { begin, edits: recording.edits().to_vec(), ticks: recording.ticks() })
    }

    /// Returns the world at the start.
    pub fn world(&self) -> WaterWorld {
        match &self.begin {
            Begin::Empty { seed, rules, bounds } => {
                WaterWorld::with_bounds(*seed, *rules, *bounds).expect("rules that a world had")
            }
            Begin::Saved(bytes) => {
                WaterWorld::load(bytes).expect("bytes that a world was saved as")
            }
        }
    }

    /// Returns the recording.
    pub fn recording(&self) -> Recording<WaterWorld> {
        Recording::new(&self.world(), self.edits.clone(), self.ticks)
    }

    /// Returns the same case from an empty world, into which edits insert the chunks. The flows within
    /// and between the chunks are lost, so the law may hold.
    pub fn by_edits(&self) -> Case {
        let world = self.world();
        let chunks: Vec<_> =
            world.chunks().map(|(position, chunk)| (position, chunk.into_owned())).collect();
        let (seed, rules, bounds) = (world.seed(), *world.rules(), world.bounds());
        let mut edits = self.edits.clone();
        if !chunks.is_empty() {
            edits.insert(0, (0, Edit::InsertChunks(chunks)));
        }
        Case { begin: Begin::Empty { seed, rules, bounds }, edits, ticks: self.ticks }
    }

    /// Returns the number of chunks that edits insert.
    pub fn chunks(&self) -> usize {
        let count = |edit: &Edit| match edit {
            Edit::InsertChunk { .. } => 1,
            Edit::InsertChunks(chunks) => chunks.len(),
            Edit::InsertRecords(records) => records.len(),
            _ => 0,
        };
        self.edits.iter().map(|(_, edit)| count(edit)).sum()
    }

    /// Returns how much there is in it: what is shrunk gets less of this.
    pub fn size(&self) -> u64 {
        let region = |region: &Region| region.size().iter().sum::<u64>();
        let cells = |chunk: &Chunk<_>| if chunk.as_uniform().is_some() { 1 } else { 64 };
        let of = |edit: &Edit| match edit {
            Edit::FillSolid(cells) | Edit::FillSea(cells) => 4 + region(cells),
            Edit::FillWater { region: cells, height } => 4 + region(cells) + u64::from(*height),
            Edit::InsertChunk { chunk, .. } => 8 * cells(chunk),
            Edit::InsertChunks(chunks) => {
                8 + chunks.iter().map(|(_, chunk)| 8 * cells(chunk)).sum::<u64>()
            }
            Edit::Pour { units, .. }
            | Edit::Scoop { units, .. }
            | Edit::DrainBody { units, .. }
            | Edit::FillBody { units, .. } => 2 + u64::from(*units),
            _ => 3,
        };
        let edits: u64 = self.edits.iter().map(|(tick, edit)| 100 + tick + of(edit)).sum();
        let begin = match &self.begin {
            Begin::Empty { seed, bounds, .. } => {
                u64::from(*seed > 0)
                    + bounds.size().iter().map(|side| side.ilog2() as u64).sum::<u64>()
            }
            Begin::Saved(bytes) => 1000 + bytes.len() as u64,
        };
        edits + begin + 2 * self.ticks
    }
}
