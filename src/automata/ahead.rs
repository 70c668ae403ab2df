//! Several steps of a chunk in one visit, so that a world larger than the cache is not bound by memory.
//!
//! A chunk of 64×64 with a rim of [`STEPS`] cells holds all that its next [`STEPS`] steps depend on: each step, one cell more
//! of the rim is out of date, and after the last the chunk itself is still right. That takes a third more work, and reads and
//! writes a chunk once instead of in every step. It serves chunks all around which nothing but the plain rule can happen. The
//! others then go step by step, and see beside them what these were in each step.
//!
//! Only [`Sheet`](crate::Sheet)s: the rim of a cube would be larger than the cube.

use super::changed::Changes;
use super::rows::{FieldShape, Value, part};
use crate::chunk::Chunk;
use crate::coords::CHUNK_CELLS;
use crate::grid::{Grid, Slot};
use core::ops::Range;
use glam::IVec3;
use hashbrown::{HashMap, HashSet};

/// So many of the awake chunks at least must be fit for it, in parts of them: else a step does nearly all the work anyway.
const LEAST: usize = 8;

/// Steps in one visit.
pub(crate) const STEPS: usize = 8;

/// Cells in a row of a chunk with its rim.
pub(crate) const WIDTH: usize = 64 + 2 * STEPS;

/// The cells of a chunk with its rim, row by row, south-west corner first.
pub(crate) type Square<T> = [T; WIDTH * WIDTH];

/// The rows of a square that can be stepped in a step of a visit.
#[inline(always)]
pub(crate) fn rows_of_step(step: usize) -> Range<usize> {
    step + 1..WIDTH - 1 - step
}

/// A row of a square.
#[inline(always)]
pub(crate) fn row<T>(square: &Square<T>, y: usize) -> &[T; WIDTH] {
    part(square, WIDTH * y)
}

/// What lies around the cells of a row that is not the first nor the last, by [`Face`](crate::Face) index. At the ends of
/// the row that is something else, which makes them out of date like all of the rim.
#[inline(always)]
pub(crate) fn around<T>(square: &Square<T>, y: usize) -> [&[T; WIDTH]; 4] {
    [WIDTH * y - 1, WIDTH * y + 1, WIDTH * (y - 1), WIDTH * (y + 1)].map(|first| part(square, first))
}

/// Copies a square without its rim.
#[inline(always)]
pub(crate) fn copy_inner<T: Copy>(square: &Square<T>, cells: &mut [T; CHUNK_CELLS]) {
    for (y, cells) in cells.as_chunks_mut::<64>().0.iter_mut().enumerate() {
        *cells = *part(row(square, y + STEPS), STEPS);
    }
}

/// The cells of a chunk, however they are kept.
#[derive(Clone, Copy)]
pub(crate) enum Source<'c, T> {
    Each(&'c [T; CHUNK_CELLS]),
    All(T),
}

impl<'c, T: Value> From<&'c Chunk<T>> for Source<'c, T> {
    fn from(chunk: &'c Chunk<T>) -> Self {
        chunk.as_dense().map_or_else(|| Source::All(chunk.get(0)), Source::Each)
    }
}

impl<T: Value> Source<'_, T> {
    /// `N` cells from the one at index `first` on.
    #[inline(always)]
    fn part<const N: usize>(self, first: usize) -> [T; N] {
        match self {
            Source::Each(cells) => *part(cells, first),
            Source::All(cell) => [cell; N],
        }
    }
}

/// Fills a square from a chunk and the eight around it, by y and x.
#[inline(always)]
pub(crate) fn gather<'c, T: Value>(chunks: [[Source<'c, T>; 3]; 3], square: &mut Square<T>) {
    // How many rows of the square lie in each third of it, and which row of their chunks is the first.
    const PARTS: [(usize, usize); 3] = [(STEPS, 64 - STEPS), (64, 0), (STEPS, 0)];
    let mut rows = square.as_chunks_mut::<WIDTH>().0.iter_mut();
    for ((length, from_y), [west, middle, east]) in PARTS.into_iter().zip(chunks) {
        for (row, y) in rows.by_ref().take(length).zip(from_y..) {
            row[..STEPS].copy_from_slice(&west.part::<STEPS>(64 * y + 64 - STEPS));
            row[STEPS..][..64].copy_from_slice(&middle.part::<64>(64 * y));
            row[STEPS + 64..].copy_from_slice(&east.part::<STEPS>(64 * y));
        }
    }
}

