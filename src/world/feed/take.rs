//! Makes updates of a world.

use super::unread::{self, List};
use super::update::{ChunkUpdate, Update, moisture_of, step_of};
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::simulation::ChunkChanges;
use crate::subscribers::Subscription;
use crate::water::feed::runs;
use crate::water::{self, ChunkEvent, Run};
use crate::world::World;
use crate::world::feed::unread::{publish_changes, subscribe};
use crate::world::rules::material::MaterialId;
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// Follows a world, and reports in [`Update`]s what looks different: for renderers, and for clients
/// over a network, which keep a [`Mirror`](crate::world::Mirror).
///
/// A feed belongs to one world and is no part of its state or snapshots: make a new one for a world
/// that is loaded. A world may have several, and [`take_changes`](World::take_changes) and
/// [`take_events`](World::take_events) beside them: each has its own lists of changes not taken
/// yet.
///
/// Updates hold the cells that changed material; the height of water and its visible state (see
/// [`Look`](crate::water::Look)); the moisture of soil, in steps of
/// [`MOISTURE_STEP`](crate::world::MOISTURE_STEP); and the ground that pressure broke. They do not
/// hold pressure.
///
/// The feed holds the moisture of all soil in steps, up to 4 KB for each of its chunks, since in
/// most ticks moisture changes by less than a step.
///
/// ```
/// use floodplain::{ChunkPos, glam::IVec3};
/// use floodplain::world::{ChunkContent, Feed, Mirror, Palette, Rules, Update, World};
///
/// let palette = Palette::natural();
/// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
/// let mut world = World::new(7, palette, Rules::default())?;
/// let content = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 7, |_| soil, air);
/// world.insert_chunk(ChunkPos::ZERO, content)?;
/// let mut feed = Feed::new(&mut world);
///
/// // A client joins.
/// let mut mirror = Mirror::new(1_000);
/// mirror.apply(&feed.whole(&world, [ChunkPos::ZERO]))?;
///
/// let ground = IVec3::new(8, 7, 8);
/// world.rain(IVec3::new(8, 15, 8), 9)?;
/// world.set_material(ground - IVec3::Y, air)?;
/// let bytes = feed.take(&mut world).to_bytes();
/// assert_eq!(bytes.len(), 30);
/// mirror.apply(&Update::from_bytes(&bytes)?)?;
/// assert_eq!(mirror.material(ground - IVec3::Y), Some(air));
/// let moist = 6 * world.rules().moisture_per_unit;
/// assert_eq!((mirror.units(ground + IVec3::Y), mirror.moisture(ground)), (3, moist));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Feed {
    /// The feed of water: its chunks are the chunks of the world.
    water: water::Feed,
    unread: Subscription<List>,
    /// The moisture in steps as of the last update, of chunks with at least one step in a cell.
    levels: HashMap<ChunkPos, Chunk<u8>>,
}

impl Feed {
    /// Returns a feed whose first update reports what looks different from now on.
    pub fn new(world: &mut World) -> Feed {
        let water = water::Feed::new(&mut world.water);
        let mut feed = Feed { water, unread: subscribe(world), levels: HashMap::new() };
        let chunks: Vec<ChunkPos> = world.ground.chunks().map(|(chunk, _)| chunk).collect();
        chunks.into_iter().for_each(|chunk| feed.learn(world, chunk));
        feed
    }

    /// From the next update on, sends the currents of water, too; see
    /// [`water::Feed::send_currents`].
    pub fn send_currents(&mut self) {
        self.water.send_currents();
    }

    /// Returns the visible changes since the last call. While a tick is underway, these are the
    /// changes of the state that can be read at that time; see [`World::step_within`].
    ///
    /// If no chunk was loaded or unloaded, this takes time linear in the changes, including changes
    /// of moisture by less than a step.
    pub fn take(&mut self, world: &mut World) -> Update {
        crate::spans::span!("feed of the world");
        let water = self.water.take(&mut world.water).at_tick(world.tick);
        publish_changes(world);
        let List { materials, mut soil, events } = self.unread.take();
        let mut ground: BTreeMap<ChunkPos, ChunkUpdate> = BTreeMap::new();
        for chunk in water.chunks().iter().filter(|chunk| chunk.event != ChunkEvent::Changed) {
            self.learn(world, chunk.position);
            ground.insert(chunk.position, self.whole_chunk(world, chunk.position));
        }
        // Where a cell is soil no longer, its moisture is gone without being listed.
        let materials = unread::list(materials);
        unread::add(&mut soil, &materials);
        let is_known = |chunk: ChunkPos| ground.contains_key(&chunk);
        let changed: Vec<ChunkChanges> =
            materials.into_iter().filter(|changes| !is_known(changes.chunk)).collect();
        soil.retain(|&chunk, _| !is_known(chunk));
        for ChunkChanges { chunk, cells } in changed {
            let of_chunk = ground.entry(chunk).or_insert_with(|| empty(chunk));
            let material = |index| world.ground.chunk(chunk).map(|cells| cells.get(index));
            let each = cells.iter().filter_map(|index| Some((index, material(index)?)));
            of_chunk.materials = runs(each);
        }
        for (chunk, cells) in soil {
            let of_chunk = ground.entry(chunk).or_insert_with(|| empty(chunk));
            let levels = self.take_levels(world, chunk, &cells).into_iter();
            of_chunk.moisture = runs(levels.map(|(index, level)| (index, moisture_of(level))));
        }
        let ground = ground.into_values().filter(|chunk| !chunk.is_empty()).collect();
        Update { water, ground, events }
    }

