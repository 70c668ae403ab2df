//! Scenarios of explosions: rules, legend, borders, and the world under test.

use crate::blast::{
    BlastWorld, Border, Borders, EditError, PRESSURE_LIMIT, Rule, Rules, RulesError,
};
use crate::coords::Sheet;
use crate::scenario::automata::sheet::{Rows, SheetPlace, check_one_layer};
use crate::scenario::automata::subject::{Account, Quantity, Setup, Stepped, Subject};
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::{Drawing, NOWHERE};
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use glam::IVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Links at a cell of a sheet.
const LINKS: f64 = 4.0;

/// The pressure of the default charge.
const CHARGE: f32 = 300.0;

/// What a character stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Glyph {
    Solid,
    /// Solid up to this strength.
    Wall(f32),
    /// Open, at this pressure.
    Open(f32),
}

#[derive(Debug)]
struct ExplosionSetup {
    rules: Rules,
    borders: Borders,
    legend: BTreeMap<char, Glyph>,
}

/// Reads what a file says of explosions: `[rules]`, `[legend]`, and the borders, which stand with
/// `[world]`.
pub(crate) fn read(
    rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let default =
        BTreeMap::from([('#', Glyph::Solid), ('.', Glyph::Open(0.0)), ('@', Glyph::Open(CHARGE))]);
    Ok(Box::new(ExplosionSetup {
        rules: read_rules(rules)?,
        borders: read_borders(world)?,
        legend: legend::read(legend, default, read_glyph)?,
    }))
}

fn read_rules(mut table: Table) -> Result<Rules, ScenarioError> {
    let mut rules = Rules::default();
    if let Some(field) = table.take("rule") {
        rules.rule = match field.text()? {
            "diffusive" => rules.rule,
            "wave" => Rule::Wave { coefficient: 0.25, damping: 0.98 },
            _ => return Err(field.refuse("\"diffusive\" or \"wave\"")),
        };
    }
    let mut named = Vec::new();
    let Rules { rule, threshold } = &mut rules;
    let (coefficient, damping) = match rule {
        Rule::Diffusive { coefficient } => (coefficient, None),
        Rule::Wave { coefficient, damping } => (coefficient, Some(damping)),
    };
    let numbers =
        [("coefficient", Some(coefficient)), ("damping", damping), ("threshold", Some(threshold))];
    for (key, number) in numbers.into_iter().filter_map(|(key, number)| Some((key, number?))) {
        if let Some(field) = table.take(key) {
            *number = field.number()?;
            named.push(field);
        }
    }
    table.finish()?;
    rules.check(LINKS).map_err(|error| refused_rule(&named, error))?;
    Ok(rules)
}

/// Finds the field that a refused rule stands in.
fn refused_rule(named: &[Field], error: RulesError) -> ScenarioError {
    let (rule, wanted) = match error {
        RulesError::Damping(_) => ("damping", "above 0 and at most 1".to_owned()),
        RulesError::Threshold(_) => ("threshold", "a pressure of 0 or more".to_owned()),
        RulesError::Unstable { limit, .. } => {
            ("coefficient", format!("at most {}: more is unstable", limit / LINKS))
        }
        _ => ("coefficient", "a number above 0".to_owned()),
    };
    match named.iter().find(|field| field.key == rule) {
        Some(field) => field.refuse(wanted),
        None => ScenarioError::World { message: error.to_string() },
    }
}

fn read_borders(mut world: Table) -> Result<Borders, ScenarioError> {
    let mut table = world.take_table("borders")?;
    world.finish()?;
    let mut borders = Borders::default();
    for (key, border) in [("x", &mut borders.x), ("y", &mut borders.y)] {
        if let Some(field) = table.take(key) {
            *border = match field.text()? {
                "rigid" => Border::Rigid,
                "periodic" => Border::Periodic,
                "open" => Border::Open,
                _ => return Err(field.refuse("\"rigid\", \"periodic\" or \"open\"")),
            };
        }
    }
    table.finish()?;
    Ok(borders)
}

fn read_glyph(field: Field) -> Result<Glyph, ScenarioError> {
    let refused = field.refuse(
        "one of { solid = true }, { open = true }, { pressure = a number }, { strength = above 0 }, or a character",
    );
    let Ok(mut table) = field.table() else { return Err(refused) };
    let mut glyphs = Vec::new();
    for (key, glyph) in [("solid", Glyph::Solid), ("open", Glyph::Open(0.0))] {
        if let Some(field) = table.take(key) {
            if !field.boolean()? {
                return Err(refused);
            }
            glyphs.push(glyph);
        }
    }
    for (key, glyph) in [("pressure", Glyph::Open as fn(f32) -> Glyph), ("strength", Glyph::Wall)] {
        if let Some(field) = table.take(key) {
            let value = field.number()? as f32;
            if value.abs() > PRESSURE_LIMIT || key == "strength" && value <= 0.0 {
                return Err(refused);
            }
            glyphs.push(glyph(value));
        }
    }
    table.finish()?;
    match glyphs[..] {
        [glyph] => Ok(glyph),
        _ => Err(refused),
    }
}

