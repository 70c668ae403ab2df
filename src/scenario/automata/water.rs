//! Scenarios of three-dimensional water.

use super::picture::{Layout, Picture};
use super::subject::{Account, Plan, Quantity, Refusal, ScenarioWorld, Setup, sum_of};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Shape};
use crate::scenario::error::{Problem, ScenarioError};
use crate::scenario::parse::drawing::Drawing;
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use crate::water::{Edge, FULL, Rules, Voxel, WaterCell, WaterWorld};
use glam::IVec3;
use std::collections::BTreeMap;

/// The meaning of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glyph {
    Solid,
    /// Open, with water of this height.
    Open(u8),
    Source,
    Sea,
}

/// The part of a file about water, without the legend.
#[derive(Debug)]
pub(crate) struct WaterRules {
    pub(super) rules: Rules,
    /// Chunk positions that are not loaded at the start, with the lines that name them.
    unloaded: Vec<(ChunkPos, usize)>,
}

/// Reads `[rules]`, `[legend]`, and the rest of `[world]`.
pub(super) fn read(
    rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let mut rules = WaterRules::of(read_rules(rules)?);
    let legend = legend::read(legend, default_legend(), read_glyph)?;
    rules.read_world(world)?;
    Ok(Box::new(Plan::<WaterWorld> { rules, legend }))
}

/// Reads rules. Films evaporate as other water does, unless the file sets `film_evaporation`.
pub(super) fn read_rules(table: Table) -> Result<Rules, ScenarioError> {
    let (all, films) = (table.has("evaporation"), table.has("film_evaporation"));
    let mut rules = table.clone().read_over(Rules::default())?;
    if all && !films {
        rules.film_evaporation = rules.evaporation;
    }
    rules.check().map_err(|error| table.refuse_rule(error))?;
    Ok(rules)
}

fn default_legend() -> BTreeMap<char, Glyph> {
    let mut legend = BTreeMap::from([
        ('#', Glyph::Solid),
        ('.', Glyph::Open(0)),
        ('S', Glyph::Source),
        ('=', Glyph::Sea),
    ]);
    legend.extend(('1'..='7').zip(1..).map(|(character, height)| (character, Glyph::Open(height))));
    legend.insert('~', Glyph::Open(FULL));
    legend
}

fn read_glyph(field: Field) -> Result<Glyph, ScenarioError> {
    let wanted = "one of { solid = true }, { open = true }, { source = true }, { sea = true }, \
                  { water = 0 to 7 }, or a character";
    legend::read_one_of(
        field,
        wanted,
        &[
            ("solid", Glyph::Solid),
            ("open", Glyph::Open(0)),
            ("source", Glyph::Source),
            ("sea", Glyph::Sea),
        ],
        &[("water", |field| Ok(Some(Glyph::Open(field.whole(0, i64::from(FULL))? as u8))))],
    )
}

fn read_edge(field: &Field) -> Result<Edge, ScenarioError> {
    if !field.is_text() {
        let all = i64::from(i32::MIN)..=i64::from(i32::MAX);
        return Ok(Edge::Level(field.whole(*all.start(), *all.end())? as i32));
    }
    match field.text()? {
        "wall" => Ok(Edge::Wall),
        "drain" => Ok(Edge::Drain),
        "held" => Ok(Edge::Held),
        _ => Err(field.refuse("\"wall\", \"drain\", \"held\" or the y of a level")),
    }
}

impl WaterRules {
    /// Returns rules with all chunks loaded.
    pub(super) fn of(rules: Rules) -> WaterRules {
        WaterRules { rules, unloaded: Vec::new() }
    }

    /// Returns whether a chunk is loaded at the start.
    pub(super) fn is_loaded(&self, chunk: ChunkPos) -> bool {
        !self.unloaded.iter().any(|&(unloaded, _)| unloaded == chunk)
    }

    /// Refuses unloaded chunks that the drawing does not touch.
    pub(super) fn check(&self, drawing: &Drawing) -> Result<(), ScenarioError> {
        let chunks = drawing.chunks();
        let drawn = |chunk| chunks.is_some_and(|chunks| chunks.contains(chunk));
        match self.unloaded.iter().find(|&&(chunk, _)| !drawn(chunk)) {
            Some(&(chunk, line)) => Err(Problem::ChunkOutOfDrawing { chunk }.at_line(line)),
            None => Ok(()),
        }
    }

    pub(super) fn read_world(&mut self, mut table: Table) -> Result<(), ScenarioError> {
        let edges = &mut self.rules.edges;
        if let Some(field) = table.take("edges") {
            for face in Face::LATERAL {
                *edges = edges.with(face, read_edge(&field)?);
            }
        }
        let faces = [
            ("floor", Face::Down),
            ("ceiling", Face::Up),
            ("west", Face::West),
            ("east", Face::East),
            ("north", Face::North),
            ("south", Face::South),
        ];
        for (key, face) in faces {
            if let Some(field) = table.take(key) {
                *edges = edges.with(face, read_edge(&field)?);
            }
        }
        if let Some(field) = table.take("unloaded_edge") {
            edges.unloaded = read_edge(&field)?;
        }
        if let Some(field) = table.take("unloaded") {
            for chunk in field.list()? {
                self.unloaded.push((chunk.cell()?.into(), chunk.line));
            }
        }
        table.finish()
    }
}

