//! The record that a tick keeps of a chunk: a log of the cells that it touched, each with the word
//! that it had before the tick and what has flowed.
//!
//! Water is thin: on real ground a layer has about four wet cells. So the log has a note of ten
//! bytes for each cell, and only a layer in which more than [`FEW`] cells take part has a table of
//! all its cells. A tick in a thin world is limited by the memory that it spans.
//!
//! `note` and `table` are the two ways to keep the log; `layer` hides both from the phases.

mod layer;
mod note;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use layer::{LayerRecord, LayerRecordMut, NoteMut};

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask, ones};
use crate::grid::{LayerId, Slot};
use crate::water::store::changed::tick_changes::TickChanges;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;
use note::{Note, SAVED};
use std::borrow::Cow;
use table::Table;

/// The most cells of a layer that have notes.
const FEW: usize = LayerMask::SPARSE;

/// The end of a chain of notes.
const NONE: u16 = u16::MAX;

/// What happens to a cell in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Water other than steady flow entered, left or passed the cell. A cell with neither this mark
    /// nor [`Steady`](Mark::Steady) has the flow record [`NO_FLOW`].
    Touched,
    /// The cell was woken, to be visited in the next tick.
    Woken,
    /// The cell would draw, but its path is exhausted for this tick; the cell must stay awake.
    Waiting,
    /// Steady flow passed the cell.
    Steady,
    /// The cell is part of a fall, and has passed water down.
    Fallen,
    /// The levelling of the cell's body may have moved any number of units through the cell.
    Levelled,
}

const MARKS: usize = 6;

impl Mark {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The additional parents of a layer's cells: for each face, the cells with an additional parent
/// behind it.
type Extras = [LayerMask; 6];

/// The record of one chunk in a tick.
pub(crate) struct ChunkRecord {
    pub(in crate::water::scratch) is_of_odd_tick: bool,
    /// The layers, by bit, with a table.
    dense: u16,
    /// The layers, by bit, with a saved cell.
    saved: u16,
    notes: Vec<Note>,
    /// For each layer without a table, its last note and the number of its notes.
    chains: [(u16, u8); 16],
    tables: [Option<Box<Table>>; 16],
    /// Tables that are reset and free to use.
    #[expect(clippy::vec_box, reason = "unboxed, each move would copy a kilobyte")]
    spare: Vec<Box<Table>>,
    /// By layer: the additional parents of cells before the tick, if any cell of the layer is saved
    /// and any cell had additional parents.
    extras_before: Vec<(usize, Box<Extras>)>,
    /// The awake cells of the chunk before the tick, if queries may need them.
    pub(in crate::water::scratch) awake_before: Option<Box<CellMask>>,
}

impl Default for ChunkRecord {
    fn default() -> Self {
        ChunkRecord {
            is_of_odd_tick: false,
            dense: 0,
            saved: 0,
            notes: Vec::new(),
            chains: [(NONE, 0); 16],
            tables: [const { None }; 16],
            spare: Vec::new(),
            extras_before: Vec::new(),
            awake_before: None,
        }
    }
}

impl ChunkRecord {
    /// Resets the record of an earlier tick. Keeps its tables for the next tick.
    pub(in crate::water::scratch) fn reset(&mut self) {
        self.spare.clear();
        for layer in ones(u64::from(core::mem::take(&mut self.dense))) {
            if let Some(mut table) = self.tables[layer].take() {
                table.reset();
                self.spare.push(table);
            }
        }
        self.notes.clear();
        (self.chains, self.saved) = ([(NONE, 0); 16], 0);
        self.extras_before.clear();
        self.awake_before = None;
    }

    /// Returns the record of a layer.
    #[inline]
    pub(in crate::water::scratch) fn layer(&self, y: usize) -> LayerRecord<'_> {
        LayerRecord { chunk: self, y }
    }

    /// Returns the record of a layer for changes.
    #[inline]
    pub(in crate::water::scratch) fn layer_mut(&mut self, y: usize) -> LayerRecordMut<'_> {
        LayerRecordMut { chunk: self, y }
    }

    /// Returns the bytes held on the heap.
    pub(in crate::water::scratch) fn heap_bytes(&self) -> usize {
        let tables = self.dense.count_ones() as usize + self.spare.len();
        tables * size_of::<Table>()
            + self.notes.capacity() * size_of::<Note>()
            + self.spare.capacity() * size_of::<Box<Table>>()
            + self.extras_before.len() * size_of::<Extras>()
            + self.extras_before.capacity() * size_of::<(usize, Box<Extras>)>()
            + self.awake_before.as_ref().map_or(0, |_| size_of::<CellMask>())
    }

    /// Returns whether water entered, left or passed any cell.
    pub(crate) fn has_flowed(&self) -> bool {
        const FLOWED: u8 = Mark::Touched.bit() | Mark::Steady.bit();
        self.notes().any(|note| note.marks & FLOWED != 0)
            || self.tables.iter().flatten().any(|table| table.flowed().any())
    }

    /// Returns whether any cell is saved. If not, no cell has changed.
    pub(in crate::water::scratch) fn may_have_changed(&self) -> bool {
        self.saved != 0
    }

    /// Returns the layers, by bit, with a table.
    pub(crate) fn dense_layers(&self) -> u16 {
        self.dense
    }

    /// Calls `change` for the notes of the layers without a table, in the order in which they were
    /// made.
    #[inline]
    pub(crate) fn for_each_note(&mut self, mut change: impl FnMut(NoteMut<'_>)) {
        let ChunkRecord { notes, dense, saved, .. } = self;
        for note in notes.iter_mut().filter(|note| *dense >> note.layer() & 1 == 0) {
            change(NoteMut { note, saved });
        }
    }

    /// Returns the notes of the layers without a table.
    fn notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| self.dense >> note.layer() & 1 == 0)
    }

    /// Adds the cells that differ from before the tick to `changes`.
    pub(crate) fn add_changes(&self, store: &Store, slot: Slot, changes: &mut TickChanges) {
        for note in self.notes().filter(|note| note.marks & SAVED != 0) {
            let now = store.read(Place::new(slot, usize::from(note.index)));
            if now != note.before {
                changes.add_cell(slot, note.index, now.look() != note.before.look());
            }
        }
        for y in ones(u64::from(self.dense & self.saved)) {
            let layer = LayerId::new(slot, y);
            if let Some(table) = &self.tables[y] {
                changes.add_layer(layer, table.changes(&layer_of(store, layer)));
            }
        }
    }

    /// Returns the notes of a layer that has no table.
    #[inline]
    fn chain(&self, y: usize) -> impl Iterator<Item = &Note> {
        let note = |at: u16| self.notes.get(usize::from(at));
        core::iter::successors(note(self.chains[y].0), move |last| note(last.next))
    }

    /// Gives a layer a table, and moves its notes there.
    pub(in crate::water::scratch) fn use_table(&mut self, y: usize) {
        let mut table = self.spare.pop().unwrap_or_else(Table::new);
        self.chain(y).for_each(|note| table.take_over(note));
        self.chains[y] = (NONE, 0);
        self.dense |= 1 << y;
        self.tables[y] = Some(table);
    }
}

/// Returns the cells of a layer.
fn layer_of(store: &Store, layer: LayerId) -> Cow<'_, [Voxel; LAYER_CELLS]> {
    match store.cells(layer) {
        Some(cells) => Cow::Borrowed(cells),
        None => Cow::Owned([store.grid().chunk_at(layer.slot).get(0); LAYER_CELLS]),
    }
}
