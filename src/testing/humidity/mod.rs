//! How humidity is watched: looks, and a naive model.

mod draw;
mod ground;
mod soil;

use super::kind::Kind;
use super::watch::{Changes, Looks, Model};
use super::worlds::{MOST_CELLS, cell_changes, cells, undo_by_chunk};
use crate::FieldShape;
use crate::humidity::{Cell, Edit, HumidityWorld, Outcome};
use soil::Soil;

/// There is a naive model, unless the bounds hold more than 65,536 cells.
impl<S: FieldShape> Kind for HumidityWorld<S> {
    type Look = Cell;
    type Place = [i32; 3];
    undo_by_chunk!();

    fn looks(&self) -> Looks<Self> {
        let chunks = self.chunks().map(|(position, _)| position);
        cells::<S, _>(self.bounds(), chunks, |cell| self.cell(cell).expect("it is loaded"))
    }

    fn changes(&mut self) -> Changes<[i32; 3]> {
        cell_changes::<S>(self)
    }

    fn model(&self) -> Option<Box<dyn Model<Self>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Soil::of(self)) as _)
    }
}
