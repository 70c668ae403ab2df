//! Edits and steps of a humidity world, against a model of every cell and, step by step, the oracle
//! of `humidity_oracle`. Property tests and the fuzz target `humidity` make the edits: in the world
//! as values that were sent as bytes, in its twin by the functions of their names.

use super::oracle::Oracle;
use crate::bytes::{Bytes, Filling};
use crate::edit_bytes::sent;
use crate::model::{self, ChunkWorld, Looks, Model, Watched, chunks_of, name};
use floodplain::glam::IVec3;
use floodplain::humidity::{
    self, Border, Cell, EditError, HumidityWorld, Ledger, MOST_HUMIDITY, Outcome, ROCK, Rules,
    Sweep,
};
use floodplain::{Chunk, Cube, FieldShape, Region, Shape, Sheet, StepReport};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;

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
    InsertChunk(IVec3, Filling<Cell>),
    /// The chunk that was last removed, wherever that was.
    PutBack,
    RemoveChunk(IVec3),
}

type Op = model::Op<Edit>;

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run {
    is_flat: bool,
    rules: Rules,
    bounds: Region,
    ops: Vec<Op>,
}

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        let mut bytes = Bytes(bytes);
        let is_flat = bytes.byte() % 2 == 0;
        let rules = rules(&mut bytes);
        let bounds = bytes.bounds(if is_flat { IVec3::new(7, 5, 1) } else { IVec3::new(5, 4, 3) });
        let chunk_of = if is_flat { Sheet::chunk_of } else { Cube::chunk_of };
        let ops = bytes.operations(MOST_EDITS, |bytes, ops| push_op(bytes, bounds, chunk_of, ops));
        Run { is_flat, rules, bounds, ops }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        if self.is_flat { self.run_in::<Sheet>() } else { self.run_in::<Cube>() }
    }

    fn run_in<S: FieldShape>(&self) {
        let &Run { rules, bounds, .. } = self;
        let mut watched = Watched::of(Soil::<S>::new(rules, bounds), || dry_world(rules, bounds));
        self.ops.iter().for_each(|op| watched.apply(op));
    }

    /// Makes the edits as values and by the functions of their names, with the same bytes after
    /// each.
    pub fn values_are_calls(&self) {
        if self.is_flat { self.values_in::<Sheet>() } else { self.values_in::<Cube>() }
    }

    fn values_in<S: FieldShape>(&self) {
        let &Run { rules, bounds, .. } = self;
        let world = || dry_world(rules, bounds);
        model::values_are_calls(Soil::<S>::new(rules, bounds), world, &self.ops);
    }
}

