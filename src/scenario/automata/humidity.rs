//! Scenarios of humidity.

use super::picture::{Layout, Picture};
use super::subject::{Account, Plan, Quantity, Refusal, ScenarioWorld, Setup};
use crate::coords::{CHUNK_CELLS, Face, Sheet};
use crate::humidity::{Border, Cell, HumidityWorld, Ledger, ROCK, Rules, Sweep, UNITS};
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use glam::IVec3;
use std::collections::BTreeMap;

/// Reads `[rules]`, `[legend]`, and the rest of `[world]`.
pub(super) fn read(
    rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let mut rules = read_rules(rules, Rules::default())?;
    read_world(world, &mut rules)?;
    let legend = legend::read(legend, default_legend(), read_glyph)?;
    Ok(Box::new(Plan::<HumidityWorld> { rules, legend }))
}

/// Reads rules; fields missing from the table keep their values in `rules`.
pub(super) fn read_rules(mut table: Table, mut rules: Rules) -> Result<Rules, ScenarioError> {
    if let Some(field) = table.take("sweep") {
        rules.sweep = match field.text()? {
            "in place" => Sweep::InPlace,
            "synchronous" => Sweep::Synchronous,
            "conservative" => Sweep::Conservative,
            _ => return Err(field.refuse("\"in place\", \"synchronous\" or \"conservative\"")),
        };
    }
    let named = table.clone();
    let rules = table.read_over(rules)?;
    rules.check::<Sheet>().map_err(|error| named.refuse_rule(error))?;
    Ok(rules)
}

fn read_world(mut table: Table, rules: &mut Rules) -> Result<(), ScenarioError> {
    let sides: [(&str, &[Face]); 5] = [
        ("edges", &[Face::West, Face::East, Face::Down, Face::Up]),
        ("floor", &[Face::Down]),
        ("ceiling", &[Face::Up]),
        ("west", &[Face::West]),
        ("east", &[Face::East]),
    ];
    for (key, faces) in sides {
        if let Some(field) = table.take(key) {
            let border = match field.text()? {
                "wall" => Border::Wall,
                "drain" => Border::Drain,
                _ => return Err(field.refuse("\"wall\" or \"drain\"")),
            };
            *rules = faces.iter().fold(*rules, |rules, &face| rules.with_border(face, border));
        }
    }
    table.finish()
}

fn default_legend() -> BTreeMap<char, Cell> {
    BTreeMap::from([
        ('#', Cell::ROCK),
        ('.', Cell::soil(0.0, 1.0)),
        ('S', Cell::rain(1024.0, 1.0)),
        ('~', Cell::soil(1024.0, 1.0)),
    ])
}

/// Reads a cell. The ranges of its values depend on the rules, so the world checks them.
fn read_glyph(field: Field) -> Result<Cell, ScenarioError> {
    let wanted = "{ humidity = …, impermeability = … }, { rain = …, impermeability = … }, \
                  { rock = true }, or a character";
    let refused = field.refuse(wanted);
    let Ok(mut table) = field.table() else { return Err(refused) };
    let number = |field: Option<Field>| field.map(|field| field.number()).transpose();
    let (humidity, rain) = (number(table.take("humidity"))?, number(table.take("rain"))?);
    let impermeability = number(table.take("impermeability"))?;
    let rock = table.take("rock").map(|field| field.boolean()).transpose()?;
    table.finish()?;
    let soil = impermeability.unwrap_or(1.0) as f32;
    match (rock, humidity, rain) {
        (Some(true), humidity, None) if impermeability.is_none() => {
            Ok(Cell::soil(humidity.unwrap_or(0.0), ROCK))
        }
        (None, None, Some(rain)) => Ok(Cell::rain(rain, soil)),
        (None, humidity, None) if humidity.is_some() || impermeability.is_some() => {
            Ok(Cell::soil(humidity.unwrap_or(0.0), soil))
        }
        _ => Err(refused),
    }
}

impl ScenarioWorld for HumidityWorld {
    type Rules = Rules;
    type Glyph = Cell;

    const LAYOUT: Layout = Layout::SheetUpward;
    const QUANTITIES: &'static [Quantity] = &[
        Quantity { name: "humidity", is_flag: false },
        Quantity { name: "impermeability", is_flag: false },
        Quantity { name: "rain", is_flag: true },
    ];

    fn start(rules: &Rules, _seed: u64, picture: &Picture<'_, Cell>) -> Result<Self, Refusal> {
        let mut world = HumidityWorld::with_bounds(*rules, picture.bounds())?;
        for (position, chunk) in picture.chunks::<Sheet>(Cell::ROCK) {
            world.insert_chunk(position, chunk)?;
        }
        Ok(world)
    }

    fn write(&mut self, cell: IVec3, glyph: Cell) -> Result<(), Refusal> {
        self.set_cell(cell, glyph)?;
        Ok(())
    }

    fn count(&self) -> f64 {
        let chunks = self
            .chunks()
            .map(|(_, chunk)| (0..CHUNK_CELLS).map(|index| chunk.get(index).humidity).sum::<f64>());
        chunks.sum()
    }

    /// Returns the account of the ledger. The sweeps of the weighted mean have no ledger, so the
    /// count serves as their total.
    fn account(&self) -> Account {
        let Some(ledger) = self.ledger() else {
            let total = ScenarioWorld::count(self);
            return Account { entries: Vec::new(), total, injected: 0.0, drained: 0.0 };
        };
        let Ledger { placed, rained, removed, runoff, drained } = ledger;
        let humidity = |units: u128| units as f64 / f64::from(UNITS);
        let rained = rained as f64 / f64::from(UNITS);
        Account {
            entries: vec![
                ("placed", humidity(placed)),
                ("rained", rained),
                ("removed", humidity(removed)),
                ("runoff", humidity(runoff)),
                ("drained", humidity(drained)),
            ],
            total: humidity(ledger.total()),
            injected: rained,
            drained: humidity(drained),
        }
    }

    fn value(&self, cell: IVec3) -> Option<f64> {
        let cell = self.cell(cell)?;
        Some(if cell.is_rock() { -1.0 } else { cell.humidity })
    }

    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64> {
        let cell = self.cell(cell).filter(|cell| !cell.is_rock())?;
        match quantity {
            0 => Some(cell.humidity),
            1 => Some(f64::from(cell.impermeability)),
            2 => Some(f64::from(u8::from(cell.rain))),
            _ => None,
        }
    }

    fn capacity(&self) -> f64 {
        f64::from(self.rules().cap)
    }
}
