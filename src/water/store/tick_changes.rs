//! The changes of the tick underway and of the last one. They are gathered by chunk while the tick
//! ends and published all at once when it is complete: a world that is saved before that does not
//! contain them. Then they are merged with the marks of earlier ticks, which takes longer: at once,
//! or after a tick in slices, piece by piece when the next one begins or something asks for them.

use crate::chunk::CellMask;
use crate::grid::Slot;
use crate::water::store::changes::Changes;
use crate::water::store::{Place, Store};
use hashbrown::hash_map::{Entry, IntoIter};

/// The cells of a chunk that a tick has changed.
pub(crate) struct ChangedCells {
    slot: Slot,
    pub(super) words: Box<CellMask>,
    pub(super) looks: Option<Box<CellMask>>,
}

impl ChangedCells {
    pub(crate) fn new(slot: Slot) -> Self {
        ChangedCells { slot, words: Box::default(), looks: None }
    }

    /// Adds those of a layer (0 to 15).
    pub(crate) fn add(&mut self, layer: usize, changes: Changes) {
        self.words.insert_layer(layer, changes.words);
        if changes.looks.any() {
            self.looks.get_or_insert_default().insert_layer(layer, changes.looks);
        }
    }
}

/// The changes of a tick, one entry for each chunk, found by slot (sparse set).
#[derive(Default)]
pub(crate) struct TickChanges {
    chunks: Vec<ChangedCells>,
    /// For each slot, the index of its entry, if the one there is of this slot.
    entries: Vec<u32>,
    /// Whether the tick is complete.
    is_published: bool,
    /// The masks of awake cells that the tick has withheld, which are still to be freed.
    spent: Option<IntoIter<Slot, Box<CellMask>>>,
}

impl TickChanges {
    /// Returns the changes of a chunk that are published and not merged yet.
    #[cfg(feature = "snapshot")]
    pub(super) fn of(&self, slot: Slot) -> Option<&ChangedCells> {
        self.find(slot).filter(|_| self.is_published).map(|entry| &self.chunks[entry])
    }

    /// Returns whether changes of a complete tick are not merged yet.
    pub(super) fn has_published(&self) -> bool {
        self.is_published && !self.chunks.is_empty()
    }

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

    /// Drops the changes of a chunk that is removed.
    pub(super) fn forget(&mut self, slot: Slot) {
        let Some(entry) = self.find(slot) else { return };
        self.chunks.swap_remove(entry);
        if let Some(moved) = self.chunks.get(entry) {
            self.entries[moved.slot.index()] = entry as u32;
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let masks = |changes: &ChangedCells| 1 + usize::from(changes.looks.is_some());
        let spent = self.spent.as_ref().map_or(0, ExactSizeIterator::len);
        (self.chunks.iter().map(masks).sum::<usize>() + spent) * size_of::<CellMask>()
            + self.chunks.capacity() * size_of::<ChangedCells>()
            + self.entries.capacity() * size_of::<u32>()
    }
}

impl Store {
    /// Keeps the cells of a layer (0 to 15) that the tick underway has changed, at least one.
    pub(crate) fn note_changes(&mut self, slot: Slot, layer: usize, changes: Changes) {
        self.tick_changes.of_mut(slot).add(layer, changes);
    }

    /// The same for all cells of a chunk, of which none was kept before.
    #[cfg(feature = "rayon")]
    pub(crate) fn note_changed_chunk(&mut self, changes: ChangedCells) {
        self.tick_changes.push(changes);
    }

    /// Keeps the next cell whose mark the end of the tick has withheld. Returns `false` if none is
    /// left.
    pub(crate) fn note_withheld(&mut self) -> bool {
        let next = self.withheld.as_mut().and_then(|withheld| withheld.changed.pop());
        if let Some(Place { slot, index }) = next {
            self.tick_changes.of_mut(slot).words.insert(index);
        }
        next.is_some()
    }

    /// Publishes the changes of the tick, which is complete; from now on changes are published at
    /// once. Takes constant time.
    pub(crate) fn publish_changes(&mut self) {
        let awake = self.withheld.take().map(|withheld| withheld.awake_before);
        self.tick_changes.spent = awake.map(IntoIterator::into_iter);
        self.tick_changes.is_published = true;
    }

    /// Merges the published changes of the next chunk with its marks, or frees the next mask that
    /// was withheld. Returns `false` if none is left.
    pub(crate) fn merge_next_change(&mut self) -> bool {
        if self.tick_changes.spent.as_mut().and_then(Iterator::next).is_some() {
            return true;
        }
        self.tick_changes.spent = None;
        let changes = &mut self.tick_changes;
        let next = if changes.is_published { changes.chunks.pop() } else { None };
        let Some(ChangedCells { slot, words, looks }) = next else {
            if changes.is_published {
                *changes = TickChanges::default();
            }
            return false;
        };
        self.grid.mark_all_changed_at(slot, words);
        self.visible_changes.alter(slot);
        if let Some(looks) = looks {
            match self.visible_changes.cells.entry(slot) {
                Entry::Occupied(mut cells) => cells.get_mut().union_with(&looks),
                Entry::Vacant(cells) => _ = cells.insert(looks),
            }
        }
        true
    }

    /// Merges all published changes with the marks.
    pub(crate) fn merge_changes(&mut self) {
        while self.merge_next_change() {}
    }
}
