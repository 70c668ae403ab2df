//! Scenarios of humidity: its rules, legend, borders, and the world under test.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Face, Region, Shape, Sheet};
use crate::humidity::{Border, Cell, HumidityWorld, Ledger, ROCK, Rules, RulesError, Sweep, UNITS};
use crate::scenario::automata::sheet::{Rows, SheetPlace, check_one_layer};
use crate::scenario::automata::subject::{Account, Quantity, Setup, Stepped, Subject};
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::{Drawing, NOWHERE};
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use glam::IVec3;
use std::collections::BTreeMap;

#[derive(Debug)]
struct HumiditySetup {
    rules: Rules,
    legend: BTreeMap<char, Cell>,
}

/// Reads what a file says of humidity: `[rules]`, `[legend]`, and what is left of `[world]`.
pub(crate) fn read(
    rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let mut rules = read_rules(rules)?;
    read_world(world, &mut rules)?;
    Ok(Box::new(HumiditySetup {
        rules,
        legend: legend::read(legend, default_legend(), read_glyph)?,
    }))
}

fn read_rules(mut table: Table) -> Result<Rules, ScenarioError> {
    let mut rules = Rules::default();
    let mut named = Vec::new();
    if let Some(field) = table.take("sweep") {
        rules.sweep = match field.text()? {
            "in place" => Sweep::InPlace,
            "synchronous" => Sweep::Synchronous,
            "conservative" => Sweep::Conservative,
            _ => return Err(field.refuse("\"in place\", \"synchronous\" or \"conservative\"")),
        };
    }
    for (key, value) in [
        ("cap", &mut rules.cap),
        ("coefficient", &mut rules.coefficient),
        ("least_impermeability", &mut rules.least_impermeability),
    ] {
        if let Some(field) = table.take(key) {
            *value = field.number()? as f32;
            named.push(field);
        }
    }
    table.finish()?;
    rules.check::<Sheet>().map_err(|error| refused_rule(&named, error))?;
    Ok(rules)
}

/// Finds the field that a refused rule stands in.
fn refused_rule(named: &[Field], error: RulesError) -> ScenarioError {
    let message = error.to_string();
    let rule = match error {
        RulesError::Cap(_) => "cap",
        RulesError::LeastImpermeability(_) => "least_impermeability",
        RulesError::Coefficient { .. } => "coefficient",
    };
    match named.iter().find(|field| field.key == rule) {
        Some(field) => field.refuse(format!("in range ({message})")),
        None => ScenarioError::World { message },
    }
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

/// The ranges are those of the rules, so that the world itself refuses what is out of them.
fn read_glyph(field: Field) -> Result<Cell, ScenarioError> {
    let wanted = "{ humidity = …, impermeability = … }, { rain = …, impermeability = … }, { rock = true }, or a character";
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

/// By index; see [`HumiditySubject::measure`].
const QUANTITIES: &[Quantity] = &[
    Quantity { name: "humidity", is_flag: false },
    Quantity { name: "impermeability", is_flag: false },
    Quantity { name: "rain", is_flag: true },
];

impl Setup for HumiditySetup {
    fn knows(&self, character: char) -> bool {
        character == NOWHERE || self.legend.contains_key(&character)
    }

    fn quantities(&self) -> &'static [Quantity] {
        QUANTITIES
    }

    fn check(&self, drawing: &Drawing) -> Result<(), ScenarioError> {
        check_one_layer(drawing)
    }

    fn start(&self, _seed: u64, drawing: &Drawing) -> Result<Box<dyn Subject>, String> {
        let place = SheetPlace::new(drawing, Rows::Upward);
        let bounds = place.region(drawing);
        let mut world =
            HumidityWorld::with_bounds(self.rules, bounds).map_err(|error| error.to_string())?;
        let cells: BTreeMap<[i32; 2], char> = drawing
            .region()
            .positions()
            .filter_map(|cell| Some(([place.cell(cell).x, place.cell(cell).y], drawing.at(cell)?)))
            .collect();
        let there = |cell: IVec3| self.legend.get(cells.get(&[cell.x, cell.y])?).copied();
        for chunk in
            Region::new(Sheet::chunk_of(bounds.min()), Sheet::chunk_of(bounds.max())).positions()
        {
            let mut drawn = Chunk::uniform(Cell::ROCK);
            for (index, cell) in drawn.cells_mut().iter_mut().enumerate() {
                *cell = there(Sheet::cell_at(chunk, index)).unwrap_or(Cell::ROCK);
            }
            world.insert_chunk(chunk, drawn).map_err(|error| error.to_string())?;
        }
        let nowhere = drawing
            .region()
            .positions()
            .filter(|&cell| drawing.at(cell) == Some(NOWHERE))
            .collect();
        Ok(Box::new(HumiditySubject { world, legend: self.legend.clone(), place, nowhere }))
    }
}

struct HumiditySubject {
    world: HumidityWorld,
    legend: BTreeMap<char, Cell>,
    place: SheetPlace,
    /// Cells of the drawing that are not part of the world.
    nowhere: Vec<IVec3>,
}

impl Subject for HumiditySubject {
    fn write(&mut self, cells: &[IVec3], with: char) -> Result<(), String> {
        let value = *self.legend.get(&with).ok_or("the character has no meaning")?;
        let mut write = |&cell: &IVec3| self.world.set_cell(self.place.cell(cell), value).map(drop);
        cells.iter().try_for_each(&mut write).map_err(|error| error.to_string())
    }

    fn step(&mut self) -> Stepped {
        let report = self.world.step();
        Stepped { visited: report.visited, moved: report.moved }
    }

    fn active_cells(&self) -> usize {
        self.world.awake_cells()
    }

    fn count(&self) -> f64 {
        let count = |chunk: Chunk<Cell>| {
            (0..CHUNK_CELLS).map(|index| chunk.get(index).humidity).sum::<f64>()
        };
        self.world.chunks().map(|(_, chunk)| count(chunk)).sum()
    }

    fn account(&self) -> Account {
        // Of what the weighted mean makes and loses there is no account.
        let Some(Ledger { placed, rained, removed, runoff, drained }) = self.world.ledger() else {
            return Account {
                entries: Vec::new(),
                total: self.count(),
                injected: 0.0,
                drained: 0.0,
            };
        };
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
            total: self.world.total(),
            injected: rained,
            drained: humidity(drained),
        }
    }

    fn value(&self, cell: IVec3) -> f64 {
        match self.world.cell(self.place.cell(cell)) {
            None => -2.0,
            Some(_) if self.nowhere.contains(&cell) => -2.0,
            Some(cell) if cell.is_rock() => -1.0,
            Some(cell) => cell.humidity,
        }
    }

    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64> {
        let cell = self.world.cell(self.place.cell(cell)).filter(|cell| !cell.is_rock())?;
        match quantity {
            0 => Some(cell.humidity),
            1 => Some(f64::from(cell.impermeability)),
            2 => Some(if cell.rain { 1.0 } else { 0.0 }),
            _ => None,
        }
    }

    fn capacity(&self) -> f64 {
        f64::from(self.world.rules().cap)
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    fn validate(&self) -> Result<(), String> {
        self.world.validate().map_err(|violation| violation.to_string())
    }
}
