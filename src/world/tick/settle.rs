//! Settling: ticks of some chunks alone until nothing moves in their water and soil, outside any
//! world or while the rest of a world stands still.

use crate::coords::{CHUNK_CELLS, Cube, Region, Shape, sort_key};
use crate::world::World;
use crate::world::ground::content::Content;
use crate::world::ground::humidity_of;
use crate::world::ground::record::ChunkRecord;
use crate::world::ledger::Ledger;
use crate::world::rules::error::EditError;
use crate::world::rules::palette::Palette;
use crate::world::rules::{Rules, RulesError};
use crate::{humidity, water};
use glam::IVec3;
use std::collections::BTreeMap;

/// What settling came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settling {
    /// The ticks that it took.
    pub ticks: u64,
    /// The units of moisture, 1/65,536 each, that came in meanwhile: from springs, taps, the sea
    /// and soil that is rain.
    pub came_in: u128,
    /// Those that went out, over edges, through drains and into the sea.
    pub went_out: u128,
    /// The chunks that are not at rest, in order of position (y, then z, then x).
    pub restless: Vec<Restless>,
    is_at_rest: bool,
}

/// A chunk that has not come to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Restless {
    /// The chunk position.
    pub chunk: IVec3,
    /// The number of its cells of water that are awake.
    pub water: usize,
    /// Whether moisture may move in its soil.
    pub soil: bool,
    /// Whether water may soak into its soil, or soil may give some.
    pub passing: bool,
}

impl Settling {
    /// Returns whether all came to rest: no chunk is restless, and no
    /// [valve](crate::water::Fixture::Valve) has water to pass on.
    pub fn is_at_rest(&self) -> bool {
        self.is_at_rest
    }
}

/// Lets the water and the moisture of chunks come to rest outside any world, as for ground that was
/// just generated, on any thread. Returns their records, in the order of the list, and what is not
/// at rest after `most` ticks: where springs feed a stream that leaves, or rain a slope, nothing
/// ever is. Moisture spreads slowly: ground that is dry at first may take tens of thousands of
/// ticks.
///
/// Totals and levels are those to which a world of these chunks comes in as many ticks, without
/// evaporation and explosions. At faces to chunks that are not in the list water and moisture wait,
/// whatever the rules say; what they do at the faces of `bounds` they do say.
///
/// ```
/// use floodplain::Region;
/// use floodplain::glam::IVec3;
/// use floodplain::world::{Content, Palette, Rules, World, settle};
///
/// let palette = Palette::natural();
/// let [air, sand] = ["air", "sand"].map(|name| palette.id(name).expect("natural"));
/// let mut content = Content::from_heights(IVec3::ZERO, |_, _| 3, |_| sand, air);
/// // Rain that was just generated hangs in the air.
/// let mut water = floodplain::Chunk::uniform(floodplain::water::Voxel::OPEN);
/// (0..4 * 256).for_each(|index| _ = water.set(index, floodplain::water::Voxel::SOLID));
/// water.set(15 * 256, floodplain::water::Voxel::from_word(7)?);
/// content.water = Some(water);
/// let chunks = [(IVec3::ZERO, content)];
/// let (records, settling) =
///     settle(7, palette.clone(), Rules::default(), Region::EVERYWHERE, chunks, 100_000)?;
/// assert!(settling.is_at_rest());
/// assert_eq!(records[0].water().units(), 0, "the sand has soaked it up");
///
/// let mut world = World::new(7, palette, Rules::default())?;
/// world.insert_records(records)?;
/// assert_eq!(world.total(), 7 * 64 * 65_536);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A rule is out of range, or a material of the palette is by these rules; or those of
/// [`World::insert_chunks`].
pub fn settle(
    seed: u64,
    palette: Palette,
    rules: Rules,
    bounds: Region,
    chunks: impl IntoIterator<Item = (IVec3, Content)>,
    most: u64,
) -> Result<(Vec<ChunkRecord>, Settling), EditError> {
    let chunks: Vec<(IVec3, Content)> = chunks.into_iter().collect();
    let positions: Vec<IVec3> = chunks.iter().map(|&(position, _)| position).collect();
    let mut world = alone(seed, palette, rules, bounds).map_err(EditError::Rules)?;
    world.insert_chunks(chunks)?;
    let settling = world.settle_all(most);
    Ok((world.remove_chunks(positions)?, settling))
}

/// Returns a world without chunks in which nothing evaporates, and water waits where none is
/// loaded, as moisture always does.
fn alone(seed: u64, palette: Palette, rules: Rules, bounds: Region) -> Result<World, RulesError> {
    rules.check(&palette)?;
    let rules = Rules { water: water::rules_alone(rules.water), ..rules };
    World::with_bounds(seed, palette, rules, bounds)
}

