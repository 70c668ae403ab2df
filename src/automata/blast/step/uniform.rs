//! A step of a chunk whose links are all whole: each link is visited once, and its flow kept for
//! its other end. The chunk is changed in place, row by row along x, since no row looks back at
//! what the one before it was.
//!
//! In sheets every row is a layer, and the next layer lies up of it. In cubes sixteen rows make a
//! layer, each south of the one before.

use super::formulas::{balanced_sum, diffuse, less, ripple};
use crate::automata::blast::BlastShape;
use crate::automata::blast::field::flows::Links;
use crate::automata::blast::rules::Rule;
use crate::automata::engine::changes::{Rows, differing, mark};
use crate::automata::engine::rows::{FIRST_OUT, part};
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;
use crate::simd::{self, Aligned};

/// The most cells in a row.
const WIDEST: usize = 64;

/// Cells by which flows to the east are worked out ahead: a row of sheets, four of cubes. They are
/// read one cell off from where they are written, which is slow as long as they have not reached
/// the cache.
const AHEAD: usize = 64;

/// Room for flows to the east, of the narrowest rows: for twice as many as are ahead, so that the
/// place of a row is a remainder by a power of two.
const ROOM: usize = 2 * (AHEAD + AHEAD / 16 * FIRST_OUT);

/// The most rows in a chunk, and the most cells in a layer.
const MOST: usize = 256;

/// A chunk, and the cells on both sides of its faces before the step, by face, in the order of
/// their indices.
pub(crate) struct WholeChunk<'a> {
    pub(crate) cells: &'a mut [f32; CHUNK_CELLS],
    pub(crate) rims: [&'a [f32]; 6],
    pub(crate) beyond: [&'a [f32]; 6],
    pub(crate) changed: &'a mut CellMask,
}

/// The cells around those of a row towards larger coordinates: east, up, and in cubes south. What
/// stands for the cell east of the last one makes no difference.
type Around<'a, const W: usize> = [&'a [f32; W]; 3];

impl WholeChunk<'_> {
    /// What flows into the first cell of each row, and out of the last one; `before` is what did in
    /// the step before.
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

    /// The cells of a row and those around them. `last` is the chunk's last row as it was before
    /// the step, and anything.
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

    /// Works out what flows over the links below the lowest layer, and returns it by cell of the
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

    #[inline(always)]
    fn last_row<const W: usize>(&self) -> [f32; WIDEST + 1] {
        let mut last = [0.0; WIDEST + 1];
        last[..W].copy_from_slice(&self.cells[CHUNK_CELLS - W..]);
        last
    }

    /// Writes a row, and marks those of its cells that change.
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

/// Steps a chunk. Under the wave rule, `links` gives what flows over its links.
pub(crate) fn step<'a, S: BlastShape>(
    rule: Rule,
    chunk: WholeChunk<'a>,
    links: impl FnOnce() -> &'a mut Links,
) {
    let conductance = rule.unit_conductance();
    match rule {
        Rule::Diffusive { .. } if S::NEIGHBOURS == 4 => {
            simd::run(Diffuse::<64, 4> { conductance, chunk })
        }
        Rule::Diffusive { .. } => simd::run(Diffuse::<16, 6> { conductance, chunk }),
        Rule::Wave { damping, .. } => {
            let (damping, links) = (damping as f32, links());
            match S::NEIGHBOURS {
                4 => simd::run(Ripple::<64, 4> { conductance, damping, links, chunk }),
                _ => simd::run(Ripple::<16, 6> { conductance, damping, links, chunk }),
            }
        }
    }
}

/// Cells in a layer of rows of `W`.
#[inline(always)]
fn layer<const W: usize, const N: usize>() -> usize {
    if N == 4 { W } else { W * W }
}

/// A step by the diffusive rule: what flows on is kept in passing.
struct Diffuse<'a, const W: usize, const N: usize> {
    conductance: f32,
    chunk: WholeChunk<'a>,
}

