//! Edits and steps of a humidity world, against a model of every cell and, step by step, the oracle
//! of `humidity_oracle`. Property tests and the fuzz target `humidity` make the edits.

use super::oracle::Oracle;
use crate::bytes::{Bytes, Strewn};
use crate::twins::{Twins, World};
use floodplain::glam::IVec3;
use floodplain::humidity::{
    Border, Cell, EditError, HumidityWorld, Ledger, MOST_HUMIDITY, ROCK, Rules, Sweep,
};
use floodplain::{Automaton, Chunk, Cube, FieldShape, Region, Sheet};
use std::collections::BTreeMap;

/// Operations in one run, so that runs stay short.
const MOST_EDITS: usize = 10;

/// Every public function that changes a humidity world.
#[derive(Clone, Debug)]
pub enum Edit {
    SetHumidity(IVec3, f64),
    SetImpermeability(IVec3, f32),
    SetRock(IVec3),
    SetRain(IVec3, f64),
    ClearRain(IVec3),
    SetCell(IVec3, Cell),
    FillCells(Region, Cell),
    /// Of equal cells.
    InsertChunk(IVec3, Cell),
    /// Of cells of several kinds, where it takes the place of one that may be there.
    ReplaceChunk(IVec3, Strewn<Cell>),
    /// The chunk that was last removed, wherever that was.
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
    is_flat: bool,
    rules: Rules,
    bounds: Region,
    edits: Vec<Edit>,
}

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        let mut bytes = Bytes(bytes);
        let is_flat = bytes.byte() % 2 == 0;
        let rules = rules(&mut bytes);
        let bounds = bytes.bounds(if is_flat { IVec3::new(7, 5, 1) } else { IVec3::new(5, 4, 3) });
        let chunk_of = if is_flat {
            floodplain::Shape::chunk_of
        } else {
            <Cube as floodplain::Shape>::chunk_of
        };
        let edits = bytes.operations(MOST_EDITS, |bytes| edit(bytes, bounds, chunk_of));
        Run { is_flat, rules, bounds, edits }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        if self.is_flat { self.run_in::<Sheet>() } else { self.run_in::<Cube>() }
    }

    fn run_in<S: FieldShape>(&self) {
        let mut watched = Watched::<S>::new(self);
        self.edits.iter().for_each(|edit| watched.apply(edit));
    }
}

fn rules(bytes: &mut Bytes) -> Rules {
    let border = |byte: u8| if byte.is_multiple_of(3) { Border::Drain } else { Border::Wall };
    let sweep =
        bytes.pick(&[Sweep::Conservative, Sweep::InPlace, Sweep::Conservative, Sweep::Synchronous]);
    Rules {
        sweep,
        cap: bytes.pick(&[1024.0, 100.0, 32_767.0]),
        coefficient: bytes.pick(&[1.0 / 32.0, 0.041_666_66, 0.01]),
        borders: core::array::from_fn(|_| border(bytes.byte())),
        ..Rules::default()
    }
}

/// Some out of range, above the cap, or hardly there.
fn humidity(bytes: &mut Bytes) -> f64 {
    match bytes.byte() {
        byte @ 0..200 => f64::from(byte) * 7.123,
        byte => {
            let odd = [
                0.0,
                -0.0,
                1e-5,
                1e-300,
                1024.0,
                32_767.0,
                32_767.1,
                -1.0,
                f64::NAN,
                f64::INFINITY,
            ];
            odd[usize::from(byte) % odd.len()]
        }
    }
}

fn impermeability(bytes: &mut Bytes) -> f32 {
    match bytes.byte() {
        byte @ 0..200 => 0.5 + f32::from(byte) / 50.0,
        byte @ 200..230 => [ROCK, f32::MAX * 0.9][usize::from(byte % 2)],
        byte => [0.5, 1e30, 1e-3, 0.0, -1.0, 1e31, f32::NAN, f32::INFINITY][usize::from(byte % 8)],
    }
}

