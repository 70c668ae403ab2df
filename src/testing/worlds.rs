//! What all worlds of this crate share to be watched.

use crate::snapshot::Saved;
use crate::{ChunkChanges, DecodeError, DecodeProblem, Format, Region, Shape};
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
pub(super) fn cells<S: Shape, L>(
    bounds: Region,
    chunks: impl Iterator<Item = IVec3>,
    look: impl Fn(IVec3) -> L,
) -> BTreeMap<[i32; 3], L> {
    let inside = chunks.filter_map(|chunk| bounds.intersection(&S::region_of(chunk)));
    inside.flat_map(Region::positions).map(|cell| (cell.to_array(), look(cell))).collect()
}

/// Returns the edit that its bytes are, which must have the same bytes again. A byte less or more
/// is none.
pub(super) fn received<E: Debug>(
    edit: &E,
    to_bytes: impl Fn(&E) -> Vec<u8>,
    from_bytes: impl Fn(&[u8]) -> Result<E, DecodeError>,
) -> Result<E, String> {
    let bytes = to_bytes(edit);
    let length = bytes.len() - 1;
    let cut = from_bytes(&bytes[..length]).err();
    let stretched = from_bytes(&[&bytes[..], &[0]].concat()).err();
    let error = |at, problem| Some(DecodeError { format: Format::Edit, at, problem });
    if cut != error(length, DecodeProblem::EndsEarly)
        || stretched != error(bytes.len(), DecodeProblem::Trailing { bytes: 1 })
    {
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
        type Account = (<Self as Simulation>::Ledger, <Self as Simulation>::Total);

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

/// Implements [`Watch::undo`] of an automaton from which edits take out one chunk at a time.
macro_rules! undo_by_chunk {
    () => {
        fn undo(edit: &Edit, outcome: &Outcome) -> Vec<Edit> {
            match (edit, outcome) {
                (&Edit::RemoveChunk(position), Outcome::Removed(chunk)) => {
                    vec![Edit::InsertChunk { position, chunk: chunk.clone() }]
                }
                _ => Vec::new(),
            }
        }
    };
}
pub(super) use undo_by_chunk;

/// Implements [`Watch::step_otherwise`] by [`Simulation::run`].
macro_rules! by_run {
    () => {
        fn step_otherwise(&mut self, ticks: u64, _: u64, _: &mut Findings) -> StepReport {
            self.run(ticks)
        }
    };
}
pub(super) use by_run;
