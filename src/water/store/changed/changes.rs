//! Two sets of changed cells: cells whose words differ, in the grid, and cells that look different.
//! For worlds above water, the chunks with changed cells are recorded, too.

use crate::chunk::{CellMask, Chunk, LayerMask};
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::grid::Slot;
use crate::water::store::changed::touched::touch;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;
use hashbrown::{HashMap, HashSet};

/// The cells of a layer that a tick has changed.
#[derive(Clone, Copy)]
pub(crate) struct Changes {
    /// Cells whose words differ.
    pub(crate) any: LayerMask,
    /// Cells among `any` that look different: see [`look`](crate::water::voxel::Voxel::look).
    pub(crate) visible: LayerMask,
}

/// The cells that look different since [`take_visible_changes`] was last called, by chunk.
#[derive(Default)]
pub(crate) struct VisibleChanges {
    pub(in crate::water::store) cells: HashMap<Slot, Box<CellMask>>,
    /// Cells among `cells` that an edit has changed.
    edited: Edited,
    /// The chunks in which any cell has changed since this set was last taken; `None` unless
    /// recorded.
    altered: Option<HashSet<Slot>>,
}

/// Cells that edits have changed, by chunk.
pub(crate) type Edited = HashMap<Slot, Box<CellMask>>;

impl VisibleChanges {
    fn of(&mut self, slot: Slot) -> &mut CellMask {
        self.cells.entry(slot).or_default()
    }

    /// Drops the marks of a chunk that is removed.
    pub(in crate::water::store) fn forget(&mut self, slot: Slot) {
        self.cells.remove(&slot);
        self.edited.remove(&slot);
        if let Some(altered) = &mut self.altered {
            altered.remove(&slot);
        }
    }

    /// Notes that a cell of a chunk has changed.
    pub(in crate::water::store) fn alter(&mut self, slot: Slot) {
        if let Some(altered) = &mut self.altered {
            altered.insert(slot);
        }
    }

    pub(in crate::water::store) fn memory_bytes(&self) -> usize {
        let bytes = |cells: &Edited| cells.allocation_size() + cells.len() * size_of::<CellMask>();
        let altered = self.altered.as_ref().map_or(0, HashSet::allocation_size);
        bytes(&self.cells) + bytes(&self.edited) + altered
    }
}

/// Marks a cell as changed, and as looking different. While a tick ends, the first mark is withheld
/// and the second is not made: the end compares the cells of the tick with their earlier state, and
/// [`TickChanges`](crate::water::store::changed::tick_changes::TickChanges) lists the
/// differences.
pub(in crate::water::store) fn mark_changed(store: &mut Store, place: Place) {
    match &mut store.pending {
        Some(pending) => pending.changed.push(place),
        None => {
            store.grid.mark_changed_at(place.slot, place.index);
            store.visible_changes.alter(place.slot);
            store.visible_changes.of(place.slot).insert(place.index);
            store.visible_changes.edited.entry(place.slot).or_default().insert(place.index);
        }
    }
}

/// Returns the chunks with changed cells, in order of position, with these cells, and clears the
/// marks.
pub(crate) fn take_changes(store: &mut Store) -> Vec<(ChunkPos, CellMask)> {
    let taken = store.grid.take_changes();
    for (position, _) in &taken {
        if let Some(slot) = store.grid.slot(*position) {
            touch(store, slot);
        }
    }
    taken
}

/// Like [`take_changes`](take_changes), for the cells that look different.
pub(crate) fn take_visible_changes(store: &mut Store) -> Vec<(ChunkPos, CellMask)> {
    store.visible_changes.edited = Edited::new();
    let mut taken = core::mem::take(&mut store.visible_changes.cells);
    let mut slots: Vec<Slot> = taken.keys().copied().collect();
    store.grid.sort_slots(&mut slots);
    slots.iter().for_each(|&slot| touch(store, slot));
    let change = |slot: Slot| Some((store.grid.position_at(slot), *taken.remove(&slot)?));
    slots.into_iter().filter_map(change).collect()
}

