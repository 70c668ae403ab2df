//! Rows and columns of chunks, as arrays for the kernels.

use super::cell::Cell;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, Sheet};
use crate::grid::{Grid, Slot};

/// The cells of a world, in chunks of 64×64.
pub(super) type Cells = Grid<Cell, Sheet>;

/// The cells of a chunk, in index order.
pub(super) type Block = [Cell; CHUNK_CELLS];

/// The cells of a row, from west to east, or of a column, from the bottom up.
pub(super) type Line = [Cell; 64];

/// Returns the row at height `y` (0 to 63) of a chunk; ground if the chunk is missing.
pub(super) fn row(cells: &Cells, slot: Slot, y: usize) -> Line {
    match chunk(cells, slot) {
        None => [Cell::SOLID; 64],
        Some(chunk) => match chunk.as_dense() {
            Some(cells) => rows(cells)[y],
            None => [chunk.get(0); 64],
        },
    }
}

/// Returns the column at `x` (0 to 63) of a chunk; ground if the chunk is missing.
pub(super) fn column(cells: &Cells, slot: Slot, x: usize) -> Line {
    match chunk(cells, slot) {
        None => [Cell::SOLID; 64],
        Some(chunk) => core::array::from_fn(|y| chunk.get(64 * y + x)),
    }
}

fn chunk(cells: &Cells, slot: Slot) -> Option<&Chunk<Cell>> {
    slot.is_some().then(|| cells.chunk_at(slot))
}

/// Returns whether a chunk is uniformly air or ground, so that it has no water.
pub(super) fn is_dry(cells: &Cells, slot: Slot) -> bool {
    cells.chunk_at(slot).as_uniform().is_some_and(|cell| !cell.is_wet())
}

/// Returns the cell below each cell of a chunk's column; `beneath` is the chunk below.
pub(super) fn below(column: &Line, cells: &Cells, beneath: Slot, x: usize) -> Line {
    let lowest =
        if beneath.is_some() { cells.chunk_at(beneath).get(64 * 63 + x) } else { Cell::SOLID };
    core::array::from_fn(|y| if y == 0 { lowest } else { column[y - 1] })
}

/// Returns the cell above each cell of a chunk's column; `overhead` is the chunk above.
pub(super) fn above(column: &Line, cells: &Cells, overhead: Slot, x: usize) -> Line {
    let highest = if overhead.is_some() { cells.chunk_at(overhead).get(x) } else { Cell::SOLID };
    core::array::from_fn(|y| if y == 63 { highest } else { column[y + 1] })
}

/// Returns the rows of a chunk, from the bottom up.
pub(super) fn rows(cells: &Block) -> &[Line; 64] {
    cells.as_chunks().0.first_chunk().expect("a chunk has 64 rows of 64 cells")
}

/// Returns the mutable rows of a chunk.
pub(super) fn rows_mut(cells: &mut Block) -> &mut [Line; 64] {
    cells.as_chunks_mut().0.first_chunk_mut().expect("a chunk has 64 rows of 64 cells")
}

/// Calls `run` to change the cells of a chunk. Returns the changed cells. `before` receives the old
/// cells.
pub(super) fn rewrite(
    chunk: &mut Chunk<Cell>,
    before: &mut Block,
    run: impl FnOnce(&Block, &mut Block),
) -> CellMask {
    let mut changed = CellMask::EMPTY;
    let cells = chunk.cells_mut();
    *before = *cells;
    run(before, cells);
    let pairs = rows(before).iter().zip(rows(cells));
    for (word, (before, after)) in changed.words_mut().iter_mut().zip(pairs) {
        *word = crate::automata::engine::changes::differing(before, after);
    }
    chunk.canonicalize();
    changed
}
