//! Edits and steps of a 2D water world, against a model of every cell and, step by step, the oracle
//! of `plain_water2d`. Property tests and the fuzz target `water_2d` make the edits.

use super::oracle::{Levels, literal_step, settling_step};
use floodplain::glam::IVec3;
use floodplain::testing::{self, Findings, Model, law};
use floodplain::water2d::{
    Cell, Displaced, Edit, EditError, Ledger, MAX_LEVEL, Outcome, Rule, Rules, Water2dWorld,
};
use floodplain::{Chunk, Region, Shape, Sheet, StepReport};
use std::collections::BTreeMap;

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run(testing::Run<Water2dWorld>);

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        Run(testing::Run::from_bytes(bytes))
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        let watched = self.0.watched();
        let model = Slice::of(watched.world());
        watched.with_model(model).play(&self.0.ops).unwrap();
    }
}

/// The model.
#[derive(Clone)]
struct Slice {
    rules: Rules,
    bounds: Region,
    /// The cells that are loaded.
    cells: BTreeMap<[i32; 3], Cell>,
    ledger: Ledger,
    /// What the next step makes of the cells.
    next: Levels,
}

impl Model<Water2dWorld> for Slice {
    fn edited(&mut self, edit: &Edit, answer: &Result<Outcome, EditError>, found: &mut Findings) {
        let expected = match edit {
            &Edit::SetSolid(cell) => self.set_solid(cell),
            &Edit::ClearSolid(cell) => self.clear_solid(cell),
            &Edit::Pour { cell, units } => self.pour(cell, units),
            &Edit::Scoop { cell, units } => self.scoop(cell, units),
            &Edit::FillSolid(region) => self.fill(region, Cell::SOLID),
            &Edit::FillWater { region, level } => match Cell::water(level) {
                Ok(cell) => self.fill(region, cell),
                Err(_) => Err("Level"),
            },
            Edit::InsertChunk { position, chunk } => self.insert(*position, chunk),
            Edit::InsertChunks(list) => self.insert_all(list),
            &Edit::RemoveChunk(position) => self.remove(position),
            Edit::WakeAll => Ok(0),
            edit => panic!("a new edit: {edit:?}"),
        };
        found.answer(edit, answer.as_ref().map(units_of), expected);
    }

    fn step_begins(&mut self, world: &Water2dWorld) {
        let levels = self.levels();
        self.next = match self.rules.rule {
            Rule::Literal => literal_step(&levels, world.prefers_left()),
            Rule::Settling => settling_step(&levels, i64::from(self.rules.pressure_flow)),
        };
    }

    /// The oracle's step in every cell.
    fn stepped(&mut self, world: &Water2dWorld, _: StepReport, _: u64, found: &mut Findings) {
        self.cells = cells(world);
        found.same(law::CELLS, &self.levels(), &self.next, || "a step".to_owned());
    }

    fn compare(&self, world: &Water2dWorld, found: &mut Findings) {
        for cell in self.bounds.positions() {
            let expected = self.cells.get(&cell.to_array()).copied();
            found.same(law::CELLS, &world.cell(cell), &expected, || cell.to_string());
        }
        found.same(law::LEDGER, &world.ledger(), &self.ledger, || "edits".to_owned());
    }
}

fn cells(world: &Water2dWorld) -> BTreeMap<[i32; 3], Cell> {
    let cell = |cell: IVec3| Some((cell.to_array(), world.cell(cell)?));
    world.bounds().positions().filter_map(cell).collect()
}

/// What the function of an edit returns, as a number.
fn units_of(outcome: &Outcome) -> u64 {
    match *outcome {
        Outcome::Displaced(Displaced { moved, removed }) => u64::from(moved + removed),
        Outcome::Changed(changed) => u64::from(changed),
        Outcome::Level(level) => u64::from(level),
        Outcome::Units(units) => units,
        _ => 0,
    }
}

impl Slice {
    fn of(world: &Water2dWorld) -> Slice {
        let (rules, bounds, next) = (*world.rules(), world.bounds(), Levels::default());
        Slice { rules, bounds, cells: cells(world), ledger: world.ledger(), next }
    }

