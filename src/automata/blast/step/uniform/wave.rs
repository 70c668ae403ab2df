//! The wave rule on a chunk whose links all have weight 1. Each link's flow is stored once, and
//! kept from step to step.

use super::{MOST, UniformChunk, layer, row_of};
use crate::automata::blast::field::flows::LinkFlows;
use crate::automata::blast::step::formulas::{balanced_sum, grid_wave_flux};
use crate::automata::engine::changes::{Rows, differing, mark};
use crate::automata::engine::rows::part;
use crate::simd;

/// A step by the wave rule.
pub(super) struct Wave<'a, const W: usize, const N: usize> {
    pub(super) conductance: f32,
    pub(super) damping: f32,
    /// The flow over each link: at first of the last step, then of this step.
    pub(super) links: &'a mut LinkFlows,
    pub(super) chunk: UniformChunk<'a>,
}

impl<const W: usize, const N: usize> simd::Kernel for Wave<'_, W, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Wave { conductance, damping, links, mut chunk } = self;
        let flow =
            |before, here, there| grid_wave_flux([damping, conductance], before, here, there);
        let (along_x, others) = links.split_first_mut().expect("links along x");
        let (along_y, along_z) = others.split_first_mut().expect("links along y");
        let ends = chunk.at_ends(&ends_of::<W>(along_x), flow);
        let last = chunk.last_row::<W>();
        let mut changes = LinkChanges::<W, N>::new();
        let (lowest, along_y) = along_y.as_chunks_mut::<W>().0.split_at_mut(layer::<W, N>() / W);
        // The upward flows into a layer, by cell; each row replaces its own by the flows into the
        // layer above.
        let mut upward = chunk.enter_from_below(lowest, flow, &mut changes);
        let mut rows = Rows::new(0.0);
        for (row, (eastward, upward_links)) in
            along_x.chunks_exact_mut(W + 1).zip(along_y).enumerate()
        {
            let (first, at) = (W * row, row % (layer::<W, N>() / W));
            let (here, [next, up, south]) = chunk.look::<W, N>(row, &last);
            let (first_before, mut east) = (eastward[0], *row_of::<W>(eastward, 1));
            let before = advance(&mut east, flow, &here, next);
            [eastward[0], east[W - 1]] = [ends[0][row], ends[1][row]];
            *row_of(eastward, 1) = east;
            changes.along(first, &before, &east, first_before != ends[0][row]);
            let before = advance(upward_links, flow, &here, up);
            changes.above(first, &before, upward_links);
            let links = W * (row + row / W);
            if N == 6 {
                if at == 0 {
                    let north = row_of(&mut along_z[0], links);
                    let before = advance(north, flow, part(chunk.beyond[4], row), &here);
                    changes.north(&before, north);
                }
                let southward_links = row_of(&mut along_z[0], links + W);
                let before = advance(southward_links, flow, &here, south);
                changes.south(first, &before, southward_links);
            }
            let x: [&[f32; W]; 2] = both_sides(eastward, 0, 1);
            let upward: &mut [f32; W] = row_of(&mut upward, W * at);
            let z = if N == 6 {
                both_sides(&along_z[0], links, W)
            } else {
                [&*upward_links, &*upward_links]
            };
            let mut after = [0.0; W];
            for i in 0..W {
                let net = [[x[0][i], x[1][i]], [upward[i], upward_links[i]], [z[0][i], z[1][i]]];
                after[i] = here[i] - balanced_sum::<N>(net.map(|[before, behind]| behind - before));
            }
            *upward = *upward_links;
            chunk.put(row, &here, &after, &mut rows);
            if (first + W).is_multiple_of(64) {
                mark(chunk.changed, first, changes.take(first));
            }
        }
    }
}

impl UniformChunk<'_> {
    /// Computes the flows over the links below the lowest layer, and returns them by cell of the
    /// layer.
    #[inline(always)]
    fn enter_from_below<const W: usize, const N: usize>(
        &self,
        links: &mut [[f32; W]],
        flow: impl Fn(f32, f32, f32) -> f32 + Copy,
        changes: &mut LinkChanges<W, N>,
    ) -> [f32; MOST] {
        let mut upward = [0.0; MOST];
        for (at, links) in links.iter_mut().enumerate() {
            let first = W * at;
            let before =
                advance(links, flow, part(self.beyond[2], first), part(self.rims[2], first));
            changes.below(first, &before, links);
            upward[first..][..W].copy_from_slice(links);
        }
        upward
    }
}

