//! A step of a chunk whose links all have weight 1: each link's flow is computed once and used at
//! both ends. The chunk is changed in place, row by row along x, since no row reads an earlier one.
//!
//! In sheets every row is a layer, with the next layer above it. In cubes sixteen rows make a
//! layer, each south of the one before.

mod diffusive;
mod wave;

use crate::automata::blast::BlastShape;
use crate::automata::blast::field::flows::LinkFlows;
use crate::automata::blast::rules::Rule;
use crate::automata::engine::changes::Rows;
use crate::automata::engine::rows::part;
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;
use crate::simd;
use diffusive::Diffusive;
use wave::Wave;

/// The most cells in a row.
const WIDEST: usize = 64;

/// The most rows in a chunk, and the most cells in a layer.
const MOST: usize = 256;

/// A chunk, and the cells on both sides of its faces before the step, by face, in the order of
/// their indices.
pub(crate) struct UniformChunk<'a> {
    pub(crate) cells: &'a mut [f32; CHUNK_CELLS],
    pub(crate) rims: [&'a [f32]; 6],
    pub(crate) beyond: [&'a [f32]; 6],
    pub(crate) changed: &'a mut CellMask,
}

/// The neighbours of a row's cells towards larger coordinates: east, up, and in cubes south. The
/// value east of the last cell is unused.
type Around<'a, const W: usize> = [&'a [f32; W]; 3];

impl UniformChunk<'_> {
    /// Returns the flows into the first cell of each row, and out of its last cell, given the flows
    /// of the step before.
    #[inline(always)]
    fn at_ends(
        &self,
        before: &[[f32; MOST]; 2],
        flow: impl Fn(f32, f32, f32) -> f32,
    ) -> [[f32; MOST]; 2] {
        let links = [(self.beyond[0], self.rims[0]), (self.rims[1], self.beyond[1])];
        let mut flows = [[0.0; MOST]; 2];
        for ((flows, before), (here, there)) in flows.iter_mut().zip(before).zip(links) {
            for ((to, &before), (&here, &there)) in
                flows.iter_mut().zip(before).zip(here.iter().zip(there))
            {
                *to = flow(before, here, there);
            }
        }
        flows
    }

    /// Returns the cells of a row and their neighbours. `last` is the chunk's last row before the
    /// step; the value after that row is arbitrary.
    #[inline(always)]
    fn look<'c, const W: usize, const N: usize>(
        &'c self,
        row: usize,
        last: &'c [f32; WIDEST + 1],
    ) -> ([f32; W], Around<'c, W>) {
        let (first, layer) = (W * row, layer::<W, N>());
        let next =
            if first + W < CHUNK_CELLS { part(self.cells, first + 1) } else { part(last, 1) };
        let up = match first + layer < CHUNK_CELLS {
            true => part(self.cells, first + layer),
            false => part(self.beyond[3], first % layer),
        };
        let south = match first % layer + W < layer {
            true => part(self.cells, first + W),
            false if N == 6 => part(self.beyond[5], W * (first / layer)),
            false => up,
        };
        (*part(self.cells, first), [next, up, south])
    }

    #[inline(always)]
    fn last_row<const W: usize>(&self) -> [f32; WIDEST + 1] {
        let mut last = [0.0; WIDEST + 1];
        last[..W].copy_from_slice(&self.cells[CHUNK_CELLS - W..]);
        last
    }

    /// Writes a row, and marks the cells that change.
    #[inline(always)]
    fn put<const W: usize>(
        &mut self,
        row: usize,
        here: &[f32; W],
        after: &[f32; W],
        rows: &mut Rows<f32>,
    ) {
        let first = W * row;
        rows.mark(first, here, after, self.changed);
        self.cells[first..][..W].copy_from_slice(after);
    }
}

