//! A grid as a section: chunks in order of position, with their awake and changed cells.

use super::bytes::{Content, Encode};
use super::error::SnapshotError;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, Shape};
use crate::grid::Grid;
use glam::IVec3;

const DENSE: u8 = 1;
const AWAKE: u8 = 2;
const CHANGED: u8 = 4;

/// Appends every chunk of a grid.
pub(super) fn put<T: Encode + Copy + PartialEq, S: Shape>(grid: &Grid<T, S>, out: &mut Vec<u8>) {
    (grid.chunk_count() as u64).put(out);
    let mut awake = grid.awake_chunks().peekable();
    let mut changed = grid.changed_chunks().peekable();
    for (position, chunk) in grid.chunks() {
        let awake = awake.next_if(|(chunk, _)| *chunk == position);
        let changed = changed.next_if(|(chunk, _)| *chunk == position);
        position.put(out);
        let form = |present: bool, bit: u8| if present { bit } else { 0 };
        out.push(
            form(chunk.as_dense().is_some(), DENSE) | form(awake.is_some(), AWAKE) | form(changed.is_some(), CHANGED),
        );
        match chunk.as_dense() {
            Some(cells) => cells.iter().for_each(|cell| cell.put(out)),
            None => chunk.get(0).put(out),
        }
        for (_, mask) in awake.iter().chain(&changed) {
            mask.put(out);
        }
    }
}

/// One chunk of a section.
pub(super) struct SavedChunk<T> {
    pub(super) position: IVec3,
    pub(super) chunk: Chunk<T>,
    pub(super) awake: Option<Box<CellMask>>,
    pub(super) changed: Option<Box<CellMask>>,
}

/// Reads what [`put`] wrote.
pub(super) fn take<T: Encode + Copy + PartialEq, S: Shape>(
    content: &mut Content<'_>,
) -> Result<Vec<SavedChunk<T>>, SnapshotError> {
    // A position, a form and a cell of at least one byte.
    let count = content.count(14)?;
    let mut chunks = Vec::with_capacity(count);
    let mut last = None;
    for _ in 0..count {
        let here = content.malformed("a chunk position in the i32 range, after the one before");
        let position: IVec3 = content.take()?;
        let key = [position.y, position.z, position.x];
        if !S::holds_chunk(position) || last.replace(key).is_some_and(|last| last >= key) {
            return Err(here);
        }
        chunks.push(take_chunk(content, position)?);
    }
    Ok(chunks)
}

fn take_chunk<T: Encode + Copy + PartialEq>(
    content: &mut Content<'_>,
    position: IVec3,
) -> Result<SavedChunk<T>, SnapshotError> {
    let wrong_form = content.malformed("a chunk's form: 0 to 7");
    let form: u8 = content.take()?;
    if form & !(DENSE | AWAKE | CHANGED) != 0 {
        return Err(wrong_form);
    }
    let chunk = if form & DENSE == 0 {
        Chunk::uniform(content.take()?)
    } else {
        let wrong_cells = content.malformed("cells that are not all equal");
        let mut cells = Vec::with_capacity(CHUNK_CELLS);
        for _ in 0..CHUNK_CELLS {
            cells.push(content.take()?);
        }
        let chunk = Chunk::from_cells(cells.first_chunk().expect("as many cells as a chunk has"));
        if chunk.as_dense().is_none() {
            return Err(wrong_cells);
        }
        chunk
    };
    let mut mask = |bit: u8| (form & bit != 0).then(|| content.take().map(Box::new)).transpose();
    Ok(SavedChunk { position, chunk, awake: mask(AWAKE)?, changed: mask(CHANGED)? })
}
