//! The automata and worlds of materials, watched; and what all worlds of this crate share for it.

use super::findings::Findings;
use super::watch::{Changes, Looks, Watch};
use crate::blast::{self, BlastGraph, BlastWorld, GraphEdit, GraphError, GraphOutcome, NodeId};
use crate::humidity::{self, HumidityWorld};
use crate::snapshot::Saved;
use crate::water::Progress;
use crate::water2d::{self, Water2dWorld};
use crate::world::{self, MaterialId, World};
use crate::{Automaton, ChunkChanges, Cube, EditBytesError, FieldShape, Region, Shape, Sheet};
use crate::{Chunk, StepReport};
use core::fmt::Debug;
use glam::IVec3;
use std::collections::{BTreeMap, BTreeSet};

/// The cells of lists of changes.
pub(super) fn places<S: Shape>(changes: Vec<ChunkChanges>) -> BTreeSet<[i32; 3]> {
    let cells = changes.iter().flat_map(|changes| {
        changes.cells.iter().map(|index| S::cell_at(changes.chunk, index).to_array())
    });
    cells.collect()
}

/// The cells of chunks that lie within bounds, each as `look` says.
fn cells<S: Shape, L>(
    bounds: Region,
    chunks: impl Iterator<Item = IVec3>,
    look: impl Fn(IVec3) -> L,
) -> BTreeMap<[i32; 3], L> {
    let inside = chunks.filter_map(|chunk| bounds.intersection(&S::region_of(chunk)));
    inside.flat_map(Region::positions).map(|cell| (cell.to_array(), look(cell))).collect()
}

/// Returns the edit that its bytes are, which must have the same bytes again.
pub(super) fn received<E: Debug>(
    edit: &E,
    to_bytes: impl Fn(&E) -> Vec<u8>,
    from_bytes: impl Fn(&[u8]) -> Result<E, EditBytesError>,
) -> Result<E, String> {
    let bytes = to_bytes(edit);
    let received = from_bytes(&bytes).map_err(|error| format!("{error}, of {edit:?}"))?;
    match to_bytes(&received) == bytes {
        true => Ok(received),
        false => Err(format!("{received:?} of {edit:?}")),
    }
}

/// Returns the world as it is after saving and loading.
pub(super) fn saved_and_loaded<W: Saved>(world: &W) -> Result<W, String> {
    let bytes = world.save();
    let loaded = W::load(&bytes).map_err(|error| error.to_string())?;
    if loaded.save() == bytes { Ok(loaded) } else { Err("other bytes once loaded".to_owned()) }
}

/// Goes on until a tick is complete, and returns the sum.
pub(super) fn in_slices(mut slice: impl FnMut() -> Progress) -> Progress {
    let mut sum = slice();
    while !sum.finished {
        let Progress { report, looked_at, finished } = slice();
        sum.report += report;
        sum.looked_at += looked_at;
        sum.finished = finished;
    }
    sum
}

// Edits are made by `apply` in the world and, a second time written out, by the functions of their
// names in a twin, so that a value that does what another one says is found.

/// Implements the functions of [`Watch`] by those of the same names, and by the snapshot.
macro_rules! same_functions {
    () => {
        fn apply(&mut self, edit: Self::Edit) -> Result<Self::Outcome, Self::Error> {
            self.apply(edit)
        }
        fn received(edit: &Self::Edit) -> Result<Self::Edit, String> {
            received(edit, Self::Edit::to_bytes, Self::Edit::from_bytes)
        }
        fn step(&mut self) -> StepReport {
            self.step()
        }
        fn wake_all(&mut self) {
            self.wake_all();
        }
        fn saved_and_loaded(&self) -> Result<Self, String> {
            saved_and_loaded(self)
        }
        fn ticks(&self) -> u64 {
            self.ticks()
        }
        fn state_hash(&self) -> u64 {
            self.state_hash()
        }
        fn is_at_rest(&self) -> bool {
            self.is_at_rest()
        }
        fn validate(&self) -> Result<(), String> {
            self.validate().map_err(|broken| broken.to_string())
        }
    };
}

