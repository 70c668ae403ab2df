//! Rules, edits, chunks and small worlds of materials.

use crate::blast::{self, BlastWorld};
use crate::humidity::{self, HumidityWorld, UNITS};
use crate::testing::bytes::Bytes;
use crate::testing::draw::{Sample, Start, chunk, draw_worlds, near};
use crate::water::{self, Voxel, WaterCell, WaterWorld};
use crate::world::{
    ChunkContent, Couplings, Edit, Material, MaterialId, Palette, Rules, UnderWater, World,
};
use crate::{CHUNK_CELLS, Cube, Region, Shape};
use arbitrary::{Arbitrary, Result, Unstructured};
use glam::IVec3;

/// Returns the palette of small worlds: the natural materials, glass and turf that break into air,
/// and brick that breaks into concrete.
pub fn palette() -> Palette {
    let natural = Palette::natural();
    let more = [
        Material::solid("glass").breaking(2.0, "air"),
        Material::solid("brick").permeable(0.1, 2).breaking(9.0, "concrete"),
        Material::solid("turf").permeable(0.5, 6).breaking(5.0, "air"),
    ];
    let all = natural.materials().map(|(_, material)| material.clone()).chain(more);
    Palette::new(all).expect("a palette")
}

impl Arbitrary<'_> for MaterialId {
    /// Returns a material; in rare cases one that the [`palette`] does not have.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<MaterialId> {
        Bytes::of(from, |bytes| {
            let byte = bytes.byte();
            MaterialId(if byte < 250 { byte % palette().len() as u8 } else { byte })
        })
    }
}

/// Returns couplings, in most cases with all exchanges on.
fn couplings(bytes: &mut Bytes<'_>) -> Couplings {
    let flags = bytes.byte();
    Couplings {
        seepage: [0.3, 1.0, 0.02, 0.0][usize::from(flags % 4)],
        depth_gain: bytes.pick(&[0.25, 16.0, 0.0]),
        springs: flags / 4 % 4 != 3,
        ebb: flags / 16 % 4 != 3,
    }
}

impl Arbitrary<'_> for Rules {
    /// Returns rules with a short clock, and soil that soaks up water fast.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Rules> {
        Bytes::of(from, |bytes| {
            let (flags, more) = (bytes.byte(), bytes.byte());
            let period = usize::from(flags / 4 % 3);
            let evaporation = [0.0, 0.0, 0.05][period];
            Rules {
                water: water::Rules { evaporation, ..water::Rules::lossless() },
                breaking: flags % 4 != 3,
                soil_period: 1 + period as u32,
                blast_steps: [3, 1, 20, 0][usize::from(flags / 16 % 4)],
                blast: [blast::Rules::wave(0.25, 0.9), blast::Rules::diffusive(0.15)]
                    [usize::from(flags / 64 % 2)],
                spilling: more % 4 != 3,
                under_water: [UnderWater::Stops, UnderWater::Passes, UnderWater::Damps(0.5)]
                    [usize::from(more / 16 % 3)],
                throw_flow: [Some(0.5), None, Some(8.0)][usize::from(more / 4 % 3)],
                couplings: couplings(bytes),
                soil: humidity::Rules {
                    fall: bytes.pick(&[1.0 / 32.0, 0.0, 0.0625]),
                    ..Rules::default().soil
                },
                blast_fading: bytes.pick(&[0.03, 0.0, 0.5]),
                blast_reach: bytes.pick(&[4, 0, 1]),
                ..Rules::default()
            }
        })
    }
}

/// Returns materials at random, mostly with water and moisture that fit them.
fn content(bytes: &mut Bytes<'_>) -> ChunkContent {
    let materials = bytes.strewn(Bytes::any::<MaterialId>).chunk();
    let height = |bytes: &mut Bytes<'_>| {
        let byte = bytes.byte();
        let water = WaterCell::with_height(byte % 8).expect("0 to 7");
        if byte < 240 { Voxel::water(water) } else { Voxel::SOLID }
    };
    let (fits, has_water, has_moisture) = (bytes.byte() < 220, bytes.byte(), bytes.byte());
    let mut water = (has_water % 2 == 1).then(|| bytes.strewn(height).chunk());
    let wet = |bytes: &mut Bytes<'_>| u32::from(bytes.byte()) * UNITS * if fits { 4 } else { 200 };
    let mut moisture = (has_moisture % 2 == 1).then(|| bytes.strewn(wet).chunk());
    let palette = palette();
    for index in (0..CHUNK_CELLS).filter(|_| fits) {
        let material = palette.material(materials.get(index));
        let is_solid = material.is_some_and(|material| material.solid);
        let is_soil = material.is_some_and(|material| material.permeability.is_some());
        if let Some(water) = &mut water
            && is_solid != water.get(index).is_solid()
        {
            water.set(index, if is_solid { Voxel::SOLID } else { Voxel::OPEN });
        }
        if let (Some(moisture), false) = (&mut moisture, is_soil) {
            moisture.set(index, 0);
        }
    }
    ChunkContent { materials, water, moisture }
}

