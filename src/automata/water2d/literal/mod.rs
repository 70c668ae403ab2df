//! The literal rule: the outflows of each cell, computed only from old levels, and the new cells of
//! a chunk.
//!
//! A cell's inflows depend on levels two cells away, some of them in chunks that touch only at a
//! corner. So each chunk first computes the crossings, its outflows across its own faces; then a
//! chunk's step needs only its cells, and the rims and crossings of four neighbours.

#[cfg(feature = "snapshot")]
mod part;
#[cfg(feature = "snapshot")]
mod part_edit;

use super::cell::{Cell, FULL, MAX_LEVEL, PRESSURE};
use super::lines::{self, Block, Cells, Line};
use crate::automata::engine::changes::differing;
use crate::automata::engine::rims::Rims;
use crate::automata::engine::rows::{FIRST_OUT, RowShape, copy_of, part};
use crate::automata::engine::workers::Workers;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{Face, Sheet};
use crate::grid::{HaloShape, Slot};
use crate::simd::{self, Aligned};

/// The halo of a chunk: the cells one step beyond it at each side.
type Halo = <Sheet as HaloShape>::Halo<Cell>;

/// Memory that the literal rule reuses from step to step.
pub(super) struct Literal {
    levels: Rims<Cell, Sheet>,
    /// The outflow across each face of a chunk, in units.
    crossings: Rims<i32, Sheet>,
    /// Chunks stepped ahead of the step, on copies.
    ahead: Vec<Job>,
    workers: Workers<Box<Halo>>,
}

/// A chunk to step, and the step's results.
struct Job {
    slot: Slot,
    /// Moved out of the world during the step; a copy if the chunk is stepped ahead.
    chunk: Chunk<Cell>,
    changed: CellMask,
    moved: u64,
}

impl Literal {
    pub(super) fn new() -> Self {
        Literal {
            levels: Rims::new(Cell::SOLID),
            crossings: Rims::new(0),
            ahead: Vec::new(),
            workers: Workers::new(|| <Sheet as RowShape>::uniform_halo(Cell::SOLID)),
        }
    }

    /// Runs one step of these chunks. Calls `done` for each chunk that is not all ground, with its
    /// changed cells and the units that moved out of its cells.
    pub(super) fn step(
        &mut self,
        cells: &mut Cells,
        slots: &[Slot],
        left_first: bool,
        mut done: impl FnMut(Slot, CellMask, u64),
    ) {
        let done_ahead = core::mem::take(&mut self.ahead);
        let is_left = |slot: &Slot| !done_ahead.iter().any(|job| job.slot == *slot);
        let slots: Vec<Slot> = slots.iter().copied().filter(is_left).collect();
        let open = self.save(cells, &slots, left_first);
        let take = |slot: Slot| {
            let chunk = core::mem::replace(cells.chunk_at_mut(slot), Chunk::uniform(Cell::SOLID));
            Job { slot, chunk, changed: CellMask::EMPTY, moved: 0 }
        };
        let mut jobs: Vec<Job> = open.into_iter().map(take).collect();
        self.step_jobs(cells, &mut jobs, left_first);
        for Job { slot, chunk, changed, moved } in jobs.into_iter().chain(done_ahead) {
            *cells.chunk_at_mut(slot) = chunk;
            done(slot, changed, moved);
        }
    }

    /// Steps these chunks on copies, which the next step puts in place. Until then, the cells of
    /// these chunks and all cells within two cells of these chunks must not change.
    #[cfg(feature = "snapshot")]
    pub(super) fn step_ahead(&mut self, cells: &Cells, slots: &[Slot], left_first: bool) {
        let open = self.save(cells, slots, left_first);
        let copy = |slot: Slot| {
            let chunk = cells.chunk_at(slot).clone();
            Job { slot, chunk, changed: CellMask::EMPTY, moved: 0 }
        };
        let mut jobs: Vec<Job> = open.into_iter().map(copy).collect();
        self.step_jobs(cells, &mut jobs, left_first);
        self.ahead.extend(jobs);
    }

    /// Returns whether a chunk was stepped ahead.
    #[cfg(feature = "snapshot")]
    pub(super) fn is_ahead(&self, slot: Slot) -> bool {
        self.ahead.iter().any(|job| job.slot == slot)
    }

    pub(super) fn drop_ahead(&mut self) {
        self.ahead.clear();
    }

    /// Saves the rims and crossings that a step of these chunks reads. Returns the chunks among
    /// `slots` that are not all ground.
    fn save(&mut self, cells: &Cells, slots: &[Slot], left_first: bool) -> Vec<Slot> {
        self.levels.save(cells, slots);
        self.crossings.save_as(cells, slots, |slot| crossings(cells, slot, left_first));
        let open =
            slots.iter().filter(|&&slot| cells.chunk_at(slot).as_uniform() != Some(Cell::SOLID));
        open.copied().collect()
    }

