//! Edits and steps of a 2D water world, against a model of every cell and, step by step, the oracle
//! of `plain_water2d`. Property tests and the fuzz target `water_2d` make the edits: in the world
//! as values that were sent as bytes, in its twin by the functions of their names.

use super::oracle::{Levels, literal_step, settling_step};
use crate::bytes::{Bytes, Filling};
use crate::edit_bytes::sent;
use crate::model::{self, ChunkWorld, Looks, Model, Shelf, Watched, chunks_of, name};
use floodplain::glam::IVec3;
use floodplain::water2d::{
    self, Cell, Displaced, EditError, Ledger, MAX_LEVEL, Outcome, Rule, Rules, Water2dWorld,
};
use floodplain::{Chunk, Region, Shape, Sheet, StepReport};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Operations in one run, so that runs stay short.
const MOST_EDITS: usize = 10;

/// Every public function that changes a 2D water world.
#[derive(Clone, Debug)]
pub enum Edit {
    SetSolid(IVec3),
    ClearSolid(IVec3),
    Pour(IVec3, u32),
    Scoop(IVec3, u32),
    FillSolid(Region),
    FillWater(Region, u32),
    InsertChunk(IVec3, Filling<Cell>),
    /// All chunks that were removed and are not back, at once.
    PutBack,
    RemoveChunk(IVec3),
}

type Op = model::Op<Edit>;

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run {
    seed: u64,
    rules: Rules,
    bounds: Region,
    ops: Vec<Op>,
}

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        let mut bytes = Bytes(bytes);
        let seed = u64::from(bytes.byte());
        let rule = bytes.pick(&[Rule::Settling, Rule::Literal, Rule::Settling]);
        let rules = Rules { rule, pressure_flow: 1 + u32::from(bytes.byte() % 100) };
        let bounds = bytes.bounds(IVec3::new(8, 7, 1));
        let ops = bytes.operations(MOST_EDITS, |bytes, ops| push_op(bytes, bounds, ops));
        Run { seed, rules, bounds, ops }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        let model = Slice::new(self.rules, self.bounds);
        let mut watched = Watched::of(model, || self.open_world());
        self.ops.iter().for_each(|op| watched.apply(op));
    }

    /// Makes the edits as values and by the functions of their names, with the same bytes after
    /// each.
    pub fn values_are_calls(&self) {
        let model = Slice::new(self.rules, self.bounds);
        model::values_are_calls(model, || self.open_world(), &self.ops);
    }

    /// A world all of whose chunks are loaded and open.
    fn open_world(&self) -> Water2dWorld {
        let mut world = Water2dWorld::with_bounds(self.seed, self.rules, self.bounds)
            .expect("rules within their ranges");
        for chunk in chunks_of::<Sheet>(self.bounds).positions() {
            world.insert_chunk(chunk, Chunk::uniform(Cell::AIR)).expect("a chunk of the bounds");
        }
        world
    }
}

/// Mostly about as much as a cell or two hold, for the oracle counts unit by unit; some hardly
/// anything, some out of range.
fn units(bytes: &mut Bytes) -> u32 {
    match bytes.byte() {
        byte @ 0..200 => u32::from(byte),
        byte @ 200..248 => u32::from(byte % 8),
        byte => {
            [100, 101, 99, 400, MAX_LEVEL + 1, u32::MAX, u32::MAX - 50, 105][usize::from(byte % 8)]
        }
    }
}

/// Ground, or water, of which there may be twice as much as a cell holds: the oracle counts unit by
/// unit.
fn cell(bytes: &mut Bytes) -> Cell {
    match bytes.byte() {
        byte @ 0..160 => Cell::water(u32::from(byte)).expect("in range"),
        160..208 => Cell::SOLID,
        byte => Cell::water([0, 99, 100, 101, 105, 130, 160, 200][usize::from(byte % 8)])
            .expect("in range"),
    }
}

