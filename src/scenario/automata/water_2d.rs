//! Scenarios of two-dimensional water: its rules, legend, and the world under test.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Shape, Sheet};
use crate::scenario::automata::sheet::{Rows, SheetPlace, check_one_layer};
use crate::scenario::automata::subject::{Account, Quantity, Setup, Stepped, Subject};
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::{Drawing, NOWHERE};
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use crate::water2d::{Cell, EditError, FULL, MAX_LEVEL, Rule, Rules, Water2dWorld};
use glam::IVec3;
use std::collections::{BTreeMap, HashSet};

/// The level of `@`.
const CHARGE: u32 = 500;

#[derive(Debug)]
struct Water2dSetup {
    rules: Rules,
    legend: BTreeMap<char, Cell>,
}

/// Reads what a file says of 2D water: `[rules]`, `[legend]`, and what is left of `[world]`.
pub(crate) fn read(
    rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let setup = Water2dSetup {
        rules: read_rules(rules)?,
        legend: legend::read(legend, default_legend(), read_glyph)?,
    };
    read_world(world)?;
    Ok(Box::new(setup))
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
    if let Some(field) = table.take("pressure_flow") {
        rules.pressure_flow = field.whole(1, i64::from(FULL))? as u32;
    }
    table.finish()?;
    Ok(rules)
}

fn default_legend() -> BTreeMap<char, Cell> {
    let mut legend = BTreeMap::from([('#', Cell::SOLID), ('.', Cell::AIR)]);
    let water = [('~', FULL), ('@', CHARGE)].into_iter().chain(('1'..='7').zip(1..));
    legend
        .extend(water.filter_map(|(character, level)| Some((character, Cell::water(level).ok()?))));
    legend
}

fn read_glyph(field: Field) -> Result<Cell, ScenarioError> {
    let wanted = format!(
        "one of {{ solid = true }}, {{ open = true }}, {{ water = 0 to {MAX_LEVEL} }}, or a character"
    );
    let refused = field.refuse(wanted);
    let Ok(mut table) = field.table() else { return Err(refused) };
    let mut glyph = None;
    for (key, meaning) in [("solid", Cell::SOLID), ("open", Cell::AIR)] {
        if let Some(field) = table.take(key)
            && (!field.boolean()? || glyph.replace(meaning).is_some())
        {
            return Err(refused);
        }
    }
    if let Some(field) = table.take("water") {
        let level = field.whole(0, i64::from(MAX_LEVEL))? as u32;
        let Ok(water) = Cell::water(level) else { return Err(refused) };
        if glyph.replace(water).is_some() {
            return Err(refused);
        }
    }
    table.finish()?;
    glyph.ok_or(refused)
}

/// The world of 2D water ends at walls; a file may say so.
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

const QUANTITIES: &[Quantity] = &[Quantity { name: "water", is_flag: false }];

impl Setup for Water2dSetup {
    fn knows(&self, character: char) -> bool {
        character == NOWHERE || self.legend.contains_key(&character)
    }

    fn quantities(&self) -> &'static [Quantity] {
        QUANTITIES
    }

    fn column(&self, drawing: &Drawing, cell: IVec3) -> ([i32; 2], i32) {
        ([cell.x, 0], drawing.region().max().z - cell.z)
    }

    fn check(&self, drawing: &Drawing) -> Result<(), ScenarioError> {
        check_one_layer(drawing)
    }

    fn start(&self, seed: u64, drawing: &Drawing) -> Result<Box<dyn Subject>, String> {
        let place = SheetPlace::new(drawing, Rows::Downward);
        let bounds = place.region(drawing);
        let mut world = Water2dWorld::with_bounds(seed, self.rules, bounds)
            .map_err(|error| error.to_string())?;
        let mut drawn = BTreeMap::<[i32; 2], Box<[Cell; CHUNK_CELLS]>>::new();
        let mut nowhere = HashSet::new();
        for cell in drawing.region().positions() {
            let at = place.cell(cell);
            let chunk = Sheet::chunk_of(at);
            let cells = drawn
                .entry([chunk.x, chunk.y])
                .or_insert_with(|| Box::new([Cell::SOLID; CHUNK_CELLS]));
            let character = drawing.at(cell).unwrap_or(NOWHERE);
            match self.legend.get(&character) {
                Some(&glyph) => cells[Sheet::index_of(at)] = glyph,
                None => drop(nowhere.insert(cell)),
            }
        }
        let chunks =
            drawn.iter().map(|(&[x, y], cells)| (IVec3::new(x, y, 0), Chunk::from_cells(cells)));
        world.insert_chunks(chunks).map_err(|error| error.to_string())?;
        Ok(Box::new(Water2dSubject { world, legend: self.legend.clone(), place, nowhere }))
    }
}

struct Water2dSubject {
    world: Water2dWorld,
    legend: BTreeMap<char, Cell>,
    place: SheetPlace,
    /// Drawn cells that are not part of the world; they are solid in it.
    nowhere: HashSet<IVec3>,
}

impl Water2dSubject {
    fn write_cell(&mut self, at: IVec3, glyph: Cell) -> Result<(), EditError> {
        if glyph.is_solid() {
            return self.world.set_solid(at).map(drop);
        }
        self.world.clear_solid(at)?;
        let stands = self.world.level(at);
        self.world.scoop(at, stands.saturating_sub(glyph.level()))?;
        self.world.pour(at, glyph.level().saturating_sub(stands))?;
        Ok(())
    }
}

impl Subject for Water2dSubject {
    fn write(&mut self, cells: &[IVec3], with: char) -> Result<(), String> {
        let glyph = *self.legend.get(&with).ok_or("the character has no meaning")?;
        for &cell in cells {
            self.write_cell(self.place.cell(cell), glyph).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn step(&mut self) -> Stepped {
        let report = self.world.step();
        Stepped { visited: report.visited, moved: report.moved }
    }

    fn active_cells(&self) -> usize {
        self.world.awake_cells()
    }

    fn count(&self) -> f64 {
        let units = |chunk: &Chunk<Cell>| match chunk.as_dense() {
            Some(cells) => cells.iter().map(|cell| u64::from(cell.level())).sum(),
            None => u64::from(chunk.get(0).level()) * CHUNK_CELLS as u64,
        };
        self.world.chunks().map(|(_, chunk)| units(chunk)).sum::<u64>() as f64
    }

    fn account(&self) -> Account {
        let ledger = self.world.ledger();
        Account {
            entries: vec![("placed", ledger.placed as f64), ("removed", ledger.removed as f64)],
            total: ledger.total() as f64,
            injected: 0.0,
            drained: 0.0,
        }
    }

    fn value(&self, cell: IVec3) -> f64 {
        match self.world.cell(self.place.cell(cell)) {
            Some(there) if !self.nowhere.contains(&cell) => {
                if there.is_solid() {
                    -1.0
                } else {
                    f64::from(there.level())
                }
            }
            _ => -2.0,
        }
    }

    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64> {
        let there = self.world.cell(self.place.cell(cell)).filter(|there| !there.is_solid())?;
        (quantity == 0).then(|| f64::from(there.level()))
    }

    fn capacity(&self) -> f64 {
        f64::from(FULL)
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    fn validate(&self) -> Result<(), String> {
        self.world.validate().map_err(|violation| violation.to_string())
    }
}