/// Begins to record in which chunks cells change, unless this is done already.
pub(crate) fn note_altered(store: &mut Store) {
    store.visible_changes.altered.get_or_insert_default();
}

pub(crate) fn has_altered(store: &Store) -> bool {
    let altered = store.visible_changes.altered.as_ref();
    altered.is_some_and(|altered| !altered.is_empty())
}

/// Returns the chunks in which a cell may have changed since the last call, in no particular order;
/// none if such chunks are not recorded.
pub(crate) fn take_altered(store: &mut Store) -> Vec<ChunkPos> {
    let altered = store.visible_changes.altered.iter_mut().flat_map(HashSet::drain);
    altered.map(|slot| store.grid.position_at(slot)).collect()
}

/// Returns the cells that [`take_visible_changes`](take_visible_changes) will list and that
/// were changed between ticks: by an edit, or by loading or unloading a chunk. Clears these marks.
pub(crate) fn take_edited(store: &mut Store) -> Edited {
    core::mem::take(&mut store.visible_changes.edited)
}

/// A chunk as it was before it was taken out of the world, and its marks.
pub(crate) struct Kept {
    cells: Chunk<Voxel>,
    /// The cells in the list of all changes.
    changed: CellMask,
    /// The cells in the list of visible changes.
    visible: CellMask,
    /// The cells among `visible` that an edit has changed.
    edited: CellMask,
}

/// Returns a chunk as it is, with its marks, before it is taken out. `unread` has the visible
/// changes that the store has already passed on to the lists of readers.
pub(crate) fn keep(store: &Store, slot: Slot, unread: Option<&CellMask>) -> Kept {
    let mut visible = visible_changes_at(store, slot).unwrap_or_default();
    unread.into_iter().for_each(|cells| visible.union_with(cells));
    let edited = store.visible_changes.edited.get(&slot);
    Kept {
        cells: store.grid.chunk_at(slot).clone(),
        changed: changes_at(store, slot).unwrap_or_default(),
        visible,
        edited: edited.map_or(CellMask::EMPTY, |cells| (**cells).clone()),
    }
}

/// Marks the cells of a chunk that was put back: those that were marked before it was taken out,
/// and those that have changed since.
pub(crate) fn mark_since(store: &mut Store, slot: Slot, kept: Kept) {
    let Kept { cells, mut changed, mut visible, mut edited } = kept;
    let now = store.grid.chunk_at(slot);
    for index in 0..CHUNK_CELLS {
        let (was, is) = (cells.get(index), now.get(index));
        if was != is {
            changed.insert(index);
        }
        if was.look() != is.look() {
            visible.insert(index);
            edited.insert(index);
        }
    }
    if !changed.is_empty() {
        store.grid.mark_changes_at(slot, &changed);
        store.visible_changes.alter(slot);
    }
    if !visible.is_empty() {
        mark_visible_changes_at(store, slot, &visible);
    }
    if !edited.is_empty() {
        store.visible_changes.edited.entry(slot).or_default().union_with(&edited);
    }
}

/// Returns the changed cells of a chunk, if there are any.
pub(crate) fn changes_at(store: &Store, slot: Slot) -> Option<CellMask> {
    store.grid.changed_at(slot).cloned()
}

/// Returns the cells of a chunk that look different, if there are any.
pub(crate) fn visible_changes_at(store: &Store, slot: Slot) -> Option<CellMask> {
    store.visible_changes.cells.get(&slot).map(|cells| (**cells).clone())
}

/// Marks cells of a chunk as looking different. There must be at least one cell.
pub(crate) fn mark_visible_changes_at(store: &mut Store, slot: Slot, cells: &CellMask) {
    store.visible_changes.of(slot).union_with(cells);
}
