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
use crate::simulation::Simulation;
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
