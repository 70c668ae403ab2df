//! Water and the automata as worlds of an app.

use super::fields::{FieldChanges, Fields};
use super::simulated::{Hosted, StepBudget, Submitted};
use crate::blast::{self, BlastWorld};
use crate::coords::{ChunkPos, Cube, Sheet};
use crate::edit_queue::EditReport;
use crate::humidity::{self, HumidityWorld};
use crate::simulation::Progress;
use crate::water::{self, ChunkEvent, Feed, Update, WaterWorld, meshes_touched};
use crate::water2d::{self, Water2dWorld};
use bevy_platform::time::Instant;

/// The functions of [`Hosted`] shared by all worlds that tick in slices and queue their edits. The
/// argument is the module with their edits.
macro_rules! in_slices {
    ($part:ident) => {
        type Rules = $part::Rules;

        fn submit(
            &mut self,
            _: &mut Self::Follower,
            edit: Self::Edit,
        ) -> Submitted<Self::Outcome, Self::EditError> {
            Submitted::Queued(self.queue(edit))
        }

        fn take_reports(&mut self) -> Vec<EditReport<Self::Outcome, Self::EditError>> {
            self.take_edit_reports()
        }

        fn advance(&mut self, budget: StepBudget) -> Progress {
            match budget {
                StepBudget::WholeTick => self.step_within(u64::MAX),
                StepBudget::Cells(cells) => self.step_within(cells),
                StepBudget::Time(time) => {
                    // Not `step_for`, which has no clock in a browser.
                    let begin = Instant::now();
                    self.step_while(|_| begin.elapsed() < time)
                }
            }
        }
    };
}
pub(super) use in_slices;

impl Hosted for WaterWorld {
    type Update = Update;
    type Follower = Option<Feed>;
    const PATH: &'static str = "water";

    in_slices!(water);

    fn work_left(&self) -> u64 {
        self.backlog()
    }

    fn imbalance(&self) -> Option<f64> {
        Some(self.total() as f64 - self.ledger().total() as f64)
    }

    /// Returns the changes since the last call. The first update holds whole chunks: a
    /// [`Mirror`](water::Mirror) joins by it, and then applies the later updates.
    fn follow(&mut self, feed: &mut Option<Feed>, with_currents: bool) -> Update {
        if let Some(feed) = feed {
            return feed.take(self);
        }
        let feed = feed.insert(Feed::new(self));
        if with_currents {
            feed.send_currents();
            feed.take(self); // Whole chunks have the currents of the update before them.
        }
        let all: Vec<ChunkPos> = self.chunks().map(|(position, _)| position).collect();
        feed.whole(self, all)
    }

    fn events(update: &Update) -> impl Iterator<Item = (ChunkPos, ChunkEvent)> {
        update.chunks().iter().map(|chunk| (chunk.position, chunk.event))
    }

    fn redrawn(update: &Update) -> Vec<ChunkPos> {
        meshes_touched(&update.changes())
    }
}

/// Implements [`Hosted`] for the worlds of an automaton, whose steps are never left unfinished. The
/// arguments are the names of the worlds, the chunks that an edit loads, the positions of the
/// loaded chunks, and, if there is a ledger, the content of the cells less the total of the ledger.
macro_rules! simulated {
    (
        $($world:ty, $name:literal),+; $part:ident;
        loads: $loads:expr; positions: $positions:expr; imbalance: $imbalance:expr;
    ) => {
        $(impl Hosted for $world {
            type Update = FieldChanges;
            type Follower = Fields;
            type Rules = $part::Rules;
            const PATH: &'static str = $name;

            fn submit(
                &mut self,
                fields: &mut Fields,
                edit: $part::Edit,
            ) -> Submitted<$part::Outcome, $part::EditError> {
                let loads: fn(&$part::Edit) -> Vec<ChunkPos> = $loads;
                let loaded = loads(&edit);
                let result = self.apply(edit);
                if result.is_ok() {
                    fields.note_inserted(loaded);
                }
                Submitted::Made(result)
            }

            fn imbalance(&self) -> Option<f64> {
                let imbalance: fn(&Self) -> Option<f64> = $imbalance;
                imbalance(self)
            }

            fn follow(&mut self, fields: &mut Fields, _: bool) -> FieldChanges {
                let positions: fn(&Self) -> Vec<ChunkPos> = $positions;
                let present = positions(self);
                fields.take(self.ticks(), present, self.take_changes())
            }

            fn events(changes: &FieldChanges) -> impl Iterator<Item = (ChunkPos, ChunkEvent)> {
                changes.chunks.iter().map(|chunk| (chunk.position, chunk.event))
            }

            fn redrawn(changes: &FieldChanges) -> Vec<ChunkPos> {
                changes.chunks.iter().map(|chunk| chunk.position).collect()
            }
        })+
    };
}

simulated! {
    HumidityWorld<Cube>, "humidity_cube", HumidityWorld<Sheet>, "humidity_sheet"; humidity;
    loads: |edit| match edit {
        humidity::Edit::InsertChunk { position, .. } => vec![*position],
        _ => Vec::new(),
    };
    positions: |world| world.chunk_positions().collect();
    // Sums of whole units of 1/65,536, exact in `f64` below 2³⁷.
    imbalance: |world| world.ledger().map(|ledger| {
        world.total() - ledger.total() as f64 / f64::from(humidity::UNITS)
    });
}

simulated! {
    BlastWorld<Cube>, "blast_cube", BlastWorld<Sheet>, "blast_sheet"; blast;
    loads: |edit| match edit {
        blast::Edit::InsertChunk { position, .. } => vec![*position],
        _ => Vec::new(),
    };
    positions: |world| world.chunks().map(|(position, _)| position).collect();
    imbalance: |world| Some(world.total() - world.ledger().total());
}

simulated! {
    Water2dWorld, "water2d"; water2d;
    loads: |edit| match edit {
        water2d::Edit::InsertChunk { position, .. } => vec![*position],
        water2d::Edit::InsertChunks(chunks) => chunks.iter().map(|&(position, _)| position).collect(),
        _ => Vec::new(),
    };
    positions: |world| world.chunks().map(|(position, _)| position).collect();
    imbalance: |world| {
        Some(world.total() as f64 - world.ledger().total() as f64)
    };
}
