//! A part of a divided slice of water, stepped by the literal rule: halo exchange with halos two
//! cells wide, since the inflow of a cell depends on cells two steps away.

use super::cell::Cell;
use super::lines::Cells;
use super::rules::Rule;
use super::step::Kernel;
use super::{Ledger, Water2dWorld};
use crate::chunk::CellMask;
use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::{ChunkPos, ColumnPos, Face};
use crate::grid::Slot;
use crate::simulation::StepReport;
use hashbrown::HashSet;
use std::sync::Arc;

/// The number of chunks that are stepped ahead together.
const BATCH: usize = 16;

/// The local x of the cells within two of a side, those at the side last; and the bits of both in
/// the mask of a row.
const SIDES: [(Face, [usize; 2], u64); 2] =
    [(Face::West, [1, 0], 0b11), (Face::East, [62, 63], 0b11 << 62)];

impl Water2dWorld {
    /// Returns whether the rule is the literal one, by which a step depends on nearby cells only.
    pub(crate) fn is_literal(&self) -> bool {
        self.rules.rule == Rule::Literal
    }

    /// Owns these columns from now on.
    pub(crate) fn own(&mut self, columns: Arc<HashSet<ColumnPos>>) {
        self.kernel.drop_ahead();
        self.cells.divide(columns);
    }

    /// Removes a chunk, without an entry in the ledger. Wakes nothing.
    pub(crate) fn drop_chunk(&mut self, chunk: ChunkPos) {
        self.kernel.drop_ahead();
        self.cells.remove(chunk);
    }

    /// Sets the steps run and the ledger.
    pub(crate) fn resume(&mut self, ticks: u64, ledger: Ledger) {
        (self.tick, self.ledger) = (ticks, ledger);
    }

    /// Steps some of the chunks that no ghost is beside, on copies. Returns whether there were any.
    pub(crate) fn step_inside(&mut self) -> bool {
        let left_first = self.prefers_left();
        let Kernel::Literal(literal) = &self.kernel else { return false };
        let is_due = |&slot: &Slot| {
            !literal.is_ahead(slot) && is_inside(&self.cells, slot) && self.is_near_water(slot)
        };
        let awake = self.cells.awake_slots().iter().copied();
        let slots: Vec<Slot> = awake.filter(is_due).take(BATCH).collect();
        if let Kernel::Literal(literal) = &mut self.kernel {
            literal.step_ahead(&self.cells, &slots, left_first);
        }
        !slots.is_empty()
    }

    /// Runs a step. Hands over each chunk that changed within two cells of a column of another
    /// part, with its cells there.
    pub(crate) fn step_telling(&mut self, tell: &mut dyn FnMut(ChunkPos, Vec<u8>)) -> StepReport {
        let is_divided = self.cells.is_divided();
        self.step_noting(|cells, slot, changed| {
            if is_divided {
                tell_sides(cells, slot, changed, tell);
            }
        })
    }

    /// Takes over the cells of a ghost that another part has told, and wakes the chunks within two
    /// cells of those that differ.
    pub(crate) fn hear(&mut self, chunk: ChunkPos, news: &[u8]) -> Result<(), DecodeError> {
        let mut news = Reader::new(Format::News, news);
        let wrong =
            news.malformed("a side of a ghost that is loaded: 0 to the west, 1 to the east");
        let side: u8 = news.take()?;
        let ghost = self.cells.slot(chunk).filter(|&slot| self.cells.is_ghost_at(slot));
        let (Some(&(_, columns, _)), Some(slot)) = (SIDES.get(usize::from(side)), ghost) else {
            return Err(wrong);
        };
        let mut told = [Cell::AIR; 128];
        for cell in &mut told {
            *cell = news.take()?;
        }
        news.finish(())?;
        let mut changed = CellMask::EMPTY;
        for (at, cell) in told.into_iter().enumerate() {
            let index = 64 * (at % 64) + columns[at / 64];
            changed.set(index, self.cells.chunk_at_mut(slot).set(index, cell) != cell);
        }
        self.cells.chunk_at_mut(slot).canonicalize();
        self.wake_timers.touch(&mut self.cells, slot, &changed);
        Ok(())
    }
}

/// Returns whether this part owns the columns beside a chunk.
fn is_inside(cells: &Cells, slot: Slot) -> bool {
    let beside = |face: Face| cells.position_at(slot).step(face);
    SIDES.iter().all(|&(face, ..)| beside(face).is_none_or(|there| !cells.is_foreign(there)))
}

fn tell_sides(
    cells: &Cells,
    slot: Slot,
    changed: &CellMask,
    tell: &mut dyn FnMut(ChunkPos, Vec<u8>),
) {
    let all = changed.words().iter().fold(0, |all, row| all | row);
    let chunk = cells.position_at(slot);
    for (side, (face, columns, bits)) in SIDES.into_iter().enumerate() {
        if all & bits == 0 || chunk.step(face).is_none_or(|there| !cells.is_foreign(there)) {
            continue;
        }
        let mut news = vec![side as u8];
        for (x, y) in columns.into_iter().flat_map(|x| (0..64).map(move |y| (x, y))) {
            cells.chunk_at(slot).get(64 * y + x).put(&mut news);
        }
        tell(chunk, news);
    }
}