fn soil(bytes: &mut Bytes) -> Cell {
    Cell {
        humidity: humidity(bytes),
        impermeability: impermeability(bytes),
        rain: bytes.byte() % 5 == 4,
    }
}

fn edit(bytes: &mut Bytes, bounds: Region, chunk_of: fn(IVec3) -> IVec3) -> Edit {
    let byte = bytes.byte();
    match byte % 24 {
        0 | 1 => Edit::SetHumidity(bytes.cell(bounds), humidity(bytes)),
        2 => Edit::SetImpermeability(bytes.cell(bounds), impermeability(bytes)),
        3 => Edit::SetRock(bytes.cell(bounds)),
        4 | 5 => Edit::SetRain(bytes.cell(bounds), humidity(bytes)),
        6 => Edit::ClearRain(bytes.cell(bounds)),
        7 | 8 => Edit::SetCell(bytes.cell(bounds), soil(bytes)),
        9 | 10 => Edit::FillCells(bytes.region(bounds), soil(bytes)),
        11 if byte >= 5 * 24 => {
            Edit::ReplaceChunk(chunk_of(bytes.cell(bounds)), bytes.strewn(soil))
        }
        11 => Edit::InsertChunk(chunk_of(bytes.cell(bounds)), soil(bytes)),
        12 => Edit::PutBack,
        13 => Edit::RemoveChunk(chunk_of(bytes.cell(bounds))),
        14 => Edit::WakeAll,
        15 => Edit::TakeChanges,
        16 => Edit::SaveAndLoad,
        17 => Edit::Run(bytes.byte() % 10),
        _ => Edit::Step(1 + bytes.byte() % 3),
    }
}

impl<S: FieldShape> World for HumidityWorld<S> {
    type Cell = Cell;

    fn bounds(&self) -> Region {
        self.bounds()
    }

    fn look(&self, cell: IVec3) -> Option<Cell> {
        self.cell(cell)
    }

    fn cell_at(chunk: IVec3, index: usize) -> IVec3 {
        S::cell_at(chunk, index)
    }

    fn wake_all(&mut self) {
        self.wake_all();
    }
}

/// Twins and the model.
struct Watched<S: FieldShape> {
    twins: Twins<HumidityWorld<S>>,
    rules: Rules,
    bounds: Region,
    /// The cells that are loaded.
    cells: BTreeMap<[i32; 3], Cell>,
    placed: u128,
    removed: u128,
    kept: Option<(IVec3, Chunk<Cell>)>,
}

impl<S: FieldShape> Watched<S> {
    /// A world all of whose chunks are loaded, of dry soil.
    fn new(run: &Run) -> Watched<S> {
        let &Run { rules, bounds, .. } = run;
        let dry = Cell::soil(0.0, 1.0);
        let twins = Twins::new(|| {
            let mut world =
                HumidityWorld::<S>::with_bounds(rules, bounds).expect("rules within their ranges");
            for chunk in
                Region::new(S::chunk_of(bounds.min()), S::chunk_of(bounds.max())).positions()
            {
                world.insert_chunk(chunk, Chunk::uniform(dry)).expect("a chunk of the bounds");
            }
            world
        });
        let cells = bounds.positions().map(|cell| (cell.to_array(), dry)).collect();
        Watched { twins, rules, bounds, cells, placed: 0, removed: 0, kept: None }
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
        if let Some(Ledger { placed, removed, .. }) = self.twins.world.ledger() {
            assert_eq!((placed, removed), (self.placed, self.removed), "the ledger after {edit:?}");
        }
    }

