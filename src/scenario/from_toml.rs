//! Reads the text of a file as a [`Scenario`].

use crate::coords::ChunkPos;
use crate::scenario::automata::reader_of;
use crate::scenario::automata::subject::Setup;
use crate::scenario::error::{Problem, ScenarioError};
use crate::scenario::expect::{Context, Expect};
use crate::scenario::parse::drawing::{Drawing, NOWHERE, View};
use crate::scenario::parse::tree::{Field, Source, Table};
use crate::scenario::{Action, Edit, Scenario};
use glam::IVec3;

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// The file deviates from the format or does not fit its drawing; the error has the line.
    ///
    /// ```
    /// use floodplain::scenario::Scenario;
    /// let error = Scenario::from_toml("automaton = \"water\"\nticks = 9\ntick = 9").unwrap_err();
    /// assert_eq!((error.line, error.to_string().as_str()), (3, "unknown key `tick`"));
    /// ```
    pub fn from_toml(text: &str) -> Result<Scenario, ScenarioError> {
        let source = Source::of(text);
        let mut file = source.read()?;
        let automaton = file.need("automaton")?;
        let read_setup = reader_of(&automaton)?;
        let seed =
            file.take("seed").map_or(Ok(0), |field| field.whole(0, i64::MAX))?.unsigned_abs();
        let ticks = file.need("ticks")?.whole(0, i64::MAX)?.unsigned_abs();
        let record = read_record(file.take("record"), ticks)?;
        let (rules, legend) = (file.take_table("rules")?, file.take_table("legend")?);
        let mut world = file.take_table("world")?;
        world.take_from(&mut file, "borders")?;
        let slices = file.take_tables("slice")?;
        let layers = file.take_tables("layer")?;
        let edits = file.take_tables("edit")?;
        let expect = file.take_table("expect")?;
        let missing = Problem::MissingKey { key: "layer", table: String::new() }.at_line(file.line);
        file.finish()?;

        let mut drawing = match (layers.first(), slices.first()) {
            (Some(_), Some(slice)) => {
                let table = "a file with [[layer]]".to_owned();
                let unknown = Problem::UnknownKey { key: "slice".to_owned(), table };
                return Err(unknown.at_line(slice.line));
            }
            (None, Some(_)) => Drawing::read(slices, View::Side, missing)?,
            _ => Drawing::read(layers, View::Above, missing)?,
        };
        if let Some(field) = world.take("offset") {
            drawing.offset = field.cell()?;
            if drawing.region_at(drawing.offset).is_none() {
                return Err(field.refuse("an offset that keeps the drawing in the i32 range"));
            }
        }
        let setup = read_setup(rules, legend, world)?;
        if let Some((character, line)) = drawing
            .characters()
            .filter(|&(character, _)| !setup.knows(character))
            .min_by_key(|&(_, line)| line)
        {
            return Err(Problem::UnknownCharacter { character }.at_line(line));
        }
        setup.check(&drawing)?;

        let edits = read_edits(edits, &drawing, setup.as_ref(), ticks)?;
        let context = Context { drawing: &drawing, setup: setup.as_ref(), ticks };
        let expect = Expect::read(expect, context)?;
        let automaton = automaton.text()?.to_owned();
        Ok(Scenario { automaton, seed, ticks, record, drawing, setup, edits, expect })
    }

    /// Returns the scenario with its drawing elsewhere in the world: cell (0, 0, 0) of the drawing
    /// at `offset`.
    ///
    /// # Errors
    /// The drawing would leave the `i32` range, or would no longer touch a chunk that the file
    /// lists as unloaded.
    pub fn at_offset(mut self, offset: IVec3) -> Result<Scenario, ScenarioError> {
        if self.drawing.region_at(offset).is_none() {
            let message = format!("at {offset} the drawing leaves the i32 range");
            return Err(ScenarioError::of_world(message));
        }
        self.drawing.offset = offset;
        self.setup.check(&self.drawing)?;
        Ok(self)
    }
}

fn read_record(field: Option<Field>, ticks: u64) -> Result<Vec<u64>, ScenarioError> {
    let Some(field) = field else { return Ok(Vec::new()) };
    let tick = |field: &Field| Ok(field.whole(0, ticks as i64)?.unsigned_abs());
    let mut record = field.list()?.iter().map(tick).collect::<Result<Vec<u64>, _>>()?;
    record.sort_unstable();
    record.dedup();
    Ok(record)
}

fn read_edits(
    tables: Vec<Table>,
    drawing: &Drawing,
    setup: &dyn Setup,
    ticks: u64,
) -> Result<Vec<Edit>, ScenarioError> {
    let mut edits = Vec::new();
    for mut table in tables {
        let line = table.line;
        let at = table.need("at")?.whole(1, ticks as i64)?.unsigned_abs();
        let action = match table.take("load") {
            Some(field) => read_load(&field, drawing)?,
            None => read_write(&mut table, drawing, setup)?,
        };
        table.finish()?;
        edits.push(Edit { line, at, action });
    }
    edits.sort_by_key(|edit| edit.at);
    Ok(edits)
}

fn read_load(field: &Field, drawing: &Drawing) -> Result<Action, ScenarioError> {
    let chunk = ChunkPos::from(field.cell()?);
    if !drawing.chunks().is_some_and(|chunks| chunks.contains(chunk)) {
        return Err(Problem::ChunkOutOfDrawing { chunk }.at_line(field.line));
    }
    Ok(Action::Load(chunk))
}

fn read_write(
    table: &mut Table,
    drawing: &Drawing,
    setup: &dyn Setup,
) -> Result<Action, ScenarioError> {
    let line = table.line;
    let field = table.need("with")?;
    let with = field.character()?;
    if !setup.knows(with) {
        return Err(Problem::UnknownCharacter { character: with }.at_line(field.line));
    }
    if with == NOWHERE {
        return Err(field.refuse("part of the world"));
    }
    let Some(cells) = drawing.take_cells(table)? else {
        let table = "[[edit]]".to_owned();
        return Err(Problem::MissingKey { key: "from", table }.at_line(line));
    };
    match cells.iter().find(|&&cell| drawing.at(cell) == Some(NOWHERE)) {
        Some(&cell) => Err(Problem::OutOfDrawing { cell }.at_line(line)),
        None => Ok(Action::Write { cells, with }),
    }
}
