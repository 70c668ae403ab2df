//! Chunk records: chunks that are taken out with all state that they need to resume in this world
//! or another.

use crate::chunk::Chunk;
use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Shape};
use crate::humidity::ChunkUnits;
use crate::water;
use crate::world::World;
use crate::world::ground::content::Filling;
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use hashbrown::HashSet;

/// The version of the bytes.
const VERSION: u8 = 1;

/// A chunk that was taken out of a world by [`remove_chunks`](World::remove_chunks). It can be put
/// into this world or another by [`insert_records`](World::insert_records), and kept or sent
/// meanwhile, also as bytes ([`to_bytes`](ChunkRecord::to_bytes)). It holds the chunk's materials,
/// its moisture including rain, and its [water](water::ChunkRecord) with all flows; no pressure.
///
/// ```
/// use floodplain::{ChunkPos, glam::IVec3};
/// use floodplain::world::{ChunkRecord, ChunkContent, Palette, Rules, World};
///
/// let palette = Palette::natural();
/// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
/// let mut world = World::new(7, palette, Rules::default())?;
/// let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 7, |_| soil, air);
/// world.insert_chunk(ChunkPos::ZERO, ground)?;
/// world.rain(IVec3::new(8, 15, 8), 9)?;
/// world.run(3);
/// let before = (world.chunk(ChunkPos::ZERO), world.total());
/// let records = world.remove_chunks([ChunkPos::ZERO])?;
/// let bytes = records[0].to_bytes();
/// world.insert_records([ChunkRecord::from_bytes(&bytes)?])?;
/// assert_eq!((world.chunk(ChunkPos::ZERO), world.total()), before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "bevy", reflect(opaque, Clone, Debug, PartialEq))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Serialize))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Deserialize))]
// Boxed, so that a list that is read takes memory in proportion to its bytes.
pub struct ChunkRecord(Box<Parts>);

#[derive(Clone, Debug, PartialEq)]
struct Parts {
    water: water::ChunkRecord,
    materials: Chunk<MaterialId>,
    moisture: Option<Chunk<u32>>,
    /// The indices of cells of soil that are rain, in order.
    rain: Vec<u16>,
}

impl ChunkRecord {
    /// Returns the chunk's position, in chunks.
    pub fn position(&self) -> ChunkPos {
        self.0.water.position()
    }

    /// Returns the materials of the chunk's cells. Cells beyond the bounds of the world that the
    /// chunk was taken from are of the first material.
    pub fn materials(&self) -> &Chunk<MaterialId> {
        &self.0.materials
    }

    /// Returns the chunk's water.
    pub fn water(&self) -> &water::ChunkRecord {
        &self.0.water
    }

    /// Returns the chunk's moisture in units of [1/65,536](crate::humidity::UNITS); `None` if no
    /// cell is permeable.
    pub fn moisture(&self) -> Option<&Chunk<u32>> {
        self.0.moisture.as_ref()
    }

    /// Returns the record as bytes: at least 35, and at most about 37,000 plus 17 for each parent
    /// that is not the cell's first or is outside the chunk. The bytes mean the same in all later
    /// versions of this crate.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Parts { water, materials, moisture, rain } = &*self.0;
        let mut out = vec![VERSION];
        water.put(&mut out);
        materials.put(&mut out);
        moisture.put(&mut out);
        rain.put(&mut out);
        out
    }

    /// Reads the record that [`to_bytes`](ChunkRecord::to_bytes) wrote. Whether it fits a world is
    /// checked when it is inserted.
    ///
    /// # Errors
    /// The bytes are no record, or are longer than one.
    pub fn from_bytes(bytes: &[u8]) -> Result<ChunkRecord, DecodeError> {
        ChunkRecord::read(Reader::new(Format::Record, bytes))
    }

    /// Reads a record that takes all bytes of the reader.
    pub(in crate::world) fn read(mut from: Reader<'_>) -> Result<ChunkRecord, DecodeError> {
        from.version(VERSION)?;
        let (water, materials, moisture) = (from.take()?, from.take()?, from.take()?);
        let at = from.at();
        let rain: Vec<u16> = from.take()?;
        let last = rain.last().copied().unwrap_or(0);
        if usize::from(last) >= CHUNK_CELLS || !rain.is_sorted_by(|one, next| one < next) {
            return Err(from.refused(at, "a list of indices in order", last));
        }
        from.finish(ChunkRecord(Box::new(Parts { water, materials, moisture, rain })))
    }
}

