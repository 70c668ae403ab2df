//! Worlds of materials.

use super::less::{cells, equal, fewer, fewer_units, nearer_f32, plainer, plainer_rules, regions};
use super::water::tile;
use super::{Cells, Kind, Tile};
use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{HumidityWorld, UNITS};
use floodplain::testing::{Start, Watch};
use floodplain::water::{self, WaterWorld};
use floodplain::world::World;
use floodplain::world::{ChunkContent, Couplings, Edit, MaterialId, Palette, Rules};
use floodplain::{Chunk, Cube, Region};

/// What is plain among materials: the first of a palette, mostly air.
const PLAIN: MaterialId = MaterialId(0);

/// Seed, rules and bounds, and the palette, which stays as it is.
#[derive(Clone, PartialEq)]
pub struct Setting(Start<Rules>, Palette);

impl Kind for World {
    const NAME: &'static str = "materials";
    const TYPES: [&'static str; 2] = ["floodplain::world::World", "floodplain::world::Edit"];
    type Setting = Setting;

    fn setting(&self) -> Setting {
        let start = Start { seed: self.seed(), rules: *self.rules(), bounds: self.bounds() };
        Setting(start, self.palette().clone())
    }

    fn empty(Setting(start, palette): &Setting) -> Option<World> {
        World::with_bounds(start.seed, palette.clone(), start.rules, start.bounds).ok()
    }

    fn bounds_of(setting: &Setting) -> Region {
        setting.0.bounds
    }

    /// What is built into water is lost.
    fn rebuilt(&self) -> Vec<Edit> {
        let insert =
            |position| self.chunk(position).map(|content| Edit::InsertChunk { position, content });
        let chunks = self.chunks().filter_map(|(position, _)| insert(position));
        let cells = self.looks().into_keys().map(IVec3::from_array);
        let loud = cells.map(|cell| (cell, self.pressure(cell))).filter(|loud| loud.1 != 0.0);
        let pressures =
            loud.map(|(cell, pressure)| Edit::Blast(blast::Edit::SetPressure { cell, pressure }));
        chunks.chain(pressures).collect()
    }

    fn brings(edit: &Edit) -> bool {
        match edit {
            Edit::Rain { .. } | Edit::Charge { .. } => true,
            Edit::Water(edit) => WaterWorld::brings(edit),
            Edit::Soil(edit) => HumidityWorld::<Cube>::brings(edit),
            Edit::Blast(edit) => BlastWorld::<Cube>::brings(edit),
            _ => false,
        }
    }

    fn plainer(Setting(start, palette): &Setting) -> Vec<Setting> {
        let off = Couplings { seepage: 0.0, depth_gain: 0.0, springs: false, ebb: false };
        let plain = Rules {
            water: water::Rules::lossless(),
            couplings: off,
            breaking: false,
            spilling: false,
            throw_flow: None,
            soil_period: 1,
            blast_steps: 1,
            ..Rules::default()
        };
        let rules = plainer_rules!(
            &start.rules,
            plain,
            [
                water,
                soil,
                blast,
                borders,
                moisture_per_unit,
                soil_period,
                blast_steps,
                breaking,
                couplings,
                spilling,
                under_water,
                throw_flow
            ]
        );
        let all = plainer(start, rules).into_iter();
        all.map(|start| Setting(start, palette.clone())).collect()
    }

    fn lesser(edit: &Edit) -> Vec<Edit> {
        match edit {
            &Edit::FillMaterial { region, material } => regions(
                region,
                |cell| Edit::SetMaterial { cell, material },
                |region| Edit::FillMaterial { region, material },
            ),
            Edit::InsertChunk { position, content } => plainer_content(content)
                .into_iter()
                .map(|content| Edit::InsertChunk { position: *position, content })
                .collect(),
            Edit::RemoveChunks(chunks) => match chunks[..] {
                [chunk] => vec![Edit::RemoveChunk(chunk)],
                _ => fewer(chunks).map(Edit::RemoveChunks).collect(),
            },
            Edit::InsertRecords(records) => match &records[..] {
                [record] => {
                    let position = record.position();
                    let content = ChunkContent::from(record.materials().clone());
                    vec![Edit::InsertChunk { position, content }]
                }
                records => fewer(records).map(Edit::InsertRecords).collect(),
            },
            &Edit::Rain { from, units } => {
                fewer_units(units).into_iter().map(|units| Edit::Rain { from, units }).collect()
            }
            &Edit::Charge { centre, radius, pressure } => nearer_f32(pressure)
                .into_iter()
                .map(|pressure| Edit::Charge { centre, radius, pressure })
                .chain(nearer_f32(radius).into_iter().map(|radius| Edit::Charge {
                    centre,
                    radius,
                    pressure,
                }))
                .collect(),
            Edit::Water(edit) => WaterWorld::lesser(edit).into_iter().map(Edit::Water).collect(),
            Edit::Soil(edit) => {
                HumidityWorld::<Cube>::lesser(edit).into_iter().map(Edit::Soil).collect()
            }
            Edit::Blast(edit) => {
                BlastWorld::<Cube>::lesser(edit).into_iter().map(Edit::Blast).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Of dry chunks: in others the water would be in the way.
    fn cells(edit: &Edit) -> Option<Cells<Edit>> {
        let Edit::InsertChunk { position, content } = edit else { return None };
        if content.water.is_some() || content.moisture.is_some() {
            return None;
        }
        cells(vec![(*position, content.materials.clone())], PLAIN, |mut chunks| {
            let (position, materials) = chunks.remove(0);
            Edit::InsertChunk { position, content: materials.into() }
        })
    }

    fn chunks_in(edit: &Edit) -> usize {
        match edit {
            Edit::InsertChunk { .. } => 1,
            Edit::InsertRecords(records) => records.len(),
            _ => 0,
        }
    }

    fn tiles(&self) -> Option<Vec<(IVec3, Tile)>> {
        let most = f64::from(self.rules().soil.cap);
        let cells = self.looks().into_keys().map(IVec3::from_array);
        let loaded = cells.filter(|&cell| self.material(cell).is_some());
        let tiles = loaded.map(|cell| {
            let moisture = f64::from(self.moisture(cell)) / f64::from(UNITS);
            let tile = match self.water().voxel(cell).map_or(Tile::Air, tile) {
                Tile::Ground if moisture > 0.0 => Tile::Moist((moisture / most).clamp(0.0, 1.0)),
                tile => tile,
            };
            (cell, tile)
        });
        Some(tiles.collect())
    }
}

/// Returns the chunk without its water, without its moisture, and of one material.
fn plainer_content(content: &ChunkContent) -> Vec<ChunkContent> {
    let ChunkContent { materials, water, moisture } = content;
    let dry = |materials: Chunk<MaterialId>| ChunkContent::from(materials);
    let mut all: Vec<ChunkContent> = equal(materials, &[PLAIN]).into_iter().map(dry).collect();
    if water.is_some() && moisture.is_some() {
        all.push(dry(materials.clone()));
    }
    if water.is_some() {
        all.push(ChunkContent { water: None, ..content.clone() });
    }
    if moisture.is_some() {
        all.push(ChunkContent { moisture: None, ..content.clone() });
    }
    all
}