/// Implements [`Watch::take_changes`] and [`Watch::account`] of an automaton on chunks, whose
/// changes all are visible.
macro_rules! cell_changes {
    ($shape:ty) => {
        type Place = [i32; 3];
        type Account = (<Self as Automaton>::Ledger, <Self as Automaton>::Total);

        fn account(&self) -> Self::Account {
            (self.ledger(), self.total())
        }
        fn take_changes(&mut self) -> Changes<[i32; 3]> {
            let all = places::<$shape>(self.take_changes());
            Changes { visible: all.clone(), all }
        }
    };
}

/// Implements [`Watch::step_otherwise`] by [`Automaton::run`].
macro_rules! by_run {
    () => {
        fn step_otherwise(&mut self, ticks: u64, _: u64, _: &mut Findings) -> StepReport {
            self.run(ticks)
        }
    };
}

impl<S: FieldShape> Watch for HumidityWorld<S> {
    type Edit = humidity::Edit;
    type Outcome = humidity::Outcome;
    type Error = humidity::EditError;
    type Look = humidity::Cell;
    same_functions!();
    cell_changes!(S);
    by_run!();

    /// By the function of the edit's name.
    fn apply_otherwise(
        &mut self,
        edit: humidity::Edit,
    ) -> Result<humidity::Outcome, humidity::EditError> {
        use humidity::{Edit, Outcome};
        let done = |()| Outcome::Done;
        match edit {
            Edit::SetHumidity { cell, humidity } => {
                self.set_humidity(cell, humidity).map(Outcome::Humidity)
            }
            Edit::SetImpermeability { cell, impermeability } => {
                self.set_impermeability(cell, impermeability).map(Outcome::Impermeability)
            }
            Edit::SetRock(cell) => self.set_rock(cell).map(Outcome::Changed),
            Edit::SetRain { cell, humidity } => self.set_rain(cell, humidity).map(done),
            Edit::ClearRain(cell) => self.clear_rain(cell).map(Outcome::Changed),
            Edit::SetCell { cell, value } => self.set_cell(cell, value).map(Outcome::Cell),
            Edit::FillCells { region, value } => self.fill_cells(region, value).map(done),
            Edit::InsertChunk { position, chunk } => self.insert_chunk(position, chunk).map(done),
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
        }
    }

    fn undo(edit: &humidity::Edit, outcome: &humidity::Outcome) -> Vec<humidity::Edit> {
        match (edit, outcome) {
            (&humidity::Edit::RemoveChunk(position), humidity::Outcome::Removed(chunk)) => {
                vec![humidity::Edit::InsertChunk { position, chunk: chunk.clone() }]
            }
            _ => Vec::new(),
        }
    }

    fn looks(&self) -> Looks<Self> {
        let chunks = self.chunks().map(|(position, _)| position);
        cells::<S, _>(self.bounds(), chunks, |cell| self.cell(cell).expect("it is loaded"))
    }
}

impl Watch for Water2dWorld {
    type Edit = water2d::Edit;
    type Outcome = water2d::Outcome;
    type Error = water2d::EditError;
    type Look = water2d::Cell;
    same_functions!();
    cell_changes!(Sheet);
    by_run!();

    /// By the function of the edit's name, lists of chunks in reverse.
    fn apply_otherwise(
        &mut self,
        edit: water2d::Edit,
    ) -> Result<water2d::Outcome, water2d::EditError> {
        use water2d::{Edit, Outcome};
        let done = |()| Outcome::Done;
        match edit {
            Edit::SetSolid(cell) => self.set_solid(cell).map(Outcome::Displaced),
            Edit::ClearSolid(cell) => self.clear_solid(cell).map(Outcome::Changed),
            Edit::Pour { cell, units } => self.pour(cell, units).map(Outcome::Level),
            Edit::Scoop { cell, units } => {
                self.scoop(cell, units).map(|units| Outcome::Units(units.into()))
            }
            Edit::FillSolid(region) => self.fill_solid(region).map(Outcome::Units),
            Edit::FillWater { region, level } => self.fill_water(region, level).map(Outcome::Units),
            Edit::InsertChunk { position, chunk } => self.insert_chunk(position, chunk).map(done),
            Edit::InsertChunks(list) => {
                let reversed = self.insert_chunks(list.iter().rev().cloned());
                // Refused, it names the first of the list.
                reversed.or_else(|_| self.insert_chunks(list)).map(done)
            }
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
        }
    }

