//! How a drawing of one layer lies in a single-layer world: characters along +x, rows along y.

use crate::coords::Region;
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::Drawing;
use glam::IVec3;

/// Where the rows of a drawing lie along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// The first row at y = 0, the others above it.
    Upward,
    /// The last row at y = 0, the first on top: a drawing seen from the side.
    Downward,
}

/// The place of a drawing in a single-layer world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SheetPlace {
    offset: IVec3,
    rows: Rows,
    height: i32,
}

/// The drawing must have one layer.
pub(crate) fn check_one_layer(drawing: &Drawing) -> Result<(), ScenarioError> {
    if drawing.region().min().y == 0 && drawing.region().max().y == 0 {
        return Ok(());
    }
    let message = "a single-layer world is drawn as one [[layer]], at y = 0".to_owned();
    Err(ScenarioError::World { message })
}

impl SheetPlace {
    /// Of a drawing with one layer. Its offset along x and z shifts the world along x and y.
    pub(crate) fn new(drawing: &Drawing, rows: Rows) -> Self {
        SheetPlace { offset: drawing.offset, rows, height: drawing.region().max().z + 1 }
    }

    /// The cell of the world that a drawn cell is.
    pub(crate) fn cell(&self, drawn: IVec3) -> IVec3 {
        let row = match self.rows {
            Rows::Upward => drawn.z,
            Rows::Downward => self.height - 1 - drawn.z,
        };
        IVec3::new(drawn.x + self.offset.x, row + self.offset.z, 0)
    }

    /// The cells of the world that the drawing covers.
    pub(crate) fn region(&self, drawing: &Drawing) -> Region {
        Region::new(self.cell(drawing.region().min()), self.cell(drawing.region().max()))
    }
}
