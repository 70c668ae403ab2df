//! The changes in an automaton: the cells of its chunks, and the chunks that come and go.

use crate::chunk::CellMask;
use crate::coords::ChunkPos;
use crate::simulation::ChunkChanges;
use crate::water::ChunkEvent;

/// The changes of an automaton since the previous `FieldChanges`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChanges {
    /// The number of steps that the world has done.
    pub ticks: u64,
    /// The chunks in order of position: y slowest, then z, then x.
    pub chunks: Vec<FieldUpdate>,
}

/// The changes of one chunk of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldUpdate {
    /// The chunk position.
    pub position: ChunkPos,
    /// The event.
    pub event: ChunkEvent,
    /// The cells that may differ: all cells, if the chunk was loaded or unloaded.
    pub cells: CellMask,
}

/// The chunks that were loaded when changes were last taken.
#[derive(Debug, Default)]
pub struct Fields {
    /// The loaded chunks, in order of position.
    known: Vec<ChunkPos>,
    /// The chunks that edits have inserted since then, perhaps in place of known ones.
    inserted: Vec<ChunkPos>,
}

impl Fields {
    /// Records that an edit has loaded chunks.
    pub(super) fn note_inserted(&mut self, positions: Vec<ChunkPos>) {
        self.inserted.extend(positions);
    }

    /// Returns the changes since the last call: the chunks of `present`, in order of position, that
    /// were not loaded at that call, the chunks that were unloaded, and the `changes` in all other
    /// chunks.
    pub(super) fn take(
        &mut self,
        ticks: u64,
        present: Vec<ChunkPos>,
        changes: Vec<ChunkChanges>,
    ) -> FieldChanges {
        let before = core::mem::replace(&mut self.known, present);
        let mut inserted = core::mem::take(&mut self.inserted);
        inserted.sort_unstable();
        let is_new = |position| !has(&before, position) || has(&inserted, position);
        let whole = |event| move |&position| FieldUpdate { position, event, cells: CellMask::FULL };
        let loaded = self.known.iter().filter(|&&position| is_new(position));
        let unloaded = before.iter().filter(|&&position| !has(&self.known, position));
        let changed = changes
            .into_iter()
            .filter(|changes| has(&self.known, changes.chunk) && !is_new(changes.chunk))
            .map(|ChunkChanges { chunk: position, cells }| FieldUpdate {
                position,
                event: ChunkEvent::Changed,
                cells,
            });
        let mut chunks: Vec<FieldUpdate> = loaded
            .map(whole(ChunkEvent::Loaded))
            .chain(unloaded.map(whole(ChunkEvent::Unloaded)))
            .chain(changed)
            .collect();
        chunks.sort_unstable_by_key(|chunk| chunk.position);
        FieldChanges { ticks, chunks }
    }
}

/// Returns whether a position is in a list that is in order of position.
fn has(positions: &[ChunkPos], position: ChunkPos) -> bool {
    positions.binary_search_by_key(&position, |&position| position).is_ok()
}