    fn undo(edit: &water2d::Edit, outcome: &water2d::Outcome) -> Vec<water2d::Edit> {
        match (edit, outcome) {
            (&water2d::Edit::RemoveChunk(position), water2d::Outcome::Removed(chunk)) => {
                vec![water2d::Edit::InsertChunk { position, chunk: chunk.clone() }]
            }
            _ => Vec::new(),
        }
    }

    /// All in one list.
    fn join(&self, edits: Vec<water2d::Edit>) -> Vec<water2d::Edit> {
        let mut list: Vec<(IVec3, Chunk<water2d::Cell>)> = Vec::new();
        let loaded: BTreeSet<_> = self.chunks().map(|(at, _)| at.to_array()).collect();
        // The last that was taken out there.
        for edit in edits.into_iter().rev() {
            if let water2d::Edit::InsertChunk { position, chunk } = edit
                && !loaded.contains(&position.to_array())
                && list.iter().all(|(at, _)| *at != position)
            {
                list.push((position, chunk));
            }
        }
        vec![water2d::Edit::InsertChunks(list)]
    }

    fn looks(&self) -> Looks<Self> {
        let chunks = self.chunks().map(|(position, _)| position);
        cells::<Sheet, _>(self.bounds(), chunks, |cell| self.cell(cell).expect("it is loaded"))
    }
}

impl<S: FieldShape> Watch for BlastWorld<S> {
    type Edit = blast::Edit;
    type Outcome = blast::Outcome;
    type Error = blast::EditError;
    /// The bits of the pressure, whether the cell is closed, and those of what it bears.
    type Look = (u32, bool, Option<u32>);
    same_functions!();
    cell_changes!(S);
    by_run!();

    /// By the function of the edit's name.
    fn apply_otherwise(&mut self, edit: blast::Edit) -> Result<blast::Outcome, blast::EditError> {
        use blast::{Edit, Outcome};
        let done = |()| Outcome::Done;
        let was = Outcome::Pressure;
        match edit {
            Edit::SetPressure { cell, pressure } => self.set_pressure(cell, pressure).map(was),
            Edit::AddPressure { cell, more } => self.add_pressure(cell, more).map(was),
            Edit::FillPressure { region, pressure } => {
                self.fill_pressure(region, pressure).map(done)
            }
            Edit::SetSolid(cell) => self.set_solid(cell).map(was),
            Edit::SetWall { cell, strength } => self.set_wall(cell, strength).map(was),
            Edit::ClearSolid(cell) => self.clear_solid(cell).map(Outcome::Changed),
            Edit::FillSolid(region) => self.fill_solid(region).map(Outcome::Sum),
            Edit::FillWall { region, strength } => {
                self.fill_wall(region, strength).map(Outcome::Sum)
            }
            Edit::SetLink { cell, face, weight } => {
                self.set_link(cell, face, weight).map(Outcome::Weight)
            }
            Edit::InsertChunk { position, chunk } => self.insert_chunk(position, chunk).map(done),
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::AddCharge { centre, radius, pressure } => {
                self.add_charge(centre, radius, pressure).map(Outcome::Sum)
            }
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
        }
    }

    fn undo(edit: &blast::Edit, outcome: &blast::Outcome) -> Vec<blast::Edit> {
        match (edit, outcome) {
            (&blast::Edit::RemoveChunk(position), blast::Outcome::Removed(chunk)) => {
                vec![blast::Edit::InsertChunk { position, chunk: chunk.clone() }]
            }
            _ => Vec::new(),
        }
    }

    fn looks(&self) -> Looks<Self> {
        let chunks = self.chunks().map(|(position, _)| position);
        cells::<S, _>(self.bounds(), chunks, |cell| {
            let strength = self.strength(cell).map(f32::to_bits);
            ((self.pressure(cell) + 0.0).to_bits(), self.is_solid(cell), strength)
        })
    }
}

