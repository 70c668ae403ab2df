//! The naive model of humidity: every cell and the ledger, after every edit and step.

use super::ground::{self, Ground};
use crate::coords::ChunkPos;
use crate::humidity::{
    Cell, Edit, EditError, HumidityWorld, Ledger, MOST_HUMIDITY, Outcome, ROCK, Rules, Sweep,
};
use crate::testing::board::Board;
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::testing::watch::Model;
use crate::{CHUNK_CELLS, Chunk, FieldShape, Region, StepReport};
use core::marker::PhantomData;
use glam::IVec3;

/// The model of a world.
pub(super) struct Soil<S> {
    ground: Ground,
    /// The ledger, if the sweep keeps one.
    ledger: Option<Ledger>,
    /// Whether every chunk was awake before the step.
    is_awake: bool,
    /// The laws by which cells and ledger are judged: those of edits, or those of steps.
    laws: [&'static str; 2],
    shape: PhantomData<S>,
}

impl<S: FieldShape> Soil<S> {
    /// Reads a world within bounds.
    pub(super) fn of(world: &HumidityWorld<S>) -> Soil<S> {
        let cells = Board::of(world.bounds(), |cell| world.cell(cell));
        Soil {
            ground: Ground { rules: *world.rules(), neighbours: S::NEIGHBOURS, cells },
            ledger: world.ledger(),
            is_awake: false,
            laws: [law::CELLS, law::LEDGER],
            shape: PhantomData,
        }
    }

    fn make(&mut self, edit: &Edit) -> Result<Outcome, &'static str> {
        match *edit {
            Edit::SetHumidity { cell, humidity } => {
                let old = self.set(cell, |old| Cell { humidity, ..old })?;
                Ok(Outcome::Humidity(old.humidity))
            }
            Edit::SetImpermeability { cell, impermeability } => {
                let old = self.set(cell, |old| Cell { impermeability, ..old })?;
                Ok(Outcome::Impermeability(old.impermeability))
            }
            Edit::SetRock(cell) => {
                let rock = |old| Cell { impermeability: ROCK, rain: false, ..old };
                Ok(Outcome::Changed(self.set(cell, rock)?.impermeability != ROCK))
            }
            Edit::SetRain { cell, humidity } => {
                self.set(cell, |old| Cell { humidity, rain: true, ..old })?;
                Ok(Outcome::Done)
            }
            Edit::ClearRain(cell) => {
                Ok(Outcome::Changed(self.set(cell, |old| Cell { rain: false, ..old })?.rain))
            }
            Edit::SetCell { cell, value } => self.set(cell, |_| value).map(Outcome::Cell),
            Edit::FillCells { region, value } => self.fill(region, value).map(|()| Outcome::Done),
            Edit::InsertChunk { position, ref chunk } => self.insert(position, chunk),
            Edit::RemoveChunk(position) => self.remove(position),
            Edit::WakeAll => Ok(Outcome::Done),
        }
    }

    /// Changes a cell. Returns the old one.
    fn set(
        &mut self,
        cell: IVec3,
        change: impl FnOnce(Cell) -> Cell,
    ) -> Result<Cell, &'static str> {
        let old = self.ground.cells.loaded(cell)?;
        self.fill(Region::cell(cell), change(old))?;
        Ok(old)
    }

    fn fill(&mut self, region: Region, value: Cell) -> Result<(), &'static str> {
        self.ground.cells.check(region)?;
        let new = kept(&self.ground.rules, value)?;
        for cell in region.positions() {
            let old = self.ground.cells.loaded(cell)?;
            self.ground.cells.put(cell, new);
            self.post(units(new).saturating_sub(units(old)), units(old).saturating_sub(units(new)));
        }
        Ok(())
    }

    fn insert(&mut self, position: ChunkPos, chunk: &Chunk<Cell>) -> Result<Outcome, &'static str> {
        let rules = self.ground.rules;
        let new = self.ground.cells.insert::<S>(position, chunk, |cell| kept(&rules, cell))?;
        self.post(new.into_iter().map(units).sum(), 0);
        Ok(Outcome::Done)
    }

    fn remove(&mut self, position: ChunkPos) -> Result<Outcome, &'static str> {
        let removed = self.ground.cells.remove::<S>(position, Cell::ROCK)?;
        self.post(0, (0..CHUNK_CELLS).map(|index| units(removed.get(index))).sum());
        Ok(Outcome::Removed(removed))
    }

    fn post(&mut self, placed: u128, removed: u128) {
        if let Some(ledger) = &mut self.ledger {
            ledger.placed += placed;
            ledger.removed += removed;
        }
    }
}

impl<S: FieldShape> Model<HumidityWorld<S>> for Soil<S> {
    fn edited(&mut self, edit: &Edit, answer: &Result<Outcome, EditError>, found: &mut Findings) {
        self.laws = [law::CELLS, law::LEDGER];
        let expected = self.make(edit);
        found.answer(edit, answer.as_ref().cloned(), expected);
    }

    fn step_begins(&mut self, world: &HumidityWorld<S>) {
        let all = CHUNK_CELLS * self.ground.cells.chunks::<S>();
        self.is_awake = world.awake_cells() == all;
    }

    /// Steps the model by the formulas, which hold to the bit. `compare` then checks the cells and
    /// the account.
    fn stepped(
        &mut self,
        _: &HumidityWorld<S>,
        report: StepReport,
        differing: u64,
        found: &mut Findings,
    ) {
        self.laws = [law::FORMULAS, law::ACCOUNT];
        let before = self.ground.clone();
        let flows = self.ground.step();
        self.ground.check_range(&before, found);
        if let Some(ledger) = &mut self.ledger {
            ledger.rained += flows.rained;
            ledger.runoff += flows.runoff;
            ledger.drained += flows.drained;
        }
        let counted = || "cells that changed".to_owned();
        found.same(law::CHANGES_COUNTED, &report.changed, &differing, counted);
        // Units that flow through a sleeping chunk without changing it are not counted.
        let (moved, of_report) = (flows.moved, u128::from(report.moved));
        let fits = if self.is_awake { of_report == moved } else { of_report <= moved };
        found.hold(law::CHANGES_COUNTED, fits, || format!("{of_report} units moved, of {moved}"));
    }

    fn compare(&self, world: &HumidityWorld<S>, found: &mut Findings) {
        let [cells, ledger] = self.laws;
        self.ground.cells.compare(cells, |cell| world.cell(cell), found);
        found.same(ledger, &world.ledger(), &self.ledger, || "the ledger".to_owned());
    }
}

/// Returns a cell as a world keeps it, or the name of the error that refuses it.
fn kept(rules: &Rules, cell: Cell) -> Result<Cell, &'static str> {
    if !(0.0..=MOST_HUMIDITY).contains(&cell.humidity) {
        return Err("Humidity");
    }
    let is_soil = (rules.least_impermeability..=1e30).contains(&cell.impermeability);
    if !is_soil && !(f32::MAX / 5.0 * 4.0..=f32::MAX).contains(&cell.impermeability) {
        return Err("Impermeability");
    }
    let humidity = match rules.sweep {
        Sweep::Conservative => (cell.humidity * 65_536.0).round() / 65_536.0,
        Sweep::InPlace | Sweep::Synchronous => f64::from(cell.humidity as f32),
    };
    let impermeability = if is_soil { cell.impermeability } else { ROCK };
    Ok(Cell { humidity, impermeability, ..cell })
}

/// Returns the content of a cell in units of the conservative sweep.
fn units(cell: Cell) -> u128 {
    ground::units(cell.humidity) as u128
}
