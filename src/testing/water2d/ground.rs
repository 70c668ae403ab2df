//! The naive model of 2D water: every cell and the ledger, after every edit and step.

use super::rest::{check_rest, energy};
use super::slice::Slice;
use super::{literal, settling};
use crate::coords::ChunkPos;
use crate::simulation::Displaced;
use crate::testing::board::Board;
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::testing::watch::Model;
use crate::water2d::{
    Cell, Edit, EditError, Ledger, MAX_LEVEL, Outcome, Rule, Rules, Water2dWorld,
};
use crate::{CHUNK_CELLS, Chunk, Region, Sheet, StepReport};
use glam::IVec3;

/// The outcome of an edit, or the name of the error that refuses it.
type Answer = Result<Outcome, &'static str>;

/// The model of a world.
pub(super) struct Ground {
    rules: Rules,
    cells: Board<Cell>,
    ledger: Ledger,
    /// Whether the next step of the literal rule prefers the left.
    left_first: bool,
    /// The law by which cells are judged: that of edits, or that of steps.
    law: &'static str,
}

impl Ground {
    /// Reads a world within bounds.
    pub(super) fn of(world: &Water2dWorld) -> Ground {
        Ground {
            rules: *world.rules(),
            cells: Board::of(world.bounds(), |cell| world.cell(cell)),
            ledger: world.ledger(),
            left_first: world.prefers_left(),
            law: law::CELLS,
        }
    }

    fn make(&mut self, edit: &Edit) -> Answer {
        match *edit {
            Edit::SetSolid(cell) => self.set_solid(cell),
            Edit::ClearSolid(cell) => self.clear_solid(cell),
            Edit::Pour { cell, units } => self.pour(cell, units),
            Edit::Scoop { cell, units } => self.scoop(cell, units),
            Edit::FillSolid(region) => self.fill(region, Cell::SOLID),
            Edit::FillWater { region, level } => {
                self.fill(region, Cell::water(level).ok_or("Level")?)
            }
            Edit::InsertChunk { position, ref chunk } => self.insert(position, chunk),
            Edit::InsertChunks(ref list) => self.insert_all(list),
            Edit::RemoveChunk(position) => self.remove(position),
            Edit::WakeAll => Ok(Outcome::Done),
        }
    }

    /// Returns the level of an open cell.
    fn open(&self, cell: IVec3) -> Result<u32, &'static str> {
        let there = self.cells.loaded(cell)?;
        if there.is_solid() { Err("Solid") } else { Ok(there.level()) }
    }

    fn put(&mut self, cell: IVec3, level: u32) -> Result<(), &'static str> {
        self.cells.put(cell, Cell::water(level).ok_or("Level")?);
        Ok(())
    }

    fn set_solid(&mut self, cell: IVec3) -> Answer {
        let stood = self.cells.loaded(cell)?.level();
        let mut left = stood;
        self.cells.put(cell, Cell::SOLID);
        for offset in [IVec3::Y, IVec3::NEG_X, IVec3::X, IVec3::NEG_Y] {
            let there = cell.saturating_add(offset);
            if let Ok(level) = self.open(there) {
                let units = left.min(MAX_LEVEL - level);
                self.put(there, level + units)?;
                left -= units;
            }
        }
        self.ledger.removed += u64::from(left);
        Ok(Outcome::Displaced(Displaced { moved: stood - left, removed: left }))
    }

    fn clear_solid(&mut self, cell: IVec3) -> Answer {
        let was_solid = self.cells.loaded(cell)?.is_solid();
        if was_solid {
            self.put(cell, 0)?;
        }
        Ok(Outcome::Changed(was_solid))
    }

    fn pour(&mut self, cell: IVec3, units: u32) -> Answer {
        let level = self.open(cell)?.saturating_add(units);
        self.put(cell, level)?;
        self.ledger.placed += u64::from(units);
        Ok(Outcome::Level(level))
    }

    fn scoop(&mut self, cell: IVec3, units: u32) -> Answer {
        let level = self.open(cell)?;
        let scooped = units.min(level);
        self.put(cell, level - scooped)?;
        self.ledger.removed += u64::from(scooped);
        Ok(Outcome::Units(scooped.into()))
    }

    fn fill(&mut self, region: Region, new: Cell) -> Answer {
        self.cells.check(region)?;
        let mut removed = 0;
        for cell in region.positions() {
            removed += u64::from(self.cells.loaded(cell)?.level());
            self.ledger.placed += u64::from(new.level());
            self.cells.put(cell, new);
        }
        self.ledger.removed += removed;
        Ok(Outcome::Units(removed))
    }

    fn insert(&mut self, position: ChunkPos, chunk: &Chunk<Cell>) -> Answer {
        let new = self.cells.insert::<Sheet>(position, chunk, Ok)?;
        self.ledger.placed += new.into_iter().map(|cell| u64::from(cell.level())).sum::<u64>();
        Ok(Outcome::Done)
    }

    /// Inserts all chunks of a list, or none if one is refused.
    fn insert_all(&mut self, list: &[(ChunkPos, Chunk<Cell>)]) -> Answer {
        let before = (self.cells.clone(), self.ledger);
        let all = list.iter().try_for_each(|(at, chunk)| self.insert(*at, chunk).map(drop));
        if all.is_err() {
            (self.cells, self.ledger) = before;
        }
        all.map(|()| Outcome::Done)
    }

    fn remove(&mut self, position: ChunkPos) -> Answer {
        let removed = self.cells.remove::<Sheet>(position, Cell::SOLID)?;
        let level = |index| u64::from(removed.get(index).level());
        self.ledger.removed += (0..CHUNK_CELLS).map(level).sum::<u64>();
        Ok(Outcome::Removed(removed))
    }

    /// Returns the slices, by z. Heights in a slice start at an even row at or just below the
    /// bounds: the rules treat even and odd rows differently, and no head may reach the end of its
    /// range.
    fn slices(&self) -> Vec<Slice> {
        let [width, height, depth] = self.cells.bounds().size().map(|size| size as usize);
        let is_odd = self.cells.bounds().min().y % 2 != 0;
        let level = |cell: Cell| (!cell.is_solid()).then(|| i64::from(cell.level()));
        let rows = |z: usize| {
            let row = move |y: usize| (y * depth + z) * width..(y * depth + z + 1) * width;
            (0..height).flat_map(row).map(|at| self.cells.cells()[at].and_then(level)).collect()
        };
        (0..depth).map(|z| Slice::of(rows(z), width, is_odd)).collect()
    }

    /// Writes the levels of the open cells into the model.
    fn take_over(&mut self, slices: &[Slice]) {
        let [width, _, depth] = self.cells.bounds().size().map(|size| size as usize);
        for (at, cell) in self.cells.cells_mut().iter_mut().enumerate() {
            let (row, x) = (at / width, at % width);
            let level = slices[row % depth].levels[row / depth * width + x];
            if let Some(new) = level.and_then(|level| Cell::water(level as u32)) {
                *cell = Some(new);
            }
        }
    }
}

