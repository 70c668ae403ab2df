//! Edits and steps of a humidity world, against a model of every cell and, step by step, the oracle
//! of `humidity_oracle`. Property tests and the fuzz target `humidity` make the edits.

use super::oracle::Oracle;
use crate::shapes::EitherShape;
use floodplain::glam::IVec3;
use floodplain::humidity::{
    Cell, Edit, EditError, HumidityWorld, Ledger, MOST_HUMIDITY, Outcome, ROCK, Rules, Sweep,
};
use floodplain::testing::{self, Findings, Model, law};
use floodplain::{Chunk, Cube, FieldShape, Region, Sheet, StepReport};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A world, and what is done to it.
pub type Run = EitherShape<testing::Run<HumidityWorld<Sheet>>, testing::Run<HumidityWorld<Cube>>>;

/// Makes the edits, with every law after each.
pub fn check(run: &Run) {
    match run {
        Run::Flat(run) => check_shape(run),
        Run::Deep(run) => check_shape(run),
    }
}

fn check_shape<S: FieldShape>(run: &testing::Run<HumidityWorld<S>>) {
    let watched = run.watched();
    let model = Soil::of(watched.world());
    watched.with_model(model).play(&run.ops).unwrap();
}

/// What is known before a step.
struct Before {
    oracle: Oracle,
    /// What each cell of soil must stay within.
    ranges: Vec<(IVec3, [f64; 2])>,
    ledger: Option<Ledger>,
}

/// The model.
struct Soil<S> {
    rules: Rules,
    bounds: Region,
    /// The cells that are loaded.
    cells: BTreeMap<[i32; 3], Cell>,
    placed: u128,
    removed: u128,
    step: Option<Before>,
    shape: PhantomData<S>,
}

impl<S: FieldShape> Model<HumidityWorld<S>> for Soil<S> {
    fn edited(&mut self, edit: &Edit, answer: &Result<Outcome, EditError>, found: &mut Findings) {
        let expected = match edit {
            &Edit::SetHumidity { cell, humidity } => {
                self.write(Region::cell(cell), |old| Cell { humidity, ..old })
            }
            &Edit::SetImpermeability { cell, impermeability } => {
                self.write(Region::cell(cell), |old| Cell { impermeability, ..old })
            }
            &Edit::SetRock(cell) => self.write(Region::cell(cell), |old| Cell {
                impermeability: ROCK,
                rain: false,
                ..old
            }),
            &Edit::SetRain { cell, humidity } => {
                self.write(Region::cell(cell), |old| Cell { humidity, rain: true, ..old })
            }
            &Edit::ClearRain(cell) => {
                self.write(Region::cell(cell), |old| Cell { rain: false, ..old })
            }
            &Edit::SetCell { cell, value } => self.write(Region::cell(cell), |_| value),
            &Edit::FillCells { region, value } => self.write(region, |_| value),
            Edit::InsertChunk { position, chunk } => self.insert(*position, chunk),
            &Edit::RemoveChunk(position) => self.remove(position),
            Edit::WakeAll => Ok(()),
            edit => panic!("a new edit: {edit:?}"),
        };
        found.answer(edit, answer.as_ref().map(drop), expected);
    }

    fn step_begins(&mut self, world: &HumidityWorld<S>) {
        let oracle = Oracle::of(world, self.bounds);
        let ranges = self.ranges(&oracle);
        self.step = Some(Before { oracle, ranges, ledger: world.ledger() });
    }

    /// The oracle's step to the bit, in the cells and in the account.
    fn stepped(&mut self, world: &HumidityWorld<S>, _: StepReport, _: u64, _: &mut Findings) {
        let Before { mut oracle, ranges, ledger } = self.step.take().expect("a step has begun");
        oracle.step();
        oracle.compare(world);
        if let (Some(before), Some(after)) = (ledger, world.ledger()) {
            assert_eq!(after.rained - before.rained, oracle.rained, "rained");
            assert_eq!((after.runoff - before.runoff) as i128, oracle.runoff, "run off");
            assert_eq!((after.drained - before.drained) as i128, oracle.drained, "drained");
        }
        let cap = f64::from(self.rules.cap);
        for (cell, [least, most]) in ranges {
            let range = least.min(cap)..=most.min(cap);
            assert!(
                range.contains(&world.humidity(cell)),
                "cell {cell} left the range of its neighbours, {range:?}"
            );
        }
        self.cells = cells(world, self.bounds);
    }

    fn compare(&self, world: &HumidityWorld<S>, found: &mut Findings) {
        for cell in self.bounds.positions() {
            let expected = self.cells.get(&cell.to_array()).copied();
            found.same(law::CELLS, &world.cell(cell), &expected, || cell.to_string());
        }
        if let Some(Ledger { placed, removed, .. }) = world.ledger() {
            let expected = (self.placed, self.removed);
            found.same(law::LEDGER, &(placed, removed), &expected, || "edits".to_owned());
        }
    }
}

fn cells<S: FieldShape>(world: &HumidityWorld<S>, bounds: Region) -> BTreeMap<[i32; 3], Cell> {
    let cell = |cell: IVec3| Some((cell.to_array(), world.cell(cell)?));
    bounds.positions().filter_map(cell).collect()
}

impl<S: FieldShape> Soil<S> {
    fn of(world: &HumidityWorld<S>) -> Soil<S> {
        let (rules, bounds) = (*world.rules(), world.bounds());
        let cells = cells(world, bounds);
        Soil { rules, bounds, cells, placed: 0, removed: 0, step: None, shape: PhantomData }
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
        Ok(())
    }

    fn remove(&mut self, position: IVec3) -> Result<(), &'static str> {
        let cells = self.bounds.intersection(&S::region_of(position)).ok_or("ChunkAbsent")?;
        for cell in cells.positions() {
            self.removed += units(self.cells.remove(&cell.to_array()).ok_or("ChunkAbsent")?);
        }
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