fn rules(bytes: &mut Bytes) -> Rules {
    let border = |byte: u8| if byte.is_multiple_of(3) { Border::Drain } else { Border::Wall };
    let sweep =
        bytes.pick(&[Sweep::Conservative, Sweep::InPlace, Sweep::Conservative, Sweep::Synchronous]);
    // Less than the most, or other rules would be refused.
    let falling = bytes.pick(&[0.0, 0.0, 0.999, 0.3]);
    let coefficient: f32 = bytes.pick(&[1.0 / 32.0, 0.041_666_66, 0.01]);
    let most = falling * (0.25 - 6.0 * f64::from(coefficient)).max(0.0) as f32;
    Rules {
        sweep,
        cap: bytes.pick(&[1024.0, 100.0, 32_767.0]),
        coefficient,
        fall: if sweep == Sweep::Conservative { most } else { 0.0 },
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

fn push_op(bytes: &mut Bytes, bounds: Region, chunk_of: fn(IVec3) -> IVec3, ops: &mut Vec<Op>) {
    let byte = bytes.byte();
    let edit = match byte % 24 {
        0 | 1 => Edit::SetHumidity(bytes.cell(bounds), humidity(bytes)),
        2 => Edit::SetImpermeability(bytes.cell(bounds), impermeability(bytes)),
        3 => Edit::SetRock(bytes.cell(bounds)),
        4 | 5 => Edit::SetRain(bytes.cell(bounds), humidity(bytes)),
        6 => Edit::ClearRain(bytes.cell(bounds)),
        7 | 8 => Edit::SetCell(bytes.cell(bounds), soil(bytes)),
        9 | 10 => Edit::FillCells(bytes.region(bounds), soil(bytes)),
        11 if byte >= 5 * 24 => {
            // In place of one that may be there.
            let chunk = chunk_of(bytes.cell(bounds));
            ops.push(Op::Edit(Edit::RemoveChunk(chunk)));
            Edit::InsertChunk(chunk, bytes.strewn(soil))
        }
        11 => Edit::InsertChunk(chunk_of(bytes.cell(bounds)), Filling::Equal(soil(bytes))),
        12 => Edit::PutBack,
        13 => Edit::RemoveChunk(chunk_of(bytes.cell(bounds))),
        14 => return ops.push(Op::WakeAll),
        15 => return ops.push(Op::TakeChanges),
        16 => return ops.push(Op::SaveAndLoad),
        17 => return ops.push(Op::Run(bytes.byte() % 10, ())),
        _ => return ops.push(Op::Step(1 + bytes.byte() % 3)),
    };
    ops.push(Op::Edit(edit));
}

impl<S: FieldShape> ChunkWorld for HumidityWorld<S> {
    type Shape = S;

    fn wake_all(&mut self) {
        self.wake_all();
    }
}

const DRY: Cell = Cell::soil(0.0, 1.0);

/// A world all of whose chunks are loaded, of dry soil.
fn dry_world<S: FieldShape>(rules: Rules, bounds: Region) -> HumidityWorld<S> {
    let mut world = HumidityWorld::with_bounds(rules, bounds).expect("rules within their ranges");
    for chunk in chunks_of::<S>(bounds).positions() {
        world.insert_chunk(chunk, Chunk::uniform(DRY)).expect("a chunk of the bounds");
    }
    world
}

/// The model.
struct Soil<S> {
    rules: Rules,
    bounds: Region,
    /// The cells that are loaded.
    cells: BTreeMap<[i32; 3], Cell>,
    placed: u128,
    removed: u128,
    kept: Option<(IVec3, Chunk<Cell>)>,
    /// The cells that the last edit loaded or unloaded.
    loaded: Option<Region>,
    shape: PhantomData<S>,
}

impl<S: FieldShape> Model for Soil<S> {
    type World = HumidityWorld<S>;
    type Edit = Edit;
    type Run = ();
    type Answer = Outcome;
    type Error = EditError;
    type Look = Cell;

    fn make(
        &mut self,
        world: &mut HumidityWorld<S>,
        edit: &Edit,
        is_twin: bool,
    ) -> Result<Outcome, EditError> {
        if is_twin {
            return self.make_directly(world, edit);
        }
        self.value_of(edit).map_or(Ok(Outcome::Done), |value| world.apply(sent(&value)))
    }

    fn edit(&mut self, edit: &Edit, answer: Result<Outcome, EditError>) {
        self.loaded = None;
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
            Edit::InsertChunk(position, filling) => self.insert(position, &filling.chunk()),
            Edit::PutBack => match self.kept.clone() {
                Some((position, chunk)) => self.insert(position, &chunk),
                None => Ok(()),
            },
            Edit::RemoveChunk(position) => self.remove(position),
        };
        assert_eq!(
            answer.map(drop).map_err(|error| name(&error)),
            expected.map_err(str::to_owned),
            "{edit:?}"
        );
    }

    fn was_loaded(&self, place: [i32; 3]) -> bool {
        self.loaded.is_some_and(|cells| cells.contains(place.into()))
    }

    fn looks(&self, world: &HumidityWorld<S>) -> Looks<Self> {
        let look = |cell: IVec3| Some((cell.to_array(), world.cell(cell)?));
        self.bounds.positions().filter_map(look).collect()
    }

    /// The oracle's step to the bit, in the cells and in the account.
    fn step(&mut self, twin: &mut HumidityWorld<S>) -> StepReport {
        let mut oracle = Oracle::of(twin, self.bounds);
        let ranges = self.ranges(&oracle);
        let before = twin.ledger();
        let report = twin.step();
        oracle.step();
        oracle.compare(twin);
        if let (Some(before), Some(after)) = (before, twin.ledger()) {
            assert_eq!(after.rained - before.rained, oracle.rained, "rained");
            assert_eq!((after.runoff - before.runoff) as i128, oracle.runoff, "run off");
            assert_eq!((after.drained - before.drained) as i128, oracle.drained, "drained");
        }
        let cap = f64::from(self.rules.cap);
        for (cell, [least, most]) in ranges {
            let range = least.min(cap)..=most.min(cap);
            assert!(
                range.contains(&twin.humidity(cell)),
                "cell {cell} left the range of its neighbours, {range:?}"
            );
        }
        self.cells = self.looks(twin);
        report
    }

    fn compare(&self, world: &HumidityWorld<S>, after: &dyn Debug) {
        for cell in self.bounds.positions() {
            let expected = self.cells.get(&cell.to_array()).copied();
            assert_eq!(world.cell(cell), expected, "cell {cell} after {after:?}");
        }
        if let Some(Ledger { placed, removed, .. }) = world.ledger() {
            assert_eq!((placed, removed), (self.placed, self.removed), "the ledger, {after:?}");
        }
    }
}

impl<S: FieldShape> Soil<S> {
    /// An edit as a value; none if it would put back what was never removed.
    fn value_of(&self, edit: &Edit) -> Option<humidity::Edit> {
        let insert = |position, chunk| humidity::Edit::InsertChunk { position, chunk };
        Some(match *edit {
            Edit::SetHumidity(cell, humidity) => humidity::Edit::SetHumidity { cell, humidity },
            Edit::SetImpermeability(cell, impermeability) => {
                humidity::Edit::SetImpermeability { cell, impermeability }
            }
            Edit::SetRock(cell) => humidity::Edit::SetRock(cell),
            Edit::SetRain(cell, humidity) => humidity::Edit::SetRain { cell, humidity },
            Edit::ClearRain(cell) => humidity::Edit::ClearRain(cell),
            Edit::SetCell(cell, value) => humidity::Edit::SetCell { cell, value },
            Edit::FillCells(region, value) => humidity::Edit::FillCells { region, value },
            Edit::InsertChunk(position, filling) => insert(position, filling.chunk()),
            Edit::PutBack => {
                let (position, chunk) = self.kept.clone()?;
                insert(position, chunk)
            }
            Edit::RemoveChunk(position) => humidity::Edit::RemoveChunk(position),
        })
    }

    /// Makes an edit by the function of its name.
    fn make_directly(
        &mut self,
        world: &mut HumidityWorld<S>,
        edit: &Edit,
    ) -> Result<Outcome, EditError> {
        let done = |()| Outcome::Done;
        match *edit {
            Edit::SetHumidity(cell, humidity) => {
                world.set_humidity(cell, humidity).map(Outcome::Humidity)
            }
            Edit::SetImpermeability(cell, impermeability) => {
                world.set_impermeability(cell, impermeability).map(Outcome::Impermeability)
            }
            Edit::SetRock(cell) => world.set_rock(cell).map(Outcome::Changed),
            Edit::SetRain(cell, humidity) => world.set_rain(cell, humidity).map(done),
            Edit::ClearRain(cell) => world.clear_rain(cell).map(Outcome::Changed),
            Edit::SetCell(cell, value) => world.set_cell(cell, value).map(Outcome::Cell),
            Edit::FillCells(region, value) => world.fill_cells(region, value).map(done),
            Edit::InsertChunk(position, filling) => {
                world.insert_chunk(position, filling.chunk()).map(done)
            }
            Edit::PutBack => match self.kept.clone() {
                Some((position, chunk)) => world.insert_chunk(position, chunk).map(done),
                None => Ok(Outcome::Done),
            },
            Edit::RemoveChunk(position) => world.remove_chunk(position).map(|chunk| {
                self.kept = Some((position, chunk.clone()));
                Outcome::Removed(chunk)
            }),
        }
    }

    fn new(rules: Rules, bounds: Region) -> Soil<S> {
        let cells = bounds.positions().map(|cell| (cell.to_array(), DRY)).collect();
        let (kept, loaded, shape) = (None, None, PhantomData);
        Soil { rules, bounds, cells, placed: 0, removed: 0, kept, loaded, shape }
    }

    /// What the conservative sweep may leave in each cell of soil: from the least to the most of it
    /// and its neighbours.
    fn ranges(&self, oracle: &Oracle) -> Vec<(IVec3, [f64; 2])> {
        let is_soil =
            |cell: &Cell| !cell.rain && !cell.is_rock() && self.rules.sweep == Sweep::Conservative;
        let soil = self.cells.iter().filter(|(_, cell)| is_soil(cell));
        soil.map(|(&at, _)| (at.into(), oracle.range(at.into()))).collect()
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
        self.loaded = Some(cells);
        Ok(())
    }

    fn remove(&mut self, position: IVec3) -> Result<(), &'static str> {
        let cells = self.bounds.intersection(&S::region_of(position)).ok_or("ChunkAbsent")?;
        for cell in cells.positions() {
            self.removed += units(self.cells.remove(&cell.to_array()).ok_or("ChunkAbsent")?);
        }
        self.loaded = Some(cells);
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
