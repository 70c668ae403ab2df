//! Humidity, watched: what can be seen of it, and its naive model.

mod ground;
mod soil;

use super::findings::Findings;
use super::watch::{Changes, Looks, Model, Watch};
use super::worlds::{
    MOST_CELLS, by_run, cell_changes, cells, received, same_functions, saved_and_loaded,
    undo_by_chunk,
};
use crate::humidity::{Cell, Edit, EditError, HumidityWorld, Outcome};
use crate::simulation::Simulation;
use crate::{FieldShape, StepReport};
use soil::Soil;

/// With a naive model, unless the bounds hold more than 65,536 cells.
impl<S: FieldShape> Watch for HumidityWorld<S> {
    type Edit = Edit;
    type Outcome = Outcome;
    type Error = EditError;
    type Look = Cell;
    type Event = ();
    same_functions!();
    cell_changes!(S);
    undo_by_chunk!();
    by_run!();

    fn awake(&self) -> usize {
        self.awake_cells()
    }

    fn looks(&self) -> Looks<Self> {
        let chunks = self.chunks().map(|(position, _)| position);
        cells::<S, _>(self.bounds(), chunks, |cell| self.cell(cell).expect("it is loaded"))
    }

    fn model(&self) -> Option<Box<dyn Model<Self>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Soil::of(self)) as _)
    }
}