/// The links whose flow changed, for 64 cells at a time. Each link is one bit, at the place of the
/// cell at one of its ends.
struct LinkChanges<const W: usize, const N: usize> {
    /// Rows of the links along x, up, and south.
    rows: [Rows<f32>; 3],
    /// Links before the first cells of rows, and links behind all cells.
    along: [u64; 2],
    /// Links into the next layer, for each 64 of that layer's cells; at first, links into the
    /// lowest layer.
    below: [u64; MOST / 64],
    above: u64,
    /// Links into the first row of the next 64 cells, unless that row begins a layer.
    north: u64,
    south: u64,
}

impl<const W: usize, const N: usize> LinkChanges<W, N> {
    #[inline(always)]
    fn new() -> Self {
        let rows = [(); 3].map(|()| Rows::new(0.0));
        LinkChanges { rows, along: [0; 2], below: [0; MOST / 64], above: 0, north: 0, south: 0 }
    }

    /// Adds the links from below into the lowest layer.
    #[inline(always)]
    fn below(&mut self, first: usize, before: &[f32; W], after: &[f32; W]) {
        if let Some(changed) = self.rows[1].differing(first, before, after) {
            self.below[first / 64] = changed;
        }
    }

    /// Adds the links behind the cells of a row, and whether the link before its first cell
    /// changed.
    #[inline(always)]
    fn along(&mut self, first: usize, before: &[f32; W], after: &[f32; W], is_first_changed: bool) {
        self.along[0] |= u64::from(is_first_changed) << (first % 64);
        self.along[1] |= self.rows[0].differing(first, before, after).unwrap_or(0);
    }

    /// Adds the links above a row.
    #[inline(always)]
    fn above(&mut self, first: usize, before: &[f32; W], after: &[f32; W]) {
        self.above |= self.rows[1].differing(first, before, after).unwrap_or(0);
    }

    /// Adds the links from the north into the first row of a layer.
    #[inline(always)]
    fn north(&mut self, before: &[f32; W], after: &[f32; W]) {
        let [mut wide_before, mut wide_after] = [[0.0; 64]; 2];
        wide_before[..W].copy_from_slice(before);
        wide_after[..W].copy_from_slice(after);
        self.north = differing(&wide_before, &wide_after);
    }

    /// Adds the links south of a row.
    #[inline(always)]
    fn south(&mut self, first: usize, before: &[f32; W], after: &[f32; W]) {
        self.south |= self.rows[2].differing(first, before, after).unwrap_or(0);
    }

    /// Returns which of the 64 cells around index `first` have a changed link. All links of these
    /// cells must have been added.
    #[inline(always)]
    fn take(&mut self, first: usize) -> u64 {
        let ([before, behind], above) =
            (core::mem::take(&mut self.along), core::mem::take(&mut self.above));
        // A link behind the last cell of a row is not before another cell.
        let last: u64 = (0..64 / W).fold(0, |last, row| last | 1 << (W * row + W - 1));
        let along = before | behind | (behind & !last) << 1;
        let below = core::mem::replace(&mut self.below[first % layer::<W, N>() / 64], above);
        let (north, south) = (self.north, core::mem::take(&mut self.south));
        // The links south of the last row are the links north of the next row, unless the next row
        // begins a layer.
        self.north = if N == 6 { south >> (64 - W) } else { 0 };
        along | below | above | north | if N == 6 { south | south << W } else { 0 }
    }
}

/// Returns the flows into the first cell of each row along x, and out of its last cell.
#[inline(always)]
fn ends_of<const W: usize>(along_x: &[f32]) -> [[f32; MOST]; 2] {
    let mut ends = [[0.0; MOST]; 2];
    for (row, eastward) in along_x.chunks_exact(W + 1).enumerate() {
        [ends[0][row], ends[1][row]] = [eastward[0], eastward[W]];
    }
    ends
}

/// Computes the flows over a row of links. Returns the flows of the step before.
#[inline(always)]
fn advance<const W: usize>(
    links: &mut [f32; W],
    flow: impl Fn(f32, f32, f32) -> f32,
    here: &[f32; W],
    there: &[f32; W],
) -> [f32; W] {
    let before = *links;
    for x in 0..W {
        links[x] = flow(before[x], here[x], there[x]);
    }
    before
}

/// Returns the links before and behind the cells of a row.
#[inline(always)]
fn both_sides<const W: usize>(links: &[f32], before: usize, step: usize) -> [&[f32; W]; 2] {
    [part(links, before), part(links, before + step)]
}
