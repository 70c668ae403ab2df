//! Makes updates of a world.

use crate::automaton::ChunkChanges;
use crate::chunk::CellMask;
use crate::coords::order;
use crate::water::WaterWorld;
use crate::water::feed::look::Look;
use crate::water::feed::update::{Cause, ChunkEvent, ChunkUpdate, Update, add};
use crate::water::fixture::Fixture;
use crate::water::store::{Edited, Place};
use glam::IVec3;
use hashbrown::HashMap;

/// Follows a world, and says in [`Update`]s what looks different: for renderers, and for clients
/// over a network, which keep a [`Mirror`](crate::water::Mirror).
///
/// A feed belongs to one world and is no part of its state or snapshots: make a new one for a world
/// that is loaded. It takes what [`take_changes`](WaterWorld::take_changes) lists, so there is one
/// feed for each world, and nobody else calls that function.
///
/// Updates say what can be seen (see [`Look`]), not the currents, nor the direction of water that
/// passes through empty cells.
///
/// ```
/// use floodplain::water::{Cause, Feed, Mirror, Rules, Update, Voxel, WaterWorld};
/// use floodplain::{Chunk, glam::IVec3};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// let mut feed = Feed::new(&mut world);
///
/// // A client joins.
/// let mut mirror = Mirror::new(1_000);
/// mirror.apply(&feed.whole(&world, [IVec3::ZERO]))?;
///
/// let cell = IVec3::new(8, 15, 8);
/// world.pour(cell, 7)?;
/// let update = feed.take(&mut world);
/// assert!(update.chunks()[0].causes().eq([Cause::Edit]));
/// let bytes = update.to_bytes();
/// mirror.apply(&Update::from_bytes(&bytes)?)?;
/// assert_eq!((mirror.height(cell), bytes.len()), (7, 14));
///
/// world.step();
/// let update = feed.take(&mut world);
/// assert!(update.chunks()[0].causes().any(|cause| cause == Cause::Flow));
/// mirror.apply(&update)?;
/// assert_eq!(mirror.height(cell), world.height(cell));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Feed {
    /// The updates taken.
    taken: u64,
    /// The store's number of loads at the last one.
    loads: u64,
    /// The chunks that were loaded then, with what tells them from others at the same position.
    known: HashMap<IVec3, u64>,
}

impl Feed {
    /// Returns a feed whose first update says what looks different from now on. Changes until now
    /// are taken from the world's list and dropped.
    pub fn new(world: &mut WaterWorld) -> Feed {
        let mut feed = Feed { taken: 0, loads: 0, known: HashMap::new() };
        feed.take_loads(world);
        world.take_changes();
        feed
    }

    /// Returns what looks different since the last call. While a tick is underway, that is up to
    /// the last complete one, and the edits since.
    ///
    /// If no chunk was loaded or unloaded, this takes time linear in the changes.
    pub fn take(&mut self, world: &mut WaterWorld) -> Update {
        let mut chunks = self.take_loads(world);
        chunks.sort_unstable_by_key(|chunk| order(chunk.position));
        let is_listed = |position| {
            chunks.binary_search_by_key(&order(position), |chunk| order(chunk.position)).is_ok()
        };
        let edited = world.store.take_edited();
        let changes = world.take_changes();
        let changed: Vec<ChunkUpdate> = changes
            .iter()
            .filter(|changes| !is_listed(changes.chunk))
            .filter_map(|changes| changed(world, changes, &edited))
            .collect();
        chunks.extend(changed);
        self.taken += 1;
        let mut update = Update { number: self.taken, ticks: world.tick, is_whole: false, chunks };
        update.sort();
        update
    }

    /// Returns these chunks as they look now, each as [`Loaded`](ChunkEvent::Loaded) or, if none is
    /// there, as [`Unloaded`](ChunkEvent::Unloaded): for a client that joins, or that has missed an
    /// update. It follows the last update that was taken.
    pub fn whole(&self, world: &WaterWorld, chunks: impl IntoIterator<Item = IVec3>) -> Update {
        let whole = |position| match world.chunk(position) {
            Some(chunk) => ChunkUpdate::loaded(position, &chunk),
            None => ChunkUpdate::unloaded(position),
        };
        let chunks = chunks.into_iter().map(whole).collect();
        let mut update = Update { number: self.taken, ticks: world.tick, is_whole: true, chunks };
        update.sort();
        update.chunks.dedup_by_key(|chunk| chunk.position);
        update
    }

    /// Returns the bytes held on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.known.allocation_size()
    }

    /// Returns the chunks that were loaded or unloaded since the last call.
    fn take_loads(&mut self, world: &WaterWorld) -> Vec<ChunkUpdate> {
        let store = &world.store;
        if self.loads == store.loads() {
            return Vec::new();
        }
        self.loads = store.loads();
        let grid = store.grid();
        let present: HashMap<IVec3, u64> = grid
            .sorted_slots()
            .into_iter()
            .map(|slot| (grid.position_at(slot), store.load(slot)))
            .collect();
        let before = core::mem::replace(&mut self.known, present);
        let loaded = self.known.iter().filter(|&(at, load)| before.get(at) != Some(load));
        let loaded = loaded.filter_map(|(&position, _)| {
            Some(ChunkUpdate::loaded(position, world.chunk(position)?.as_ref()))
        });
        let unloaded = before.keys().filter(|&position| !self.known.contains_key(position));
        loaded.chain(unloaded.copied().map(ChunkUpdate::unloaded)).collect()
    }
}

/// Returns the changed cells of a chunk with what they look like now, and why.
fn changed(world: &WaterWorld, changes: &ChunkChanges, edited: &Edited) -> Option<ChunkUpdate> {
    let slot = world.store.grid().slot(changes.chunk)?;
    let chunk = world.cells_before(slot);
    let has = |cells: Option<&CellMask>, index| cells.is_some_and(|cells| cells.contains(index));
    let (edited, outlets) = (edited.get(&slot).map(|cells| &**cells), world.store.outlets(slot));
    let coast = world.store.coast(slot);
    let drains = |index| {
        let fixture = world.store.fixture(Place::new(slot, index));
        matches!(fixture, Some(Fixture::Drain(_)))
    };
    let mut spans = Vec::new();
    for index in changes.cells.iter() {
        let cause = if has(edited, index) {
            Cause::Edit
        } else if has(outlets, index) || drains(index) {
            Cause::Drain
        } else if has(coast, index) || chunk.get(index).is_sea() {
            Cause::Sea
        } else {
            Cause::Flow
        };
        add(&mut spans, index, Look::of(chunk.get(index)), cause);
    }
    Some(ChunkUpdate { position: changes.chunk, event: ChunkEvent::Changed, spans })
}
