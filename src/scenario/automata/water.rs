//! Scenarios of three-dimensional water: its rules, legend, edges, and the world under test.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Cube, Face, Region, Shape};
use crate::scenario::automata::subject::{Account, Quantity, Setup, Stepped, Subject};
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::{Drawing, NOWHERE};
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use crate::water::{CellFlags, Edge, FULL, Rules, RulesError, Voxel, WaterCell, WaterWorld};
use glam::IVec3;
use std::collections::BTreeMap;

/// What a character stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Glyph {
    Solid,
    /// Open, with water of this height.
    Open(u8),
    Source,
}

#[derive(Debug)]
struct WaterSetup {
    rules: Rules,
    legend: BTreeMap<char, Glyph>,
    /// Chunk positions that are not loaded at the start, with the lines that name them.
    unloaded: Vec<(IVec3, usize)>,
}

/// Reads what a file says of water: `[rules]`, `[legend]`, and what is left of `[world]`.
pub(crate) fn read(
    rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let mut setup = WaterSetup {
        rules: read_rules(rules)?,
        legend: legend::read(legend, default_legend(), read_glyph)?,
        unloaded: Vec::new(),
    };
    setup.read_world(world)?;
    Ok(Box::new(setup))
}

fn read_rules(mut table: Table) -> Result<Rules, ScenarioError> {
    let mut rules = Rules::default();
    let mut named = Vec::new();
    for (key, value) in
        [("evaporation", &mut rules.evaporation), ("activity_decay", &mut rules.activity_decay)]
    {
        if let Some(field) = table.take(key) {
            *value = field.number()?;
            named.push(field);
        }
    }
    for (key, value) in
        [("source_supply", &mut rules.source_supply), ("throughput", &mut rules.throughput)]
    {
        if let Some(field) = table.take(key) {
            *value = field.whole(0, i64::from(u8::MAX))? as u8;
            named.push(field);
        }
    }
    for (key, value) in [("pools", &mut rules.pools), ("many_parents", &mut rules.many_parents)] {
        if let Some(field) = table.take(key) {
            *value = field.boolean()?;
        }
    }
    table.finish()?;
    rules.check().map_err(|error| refused_rule(&named, error))?;
    Ok(rules)
}

/// Finds the field that a refused rule stands in.
fn refused_rule(named: &[Field], error: RulesError) -> ScenarioError {
    let (rule, wanted) = match error {
        RulesError::Chance { rule, .. } => (rule, "a chance from 0 to 1".to_owned()),
        RulesError::Units { rule, least, .. } => (rule, format!("{least} to 7 units a tick")),
    };
    match named.iter().find(|field| field.key == rule) {
        Some(field) => field.refuse(wanted),
        None => ScenarioError::World { message: error.to_string() },
    }
}

fn default_legend() -> BTreeMap<char, Glyph> {
    let mut legend =
        BTreeMap::from([('#', Glyph::Solid), ('.', Glyph::Open(0)), ('S', Glyph::Source)]);
    legend.extend(('1'..='7').zip(1..).map(|(character, height)| (character, Glyph::Open(height))));
    legend.insert('~', Glyph::Open(FULL));
    legend
}

fn read_glyph(field: Field) -> Result<Glyph, ScenarioError> {
    let wanted = "one of { solid = true }, { open = true }, { source = true }, { water = 0 to 7 }, or a character";
    let refused = field.refuse(wanted);
    let Ok(mut table) = field.table() else { return Err(refused) };
    let mut glyph = None;
    for (key, meaning) in
        [("solid", Glyph::Solid), ("open", Glyph::Open(0)), ("source", Glyph::Source)]
    {
        if let Some(field) = table.take(key)
            && (!field.boolean()? || glyph.replace(meaning).is_some())
        {
            return Err(refused);
        }
    }
    if let Some(field) = table.take("water") {
        let height = field.whole(0, i64::from(FULL))? as u8;
        if glyph.replace(Glyph::Open(height)).is_some() {
            return Err(refused);
        }
    }
    table.finish()?;
    glyph.ok_or(refused)
}

