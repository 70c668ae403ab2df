//! Scenarios of worlds of materials.

use super::picture::{Layout, Picture};
use super::subject::{Account, Plan, Quantity, Refusal, ScenarioWorld, Setup};
use super::{explosion, humidity, water};
use crate::blast::{Border, Borders};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Shape};
use crate::humidity::UNITS;
use crate::scenario::error::{Problem, ScenarioError};
use crate::scenario::parse::drawing::Drawing;
use crate::scenario::parse::legend;
use crate::scenario::parse::tree::{Field, Table};
use crate::water::{FULL, Voxel, WaterCell};
#[cfg(any(feature = "snapshot", feature = "scenario"))]
use crate::world::pressure::events_untold;
use crate::world::{
    ChunkContent, Couplings, Edit, Material, MaterialId, Palette, Rules, UnderWater, World,
};
use crate::{blast, humidity as soil, water as waters};
use glam::IVec3;
use std::collections::BTreeMap;

/// The meaning of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Glyph {
    /// A material, and the content of the cell.
    Cell { material: MaterialId, water: u8, moisture: f64, is_spring: bool },
    /// Air, with a charge around it.
    Charge { pressure: f32, radius: f32 },
    /// Air, from which this many units of rain fall.
    Rain(u32),
}

/// The part of a file about a world of materials, without the legend.
#[derive(Debug)]
pub(crate) struct WorldRules {
    palette: Palette,
    rules: Rules,
    /// The edges of water, and the chunks that are not loaded at the start.
    water: water::WaterRules,
}

/// Reads `[rules]`, `[legend]`, and the rest of `[world]`.
pub(super) fn read(
    mut rules: Table,
    legend: Table,
    world: Table,
) -> Result<Box<dyn Setup>, ScenarioError> {
    let palette = read_palette(rules.take_table("materials")?)?;
    let mut water = water::WaterRules::of(water::read_rules(rules.take_table("water")?)?);
    water.read_world(world)?;
    let rules = Rules { water: water.rules, ..read_rules(rules)? };
    rules.check(&palette).map_err(ScenarioError::of_world)?;
    let legend =
        legend::read(legend, default_legend(&palette), |field| read_glyph(field, &palette))?;
    Ok(Box::new(Plan::<World> { rules: WorldRules { palette, rules, water }, legend }))
}

/// Reads the materials of a file, which come after the natural ones.
fn read_palette(mut table: Table) -> Result<Palette, ScenarioError> {
    let natural = Palette::natural();
    let mut materials: Vec<Material> =
        natural.materials().map(|(_, material)| material.clone()).collect();
    let line = table.line;
    while let Some(field) = table.take_any() {
        materials.push(read_material(field)?);
    }
    Palette::new(materials).map_err(|error| {
        let (key, value) = ("materials".to_owned(), "a table".to_owned());
        Problem::Value { key, value, wanted: format!("a palette ({error})") }.at_line(line)
    })
}

fn read_material(field: Field) -> Result<Material, ScenarioError> {
    let name = field.key.to_string();
    let (permeability, strength, breaks_into) = (None, None, None);
    let rock = Material { name, solid: true, permeability, strength, capacity: 0, breaks_into };
    field.table()?.read_over(rock)
}

/// Reads moisture that is written as humidity, and returns it in units.
fn moisture_of(field: &Field) -> Result<u32, ScenarioError> {
    let units = field.number()? * f64::from(UNITS);
    let is_whole = units.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&units);
    is_whole.then_some(units as u32).ok_or_else(|| field.refuse("a whole number of 1/65,536"))
}

/// Reads all rules except the rules of water.
fn read_rules(mut table: Table) -> Result<Rules, ScenarioError> {
    let (soil, blast) = (table.take_table("soil")?, table.take_table("blast")?);
    let couplings = table.take_table("couplings")?.read_over(Couplings::default())?;
    let (borders, moisture) = (table.take("borders"), table.take("moisture_per_unit"));
    let (under_water, throw_flow) = (table.take("under_water"), table.take("throw_flow"));
    let mut rules = Rules { couplings, ..table.read_over(Rules::default())? };
    rules.soil = humidity::read_rules(soil, rules.soil)?;
    rules.blast = explosion::read_rules(blast, rules.blast)?;
    if let Some(field) = borders {
        rules.borders = match field.text()? {
            "rigid" => Borders::all(Border::Rigid),
            "open" => Borders::all(Border::Open),
            _ => return Err(field.refuse("\"rigid\" or \"open\"")),
        };
    }
    if let Some(field) = moisture {
        rules.moisture_per_unit = moisture_of(&field)?;
    }
    if let Some(field) = under_water {
        rules.under_water = match (field.text(), field.number()) {
            (Ok("stops"), _) => UnderWater::Stops,
            (Ok("passes"), _) => UnderWater::Passes,
            (_, Ok(share)) => UnderWater::Damps(share as f32),
            _ => return Err(field.refuse("\"stops\", \"passes\" or a number")),
        };
    }
    if let Some(field) = throw_flow {
        rules.throw_flow = match field.as_boolean() {
            Some(true) => return Err(field.refuse("a number or false")),
            Some(false) => None,
            None => Some(field.number()?),
        };
    }
    Ok(rules)
}

