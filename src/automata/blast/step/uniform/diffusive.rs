//! The diffusive rule on a chunk whose links all have weight 1: each flow is carried over to the
//! row at its other end.

use super::{MOST, UniformChunk, layer, row_of};
use crate::automata::blast::step::formulas::{after_outflow, balanced_sum, grid_diffusive_flux};
use crate::automata::engine::changes::Rows;
use crate::automata::engine::rows::{FIRST_OUT, part};
use crate::coords::CHUNK_CELLS;
use crate::simd::{self, Aligned};

/// The number of cells by which flows to the east are computed ahead: one row of sheets, four rows
/// of cubes. The flows are read at an offset of one cell from where they are written, and such
/// unaligned reads stall until the store has reached the cache (failed store-to-load forwarding).
const AHEAD: usize = 64;

/// The length of the ring buffer of flows to the east, for the narrowest rows: twice as many rows
/// as are ahead, so that a row's place is a remainder by a power of two.
const ROOM: usize = 2 * (AHEAD + AHEAD / 16 * FIRST_OUT);

/// A step by the diffusive rule.
pub(super) struct Diffusive<'a, const W: usize, const N: usize> {
    pub(super) conductance: f32,
    pub(super) chunk: UniformChunk<'a>,
}

impl<const W: usize, const N: usize> simd::Kernel for Diffusive<'_, W, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Diffusive { conductance, mut chunk } = self;
        let [west, east] = chunk.at_ends(&[[0.0; MOST]; 2], |_, here, there| {
            grid_diffusive_flux(conductance, here, there)
        });
        let last = chunk.last_row::<W>();
        let mut upward = [0.0; MOST];
        for (flow, (&here, &there)) in
            upward.iter_mut().zip(chunk.beyond[2].iter().zip(chunk.rims[2]))
        {
            *flow = grid_diffusive_flux(conductance, here, there);
        }
        let (mut southward, mut eastward) = ([0.0; W], Aligned([0.0; ROOM]));
        let mut rows = Rows::new(0.0);
        let (rows_ahead, rows_in_all) = (AHEAD / W, CHUNK_CELLS / W);
        let place = |row: usize| (W + FIRST_OUT) * (row % (2 * rows_ahead));
        for ahead in 0..rows_in_all + rows_ahead {
            if ahead < rows_in_all {
                let (here, [next, ..]) = chunk.look::<W, N>(ahead, &last);
                let flows = &mut eastward.0[place(ahead)..][..W + FIRST_OUT];
                let inner: &mut [f32; W] = row_of(flows, FIRST_OUT);
                for x in 0..W {
                    inner[x] = grid_diffusive_flux(conductance, here[x], next[x]);
                }
                [flows[FIRST_OUT - 1], flows[FIRST_OUT + W - 1]] = [west[ahead], east[ahead]];
            }
            let Some(row) = ahead.checked_sub(rows_ahead) else { continue };
            let at = W * row % layer::<W, N>();
            let (here, [_, up, south]) = chunk.look::<W, N>(row, &last);
            if N == 6 && at == 0 {
                let north: &[f32; W] = part(chunk.beyond[4], row);
                for x in 0..W {
                    southward[x] = grid_diffusive_flux(conductance, north[x], here[x]);
                }
            }
            let upward = upward[at..].first_chunk_mut().expect("a row of a layer");
            let carried = [(up, upward), (south, &mut southward)];
            let eastward = &eastward.0[place(row)..];
            let eastward = [part(eastward, FIRST_OUT - 1), part(eastward, FIRST_OUT)];
            let after = diffuse_row::<W, N>(conductance, &here, eastward, carried);
            chunk.put(row, &here, &after, &mut rows);
        }
    }
}

/// Returns a row of cells after a step of the diffusive rule. `west` and `east` are the eastward
/// flows into the row's cells and out of them. `upward` is given with the cells above the row,
/// `southward` with the cells south of it. These buffers hold the flows into the row from below and
/// from the north, and receive the flows out of the row.
#[inline(always)]
fn diffuse_row<const W: usize, const N: usize>(
    conductance: f32,
    here: &[f32; W],
    [west, east]: [&[f32; W]; 2],
    [(up, upward), (south, southward)]: [(&[f32; W], &mut [f32; W]); 2],
) -> [f32; W] {
    let on = |x: usize, ahead: &[f32; W], carried: &mut [f32; W]| {
        let flow = grid_diffusive_flux(conductance, here[x], ahead[x]);
        flow - core::mem::replace(&mut carried[x], flow)
    };
    let mut after = [0.0; W];
    for x in 0..W {
        let z = if N == 6 { on(x, south, southward) } else { 0.0 };
        let net = [east[x] - west[x], on(x, up, upward), z];
        after[x] = after_outflow(here[x], balanced_sum::<N>(net));
    }
    after
}