    /// Steps the cells of jobs.
    fn step_jobs(&mut self, world: &Cells, jobs: &mut [Job], left_first: bool) {
        let (levels, crossings) = (&self.levels, &self.crossings);
        self.workers.each(jobs, |halo, job| {
            let neighbours = world.neighbours_of(job.slot);
            let crossings = crossings.around(neighbours);
            let incoming = core::array::from_fn(|face| &crossings[face][face ^ 1]);
            let (around, cells) = (levels.around(neighbours), job.chunk.cells_mut());
            (job.changed, job.moved) =
                simd::run(LiteralChunk { around, incoming, left_first, halo, cells });
            job.chunk.canonicalize();
        });
    }

    /// Returns the number of bytes on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        self.levels.memory_bytes()
            + self.crossings.memory_bytes()
            + self.workers.scratch().len() * size_of::<Halo>()
            + self.ahead.iter().map(|job| job.chunk.heap_bytes()).sum::<usize>()
            + self.ahead.capacity() * size_of::<Job>()
    }
}

/// A step of a chunk.
struct LiteralChunk<'a> {
    /// The levels at the faces of the neighbours.
    around: [&'a [Line; 4]; 6],
    /// The inflow across the chunk's faces.
    incoming: [&'a [i32; 64]; 4],
    left_first: bool,
    halo: &'a mut Halo,
    cells: &'a mut Block,
}

impl simd::Kernel for LiteralChunk<'_> {
    type Output = (CellMask, u64);

    #[inline(always)]
    fn run(self) -> (CellMask, u64) {
        let LiteralChunk { around, incoming, left_first, halo, cells } = self;
        <Sheet as RowShape>::pad(copy_of(cells), around, halo);
        let is_calm = halo.iter().flatten().fold(true, |calm, cell| calm & (cell.0 <= CALM));
        match is_calm {
            true => step_chunk::<false>(halo, incoming, left_first, cells),
            false => step_chunk::<true>(halo, incoming, left_first, cells),
        }
    }
}

/// The outflows of a line of cells to each side, in units.
struct Outflows {
    down: [i32; 64],
    west: [i32; 64],
    east: [i32; 64],
    up: [i32; 64],
}

/// Returns the outflows of the cells of a line, from their old levels and the old levels around
/// them; west comes before east if `left_first`.
#[inline(always)]
fn outflows<const CAPPED: bool>(here: &Line, around: [&Line; 4], left_first: bool) -> Outflows {
    let [west, east, below, above] = around;
    let (first, second) = if left_first { (west, east) } else { (east, west) };
    let mut down = [0; 64];
    let mut to_first = [0; 64];
    let mut to_second = [0; 64];
    let mut up = [0; 64];
    for x in 0..64 {
        let level = here[x].0;
        down[x] = accepted::<CAPPED>(below[x].0, (capacity(level) - below[x].0).min(level));
        let left = level - down[x];
        to_first[x] = accepted::<CAPPED>(first[x].0, (left - first[x].0 + 1) >> 1);
        let left = left - to_first[x];
        to_second[x] = accepted::<CAPPED>(second[x].0, (left - second[x].0 + 1) >> 1);
        let left = left - to_second[x];
        up[x] = accepted::<CAPPED>(above[x].0, left - capacity(above[x].0));
    }
    let (west, east) = if left_first { (to_first, to_second) } else { (to_second, to_first) };
    Outflows { down, west, east, up }
}

/// Returns the capacity of a cell with this level above it. Ground, −1, adds no pressure, like air.
#[inline(always)]
fn capacity(level: i32) -> i32 {
    if level >= FULL as i32 { level + PRESSURE as i32 } else { FULL as i32 }
}

/// If no level exceeds this, no offer exceeds a quarter of any cell's room up to the highest level.
const CALM: i32 = MAX_LEVEL as i32 / 5;

/// Returns how much of an offer, which may be negative, a cell with level `to`, −1 for ground,
/// accepts: at most a quarter of its room up to the highest level, since four neighbours may offer
/// at once. So no level exceeds the highest level. The cap has no effect below [`CALM`], and is
/// left out there.
#[inline(always)]
fn accepted<const CAPPED: bool>(to: i32, offer: i32) -> i32 {
    let most = if CAPPED { (MAX_LEVEL as i32 - to) >> 2 } else { i32::MAX };
    if to < 0 { 0 } else { offer.min(most).max(0) }
}

