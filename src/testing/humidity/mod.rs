//! Humidity, watched: what can be seen of it, and its naive model.

mod ground;
mod soil;

use super::findings::Findings;
use super::watch::{Changes, Looks, Model, Watch};
use super::worlds::{
    MOST_CELLS, by_run, cell_changes, cells, received, same_functions, saved_and_loaded,
    undo_by_chunk,
};
use crate::automaton::Automaton;
use crate::humidity::{Cell, Edit, EditError, HumidityWorld, Outcome};
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

    /// By the function of the edit's name.
    fn apply_otherwise(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        let done = |()| Outcome::Done;
        match edit {
            Edit::SetHumidity { cell, humidity } => {
                self.set_humidity(cell, humidity).map(Outcome::Humidity)
            }
            Edit::SetImpermeability { cell, impermeability } => {
                self.set_impermeability(cell, impermeability).map(Outcome::Impermeability)
            }
            Edit::SetRock(cell) => self.set_rock(cell).map(Outcome::Changed),
            Edit::SetRain { cell, humidity } => self.set_rain(cell, humidity).map(done),
            Edit::ClearRain(cell) => self.clear_rain(cell).map(Outcome::Changed),
            Edit::SetCell { cell, value } => self.set_cell(cell, value).map(Outcome::Cell),
            Edit::FillCells { region, value } => self.fill_cells(region, value).map(done),
            Edit::InsertChunk { position, chunk } => self.insert_chunk(position, chunk).map(done),
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
        }
    }

    fn looks(&self) -> Looks<Self> {
        let chunks = self.chunks().map(|(position, _)| position);
        cells::<S, _>(self.bounds(), chunks, |cell| self.cell(cell).expect("it is loaded"))
    }

    fn model(&self) -> Option<Box<dyn Model<Self>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Soil::of(self)) as _)
    }
}
