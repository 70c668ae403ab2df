//! Settling: ticks of some chunks alone until nothing moves in their water and soil, outside any
//! world or while the rest of a world stands still.

use crate::coords::{CHUNK_CELLS, ChunkPos, ChunkRegion, Cube, Region, Shape};
use crate::rules_error::RulesError;
use crate::water::settle::{begin_at, put_back, take_out};
use crate::world::World;
use crate::world::ground::content::ChunkContent;
use crate::world::ground::humidity_of;
use crate::world::ground::record::{ChunkRecord, record_of};
use crate::world::ledger::Ledger;
use crate::world::rules::Rules;
use crate::world::rules::error::EditError;
use crate::world::rules::palette::Palette;
use crate::world::tick::contacts::note_chunk;
use crate::world::tick::touched::touch;
use crate::{humidity, water};
use std::collections::BTreeMap;

/// The result of settling.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settling {
    /// The number of ticks done.
    pub ticks: u64,
    /// The units of moisture, 1/65,536 each, that came in meanwhile: from springs, taps, the sea
    /// and cells of rain.
    pub came_in: u128,
    /// The units that went out meanwhile, over edges, through drains and into the sea.
    pub went_out: u128,
    /// The chunks that are not at rest, in order of position (y, then z, then x).
    pub restless: Vec<Restless>,
    is_at_rest: bool,
}

/// A chunk that has not come to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Restless {
    /// The chunk position.
    pub chunk: ChunkPos,
    /// The number of awake cells of water in the chunk.
    pub water: usize,
    /// Whether moisture may move in the chunk's soil.
    pub soil: bool,
    /// Whether water may soak into the chunk's soil, or the soil may give some.
    pub passing: bool,
}

impl Settling {
    /// Returns whether everything came to rest: no chunk is restless, and no
    /// [valve](crate::water::Fixture::Valve) has water to pass on.
    pub fn is_at_rest(&self) -> bool {
        self.is_at_rest
    }
}

/// Settings by which the water and the moisture of chunks come to rest outside any world, on any
/// thread, as for ground that was just generated.
///
/// ```
/// use floodplain::{ChunkPos, glam::IVec3};
/// use floodplain::world::{ChunkContent, Palette, Settle, World};
///
/// let settle = Settle { seed: 7, most_ticks: 100_000, ..Settle::default() };
/// let [air, sand] = ["air", "sand"].map(|name| settle.palette.id(name).expect("natural"));
/// let mut content = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 3, |_| sand, air);
/// // Rain that was just generated hangs in the air.
/// let mut water = floodplain::Chunk::uniform(floodplain::water::Voxel::OPEN);
/// (0..4 * 256).for_each(|index| _ = water.set(index, floodplain::water::Voxel::SOLID));
/// water.set(15 * 256, floodplain::water::Voxel::from_word(7)?);
/// content.water = Some(water);
/// let (records, settling) = settle.run([(ChunkPos::ZERO, content)])?;
/// assert!(settling.is_at_rest());
/// assert_eq!(records[0].water().units(), 0, "the sand has soaked it up");
///
/// let mut world = World::new(7, settle.palette, settle.rules)?;
/// world.insert_records(records)?;
/// assert_eq!(world.total(), 7 * 64 * 65_536);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settle {
    /// The seed of the random choices.
    pub seed: u64,
    /// The materials of the chunks.
    pub palette: Palette,
    /// The rules of the world that the chunks are for. Nothing evaporates, whatever the rules say.
    pub rules: Rules,
    /// The bounds of the world that the chunks are for. The rules say what water does at the faces
    /// of the bounds.
    pub bounds: Region,
    /// The most ticks to run. Moisture spreads slowly: ground that is initially dry may take tens
    /// of thousands of ticks.
    pub most_ticks: u64,
}

impl Default for Settle {
    /// Returns settings with seed 0, natural materials, default rules, no bounds, and at most 2,000
    /// ticks.
    fn default() -> Settle {
        let (palette, rules) = (Palette::natural(), Rules::default());
        Settle { seed: 0, palette, rules, bounds: Region::EVERYWHERE, most_ticks: 2_000 }
    }
}

impl Settle {
    /// Returns the records of the chunks after settling, in the order of the list, and the result
    /// of settling. The result lists the chunks that are not at rest after
    /// [`most_ticks`](Settle::most_ticks): a stream from springs that leaves, or rain on a slope,
    /// never comes to rest.
    ///
    /// Totals and levels equal those of a world of these chunks after the same number of ticks,
    /// without evaporation and explosions. At faces to chunks that are not in the list, water and
    /// moisture wait, whatever the rules say.
    ///
    /// # Errors
    /// A rule is out of range, the rules do not allow a material of the palette, or
    /// [`World::insert_chunks`] refuses the chunks.
    pub fn run(
        &self,
        chunks: impl IntoIterator<Item = (ChunkPos, ChunkContent)>,
    ) -> Result<(Vec<ChunkRecord>, Settling), EditError> {
        let chunks: Vec<(ChunkPos, ChunkContent)> = chunks.into_iter().collect();
        let positions: Vec<ChunkPos> = chunks.iter().map(|&(position, _)| position).collect();
        let mut world =
            alone(self.seed, &self.palette, self.rules, self.bounds).map_err(EditError::Rules)?;
        world.insert_chunks(chunks)?;
        let settling = settle_all(&mut world, self.most_ticks);
        Ok((world.remove_chunks(positions)?, settling))
    }
}

