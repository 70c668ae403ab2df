//! Scenarios of explosions.

use super::picture::{Layout, Picture};
use super::subject::{Account, Plan, Quantity, Refusal, ScenarioWorld, Setup};
use crate::blast::{BlastWorld, Border, Borders, PRESSURE_LIMIT, Rule, Rules};
use crate::coords::Sheet;
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use glam::IVec3;
use std::collections::BTreeMap;

/// The number of links of a cell in a sheet.
const LINKS: f64 = 4.0;

/// The pressure of the default charge.
const CHARGE: f32 = 300.0;

/// The meaning of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Glyph {
    Solid,
    /// Solid until a difference of pressure exceeds this strength.
    Wall(f32),
    /// Open, at this pressure.
    Open(f32),
}

/// Reads `[rules]`, `[legend]`, and the borders from `[world]`.
pub(super) fn read(
    rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let default =
        BTreeMap::from([('#', Glyph::Solid), ('.', Glyph::Open(0.0)), ('@', Glyph::Open(CHARGE))]);
    let rules = (read_rules(rules, Rules::default())?, read_borders(world)?);
    let legend = legend::read(legend, default, read_glyph)?;
    Ok(Box::new(Plan::<BlastWorld<Sheet>> { rules, legend }))
}

/// Reads rules; fields missing from the table keep their values in `rules`.
pub(super) fn read_rules(mut table: Table, mut rules: Rules) -> Result<Rules, ScenarioError> {
    if let Some(field) = table.take("rule") {
        rules.rule = match field.text()? {
            "diffusive" => Rules::default().rule,
            "wave" => Rule::Wave { coefficient: 0.25, damping: 0.98 },
            _ => return Err(field.refuse("\"diffusive\" or \"wave\"")),
        };
    }
    let named = table.clone();
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
        }
    }
    table.finish()?;
    rules.check(LINKS).map_err(|error| named.refuse_rule(error))?;
    Ok(rules)
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
    let wanted = "one of { solid = true }, { open = true }, { pressure = a number }, \
                  { strength = above 0 }, or a character";
    legend::read_one_of(
        field,
        wanted,
        &[("solid", Glyph::Solid), ("open", Glyph::Open(0.0))],
        &[
            ("pressure", |field| Ok(pressure(field)?.map(Glyph::Open))),
            ("strength", |field| {
                Ok(pressure(field)?.filter(|&value| value > 0.0).map(Glyph::Wall))
            }),
        ],
    )
}

/// Reads a pressure; returns `None` if it is beyond the limit.
fn pressure(field: &Field) -> Result<Option<f32>, ScenarioError> {
    let value = field.number()? as f32;
    Ok((value.abs() <= PRESSURE_LIMIT).then_some(value))
}

impl ScenarioWorld for BlastWorld<Sheet> {
    type Rules = (Rules, Borders);
    type Glyph = Glyph;

    const LAYOUT: Layout = Layout::SheetUpward;
    const QUANTITIES: &'static [Quantity] = &[
        Quantity { name: "pressure", is_flag: false },
        Quantity { name: "flow", is_flag: false },
        Quantity { name: "flow_x", is_flag: false },
        Quantity { name: "flow_y", is_flag: false },
        Quantity { name: "exposure", is_flag: false },
        Quantity { name: "solid", is_flag: true },
    ];

    fn start(
        &(rules, borders): &(Rules, Borders),
        _seed: u64,
        picture: &Picture<'_, Glyph>,
    ) -> Result<Self, Refusal> {
        let mut world = BlastWorld::with_bounds(rules, picture.bounds(), borders)?;
        for cell in picture.bounds().positions() {
            ScenarioWorld::write(&mut world, cell, picture.glyph(cell).unwrap_or(Glyph::Solid))?;
        }
        Ok(world)
    }

    fn write(&mut self, cell: IVec3, glyph: Glyph) -> Result<(), Refusal> {
        match glyph {
            Glyph::Solid => _ = self.set_solid(cell)?,
            Glyph::Wall(strength) => _ = self.set_wall(cell, strength)?,
            Glyph::Open(pressure) => {
                self.clear_solid(cell)?;
                self.set_pressure(cell, pressure)?;
            }
        }
        Ok(())
    }

    fn count(&self) -> f64 {
        self.total()
    }

    fn account(&self) -> Account {
        let ledger = self.ledger();
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

    fn balances(&self) -> bool {
        self.is_balanced()
    }

    fn value(&self, cell: IVec3) -> Option<f64> {
        Some(if self.is_solid(cell) { -1.0 } else { f64::from(self.pressure(cell)) })
    }

    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64> {
        let is_solid = self.is_solid(cell);
        if is_solid && quantity != 5 {
            return None;
        }
        let flow = self.flow(cell);
        match quantity {
            0 => Some(f64::from(self.pressure(cell))),
            1 => Some(flow.length()),
            2 => Some(flow.x),
            3 => Some(flow.y),
            4 => Some(self.exposure(cell)),
            5 => Some(f64::from(u8::from(is_solid))),
            _ => None,
        }
    }

    fn capacity(&self) -> f64 {
        f64::from(CHARGE)
    }
}
