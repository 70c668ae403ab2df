//! Scenarios of two-dimensional water.

use super::picture::{Layout, Picture};
use super::subject::{Account, Plan, Quantity, Refusal, ScenarioWorld, Setup, sum_of};
use crate::coords::Sheet;
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use crate::water2d::{Cell, FULL, MAX_LEVEL, Rule, Rules, Water2dWorld};
use glam::IVec3;
use std::collections::BTreeMap;

/// The level of `@`.
const CHARGE: u32 = 500;

/// Reads `[rules]`, `[legend]`, and the rest of `[world]`.
pub(super) fn read(
    rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let rules = read_rules(rules)?;
    let legend = legend::read(legend, default_legend(), read_glyph)?;
    read_world(world)?;
    Ok(Box::new(Plan::<Water2dWorld> { rules, legend }))
}

fn read_rules(mut table: Table) -> Result<Rules, ScenarioError> {
    let mut rules = Rules::default();
    if let Some(field) = table.take("rule") {
        rules.rule = match field.text()? {
            "literal" => Rule::Literal,
            "settling" => Rule::Settling,
            _ => return Err(field.refuse("\"literal\" or \"settling\"")),
        };
    }
    let named = table.clone();
    let rules = table.read_over(rules)?;
    rules.check().map_err(|error| named.refuse_rule(error))?;
    Ok(rules)
}

fn default_legend() -> BTreeMap<char, Cell> {
    let mut legend = BTreeMap::from([('#', Cell::SOLID), ('.', Cell::AIR)]);
    let water = [('~', FULL), ('@', CHARGE)].into_iter().chain(('1'..='7').zip(1..));
    legend.extend(water.filter_map(|(character, level)| Some((character, Cell::water(level)?))));
    legend
}

fn read_glyph(field: Field) -> Result<Cell, ScenarioError> {
    let wanted = format!(
        "one of {{ solid = true }}, {{ open = true }}, {{ water = 0 to {MAX_LEVEL} }}, \
         or a character"
    );
    legend::read_one_of(
        field,
        &wanted,
        &[("solid", Cell::SOLID), ("open", Cell::AIR)],
        &[("water", |field| Ok(Cell::water(field.whole(0, i64::from(MAX_LEVEL))? as u32)))],
    )
}

/// Reads `[world]`. A world of 2D water ends at walls, so a file may name no other edges.
fn read_world(mut world: Table) -> Result<(), ScenarioError> {
    for key in ["edges", "floor", "ceiling", "west", "east"] {
        if let Some(field) = world.take(key)
            && field.text()? != "wall"
        {
            return Err(field.refuse("\"wall\": nothing drains from 2D water"));
        }
    }
    world.finish()
}

impl ScenarioWorld for Water2dWorld {
    type Rules = Rules;
    type Glyph = Cell;

    const LAYOUT: Layout = Layout::SheetDownward;
    const QUANTITIES: &'static [Quantity] = &[Quantity { name: "water", is_flag: false }];

    fn start(rules: &Rules, seed: u64, picture: &Picture<'_, Cell>) -> Result<Self, Refusal> {
        let mut world = Water2dWorld::with_bounds(seed, *rules, picture.bounds())?;
        world.insert_chunks(picture.chunks::<Sheet>(Cell::SOLID))?;
        Ok(world)
    }

    fn write(&mut self, cell: IVec3, glyph: Cell) -> Result<(), Refusal> {
        if glyph.is_solid() {
            self.set_solid(cell)?;
            return Ok(());
        }
        self.clear_solid(cell)?;
        let before = self.level(cell);
        self.scoop(cell, before.saturating_sub(glyph.level()))?;
        self.pour(cell, glyph.level().saturating_sub(before))?;
        Ok(())
    }

    fn count(&self) -> f64 {
        let level = |cell: Cell| u64::from(cell.level());
        self.chunks().map(|(_, chunk)| sum_of(chunk, level)).sum::<u64>() as f64
    }

    fn account(&self) -> Account {
        let ledger = self.ledger();
        Account {
            entries: vec![("placed", ledger.placed as f64), ("removed", ledger.removed as f64)],
            total: ledger.total() as f64,
            injected: 0.0,
            drained: 0.0,
        }
    }

    fn value(&self, cell: IVec3) -> Option<f64> {
        let cell = self.cell(cell)?;
        Some(if cell.is_solid() { -1.0 } else { f64::from(cell.level()) })
    }

    fn measure(&self, _quantity: usize, cell: IVec3) -> Option<f64> {
        let cell = self.cell(cell).filter(|cell| !cell.is_solid())?;
        Some(f64::from(cell.level()))
    }

    fn capacity(&self) -> f64 {
        f64::from(FULL)
    }
}
