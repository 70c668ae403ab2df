//! The visible changes that each reader has not taken yet. Readers are feeds, and
//! [`take_changes`](WaterWorld::take_changes).

use crate::chunk::CellMask;
use crate::coords::ChunkPos;
use crate::subscribers::{Subscribers, Subscription};
use crate::water::WaterWorld;
use crate::water::store::changed::changes::{take_edited, take_visible_changes};
use crate::water::store::changed::touched::touch;
use crate::water::store::chunks;
use hashbrown::HashMap;

/// Cells of a chunk that look different.
#[derive(Debug)]
pub(crate) struct Marks {
    /// The number of the chunk's load, which distinguishes the chunk from others at the same
    /// position.
    load: u64,
    pub(super) cells: CellMask,
    /// The cells that an edit has changed.
    pub(super) edited: CellMask,
}

/// Cells that look different, by chunk.
pub(crate) type ByChunk = HashMap<ChunkPos, Box<Marks>>;

/// The lists of all readers.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    feeds: Subscribers<ByChunk>,
    /// The list of `take_changes`, without the changes that the store has not published yet; `None`
    /// until the first call of `take_changes`.
    own: Option<ByChunk>,
    /// The store's number of loads when unloaded chunks were last dropped from the lists.
    loads: u64,
}

impl Unread {
    pub(crate) fn memory_bytes(&self) -> usize {
        self.own.as_ref().map_or(0, memory_bytes)
    }

    /// Returns the cells of a chunk that `take_changes` will list, without the cells that the store
    /// has not published yet.
    pub(crate) fn of(&self, chunk: ChunkPos, load: u64) -> Option<&CellMask> {
        let marks = self.own.as_ref()?.get(&chunk)?;
        (marks.load == load).then_some(&marks.cells)
    }
}

/// Returns the bytes that a list holds on the heap.
pub(super) fn memory_bytes(list: &ByChunk) -> usize {
    list.allocation_size() + list.len() * size_of::<Marks>()
}

/// Returns a new list of the visible changes from now on.
pub(super) fn subscribe(world: &mut WaterWorld) -> Subscription<ByChunk> {
    publish_changes(world);
    world.unread.feeds.subscribe()
}

/// Empties the store's list into the lists of all readers.
pub(super) fn publish_changes(world: &mut WaterWorld) {
    let edited = take_edited(&mut world.store);
    let taken = take_visible_changes(&mut world.store);
    let Unread { feeds, own, loads } = &mut world.unread;
    let store = &world.store;
    if core::mem::replace(loads, chunks::loads(store)) != chunks::loads(store) {
        let is_there = |chunk: &ChunkPos, marks: &mut Box<Marks>| {
            store.grid().slot(*chunk).is_some_and(|slot| chunks::load(store, slot) == marks.load)
        };
        own.iter_mut().for_each(|own| own.retain(is_there));
        feeds.publish(|list| list.retain(is_there));
    }
    for (chunk, cells) in taken {
        let Some(slot) = store.grid().slot(chunk) else { continue };
        let (load, edited) = (chunks::load(store, slot), edited.get(&slot).map(|cells| &**cells));
        let add = |list: &mut ByChunk| {
            let none = || Marks { load, cells: CellMask::EMPTY, edited: CellMask::EMPTY };
            let marks = list.entry(chunk).or_insert_with(|| Box::new(none()));
            marks.cells.union_with(&cells);
            edited.into_iter().for_each(|edited| marks.edited.union_with(edited));
        };
        own.iter_mut().for_each(add);
        feeds.publish(add);
    }
}

/// Returns the cells that `take_changes` lists, by chunk, in order of position.
pub(crate) fn take_unread(world: &mut WaterWorld) -> Vec<(ChunkPos, CellMask)> {
    let is_empty = world.unread.own.get_or_insert_default().is_empty();
    if is_empty && !world.unread.feeds.are_any() {
        return take_visible_changes(&mut world.store);
    }
    publish_changes(world);
    let mut taken = core::mem::take(world.unread.own.get_or_insert_default());
    let mut slots: Vec<_> = taken.keys().filter_map(|&at| world.store.grid().slot(at)).collect();
    world.store.grid().sort_slots(&mut slots);
    slots.iter().for_each(|&slot| touch(&mut world.store, slot));
    let change = |slot| {
        let at = world.store.grid().position_at(slot);
        Some((at, taken.remove(&at)?.cells))
    };
    slots.into_iter().filter_map(change).collect()
}
