//! The changes between two calls of a feed: changes of water; changes of ground and moisture, chunk
//! by chunk, in runs of equal cells; and the ground that broke.

use crate::chunk::CellMask;
use crate::coords::{ChunkPos, Cube, Face, Shape};
use crate::humidity::UNITS;
use crate::simulation::ChunkChanges;
use crate::water::feed::faces_of;
use crate::water::{self, Run};
use crate::world::pressure::Broken;
use crate::world::rules::material::MaterialId;
use std::collections::BTreeMap;

/// The steps in which a feed reports the moisture of soil, in units of
/// [1/65,536](crate::humidity::UNITS): an eighth of a unit of water by the default
/// [`moisture_per_unit`](crate::world::Rules::moisture_per_unit). Less than a step is dropped, and
/// more than 255 steps count as 255. By the default rules, all soil except rain holds at most 128
/// steps.
pub const MOISTURE_STEP: u32 = 8 * UNITS;

/// Returns the number of whole [steps](MOISTURE_STEP) in a number of units of moisture.
pub(super) fn step_of(moisture: u32) -> u8 {
    (moisture / MOISTURE_STEP).min(u8::MAX.into()) as u8
}

/// Returns the moisture of this number of [steps](MOISTURE_STEP).
pub(super) fn moisture_of(steps: u8) -> u32 {
    u32::from(steps) * MOISTURE_STEP
}

/// The changes of ground and moisture in a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkUpdate {
    /// The chunk position.
    pub position: ChunkPos,
    /// The cells whose material may have changed, in order of index, in runs that do not overlap.
    /// For a chunk that was loaded, these are all cells that are not of the first material.
    pub materials: Vec<Run<MaterialId>>,
    /// The cells that are moister or drier, in order of index, in runs that do not overlap, with
    /// their moisture in units of [1/65,536](crate::humidity::UNITS), a multiple of
    /// [`MOISTURE_STEP`]. For a chunk that was loaded, these are all cells that hold a step or
    /// more.
    pub moisture: Vec<Run<u32>>,
}

impl ChunkUpdate {
    pub(super) fn is_empty(&self) -> bool {
        self.materials.is_empty() && self.moisture.is_empty()
    }

    /// Returns the cells of all runs of materials and of moisture.
    pub fn cells(&self) -> CellMask {
        let materials = self.materials.iter().flat_map(Run::indices);
        let mut cells = CellMask::EMPTY;
        for index in materials.chain(self.moisture.iter().flat_map(Run::indices)) {
            cells.insert(index);
        }
        cells
    }

    /// Returns the faces of the chunk that changed cells touch. What is drawn of the chunks beyond
    /// these faces may differ, too.
    pub fn faces(&self) -> impl Iterator<Item = Face> {
        faces_of(self.cells())
    }
}

/// The visible changes since the previous update, or whole chunks. See
/// [`Feed`](crate::world::Feed).
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub(super) water: water::Update,
    pub(super) ground: Vec<ChunkUpdate>,
    pub(super) events: Vec<Broken>,
}

impl Update {
    /// Returns the number of the update: 1 for the first that a feed took. Whole chunks have the
    /// number of the last update before them, or 0.
    pub fn number(&self) -> u64 {
        self.water.number()
    }

    /// Returns the number of complete ticks of the world.
    pub fn ticks(&self) -> u64 {
        self.water.ticks()
    }

    /// Returns whether this holds whole chunks, from [`Feed::whole`](crate::world::Feed::whole),
    /// not the changes since the update before.
    pub fn is_whole(&self) -> bool {
        self.water.is_whole()
    }

    /// Returns the changes of water with their causes, and the chunks that were loaded or unloaded.
    /// Its ticks are those of the world. Units that pass between water and soil, and units that
    /// explosions throw, have the cause of edits.
    pub fn water(&self) -> &water::Update {
        &self.water
    }

    /// Returns the changes of ground and moisture by chunk, in order of position: y slowest, then
    /// z, then x. For chunks that were loaded, they apply after the changes of
    /// [`water`](Update::water).
    pub fn ground(&self) -> &[ChunkUpdate] {
        &self.ground
    }

    /// Returns the ground that pressure broke, as
    /// [`World::take_events`](crate::world::World::take_events) does; none with whole chunks.
    pub fn events(&self) -> &[Broken] {
        &self.events
    }

    /// Returns the update with only the chunks at positions for which `is_wanted` returns `true`,
    /// and only the ground that broke in these chunks: for a client that follows a part of the
    /// world.
    pub fn only(&self, is_wanted: impl Fn(ChunkPos) -> bool) -> Update {
        let ground = self.ground.iter().filter(|chunk| is_wanted(chunk.position));
        let events = self.events.iter().filter(|event| is_wanted(Cube::chunk_of(event.cell)));
        Update {
            ground: ground.cloned().collect(),
            events: events.copied().collect(),
            water: self.water.only(&is_wanted),
        }
    }

    /// Returns the cells that may look different, for whatever reason, in order of chunk position;
    /// all cells of chunks that were loaded or unloaded.
    pub fn changes(&self) -> Vec<ChunkChanges> {
        let mut all: BTreeMap<ChunkPos, CellMask> = BTreeMap::new();
        let ground = self.ground.iter().map(|chunk| (chunk.position, chunk.cells()));
        let water = self.water.changes().into_iter().map(|changes| (changes.chunk, changes.cells));
        for (chunk, cells) in ground.chain(water) {
            all.entry(chunk).or_default().union_with(&cells);
        }
        let list = all.into_iter();
        ChunkChanges::list(list.collect())
    }
}