impl Model<Water2dWorld> for Ground {
    fn edited(&mut self, edit: &Edit, answer: &Result<Outcome, EditError>, found: &mut Findings) {
        self.law = law::CELLS;
        let expected = self.make(edit);
        found.answer(edit, answer.as_ref().cloned(), expected);
    }

    /// Steps the model by the formulas, in every cell. `compare` then checks the cells.
    fn stepped(
        &mut self,
        world: &Water2dWorld,
        report: StepReport,
        differing: u64,
        found: &mut Findings,
    ) {
        self.law = law::FORMULAS;
        // Settling also counts cells that change in one part of the step and back in another.
        let fits = match self.rules.rule {
            Rule::Literal => report.changed == differing,
            Rule::Settling => (report.changed > 0) == (differing > 0),
        };
        found.hold(law::CHANGES_COUNTED, fits, || {
            format!("{} cells that changed, of {differing}", report.changed)
        });
        let before = self.slices();
        let step = |slice: &Slice| match self.rules.rule {
            Rule::Literal => literal::step(slice, self.left_first),
            Rule::Settling => settling::step(slice, i64::from(self.rules.pressure_flow)),
        };
        let after: Vec<Slice> = before.iter().map(step).collect();
        self.take_over(&after);
        self.left_first = !self.left_first;
        if self.rules.rule == Rule::Settling {
            check_settling(&before, &after, world.is_at_rest(), found);
        }
    }

    fn compare(&self, world: &Water2dWorld, found: &mut Findings) {
        self.cells.compare(self.law, |cell| world.cell(cell), found);
        found.same(law::LEDGER, &world.ledger(), &self.ledger, || "the ledger".to_owned());
    }
}

/// Checks that a step of the settling rule that changes anything lowers the energy, and that all is
/// level at rest.
fn check_settling(before: &[Slice], after: &[Slice], is_at_rest: bool, found: &mut Findings) {
    for (before, after) in before.iter().zip(after) {
        let is_lower = || energy(after) < energy(before);
        let holds = before == after || is_lower();
        found.hold(law::ENERGY, holds, || format!("{} after {}", energy(after), energy(before)));
        if is_at_rest && let Err(uneven) = check_rest(after) {
            found.hold(law::LEVEL, false, || uneven);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::slice::from_ref;

    fn broken(before: &Slice, after: &Slice, is_at_rest: bool) -> Option<&'static str> {
        let mut found = Findings::default();
        check_settling(from_ref(before), from_ref(after), is_at_rest, &mut found);
        found.take().err().map(|broken| broken.first().law)
    }

    /// Returns a slice of rows of three cells from the bottom; −1 is ground.
    fn slice(levels: &[i64]) -> Slice {
        Slice::of(levels.iter().map(|&level| (level >= 0).then_some(level)).collect(), 3, false)
    }

    #[test]
    fn rising_water_and_uneven_rest_break_laws() {
        let low = slice(&[-1, 100, -1, 0, 40, 0]);
        let high = slice(&[-1, 40, -1, 0, 100, 0]);
        assert_eq!(broken(&high, &low, false), None);
        assert_eq!(broken(&low, &low, false), None);
        assert_eq!(broken(&low, &high, false), Some(law::ENERGY));
        // Uneven are water on nothing, water beside less, an arm higher than the other, and more
        // pressure.
        let level = [slice(&[102, 102, 102, 51, 50, 50]), slice(&[103, 103, 103, 60, -1, 60])];
        let uneven = [
            &high,
            &slice(&[102, 102, 102, 52, 50, 50]),
            &slice(&[103, 103, 103, 60, -1, 58]),
            &slice(&[106, 106, 106, 60, -1, 60]),
        ];
        assert_eq!(level.each_ref().map(|slice| broken(slice, slice, true)), [None; 2]);
        assert_eq!(uneven.map(|slice| broken(slice, slice, true)), [Some(law::LEVEL); 4]);
        assert_eq!(uneven.map(|slice| broken(slice, slice, false)), [None; 4]);
    }
}