impl Arbitrary<'_> for Edit {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Edit> {
        Bytes::of(from, |bytes| World::edit(bytes, near::<Cube>()))
    }
}

draw_worlds!([] World);

impl Sample for World {
    type Rules = Rules;
    const SIZE: IVec3 = IVec3::new(9, 6, 5);

    /// Returns air over a floor of soil.
    fn build(start: &Start<Rules>) -> World {
        let &Start { seed, rules, bounds } = start;
        let palette = palette();
        let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("of the palette"));
        let mut world =
            World::with_bounds(seed, palette, rules, bounds).expect("rules within their ranges");
        let floor = bounds.min().y;
        for at in Cube::chunks_of(bounds) {
            let content = ChunkContent::from_heights(at, |_, _| floor, |_| soil, air);
            world.insert_chunk(at, content).expect("a chunk of the bounds");
        }
        world
    }

    fn edit(bytes: &mut Bytes<'_>, bounds: Region) -> Edit {
        let cell = bytes.cell(bounds);
        let position = Cube::chunk_of(cell);
        match bytes.byte() % 26 {
            0..=5 => Edit::SetMaterial { cell, material: bytes.any::<MaterialId>() },
            6..=8 => {
                let region = Region::new(cell, bytes.cell(bounds));
                Edit::FillMaterial { region, material: bytes.any::<MaterialId>() }
            }
            9..=11 => Edit::InsertChunk { position, content: content(bytes) },
            12 => Edit::RemoveChunk(position),
            13 => Edit::RemoveChunks(vec![position]),
            14 => Edit::RemoveChunks(vec![position, chunk::<Cube>(bytes, bounds)]),
            15 | 16 => Edit::Rain { from: cell, units: bytes.byte().into() },
            17 | 18 => Edit::Water(of_water(bytes, bounds)),
            19 | 20 => Edit::Soil(of_soil(bytes, bounds)),
            21 | 22 => Edit::Blast(of_blast(bytes, bounds)),
            23 | 24 => Edit::Charge {
                centre: cell,
                radius: f32::from(bytes.byte() % 32) * 0.25,
                pressure: f32::from(bytes.byte()) * 4.0,
            },
            _ => Edit::WakeAll,
        }
    }
}

// Many edits of the parts change ground and are refused here, so most of the edits that are drawn
// are other ones.

fn of_water(bytes: &mut Bytes<'_>, bounds: Region) -> water::Edit {
    match bytes.byte() % 16 {
        0..=2 => water::Edit::AddSource(bytes.cell(bounds)),
        3..=5 => water::Edit::Pour { cell: bytes.cell(bounds), units: bytes.byte().into() },
        6 | 7 => water::Edit::FillWater { region: bytes.region(bounds), height: bytes.byte() % 9 },
        8 => water::Edit::FillSea(bytes.region(bounds)),
        9 => water::Edit::SetFixture { cell: bytes.cell(bounds), fixture: Some(bytes.any()) },
        10 | 11 => water::Edit::Freeze(vec![chunk::<Cube>(bytes, bounds)]),
        12 => water::Edit::Thaw(vec![chunk::<Cube>(bytes, bounds)]),
        _ => WaterWorld::edit(bytes, bounds),
    }
}

fn of_soil(bytes: &mut Bytes<'_>, bounds: Region) -> humidity::Edit {
    let humidity = f64::from(bytes.byte()) * 7.125;
    match bytes.byte() % 8 {
        0..=3 => humidity::Edit::SetHumidity { cell: bytes.cell(bounds), humidity },
        4 => humidity::Edit::SetRain { cell: bytes.cell(bounds), humidity },
        5 => humidity::Edit::ClearRain(bytes.cell(bounds)),
        _ => HumidityWorld::<Cube>::edit(bytes, bounds),
    }
}

fn of_blast(bytes: &mut Bytes<'_>, bounds: Region) -> blast::Edit {
    let pressure = f32::from(bytes.byte()) * 3.5;
    match bytes.byte() % 8 {
        0..=3 => blast::Edit::SetPressure { cell: bytes.cell(bounds), pressure },
        4 => blast::Edit::AddPressure { cell: bytes.cell(bounds), more: pressure },
        5 => blast::Edit::FillPressure { region: bytes.region(bounds), pressure },
        _ => BlastWorld::<Cube>::edit(bytes, bounds),
    }
}