/// Steps a chunk. `links` returns the flows over the chunk's links, and is called under the wave
/// rule only.
pub(crate) fn step<'a, S: BlastShape>(
    rule: Rule,
    chunk: UniformChunk<'a>,
    links: impl FnOnce() -> &'a mut LinkFlows,
) {
    let conductance = rule.unit_conductance();
    match rule {
        Rule::Diffusive { .. } if S::NEIGHBOURS == 4 => {
            simd::run(Diffusive::<64, 4> { conductance, chunk })
        }
        Rule::Diffusive { .. } => simd::run(Diffusive::<16, 6> { conductance, chunk }),
        Rule::Wave { damping, .. } => {
            let (damping, links) = (damping as f32, links());
            match S::NEIGHBOURS {
                4 => simd::run(Wave::<64, 4> { conductance, damping, links, chunk }),
                _ => simd::run(Wave::<16, 6> { conductance, damping, links, chunk }),
            }
        }
    }
}

/// Returns the number of cells in a layer of rows of `W`.
#[inline(always)]
fn layer<const W: usize, const N: usize>() -> usize {
    if N == 4 { W } else { W * W }
}

#[inline(always)]
fn row_of<const W: usize>(links: &mut [f32], first: usize) -> &mut [f32; W] {
    links[first..].first_chunk_mut().expect("a row of links")
}

#[cfg(test)]
mod tests {
    use super::super::formulas::{balanced_sum, grid_diffusive_flux, grid_wave_flux};
    use super::super::weighted;
    use super::*;
    use crate::automata::blast::field::flows::ChunkFlows;
    use crate::automata::engine::rows::copy_of;
    use crate::coords::{ChunkPos, Cube, Face, Sheet};

    const WAVE: Rule = Rule::Wave { coefficient: 0.2, damping: 0.9 };

    /// Returns the pressures of a chunk and of the chunks behind its faces; some are equal, so that
    /// not all cells change.
    fn chunks() -> [[f32; CHUNK_CELLS]; 7] {
        let mut rng = fastrand::Rng::with_seed(7);
        let cell = |index: usize, rng: &mut fastrand::Rng| {
            if index % 64 < 40 { 5.0 } else { rng.f32() * 100.0 }
        };
        core::array::from_fn(|_| {
            core::array::from_fn(
                |index| if index < 999 { rng.f32() } else { cell(index, &mut rng) },
            )
        })
    }

    /// Returns random flows, half of them 0.
    fn flowing<S: BlastShape>() -> ChunkFlows {
        let (mut rng, mut flows) = (fastrand::Rng::with_seed(8), ChunkFlows::default());
        for link in flows.links_mut::<S>().iter_mut().flatten() {
            *link = if rng.bool() { rng.f32() - 0.5 } else { 0.0 };
        }
        flows
    }

    /// Returns flows below the spacing of `f32` at a pressure of 5: they end, and no pressure
    /// changes.
    fn ebbing<S: BlastShape>() -> ChunkFlows {
        let (mut rng, mut flows) = (fastrand::Rng::with_seed(9), ChunkFlows::default());
        for link in flows.links_mut::<S>().iter_mut().flatten() {
            *link = if rng.u32(..12) == 0 { 1e-7 } else { 0.0 };
        }
        flows
    }

