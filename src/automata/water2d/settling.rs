//! The settling rule between neighbours: water sinks and rises in pairs of cells, one above the
//! other, then spreads to the sides. Differences over longer distances are levelled within bodies
//! (`level`).
//!
//! **Up and down**, in two passes as in a Margolus neighbourhood: pairs whose lower cell has an
//! even y, then pairs whose lower cell has an odd y. The two cells exchange units as long as heads
//! fall. **Sideways**, from the levels after that, every cell that stands on ground or on a full
//! cell gives each side a quarter of the difference by which that side is lower, rounded to the
//! nearest unit, and nothing if the difference is less than three units. As a cell gives at most a
//! third of the difference, the new levels of a row are convex combinations of its old levels and
//! cannot oscillate: the sum of any convex function of the levels falls, and so does the energy.

use super::cell::Cell;
use super::level::head::sinking;
use super::lines::{self, Block, Cells, Line};
use crate::automata::engine::rims::Rims;
use crate::chunk::CellMask;
use crate::coords::{Face, Sheet};
use crate::grid::Slot;

/// A cell as its side neighbours read it: its level, −1 for ground, and the part of the level that
/// presses sideways: all of it if the water stands on something, 0 if it is falling.
type SideView = [i32; 2];

/// Memory that the settling rule reuses from step to step.
pub(super) struct Settling {
    /// The lowest and highest rows after the even pairs.
    rows: Rims<Cell, Sheet>,
    /// The outer columns, and the highest row, before water spreads sideways.
    sides: Rims<SideView, Sheet>,
    before: Box<Block>,
}

impl Settling {
    pub(super) fn new() -> Self {
        Settling {
            rows: Rims::new(Cell::SOLID),
            sides: Rims::new([-1, 0]),
            before: Box::new([Cell::AIR; crate::coords::CHUNK_CELLS]),
        }
    }

    /// Makes water sink and rise between the cells of these chunks and the cells around them. Calls
    /// `done` for each chunk that is not all ground, with its changed cells and the units that
    /// moved out of its cells.
    pub(super) fn sink(
        &mut self,
        cells: &mut Cells,
        slots: &[Slot],
        mut done: impl FnMut(Slot, CellMask, u64),
    ) {
        self.rows.save_as(cells, slots, |slot| rows_after_even_pairs(cells, slot));
        for &slot in open(cells, slots).iter() {
            let neighbours = cells.neighbours_of(slot);
            let beneath = self.rows.at(neighbours[Face::Down.index()])[Face::Up.index()];
            let overhead = self.rows.at(neighbours[Face::Up.index()])[Face::Down.index()];
            let mut moved = 0;
            let run = |_: &Block, block: &mut Block| moved = sink_chunk(block, beneath, overhead);
            let changed = lines::rewrite(cells.chunk_at_mut(slot), &mut self.before, run);
            done(slot, changed, moved);
        }
    }

    /// Makes water spread sideways in these chunks and across their sides. Calls `done` as
    /// [`sink`](Settling::sink) does.
    pub(super) fn spread(
        &mut self,
        cells: &mut Cells,
        slots: &[Slot],
        mut done: impl FnMut(Slot, CellMask, u64),
    ) {
        self.sides.save_as(cells, slots, |slot| sides(cells, slot));
        for &slot in open(cells, slots).iter() {
            let neighbours = cells.neighbours_of(slot);
            let saved =
                |face: Face| &self.sides.at(neighbours[face.index()])[face.opposite().index()];
            let (west, east) = (saved(Face::West), saved(Face::East));
            let ground = saved(Face::Down).map(|[level, _]| Cell(level));
            let mut moved = 0;
            let run = |before: &Block, block: &mut Block| {
                moved = spread_chunk(before, block, &ground, west, east)
            };
            let changed = lines::rewrite(cells.chunk_at_mut(slot), &mut self.before, run);
            done(slot, changed, moved);
        }
    }

    /// Returns the number of bytes on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.memory_bytes() + self.sides.memory_bytes() + size_of::<Block>()
    }
}

/// Returns the chunks among `slots` that are not all ground.
fn open(cells: &Cells, slots: &[Slot]) -> Vec<Slot> {
    slots
        .iter()
        .copied()
        .filter(|&slot| cells.chunk_at(slot).as_uniform() != Some(Cell::SOLID))
        .collect()
}