    /// Makes an edit in the worlds and in the model, which must agree whether it is refused, and
    /// why.
    fn edit(&mut self, edit: &Edit) {
        let kept = self.kept.clone();
        let answer = self.twins.edit(|world| match *edit {
            Edit::SetHumidity(cell, humidity) => world.set_humidity(cell, humidity).map(drop),
            Edit::SetImpermeability(cell, impermeability) => {
                world.set_impermeability(cell, impermeability).map(drop)
            }
            Edit::SetRock(cell) => world.set_rock(cell).map(drop),
            Edit::SetRain(cell, humidity) => world.set_rain(cell, humidity),
            Edit::ClearRain(cell) => world.clear_rain(cell).map(drop),
            Edit::SetCell(cell, value) => world.set_cell(cell, value).map(drop),
            Edit::FillCells(region, value) => world.fill_cells(region, value),
            Edit::InsertChunk(position, value) => {
                world.insert_chunk(position, Chunk::uniform(value))
            }
            Edit::PutBack => {
                kept.clone().map_or(Ok(()), |(position, chunk)| world.insert_chunk(position, chunk))
            }
            Edit::RemoveChunk(position) => world.remove_chunk(position).map(|chunk| {
                // The twin removes the same chunk, or their states would differ from here on.
                self.kept = Some((position, chunk));
            }),
            _ => Ok(()),
        });
        let expected = match *edit {
            Edit::SetHumidity(cell, humidity) => {
                self.write(Region::cell(cell), |old| Cell { humidity, ..old })
            }
            Edit::SetImpermeability(cell, impermeability) => {
                self.write(Region::cell(cell), |old| Cell { impermeability, ..old })
            }
            Edit::SetRock(cell) => self.write(Region::cell(cell), |old| Cell {
                impermeability: ROCK,
                rain: false,
                ..old
            }),
            Edit::SetRain(cell, humidity) => {
                self.write(Region::cell(cell), |old| Cell { humidity, rain: true, ..old })
            }
            Edit::ClearRain(cell) => {
                self.write(Region::cell(cell), |old| Cell { rain: false, ..old })
            }
            Edit::SetCell(cell, value) => self.write(Region::cell(cell), |_| value),
            Edit::FillCells(region, value) => self.write(region, |_| value),
            Edit::InsertChunk(position, value) => self.insert(position, &Chunk::uniform(value)),
            Edit::PutBack => kept.map_or(Ok(()), |(position, chunk)| self.insert(position, &chunk)),
            Edit::RemoveChunk(position) => self.remove(position),
            _ => Ok(()),
        };
        assert_eq!(answer.map_err(kind), expected, "{edit:?}");
    }

    fn insert_strewn(&mut self, position: IVec3, strewn: Strewn<Cell>) {
        let chunk = strewn.chunk();
        let answer = self.twins.edit(|world| world.insert_chunk(position, chunk.clone()));
        assert_eq!(answer.map_err(kind), self.insert(position, &chunk), "{strewn:?} at {position}");
    }

    /// One step, which is the oracle's to the bit, in the cells and in the account.
    fn step(&mut self) {
        let mut oracle = Oracle::of(&self.twins.world, self.bounds);
        let ranges = self.ranges(&oracle);
        let before = self.twins.world.ledger();
        self.twins.step();
        oracle.step();
        let world = &self.twins.world;
        oracle.compare(world);
        if let (Some(before), Some(after)) = (before, world.ledger()) {
            assert_eq!(after.rained - before.rained, oracle.rained, "rained");
            assert_eq!((after.runoff - before.runoff) as i128, oracle.runoff, "run off");
            assert_eq!((after.drained - before.drained) as i128, oracle.drained, "drained");
        }
        for (cell, [least, most]) in ranges {
            let range = least.min(f64::from(self.rules.cap))..=most.min(f64::from(self.rules.cap));
            assert!(
                range.contains(&world.humidity(cell)),
                "cell {cell} left the range of its neighbours, {range:?}"
            );
        }
        self.look_again();
    }

