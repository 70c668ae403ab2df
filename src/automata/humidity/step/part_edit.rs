//! Edits of a divided world of humidity. Each part makes them on its own chunks and on its ghosts:
//! an edit writes words and ground that depend on the cell alone, and of ghosts the rims and the
//! ground are exact, so no message is needed.

use crate::automata::engine::halo_exchange::{Outbox, PartEdits};
use crate::automata::humidity::cell::{Cell, Ground, ROCK, SOIL};
use crate::automata::humidity::{Edit, EditError, HumidityShape, HumidityWorld, Outcome};
use crate::coords::ChunkRegion;
use crate::edit_table::Tabled;
use crate::limits::EditScope;

impl<S: HumidityShape> PartEdits for HumidityWorld<S> {
    /// Nothing moves in an edit: a copy of columns is as exact as before.
    fn steps_for_edit(_edit: &Edit) -> u64 {
        0
    }

    fn scope(edit: &Edit) -> EditScope {
        edit.scope()
    }

    fn check_own(&self, edit: &Edit) -> Result<(), EditError> {
        let Some(region) = edit.scope().region() else { return Ok(()) };
        for corner in [region.min(), region.max()] {
            if !self.store.bounds.contains(corner) {
                return Err(EditError::OutOfBounds(corner));
            }
        }
        if let Some(chunk) = self.store.moisture.first_absent_in(region) {
            return Err(EditError::NotLoaded(S::region_of(chunk).min().max(region.min())));
        }
        // Whatever cell is there, what the edit keeps of it is in range.
        let any = Cell::soil(0.0, *SOIL.end());
        self.check_cell(region.min(), written(edit, any))
    }

    fn make_edit(&mut self, edit: &Edit, _send: Outbox<'_>) -> Option<Outcome> {
        let Some(region) = edit.scope().region() else {
            self.wake_all();
            return Some(Outcome::Done);
        };
        let mut outcome = None;
        let chunks = ChunkRegion::of::<S>(region);
        for slot in self.store.moisture.slots_and_ghosts_in(chunks) {
            let chunk = self.store.moisture.position_at(slot);
            let at = S::region_of(chunk).min().max(region.min());
            let Some(old) = self.cell(at) else { continue };
            let new = written(edit, old);
            let (word, ground) = (self.store.sweep.word_of(new.humidity), Ground::of(new));
            self.fill_in_chunk(slot, region, word, ground);
            if !self.store.moisture.is_ghost_at(slot) {
                outcome = Some(outcome_of(edit, old));
            }
        }
        outcome
    }
}

/// Returns what an edit makes of a cell.
fn written(edit: &Edit, old: Cell) -> Cell {
    match *edit {
        Edit::SetHumidity { humidity, .. } => Cell { humidity, ..old },
        Edit::SetImpermeability { impermeability, .. } => Cell { impermeability, ..old },
        Edit::SetRock(_) => Cell { impermeability: ROCK, rain: false, ..old },
        Edit::SetRain { humidity, .. } => Cell { humidity, rain: true, ..old },
        Edit::ClearRain(_) => Cell { rain: false, ..old },
        Edit::SetCell { value, .. } | Edit::FillCells { value, .. } => value,
        Edit::InsertChunk { .. } | Edit::RemoveChunk(_) | Edit::WakeAll => old,
    }
}

/// Returns the outcome of an edit of a cell.
fn outcome_of(edit: &Edit, old: Cell) -> Outcome {
    match edit {
        Edit::SetHumidity { .. } => Outcome::Humidity(old.humidity),
        Edit::SetImpermeability { .. } => Outcome::Impermeability(old.impermeability),
        Edit::SetRock(_) => Outcome::Changed(!old.is_rock()),
        Edit::ClearRain(_) => Outcome::Changed(old.rain),
        Edit::SetCell { .. } => Outcome::Cell(old),
        _ => Outcome::Done,
    }
}
