//! The changes that each reader has not taken yet: feeds,
//! [`take_changes`](World::take_changes) and [`take_events`](World::take_events). Changes of water
//! have lists of their own.

use crate::chunk::CellMask;
use crate::coords::ChunkPos;
use crate::simulation::ChunkChanges;
use crate::subscribers::{Subscribers, Subscription};
use crate::world::World;
use crate::world::pressure::Broken;
use hashbrown::HashSet;
use std::collections::BTreeMap;

/// Cells by chunk, in order of position.
pub(crate) type Cells = BTreeMap<ChunkPos, CellMask>;

/// Adds the cells of a list.
pub(crate) fn add(all: &mut Cells, list: &[ChunkChanges]) {
    for ChunkChanges { chunk, cells } in list {
        all.entry(*chunk).or_default().union_with(cells);
    }
}

/// Returns cells as a list.
pub(crate) fn list(all: Cells) -> Vec<ChunkChanges> {
    let list = all.into_iter();
    ChunkChanges::list(list.collect())
}

/// The changes that a feed has not taken.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) materials: Cells,
    pub(super) soil: Cells,
    pub(super) events: Vec<Broken>,
}

/// The lists of all readers.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    feeds: Subscribers<List>,
    /// The list of `take_changes` for ground, soil and pressure, without the changes that the parts
    /// have not published yet; `None` until the first call.
    own: Option<Cells>,
    /// How many of the world's events are in the lists of feeds.
    published: usize,
    /// Whether `take_events` has been called.
    are_events_taken: bool,
    /// The number of loads of the water when the cells of unloaded chunks were last dropped from
    /// `own`.
    loads: u64,
}

impl Unread {
    pub(crate) fn memory_bytes(&self) -> usize {
        self.own.as_ref().map_or(0, |own| own.len() * size_of::<([i32; 3], CellMask)>())
    }
}

/// Returns a new list of the changes from now on.
pub(super) fn subscribe(world: &mut World) -> Subscription<List> {
    publish_changes(world);
    world.unread.feeds.subscribe()
}

/// Moves the changes that the parts list, except water, into the lists of all readers.
pub(super) fn publish_changes(world: &mut World) {
    let [materials, soil, pressure] = world.take_changes_but_water();
    if let Some(own) = &mut world.unread.own {
        [&materials, &soil, &pressure].into_iter().for_each(|list| add(own, list));
    }
    let new = world.events.get(world.unread.published..).unwrap_or_default();
    world.unread.feeds.publish(|list| {
        add(&mut list.materials, &materials);
        add(&mut list.soil, &soil);
        list.events.extend_from_slice(new);
    });
    if world.unread.feeds.are_any() && !world.unread.are_events_taken {
        world.events.truncate(world.unread.published);
    }
    world.unread.published = world.events.len();
    let loads = world.water.loads();
    if core::mem::replace(&mut world.unread.loads, loads) != loads {
        let ground = world.ground.chunks().map(|(chunk, _)| chunk);
        let all = ground.chain(world.blast.chunks().map(|(chunk, _)| chunk));
        let there: HashSet<ChunkPos> = all.collect();
        let own = world.unread.own.iter_mut();
        own.for_each(|own| own.retain(|chunk, _| there.contains(chunk)));
    }
}

/// Returns the cells of ground, soil and pressure that `take_changes` lists.
pub(crate) fn take_unread(world: &mut World) -> Cells {
    world.unread.own.get_or_insert_default();
    publish_changes(world);
    core::mem::take(world.unread.own.get_or_insert_default())
}

/// Returns the events for `take_events`.
pub(crate) fn take_unread_events(world: &mut World) -> Vec<Broken> {
    if world.unread.feeds.are_any() {
        publish_changes(world);
    }
    world.unread.are_events_taken = true;
    world.unread.published = 0;
    core::mem::take(&mut world.events)
}
