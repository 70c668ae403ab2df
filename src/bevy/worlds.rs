//! Water and the automata as worlds of an app.

use super::fields::{FieldChanges, Fields};
use super::simulated::{Report, Simulated, StepBudget, Submitted};
use crate::blast::{self, BlastShape, BlastWorld};
use crate::coords::Shape;
use crate::humidity::{self, HumidityShape, HumidityWorld};
use crate::water::{self, ChunkEvent, Feed, Progress, Update, WaterWorld, meshes_touched};
use crate::water2d::{self, Water2dWorld};
use bevy_platform::time::Instant;
use glam::IVec3;

impl Simulated for WaterWorld {
    type Edit = water::Edit;
    type Outcome = water::Outcome;
    type EditError = water::EditError;
    type Changes = Update;
    type Follower = Option<Feed>;
    const NAME: &'static str = "water";

    fn submit(
        &mut self,
        _: &mut Option<Feed>,
        edit: water::Edit,
    ) -> Submitted<water::Outcome, water::EditError> {
        Submitted::Queued(self.queue(edit))
    }

    fn take_reports(&mut self) -> Vec<Report<water::Outcome, water::EditError>> {
        let reports = self.take_edit_reports().into_iter();
        reports
            .map(|water::EditReport { ticket, tick, result }| Report { ticket, tick, result })
            .collect()
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

    fn work_left(&self) -> u64 {
        self.backlog()
    }

    fn imbalance(&self) -> Option<f64> {
        let counted: u64 = self.chunks().map(|(_, chunk)| chunk.units()).sum();
        Some(counted as f64 - self.ledger().total() as f64)
    }

    /// The first update is of whole chunks: a [`Mirror`](water::Mirror) joins by it, and applies
    /// those that follow.
    fn follow(&mut self, feed: &mut Option<Feed>) -> Update {
        if let Some(feed) = feed {
            return feed.take(self);
        }
        let feed = feed.insert(Feed::new(self));
        feed.whole(self, self.chunks().map(|(position, _)| position))
    }

    fn events(update: &Update) -> impl Iterator<Item = (IVec3, ChunkEvent)> {
        update.chunks().iter().map(|chunk| (chunk.position, chunk.event))
    }

    fn redrawn(update: &Update) -> Vec<IVec3> {
        meshes_touched(&update.changes())
    }
}

/// Implements [`Simulated`] for an automaton whose steps are never left unfinished, by its name,
/// the chunks that an edit loads, the positions of its chunks, and what its cells hold, if it has a
/// ledger, less what that says.
macro_rules! simulated {
    (
        [$($generics:tt)*] $world:ty, $part:ident, $name:expr;
        loads: $loads:expr; positions: $positions:expr; imbalance: $imbalance:expr;
    ) => {
        impl<$($generics)*> Simulated for $world {
            type Edit = $part::Edit;
            type Outcome = $part::Outcome;
            type EditError = $part::EditError;
            type Changes = FieldChanges;
            type Follower = Fields;
            const NAME: &'static str = $name;

            fn submit(
                &mut self,
                fields: &mut Fields,
                edit: $part::Edit,
            ) -> Submitted<$part::Outcome, $part::EditError> {
                let loads: fn(&$part::Edit) -> Vec<IVec3> = $loads;
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

            fn follow(&mut self, fields: &mut Fields) -> FieldChanges {
                let positions: fn(&Self) -> Vec<IVec3> = $positions;
                let present = positions(self);
                fields.take(self.ticks(), present, self.take_changes())
            }

            fn events(changes: &FieldChanges) -> impl Iterator<Item = (IVec3, ChunkEvent)> {
                changes.chunks.iter().map(|chunk| (chunk.position, chunk.event))
            }

            fn redrawn(changes: &FieldChanges) -> Vec<IVec3> {
                changes.chunks.iter().map(|chunk| chunk.position).collect()
            }
        }
    };
}

simulated! {
    [S: HumidityShape] HumidityWorld<S>, humidity, name::<S>("humidity_cube", "humidity_sheet");
    loads: |edit| match edit {
        humidity::Edit::InsertChunk { position, .. } => vec![*position],
        _ => Vec::new(),
    };
    positions: |world| world.chunk_positions().collect();
    // The sums of whole units are exact in `f64`.
    imbalance: |world| world.ledger().map(|_| {
        let cells = world.chunks().map(|(_, chunk)| chunk.to_cells());
        cells.flatten().map(|cell| cell.humidity).sum::<f64>() - world.total()
    });
}

simulated! {
    [S: BlastShape] BlastWorld<S>, blast, name::<S>("blast_cube", "blast_sheet");
    loads: |edit| match edit {
        blast::Edit::InsertChunk { position, .. } => vec![*position],
        _ => Vec::new(),
    };
    positions: |world| world.chunks().map(|(position, _)| position).collect();
    imbalance: |world| Some(world.total() - world.ledger().total());
}

simulated! {
    [] Water2dWorld, water2d, "water2d";
    loads: |edit| match edit {
        water2d::Edit::InsertChunk { position, .. } => vec![*position],
        water2d::Edit::InsertChunks(chunks) => chunks.iter().map(|&(position, _)| position).collect(),
        _ => Vec::new(),
    };
    positions: |world| world.chunks().map(|(position, _)| position).collect();
    imbalance: |world| {
        let cells = world.chunks().flat_map(|(_, chunk)| chunk.to_cells());
        let counted: u64 = cells.map(|cell| u64::from(cell.level())).sum();
        Some(counted as f64 - world.ledger().total() as f64)
    };
}

/// Returns the name of an automaton on cubes or on sheets.
const fn name<S: Shape>(on_cubes: &'static str, on_sheets: &'static str) -> &'static str {
    if S::NEIGHBOURS == 6 { on_cubes } else { on_sheets }
}
