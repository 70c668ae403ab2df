//! Two-dimensional water, watched: what can be seen of it, and its naive model.

mod ground;
mod literal;
mod rest;
mod settling;
mod slice;

use super::findings::Findings;
use super::watch::{Changes, Looks, Model, Watch};
use super::worlds::{
    MOST_CELLS, by_run, cell_changes, cells, received, same_functions, saved_and_loaded,
    undo_by_chunk,
};
use crate::automaton::Automaton;
use crate::water2d::{Cell, Edit, EditError, Outcome, Water2dWorld};
use crate::{Chunk, Sheet, StepReport};
use glam::IVec3;
use ground::Ground;
use std::collections::BTreeSet;

/// With a naive model, unless the bounds hold more than 65,536 cells.
impl Watch for Water2dWorld {
    type Edit = Edit;
    type Outcome = Outcome;
    type Error = EditError;
    type Look = Cell;
    type Event = ();
    same_functions!();
    cell_changes!(Sheet);
    undo_by_chunk!();
    by_run!();

    fn awake(&self) -> usize {
        self.awake_cells()
    }

    /// By the function of the edit's name, lists of chunks in reverse.
    fn apply_otherwise(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        let done = |()| Outcome::Done;
        match edit {
            Edit::SetSolid(cell) => self.set_solid(cell).map(Outcome::Displaced),
            Edit::ClearSolid(cell) => self.clear_solid(cell).map(Outcome::Changed),
            Edit::Pour { cell, units } => self.pour(cell, units).map(Outcome::Level),
            Edit::Scoop { cell, units } => {
                self.scoop(cell, units).map(|units| Outcome::Units(units.into()))
            }
            Edit::FillSolid(region) => self.fill_solid(region).map(Outcome::Units),
            Edit::FillWater { region, level } => self.fill_water(region, level).map(Outcome::Units),
            Edit::InsertChunk { position, chunk } => self.insert_chunk(position, chunk).map(done),
            Edit::InsertChunks(list) => {
                let reversed = self.insert_chunks(list.iter().rev().cloned());
                // Refused, it names the first of the list.
                reversed.or_else(|_| self.insert_chunks(list)).map(done)
            }
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
        }
    }

    /// All in one list.
    fn join(&self, edits: Vec<Edit>) -> Vec<Edit> {
        let mut list: Vec<(IVec3, Chunk<Cell>)> = Vec::new();
        let loaded: BTreeSet<_> = self.chunks().map(|(at, _)| at.to_array()).collect();
        // The last that was taken out there.
        for edit in edits.into_iter().rev() {
            if let Edit::InsertChunk { position, chunk } = edit
                && !loaded.contains(&position.to_array())
                && list.iter().all(|(at, _)| *at != position)
            {
                list.push((position, chunk));
            }
        }
        vec![Edit::InsertChunks(list)]
    }

    fn looks(&self) -> Looks<Self> {
        let chunks = self.chunks().map(|(position, _)| position);
        cells::<Sheet, _>(self.bounds(), chunks, |cell| self.cell(cell).expect("it is loaded"))
    }

    fn model(&self) -> Option<Box<dyn Model<Self>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Ground::of(self)) as _)
    }
}
