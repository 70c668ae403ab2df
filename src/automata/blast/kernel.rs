//! One step of a row of cells, under both rules, with links that are all whole or of any weight.

use super::flow::{along_axes, balanced_sum, diffusive, in_grains, larger, wave};
use crate::automata::ahead::WIDTH;
use crate::automata::rows::{RowRule, differing};
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;

/// The conductances of a chunk's links: coefficient times weight, 0 where nothing passes.
pub(super) trait Conductance: Copy {
    /// Those behind one face of a row of cells, by the cell's place in the row.
    fn row<const W: usize>(&self, face: usize, first: usize) -> impl Fn(usize) -> f32 + Copy;
}

/// All links are whole.
#[derive(Clone, Copy)]
pub(super) struct Whole(pub(super) f32);

impl Conductance for Whole {
    #[inline(always)]
    fn row<const W: usize>(&self, _face: usize, _first: usize) -> impl Fn(usize) -> f32 + Copy {
        let Whole(conductance) = *self;
        move |_| conductance
    }
}

/// Each link has its own.
#[derive(Clone, Copy)]
pub(super) struct Linked<'a>(pub(super) &'a [[f32; CHUNK_CELLS]]);

impl Conductance for Linked<'_> {
    #[inline(always)]
    fn row<const W: usize>(&self, face: usize, first: usize) -> impl Fn(usize) -> f32 + Copy {
        let row: &[f32; W] = row_of(&self.0[face], first);
        move |x| row[x]
    }
}

#[inline(always)]
fn row_of<const W: usize>(plane: &[f32; CHUNK_CELLS], first: usize) -> &[f32; W] {
    plane[first..].first_chunk().expect("rows end with the chunk")
}

/// What flows from here to there under the diffusive rule, as both ends count it.
#[inline(always)]
fn out(conductance: f32, here: f32, there: f32) -> f32 {
    in_grains(diffusive(conductance, here, there), larger(here, there))
}

/// A pressure after a step. Products of the smallest numbers there are may be rounded up past what a cell has.
#[inline(always)]
fn less(here: f32, out: f32) -> f32 {
    larger(here - out, 0.0)
}

/// The diffusive rule, each cell with its own conductances.
pub(super) struct Diffuse<'a> {
    pub(super) conductance: Linked<'a>,
    pub(super) changed: &'a mut CellMask,
}

impl RowRule<f32> for Diffuse<'_> {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[f32; W],
        around: [&[f32; W]; N],
        cells: &mut [f32; W],
    ) {
        let conductances: [_; N] = core::array::from_fn(|face| self.conductance.row::<W>(face, first));
        for x in 0..W {
            let out = core::array::from_fn(|face| out(conductances[face](x), here[x], around[face][x]));
            cells[x] = less(here[x], balanced_sum::<N>(along_axes::<N>(out)));
        }
        mark(self.changed, first, differing(here, cells));
    }
}

/// The diffusive rule where all links are whole: each link is visited once, and its flow kept for its other end. Rows come in
/// order of their index.
pub(super) struct DiffuseWhole<'a> {
    pub(super) conductance: f32,
    pub(super) changed: &'a mut CellMask,
    /// What flows out of the last rows along y, and along z.
    carried: [[f32; 256]; 2],
    /// What flows out of the cells of a row, less what flows in: along y, and along z.
    net: [[f32; WIDTH]; 2],
    /// What flows into the first cell of a row from the west, and out of each to the east.
    east: [f32; WIDTH + 1],
}

impl<'a> DiffuseWhole<'a> {
    pub(super) fn new(conductance: f32, changed: &'a mut CellMask) -> Self {
        DiffuseWhole { conductance, changed, carried: [[0.0; 256]; 2], net: [[0.0; WIDTH]; 2], east: [0.0; WIDTH + 1] }
    }