/// Returns the default legend: air and water as in scenarios of water, and `#` for rock.
fn default_legend(palette: &Palette) -> BTreeMap<char, Glyph> {
    let of = |name, water, is_spring| {
        let material = palette.id(name).unwrap_or_default();
        Glyph::Cell { material, water, moisture: 0.0, is_spring }
    };
    let mut legend = BTreeMap::from([
        ('#', of("rock", 0, false)),
        ('.', of("air", 0, false)),
        ('S', of("air", 0, true)),
        ('~', of("air", FULL, false)),
    ]);
    let heights = ('1'..='7').zip(1..);
    legend.extend(heights.map(|(character, height)| (character, of("air", height, false))));
    legend
}

fn read_glyph(field: Field, palette: &Palette) -> Result<Glyph, ScenarioError> {
    let wanted = "{ material = a name } with water = 0 to 7, source = true or moisture = a number, \
                  { charge = a pressure, radius = a number }, { rain = a number of units }, or a \
                  character";
    let refused = field.refuse(wanted);
    let Ok(mut table) = field.table() else { return Err(refused) };
    let glyph = match (table.take("material"), table.take("charge"), table.take("rain")) {
        (Some(name), None, None) => {
            let Some(material) = palette.id(name.text()?) else {
                return Err(name.refuse("a material of the palette"));
            };
            let water = table.take("water").map_or(Ok(0), |field| field.whole(0, FULL.into()))?;
            let moisture = table.take("moisture").map_or(Ok(0.0), |field| field.number())?;
            let is_spring = table.take("source").map_or(Ok(false), |field| field.boolean())?;
            Glyph::Cell { material, water: water as u8, moisture, is_spring }
        }
        (None, Some(charge), None) => {
            let radius = table.take("radius").map_or(Ok(1.0), |field| field.number())?;
            Glyph::Charge { pressure: charge.number()? as f32, radius: radius as f32 }
        }
        (None, None, Some(units)) => Glyph::Rain(units.whole(0, i64::from(u32::MAX))? as u32),
        _ => return Err(refused),
    };
    table.finish()?;
    Ok(glyph)
}

impl ScenarioWorld for World {
    type Rules = WorldRules;
    type Glyph = Glyph;

