//! Worlds of explosions, of sheets and of cubes.

use super::less::{cells, equal, nearer_f32, plainer, plainer_rules, regions};
use super::{Cells, Kind, Tile};
use floodplain::blast::{BlastWorld, Borders, Edit, Rules};
use floodplain::glam::IVec3;
use floodplain::testing::{Start, Watch};
use floodplain::{FieldShape, Region};

impl<S: FieldShape> Kind for BlastWorld<S> {
    const NAME: &'static str = if S::NEIGHBOURS == 4 { "blast-sheet" } else { "blast" };
    const TYPES: [&'static str; 2] = [
        if S::NEIGHBOURS == 4 {
            "floodplain::blast::BlastWorld<floodplain::Sheet>"
        } else {
            "floodplain::blast::BlastWorld<floodplain::Cube>"
        },
        "floodplain::blast::Edit",
    ];
    type Setting = Start<(Rules, Borders)>;

    fn setting(&self) -> Start<(Rules, Borders)> {
        Start { seed: 0, rules: (*self.rules(), self.borders()), bounds: self.bounds() }
    }

    fn empty(setting: &Start<(Rules, Borders)>) -> Option<BlastWorld<S>> {
        let (rules, borders) = setting.rules;
        BlastWorld::with_bounds(rules, setting.bounds, borders).ok()
    }

    fn bounds_of(setting: &Start<(Rules, Borders)>) -> Region {
        setting.bounds
    }

    /// Walls are built where there is no pressure; weights of links are lost.
    fn rebuilt(&self) -> Vec<Edit> {
        let walls = self.looks().into_keys().map(IVec3::from_array);
        let walls = walls.filter(|&cell| self.is_solid(cell)).map(|cell| {
            match self.strength(cell).filter(|strength| strength.is_finite()) {
                Some(strength) => Edit::SetWall { cell, strength },
                None => Edit::SetSolid(cell),
            }
        });
        let chunks = self.chunks().map(|(position, chunk)| (position, chunk.clone()));
        let chunks = chunks.map(|(position, chunk)| Edit::InsertChunk { position, chunk });
        chunks.chain(walls).collect()
    }

    fn brings(edit: &Edit) -> bool {
        matches!(
            edit,
            Edit::SetPressure { .. } | Edit::FillPressure { .. } | Edit::AddCharge { .. }
        )
    }

    fn plainer(setting: &Start<(Rules, Borders)>) -> Vec<Start<(Rules, Borders)>> {
        let (rules, borders) = setting.rules;
        let plain = Rules { threshold: 0.0, ..Rules::diffusive(0.15) };
        let of_rules = plainer_rules!(&rules, plain, [rule, threshold]);
        let of_rules = of_rules.into_iter().map(|rules| (rules, borders));
        let of_borders = plainer_rules!(&borders, Borders::default(), [x, y, z]);
        let of_borders = of_borders.into_iter().map(|borders| (rules, borders));
        plainer(setting, of_rules.chain(of_borders))
    }

    fn lesser(edit: &Edit) -> Vec<Edit> {
        match *edit {
            Edit::SetPressure { cell, pressure } => nearer_f32(pressure)
                .into_iter()
                .map(|pressure| Edit::SetPressure { cell, pressure })
                .collect(),
            Edit::AddPressure { cell, more } => {
                nearer_f32(more).into_iter().map(|more| Edit::AddPressure { cell, more }).collect()
            }
            Edit::FillPressure { region, pressure } => {
                let one = |cell| Edit::SetPressure { cell, pressure };
                regions(region, one, |region| Edit::FillPressure { region, pressure })
            }
            Edit::SetWall { cell, strength } => nearer_f32(strength)
                .into_iter()
                .map(|strength| Edit::SetWall { cell, strength })
                .collect(),
            Edit::FillSolid(region) => regions(region, Edit::SetSolid, Edit::FillSolid),
            Edit::FillWall { region, strength } => {
                let one = |cell| Edit::SetWall { cell, strength };
                regions(region, one, |region| Edit::FillWall { region, strength })
            }
            Edit::InsertChunk { position, ref chunk } => equal(chunk, &[0.0])
                .into_iter()
                .map(|chunk| Edit::InsertChunk { position, chunk })
                .collect(),
            Edit::AddCharge { centre, radius, pressure } => nearer_f32(pressure)
                .into_iter()
                .map(|pressure| Edit::AddCharge { centre, radius, pressure })
                .chain(nearer_f32(radius).into_iter().map(|radius| Edit::AddCharge {
                    centre,
                    radius,
                    pressure,
                }))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn cells(edit: &Edit) -> Option<Cells<Edit>> {
        let Edit::InsertChunk { position, chunk } = edit else { return None };
        cells(vec![(*position, chunk.clone())], 0.0, |mut chunks| {
            let (position, chunk) = chunks.remove(0);
            Edit::InsertChunk { position, chunk }
        })
    }

    fn chunks_in(edit: &Edit) -> usize {
        usize::from(matches!(edit, Edit::InsertChunk { .. }))
    }

    /// By magnitude: the share is that of the logarithm.
    fn tiles(&self) -> Option<Vec<(IVec3, Tile)>> {
        let looks = self.looks().into_iter();
        let tiles = looks.map(|(cell, (pressure, is_solid, _))| {
            let pressure = f64::from(f32::from_bits(pressure).abs());
            let tile = match pressure {
                _ if is_solid => Tile::Ground,
                0.0 => Tile::Air,
                pressure => Tile::Pressure(((pressure.log10() + 3.0) / 6.0).clamp(0.1, 1.0)),
            };
            (cell.into(), tile)
        });
        Some(tiles.collect())
    }
}
