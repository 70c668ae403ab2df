//! A part of a divided slice of water, stepped by the literal rule: halo exchange with halos two
//! cells wide, since the inflow of a cell depends on levels two cells away.

use crate::automata::engine::halo_exchange::{HaloExchange, Indivisible, Outbox};
use crate::automata::water2d::cell::Cell;
use crate::automata::water2d::edit::units_in;
use crate::automata::water2d::lines::Cells;
use crate::automata::water2d::rules::Rule;
use crate::automata::water2d::step::Kernel;
use crate::automata::water2d::{Ledger, Water2dWorld};
use crate::chunk::CellMask;
use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::{ChunkPos, ColumnPos, Face, Region, Sheet};
use crate::grid::{Grid, Slot};
use crate::simulation::StepReport;
use hashbrown::HashSet;
use std::sync::Arc;

/// The number of chunks that are stepped ahead together.
const BATCH: usize = 16;

/// The faces to the west and east, each with the local x of the two columns of cells next to it,
/// the outer column last, and with the bits of both columns in the mask of a row.
const SIDES: [(Face, [usize; 2], u64); 2] =
    [(Face::West, [1, 0], 0b11), (Face::East, [62, 63], 0b11 << 62)];

impl HaloExchange for Water2dWorld {
    type Value = Cell;
    type Shape = Sheet;
    const EXCHANGES: usize = 1;

    /// Returns one less than half the width of the columns in cells: a step reads two cells beyond
    /// a face, and after the last step these cells decide what wakes.
    fn steps_for(columns: u32) -> u64 {
        (u64::from(columns) * 32).saturating_sub(1)
    }

    fn indivisible(&self) -> Option<Indivisible> {
        (self.rules.rule != Rule::Literal).then_some(Indivisible::Settling)
    }

    fn cells(&self) -> &Grid<Cell, Sheet> {
        &self.cells
    }

    fn extent(&self) -> Region {
        self.bounds()
    }

    fn set_columns(&mut self, columns: Arc<HashSet<ColumnPos>>) {
        self.kernel.drop_ahead();
        self.cells.divide(columns);
    }

    fn discard(&mut self, chunk: ChunkPos) {
        // Chunks that are stepped ahead have no ghosts beside them.
        if !self.cells.is_foreign(chunk) {
            self.kernel.drop_ahead();
        }
        self.cells.remove(chunk);
    }

    fn post_loaded(&mut self, chunks: &[ChunkPos]) -> Result<(), i128> {
        let units = self.units_of_own(chunks);
        let placed = self.ledger.placed.checked_add(units).ok_or(i128::from(units))?;
        self.ledger.placed = placed;
        self.kernel.drop_ahead();
        for &chunk in chunks {
            let Some(slot) = self.cells.slot(chunk) else { continue };
            self.wake_timers.touch(&mut self.cells, slot, &CellMask::FULL);
        }
        Ok(())
    }

    fn unload_chunks(&mut self, chunks: &[ChunkPos]) -> Result<(), i128> {
        let units = self.units_of_own(chunks);
        let removed = self.ledger.removed.checked_add(units).ok_or(i128::from(units))?;
        self.ledger.removed = removed;
        for &chunk in chunks {
            self.discard(chunk);
            self.wake_timers.wake_around(&mut self.cells, chunk);
        }
        Ok(())
    }

    fn step_interior(&mut self) -> bool {
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

    /// For each chunk that changed within two cells of a column of another part, sends the chunk's
    /// cells there.
    fn step_and_send(&mut self, _exchange: usize, send: Outbox<'_>) -> StepReport {
        let is_divided = self.cells.is_divided();
        self.step_noting(|cells, slot, changed| {
            if is_divided {
                send_sides(cells, slot, changed, send);
            }
        })
    }

    /// Applies the cells of a ghost at one side, and wakes the chunks within two cells of the cells
    /// that differ.
    fn apply_halo(&mut self, chunk: ChunkPos, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut bytes = Reader::new(Format::Message, bytes);
        let wrong =
            bytes.malformed("a side of a ghost that is loaded: 0 to the west, 1 to the east");
        let side: u8 = bytes.take()?;
        let ghost = self.cells.slot(chunk).filter(|&slot| self.cells.is_ghost_at(slot));
        let (Some(&(_, columns, _)), Some(slot)) = (SIDES.get(usize::from(side)), ghost) else {
            return Err(wrong);
        };
        let mut rim = [Cell::AIR; 128];
        for cell in &mut rim {
            *cell = bytes.take()?;
        }
        bytes.finish(())?;
        let mut changed = CellMask::EMPTY;
        for (at, cell) in rim.into_iter().enumerate() {
            let index = 64 * (at % 64) + columns[at / 64];
            changed.set(index, self.cells.chunk_at_mut(slot).set(index, cell) != cell);
        }
        self.cells.chunk_at_mut(slot).canonicalize();
        self.wake_timers.touch(&mut self.cells, slot, &changed);
        Ok(())
    }

    fn ledger_units(&self) -> Vec<i128> {
        let Ledger { placed, removed } = self.ledger();
        vec![placed.into(), removed.into()]
    }

    fn set_ledger(&mut self, ticks: u64, units: &[i128]) -> Result<(), i128> {
        let sum = |units: i128| u64::try_from(units).map_err(|_| units);
        let ledger = match *units {
            [placed, removed] => Ledger { placed: sum(placed)?, removed: sum(removed)? },
            _ => Ledger::default(),
        };
        (self.tick, self.ledger) = (ticks, ledger);
        Ok(())
    }
}

impl Water2dWorld {
    /// Returns the units in chunks as the ledger counts them: without ghosts.
    fn units_of_own(&self, chunks: &[ChunkPos]) -> u64 {
        let slots = chunks.iter().filter_map(|&chunk| self.cells.slot(chunk));
        let own = slots.filter(|&slot| !self.cells.is_ghost_at(slot));
        own.map(|slot| units_in(self.cells.chunk_at(slot))).sum()
    }
}

/// Returns whether this part owns the columns beside a chunk.
fn is_inside(cells: &Cells, slot: Slot) -> bool {
    let beside = |face: Face| cells.position_at(slot).step(face);
    SIDES.iter().all(|&(face, ..)| beside(face).is_none_or(|there| !cells.is_foreign(there)))
}

/// Sends, for each side beyond which another part owns the column, the two columns of cells at that
/// side, if any cell there has changed.
pub(super) fn send_sides(cells: &Cells, slot: Slot, changed: &CellMask, send: Outbox<'_>) {
    let all = changed.words().iter().fold(0, |all, row| all | row);
    let chunk = cells.position_at(slot);
    for (side, (face, columns, bits)) in SIDES.into_iter().enumerate() {
        if all & bits == 0 || chunk.step(face).is_none_or(|there| !cells.is_foreign(there)) {
            continue;
        }
        let mut rim = vec![side as u8];
        for (x, y) in columns.into_iter().flat_map(|x| (0..64).map(move |y| (x, y))) {
            cells.chunk_at(slot).get(64 * y + x).put(&mut rim);
        }
        send(chunk, rim);
    }
}