    /// Checks a step against one computed cell by cell and face by face. `chunks` are the chunk and
    /// the chunks behind its faces, `before` the flows of the last step.
    fn steps_as_cell_by_cell<S: BlastShape>(
        rule: Rule,
        chunks: [[f32; CHUNK_CELLS]; 7],
        before: &ChunkFlows,
    ) {
        let [here, behind @ ..] = chunks;
        let (mut cells, mut flows, mut changed) = (here, before.clone(), CellMask::EMPTY);
        let (own, around) = (S::rims_of(&here), behind.each_ref().map(|cells| S::rims_of(cells)));
        let beyond = core::array::from_fn(|face| S::rim(&around[face], face ^ 1));
        let rims = core::array::from_fn(|face| S::rim(&own, face));
        let chunk = UniformChunk { cells: &mut cells, rims, beyond, changed: &mut changed };
        step::<S>(rule, chunk, || flows.links_mut::<S>());

        let mut marked = CellMask::EMPTY;
        for index in 0..CHUNK_CELLS {
            let pressure = here[index];
            let mut net = [0.0; 3];
            for face in Face::ALL.into_iter().take(S::NEIGHBOURS) {
                let there = S::cell_at(ChunkPos::ZERO, index) + face.offset();
                let chunk = if S::chunk_of(there) == ChunkPos::ZERO {
                    &here
                } else {
                    &behind[face.index()]
                };
                let (there, old) = (chunk[S::index_of(there)], before.at::<S>(face, index));
                let flow = match rule {
                    Rule::Diffusive { coefficient } => {
                        grid_diffusive_flux(coefficient as f32, pressure, there)
                    }
                    Rule::Wave { coefficient, damping } => {
                        grid_wave_flux([damping as f32, coefficient as f32], old, pressure, there)
                    }
                };
                if let Rule::Wave { .. } = rule {
                    assert_eq!(flows.at::<S>(face, index), flow, "{face:?} of {index}");
                    marked.set(index, marked.contains(index) || flow != old);
                }
                net[face.index() / 2] += flow;
            }
            let net =
                if S::NEIGHBOURS == 4 { balanced_sum::<4>(net) } else { balanced_sum::<6>(net) };
            let after = if let Rule::Wave { .. } = rule {
                pressure - net
            } else {
                (pressure - net).max(0.0)
            };
            assert_eq!(cells[index].to_bits(), after.to_bits(), "{index}");
            marked.set(index, marked.contains(index) || after != pressure);
        }
        assert_eq!(changed, marked);
        assert!(!marked.is_full() && marked.len() > 999);
        assert!(
            by_weight::<S>(rule, &here, &around, before) == (cells, changed),
            "as with weights, all of which are 1"
        );
    }

    /// Steps the same chunk by the kernels for links of any weight; returns the chunk's cells, and
    /// which of them changed.
    fn by_weight<S: BlastShape>(
        rule: Rule,
        here: &[f32; CHUNK_CELLS],
        around: &[S::Rims<f32>; 6],
        before: &ChunkFlows,
    ) -> ([f32; CHUNK_CELLS], CellMask) {
        let (mut halo, mut cells, mut changed) = (S::uniform_halo(0.0), *here, CellMask::EMPTY);
        S::pad(copy_of(here), around.each_ref(), &mut halo);
        let conductances = &vec![[rule.unit_conductance(); CHUNK_CELLS]; S::NEIGHBOURS][..];
        let rows = [(); 7].map(|()| Rows::new(0.0));
        let changed_by = &mut changed;
        if let Rule::Wave { damping, .. } = rule {
            let (damping, mut flows) = (damping as f32, before.clone());
            let flows = flows.faces_mut::<S>();
            let mut rule =
                weighted::Wave { conductances, damping, flows, rows, changed: changed_by };
            S::rows(&halo, &mut cells, &mut rule);
        } else {
            let [rows, ..] = rows;
            S::rows(
                &halo,
                &mut cells,
                &mut weighted::Diffusive { conductances, rows, changed: changed_by },
            );
        }
        (cells, changed)
    }

    #[test]
    fn uniform_chunks_step_as_cell_by_cell() {
        let diffusive = Rule::Diffusive { coefficient: 0.15 };
        steps_as_cell_by_cell::<Sheet>(diffusive, chunks(), &ChunkFlows::default());
        steps_as_cell_by_cell::<Cube>(diffusive, chunks(), &ChunkFlows::default());
        steps_as_cell_by_cell::<Sheet>(WAVE, chunks(), &flowing::<Sheet>());
        steps_as_cell_by_cell::<Cube>(WAVE, chunks(), &flowing::<Cube>());
    }

    /// Checks that cells of which only a flow changes are marked too.
    #[test]
    fn uniform_chunks_whose_flows_end_step_as_cell_by_cell() {
        let level = [[5.0; CHUNK_CELLS]; 7];
        steps_as_cell_by_cell::<Sheet>(WAVE, level, &ebbing::<Sheet>());
        steps_as_cell_by_cell::<Cube>(WAVE, level, &ebbing::<Cube>());
    }
}
