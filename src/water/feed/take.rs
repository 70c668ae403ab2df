//! The feed, which makes updates of a world.

use crate::chunk::CellMask;
use crate::coords::{ChunkPos, Cube, Shape};
use crate::subscribers::Subscription;
use crate::water::WaterWorld;
use crate::water::feed::currents::SentCurrents;
use crate::water::feed::unread::{self, ByChunk, Marks, publish_changes, subscribe};
use crate::water::feed::update::{
    Cause, ChunkCurrents, ChunkEvent, ChunkUpdate, Update, add, look_within,
};
use crate::water::fixture::Fixture;
use crate::water::scratch::rollback::cells_before;
use crate::water::store::{Place, chunks, fixtures};
use hashbrown::HashSet;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Follows a world, and says in [`Update`]s what looks different: for renderers, and for clients
/// over a network, which keep a [`Mirror`](crate::water::Mirror).
///
/// A feed belongs to one world and is no part of its state or snapshots: make a new one for a world
/// that is loaded. A world may have several, and [`take_changes`](WaterWorld::take_changes) beside
/// them: each has its own list of changes that it has not taken yet, which takes 1 KB for each
/// changed chunk. Changes that a feed takes before the first call of `take_changes` are not in the
/// list of `take_changes`.
///
/// Updates hold the visible state (see [`Look`](crate::water::Look)), and the currents if the feed
/// [sends](Feed::send_currents) them.
///
/// ```
/// use floodplain::water::{Cause, Feed, Mirror, Rules, Update, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// let mut feed = Feed::new(&mut world);
///
/// // A client joins.
/// let mut mirror = Mirror::new(1_000);
/// mirror.apply(&feed.whole(&world, [ChunkPos::ZERO]))?;
///
/// let cell = IVec3::new(8, 15, 8);
/// world.pour(cell, 7)?;
/// let update = feed.take(&mut world);
/// assert!(update.chunks()[0].causes().eq([Cause::Edit]));
/// let bytes = update.to_bytes();
/// mirror.apply(&Update::from_bytes(&bytes)?)?;
/// assert_eq!((mirror.units(cell), bytes.len()), (7, 14));
///
/// world.step();
/// let update = feed.take(&mut world);
/// assert!(update.chunks()[0].causes().any(|cause| cause == Cause::Flow));
/// mirror.apply(&update)?;
/// assert_eq!(mirror.units(cell), world.units(cell));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Feed {
    unread: Subscription<ByChunk>,
    /// The number of updates taken.
    taken: u64,
    /// The store's number of loads at the last update.
    loads: u64,
    /// The chunks that were loaded at the last update.
    known: HashSet<ChunkPos>,
    /// The chunks loaded since the last update that have already been sent as whole chunks.
    shown: HashSet<ChunkPos>,
    /// The currents that have been sent; `None` if the feed sends no currents.
    currents: Option<SentCurrents>,
}

impl Feed {
    /// Returns a feed whose first update says what looks different from now on.
    pub fn new(world: &mut WaterWorld) -> Feed {
        let mut feed = Feed {
            unread: subscribe(world),
            taken: 0,
            loads: 0,
            known: HashSet::new(),
            shown: HashSet::new(),
            currents: None,
        };
        feed.take_loads(world);
        feed
    }