pub(crate) fn remove_chunks(
    world: &mut World,
    positions: impl IntoIterator<Item = ChunkPos>,
) -> Result<Vec<ChunkRecord>, EditError> {
    world.settle();
    let positions: Vec<ChunkPos> = positions.into_iter().collect();
    let mut seen = HashSet::new();
    let mut is_there = |chunk| world.ground.chunk(chunk).is_some() && seen.insert(chunk);
    if let Some(&absent) = positions.iter().find(|&&chunk| !is_there(chunk)) {
        return Err(EditError::ChunkAbsent(absent));
    }
    let records = world.water.remove_chunks(positions)?;
    let record = |water: water::ChunkRecord| {
        let record = record_of(world, water);
        world.unload(record.position());
        record
    };
    Ok(records.into_iter().map(record).collect())
}

/// Returns the record of a loaded chunk whose water was taken out.
pub(in crate::world) fn record_of(world: &World, water: water::ChunkRecord) -> ChunkRecord {
    let position = water.position();
    let materials = world.ground.chunk(position).cloned();
    let soil = world.soil.chunk_units(position);
    let rain = soil.as_ref().map(ChunkUnits::rain).unwrap_or_default();
    ChunkRecord(Box::new(Parts {
        water,
        materials: materials.unwrap_or(Chunk::uniform(MaterialId(0))),
        moisture: soil.map(|soil| soil.all().clone()),
        rain: rain.iter().map(|index| index as u16).collect(),
    }))
}

pub(crate) fn insert_records(
    world: &mut World,
    records: impl IntoIterator<Item = ChunkRecord>,
) -> Result<(), EditError> {
    world.settle();
    let records: Vec<Parts> = records.into_iter().map(|record| *record.0).collect();
    let mut seen = HashSet::new();
    for record in &records {
        let position = record.water.position();
        if !seen.insert(position) {
            return Err(EditError::ChunkPresent(position));
        }
        check_record(world, record)?;
    }
    let positions: Vec<ChunkPos> = records.iter().map(|record| record.water.position()).collect();
    let (waters, grounds): (Vec<_>, Vec<_>) = records
        .into_iter()
        .map(|Parts { water, materials, moisture, rain }| (water, (materials, moisture, rain)))
        .unzip();
    world.water.insert_records(waters)?;
    for (position, (materials, moisture, rain)) in positions.into_iter().zip(grounds) {
        world.load(position, materials, moisture.as_ref())?;
        for cell in rain.into_iter().map(|index| Cube::cell_at(position, index.into())) {
            if world.bounds().contains(cell) {
                world.soil.set_rain(cell, world.soil.humidity(cell))?;
            }
        }
    }
    Ok(())
}

fn check_record(world: &World, record: &Parts) -> Result<(), EditError> {
    let Parts { water, materials, moisture, rain } = record;
    let position = water.position();
    let inside = world.vacant(position)?;
    let moisture = moisture.as_ref();
    let filling = Filling { palette: &world.palette, inside, materials, water: None, moisture };
    filling.check_materials()?;
    filling.check_moisture()?;
    let is_solid: [bool; 256] =
        core::array::from_fn(|id| world.palette.traits(MaterialId(id as u8)).solid);
    let water = water.chunk();
    let is_other =
        |index: usize| water.get(index).is_solid() != is_solid[usize::from(materials.get(index).0)];
    let refused = |index: usize| (Cube::cell_at(position, index), materials.get(index));
    let is_inside = |index: usize| inside.contains(refused(index).0);
    if let Some(other) = (0..CHUNK_CELLS).find(|&index| is_other(index) && is_inside(index)) {
        let (cell, material) = refused(other);
        return Err(EditError::Ground { cell, material });
    }
    for index in rain.iter().copied().map(usize::from).filter(|&index| is_inside(index)) {
        let (cell, material) = refused(index);
        if !world.palette.traits(material).is_permeable() {
            return Err(EditError::Impermeable { cell, material });
        }
    }
    Ok(())
}