impl<const W: usize, const N: usize> simd::Kernel for Diffuse<'_, W, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Diffuse { conductance, mut chunk } = self;
        let [west, east] =
            chunk.at_ends(&[[0.0; MOST]; 2], |_, here, there| diffuse(conductance, here, there));
        let last = chunk.last_row::<W>();
        let mut upward = [0.0; MOST];
        for (flow, (&here, &there)) in
            upward.iter_mut().zip(chunk.beyond[2].iter().zip(chunk.rims[2]))
        {
            *flow = diffuse(conductance, here, there);
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
                    inner[x] = diffuse(conductance, here[x], next[x]);
                }
                [flows[FIRST_OUT - 1], flows[FIRST_OUT + W - 1]] = [west[ahead], east[ahead]];
            }
            let Some(row) = ahead.checked_sub(rows_ahead) else { continue };
            let at = W * row % layer::<W, N>();
            let (here, [_, up, south]) = chunk.look::<W, N>(row, &last);
            if N == 6 && at == 0 {
                let north: &[f32; W] = part(chunk.beyond[4], row);
                for x in 0..W {
                    southward[x] = diffuse(conductance, north[x], here[x]);
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

/// A row of cells after a step of the diffusive rule. `west` and `east` is what flows to the east
/// into its cells and out of them. With the cells up of it, and with those south of it, comes what
/// flows into its cells from below, or from the north, and then what flows on.
#[inline(always)]
fn diffuse_row<const W: usize, const N: usize>(
    conductance: f32,
    here: &[f32; W],
    [west, east]: [&[f32; W]; 2],
    [(up, upward), (south, southward)]: [(&[f32; W], &mut [f32; W]); 2],
) -> [f32; W] {
    let on = |x: usize, ahead: &[f32; W], carried: &mut [f32; W]| {
        let flow = diffuse(conductance, here[x], ahead[x]);
        flow - core::mem::replace(&mut carried[x], flow)
    };
    let mut after = [0.0; W];
    for x in 0..W {
        let z = if N == 6 { on(x, south, southward) } else { 0.0 };
        let net = [east[x] - west[x], on(x, up, upward), z];
        after[x] = less(here[x], balanced_sum::<N>(net));
    }
    after
}

/// A step by the wave rule: what flows over each link is kept from step to step.
struct Ripple<'a, const W: usize, const N: usize> {
    conductance: f32,
    damping: f32,
    /// What flows over each link: before the step, then after it.
    links: &'a mut Links,
    chunk: WholeChunk<'a>,
}

impl<const W: usize, const N: usize> simd::Kernel for Ripple<'_, W, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Ripple { conductance, damping, links, mut chunk } = self;
        let flow = |before, here, there| ripple([damping, conductance], before, here, there);
        let (along_x, others) = links.split_first_mut().expect("links along x");
        let (along_y, along_z) = others.split_first_mut().expect("links along y");
        let ends = chunk.at_ends(&ends_of::<W>(along_x), flow);
        let last = chunk.last_row::<W>();
        let mut changes = LinkChanges::<W, N>::new();
        let (lowest, along_y) = along_y.as_chunks_mut::<W>().0.split_at_mut(layer::<W, N>() / W);
        // What flows over the links towards the row.
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

/// Which links changed, 64 cells at a time: one bit for each cell that has one, the first lowest.
struct LinkChanges<const W: usize, const N: usize> {
    /// Of links along x, up, and south.
    rows: [Rows<f32>; 3],
    /// Before the first cells of rows, and behind all.
    along: [u64; 2],
    /// Towards the next layer, 64 of its cells after the other; at first, towards the lowest.
    below: [u64; MOST / 64],
    above: u64,
    /// Towards the first row of the next 64 cells, if the layer goes on, at its own cells.
    north: u64,
    south: u64,
}

impl<const W: usize, const N: usize> LinkChanges<W, N> {
    #[inline(always)]
    fn new() -> Self {
        let rows = [(); 3].map(|()| Rows::new(0.0));
        LinkChanges { rows, along: [0; 2], below: [0; MOST / 64], above: 0, north: 0, south: 0 }
    }

    /// Takes in the links that come from below into the lowest layer.
    #[inline(always)]
    fn below(&mut self, first: usize, before: &[f32; W], after: &[f32; W]) {
        if let Some(changed) = self.rows[1].differing(first, before, after) {
            self.below[first / 64] = changed;
        }
    }

    /// Takes in the links behind the cells of a row, and whether the one before its first cell
    /// changed.
    #[inline(always)]
    fn along(&mut self, first: usize, before: &[f32; W], after: &[f32; W], is_first_changed: bool) {
        self.along[0] |= u64::from(is_first_changed) << (first % 64);
        self.along[1] |= self.rows[0].differing(first, before, after).unwrap_or(0);
    }

    /// Takes in the links up of a row.
    #[inline(always)]
    fn above(&mut self, first: usize, before: &[f32; W], after: &[f32; W]) {
        self.above |= self.rows[1].differing(first, before, after).unwrap_or(0);
    }

    /// Takes in the links that come from the north into the first row of a layer.
    #[inline(always)]
    fn north(&mut self, before: &[f32; W], after: &[f32; W]) {
        let [mut wide_before, mut wide_after] = [[0.0; 64]; 2];
        wide_before[..W].copy_from_slice(before);
        wide_after[..W].copy_from_slice(after);
        self.north = differing(&wide_before, &wide_after);
    }

    /// Takes in the links south of a row.
    #[inline(always)]
    fn south(&mut self, first: usize, before: &[f32; W], after: &[f32; W]) {
        self.south |= self.rows[2].differing(first, before, after).unwrap_or(0);
    }

    /// The cells, of the 64 around index `first`, with a link that changed, when all of these were
    /// taken in.
    #[inline(always)]
    fn take(&mut self, first: usize) -> u64 {
        let ([before, behind], above) =
            (core::mem::take(&mut self.along), core::mem::take(&mut self.above));
        // What lies behind the last cell of a row lies before none.
        let last: u64 = (0..64 / W).fold(0, |last, row| last | 1 << (W * row + W - 1));
        let along = before | behind | (behind & !last) << 1;
        let below = core::mem::replace(&mut self.below[first % layer::<W, N>() / 64], above);
        let (north, south) = (self.north, core::mem::take(&mut self.south));
        // The last row of these is the next one's north, unless that begins a layer.
        self.north = if N == 6 { south >> (64 - W) } else { 0 };
        along | below | above | north | if N == 6 { south | south << W } else { 0 }
    }
}

/// Works out what flows over a row of links. Returns what did in the step before.
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

/// What flows into the first cell of each row along x, and out of the last one.
#[inline(always)]
fn ends_of<const W: usize>(along_x: &[f32]) -> [[f32; MOST]; 2] {
    let mut ends = [[0.0; MOST]; 2];
    for (row, eastward) in along_x.chunks_exact(W + 1).enumerate() {
        [ends[0][row], ends[1][row]] = [eastward[0], eastward[W]];
    }
    ends
}

#[inline(always)]
fn row_of<const W: usize>(links: &mut [f32], first: usize) -> &mut [f32; W] {
    links[first..].first_chunk_mut().expect("a row of links")
}

/// The links before and behind the cells of a row.
#[inline(always)]
fn both_sides<const W: usize>(links: &[f32], before: usize, step: usize) -> [&[f32; W]; 2] {
    [part(links, before), part(links, before + step)]
}

#[cfg(test)]
mod tests {
    use super::super::weighted;
    use super::*;
    use crate::automata::blast::field::flows::ChunkFlows;
    use crate::automata::engine::rows::copy_of;
    use crate::coords::{Cube, Face, Sheet};
    use glam::IVec3;

    const WAVE: Rule = Rule::Wave { coefficient: 0.2, damping: 0.9 };

    /// Pressures of a chunk and of those behind its faces: some alike, so that not all of them
    /// change.
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

    /// Links over which something flows, or nothing.
    fn flowing<S: BlastShape>() -> ChunkFlows {
        let (mut rng, mut flows) = (fastrand::Rng::with_seed(8), ChunkFlows::default());
        for link in flows.links_mut::<S>().iter_mut().flatten() {
            *link = if rng.bool() { rng.f32() - 0.5 } else { 0.0 };
        }
        flows
    }

    /// Links over some of which less than a grain of a pressure of 5 flows: that ends, and no
    /// pressure changes.
    fn ebbing<S: BlastShape>() -> ChunkFlows {
        let (mut rng, mut flows) = (fastrand::Rng::with_seed(9), ChunkFlows::default());
        for link in flows.links_mut::<S>().iter_mut().flatten() {
            *link = if rng.u32(..12) == 0 { 1e-7 } else { 0.0 };
        }
        flows
    }

    /// Checks a step against one that asks every cell for what lies behind each of its faces.
    /// `chunks` are the one and those behind its faces, `before` what flowed.
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
        let chunk = WholeChunk { cells: &mut cells, rims, beyond, changed: &mut changed };
        step::<S>(rule, chunk, || flows.links_mut::<S>());

        let mut marked = CellMask::EMPTY;
        for index in 0..CHUNK_CELLS {
            let pressure = here[index];
            let mut net = [0.0; 3];
            for face in Face::ALL.into_iter().take(S::NEIGHBOURS) {
                let there = S::cell_at(IVec3::ZERO, index) + face.offset();
                let chunk =
                    if S::chunk_of(there) == IVec3::ZERO { &here } else { &behind[face.index()] };
                let (there, old) = (chunk[S::index_of(there)], before.at::<S>(face, index));
                let flow = match rule {
                    Rule::Diffusive { coefficient } => diffuse(coefficient as f32, pressure, there),
                    Rule::Wave { coefficient, damping } => {
                        ripple([damping as f32, coefficient as f32], old, pressure, there)
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

    /// The step of the same chunk, and the cells that it changes, by the rules for links of any
    /// weight.
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
                weighted::Ripple { conductances, damping, flows, rows, changed: changed_by };
            S::rows(&halo, &mut cells, &mut rule);
        } else {
            let [rows, ..] = rows;
            S::rows(
                &halo,
                &mut cells,
                &mut weighted::Diffuse { conductances, rows, changed: changed_by },
            );
        }
        (cells, changed)
    }

    #[test]
    fn whole_chunks_step_as_cell_by_cell() {
        let diffusive = Rule::Diffusive { coefficient: 0.15 };
        steps_as_cell_by_cell::<Sheet>(diffusive, chunks(), &ChunkFlows::default());
        steps_as_cell_by_cell::<Cube>(diffusive, chunks(), &ChunkFlows::default());
        steps_as_cell_by_cell::<Sheet>(WAVE, chunks(), &flowing::<Sheet>());
        steps_as_cell_by_cell::<Cube>(WAVE, chunks(), &flowing::<Cube>());
    }

    /// Cells of equal pressures are marked for their links alone.
    #[test]
    fn whole_chunks_in_which_flows_end_step_as_cell_by_cell() {
        let level = [[5.0; CHUNK_CELLS]; 7];
        steps_as_cell_by_cell::<Sheet>(WAVE, level, &ebbing::<Sheet>());
        steps_as_cell_by_cell::<Cube>(WAVE, level, &ebbing::<Cube>());
    }
}