    /// From the next update on, also sends the currents of the last complete tick that differ from
    /// those in the update before, for clients that smooth currents with a
    /// [`FlowField`](crate::water::FlowField). Each changed current takes 2 to 5 bytes more, and in
    /// moving water most currents change from tick to tick. The feed then holds up to 8 KB for each
    /// chunk with currents.
    ///
    /// ```
    /// use floodplain::water::{Feed, Mirror, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// let (mut feed, mut mirror) = (Feed::new(&mut world), Mirror::new(1));
    /// feed.send_currents();
    /// mirror.apply(&feed.whole(&world, [ChunkPos::ZERO]))?;
    /// let cell = IVec3::new(8, 12, 8);
    /// world.pour(cell, 5)?;
    /// world.step();
    /// mirror.apply(&feed.take(&mut world))?;
    /// assert_eq!(mirror.current(cell), IVec3::new(0, -5, 0));
    /// assert_eq!(mirror.current(cell), world.current(cell));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn send_currents(&mut self) {
        self.currents.get_or_insert_default();
    }

    /// Returns the visible changes since the last call. While a tick is underway, these are the
    /// changes up to the end of the last complete tick, and the changes of edits since then;
    /// currents wait for the next update after the tick.
    ///
    /// If no chunk has been loaded or unloaded, this takes time linear in the changes, and in the
    /// chunks with currents if currents are sent.
    pub fn take(&mut self, world: &mut WaterWorld) -> Update {
        crate::spans::span!("feed");
        let mut chunks: BTreeMap<ChunkPos, ChunkUpdate> = BTreeMap::new();
        for chunk in self.take_loads(world) {
            chunks.insert(chunk.position, chunk);
        }
        publish_changes(world);
        for (chunk, marks) in self.unread.take() {
            if let Entry::Vacant(entry) = chunks.entry(chunk)
                && let Some(changed) = changed(world, chunk, &marks)
            {
                entry.insert(changed);
            }
        }
        let mut currents = Vec::new();
        if let Some(sent) = &mut self.currents {
            let whole = chunks.values().filter(|chunk| chunk.event != ChunkEvent::Changed);
            whole.for_each(|chunk| sent.forget(chunk.position));
            currents = sent.take(world);
        }
        self.taken += 1;
        self.update(world, false, chunks, currents)
    }

    /// Returns the chunks at these positions as they look now, each as
    /// [`Loaded`](ChunkEvent::Loaded) or, if none is there, as [`Unloaded`](ChunkEvent::Unloaded):
    /// for a client that joins, or that has missed an update. Their currents are those of the last
    /// update. The update follows the last update that was taken. The feed notes which chunks it
    /// has shown, so that it can report when they are unloaded.
    pub fn whole(
        &mut self,
        world: &WaterWorld,
        chunks: impl IntoIterator<Item = ChunkPos>,
    ) -> Update {
        let mut whole = BTreeMap::new();
        for position in chunks {
            whole.insert(position, self.whole_chunk(world, position));
        }
        let currents = self.currents.iter().flat_map(|sent| {
            whole.values().filter_map(|chunk: &ChunkUpdate| sent.whole(chunk.position))
        });
        let currents = currents.collect();
        self.update(world, true, whole, currents)
    }

    fn whole_chunk(&mut self, world: &WaterWorld, position: ChunkPos) -> ChunkUpdate {
        let Some(chunk) = world.chunk(position) else { return ChunkUpdate::unloaded(position) };
        if !self.known.contains(&position) {
            self.shown.insert(position);
        }
        ChunkUpdate::loaded(position, &chunk, world.bounds())
    }

    fn update(
        &self,
        world: &WaterWorld,
        is_whole: bool,
        chunks: BTreeMap<ChunkPos, ChunkUpdate>,
        currents: Vec<ChunkCurrents>,
    ) -> Update {
        Update {
            number: self.taken,
            ticks: world.tick,
            is_whole,
            current_tick: self.currents.as_ref().and_then(|currents| currents.tick),
            chunks: chunks.into_values().collect(),
            currents,
        }
    }

    /// Returns the bytes held on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.unread.with(|list| unread::memory_bytes(list))
            + self.known.allocation_size()
            + self.shown.allocation_size()
            + self.currents.as_ref().map_or(0, SentCurrents::memory_bytes)
    }

    /// Returns the chunks that have been loaded, unloaded, or both since the last call.
    fn take_loads(&mut self, world: &WaterWorld) -> Vec<ChunkUpdate> {
        let store = &world.store;
        if self.loads == chunks::loads(store) {
            return Vec::new();
        }
        let since = core::mem::replace(&mut self.loads, chunks::loads(store));
        let grid = store.grid();
        let mut gone = core::mem::take(&mut self.shown);
        gone.extend(self.known.extract_if(|&position| grid.slot(position).is_none()));
        gone.retain(|&position| grid.slot(position).is_none());
        let mut updates: Vec<_> = gone.into_iter().map(ChunkUpdate::unloaded).collect();
        for slot in grid.occupied().filter(|&slot| chunks::load(store, slot) > since) {
            let (position, chunk) = (grid.position_at(slot), cells_before(world, slot));
            self.known.insert(position);
            updates.push(ChunkUpdate::loaded(position, chunk.as_ref(), world.bounds()));
        }
        updates
    }
}

/// Returns the changed cells of a chunk with their present looks, and why they changed.
fn changed(world: &WaterWorld, position: ChunkPos, marks: &Marks) -> Option<ChunkUpdate> {
    let slot = world.store.grid().slot(position)?;
    let chunk = cells_before(world, slot);
    let has = |cells: Option<&CellMask>, index| cells.is_some_and(|cells| cells.contains(index));
    let (outlets, coast) = (world.store.outlets(slot), world.store.coast(slot));
    let drains = |index| {
        let fixture = fixtures::fixture(&world.store, Place::new(slot, index));
        matches!(fixture, Some(Fixture::Drain(_)))
    };
    let mut spans = Vec::new();
    for index in marks.cells.iter() {
        let cause = if marks.edited.contains(index) {
            Cause::Edit
        } else if has(outlets, index) || drains(index) {
            Cause::Drain
        } else if has(coast, index) || chunk.get(index).is_sea() {
            Cause::Sea
        } else {
            Cause::Flow
        };
        let cell = Cube::cell_at(position, index);
        add(&mut spans, index, look_within(world.bounds(), cell, chunk.get(index)), cause);
    }
    Some(ChunkUpdate { position, event: ChunkEvent::Changed, spans })
}