fn read_edge(field: &Field) -> Result<Edge, ScenarioError> {
    match field.text()? {
        "wall" => Ok(Edge::Wall),
        "drain" => Ok(Edge::Drain),
        "held" => Ok(Edge::Held),
        _ => Err(field.refuse("\"wall\", \"drain\" or \"held\"")),
    }
}

impl WaterSetup {
    fn read_world(&mut self, mut table: Table) -> Result<(), ScenarioError> {
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
                self.unloaded.push((chunk.cell()?, chunk.line));
            }
        }
        table.finish()
    }
}

/// By index; see [`WaterSubject::measure`].
const QUANTITIES: &[Quantity] = &[
    Quantity { name: "height", is_flag: false },
    Quantity { name: "current", is_flag: false },
    Quantity { name: "flow", is_flag: true },
    Quantity { name: "has_source", is_flag: true },
    Quantity { name: "flow_out", is_flag: true },
];

impl Setup for WaterSetup {
    fn knows(&self, character: char) -> bool {
        character == NOWHERE || self.legend.contains_key(&character)
    }

    fn quantities(&self) -> &'static [Quantity] {
        QUANTITIES
    }

    fn check(&self, drawing: &Drawing) -> Result<(), ScenarioError> {
        let chunks = drawing.chunks();
        let drawn = |chunk| chunks.is_some_and(|chunks| chunks.contains(chunk));
        match self.unloaded.iter().find(|&&(chunk, _)| !drawn(chunk)) {
            Some(&(chunk, line)) => Err(ScenarioError::ChunkOutOfDrawing { line, chunk }),
            None => Ok(()),
        }
    }

    fn start(&self, seed: u64, drawing: &Drawing) -> Result<Box<dyn Subject>, String> {
        let bounds =
            drawing.region_at(drawing.offset).ok_or("the offset leaves the range of cells")?;
        let world =
            WaterWorld::with_bounds(seed, self.rules, bounds).map_err(|error| error.to_string())?;
        let cells = drawing.region().positions();
        let glyphs = cells.map(|cell| self.glyph(drawing, cell)).collect();
        let mut subject = WaterSubject {
            world,
            legend: self.legend.clone(),
            region: drawing.region(),
            offset: drawing.offset,
            glyphs,
        };
        for chunk in drawing.chunks().into_iter().flat_map(Region::positions) {
            if !self.unloaded.iter().any(|&(unloaded, _)| unloaded == chunk) {
                subject.load(chunk)?;
            }
        }
        Ok(Box::new(subject))
    }
}

impl WaterSetup {
    /// What is drawn in a cell; `None` if it is not part of the world.
    fn glyph(&self, drawing: &Drawing, cell: IVec3) -> Option<Glyph> {
        self.legend.get(&drawing.at(cell)?).copied()
    }
}

struct WaterSubject {
    world: WaterWorld,
    legend: BTreeMap<char, Glyph>,
    region: Region,
    offset: IVec3,
    /// What is drawn, in the order of the region's positions. Cells that are not part of the world
    /// are solid in it.
    glyphs: Vec<Option<Glyph>>,
}

impl WaterSubject {
    fn drawn(&self, cell: IVec3) -> Option<Glyph> {
        if !self.region.contains(cell) {
            return None;
        }
        let [width, _, depth] = self.region.size().map(|size| size as usize);
        let local = cell - self.region.min();
        self.glyphs[(local.y as usize * depth + local.z as usize) * width + local.x as usize]
    }

