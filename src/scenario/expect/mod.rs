//! `[expect]`: the expectations of a file, read and checked against the drawing. `judge.rs`
//! compares a running world with them.

pub(crate) mod judge;
mod motion;

use crate::scenario::automata::subject::Setup;
use crate::scenario::error::{Problem, ScenarioError};
use crate::scenario::parse::drawing::Drawing;
use crate::scenario::parse::tree::{Field, Table};
use core::fmt;
use glam::IVec3;

/// All expectations of a file, each with its line.
#[derive(Debug, Default)]
pub(crate) struct Expect {
    pub(crate) balanced: Option<usize>,
    pub(crate) at_rest_by: Option<(u64, usize)>,
    pub(crate) total: Option<(Range, usize)>,
    pub(crate) orders: Vec<Order>,
    pub(crate) checks: Vec<Check>,
}

/// `wets` or `fills`: groups of cells in the order in which they must become wet, or full.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) line: usize,
    /// Whether a group counts when all its cells are full; otherwise it counts when any of its
    /// cells is wet.
    pub(crate) full: bool,
    pub(crate) groups: Vec<(String, Vec<IVec3>)>,
}

/// One `[[expect.check]]`: the ranges that must hold for some cells at some ticks.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) name: String,
    /// The first and the last tick of the check.
    pub(crate) when: [u64; 2],
    pub(crate) cells: Vec<IVec3>,
    /// The cells by column, each column from the top down, with the heights of the cells in cells.
    pub(crate) columns: Vec<Vec<(i32, IVec3)>>,
    pub(crate) wants: Vec<Want>,
}

/// One measure of a check, and the range in which it must be.
#[derive(Debug)]
pub(crate) struct Want {
    pub(crate) line: usize,
    /// The measure's name in the file.
    pub(crate) name: &'static str,
    pub(crate) measure: Measure,
    pub(crate) range: Range,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The automaton's quantity with this index, in every cell.
    Cell(usize),
    /// The sum over the cells.
    Total,
    /// The change of the sum in the tick.
    Gain,
    /// The surface of every column.
    Level,
    /// The highest surface minus the lowest.
    Spread,
    AtRest,
    Visited,
    /// The account's entry of this name.
    Entry(&'static str),
    /// Injected minus drained over this many ticks.
    Steady(u64),
    /// The least reach of the wet cells around this cell, as a part of the greatest.
    Round(IVec3),
    /// The highest surface minus the lowest, without columns in which water falls. The quantity
    /// with this index flags cells out of which water falls.
    LevelWhileFlowing(usize),
    /// The mean outflow of the cells in a tick, by the quantity with this index.
    OutflowPerTick(usize),
    /// The outflow of the cells, by the quantity with this index, as a part of the total drained.
    Share(usize),
}

/// The values from `min` to `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) min: f64,
    pub(crate) max: f64,
    is_flag: bool,
}

impl Range {
    pub(crate) fn exactly(value: f64) -> Range {
        Range { min: value, max: value, is_flag: false }
    }

    pub(crate) fn holds(&self, value: f64) -> bool {
        self.min <= value && value <= self.max
    }

    /// Formats a value as a flag or a number, as in this range.
    pub(crate) fn say(&self, value: f64) -> String {
        if self.is_flag { (value != 0.0).to_string() } else { value.to_string() }
    }

    fn read(field: &Field, is_flag: bool) -> Result<Range, ScenarioError> {
        if is_flag {
            let value = if field.boolean()? { 1.0 } else { 0.0 };
            return Ok(Range { min: value, max: value, is_flag });
        }
        let (min, max) = match field.as_list().as_deref() {
            Some([min, max]) => (min.number()?, max.number()?),
            Some(_) => return Err(field.refuse("a number or [least, most]")),
            None => (field.number()?, field.number()?),
        };
        if min > max { Err(field.refuse("[least, most]")) } else { Ok(Range { min, max, is_flag }) }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max {
            f.write_str(&self.say(self.min))
        } else if self.max == f64::INFINITY {
            write!(f, "{} or more", self.min)
        } else {
            write!(f, "{} to {}", self.min, self.max)
        }
    }
}

/// The parts of the file that expectations refer to.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) drawing: &'a Drawing,
    pub(crate) setup: &'a dyn Setup,
    pub(crate) ticks: u64,
}

impl Context<'_> {
    /// Returns the number of a name, if the field holds a name for values of the quantity.
    fn named(&self, quantity: &str, field: &Field) -> Option<f64> {
        self.setup.number_of(quantity, field.text().ok()?)
    }
}

impl Expect {
    pub(crate) fn read(mut table: Table, context: Context<'_>) -> Result<Expect, ScenarioError> {
        let mut expect = Expect::default();
        if let Some(field) = table.take("balanced") {
            if !field.boolean()? {
                return Err(field.refuse("true"));
            }
            expect.balanced = Some(field.line);
        }
        if let Some(field) = table.take("at_rest_by") {
            expect.at_rest_by =
                Some((field.whole(0, context.ticks as i64)?.unsigned_abs(), field.line));
        }
        if let Some(field) = table.take("total") {
            expect.total = Some((Range::read(&field, false)?, field.line));
        }
        for (key, full) in [("wets", false), ("fills", true)] {
            if let Some(field) = table.take(key) {
                expect.orders.push(Order::read(field, full, context.drawing)?);
            }
        }
        for check in table.take_tables("check")? {
            expect.checks.push(Check::read(check, context)?);
        }
        table.finish()?;
        Ok(expect)
    }
}

impl Order {
    fn read(field: Field, full: bool, drawing: &Drawing) -> Result<Order, ScenarioError> {
        let line = field.line;
        let group = |field: Field| Ok((field.text()?.to_owned(), drawing.drawn_with(&field)?));
        let groups = field.list()?.into_iter().map(group).collect::<Result<_, _>>()?;
        Ok(Order { line, full, groups })
    }
}