fn push_op(bytes: &mut Bytes, bounds: Region, ops: &mut Vec<Op>) {
    let byte = bytes.byte();
    let edit = match byte % 24 {
        0 | 1 => Edit::SetSolid(bytes.cell(bounds)),
        2 => Edit::ClearSolid(bytes.cell(bounds)),
        3..=5 => Edit::Pour(bytes.cell(bounds), units(bytes)),
        6 => Edit::Scoop(bytes.cell(bounds), units(bytes)),
        7 | 8 => Edit::FillSolid(bytes.region(bounds)),
        9 | 10 => Edit::FillWater(bytes.region(bounds), units(bytes)),
        11 if byte >= 5 * 24 => {
            // In place of one that may be there.
            let chunk = Sheet::chunk_of(bytes.cell(bounds));
            ops.push(Op::Edit(Edit::RemoveChunk(chunk)));
            Edit::InsertChunk(chunk, bytes.strewn(cell))
        }
        11 => {
            let chunk = Sheet::chunk_of(bytes.cell(bounds));
            let kinds = [Cell::AIR, Cell::SOLID, Cell::water(3).expect("in range")];
            Edit::InsertChunk(chunk, Filling::Equal(bytes.pick(&kinds)))
        }
        12 => Edit::PutBack,
        13 => Edit::RemoveChunk(Sheet::chunk_of(bytes.cell(bounds))),
        14 => return ops.push(Op::WakeAll),
        15 => return ops.push(Op::TakeChanges),
        16 => return ops.push(Op::SaveAndLoad),
        17 => return ops.push(Op::Run(bytes.byte() % 10, ())),
        _ => return ops.push(Op::Step(1 + bytes.byte() % 3)),
    };
    ops.push(Op::Edit(edit));
}

impl ChunkWorld for Water2dWorld {
    type Shape = Sheet;

    fn wake_all(&mut self) {
        self.wake_all();
    }
}

/// The model.
struct Slice {
    rules: Rules,
    bounds: Region,
    /// The cells that are loaded.
    cells: BTreeMap<[i32; 3], Cell>,
    ledger: Ledger,
    removed: Shelf<Cell>,
    /// The chunks that the last edit loaded or unloaded.
    loaded: Vec<IVec3>,
}

impl Model for Slice {
    type World = Water2dWorld;
    type Edit = Edit;
    type Run = ();
    type Answer = u64;
    type Error = EditError;
    type Look = Cell;

    fn make(
        &mut self,
        world: &mut Water2dWorld,
        edit: &Edit,
        is_twin: bool,
    ) -> Result<u64, EditError> {
        if is_twin {
            return self.make_directly(world, edit);
        }
        match *edit {
            Edit::PutBack => {
                let is_loaded = |position| world.chunks().any(|(loaded, _)| loaded == position);
                self.removed.0.retain(|(position, _)| !is_loaded(*position));
                let insert = |world: &mut Water2dWorld, chunks| {
                    world.apply(sent(&water2d::Edit::InsertChunks(chunks))).map(|_| ())
                };
                self.removed.insert_into(world, false, insert).map(|()| 0)
            }
            _ => world.apply(sent(&value_of(edit))).map(units_of),
        }
    }

    fn edit(&mut self, edit: &Edit, answer: Result<u64, EditError>) {
        self.loaded.clear();
        let expected = match *edit {
            Edit::SetSolid(cell) => self.set_solid(cell),
            Edit::ClearSolid(cell) => self.clear_solid(cell),
            Edit::Pour(cell, units) => self.pour(cell, units),
            Edit::Scoop(cell, units) => self.scoop(cell, units),
            Edit::FillSolid(region) => self.fill(region, Cell::SOLID),
            Edit::FillWater(region, level) => match Cell::water(level) {
                Ok(cell) => self.fill(region, cell),
                Err(_) => Err("Level"),
            },
            Edit::InsertChunk(position, filling) => self.insert(position, &filling.chunk()),
            Edit::PutBack => {
                let list = std::mem::take(&mut self.removed.0);
                list.iter().try_fold(0, |_, (position, chunk)| self.insert(*position, chunk))
            }
            Edit::RemoveChunk(position) => self.remove(position),
        };
        assert_eq!(
            answer.map_err(|error| name(&error)),
            expected.map_err(str::to_owned),
            "{edit:?}"
        );
    }

    fn was_loaded(&self, place: [i32; 3]) -> bool {
        self.loaded.contains(&Sheet::chunk_of(place.into()))
    }

    fn looks(&self, world: &Water2dWorld) -> Looks<Self> {
        let look = |cell: IVec3| Some((cell.to_array(), world.cell(cell)?));
        self.bounds.positions().filter_map(look).collect()
    }

