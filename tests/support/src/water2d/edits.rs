//! Edits and steps of a 2D water world, against a model of every cell and, step by step, the oracle
//! of `plain_water2d`. Property tests and the fuzz target `water_2d` make the edits.

use super::oracle::{Levels, literal_step, settling_step};
use crate::bytes::{Bytes, Strewn};
use crate::twins::{Twins, World};
use floodplain::glam::IVec3;
use floodplain::water2d::{
    Cell, Displaced, EditError, Ledger, MAX_LEVEL, Rule, Rules, Water2dWorld,
};
use floodplain::{Automaton, Chunk, Region, Shape, Sheet};
use std::collections::BTreeMap;

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
    /// Of equal cells.
    InsertChunk(IVec3, Cell),
    /// Of cells of several kinds, where it takes the place of one that may be there.
    ReplaceChunk(IVec3, Strewn<Cell>),
    /// All chunks that were removed, at once, and back to front in the twin.
    PutBack,
    RemoveChunk(IVec3),
    WakeAll,
    TakeChanges,
    SaveAndLoad,
    /// Single steps, each against the oracle.
    Step(u8),
    /// Steps in one go.
    Run(u8),
}

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run {
    seed: u64,
    rules: Rules,
    bounds: Region,
    edits: Vec<Edit>,
}

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        let mut bytes = Bytes(bytes);
        let seed = u64::from(bytes.byte());
        let rule = bytes.pick(&[Rule::Settling, Rule::Literal, Rule::Settling]);
        let rules = Rules { rule, pressure_flow: 1 + u32::from(bytes.byte() % 100) };
        let bounds = bytes.bounds(IVec3::new(8, 7, 1));
        let edits = bytes.operations(MOST_EDITS, |bytes| edit(bytes, bounds));
        Run { seed, rules, bounds, edits }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        let mut watched = Watched::new(self);
        self.edits.iter().for_each(|edit| watched.apply(edit));
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

fn edit(bytes: &mut Bytes, bounds: Region) -> Edit {
    let byte = bytes.byte();
    match byte % 24 {
        0 | 1 => Edit::SetSolid(bytes.cell(bounds)),
        2 => Edit::ClearSolid(bytes.cell(bounds)),
        3..=5 => Edit::Pour(bytes.cell(bounds), units(bytes)),
        6 => Edit::Scoop(bytes.cell(bounds), units(bytes)),
        7 | 8 => Edit::FillSolid(bytes.region(bounds)),
        9 | 10 => Edit::FillWater(bytes.region(bounds), units(bytes)),
        11 if byte >= 5 * 24 => {
            Edit::ReplaceChunk(Sheet::chunk_of(bytes.cell(bounds)), bytes.strewn(cell))
        }
        11 => Edit::InsertChunk(
            Sheet::chunk_of(bytes.cell(bounds)),
            bytes.pick(&[Cell::AIR, Cell::SOLID, Cell::water(3).expect("in range")]),
        ),
        12 => Edit::PutBack,
        13 => Edit::RemoveChunk(Sheet::chunk_of(bytes.cell(bounds))),
        14 => Edit::WakeAll,
        15 => Edit::TakeChanges,
        16 => Edit::SaveAndLoad,
        17 => Edit::Run(bytes.byte() % 10),
        _ => Edit::Step(1 + bytes.byte() % 3),
    }
}

impl World for Water2dWorld {
    type Cell = Cell;

    fn bounds(&self) -> Region {
        self.bounds()
    }

    fn look(&self, cell: IVec3) -> Option<Cell> {
        self.cell(cell)
    }

    fn cell_at(chunk: IVec3, index: usize) -> IVec3 {
        Sheet::cell_at(chunk, index)
    }

    fn wake_all(&mut self) {
        self.wake_all();
    }
}

/// Twins and the model.
struct Watched {
    twins: Twins<Water2dWorld>,
    rules: Rules,
    bounds: Region,
    /// The cells that are loaded.
    cells: BTreeMap<[i32; 3], Cell>,
    ledger: Ledger,
    kept: Vec<(IVec3, Chunk<Cell>)>,
}

impl Watched {
    /// A world all of whose chunks are loaded and open.
    fn new(run: &Run) -> Watched {
        let &Run { seed, rules, bounds, .. } = run;
        let twins = Twins::new(|| {
            let mut world =
                Water2dWorld::with_bounds(seed, rules, bounds).expect("rules within their ranges");
            for chunk in Region::new(Sheet::chunk_of(bounds.min()), Sheet::chunk_of(bounds.max()))
                .positions()
            {
                world
                    .insert_chunk(chunk, Chunk::uniform(Cell::AIR))
                    .expect("a chunk of the bounds");
            }
            world
        });
        let cells = bounds.positions().map(|cell| (cell.to_array(), Cell::AIR)).collect();
        Watched { twins, rules, bounds, cells, ledger: Ledger::default(), kept: Vec::new() }
    }

    fn apply(&mut self, edit: &Edit) {
        match *edit {
            Edit::Step(steps) => (0..steps).for_each(|_| self.step()),
            Edit::Run(steps) => {
                self.twins.run(
                    u64::from(steps),
                    |world| world.run(u64::from(steps)),
                    Automaton::step,
                );
                self.look_again();
            }
            Edit::WakeAll => self.twins.wake_all(),
            Edit::TakeChanges => self.twins.take_changes(),
            Edit::SaveAndLoad => self.twins.save_and_load(),
            Edit::PutBack => self.put_back(),
            Edit::ReplaceChunk(position, strewn) => {
                self.edit(&Edit::RemoveChunk(position));
                self.insert_strewn(position, strewn);
            }
            _ => self.edit(edit),
        }
        for cell in self.bounds.positions() {
            let expected = self.cells.get(&cell.to_array()).copied();
            assert_eq!(self.twins.world.cell(cell), expected, "cell {cell} after {edit:?}");
        }
        assert_eq!(self.twins.world.ledger(), self.ledger, "the ledger after {edit:?}");
    }