impl Watch for BlastGraph {
    type Edit = GraphEdit;
    type Outcome = GraphOutcome;
    type Error = GraphError;
    type Place = NodeId;
    /// The bits of the pressure, and those of what it bears if it is closed.
    type Look = (u64, Option<u64>);
    type Account = (blast::Ledger, u64);
    same_functions!();
    by_run!();

    /// By the function of the edit's name.
    fn apply_otherwise(&mut self, edit: GraphEdit) -> Result<GraphOutcome, GraphError> {
        let (done, was) = (|()| GraphOutcome::Done, GraphOutcome::Pressure);
        match edit {
            GraphEdit::AddNode { position, pressure } => {
                self.add_node(position, pressure).map(GraphOutcome::Node)
            }
            GraphEdit::RemoveNode(node) => self.remove_node(node).map(was),
            GraphEdit::AddLink { a, b, weight } => self.add_link(a, b, weight).map(done),
            GraphEdit::AddLinkAlong { a, b, weight, direction } => {
                self.add_link_along(a, b, weight, direction).map(done)
            }
            GraphEdit::AddVent { node, weight, direction } => {
                self.add_vent(node, weight, direction).map(done)
            }
            GraphEdit::RemoveLink { a, b } => self.remove_link(a, b).map(done),
            GraphEdit::RemoveVent(node) => self.remove_vent(node).map(done),
            GraphEdit::SetLink { a, b, weight } => {
                self.set_link(a, b, weight).map(GraphOutcome::Weight)
            }
            GraphEdit::SetPressure { node, pressure } => self.set_pressure(node, pressure).map(was),
            GraphEdit::SetWall { node, strength } => self.set_wall(node, strength).map(was),
            GraphEdit::ClearWall(node) => self.clear_wall(node).map(GraphOutcome::Changed),
            GraphEdit::WakeAll => {
                self.wake_all();
                Ok(GraphOutcome::Done)
            }
        }
    }

    fn account(&self) -> (blast::Ledger, u64) {
        (self.ledger(), self.total().to_bits())
    }

    fn looks(&self) -> Looks<Self> {
        let look = |node| {
            let strength = self.strength(node).map(f64::to_bits);
            (node, ((self.pressure(node).unwrap_or(0.0) + 0.0).to_bits(), strength))
        };
        self.nodes().map(look).collect()
    }

    fn take_changes(&mut self) -> Changes<NodeId> {
        let all: BTreeSet<NodeId> = self.take_changes().into_iter().collect();
        Changes { visible: all.clone(), all }
    }
}

impl Watch for World {
    type Edit = world::Edit;
    type Outcome = world::Outcome;
    type Error = world::EditError;
    /// The material, the units of water, and the bits of the moisture.
    type Look = (MaterialId, u8, u64);
    same_functions!();
    cell_changes!(Cube);

    /// Lists of records in reverse.
    fn apply_otherwise(&mut self, edit: world::Edit) -> Result<world::Outcome, world::EditError> {
        match edit {
            world::Edit::InsertRecords(list) => {
                let reversed = self.insert_records(list.iter().rev().cloned());
                // Refused, it names the first of the list.
                reversed.or_else(|_| self.insert_records(list)).map(|()| world::Outcome::Done)
            }
            edit => self.apply(edit),
        }
    }

    fn undo(edit: &world::Edit, outcome: &world::Outcome) -> Vec<world::Edit> {
        match (edit, outcome) {
            (&world::Edit::RemoveChunk(position), world::Outcome::Removed(content)) => {
                vec![world::Edit::InsertChunk { position, content: content.clone() }]
            }
            (_, world::Outcome::Records(records)) => records
                .iter()
                .map(|record| world::Edit::InsertRecords(vec![record.clone()]))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// One tick in slices, several by [`run`](World::run).
    fn step_otherwise(&mut self, ticks: u64, budget: u64, _: &mut Findings) -> StepReport {
        match ticks {
            1 => in_slices(|| self.step_within(budget)).report,
            _ => self.run(ticks),
        }
    }

    fn looks(&self) -> Looks<Self> {
        let chunks = self.chunks().map(|(position, _)| position);
        cells::<Cube, _>(self.bounds(), chunks, |cell| {
            let material = self.material(cell).expect("it is loaded");
            (material, self.height(cell), self.moisture(cell).to_bits())
        })
    }
}