    /// The oracle's step in every cell.
    fn step(&mut self, twin: &mut Water2dWorld) -> StepReport {
        let (levels, left_first) = (self.levels(), twin.prefers_left());
        let report = twin.step();
        let expected = match self.rules.rule {
            Rule::Literal => literal_step(&levels, left_first),
            Rule::Settling => settling_step(&levels, i64::from(self.rules.pressure_flow)),
        };
        self.cells = self.looks(twin);
        assert_eq!(self.levels(), expected, "step {}", twin.ticks());
        report
    }

    fn compare(&self, world: &Water2dWorld, after: &dyn Debug) {
        for cell in self.bounds.positions() {
            let expected = self.cells.get(&cell.to_array()).copied();
            assert_eq!(world.cell(cell), expected, "cell {cell} after {after:?}");
        }
        assert_eq!(world.ledger(), self.ledger, "the ledger after {after:?}");
    }
}

/// An edit of cells or of one chunk as a value. Chunks that were removed are not known here, so the
/// list of them is empty.
fn value_of(edit: &Edit) -> water2d::Edit {
    match *edit {
        Edit::SetSolid(cell) => water2d::Edit::SetSolid(cell),
        Edit::ClearSolid(cell) => water2d::Edit::ClearSolid(cell),
        Edit::Pour(cell, units) => water2d::Edit::Pour { cell, units },
        Edit::Scoop(cell, units) => water2d::Edit::Scoop { cell, units },
        Edit::FillSolid(region) => water2d::Edit::FillSolid(region),
        Edit::FillWater(region, level) => water2d::Edit::FillWater { region, level },
        Edit::InsertChunk(position, filling) => {
            water2d::Edit::InsertChunk { position, chunk: filling.chunk() }
        }
        Edit::PutBack => water2d::Edit::InsertChunks(Vec::new()),
        Edit::RemoveChunk(position) => water2d::Edit::RemoveChunk(position),
    }
}

/// What the function of an edit returns, as a number.
fn units_of(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Displaced(Displaced { moved, removed }) => u64::from(moved + removed),
        Outcome::Changed(changed) => u64::from(changed),
        Outcome::Level(level) => u64::from(level),
        Outcome::Units(units) => units,
        _ => 0,
    }
}

impl Slice {
    /// Makes an edit by the function of its name.
    fn make_directly(&mut self, world: &mut Water2dWorld, edit: &Edit) -> Result<u64, EditError> {
        match *edit {
            Edit::SetSolid(cell) => {
                world.set_solid(cell).map(|Displaced { moved, removed }| u64::from(moved + removed))
            }
            Edit::ClearSolid(cell) => world.clear_solid(cell).map(u64::from),
            Edit::Pour(cell, units) => world.pour(cell, units).map(u64::from),
            Edit::Scoop(cell, units) => world.scoop(cell, units).map(u64::from),
            Edit::FillSolid(region) => world.fill_solid(region),
            Edit::FillWater(region, level) => world.fill_water(region, level),
            Edit::InsertChunk(position, filling) => {
                world.insert_chunk(position, filling.chunk()).map(|()| 0)
            }
            Edit::PutBack => {
                self.removed.insert_into(world, true, Water2dWorld::insert_chunks).map(|()| 0)
            }
            Edit::RemoveChunk(position) => world.remove_chunk(position).map(|chunk| {
                self.removed.put(position, chunk);
                0
            }),
        }
    }

    fn new(rules: Rules, bounds: Region) -> Slice {
        let cells = bounds.positions().map(|cell| (cell.to_array(), Cell::AIR)).collect();
        let (removed, loaded) = (Shelf(Vec::new()), Vec::new());
        Slice { rules, bounds, cells, ledger: Ledger::default(), removed, loaded }
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
        self.loaded.push(position);
        Ok(0)
    }

    fn remove(&mut self, position: IVec3) -> Result<u64, &'static str> {
        let cells = self.bounds.intersection(&Sheet::region_of(position)).ok_or("ChunkAbsent")?;
        for cell in cells.positions() {
            let old = self.cells.remove(&cell.to_array()).ok_or("ChunkAbsent")?;
            self.ledger.removed += u64::from(old.level());
        }
        self.loaded.push(position);
        Ok(0)
    }
}
