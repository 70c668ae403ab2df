//! How worlds of materials are watched: ticks in slices, looks, a naive model of their ground, and
//! mirrors.

mod draw;
mod ground;
mod mirror;

pub use draw::palette;
pub use mirror::{mirrored, mirrors};

use super::findings::Findings;
use super::kind::Kind;
use super::law;
use super::watch::{Changes, Looks, Model};
use super::worlds::{MOST_CELLS, all_cells, cell_changes, saved_and_loaded};
use crate::world::{ChunkRecord, Edit, MaterialId, Outcome, World};
use crate::{Cube, Shape, StepReport};
use ground::Ground;

/// There is a naive model of the ground, unless the bounds hold more than 65,536 cells. All cells
/// within smaller bounds are compared, also where no chunk is loaded.
impl Kind for World {
    /// The material, the units of water, and the bits of moisture and pressure.
    type Look = (Option<MaterialId>, u8, u32, u32);
    type Place = [i32; 3];

    /// Returns an edit that inserts records with the records in reverse.
    fn reordered(edit: &Edit) -> Option<Edit> {
        match edit {
            Edit::InsertRecords(records) => {
                Some(Edit::InsertRecords(records.iter().rev().cloned().collect()))
            }
            _ => None,
        }
    }

    fn undo(edit: &Edit, outcome: &Outcome) -> Vec<Edit> {
        match (edit, outcome) {
            (&Edit::RemoveChunk(position), Outcome::Removed(content)) => {
                vec![Edit::InsertChunk { position, content: content.clone() }]
            }
            (_, Outcome::Records(records)) => {
                records.iter().map(|record| Edit::InsertRecords(vec![record.clone()])).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Runs one tick in slices, or several ticks by [`run`](World::run).
    fn step_otherwise(&mut self, ticks: u64, budget: u64, found: &mut Findings) -> StepReport {
        if ticks == 1 { step_in_slices(self, budget, found) } else { self.run(ticks) }
    }

    fn looks(&self) -> Looks<Self> {
        let look = |cell| {
            let (moisture, pressure) = (self.moisture(cell), self.pressure(cell));
            (self.material(cell), self.units(cell), moisture, pressure.to_bits())
        };
        all_cells::<Cube, _>(self.bounds(), self.chunks().map(|(position, _)| position), look)
    }

    /// Returns `false` for cells of the chunks that the edit loads or unloads.
    fn is_change(
        edit: Option<&Edit>,
        place: [i32; 3],
        then: Option<&Self::Look>,
        now: Option<&Self::Look>,
    ) -> bool {
        let chunk = Cube::chunk_of(place.into());
        let is_moved = match edit {
            Some(Edit::InsertChunk { position, .. } | Edit::RemoveChunk(position)) => {
                *position == chunk
            }
            Some(Edit::RemoveChunks(positions)) => positions.contains(&chunk),
            Some(Edit::InsertRecords(records)) => {
                records.iter().map(ChunkRecord::position).any(|position| position == chunk)
            }
            _ => false,
        };
        !is_moved && then.is_some() && now.is_some()
    }

    fn changes(&mut self) -> Changes<[i32; 3]> {
        cell_changes::<Cube>(self)
    }

    fn model(&self) -> Option<Box<dyn Model<World>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Ground::of(self)) as _)
    }
}

/// Runs one tick in slices. After the first, second, fourth or eighth slice, by the number of the
/// tick, the world is saved and loaded. If water had not completed its tick, the tick then starts
/// again.
fn step_in_slices(world: &mut World, budget: u64, found: &mut Findings) -> StepReport {
    let tick = world.ticks();
    // Not in step with the budgets, since there are four of them, too.
    let reload_after = 1 << ((tick + tick / 4) % 4);
    let mut sum = StepReport::default();
    let mut slice = 0_u64;
    loop {
        let progress = world.step_within(budget);
        sum += progress.report;
        if progress.finished {
            return sum;
        }
        slice += 1;
        if slice == reload_after {
            let begins_anew = world.water().ticks() == tick;
            check_underway(world, found);
            match saved_and_loaded(world) {
                Ok(loaded) => *world = loaded,
                Err(wrong) => found.hold(law::UNDERWAY, false, || wrong),
            }
            if begins_anew {
                sum = StepReport::default();
            }
        }
    }
}

/// Checks the state between two slices of a tick.
fn check_underway(world: &World, found: &mut Findings) {
    if let Err(broken) = world.validate() {
        found.hold(law::UNDERWAY, false, || broken.to_string());
    }
    found.hold(law::UNDERWAY, !world.is_at_rest(), || "nothing left to do".to_owned());
}