    /// Makes an edit in the worlds and in the model, which must give the same answer.
    fn edit(&mut self, edit: &Edit) {
        let mut taken = None;
        let answer = self.twins.edit(|world| match *edit {
            Edit::SetSolid(cell) => {
                world.set_solid(cell).map(|Displaced { moved, removed }| u64::from(moved + removed))
            }
            Edit::ClearSolid(cell) => world.clear_solid(cell).map(u64::from),
            Edit::Pour(cell, units) => world.pour(cell, units).map(u64::from),
            Edit::Scoop(cell, units) => world.scoop(cell, units).map(u64::from),
            Edit::FillSolid(region) => world.fill_solid(region),
            Edit::FillWater(region, level) => world.fill_water(region, level),
            Edit::InsertChunk(position, cell) => {
                world.insert_chunk(position, Chunk::uniform(cell)).map(|()| 0)
            }
            Edit::RemoveChunk(position) => world.remove_chunk(position).map(|chunk| {
                // The twin removes the same chunk, or their states would differ from here on.
                taken = Some((position, chunk));
                0
            }),
            _ => Ok(0),
        });
        self.kept.extend(taken);
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
            Edit::InsertChunk(position, cell) => self.insert(position, &Chunk::uniform(cell)),
            Edit::RemoveChunk(position) => self.remove(position),
            _ => Ok(0),
        };
        assert_eq!(answer.map_err(kind), expected, "{edit:?}");
    }

    fn insert_strewn(&mut self, position: IVec3, strewn: Strewn<Cell>) {
        let chunk = strewn.chunk();
        let answer =
            self.twins.edit(|world| world.insert_chunk(position, chunk.clone()).map(|()| 0));
        assert_eq!(answer.map_err(kind), self.insert(position, &chunk), "{strewn:?} at {position}");
    }

    /// Loads all that was unloaded and is not there. A list with a chunk twice is refused.
    fn put_back(&mut self) {
        let mut list: Vec<(IVec3, Chunk<Cell>)> = Vec::new();
        for (position, chunk) in std::mem::take(&mut self.kept).into_iter().rev() {
            let is_loaded = self.twins.world.chunks().any(|(loaded, _)| loaded == position);
            if !is_loaded && list.iter().all(|(listed, _)| *listed != position) {
                list.push((position, chunk));
            }
        }
        if let Some(first) = list.first().cloned() {
            let twice = || list.iter().cloned().chain([first.clone()]);
            let refused = self.twins.edit(|world| world.insert_chunks(twice()));
            assert_eq!(refused, Err(EditError::ChunkPresent(first.0)), "a chunk twice in a list");
        }
        let mut is_twin = false;
        let answer = self.twins.edit(|world| {
            let list = list.iter().cloned();
            match std::mem::replace(&mut is_twin, true) {
                false => world.insert_chunks(list),
                true => world.insert_chunks(list.rev()),
            }
        });
        assert_eq!(answer, Ok(()));
        for (position, chunk) in &list {
            assert_eq!(self.insert(*position, chunk), Ok(0));
        }
    }

    /// One step, which is the oracle's in every cell.
    fn step(&mut self) {
        let (levels, left_first) = (self.levels(), self.twins.world.prefers_left());
        self.twins.step();
        let expected = match self.rules.rule {
            Rule::Literal => literal_step(&levels, left_first),
            Rule::Settling => settling_step(&levels, i64::from(self.rules.pressure_flow)),
        };
        self.look_again();
        assert_eq!(self.levels(), expected, "step {}", self.twins.world.ticks());
    }

    /// What is open, in places counted from the world's lower left corner, so that the oracle does
    /// not reach the end of the range. It treats even and odd rows differently; so they stay
    /// what they are.
    fn levels(&self) -> Levels {
        let (west, low) = (self.bounds.min().x, self.bounds.min().y & !1);
        let open = self.cells.iter().filter(|(_, cell)| !cell.is_solid());
        open.map(|([x, y, _], cell)| ((y - low, x - west), i64::from(cell.level()))).collect()
    }

    fn look_again(&mut self) {
        for (&at, cell) in &mut self.cells {
            *cell = self.twins.world.cell(at.into()).expect("a step unloads nothing");
        }
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
        self.twins.forget(cells);
        Ok(0)
    }

    fn remove(&mut self, position: IVec3) -> Result<u64, &'static str> {
        let cells = self.bounds.intersection(&Sheet::region_of(position)).ok_or("ChunkAbsent")?;
        for cell in cells.positions() {
            let old = self.cells.remove(&cell.to_array()).ok_or("ChunkAbsent")?;
            self.ledger.removed += u64::from(old.level());
        }
        self.twins.forget(cells);
        Ok(0)
    }
}

fn kind(error: EditError) -> &'static str {
    match error {
        EditError::NotLoaded(_) => "NotLoaded",
        EditError::OutOfBounds(_) => "OutOfBounds",
        EditError::Solid(_) => "Solid",
        EditError::ChunkPresent(_) => "ChunkPresent",
        EditError::ChunkAbsent(_) => "ChunkAbsent",
        EditError::ChunkOutOfBounds(_) => "ChunkOutOfBounds",
        EditError::Level { .. } => "Level",
        _ => "something new",
    }
}
