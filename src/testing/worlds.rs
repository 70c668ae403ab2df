//! The functions by which all worlds of this crate are watched.

use super::watch::Changes;
use crate::coords::ChunkPos;
use crate::simulation::Simulation;
use crate::snapshot::Saved;
use crate::{ChunkChanges, DecodeError, DecodeProblem, EditValue, Format, Region, Shape};
use glam::IVec3;
use std::collections::{BTreeMap, BTreeSet};

/// The most cells within the bounds of a world that has a naive model.
pub(super) const MOST_CELLS: u128 = 1 << 16;

/// Returns the changes of an automaton on chunks, all of which are visible.
pub(super) fn cell_changes<S: Shape>(
    world: &mut impl Simulation<Change = ChunkChanges>,
) -> Changes<[i32; 3]> {
    let all = places::<S>(world.take_changes());
    Changes { visible: all.clone(), all }
}

/// Returns the cells of lists of changes.
pub(super) fn places<S: Shape>(changes: Vec<ChunkChanges>) -> BTreeSet<[i32; 3]> {
    let cells = changes.iter().flat_map(|changes| {
        changes.cells.iter().map(|index| S::cell_at(changes.chunk, index).to_array())
    });
    cells.collect()
}

/// Returns the looks of all cells within small bounds; within larger bounds, the looks of the cells
/// of chunks.
pub(super) fn all_cells<S: Shape, L>(
    bounds: Region,
    chunks: impl Iterator<Item = ChunkPos>,
    look: impl Fn(IVec3) -> L,
) -> BTreeMap<[i32; 3], L> {
    if bounds.volume() <= MOST_CELLS {
        return bounds.positions().map(|cell| (cell.to_array(), look(cell))).collect();
    }
    cells::<S, _>(bounds, chunks, look)
}

/// Returns the looks of the cells of chunks that are within bounds.
pub(super) fn cells<S: Shape, L>(
    bounds: Region,
    chunks: impl Iterator<Item = ChunkPos>,
    look: impl Fn(IVec3) -> L,
) -> BTreeMap<[i32; 3], L> {
    let inside = chunks.filter_map(|chunk| bounds.intersection(&S::region_of(chunk)));
    inside.flat_map(Region::positions).map(|cell| (cell.to_array(), look(cell))).collect()
}

/// Returns the edit that is read back from the bytes of an edit, and that must have the same bytes
/// again. Bytes with one byte less or more must be refused.
pub(super) fn received<E: EditValue>(edit: &E) -> Result<E, String> {
    let bytes = edit.to_bytes();
    let length = bytes.len() - 1;
    let cut = E::from_bytes(&bytes[..length]).err();
    let stretched = E::from_bytes(&[&bytes[..], &[0]].concat()).err();
    let error = |at, problem| Some(DecodeError { format: Format::Edit, at, problem });
    if cut != error(length, DecodeProblem::EndsEarly)
        || stretched != error(bytes.len(), DecodeProblem::Trailing { bytes: 1 })
    {
        return Err(format!("{cut:?} and {stretched:?}, a byte less and more than {edit:?}"));
    }
    let received = E::from_bytes(&bytes).map_err(|error| format!("{error}, of {edit:?}"))?;
    match received.to_bytes() == bytes {
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

/// Implements [`Kind::undo`](super::kind::Kind::undo) for an automaton whose edits take out one
/// chunk at a time.
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
