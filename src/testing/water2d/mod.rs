//! How two-dimensional water is watched: looks, and a naive model.

mod draw;
mod ground;
mod literal;
mod rest;
mod settling;
mod slice;

use super::kind::Kind;
use super::watch::{Changes, Looks, Model};
use super::worlds::{MOST_CELLS, cell_changes, cells, undo_by_chunk};
use crate::coords::ChunkPos;
use crate::water2d::{Cell, Edit, Outcome, Water2dWorld};
use crate::{Chunk, Sheet};
use ground::Ground;
use std::collections::BTreeSet;

/// There is a naive model, unless the bounds hold more than 65,536 cells.
impl Kind for Water2dWorld {
    type Look = Cell;
    type Place = [i32; 3];
    undo_by_chunk!();

    /// Merges all chunks into one list.
    fn merge(&self, edits: Vec<Edit>) -> Vec<Edit> {
        let mut list: Vec<(ChunkPos, Chunk<Cell>)> = Vec::new();
        let loaded: BTreeSet<_> = self.chunks().map(|(at, _)| at).collect();
        // At each position, the chunk that was taken out last counts.
        for edit in edits.into_iter().rev() {
            if let Edit::InsertChunk { position, chunk } = edit
                && !loaded.contains(&position)
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

    fn changes(&mut self) -> Changes<[i32; 3]> {
        cell_changes::<Sheet>(self)
    }

    fn model(&self) -> Option<Box<dyn Model<Self>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Ground::of(self)) as _)
    }
}