    /// All of a list, or none.
    fn insert_all(&mut self, list: &[(IVec3, Chunk<Cell>)]) -> Result<u64, &'static str> {
        let mut all = self.clone();
        list.iter().try_for_each(|(position, chunk)| all.insert(*position, chunk).map(drop))?;
        *self = all;
        Ok(0)
    }

    /// What is open, in places counted from the world's lower left corner, so that the oracle does
    /// not reach the end of the range. It treats even and odd rows differently; so they stay
    /// what they are.
    fn levels(&self) -> Levels {
        let (west, low) = (self.bounds.min().x, self.bounds.min().y & !1);
        let open = self.cells.iter().filter(|(_, cell)| !cell.is_solid());
        open.map(|([x, y, _], cell)| ((y - low, x - west), i64::from(cell.level()))).collect()
    }

    fn there(&self, cell: IVec3) -> Result<Cell, &'static str> {
        if !self.bounds.contains(cell) {
            return Err("OutOfBounds");
        }
        self.cells.get(&cell.to_array()).copied().ok_or("NotLoaded")
    }

    fn open(&self, cell: IVec3) -> Result<u32, &'static str> {
        let there = self.there(cell)?;
        if there.is_solid() { Err("Solid") } else { Ok(there.level()) }
    }

    fn put(&mut self, cell: IVec3, level: u32) {
        self.cells.insert(cell.to_array(), Cell::water(level).expect("a level in range"));
    }

    fn set_solid(&mut self, cell: IVec3) -> Result<u64, &'static str> {
        let stood = self.there(cell)?.level();
        let mut left = stood;
        self.cells.insert(cell.to_array(), Cell::SOLID);
        for offset in [IVec3::Y, IVec3::NEG_X, IVec3::X, IVec3::NEG_Y] {
            let there = cell.saturating_add(offset);
            if let Ok(level) = self.open(there) {
                let units = left.min(MAX_LEVEL - level);
                self.put(there, level + units);
                left -= units;
            }
        }
        self.ledger.removed += u64::from(left);
        Ok(u64::from(stood))
    }

    fn clear_solid(&mut self, cell: IVec3) -> Result<u64, &'static str> {
        let was_solid = self.there(cell)?.is_solid();
        if was_solid {
            self.put(cell, 0);
        }
        Ok(u64::from(was_solid))
    }

    fn pour(&mut self, cell: IVec3, units: u32) -> Result<u64, &'static str> {
        let level = u64::from(self.open(cell)?) + u64::from(units);
        if level > u64::from(MAX_LEVEL) {
            return Err("Level");
        }
        self.ledger.placed += u64::from(units);
        self.put(cell, level as u32);
        Ok(level)
    }

    fn scoop(&mut self, cell: IVec3, units: u32) -> Result<u64, &'static str> {
        let level = self.open(cell)?;
        let scooped = units.min(level);
        self.ledger.removed += u64::from(scooped);
        self.put(cell, level - scooped);
        Ok(u64::from(scooped))
    }

    fn fill(&mut self, region: Region, new: Cell) -> Result<u64, &'static str> {
        if !self.bounds.contains(region.min()) || !self.bounds.contains(region.max()) {
            return Err("OutOfBounds");
        }
        if region.positions().any(|cell| !self.cells.contains_key(&cell.to_array())) {
            return Err("NotLoaded");
        }
        let mut removed = 0;
        for cell in region.positions() {
            let old = self.cells.insert(cell.to_array(), new).expect("loaded");
            removed += u64::from(old.level());
            self.ledger.placed += u64::from(new.level());
        }
        self.ledger.removed += removed;
        Ok(removed)
    }

    fn insert(&mut self, position: IVec3, chunk: &Chunk<Cell>) -> Result<u64, &'static str> {
        let cells =
            self.bounds.intersection(&Sheet::region_of(position)).ok_or("ChunkOutOfBounds")?;
        if cells.positions().any(|cell| self.cells.contains_key(&cell.to_array())) {
            return Err("ChunkPresent");
        }
        for cell in cells.positions() {
            let new = chunk.get(Sheet::index_of(cell));
            self.ledger.placed += u64::from(new.level());
            self.cells.insert(cell.to_array(), new);
        }
        Ok(0)
    }

    fn remove(&mut self, position: IVec3) -> Result<u64, &'static str> {
        let cells = self.bounds.intersection(&Sheet::region_of(position)).ok_or("ChunkAbsent")?;
        for cell in cells.positions() {
            let old = self.cells.remove(&cell.to_array()).ok_or("ChunkAbsent")?;
            self.ledger.removed += u64::from(old.level());
        }
        Ok(0)
    }
}