/// By index; see [`ExplosionSubject::measure`].
const QUANTITIES: &[Quantity] = &[
    Quantity { name: "pressure", is_flag: false },
    Quantity { name: "flow", is_flag: false },
    Quantity { name: "flow_x", is_flag: false },
    Quantity { name: "flow_y", is_flag: false },
    Quantity { name: "exposure", is_flag: false },
    Quantity { name: "solid", is_flag: true },
];

impl Setup for ExplosionSetup {
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
        let world = BlastWorld::with_bounds(self.rules, place.region(drawing), self.borders);
        let mut subject = ExplosionSubject {
            world: world.map_err(|error| error.to_string())?,
            legend: self.legend.clone(),
            place,
            nowhere: BTreeSet::new(),
        };
        for cell in drawing.region().positions() {
            match drawing.at(cell) {
                Some(character) if character != NOWHERE => subject.write(&[cell], character)?,
                _ => {
                    subject.nowhere.insert(cell.to_array());
                    subject.world.set_solid(place.cell(cell)).map_err(|error| error.to_string())?;
                }
            }
        }
        Ok(Box::new(subject))
    }
}

struct ExplosionSubject {
    world: BlastWorld<Sheet>,
    legend: BTreeMap<char, Glyph>,
    place: SheetPlace,
    /// Drawn cells that are not part of the world.
    nowhere: BTreeSet<[i32; 3]>,
}

impl Subject for ExplosionSubject {
    fn write(&mut self, cells: &[IVec3], with: char) -> Result<(), String> {
        let glyph = *self.legend.get(&with).ok_or("the character has no meaning")?;
        let world = &mut self.world;
        let mut write = |cell: IVec3| -> Result<(), EditError> {
            match glyph {
                Glyph::Solid => world.set_solid(cell).map(|_| ()),
                Glyph::Wall(strength) => world.set_wall(cell, strength).map(|_| ()),
                Glyph::Open(pressure) => {
                    world.clear_solid(cell)?;
                    world.set_pressure(cell, pressure).map(|_| ())
                }
            }
        };
        cells
            .iter()
            .try_for_each(|&cell| write(self.place.cell(cell)))
            .map_err(|error| error.to_string())
    }

    fn step(&mut self) -> Stepped {
        let report = self.world.step();
        Stepped { visited: report.visited, moved: report.moved }
    }

    fn active_cells(&self) -> usize {
        self.world.awake_cells()
    }

    fn count(&self) -> f64 {
        self.world.total()
    }

    fn account(&self) -> Account {
        let ledger = self.world.ledger();
        Account {
            entries: vec![
                ("placed", ledger.placed),
                ("removed", ledger.removed),
                ("left", ledger.left),
                ("absorbed", ledger.absorbed),
            ],
            total: ledger.total(),
            injected: 0.0,
            drained: ledger.left,
        }
    }

    fn is_balanced(&self) -> bool {
        self.world.is_balanced()
    }

    fn value(&self, cell: IVec3) -> f64 {
        let there = self.place.cell(cell);
        if self.nowhere.contains(&cell.to_array()) || !self.world.bounds().contains(there) {
            return -2.0;
        }
        if self.world.is_solid(there) { -1.0 } else { f64::from(self.world.pressure(there)) }
    }

    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64> {
        let there = self.place.cell(cell);
        let is_solid = self.world.is_solid(there);
        if self.nowhere.contains(&cell.to_array()) || is_solid && quantity != 5 {
            return None;
        }
        let flow = self.world.flow(there);
        match quantity {
            0 => Some(f64::from(self.world.pressure(there))),
            1 => Some(flow.length()),
            2 => Some(flow.x),
            3 => Some(flow.y),
            4 => Some(self.world.exposure(there)),
            5 => Some(if is_solid { 1.0 } else { 0.0 }),
            _ => None,
        }
    }

    fn capacity(&self) -> f64 {
        f64::from(CHARGE)
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    fn validate(&self) -> Result<(), String> {
        self.world.validate().map_err(|violation| violation.to_string())
    }
}
