//! Edits of a divided slice of water. Each part makes them on its own cells alone, for which the
//! two columns of cells beyond its sides suffice, and then sends its sides as after a step.

use super::part::send_sides;
use crate::automata::engine::halo_exchange::{Outbox, PartEdits};
use crate::automata::water2d::cell::Cell;
use crate::automata::water2d::edit::{Place, water};
use crate::automata::water2d::{Edit, EditError, Outcome, Water2dWorld};
use crate::chunk::CellMask;
use crate::coords::{ChunkRegion, Region, Shape, Sheet};
use crate::edit_table::Tabled;
use crate::grid::Slot;
use crate::limits::EditScope;
use crate::simulation::Displaced;
use glam::IVec3;

/// The cells that an edit has changed, by chunk.
type Changed = Vec<(Slot, CellMask)>;

impl PartEdits for Water2dWorld {
    /// The water of a cell that becomes solid moves by one cell, in a step by two.
    fn steps_for_edit(edit: &Edit) -> u64 {
        u64::from(matches!(edit, Edit::SetSolid(_)))
    }

    fn scope(edit: &Edit) -> EditScope {
        edit.scope()
    }

    fn check_own(&self, edit: &Edit) -> Result<(), EditError> {
        let Some(region) = edit.scope().region() else { return Ok(()) };
        if let Edit::FillWater { region, level } = *edit {
            water(region.min(), u64::from(level))?;
        }
        for corner in [region.min(), region.max()] {
            if !self.bounds().contains(corner) {
                return Err(EditError::OutOfBounds(corner));
            }
        }
        if let Some(chunk) = self.cells.first_absent_in(region) {
            return Err(EditError::NotLoaded(Sheet::cell_at(chunk, 0).max(region.min())));
        }
        let [placed, removed] = self.units_of_edit(edit)?;
        self.ledger_with(placed, removed).map(drop)
    }

    fn make_edit(&mut self, edit: &Edit, send: Outbox<'_>) -> Option<Outcome> {
        let mut changed = Changed::new();
        let outcome = match *edit {
            Edit::SetSolid(cell) => self.set_solid_in_part(cell, &mut changed),
            Edit::ClearSolid(cell) => self.own_place(cell).map(|place| {
                let was_solid = self.read(place).is_solid();
                if was_solid {
                    self.write_own(place, Cell::AIR, &mut changed);
                }
                Outcome::Changed(was_solid)
            }),
            Edit::Pour { cell, units } => self.own_place(cell).and_then(|place| {
                let level = u64::from(self.read(place).level()) + u64::from(units);
                let poured = water(cell, level).ok().filter(|_| !self.read(place).is_solid())?;
                self.post(u64::from(units), 0);
                self.write_own(place, poured, &mut changed);
                Some(Outcome::Level(poured.level()))
            }),
            Edit::Scoop { cell, units } => self.own_place(cell).and_then(|place| {
                let level = self.read(place).level();
                let (left, scooped) = (Cell::water(level.saturating_sub(units))?, units.min(level));
                if self.read(place).is_solid() {
                    return None;
                }
                self.post(0, u64::from(scooped));
                self.write_own(place, left, &mut changed);
                Some(Outcome::Units(u64::from(scooped)))
            }),
            Edit::FillSolid(region) => self.fill_in_part(region, Cell::SOLID, &mut changed),
            Edit::FillWater { region, level } => {
                self.fill_in_part(region, Cell::water(level)?, &mut changed)
            }
            Edit::WakeAll => {
                self.wake_all();
                Some(Outcome::Done)
            }
            Edit::InsertChunk { .. } | Edit::InsertChunks(_) | Edit::RemoveChunk(_) => None,
        };
        for (slot, changed) in &changed {
            send_sides(&self.cells, *slot, changed, send);
        }
        outcome
    }
}

impl Water2dWorld {
    /// Returns the place of a cell in a chunk of this part.
    fn own_place(&self, cell: IVec3) -> Option<Place> {
        self.place(cell).ok().filter(|&(slot, _)| !self.cells.is_ghost_at(slot))
    }

    /// Returns the units that an edit of this part's cells enters in the ledger.
    fn units_of_edit(&self, edit: &Edit) -> Result<[u64; 2], EditError> {
        let open = |cell: IVec3| match self.own_place(cell) {
            Some(place) if self.read(place).is_solid() => Err(EditError::Solid(cell)),
            place => Ok(place.map(|place| self.read(place).level())),
        };
        Ok(match *edit {
            Edit::SetSolid(cell) => {
                let left = self.own_place(cell).map(|place| self.displaced(cell, place).1);
                [0, u64::from(left.unwrap_or(0))]
            }
            Edit::Pour { cell, units } => match open(cell)? {
                Some(level) => {
                    water(cell, u64::from(level) + u64::from(units))?;
                    [u64::from(units), 0]
                }
                None => [0, 0],
            },
            Edit::Scoop { cell, units } => [0, u64::from(open(cell)?.unwrap_or(0).min(units))],
            Edit::FillSolid(region) => {
                self.units_of_fill(&self.own_slots(region), region, Cell::SOLID)
            }
            Edit::FillWater { region, level } => {
                let cell = water(region.min(), u64::from(level))?;
                self.units_of_fill(&self.own_slots(region), region, cell)
            }
            _ => [0, 0],
        })
    }

    fn own_slots(&self, region: Region) -> Vec<Slot> {
        let slots = self.cells.slots_in(ChunkRegion::of::<Sheet>(region)).into_iter();
        slots.filter(|&slot| !self.cells.is_ghost_at(slot)).collect()
    }

    /// Makes a cell solid, own or a ghost's, and moves its water to cells of this part.
    fn set_solid_in_part(&mut self, cell: IVec3, changed: &mut Changed) -> Option<Outcome> {
        let place = self.place(cell).ok()?;
        let (moves, removed) = self.displaced(cell, place);
        let is_own = !self.cells.is_ghost_at(place.0);
        self.write_own(place, Cell::SOLID, changed);
        for &(there, units) in &moves {
            self.write_own(there, Cell((self.read(there).level() + units) as i32), changed);
        }
        let moved = moves.iter().map(|&(_, units)| units).sum();
        is_own.then(|| {
            self.post(0, u64::from(removed));
            Outcome::Displaced(Displaced { moved, removed })
        })
    }

    fn fill_in_part(
        &mut self,
        region: Region,
        cell: Cell,
        changed: &mut Changed,
    ) -> Option<Outcome> {
        let slots = self.own_slots(region);
        let [placed, removed] = self.units_of_fill(&slots, region, cell);
        self.post(placed, removed);
        for &slot in &slots {
            changed.push((slot, self.fill_in_chunk(slot, region, cell)));
        }
        (!slots.is_empty()).then_some(Outcome::Units(removed))
    }

    /// Posts units to the ledger, which has room for them.
    fn post(&mut self, placed: u64, removed: u64) {
        self.ledger.placed = self.ledger.placed.saturating_add(placed);
        self.ledger.removed = self.ledger.removed.saturating_add(removed);
    }

    /// Writes a cell if its chunk is of this part.
    fn write_own(&mut self, place: Place, cell: Cell, changed: &mut Changed) {
        let (slot, index) = place;
        if self.cells.is_ghost_at(slot) || self.read(place) == cell {
            return;
        }
        self.write(place, cell);
        if !changed.iter().any(|&(known, _)| known == slot) {
            changed.push((slot, CellMask::EMPTY));
        }
        let of_chunk = changed.iter_mut().find(|(known, _)| *known == slot);
        of_chunk.into_iter().for_each(|(_, cells)| _ = cells.insert(index));
    }
}