    const LAYOUT: Layout = Layout::Volume;
    const QUANTITIES: &'static [Quantity] = &[
        Quantity { name: "height", is_flag: false },
        Quantity { name: "moisture", is_flag: false },
        Quantity { name: "pressure", is_flag: false },
        Quantity { name: "material", is_flag: false },
        Quantity { name: "solid", is_flag: true },
        Quantity { name: "broken", is_flag: true },
    ];
    const COUNTS: &'static [&'static str] = &["soaked", "sprung", "ebbed", "thrown", "spilled"];
    const VALUES_NAME: &'static str = "heights";

    fn check(rules: &WorldRules, drawing: &Drawing) -> Result<(), ScenarioError> {
        rules.water.check(drawing)
    }

    fn number_of(rules: &WorldRules, quantity: &str, name: &str) -> Option<f64> {
        let id = rules.palette.id(name).filter(|_| quantity == "material")?;
        Some(f64::from(id.0))
    }

    fn start(rules: &WorldRules, seed: u64, picture: &Picture<'_, Glyph>) -> Result<Self, Refusal> {
        let WorldRules { palette, rules, water } = rules;
        let mut world = World::with_bounds(seed, palette.clone(), *rules, picture.bounds())?;
        let chunks = picture.chunk_positions::<Cube>().positions();
        chunks
            .filter(|&chunk| water.is_loaded(chunk))
            .try_for_each(|at| world.load(at, picture))?;
        Ok(world)
    }

    /// Loads a chunk as it is drawn. Cells that are not part of the drawn world become rock.
    /// Charges and rain come after all other cells of the chunk.
    fn load(&mut self, chunk: ChunkPos, picture: &Picture<'_, Glyph>) -> Result<(), Refusal> {
        let rock = self.palette().id("rock").unwrap_or_default();
        let mut materials = Chunk::uniform(MaterialId(0));
        let mut water = Chunk::uniform(Voxel::OPEN);
        let mut later = Vec::new();
        for index in 0..CHUNK_CELLS {
            let cell = Cube::cell_at(chunk, index);
            match picture.glyph(cell).filter(|_| self.bounds().contains(cell)) {
                None => _ = materials.set(index, rock),
                Some(Glyph::Cell { material, water: height, moisture, is_spring }) => {
                    materials.set(index, material);
                    if height > 0 {
                        water.set(index, WaterCell::with_height(height)?.into());
                    }
                    later.extend((moisture != 0.0).then_some(Edit::Soil(wet(cell, moisture))));
                    later.extend(is_spring.then_some(Edit::Water(waters::Edit::AddSource(cell))));
                }
                Some(glyph) => later.extend(set_off(cell, glyph)),
            }
        }
        let content = ChunkContent { materials, water: Some(water), moisture: None };
        self.insert_chunk(chunk, content)?;
        for edit in later {
            self.apply(edit)?;
        }
        Ok(())
    }

    fn write(&mut self, cell: IVec3, glyph: Glyph) -> Result<(), Refusal> {
        let Glyph::Cell { material, water, moisture, is_spring } = glyph else {
            if let Some(edit) = set_off(cell, glyph) {
                self.apply(edit)?;
            }
            return Ok(());
        };
        self.set_material(cell, material)?;
        let named = self.palette().material(material);
        let (is_soil, is_open) = named
            .map_or((false, false), |material| (material.permeability.is_some(), !material.solid));
        if is_soil {
            self.apply(Edit::Soil(wet(cell, moisture)))?;
        }
        if is_open {
            self.remove_source(cell)?;
            let height = u32::from(self.units(cell));
            let (more, less) =
                (u32::from(water).saturating_sub(height), height.saturating_sub(u32::from(water)));
            self.scoop(cell, less)?;
            self.pour(cell, more)?;
        }
        if is_spring {
            self.add_source(cell)?;
        }
        Ok(())
    }

    /// Counts the content of the world in units of water.
    fn count(&self) -> f64 {
        self.total() as f64 / self.ledger().scale as f64
    }

    fn account(&self) -> Account {
        let ledger = self.ledger();
        let units = |moisture: u128| moisture as f64 / ledger.scale as f64;
        Account {
            entries: vec![
                ("came in", units(ledger.came_in())),
                ("went out", units(ledger.went_out())),
                ("in soil", units(ledger.soil.total())),
                ("soaked", ledger.soaked as f64),
                ("sprung", ledger.sprung as f64),
                ("ebbed", ledger.ebbed as f64),
                ("thrown", ledger.thrown as f64),
                ("spilled", ledger.spilled as f64),
            ],
            total: units(ledger.total()),
            injected: ledger.water.injected as f64,
            drained: ledger.water.drained as f64 + units(ledger.soil.drained),
        }
    }

    fn balances(&self) -> bool {
        self.total() == self.ledger().total()
    }

    fn value(&self, cell: IVec3) -> Option<f64> {
        self.material(cell)?;
        let is_solid = self.water().is_solid(cell);
        Some(if is_solid { -1.0 } else { f64::from(self.units(cell)) })
    }

    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64> {
        let id = self.material(cell)?;
        let material = self.palette().material(id)?;
        let flag = |is_so: bool| Some(f64::from(u8::from(is_so)));
        let is_open = !material.solid;
        match quantity {
            0 => is_open.then(|| f64::from(self.units(cell))),
            1 => material.permeability.map(|_| f64::from(self.moisture(cell)) / f64::from(UNITS)),
            2 => is_open.then(|| f64::from(self.pressure(cell))),
            3 => Some(f64::from(id.0)),
            4 => flag(material.solid),
            5 => flag(events_untold(self).iter().any(|broken| broken.cell == cell)),
            _ => None,
        }
    }

    fn capacity(&self) -> f64 {
        f64::from(FULL)
    }
}

fn wet(cell: IVec3, humidity: f64) -> soil::Edit {
    soil::Edit::SetHumidity { cell, humidity }
}

/// Returns a charge or rain as an edit; `None` for other meanings.
fn set_off(centre: IVec3, glyph: Glyph) -> Option<Edit> {
    match glyph {
        Glyph::Cell { .. } => None,
        Glyph::Charge { pressure, radius } => {
            Some(Edit::Blast(blast::Edit::AddCharge { centre, radius, pressure }))
        }
        Glyph::Rain(units) => Some(Edit::Rain { from: centre, units }),
    }
}
