//! Worlds of 2D water.

use super::less::{cells, equal, fewer_chunks, fewer_units, plainer, plainer_rules, regions};
use super::{Cells, Kind, Tile};
use floodplain::glam::IVec3;
use floodplain::testing::Start;
use floodplain::water2d::{Cell, Edit, FULL, Rules, Water2dWorld};
use floodplain::{Region, Shape, Sheet};

impl Kind for Water2dWorld {
    const NAME: &'static str = "water2d";
    const TYPES: [&'static str; 2] =
        ["floodplain::water2d::Water2dWorld", "floodplain::water2d::Edit"];
    type Setting = Start<Rules>;

    fn setting(&self) -> Start<Rules> {
        Start { seed: self.seed(), rules: *self.rules(), bounds: self.bounds() }
    }

    fn empty(setting: &Start<Rules>) -> Option<Water2dWorld> {
        Water2dWorld::with_bounds(setting.seed, setting.rules, setting.bounds).ok()
    }

    fn bounds_of(setting: &Start<Rules>) -> Region {
        setting.bounds
    }

    fn rebuilt(&self) -> Vec<Edit> {
        let chunks = self.chunks().map(|(position, chunk)| (position, chunk.clone()));
        vec![Edit::InsertChunks(chunks.collect())]
    }

    fn brings(edit: &Edit) -> bool {
        matches!(edit, Edit::Pour { .. } | Edit::FillWater { .. })
    }

    fn plainer(setting: &Start<Rules>) -> Vec<Start<Rules>> {
        plainer(setting, plainer_rules!(&setting.rules, Rules::default(), [rule, pressure_flow]))
    }

    fn lesser(edit: &Edit) -> Vec<Edit> {
        match edit {
            Edit::InsertChunks(chunks) => match &chunks[..] {
                [(position, chunk)] => {
                    vec![Edit::InsertChunk { position: *position, chunk: chunk.clone() }]
                }
                chunks => {
                    fewer_chunks(chunks, Cell::AIR).into_iter().map(Edit::InsertChunks).collect()
                }
            },
            &Edit::InsertChunk { position, ref chunk } => equal(chunk, &[Cell::AIR, Cell::SOLID])
                .into_iter()
                .map(|chunk| Edit::InsertChunk { position, chunk })
                .collect(),
            &Edit::FillSolid(region) => regions(region, Edit::SetSolid, Edit::FillSolid),
            &Edit::FillWater { region, level } => {
                let pour = |cell| Edit::Pour { cell, units: level };
                let mut all = regions(region, pour, |region| Edit::FillWater { region, level });
                let lower = fewer_units(level).into_iter();
                all.extend(lower.map(|level| Edit::FillWater { region, level }));
                all
            }
            &Edit::Pour { cell, units } => {
                fewer_units(units).into_iter().map(|units| Edit::Pour { cell, units }).collect()
            }
            &Edit::Scoop { cell, units } => {
                fewer_units(units).into_iter().map(|units| Edit::Scoop { cell, units }).collect()
            }
            _ => Vec::new(),
        }
    }

    fn cells(edit: &Edit) -> Option<Cells<Edit>> {
        match edit {
            Edit::InsertChunk { position, chunk } => {
                cells(vec![(*position, chunk.clone())], Cell::AIR, |mut chunks| {
                    let (position, chunk) = chunks.remove(0);
                    Edit::InsertChunk { position, chunk }
                })
            }
            Edit::InsertChunks(chunks) => cells(chunks.clone(), Cell::AIR, Edit::InsertChunks),
            _ => None,
        }
    }

    fn chunks_in(edit: &Edit) -> usize {
        match edit {
            Edit::InsertChunk { .. } => 1,
            Edit::InsertChunks(chunks) => chunks.len(),
            _ => 0,
        }
    }

    fn tiles(&self) -> Option<Vec<(IVec3, Tile)>> {
        let mut all = Vec::new();
        for (position, chunk) in self.chunks() {
            let cells = Sheet::region_of(position).intersection(&self.bounds());
            for cell in cells.into_iter().flat_map(Region::positions) {
                let tile = match chunk.get(Sheet::index_of(cell)) {
                    Cell::SOLID => Tile::Ground,
                    Cell::AIR => Tile::Air,
                    water => Tile::Water(f64::from(water.level().min(FULL)) / f64::from(FULL)),
                };
                all.push((cell, tile));
            }
        }
        Some(all)
    }
}
