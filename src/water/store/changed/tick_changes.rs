//! The changes of the tick underway. They are listed while the tick ends, and published all at once
//! when it is complete: a world that is saved before then does not contain them.

use crate::grid::{LayerId, Slot};
use crate::water::store::changed::changes::Changes;
use crate::water::store::{Place, Store};

/// A cell that a tick has changed.
#[derive(Clone, Copy)]
struct ChangedCell {
    slot: Slot,
    index: u16,
    is_visible: bool,
}

/// Cells that a tick has changed, each once: single cells, and layers with many of them.
#[derive(Default)]
pub(crate) struct TickChanges {
    cells: Vec<ChangedCell>,
    layers: Vec<(LayerId, Changes)>,
}

impl TickChanges {
    /// Adds a cell, and whether it looks different.
    #[inline]
    pub(crate) fn add_cell(&mut self, slot: Slot, index: u16, is_visible: bool) {
        self.cells.push(ChangedCell { slot, index, is_visible });
    }

    /// Adds the changed cells of a layer.
    pub(crate) fn add_layer(&mut self, layer: LayerId, changes: Changes) {
        if changes.any.any() {
            self.layers.push((layer, changes));
        }
    }

    /// Moves all cells of another list into this one.
    #[cfg(feature = "rayon")]
    pub(crate) fn append(&mut self, other: &mut TickChanges) {
        self.cells.append(&mut other.cells);
        self.layers.append(&mut other.layers);
    }

    /// Returns the number of cells.
    pub(crate) fn count(&self) -> u64 {
        let in_layers = self.layers.iter().map(|(_, changes)| u64::from(changes.any.count()));
        self.cells.len() as u64 + in_layers.sum::<u64>()
    }

    /// Returns the cells, and whether each looks different.
    #[cfg(test)]
    pub(crate) fn cells(&self) -> impl Iterator<Item = (Place, bool)> {
        let alone = self
            .cells
            .iter()
            .map(|cell| (Place::new(cell.slot, usize::from(cell.index)), cell.is_visible));
        let of_layer = |&(layer, Changes { any, visible }): &(LayerId, Changes)| {
            any.iter().map(move |cell| (Place::in_layer(layer, cell), visible.contains(cell)))
        };
        alone.chain(self.layers.iter().flat_map(of_layer))
    }

    pub(in crate::water::store) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<ChangedCell>()
            + self.layers.capacity() * size_of::<(LayerId, Changes)>()
    }
}

/// Returns the list of the changes of the tick underway.
pub(crate) fn tick_changes_mut(store: &mut Store) -> &mut TickChanges {
    &mut store.tick_changes
}

/// Publishes the changes of the tick, which is complete; from now on changes are published at once.
/// Returns their number.
pub(crate) fn publish_changes(store: &mut Store) -> u64 {
    for Place { slot, index } in store.pending.take().into_iter().flat_map(|all| all.changed) {
        store.grid.mark_changed_at(slot, index);
        store.visible_changes.alter(slot);
    }
    let changes = core::mem::take(&mut store.tick_changes);
    let count = changes.count();
    for of_chunk in changes.cells.chunk_by(|one, next| one.slot == next.slot) {
        publish_cells(store, of_chunk);
    }
    for (layer, Changes { any, visible }) in changes.layers {
        store.grid.mark_layer_changed_at(layer, any);
        store.visible_changes.alter(layer.slot);
        if visible.any() {
            let cells = store.visible_changes.cells.entry(layer.slot).or_default();
            cells.insert_layer(layer.y, visible);
        }
    }
    count
}

/// Publishes changed cells of one chunk.
fn publish_cells(store: &mut Store, cells: &[ChangedCell]) {
    let slot = cells[0].slot;
    for cell in cells {
        store.grid.mark_changed_at(slot, usize::from(cell.index));
    }
    store.visible_changes.alter(slot);
    let mut visible = cells.iter().filter(|cell| cell.is_visible).peekable();
    if visible.peek().is_some() {
        let marks = store.visible_changes.cells.entry(slot).or_default();
        visible.for_each(|cell| _ = marks.insert(usize::from(cell.index)));
    }
}