impl Check {
    fn read(mut table: Table, context: Context<'_>) -> Result<Check, ScenarioError> {
        let name = match table.take("name") {
            Some(field) => field.text()?.to_owned(),
            None => String::new(),
        };
        let when = read_when(table.take("when"), context.ticks)?;
        let cells = match context.drawing.take_cells(&mut table)? {
            Some(cells) => cells,
            None => context.drawing.region().positions().collect(),
        };
        let quantities = context.setup.quantities().iter().enumerate();
        let own = quantities.map(|(index, own)| (own.name, Measure::Cell(index), own.is_flag));
        let common = [
            ("total", Measure::Total, false),
            ("gain", Measure::Gain, false),
            ("level", Measure::Level, false),
            ("spread", Measure::Spread, false),
            ("at_rest", Measure::AtRest, true),
            ("visited", Measure::Visited, false),
        ];
        let counts = context.setup.counts().iter();
        let entries = counts.map(|&name| (name, Measure::Entry(name), false));
        let mut wants = Vec::new();
        for (name, measure, is_flag) in own.chain(common).chain(entries) {
            if let Some(field) = table.take(name) {
                let range = match context.named(name, &field) {
                    Some(number) => Range::exactly(number),
                    None => Range::read(&field, is_flag)?,
                };
                wants.push(Want { line: field.line, name, measure, range });
            }
        }
        if let Some(field) = table.take("steady") {
            let window = field.whole(1, (when[1] - when[0]).max(1) as i64)?.unsigned_abs();
            let (measure, range) = (Measure::Steady(window), Range::exactly(0.0));
            wants.push(Want { line: field.line, name: "steady", measure, range });
        }
        wants.extend(motion_wants(&mut table, when, context)?);
        if wants.is_empty() {
            // Either a key is misspelt, or there is no measure.
            let missing = table.need("height, total, level or another measure");
            table.finish()?;
            return missing.and_then(|field| Err(field.refuse("known")));
        }
        table.finish()?;
        let columns = columns_of(&cells, context);
        Ok(Check { name, when, cells, columns, wants })
    }
}

/// Reads the measures of moving water for which the automaton has the quantities.
fn motion_wants(
    table: &mut Table,
    when: [u64; 2],
    context: Context<'_>,
) -> Result<Vec<Want>, ScenarioError> {
    let index = |name| context.setup.quantities().iter().position(|own| own.name == name);
    let mut wants = Vec::new();
    if let Some(field) = table.take("round") {
        let range = Range { min: field.number()?, max: 1.0, is_flag: false };
        if !(0.0..=1.0).contains(&range.min) {
            return Err(field.refuse("a part of the greatest reach, 0 to 1"));
        }
        let around = table.need("around")?;
        let cell = around.cell()?;
        if !context.drawing.region().contains(cell) {
            return Err(Problem::OutOfDrawing { cell }.at_line(around.line));
        }
        wants.push(Want { line: field.line, name: "round", measure: Measure::Round(cell), range });
    }
    if let Some(falls) = index("falls")
        && let Some(field) = table.take("level_while_flowing")
    {
        let units = field.whole(0, i64::from(i32::MAX))? as f64;
        let (measure, range) =
            (Measure::LevelWhileFlowing(falls), Range { min: 0.0, max: units, is_flag: false });
        wants.push(Want { line: field.line, name: "level_while_flowing", measure, range });
    }
    if let Some(current) = index("current") {
        for (name, measure) in [
            ("outflow_per_tick", Measure::OutflowPerTick(current)),
            ("share", Measure::Share(current)),
        ] {
            let Some(field) = table.take(name) else { continue };
            if when[0] == when[1] {
                return Err(field.refuse("used with `when = [first, last]`"));
            }
            let range = Range::read(&field, false)?;
            wants.push(Want { line: field.line, name, measure, range });
        }
    }
    Ok(wants)
}

/// Reads `"end"` (the default), `"always"`, a tick, or `[first, last]`, where the last can be
/// `"end"`.
fn read_when(field: Option<Field>, ticks: u64) -> Result<[u64; 2], ScenarioError> {
    let Some(field) = field else { return Ok([ticks; 2]) };
    let tick = |field: &Field| match field.is_text() {
        true if field.text()? == "end" => Ok(ticks),
        true => Err(field.refuse("a tick or \"end\"")),
        false => Ok(field.whole(0, ticks as i64)?.unsigned_abs()),
    };
    match field.as_list().as_deref() {
        Some([first, last]) => {
            let when = [tick(first)?, tick(last)?];
            if when[0] > when[1] { Err(field.refuse("[first, last]")) } else { Ok(when) }
        }
        Some(_) => Err(field.refuse("\"end\", \"always\", a tick or [first, last]")),
        None if field.is_text() && field.text()? == "always" => Ok([0, ticks]),
        None => Ok([tick(&field)?; 2]),
    }
}

/// Returns the columns of some cells, each from the top down.
fn columns_of(cells: &[IVec3], context: Context<'_>) -> Vec<Vec<(i32, IVec3)>> {
    let mut sorted: Vec<_> =
        cells.iter().map(|&cell| (context.setup.column(context.drawing, cell), cell)).collect();
    sorted.sort_unstable_by_key(|&((column, height), _)| (column, -i64::from(height)));
    let heights = |column: &[(([i32; 2], i32), IVec3)]| {
        column.iter().map(|&((_, height), cell)| (height, cell)).collect()
    };
    sorted.chunk_by(|((a, _), _), ((b, _), _)| a == b).map(heights).collect()
}
