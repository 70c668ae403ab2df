//! The changes of the tick underway. They are gathered by chunk while the tick ends, and published
//! all at once when it is complete: a world that is saved before that does not contain them.

use crate::chunk::CellMask;
use crate::grid::{LayerId, Slot};
use crate::water::store::changed::changes::Changes;
use crate::water::store::{Place, Store};
use hashbrown::hash_map::Entry;

/// The cells of a chunk that a tick has changed.
pub(crate) struct ChangedCells {
    slot: Slot,
    pub(in crate::water::store) any: Box<CellMask>,
    pub(in crate::water::store) visible: Option<Box<CellMask>>,
}

impl ChangedCells {
    pub(crate) fn new(slot: Slot) -> Self {
        ChangedCells { slot, any: Box::default(), visible: None }
    }

    /// Adds the changed cells of a layer (0 to 15).
    pub(crate) fn add(&mut self, layer: usize, changes: Changes) {
        self.any.insert_layer(layer, changes.any);
        if changes.visible.any() {
            self.visible.get_or_insert_default().insert_layer(layer, changes.visible);
        }
    }
}

/// The changes of a tick, one entry for each chunk, found by slot (sparse set).
#[derive(Default)]
pub(crate) struct TickChanges {
    chunks: Vec<ChangedCells>,
    /// For each slot, the index of its entry. Valid only if that entry belongs to this slot.
    entries: Vec<u32>,
}

impl TickChanges {
    fn find(&self, slot: Slot) -> Option<usize> {
        let entry = *self.entries.get(slot.index())? as usize;
        (self.chunks.get(entry)?.slot == slot).then_some(entry)
    }

    fn of_mut(&mut self, slot: Slot) -> &mut ChangedCells {
        let entry = self.find(slot).unwrap_or_else(|| self.push(ChangedCells::new(slot)));
        &mut self.chunks[entry]
    }

    /// Adds an entry for a chunk that has none. Returns its index.
    fn push(&mut self, changes: ChangedCells) -> usize {
        let (slot, entry) = (changes.slot, self.chunks.len());
        if self.entries.len() <= slot.index() {
            self.entries.resize(slot.index() + 1, 0);
        }
        // A slot has at most one entry, so the index fits wherever a slot does.
        self.entries[slot.index()] = entry as u32;
        self.chunks.push(changes);
        entry
    }

    pub(in crate::water::store) fn memory_bytes(&self) -> usize {
        let masks = |changes: &ChangedCells| 1 + usize::from(changes.visible.is_some());
        self.chunks.iter().map(masks).sum::<usize>() * size_of::<CellMask>()
            + self.chunks.capacity() * size_of::<ChangedCells>()
            + self.entries.capacity() * size_of::<u32>()
    }
}

/// Keeps the cells of a layer that the tick underway has changed, at least one.
pub(crate) fn note_changes(store: &mut Store, layer: LayerId, changes: Changes) {
    store.tick_changes.of_mut(layer.slot).add(layer.y, changes);
}

/// Keeps the changed cells of a chunk that had none before.
#[cfg(feature = "rayon")]
pub(crate) fn note_changed_chunk(store: &mut Store, changes: ChangedCells) {
    store.tick_changes.push(changes);
}

/// Publishes the changes of the tick, which is complete; from now on changes are published at once.
pub(crate) fn publish_changes(store: &mut Store) {
    for Place { slot, index } in store.pending.take().into_iter().flat_map(|all| all.changed) {
        store.tick_changes.of_mut(slot).any.insert(index);
    }
    for ChangedCells { slot, any, visible } in core::mem::take(&mut store.tick_changes).chunks {
        store.grid.mark_all_changed_at(slot, any);
        store.visible_changes.alter(slot);
        let Some(visible) = visible else { continue };
        match store.visible_changes.cells.entry(slot) {
            Entry::Occupied(mut cells) => cells.get_mut().union_with(&visible),
            Entry::Vacant(cells) => _ = cells.insert(visible),
        }
    }
}