    /// Returns the chunks at these positions as they are now, except that their moisture is as of
    /// the last update. Each chunk is [`Loaded`](ChunkEvent::Loaded), or
    /// [`Unloaded`](ChunkEvent::Unloaded) if no chunk is loaded there. This is for a client that
    /// joins, or that has missed an update. The result follows the last update that was taken.
    pub fn whole(&mut self, world: &World, chunks: impl IntoIterator<Item = ChunkPos>) -> Update {
        let water = self.water.whole(&world.water, chunks).at_tick(world.tick);
        let ground = water.chunks().iter().map(|chunk| self.whole_chunk(world, chunk.position));
        let ground = ground.filter(|chunk| !chunk.is_empty()).collect();
        Update { water, ground, events: Vec::new() }
    }

    /// Returns the bytes held on the heap.
    pub fn memory_bytes(&self) -> usize {
        let levels: usize = self.levels.values().map(Chunk::heap_bytes).sum();
        self.water.memory_bytes() + self.levels.allocation_size() + levels
    }

    /// Records the moisture of a chunk in steps, if the chunk is loaded.
    fn learn(&mut self, world: &World, chunk: ChunkPos) {
        self.levels.remove(&chunk);
        let Some(units) = world.soil.chunk_units(chunk) else { return };
        let levels = match units.all().as_dense() {
            Some(units) => Chunk::from_cells(&units.map(step_of)),
            None => Chunk::uniform(step_of(units.held(0))),
        };
        if levels != Chunk::uniform(0) {
            self.levels.insert(chunk, levels);
        }
    }

    /// Returns the cells of `cells` with their moisture at another step than in the last update.
    /// Returns the new step of each, and records it.
    fn take_levels(
        &mut self,
        world: &World,
        chunk: ChunkPos,
        cells: &CellMask,
    ) -> Vec<(usize, u8)> {
        let units = world.soil.chunk_units(chunk);
        let now = |index| units.as_ref().map_or(0, |units| step_of(units.held(index)));
        let known = self.levels.get(&chunk);
        let before = |index| known.map_or(0, |levels| levels.get(index));
        let differing = cells.iter().filter(|&index| now(index) != before(index));
        let list: Vec<(usize, u8)> = differing.map(|index| (index, now(index))).collect();
        if !list.is_empty() {
            let levels = self.levels.entry(chunk).or_insert_with(|| Chunk::uniform(0));
            list.iter().for_each(|&(index, level)| _ = levels.set(index, level));
            levels.canonicalize();
            if *levels == Chunk::uniform(0) {
                self.levels.remove(&chunk);
            }
        }
        list
    }

    /// Returns the cells of a chunk that are not of the first material, and the cells with
    /// moisture; none if the chunk is not loaded.
    fn whole_chunk(&self, world: &World, chunk: ChunkPos) -> ChunkUpdate {
        let Some(cells) = world.ground.chunk(chunk) else { return empty(chunk) };
        ChunkUpdate {
            position: chunk,
            materials: runs_but_of(cells, MaterialId(0)),
            moisture: self.levels.get(&chunk).map_or(Vec::new(), moisture_runs),
        }
    }
}

/// Returns the runs of the cells of a chunk whose value is not `left_out`.
fn runs_but_of<T: Copy + PartialEq>(chunk: &Chunk<T>, left_out: T) -> Vec<Run<T>> {
    match chunk.as_dense() {
        Some(cells) => {
            runs(cells.iter().copied().enumerate().filter(|&(_, value)| value != left_out))
        }
        None if chunk.get(0) == left_out => Vec::new(),
        None => vec![Run { start: 0, cells: CHUNK_CELLS as u16, value: chunk.get(0) }],
    }
}

/// Returns the moisture of a chunk's cells that hold a step or more.
fn moisture_runs(levels: &Chunk<u8>) -> Vec<Run<u32>> {
    let levels = runs_but_of(levels, 0).into_iter();
    levels
        .map(|run| Run { start: run.start, cells: run.cells, value: moisture_of(run.value) })
        .collect()
}

fn empty(position: ChunkPos) -> ChunkUpdate {
    ChunkUpdate { position, materials: Vec::new(), moisture: Vec::new() }
}
