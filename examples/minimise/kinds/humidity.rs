//! Worlds of humidity, of sheets and of cubes.

use super::less::{cells, equal, nearer, nearer_f32, plainer, plainer_rules, regions};
use super::{Cells, Kind, Tile};
use floodplain::glam::IVec3;
use floodplain::humidity::{Cell, Edit, HumidityWorld, Rules};
use floodplain::testing::Start;
use floodplain::{FieldShape, Region};

/// What is plain among cells.
const DRY: Cell = Cell::soil(0.0, 1.0);

impl<S: FieldShape> Kind for HumidityWorld<S> {
    const NAME: &'static str = if S::NEIGHBOURS == 4 { "humidity-sheet" } else { "humidity" };
    const TYPES: [&'static str; 2] = [
        if S::NEIGHBOURS == 4 {
            "floodplain::humidity::HumidityWorld<floodplain::Sheet>"
        } else {
            "floodplain::humidity::HumidityWorld<floodplain::Cube>"
        },
        "floodplain::humidity::Edit",
    ];
    type Setting = Start<Rules>;

    fn setting(&self) -> Start<Rules> {
        Start { seed: 0, rules: *self.rules(), bounds: self.bounds() }
    }

    fn empty(setting: &Start<Rules>) -> Option<HumidityWorld<S>> {
        HumidityWorld::with_bounds(setting.rules, setting.bounds).ok()
    }

    fn bounds_of(setting: &Start<Rules>) -> Region {
        setting.bounds
    }

    fn rebuilt(&self) -> Vec<Edit> {
        self.chunks().map(|(position, chunk)| Edit::InsertChunk { position, chunk }).collect()
    }

    fn brings(edit: &Edit) -> bool {
        matches!(edit, Edit::SetHumidity { .. } | Edit::SetRain { .. } | Edit::FillCells { .. })
    }

    fn plainer(setting: &Start<Rules>) -> Vec<Start<Rules>> {
        let fields = plainer_rules!(
            &setting.rules,
            Rules::default(),
            [sweep, cap, coefficient, fall, least_impermeability, borders]
        );
        plainer(setting, fields)
    }

    fn lesser(edit: &Edit) -> Vec<Edit> {
        match *edit {
            Edit::SetHumidity { cell, humidity } => nearer(humidity)
                .into_iter()
                .map(|humidity| Edit::SetHumidity { cell, humidity })
                .collect(),
            Edit::SetImpermeability { cell, impermeability } => nearer_f32(impermeability)
                .into_iter()
                .map(|impermeability| Edit::SetImpermeability { cell, impermeability })
                .collect(),
            Edit::SetRain { cell, humidity } => nearer(humidity)
                .into_iter()
                .map(|humidity| Edit::SetRain { cell, humidity })
                .collect(),
            Edit::SetCell { cell, value } => {
                drier(value).map(|value| Edit::SetCell { cell, value }).collect()
            }
            Edit::FillCells { region, value } => {
                let one = |cell| Edit::SetCell { cell, value };
                let mut all = regions(region, one, |region| Edit::FillCells { region, value });
                all.extend(drier(value).map(|value| Edit::FillCells { region, value }));
                all
            }
            Edit::InsertChunk { position, ref chunk } => equal(chunk, &[DRY])
                .into_iter()
                .map(|chunk| Edit::InsertChunk { position, chunk })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn cells(edit: &Edit) -> Option<Cells<Edit>> {
        let Edit::InsertChunk { position, chunk } = edit else { return None };
        cells(vec![(*position, chunk.clone())], DRY, |mut chunks| {
            let (position, chunk) = chunks.remove(0);
            Edit::InsertChunk { position, chunk }
        })
    }

    fn chunks_in(edit: &Edit) -> usize {
        usize::from(matches!(edit, Edit::InsertChunk { .. }))
    }

    fn tiles(&self) -> Option<Vec<(IVec3, Tile)>> {
        let cap = f64::from(self.rules().cap);
        let mut all = Vec::new();
        for (position, chunk) in self.chunks() {
            let cells = S::region_of(position).intersection(&self.bounds());
            for cell in cells.into_iter().flat_map(Region::positions) {
                let humidity = chunk.get(S::index_of(cell)).humidity;
                let is_moist = humidity > 0.0;
                let share = (humidity / cap).clamp(0.0, 1.0);
                all.push((cell, if is_moist { Tile::Moist(share) } else { Tile::Ground }));
            }
        }
        Some(all)
    }
}

/// Returns the cell with less humidity, and without rain.
fn drier(cell: Cell) -> impl Iterator<Item = Cell> {
    let humid = nearer(cell.humidity).into_iter().map(move |humidity| Cell { humidity, ..cell });
    humid.chain(cell.rain.then_some(Cell { rain: false, ..cell }))
}