/// What becomes of a chunk.
pub(crate) struct Future<T: Value, S: FieldShape> {
    /// The chunk and the eight around it, by y and x.
    pub(crate) slots: [[Slot; 3]; 3],
    /// Its cells after the last step.
    pub(crate) cells: Chunk<T>,
    /// What changes in each step.
    pub(crate) changes: Vec<Changes>,
    /// Its rims before each step, if a neighbour goes step by step.
    pub(crate) rims: Vec<S::Rims<T>>,
}

impl<T: Value, S: FieldShape> Future<T, S> {
    pub(crate) fn slot(&self) -> Slot {
        self.slots[1][1]
    }
}

/// The chunks whose next steps are worked out already. The grid has them as they were before the first of these.
pub(crate) struct Ahead<T: Value, S: FieldShape> {
    futures: Vec<Future<T, S>>,
    places: HashMap<Slot, usize>,
    /// Steps run since.
    step: usize,
}

impl<T: Value, S: FieldShape> Ahead<T, S> {
    pub(crate) fn new() -> Self {
        Ahead { futures: Vec::new(), places: HashMap::new(), step: 0 }
    }

    /// What has to be worked out for the plain chunks of a grid around which all eight are plain too; `uniform` is any value.
    /// None if those are too few of as many as are awake to be worth it.
    pub(crate) fn plan<C: Value>(
        grid: &Grid<C, S>,
        plain: &HashSet<Slot>,
        awake: usize,
        uniform: T,
    ) -> Vec<Future<T, S>> {
        if S::NEIGHBOURS != 4 || LEAST * plain.len() < awake {
            return Vec::new();
        }
        let around = |slot: Slot| {
            let chunk = grid.position_at(slot);
            let beside = |x, y| grid.slot(chunk + IVec3::new(x, y, 0)).filter(|slot| plain.contains(slot));
            let mut slots = [[slot; 3]; 3];
            for (y, x) in (0..3).flat_map(|y| (0..3).map(move |x| (y, x))) {
                slots[y][x] = beside(x as i32 - 1, y as i32 - 1)?;
            }
            Some(slots)
        };
        let mut inner: Vec<[[Slot; 3]; 3]> = plain.iter().filter_map(|&slot| around(slot)).collect();
        if LEAST * inner.len() < awake {
            return Vec::new();
        }
        inner.sort_unstable_by_key(|slots| slots[1][1]);
        let known: HashSet<Slot> = inner.iter().map(|slots| slots[1][1]).collect();
        let future = |slots: [[Slot; 3]; 3]| {
            let sides = [slots[1][0], slots[1][2], slots[0][1], slots[2][1]];
            let rims = if sides.iter().all(|side| known.contains(side)) { 0 } else { STEPS };
            Future {
                slots,
                cells: Chunk::uniform(uniform),
                changes: vec![Changes::NONE; STEPS],
                rims: vec![S::uniform_rims(uniform); rims],
            }
        };
        inner.into_iter().map(future).collect()
    }

    /// Keeps what was worked out.
    pub(crate) fn begin(&mut self, futures: Vec<Future<T, S>>) {
        self.places = futures.iter().enumerate().map(|(place, future)| (future.slot(), place)).collect();
        (self.futures, self.step) = (futures, 0);
    }

    /// The chunks whose next steps are worked out, with what changes in this step.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (Slot, &Changes)> + Clone {
        self.futures.iter().map(|future| (future.slot(), &future.changes[self.step]))
    }

    /// What changes in a chunk in this step; `None` if it goes step by step.
    pub(crate) fn changed(&self, slot: Slot) -> Option<&Changes> {
        self.places.get(&slot).map(|&place| &self.futures[place].changes[self.step])
    }

    /// The rims of a chunk before this step; `None` if it goes step by step.
    pub(crate) fn rims(&self, slot: Slot) -> Option<&S::Rims<T>> {
        self.places.get(&slot).map(|&place| &self.futures[place].rims[self.step])
    }

    /// A step was run.
    pub(crate) fn pass(&mut self) {
        self.step += 1;
    }

    /// All steps were run: what has become of the chunks.
    pub(crate) fn take(&mut self) -> Vec<Future<T, S>> {
        self.places.clear();
        core::mem::take(&mut self.futures)
    }
}