    /// Fills `net` for y (`axis` 1) or z (2). What flows in is what flows out of the row before, kept from `at` on; of the
    /// first row, `before` is what lies there.
    #[inline(always)]
    fn along<const W: usize>(
        &mut self,
        axis: usize,
        (at, is_first): (usize, bool),
        here: &[f32; W],
        [before, behind]: [&[f32; W]; 2],
    ) {
        let k = self.conductance;
        let (carried, net) = (&mut self.carried[axis - 1][at..][..W], &mut self.net[axis - 1][..W]);
        if is_first {
            for x in 0..W {
                carried[x] = out(k, before[x], here[x]);
            }
        }
        for x in 0..W {
            let on = out(k, here[x], behind[x]);
            net[x] = on - carried[x];
            carried[x] = on;
        }
    }

    /// A row of cells after a step. Only the remainder of `first` by the cells of a plane counts, and whether a plane ends
    /// before it.
    #[inline(always)]
    pub(super) fn step_row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[f32; W],
        around: [&[f32; W]; N],
        cells: &mut [f32; W],
    ) {
        // Sheets have rows along y only; in cubes, rows along z come first and make a plane.
        let plane = if N == 4 { W } else { W * W };
        self.along(1, (first % plane, first < plane), here, [around[2], around[3]]);
        if N == 6 {
            self.along(2, (0, first.is_multiple_of(plane)), here, [around[N - 2], around[N - 1]]);
        }
        let k = self.conductance;
        self.east[0] = out(k, around[0][0], here[0]);
        for (x, east) in self.east[1..=W].iter_mut().enumerate() {
            *east = out(k, here[x], around[1][x]);
        }
        let (west, east): (&[f32], &[f32]) = (&self.east[..W], &self.east[1..=W]);
        let [y, z] = self.net.each_ref().map(|net| &net[..W]);
        for x in 0..W {
            cells[x] = less(here[x], balanced_sum::<N>([east[x] - west[x], y[x], z[x]]));
        }
    }
}

impl RowRule<f32> for DiffuseWhole<'_> {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[f32; W],
        around: [&[f32; W]; N],
        cells: &mut [f32; W],
    ) {
        self.step_row(first, here, around, cells);
        mark(self.changed, first, differing(here, cells));
    }
}

/// The wave rule.
pub(super) struct Ripple<'a, C> {
    pub(super) conductance: C,
    pub(super) damping: f32,
    /// What flows out of each cell across each face: before the step, then after it.
    pub(super) flows: &'a mut [[f32; CHUNK_CELLS]],
    pub(super) changed: &'a mut CellMask,
}

impl<C: Conductance> RowRule<f32> for Ripple<'_, C> {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[f32; W],
        around: [&[f32; W]; N],
        cells: &mut [f32; W],
    ) {
        let conductances: [_; N] = core::array::from_fn(|face| self.conductance.row::<W>(face, first));
        let before: [[f32; W]; N] = core::array::from_fn(|face| *row_of(&self.flows[face], first));
        let mut after = before;
        for x in 0..W {
            for face in 0..N {
                let there = around[face][x];
                let flow = wave(self.damping, before[face][x], conductances[face](x), here[x], there);
                after[face][x] = in_grains(flow, larger(here[x].abs(), there.abs()));
            }
            cells[x] = here[x] - balanced_sum::<N>(along_axes::<N>(core::array::from_fn(|face| after[face][x])));
        }
        let mut changed = differing(here, cells);
        for ((plane, before), after) in self.flows.iter_mut().zip(&before).zip(&after) {
            plane[first..first + W].copy_from_slice(after);
            changed |= differing(before, after);
        }
        mark(self.changed, first, changed);
    }
}

#[inline(always)]
fn mark(mask: &mut CellMask, first: usize, changed: u64) {
    mask.words_mut()[first / 64] |= changed << (first % 64);
}

/// Whether any number is as large as `least`, up or down.
pub(super) fn reaches(cells: &[f32; CHUNK_CELLS], least: f32) -> bool {
    // Blocks keep the early exit, and vectorise inside.
    cells.as_chunks::<64>().0.iter().any(|block| block.iter().fold(false, |any, cell| any | (cell.abs() >= least)))
}
