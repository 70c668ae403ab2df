//! Humidity and two-dimensional water, watched; and what all worlds of this crate share for it.

use super::findings::Findings;
use super::watch::{Changes, Looks, Watch};
use crate::humidity::{self, HumidityWorld};
use crate::snapshot::Saved;
use crate::water2d::{self, Water2dWorld};
use crate::{Automaton, ChunkChanges, EditBytesError, FieldShape, Region, Shape, Sheet};
use crate::{Chunk, StepReport};
use core::fmt::Debug;
use glam::IVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Worlds within bounds of more cells have no naive model.
pub(super) const MOST_CELLS: u128 = 1 << 16;

/// The cells of lists of changes.
pub(super) fn places<S: Shape>(changes: Vec<ChunkChanges>) -> BTreeSet<[i32; 3]> {
    let cells = changes.iter().flat_map(|changes| {
        changes.cells.iter().map(|index| S::cell_at(changes.chunk, index).to_array())
    });
    cells.collect()
}

/// All cells of small bounds, and of others those of chunks, each as `look` says.
pub(super) fn all_cells<S: Shape, L>(
    bounds: Region,
    chunks: impl Iterator<Item = IVec3>,
    look: impl Fn(IVec3) -> L,
) -> BTreeMap<[i32; 3], L> {
    if bounds.volume() <= MOST_CELLS {
        return bounds.positions().map(|cell| (cell.to_array(), look(cell))).collect();
    }
    cells::<S, _>(bounds, chunks, look)
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

/// Returns the edit that its bytes are, which must have the same bytes again. A byte less or more is
/// none.
pub(super) fn received<E: Debug>(
    edit: &E,
    to_bytes: impl Fn(&E) -> Vec<u8>,
    from_bytes: impl Fn(&[u8]) -> Result<E, EditBytesError>,
) -> Result<E, String> {
    let bytes = to_bytes(edit);
    let length = bytes.len() - 1;
    let cut = from_bytes(&bytes[..length]).err();
    let stretched = from_bytes(&[&bytes[..], &[0]].concat()).err();
    let trailing = EditBytesError::Trailing { at: bytes.len(), bytes: 1 };
    if cut != Some(EditBytesError::Truncated { length }) || stretched != Some(trailing) {
        return Err(format!("{cut:?} and {stretched:?}, a byte less and more than {edit:?}"));
    }
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
pub(super) use same_functions;

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
            let all = $crate::testing::worlds::places::<$shape>(self.take_changes());
            Changes { visible: all.clone(), all }
        }
    };
}
pub(super) use cell_changes;

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
    type Event = ();
    same_functions!();
    cell_changes!(S);
    by_run!();

    fn awake(&self) -> usize {
        self.awake_cells()
    }

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
    type Event = ();
    same_functions!();
    cell_changes!(Sheet);
    by_run!();

    fn awake(&self) -> usize {
        self.awake_cells()
    }

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
