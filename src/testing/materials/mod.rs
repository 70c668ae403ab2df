//! Worlds of materials, watched: how they are ticked in slices, what can be seen of them, a naive
//! model of their ground, and mirrors.

mod ground;
mod mirror;

pub use mirror::{mirrored, mirrors};

use super::findings::Findings;
use super::law;
use super::watch::{Changes, Looks, Model, Watch};
use super::worlds::{
    MOST_CELLS, all_cells, cell_changes, received, same_functions, saved_and_loaded,
};
use crate::automaton::Automaton;
use crate::world::{Broken, ChunkRecord, Edit, EditError, MaterialId, Outcome, World};
use crate::{Cube, Shape, StepReport, blast, water};
use ground::Ground;

/// With a naive model of its ground, unless the bounds hold more than 65,536 cells. All cells of
/// smaller bounds are looked at, also where no chunk is loaded.
impl Watch for World {
    type Edit = Edit;
    type Outcome = Outcome;
    type Error = EditError;
    /// The material, the units of water, and the bits of moisture and pressure.
    type Look = (Option<MaterialId>, u8, u64, u32);
    type Event = Broken;
    same_functions!();
    cell_changes!(Cube);

    /// By the function of the edit's name, lists of records in reverse.
    fn apply_otherwise(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        let done = |()| Outcome::Done;
        match edit {
            Edit::SetMaterial { cell, material } => {
                self.set_material(cell, material).map(Outcome::Replaced)
            }
            Edit::FillMaterial { region, material } => {
                self.fill_material(region, material).map(Outcome::Units)
            }
            Edit::InsertChunk { position, content } => {
                self.insert_chunk(position, content).map(done)
            }
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::RemoveChunks(positions) => self.remove_chunks(positions).map(Outcome::Records),
            Edit::InsertRecords(list) => {
                let reversed = self.insert_records(list.iter().rev().cloned());
                // Refused, it names the first of the list.
                reversed.or_else(|_| self.insert_records(list)).map(done)
            }
            Edit::Rain { from, units } => {
                self.rain(from, units).map(|units| Outcome::Units(units.into()))
            }
            Edit::Charge { centre, radius, pressure } => {
                let added = self.charge(centre, radius, pressure)?;
                Ok(Outcome::Blast(blast::Outcome::Sum(added)))
            }
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
            Edit::Water(edit) => match call(self, &edit) {
                Some(result) => result.map(Outcome::Water),
                None => self.apply(Edit::Water(edit)),
            },
            of_part @ (Edit::Soil(_) | Edit::Blast(_)) => self.apply(of_part),
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

    /// One tick in slices, several by [`run`](World::run).
    fn step_otherwise(&mut self, ticks: u64, budget: u64, found: &mut Findings) -> StepReport {
        if ticks == 1 { step_in_slices(self, budget, found) } else { self.run(ticks) }
    }

    fn awake(&self) -> usize {
        self.awake_cells()
    }

    fn looks(&self) -> Looks<Self> {
        let look = |cell| {
            let (moisture, pressure) = (self.moisture(cell), self.pressure(cell));
            (self.material(cell), self.height(cell), moisture.to_bits(), pressure.to_bits())
        };
        all_cells::<Cube, _>(self.bounds(), self.chunks().map(|(position, _)| position), look)
    }

    /// All but what an edit loads or unloads.
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

    fn take_events(&mut self) -> Vec<Broken> {
        self.take_events()
    }

    fn model(&self) -> Option<Box<dyn Model<World>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Ground::of(self)) as _)
    }
}

/// Makes an edit of water by the function of its name; `None` if the world has none.
fn call(world: &mut World, edit: &water::Edit) -> Option<Result<water::Outcome, EditError>> {
    use water::{Edit, Outcome};
    let units = |units: u32| Outcome::Units(units.into());
    Some(match *edit {
        Edit::Pour { cell, units: most } => world.pour(cell, most).map(units),
        Edit::Scoop { cell, units: most } => world.scoop(cell, most).map(units),
        Edit::DrainBody { cell, units: most } => world.drain_body(cell, most).map(units),
        Edit::FillBody { cell, units: most } => world.fill_body(cell, most).map(units),
        Edit::FillWater { region, height } => world.fill_water(region, height).map(Outcome::Units),
        Edit::AddSource(cell) => world.add_source(cell).map(Outcome::Changed),
        Edit::RemoveSource(cell) => world.remove_source(cell).map(Outcome::Changed),
        Edit::FillSea(region) => world.fill_sea(region).map(Outcome::Units),
        Edit::ClearSea(cell) => world.clear_sea(cell).map(Outcome::Changed),
        Edit::SetEdge { column, edge } => Ok(Outcome::Changed(world.set_edge(column, edge))),
        Edit::SetFixture { cell, fixture } => {
            world.set_fixture(cell, fixture).map(Outcome::Changed)
        }
        Edit::Freeze(ref chunks) => world.freeze(chunks.iter().copied()).map(Outcome::Changed),
        Edit::Thaw(ref chunks) => world.thaw(chunks.iter().copied()).map(Outcome::Changed),
        Edit::SetRules(rules) => world.set_water_rules(rules).map(|()| Outcome::Done),
        _ => return None,
    })
}

/// Runs one tick in slices. After the first, the second, the fourth or the eighth of them, by the
/// number of the tick, the world is saved and loaded; where water had not completed its tick, the
/// tick begins anew.
fn step_in_slices(world: &mut World, budget: u64, found: &mut Findings) -> StepReport {
    let tick = world.ticks();
    // Not in step with the budgets, of which there are four, too.
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

/// What holds between two slices of a tick.
fn check_underway(world: &World, found: &mut Findings) {
    if let Err(broken) = world.validate() {
        found.hold(law::UNDERWAY, false, || broken.to_string());
    }
    found.hold(law::UNDERWAY, !world.is_at_rest(), || "nothing left to do".to_owned());
}
