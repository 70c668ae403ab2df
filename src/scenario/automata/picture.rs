//! A drawing in the world: the position of each drawn cell, and its meaning by the legend.

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, ChunkRegion, Region, Shape};
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::{Drawing, NOWHERE};
use glam::IVec3;
use std::collections::BTreeMap;

/// How the axes of a drawing lie in the world. A sheet is drawn as one layer: its rows run along z
/// in the drawing and along y in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The axes are the same.
    Volume,
    /// The first row is at y = 0, and the other rows lie above it.
    SheetUpward,
    /// The last row is at y = 0, and the first is on top: the drawing is seen from the side.
    SheetDownward,
}

impl Layout {
    /// Returns the column of water that a drawn cell belongs to, and its height there in cells.
    pub(crate) fn column(self, drawing: &Drawing, cell: IVec3) -> ([i32; 2], i32) {
        match self {
            Layout::SheetDownward => ([cell.x, 0], drawing.region().max().z - cell.z),
            _ => ([cell.x, cell.z], cell.y),
        }
    }
}

/// Refuses drawings of several layers.
pub(crate) fn check_one_layer(drawing: &Drawing) -> Result<(), ScenarioError> {
    if drawing.region().min().y == 0 && drawing.region().max().y == 0 {
        return Ok(());
    }
    Err(ScenarioError::of_world("a single-layer world is drawn as one [[layer]], at y = 0"))
}

/// A drawing with its legend and its layout.
pub(crate) struct Picture<'a, G> {
    pub(crate) drawing: &'a Drawing,
    pub(crate) legend: &'a BTreeMap<char, G>,
    pub(crate) layout: Layout,
}

impl<G: Copy> Picture<'_, G> {
    /// Returns the world's cell for a drawn cell. The offset of a sheet along x and z shifts it
    /// along x and y.
    pub(crate) fn to_world(&self, drawn: IVec3) -> IVec3 {
        let (offset, top) = (self.drawing.offset, self.drawing.region().max().z);
        match self.layout {
            Layout::Volume => drawn + offset,
            Layout::SheetUpward => IVec3::new(drawn.x + offset.x, drawn.z + offset.z, 0),
            Layout::SheetDownward => IVec3::new(drawn.x + offset.x, top - drawn.z + offset.z, 0),
        }
    }

    /// Returns the drawn content of a cell of the world; `None` if it is not part of the drawn
    /// world. The cell must be in a chunk that the drawing touches.
    pub(crate) fn glyph(&self, cell: IVec3) -> Option<G> {
        let (offset, top) = (self.drawing.offset, self.drawing.region().max().z);
        let drawn = match self.layout {
            Layout::Volume => cell - offset,
            Layout::SheetUpward => IVec3::new(cell.x - offset.x, 0, cell.y - offset.z),
            Layout::SheetDownward => IVec3::new(cell.x - offset.x, 0, top - (cell.y - offset.z)),
        };
        self.legend.get(&self.drawing.at(drawn)?).copied()
    }

    /// Returns whether a drawn cell is part of the world.
    pub(crate) fn holds(&self, drawn: IVec3) -> bool {
        self.drawing.at(drawn).is_some_and(|character| character != NOWHERE)
    }

    /// Returns the cells of the world that the drawing covers.
    pub(crate) fn bounds(&self) -> Region {
        let drawn = self.drawing.region();
        Region::new(self.to_world(drawn.min()), self.to_world(drawn.max()))
    }

    /// Returns the positions of the chunks that the drawing touches.
    pub(crate) fn chunk_positions<S: Shape>(&self) -> ChunkRegion {
        ChunkRegion::of::<S>(self.bounds())
    }

    /// Returns the chunks that the drawing touches, with the drawn content in drawn cells and
    /// `default` in all others.
    pub(crate) fn chunks<S: Shape>(&self, default: G) -> impl Iterator<Item = (ChunkPos, Chunk<G>)>
    where
        G: PartialEq,
    {
        self.chunk_positions::<S>().positions().map(move |position| {
            let mut chunk = Chunk::uniform(default);
            for (index, cell) in chunk.cells_mut().iter_mut().enumerate() {
                *cell = self.glyph(S::cell_at(position, index)).unwrap_or(default);
            }
            chunk.canonicalize();
            (position, chunk)
        })
    }
}