    fn write_cell(&mut self, cell: IVec3, glyph: Glyph) -> Result<(), String> {
        let cell = cell + self.offset;
        let refused = |error: crate::water::EditError| error.to_string();
        if glyph == Glyph::Solid {
            return self.world.set_solid(cell).map(|_| ()).map_err(refused);
        }
        self.world.clear_solid(cell).map_err(refused)?;
        match glyph {
            Glyph::Source => {
                self.world.add_source(cell).map_err(refused)?;
            }
            Glyph::Open(height) => {
                self.world.remove_source(cell).map_err(refused)?;
                let stands = self.world.height(cell);
                self.world
                    .scoop(cell, u32::from(stands.saturating_sub(height)))
                    .map_err(refused)?;
                self.world.pour(cell, u32::from(height.saturating_sub(stands))).map_err(refused)?;
            }
            Glyph::Solid => {}
        }
        Ok(())
    }
}

impl Subject for WaterSubject {
    fn write(&mut self, cells: &[IVec3], with: char) -> Result<(), String> {
        let glyph = *self.legend.get(&with).ok_or("the character has no meaning")?;
        cells.iter().try_for_each(|&cell| self.write_cell(cell, glyph))
    }

    fn load(&mut self, chunk: IVec3) -> Result<(), String> {
        let mut voxels = [Voxel::OPEN; CHUNK_CELLS];
        let mut sources = Vec::new();
        for (index, voxel) in voxels.iter_mut().enumerate() {
            let cell = Cube::cell_at(chunk, index);
            if !self.world.bounds().contains(cell) {
                continue;
            }
            match self.drawn(cell - self.offset) {
                None | Some(Glyph::Solid) => *voxel = Voxel::SOLID,
                Some(Glyph::Open(height)) => {
                    *voxel =
                        WaterCell::with_height(height).map_err(|error| error.to_string())?.into();
                }
                Some(Glyph::Source) => sources.push(cell),
            }
        }
        self.world
            .insert_chunk(chunk, Chunk::from_cells(&voxels))
            .map_err(|error| error.to_string())?;
        for cell in sources {
            self.world.add_source(cell).map_err(|error| error.to_string())?;
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
        let height = |voxel: Voxel| voxel.cell().map_or(0, |cell| u64::from(cell.height()));
        let units = |chunk: &Chunk<Voxel>| match (chunk.as_uniform(), chunk.as_dense()) {
            (Some(voxel), _) => height(voxel) * CHUNK_CELLS as u64,
            (_, Some(cells)) => cells.iter().map(|&voxel| height(voxel)).sum(),
            _ => 0,
        };
        self.world.chunks().map(|(_, chunk)| units(chunk)).sum::<u64>() as f64
    }

    fn account(&self) -> Account {
        let ledger = self.world.ledger();
        Account {
            entries: vec![
                ("injected", ledger.injected as f64),
                ("placed", ledger.placed as f64),
                ("removed", ledger.removed as f64),
                ("drained", ledger.drained as f64),
                ("evaporated", ledger.evaporated as f64),
            ],
            total: ledger.total() as f64,
            injected: ledger.injected as f64,
            drained: ledger.drained as f64,
        }
    }

    fn value(&self, cell: IVec3) -> f64 {
        match self.world.voxel(cell + self.offset) {
            Some(voxel) if self.drawn(cell).is_some() => {
                voxel.cell().map_or(-1.0, |cell| f64::from(cell.height()))
            }
            _ => -2.0,
        }
    }

    fn values_name(&self) -> &'static str {
        "heights"
    }

    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64> {
        let at = cell + self.offset;
        let cell = self.world.cell(at)?;
        let flag = |yes: bool| if yes { 1.0 } else { 0.0 };
        match quantity {
            0 => Some(f64::from(cell.height())),
            1 => Some(f64::from(self.world.current(at).abs().element_sum())),
            2 => Some(flag(cell.active() > 0 && (cell.direction().is_some() || cell.is_source()))),
            3 => Some(flag(cell.has_source())),
            4 => Some(flag(cell.flags().contains(CellFlags::FLOW_OUT))),
            _ => None,
        }
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