/// Returns a world without chunks in which nothing evaporates, and in which water waits at faces to
/// chunks that are not loaded, as moisture always does.
fn alone(seed: u64, palette: &Palette, rules: Rules, bounds: Region) -> Result<World, RulesError> {
    rules.check(palette)?;
    let rules = Rules { water: water::rules_alone(rules.water), ..rules };
    World::with_bounds(seed, palette.clone(), rules, bounds)
}

pub(super) fn settle_now(
    world: &mut World,
    region: Region,
    most: u64,
) -> Result<Settling, EditError> {
    world.settle();
    let positions = live_chunks(world, region)?;
    let mut there = alone(world.seed(), &world.palette, world.rules, world.bounds())
        .map_err(EditError::Rules)?;
    // The same random choices as in ticks of the world.
    there.tick = world.tick;
    begin_at(&mut there.water, world.tick);
    let before = world.ledger();
    let (records, away) = take_out(&mut world.water, &positions)?;
    let records: Vec<ChunkRecord> =
        records.into_iter().map(|water| record_of(world, water)).collect();
    there.insert_records(records)?;
    let start = there.ledger();
    let settling = settle_all(&mut there, most);
    let end = there.ledger();
    let records = there.water.remove_chunks(positions.clone())?;
    put_back(&mut world.water, records, away, [start.water, end.water])?;
    for chunk in positions {
        take_moisture(world, &there, chunk)?;
        note_chunk(world, chunk);
        touch(world, chunk);
    }
    post(world, before, start, end);
    Ok(settling)
}

/// Runs at most `most` ticks, until nothing more can change.
fn settle_all(world: &mut World, most: u64) -> Settling {
    let (first, start) = (world.tick, world.ledger());
    while !world.is_at_rest() && world.tick.wrapping_sub(first) < most {
        world.step();
    }
    let end = world.ledger();
    Settling {
        ticks: world.tick.wrapping_sub(first),
        came_in: end.came_in() - start.came_in(),
        went_out: end.went_out() - start.went_out(),
        restless: restless(world),
        is_at_rest: world.is_at_rest(),
    }
}

/// Returns the chunks in which something may still move.
fn restless(world: &World) -> Vec<Restless> {
    let mut all: BTreeMap<ChunkPos, Restless> = BTreeMap::new();
    let mut note = |chunk: ChunkPos, what: &dyn Fn(&mut Restless)| {
        let calm = Restless { chunk, water: 0, soil: false, passing: false };
        what(all.entry(chunk).or_insert(calm));
    };
    for (chunk, cells) in world.water.awake_chunks() {
        note(chunk, &|restless| restless.water = cells.len());
    }
    world.soil.awake_positions().for_each(|chunk| note(chunk, &|restless| restless.soil = true));
    let open = world.contacts.open.iter().copied();
    open.for_each(|chunk| note(chunk, &|restless| restless.passing = true));
    all.into_values().collect()
}

/// Replaces the moisture of a chunk with the moisture of the same chunk in another world.
fn take_moisture(world: &mut World, there: &World, chunk: ChunkPos) -> Result<(), EditError> {
    for index in 0..CHUNK_CELLS {
        let cell = Cube::cell_at(chunk, index);
        if let Some(units) = there.soil.units(cell)
            && world.soil.units(cell) != Some(units)
        {
            world.soil.set_humidity(cell, humidity_of(units))?;
        }
    }
    Ok(())
}

/// Adds to the ledgers what came in, went out and passed in another world while it had the chunks.
/// `before` is the ledger of this world from before the other world took them; `start` and `end`
/// are ledgers of the other world. The units of water have been added already.
fn post(world: &mut World, before: Ledger, start: Ledger, end: Ledger) {
    world.soil.replace_ledger(humidity::Ledger {
        placed: before.soil.placed + (end.soil.placed - start.soil.placed),
        rained: before.soil.rained + (end.soil.rained - start.soil.rained),
        removed: before.soil.removed + (end.soil.removed - start.soil.removed),
        runoff: before.soil.runoff + (end.soil.runoff - start.soil.runoff),
        drained: before.soil.drained + (end.soil.drained - start.soil.drained),
    });
    world.passed.soaked += end.soaked - start.soaked;
    world.passed.sprung += end.sprung - start.sprung;
    world.passed.ebbed += end.ebbed - start.ebbed;
}

/// Returns the loaded chunks that a region touches, except chunks with frozen water.
fn live_chunks(world: &World, region: Region) -> Result<Vec<ChunkPos>, EditError> {
    let touched = ChunkRegion::of::<Cube>(region);
    let slots = world.ground.slots_in(touched);
    if slots.is_empty() {
        return Err(EditError::NotLoaded(region.min()));
    }
    let positions = slots.into_iter().map(|slot| world.ground.position_at(slot));
    Ok(positions.filter(|&chunk| !world.water.is_frozen(chunk)).collect())
}
