//! A step of a chunk whose links are all whole: each link is visited once, and its flow kept for its other end. The chunk is
//! changed in place, row by row along x, since no row looks back at what the one before it was.
//!
//! In sheets every row is a layer, and the next layer lies up of it. In cubes sixteen rows make a layer, each south of the
//! one before.

use super::flow::{balanced_sum, diffuse, less, ripple};
use super::planes::Links;
use super::rules::Rule;
use crate::automata::changed::{differing, mark};
use crate::automata::rows::part;
use crate::automata::shape::FieldShape;
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;
use crate::simd;

/// The most cells in a row.
const WIDEST: usize = 64;

/// The most rows in a chunk, and the most cells in a layer.
const MOST: usize = 256;

/// A chunk, and the cells on both sides of its faces before the step, by face, in the order of their indices.
pub(super) struct WholeChunk<'a> {
    pub(super) cells: &'a mut [f32; CHUNK_CELLS],
    pub(super) rims: [&'a [f32]; 6],
    pub(super) beyond: [&'a [f32]; 6],
    pub(super) changed: &'a mut CellMask,
}

/// The cells around those of a row towards larger coordinates: east, up, and in cubes south. What stands for the cell east
/// of the last one makes no difference.
type Around<'a, const W: usize> = [&'a [f32; W]; 3];

impl WholeChunk<'_> {
    /// What flows into the first cell of each row, and out of the last one. `flow` is told which of the two, and the row.
    #[inline(always)]
    fn at_ends(&self, flow: impl Fn(usize, usize, f32, f32) -> f32) -> [[f32; MOST]; 2] {
        let links = [(self.beyond[0], self.rims[0]), (self.rims[1], self.beyond[1])];
        let mut flows = [[0.0; MOST]; 2];
        for (end, (flows, (here, there))) in flows.iter_mut().zip(links).enumerate() {
            for (row, (to, (&here, &there))) in flows.iter_mut().zip(here.iter().zip(there)).enumerate() {
                *to = flow(end, row, here, there);
            }
        }
        flows
    }

    /// The cells of a row and those around them. `last` is the chunk's last row as it was before the step, and anything.
    #[inline(always)]
    fn look<'c, const W: usize, const N: usize>(
        &'c self,
        row: usize,
        last: &'c [f32; WIDEST + 1],
    ) -> ([f32; W], Around<'c, W>) {
        let (first, layer) = (W * row, layer::<W, N>());
        let next = if first + W < CHUNK_CELLS { part(self.cells, first + 1) } else { part(last, 1) };
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

    /// Writes a row, and marks those of its cells that change, and these others.
    #[inline(always)]
    fn put<const W: usize>(&mut self, row: usize, here: &[f32; W], after: &[f32; W], others: u64) {
        let first = W * row;
        mark(self.changed, first, differing(here, after) | others);
        self.cells[first..][..W].copy_from_slice(after);
    }
}

/// The conductance of a link of weight 1.
pub(super) fn conductance(rule: Rule) -> f32 {
    rule.coefficient() as f32
}

/// Steps a chunk. Under the wave rule, `links` gives what flows over its links.
pub(super) fn step<'a, S: FieldShape>(rule: Rule, chunk: WholeChunk<'a>, links: impl FnOnce() -> &'a mut Links) {
    let conductance = conductance(rule);
    match rule {
        Rule::Diffusive { .. } if S::NEIGHBOURS == 4 => simd::run(Diffuse::<64, 4> { conductance, chunk }),
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
        let [west, east] = chunk.at_ends(|_, _, here, there| diffuse(conductance, here, there));
        let last = chunk.last_row::<W>();
        let mut upward = [0.0; MOST];
        for (flow, (&here, &there)) in upward.iter_mut().zip(chunk.beyond[2].iter().zip(chunk.rims[2])) {
            *flow = diffuse(conductance, here, there);
        }
        let (mut southward, mut eastward) = ([0.0; W], [0.0; WIDEST + 1]);
        for row in 0..CHUNK_CELLS / W {
            let at = W * row % layer::<W, N>();
            let (here, around) = chunk.look::<W, N>(row, &last);
            if N == 6 && at == 0 {
                let north: &[f32; W] = part(chunk.beyond[4], row);
                southward = core::array::from_fn(|x| diffuse(conductance, north[x], here[x]));
            }
            let upward = upward[at..].first_chunk_mut().expect("a row of a layer");
            let (ends, carried) = ([west[row], east[row]], [upward, &mut southward]);
            let after = diffuse_row::<W, N>(conductance, &here, around, ends, carried, &mut eastward);
            chunk.put(row, &here, &after, 0);
        }
    }
}

/// Room for what flows into the cells of a row from the west, and out of the last one.
type Eastward = [f32; WIDEST + 1];

