//! The kernels of both rules for links of any weight: each cell computes the flows across all its
//! faces.

use super::formulas::{
    after_outflow, balanced_sum, grid_diffusive_flux, grid_wave_flux, sum_by_axis,
};
use crate::automata::engine::changes::{Rows, mark};
use crate::automata::engine::rows::{RowRule, part};
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;

/// The diffusive rule, each cell with its own conductances.
pub(crate) struct Diffusive<'a> {
    /// By face: coefficient times weight, 0 where no pressure passes.
    pub(crate) conductances: &'a [[f32; CHUNK_CELLS]],
    pub(crate) rows: Rows<f32>,
    pub(crate) changed: &'a mut CellMask,
}

impl RowRule<f32> for Diffusive<'_> {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[f32; W],
        around: [&[f32; W]; N],
        cells: &mut [f32; W],
    ) {
        let conductances: [&[f32; W]; N] = rows_at(self.conductances, first);
        for x in 0..W {
            let out = core::array::from_fn(|face| {
                grid_diffusive_flux(conductances[face][x], here[x], around[face][x])
            });
            cells[x] = after_outflow(here[x], balanced_sum::<N>(sum_by_axis::<N>(out)));
        }
        self.rows.mark(first, here, cells, self.changed);
    }
}

/// The wave rule, each cell with its own conductances.
pub(crate) struct Wave<'a> {
    /// By face: coefficient times weight, 0 where no pressure passes.
    pub(crate) conductances: &'a [[f32; CHUNK_CELLS]],
    pub(crate) damping: f32,
    /// The flow out of each cell across each face: at first of the last step, then of this step.
    pub(crate) flows: &'a mut [[f32; CHUNK_CELLS]],
    /// Rows of the pressures, and of the flows across each face.
    pub(crate) rows: [Rows<f32>; 7],
    pub(crate) changed: &'a mut CellMask,
}

impl RowRule<f32> for Wave<'_> {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[f32; W],
        around: [&[f32; W]; N],
        cells: &mut [f32; W],
    ) {
        let conductances: [&[f32; W]; N] = rows_at(self.conductances, first);
        // `map` of these arrays is not inlined.
        let before: [[f32; W]; N] = core::array::from_fn(|face| *part(&self.flows[face], first));
        let mut after = before;
        for x in 0..W {
            for face in 0..N {
                after[face][x] = grid_wave_flux(
                    [self.damping, conductances[face][x]],
                    before[face][x],
                    here[x],
                    around[face][x],
                );
            }
            cells[x] = here[x]
                - balanced_sum::<N>(sum_by_axis::<N>(core::array::from_fn(|face| after[face][x])));
        }
        let [rows, of_flows @ ..] = &mut self.rows;
        let mut changed = rows.differing(first, here, cells).unwrap_or(0);
        for (((plane, rows), before), after) in
            self.flows.iter_mut().zip(of_flows).zip(&before).zip(&after)
        {
            plane[first..first + W].copy_from_slice(after);
            changed |= rows.differing(first, before, after).unwrap_or(0);
        }
        mark(self.changed, first, changed);
    }
}

/// Returns the row of cells that begins at an index, in every plane.
#[inline(always)]
fn rows_at<const W: usize, const N: usize>(
    planes: &[[f32; CHUNK_CELLS]],
    first: usize,
) -> [&[f32; W]; N] {
    core::array::from_fn(|face| part(&planes[face], first))
}