impl ScenarioWorld for WaterWorld {
    type Rules = WaterRules;
    type Glyph = Glyph;

    const LAYOUT: Layout = Layout::Volume;
    const QUANTITIES: &'static [Quantity] = &[
        Quantity { name: "height", is_flag: false },
        Quantity { name: "current", is_flag: false },
        Quantity { name: "flow", is_flag: true },
        Quantity { name: "has_source", is_flag: true },
        Quantity { name: "flow_out", is_flag: true },
        Quantity { name: "falls", is_flag: true },
    ];
    const VALUES_NAME: &'static str = "heights";

    fn check(rules: &WaterRules, drawing: &Drawing) -> Result<(), ScenarioError> {
        rules.check(drawing)
    }

    fn start(rules: &WaterRules, seed: u64, picture: &Picture<'_, Glyph>) -> Result<Self, Refusal> {
        let mut world = WaterWorld::with_bounds(seed, rules.rules, picture.bounds())?;
        for chunk in picture.chunk_positions::<Cube>().positions() {
            if rules.is_loaded(chunk) {
                world.load(chunk, picture)?;
            }
        }
        Ok(world)
    }

    /// Loads a chunk as it is drawn. Cells that are not part of the drawn world become solid.
    fn load(&mut self, chunk: ChunkPos, picture: &Picture<'_, Glyph>) -> Result<(), Refusal> {
        let mut voxels = [Voxel::OPEN; CHUNK_CELLS];
        let mut sources = Vec::new();
        for (index, voxel) in voxels.iter_mut().enumerate() {
            let cell = Cube::cell_at(chunk, index);
            if !self.bounds().contains(cell) {
                continue;
            }
            match picture.glyph(cell) {
                None | Some(Glyph::Solid) => *voxel = Voxel::SOLID,
                Some(Glyph::Open(height)) => *voxel = WaterCell::with_height(height)?.into(),
                Some(Glyph::Source) => sources.push(cell),
                Some(Glyph::Sea) => *voxel = Voxel::SEA,
            }
        }
        self.insert_chunk(chunk, Chunk::from_cells(&voxels))?;
        for cell in sources {
            self.add_source(cell)?;
        }
        Ok(())
    }

    fn write(&mut self, cell: IVec3, glyph: Glyph) -> Result<(), Refusal> {
        if glyph == Glyph::Solid {
            self.set_solid(cell)?;
            return Ok(());
        }
        if glyph == Glyph::Sea {
            self.set_sea(cell)?;
            return Ok(());
        }
        self.clear_solid(cell)?;
        self.clear_sea(cell)?;
        match glyph {
            Glyph::Source => _ = self.add_source(cell)?,
            Glyph::Open(height) => {
                self.remove_source(cell)?;
                let before = self.units(cell);
                self.scoop(cell, u32::from(before.saturating_sub(height)))?;
                self.pour(cell, u32::from(height.saturating_sub(before)))?;
            }
            Glyph::Solid | Glyph::Sea => {}
        }
        Ok(())
    }

    fn count(&self) -> f64 {
        let height = |voxel: Voxel| voxel.cell().map_or(0, |cell| u64::from(cell.height()));
        self.chunks().map(|(_, chunk)| sum_of(&chunk, height)).sum::<u64>() as f64
    }

    fn account(&self) -> Account {
        let ledger = self.ledger();
        let mut entries = vec![
            ("injected", ledger.injected as f64),
            ("placed", ledger.placed as f64),
            ("removed", ledger.removed as f64),
            ("drained", ledger.drained as f64),
            ("evaporated", ledger.evaporated as f64),
        ];
        if ledger.from_sea + ledger.into_sea > 0 {
            entries.push(("from the sea", ledger.from_sea as f64));
            entries.push(("into the sea", ledger.into_sea as f64));
        }
        Account {
            entries,
            total: ledger.total() as f64,
            injected: ledger.injected as f64,
            drained: ledger.drained as f64,
        }
    }

    fn value(&self, cell: IVec3) -> Option<f64> {
        match self.voxel(cell)? {
            Voxel::SOLID => Some(-1.0),
            _ => Some(f64::from(self.units(cell))),
        }
    }

    fn measure(&self, quantity: usize, at: IVec3) -> Option<f64> {
        if self.is_sea(at) {
            return Some(if quantity == 0 { f64::from(FULL) } else { 0.0 });
        }
        let cell = self.cell(at)?;
        let flag = |yes: bool| Some(f64::from(u8::from(yes)));
        match quantity {
            0 => Some(f64::from(cell.height())),
            1 => Some(f64::from(self.current(at).abs().element_sum())),
            2 => flag(cell.active() > 0 && (cell.direction().is_some() || cell.is_source())),
            3 => flag(cell.has_source()),
            4 => flag(cell.has_flow_out()),
            5 => flag(self.current(at).y < 0),
            _ => None,
        }
    }

    fn capacity(&self) -> f64 {
        f64::from(FULL)
    }
}