/// A row of cells after a step of the diffusive rule. `ends` is what flows into its first cell from the west, and out of its
/// last; `carried` what flows into its cells from below, and from the north, and then what flows on.
/// `eastward` is room to work in.
#[inline(always)]
fn diffuse_row<const W: usize, const N: usize>(
    conductance: f32,
    here: &[f32; W],
    [next, up, south]: Around<W>,
    ends: [f32; 2],
    [upward, southward]: [&mut [f32; W]; 2],
    eastward: &mut Eastward,
) -> [f32; W] {
    for (flow, (&here, &next)) in eastward[1..].iter_mut().zip(here.iter().zip(next)) {
        *flow = diffuse(conductance, here, next);
    }
    [eastward[0], eastward[W]] = ends;
    let (west, east): (&[f32; W], &[f32; W]) = (part(eastward, 0), part(eastward, 1));
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
        let layer = layer::<W, N>();
        let ends = chunk.at_ends(|end, row, here, there| flow(links[0][(W + 1) * row + W * end], here, there));
        let last = chunk.last_row::<W>();
        // Of links towards the row, one bit for each that changed.
        let (mut below, mut north) = ([0; MOST / 16], 0);
        for (at, changed) in below[..layer / W].iter_mut().enumerate() {
            let down: &[f32; W] = part(chunk.beyond[2], W * at);
            *changed = advance(row_of(&mut links[1], W * at), flow, down, part(chunk.rims[2], W * at));
        }
        for row in 0..CHUNK_CELLS / W {
            let (first, at) = (W * row, row % (layer / W));
            let (here, [next, up, south]) = chunk.look::<W, N>(row, &last);
            let eastward = &mut links[0][(W + 1) * row..][..W + 1];
            let was = [eastward[0], eastward[W]];
            let east = advance(row_of(eastward, 1), flow, &here, next);
            [eastward[0], eastward[W]] = [ends[0][row], ends[1][row]];
            let [first_changed, last_changed] = [was[0] != eastward[0], was[1] != eastward[W]].map(u64::from);
            let east = east & !(1 << (W - 1)) | last_changed << (W - 1);
            let up = advance(row_of(&mut links[1], first + layer), flow, &here, up);
            let mut changed = first_changed | east << 1 | east | core::mem::replace(&mut below[at], up) | up;
            let before = W * (row + row / W);
            if N == 6 {
                if at == 0 {
                    north = advance(row_of(&mut links[2], before), flow, part(chunk.beyond[4], row), &here);
                }
                let south = advance(row_of(&mut links[2], before + W), flow, &here, south);
                changed |= core::mem::replace(&mut north, south) | south;
            }
            let x: [&[f32; W]; 2] = both_sides(&links[0], first + row, 1);
            let y = both_sides(&links[1], first, layer);
            let z = if N == 6 { both_sides(&links[2], before, W) } else { y };
            let mut after = [0.0; W];
            for i in 0..W {
                let net = [x, y, z].map(|[before, behind]| behind[i] - before[i]);
                after[i] = here[i] - balanced_sum::<N>(net);
            }
            chunk.put(row, &here, &after, changed & u64::MAX >> (64 - W));
        }
    }
}

/// Lets flow what flows over a row of links. Returns one bit for each that changed.
#[inline(always)]
fn advance<const W: usize>(
    links: &mut [f32; W],
    flow: impl Fn(f32, f32, f32) -> f32,
    here: &[f32; W],
    there: &[f32; W],
) -> u64 {
    let before = *links;
    *links = core::array::from_fn(|x| flow(before[x], here[x], there[x]));
    differing(&before, links)
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
    use super::super::planes::ChunkFlows;
    use super::*;
    use crate::coords::{Cube, Face, Sheet};
    use glam::IVec3;

    /// Pressures of a chunk and of those behind its faces: some alike, so that not all of them change.
    fn chunks() -> [[f32; CHUNK_CELLS]; 7] {
        let mut rng = fastrand::Rng::with_seed(7);
        let cell = |index: usize, rng: &mut fastrand::Rng| if index % 64 < 40 { 5.0 } else { rng.f32() * 100.0 };
        core::array::from_fn(|_| {
            core::array::from_fn(|index| if index < 999 { rng.f32() } else { cell(index, &mut rng) })
        })
    }

    /// Checks a step against one that asks every cell for what lies behind each of its faces.
    fn steps_as_cell_by_cell<S: FieldShape>(rule: Rule) {
        let [here, behind @ ..] = chunks();
        let mut rng = fastrand::Rng::with_seed(8);
        let mut before = ChunkFlows::default();
        if let Rule::Wave { .. } = rule {
            for link in before.links_mut::<S>().iter_mut().flatten() {
                *link = if rng.bool() { rng.f32() - 0.5 } else { 0.0 };
            }
        }
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
                let chunk = if S::chunk_of(there) == IVec3::ZERO { &here } else { &behind[face.index()] };
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
            let net = if S::NEIGHBOURS == 4 { balanced_sum::<4>(net) } else { balanced_sum::<6>(net) };
            let after = if let Rule::Wave { .. } = rule { pressure - net } else { (pressure - net).max(0.0) };
            assert_eq!(cells[index].to_bits(), after.to_bits(), "{index}");
            marked.set(index, marked.contains(index) || after != pressure);
        }
        assert_eq!(changed, marked);
        assert!(!marked.is_full() && marked.len() > 999);
    }

    #[test]
    fn whole_chunks_step_as_cell_by_cell() {
        for rule in [Rule::Diffusive { coefficient: 0.15 }, Rule::Wave { coefficient: 0.2, damping: 0.9 }] {
            steps_as_cell_by_cell::<Sheet>(rule);
            steps_as_cell_by_cell::<Cube>(rule);
        }
    }
}
