//! The ends of a world beyond its last loaded cells.

use crate::coords::ColumnPos;
use crate::water::{Edge, Edges, WaterWorld};
use crate::{Cube, Face, Region, Shape};
use glam::IVec3;
use std::collections::HashMap;

/// The edges of a world and of its columns.
pub(super) struct Ends {
    pub(super) edges: Edges,
    pub(super) bounds: Region,
    /// The edges of columns, by x and z.
    pub(super) columns: HashMap<ColumnPos, Edge>,
}

impl Ends {
    pub(super) fn of(world: &WaterWorld) -> Ends {
        let columns = world.column_edges().collect();
        Ends { edges: world.rules().edges, bounds: world.bounds(), columns }
    }

    /// Returns the edge at a face of a cell beyond which no cell is loaded.
    pub(super) fn beyond(&self, cell: IVec3, face: Face) -> Edge {
        match face.step(cell).filter(|&there| self.bounds.contains(there)).map(Cube::chunk_of) {
            Some(chunk) => *self.columns.get(&chunk.column()).unwrap_or(&self.edges.unloaded),
            None => self.edges.outer[face.index()],
        }
    }

    /// Returns all edges.
    pub(super) fn all(&self) -> impl Iterator<Item = Edge> + '_ {
        let outer = self.edges.outer.into_iter().chain([self.edges.unloaded]);
        outer.chain(self.columns.values().copied())
    }
}