impl World {
    /// Lets the water and the moisture of the loaded chunks that a region touches come to rest at
    /// once, while the rest of the world and all pressure stand still and
    /// [`ticks`](World::ticks) do not advance. Returns what is not at rest after `most` ticks of
    /// these chunks. What springs, rain and the sea supply, what leaves, and what passes between
    /// water and soil meanwhile is entered in the ledger; nothing evaporates. Makes the queued
    /// edits and completes a tick that is underway first.
    ///
    /// Totals and levels are those to which the chunks come in as many ticks of the world, if
    /// nothing crosses their outer faces and there is no pressure. At these faces, water and
    /// moisture wait, and go on with the next tick of the world, in which they are looked at once
    /// more. Chunks whose water is [frozen](crate::water::WaterWorld::freeze) stand still here,
    /// too. To a [`Feed`](crate::world::Feed), the chunks are loaded anew;
    /// [`take_changes`](World::take_changes) lists their moisture, but not their water. To settle
    /// generated ground on another thread, see [`settle`].
    ///
    /// ```
    /// use floodplain::Region;
    /// use floodplain::glam::IVec3;
    /// use floodplain::world::{Content, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let [air, rock] = ["air", "rock"].map(|name| palette.id(name).expect("natural"));
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// let ground = Content::from_heights(IVec3::ZERO, |_, _| 3, |_| rock, air);
    /// world.insert_chunk(IVec3::ZERO, ground)?;
    /// world.rain(IVec3::new(8, 15, 8), 60)?;
    /// assert_eq!(world.height(IVec3::new(8, 5, 8)), 7);
    /// let settling = world.settle_now(Region::cell(IVec3::ZERO), 1_000)?;
    /// assert!(settling.is_at_rest());
    /// assert_eq!((world.height(IVec3::new(8, 5, 8)), world.ticks()), (0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// None of the chunks that the region touches is loaded.
    pub fn settle_now(&mut self, region: Region, most: u64) -> Result<Settling, EditError> {
        self.settle();
        let positions = self.live_chunks(region)?;
        let mut there = alone(self.seed(), self.palette.clone(), self.rules, self.bounds())
            .map_err(EditError::Rules)?;
        // The same random choices as in ticks of the world.
        there.tick = self.tick;
        there.water.begin_at(self.tick);
        let (before, records) = (self.ledger(), self.water.remove_chunks(positions.clone())?);
        let records: Vec<ChunkRecord> =
            records.into_iter().map(|water| self.record_of(water)).collect();
        there.insert_records(records)?;
        let start = there.ledger();
        let settling = there.settle_all(most);
        let end = there.ledger();
        let records = there.water.remove_chunks(positions.clone())?;
        self.water.put_back(records, before.water, [start.water, end.water])?;
        for chunk in positions {
            self.take_moisture(&there, chunk)?;
            self.note_chunk(chunk);
            self.touch(chunk);
        }
        self.enter(before, start, end);
        Ok(settling)
    }

    /// Does ticks until nothing can happen any more, at most so many.
    fn settle_all(&mut self, most: u64) -> Settling {
        let (first, start) = (self.tick, self.ledger());
        while !self.is_at_rest() && self.tick.wrapping_sub(first) < most {
            self.step();
        }
        let end = self.ledger();
        Settling {
            ticks: self.tick.wrapping_sub(first),
            came_in: end.came_in() - start.came_in(),
            went_out: end.went_out() - start.went_out(),
            restless: self.restless(),
            is_at_rest: self.is_at_rest(),
        }
    }

    /// Returns the chunks in which something may still move.
    fn restless(&self) -> Vec<Restless> {
        let mut all: BTreeMap<[i32; 3], Restless> = BTreeMap::new();
        let mut note = |chunk: IVec3, what: &dyn Fn(&mut Restless)| {
            let calm = Restless { chunk, water: 0, soil: false, passing: false };
            what(all.entry(sort_key(chunk)).or_insert(calm));
        };
        for (chunk, cells) in self.water.awake_chunks() {
            note(chunk, &|restless| restless.water = cells.len());
        }
        self.soil.awake_positions().for_each(|chunk| note(chunk, &|restless| restless.soil = true));
        let open = self.contacts.open.iter().copied();
        open.for_each(|chunk| note(chunk, &|restless| restless.passing = true));
        all.into_values().collect()
    }

    /// Makes the moisture of a chunk that of another world.
    fn take_moisture(&mut self, there: &World, chunk: IVec3) -> Result<(), EditError> {
        for index in 0..CHUNK_CELLS {
            let cell = Cube::cell_at(chunk, index);
            if let Some(units) = there.soil.units(cell)
                && self.soil.units(cell) != Some(units)
            {
                self.soil.set_humidity(cell, humidity_of(units))?;
            }
        }
        Ok(())
    }

    /// Enters what came in, went out and passed in another world, in the ledger from before its
    /// chunks were lent to it. Water has entered its part.
    fn enter(&mut self, before: Ledger, start: Ledger, end: Ledger) {
        self.soil.replace_ledger(humidity::Ledger {
            placed: before.soil.placed + (end.soil.placed - start.soil.placed),
            rained: before.soil.rained + (end.soil.rained - start.soil.rained),
            removed: before.soil.removed + (end.soil.removed - start.soil.removed),
            runoff: before.soil.runoff + (end.soil.runoff - start.soil.runoff),
            drained: before.soil.drained + (end.soil.drained - start.soil.drained),
        });
        self.passed.soaked += end.soaked - start.soaked;
        self.passed.sprung += end.sprung - start.sprung;
        self.passed.ebbed += end.ebbed - start.ebbed;
    }

    /// Returns the loaded chunks that a region touches and whose water does not stand still.
    fn live_chunks(&self, region: Region) -> Result<Vec<IVec3>, EditError> {
        let touched = Region::new(Cube::chunk_of(region.min()), Cube::chunk_of(region.max()));
        let slots = self.ground.slots_in(touched);
        if slots.is_empty() {
            return Err(EditError::NotLoaded(region.min()));
        }
        let positions = slots.into_iter().map(|slot| self.ground.position_at(slot));
        Ok(positions.filter(|&chunk| !self.water.is_frozen(chunk)).collect())
    }
}