/// Returns the lowest and the highest row of a chunk in the state after the even pairs. A chunk
/// begins at an even y.
fn rows_after_even_pairs(cells: &Cells, slot: Slot) -> [Line; 4] {
    let [mut lowest, mut second] = [lines::row(cells, slot, 0), lines::row(cells, slot, 1)];
    let [mut last_but_one, mut highest] =
        [lines::row(cells, slot, 62), lines::row(cells, slot, 63)];
    exchange(&mut lowest, &mut second, &mut [0; 64]);
    exchange(&mut last_but_one, &mut highest, &mut [0; 64]);
    // Columns are not read.
    [[Cell::SOLID; 64], [Cell::SOLID; 64], lowest, highest]
}

/// Exchanges units between the cells of two rows, one above the other. Adds the exchanged units to
/// `moved`.
#[inline(always)]
fn exchange(lower: &mut Line, upper: &mut Line, moved: &mut [i32; 64]) {
    for x in 0..64 {
        let units = sinking(lower[x].0, upper[x].0);
        lower[x].0 += units;
        upper[x].0 -= units;
        moved[x] += units.abs();
    }
}

/// Exchanges units within even pairs, then within odd pairs. The rows below and above must be in
/// the state after the even pairs.
fn sink_chunk(block: &mut Block, mut beneath: Line, mut overhead: Line) -> u64 {
    let rows = lines::rows_mut(block);
    let mut moved = [0; 64];
    for [lower, upper] in rows.as_chunks_mut::<2>().0 {
        exchange(lower, upper, &mut moved);
    }
    for [lower, upper] in rows[1..63].as_chunks_mut::<2>().0 {
        exchange(lower, upper, &mut moved);
    }
    // Units that cross the lower and upper face count in the chunk that they leave.
    let (lowest, highest) = (rows[0], rows[63]);
    exchange(&mut beneath, &mut rows[0], &mut [0; 64]);
    exchange(&mut rows[63], &mut overhead, &mut [0; 64]);
    for x in 0..64 {
        moved[x] += (lowest[x].0 - rows[0][x].0).max(0) + (highest[x].0 - rows[63][x].0).max(0);
    }
    moved.iter().map(|&units| u64::from(units.unsigned_abs())).sum()
}

/// Returns the outer columns of a chunk, and its highest row, as their neighbours read them.
fn sides(cells: &Cells, slot: Slot) -> [[SideView; 64]; 4] {
    let beneath = cells.neighbours_of(slot)[Face::Down.index()];
    let side = |x: usize| {
        let column = lines::column(cells, slot, x);
        let below = lines::below(&column, cells, beneath, x);
        core::array::from_fn(|y| [column[y].0, pressing(column[y], below[y])])
    };
    // The lowest row is not read, nor the pressing part of the highest row.
    [side(0), side(63), [[0; 2]; 64], lines::row(cells, slot, 63).map(|cell| [cell.0, 0])]
}

#[inline(always)]
fn pressing(cell: Cell, below: Cell) -> i32 {
    if below.carries() { cell.0 } else { 0 }
}

/// Computes every row from its old cells, the cells below these, and the cells at both ends.
fn spread_chunk(
    before: &Block,
    block: &mut Block,
    ground: &Line,
    west: &[SideView; 64],
    east: &[SideView; 64],
) -> u64 {
    let mut moved = [0i32; 64];
    let old = lines::rows(before);
    for (y, row) in lines::rows_mut(block).iter_mut().enumerate() {
        let below = if y == 0 { ground } else { &old[y - 1] };
        let mut levels = [0; 66];
        let mut pressures = [0; 66];
        ([levels[0], pressures[0]], [levels[65], pressures[65]]) = (west[y], east[y]);
        for x in 0..64 {
            levels[x + 1] = row[x].0;
            pressures[x + 1] = pressing(row[x], below[x]);
        }
        let mut flows = [0; 65];
        for x in 0..65 {
            let eastward = ((pressures[x] - levels[x + 1]).max(0) + 1) >> 2;
            let westward = ((pressures[x + 1] - levels[x]).max(0) + 1) >> 2;
            flows[x] = if levels[x] | levels[x + 1] < 0 { 0 } else { eastward - westward };
        }
        for x in 0..64 {
            row[x].0 += flows[x] - flows[x + 1];
            moved[x] += flows[x + 1].max(0) - flows[x].min(0);
        }
    }
    moved.iter().map(|&units| u64::from(units.unsigned_abs())).sum()
}
