//! One step of a row of cells, under both rules, with links that are all whole or of any weight.

use super::flow::{balanced_sum, diffusive, in_grains, larger, wave};
use crate::automata::rows::{RowRule, differing};
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;

/// A number for each face of each cell: by [`Face`](crate::Face) index, then by the cell's index.
pub(super) type Planes = Box<[[f32; CHUNK_CELLS]]>;

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

/// The diffusive rule.
pub(super) struct Diffuse<'a, C> {
    pub(super) conductance: C,
    pub(super) changed: &'a mut CellMask,
}

impl<C: Conductance> RowRule<f32> for Diffuse<'_, C> {
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
            let out = core::array::from_fn(|face| {
                let there = around[face][x];
                in_grains(diffusive(conductances[face](x), here[x], there), larger(here[x], there))
            });
            // Products of the smallest numbers there are may be rounded up past what a cell has.
            cells[x] = larger(here[x] - balanced_sum::<N>(out), 0.0);
        }
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
            cells[x] = here[x] - balanced_sum::<N>(core::array::from_fn(|face| after[face][x]));
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