/// Returns the outflows across the faces of a chunk, by face.
fn crossings(cells: &Cells, slot: Slot, left_first: bool) -> [[i32; 64]; 4] {
    if cells.chunk_at(slot).as_uniform() == Some(Cell::SOLID) {
        return [[0; 64]; 4];
    }
    let neighbours = cells.neighbours_of(slot);
    let [west, east, down, up] =
        [Face::West, Face::East, Face::Down, Face::Up].map(|face| neighbours[face.index()]);
    let column = |slot, x| lines::column(cells, slot, x);
    let of_column = |x: usize, outside: Line| {
        let here = column(slot, x);
        let inside = column(slot, if x == 0 { 1 } else { 62 });
        let (west, east) = if x == 0 { (outside, inside) } else { (inside, outside) };
        let below = lines::below(&here, cells, down, x);
        let above = lines::above(&here, cells, up, x);
        outflows::<true>(&here, [&west, &east, &below, &above], left_first)
    };
    let of_row = |y: usize, below: Line, above: Line| {
        let here = lines::row(cells, slot, y);
        let before = |chunk: Slot| {
            if chunk.is_some() { cells.chunk_at(chunk).get(64 * y + 63) } else { Cell::SOLID }
        };
        let after = |chunk: Slot| {
            if chunk.is_some() { cells.chunk_at(chunk).get(64 * y) } else { Cell::SOLID }
        };
        let west = core::array::from_fn(|x| if x == 0 { before(west) } else { here[x - 1] });
        let east = core::array::from_fn(|x| if x == 63 { after(east) } else { here[x + 1] });
        outflows::<true>(&here, [&west, &east, &below, &above], left_first)
    };
    let row = |slot, y| lines::row(cells, slot, y);
    [
        of_column(0, column(west, 63)).west,
        of_column(63, column(east, 0)).east,
        of_row(0, row(down, 63), row(slot, 1)).down,
        of_row(63, row(slot, 62), row(up, 0)).up,
    ]
}

/// The number of rows in a batch whose outflows are computed together. Outflows to the west and
/// east are read at an offset of one cell, and such reads stall until the stores have reached the
/// cache.
const BATCH: usize = 4;

/// Steps a chunk whose old cells are in `halo`; `incoming` is the inflow across the chunk's faces.
/// Returns the changed cells, and the units that moved out of the chunk's cells.
#[inline(always)]
fn step_chunk<const CAPPED: bool>(
    halo: &Halo,
    incoming: [&[i32; 64]; 4],
    left_first: bool,
    block: &mut Block,
) -> (CellMask, u64) {
    let cells = lines::rows_mut(block);
    let mut changed = CellMask::EMPTY;
    let mut moved = [0i32; 64];
    let mut rising = *incoming[Face::Down.index()];
    let (mut eastward, mut westward) =
        (Aligned([[0; 64 + FIRST_OUT]; BATCH]), Aligned([[0; 64 + FIRST_OUT]; BATCH]));
    let (mut down, mut up) = (Aligned([[0; 64]; BATCH]), Aligned([[0; 64]; BATCH]));
    for y in 0..64 {
        let at = y % BATCH;
        if at == 0 {
            for (at, y) in (y..y + BATCH).enumerate() {
                let around = [
                    part(&halo[y + 1], 0),
                    part(&halo[y + 1], 2),
                    part(&halo[y], 1),
                    part(&halo[y + 2], 1),
                ];
                let outflows = outflows::<CAPPED>(part(&halo[y + 1], 1), around, left_first);
                (down.0[at], up.0[at]) = (outflows.down, outflows.up);
                eastward.0[at][FIRST_OUT..].copy_from_slice(&outflows.east);
                eastward.0[at][FIRST_OUT - 1] = incoming[Face::West.index()][y];
                westward.0[at][..64].copy_from_slice(&outflows.west);
                westward.0[at][64] = incoming[Face::East.index()][y];
            }
        }
        let here: &Line = part(&halo[y + 1], 1);
        let [entering, east]: [&[i32; 64]; 2] =
            [FIRST_OUT - 1, FIRST_OUT].map(|first| part(&eastward.0[at], first));
        let [west, returning]: [&[i32; 64]; 2] = [0, 1].map(|first| part(&westward.0[at], first));
        let (down, up) = (&down.0[at], &up.0[at]);
        let mut row = [Cell(0); 64];
        for x in 0..64 {
            let given = down[x] + west[x] + east[x] + up[x];
            moved[x] += given;
            row[x] = Cell(here[x].0 - given + entering[x] + returning[x] + rising[x]);
        }
        cells[y] = row;
        rising = *up;
        if y > 0 {
            finish(&mut cells[y - 1], down, part(&halo[y], 1), &mut changed.words_mut()[y - 1]);
        }
    }
    finish(
        &mut cells[63],
        incoming[Face::Up.index()],
        part(&halo[64], 1),
        &mut changed.words_mut()[63],
    );
    (changed, moved.iter().map(|&units| u64::from(units.unsigned_abs())).sum())
}

/// Adds the units that fall into a row, its last inflow, and marks the changed cells.
#[inline(always)]
fn finish(row: &mut Line, falling: &[i32; 64], before: &Line, changed: &mut u64) {
    for x in 0..64 {
        row[x].0 += falling[x];
    }
    *changed = differing(before, row);
}