    /// What the conservative sweep may leave in each cell of soil: from the least to the most of it
    /// and its neighbours.
    fn ranges(&self, oracle: &Oracle) -> Vec<(IVec3, [f64; 2])> {
        let is_soil =
            |cell: &Cell| !cell.rain && !cell.is_rock() && self.rules.sweep == Sweep::Conservative;
        let soil = self.cells.iter().filter(|(_, cell)| is_soil(cell));
        soil.map(|(&at, _)| (at.into(), oracle.range(at.into()))).collect()
    }

    fn look_again(&mut self) {
        for (&at, cell) in &mut self.cells {
            *cell = self.twins.world.cell(at.into()).expect("a step unloads nothing");
        }
    }

    fn write(&mut self, region: Region, change: impl Fn(Cell) -> Cell) -> Result<(), &'static str> {
        if !self.bounds.contains(region.min()) || !self.bounds.contains(region.max()) {
            return Err("OutOfBounds");
        }
        if region.positions().any(|cell| !self.cells.contains_key(&cell.to_array())) {
            return Err("NotLoaded");
        }
        for cell in region.positions() {
            let new = self.kept_as(change(self.cells[&cell.to_array()]))?;
            let old = self.cells.insert(cell.to_array(), new).expect("loaded");
            self.placed += units(new).saturating_sub(units(old));
            self.removed += units(old).saturating_sub(units(new));
        }
        Ok(())
    }

    fn insert(&mut self, position: IVec3, chunk: &Chunk<Cell>) -> Result<(), &'static str> {
        let cells = self.bounds.intersection(&S::region_of(position)).ok_or("ChunkOutOfBounds")?;
        if cells.positions().any(|cell| self.cells.contains_key(&cell.to_array())) {
            return Err("ChunkPresent");
        }
        let kept = |cell: IVec3| Ok((cell, self.kept_as(chunk.get(S::index_of(cell)))?));
        for (cell, new) in cells.positions().map(kept).collect::<Result<Vec<_>, &'static str>>()? {
            self.placed += units(new);
            self.cells.insert(cell.to_array(), new);
        }
        self.twins.forget(cells);
        Ok(())
    }

    fn remove(&mut self, position: IVec3) -> Result<(), &'static str> {
        let cells = self.bounds.intersection(&S::region_of(position)).ok_or("ChunkAbsent")?;
        for cell in cells.positions() {
            self.removed += units(self.cells.remove(&cell.to_array()).ok_or("ChunkAbsent")?);
        }
        self.twins.forget(cells);
        Ok(())
    }

    /// A cell as the world keeps it, if it can.
    fn kept_as(&self, cell: Cell) -> Result<Cell, &'static str> {
        if !(0.0..=MOST_HUMIDITY).contains(&cell.humidity) {
            return Err("Humidity");
        }
        let is_soil = (self.rules.least_impermeability..=1e30).contains(&cell.impermeability);
        if !is_soil && !(f32::MAX / 5.0 * 4.0..=f32::MAX).contains(&cell.impermeability) {
            return Err("Impermeability");
        }
        let humidity = match self.rules.sweep {
            Sweep::Conservative => (cell.humidity * 65_536.0).round() / 65_536.0,
            Sweep::InPlace | Sweep::Synchronous => f64::from(cell.humidity as f32),
        };
        let impermeability = if is_soil { cell.impermeability } else { ROCK };
        Ok(Cell { humidity, impermeability, ..cell })
    }
}

/// Units of the conservative sweep.
fn units(cell: Cell) -> u128 {
    (cell.humidity * 65_536.0) as u128
}

fn kind(error: EditError) -> &'static str {
    match error {
        EditError::NotLoaded(_) => "NotLoaded",
        EditError::OutOfBounds(_) => "OutOfBounds",
        EditError::ChunkPresent(_) => "ChunkPresent",
        EditError::ChunkAbsent(_) => "ChunkAbsent",
        EditError::ChunkOutOfBounds(_) => "ChunkOutOfBounds",
        EditError::Humidity { .. } => "Humidity",
        EditError::Impermeability { .. } => "Impermeability",
        _ => "something new",
    }
}
