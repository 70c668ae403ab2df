//! The conservative sweep: a finite-volume scheme for diffusion in whole units.
//!
//! The flux across the face between two cells is `F = k·g·(h − h')` with `g = 2/(i + i')`, and `g =
//! 0` at rock: from the wetter to the drier, rounded towards zero. `k·g` is the face's
//! transmissibility, the harmonic mean of the cells' permeabilities `1/i` times the coefficient, as
//! in groundwater models. One cell gains the units that its neighbour loses, so humidity is
//! conserved. The transmissibilities of a cell's faces add up to at most a half, so the cell stays
//! within the range of its neighbours. Each flux that is not zero lowers Σ h², a whole number, so
//! without rain the world comes to rest; sooner where small fluxes are left out, by
//! `Rules::least_flow`. Fluxes are computed from rounded humidities, see [`heads`](super::heads).
//! The rounding is less than half of the difference that the least flux needs, so that each flux
//! still lowers the sum.
//!
//! With the rule of falling, the flux down from h to h' is `F = k·g·(h − h' + r·min(h, cap − h'))`
//! with r = fall / coefficient: an upwind term, as of gravity in unsaturated soil, limited by the
//! room below. It is a separate term, since worlds without it need none of its arithmetic. F grows
//! with h and falls with h', and is zero where h' is a certain function of h, the same at all
//! faces. So there is a convex potential, Σ (Φ(hᵢ) + yᵢ·hᵢ), and every flux that does not go beyond
//! that zero lowers the potential. A flux goes at most (2 + r) · k·g of the way to the zero, and
//! for a cell these parts add up to 1 at most, by the limit of the rule. To keep within the limit,
//! the falling part is rounded down where it is more than the part that evens out, and up where it
//! is less. So ground under this rule comes to rest, too.

use crate::automata::engine::changes::{Rows, mark};
use crate::automata::engine::rims::{Before, rims_of_chunk};
use crate::automata::engine::rows::{FIRST_OUT, InPlaceRule, part};
use crate::automata::humidity::HumidityShape;
use crate::automata::humidity::cell::UNITS;
use crate::automata::humidity::rules::Rules;
use crate::automata::humidity::step::heads::Heads;
use crate::automata::humidity::step::job::{Job, Row, Tally};
use crate::automata::humidity::step::transmissibility::{Drain, Transmissibilities};
use crate::automata::humidity::stirred::RowMask;
use crate::automata::humidity::store::{Fed, Store};
use crate::chunk::{CellMask, ones};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::simd::{self, Aligned};
use core::hint;

/// Returns the humidity at the faces of a chunk.
pub(in crate::automata::humidity) fn rims_of<S: HumidityShape>(
    store: &Store<S>,
    slot: Slot,
) -> S::Rims<u32> {
    rims_of_chunk::<u32, S>(store.moisture.chunk_at(slot))
}

/// The input of a chunk's step besides its cells.
#[derive(Clone, Copy)]
pub(in crate::automata::humidity) struct Inputs<'a, S: HumidityShape> {
    pub(in crate::automata::humidity) faces: &'a Transmissibilities<S>,
    pub(in crate::automata::humidity) fed: &'a [Fed],
    /// The rows to visit.
    pub(in crate::automata::humidity) visited: RowMask,
    pub(in crate::automata::humidity) before: Before<'a, u32, S>,
}

/// Steps all cells of a job; or, if `cells` are given, steps some of their rows and leaves the
/// changed rows in the job.
pub(in crate::automata::humidity) fn step_chunk<S: HumidityShape>(
    fluxes: Fluxes,
    inputs: Inputs<'_, S>,
    cells: Option<&[u32; CHUNK_CELLS]>,
    job: &mut Job<S>,
    changed: &mut CellMask,
) {
    let chunk = ConservativeChunk { fluxes, inputs, cells, job, changed };
    if fluxes.fall == 0 {
        simd::run(Step::<S, false>(chunk));
    } else {
        simd::run(Step::<S, true>(chunk));
    }
}

/// The working data of a chunk's step.
struct ConservativeChunk<'a, S: HumidityShape> {
    fluxes: Fluxes,
    inputs: Inputs<'a, S>,
    cells: Option<&'a [u32; CHUNK_CELLS]>,
    job: &'a mut Job<S>,
    changed: &'a mut CellMask,
}

/// A step of a chunk, compiled once for ground in which humidity falls and once for ground in which
/// it does not.
struct Step<'a, S: HumidityShape, const FALLS: bool>(ConservativeChunk<'a, S>);

impl<S: HumidityShape, const FALLS: bool> simd::Kernel for Step<'_, S, FALLS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ConservativeChunk { fluxes, inputs, cells, job, changed } = self.0;
        let Inputs { faces, fed, visited, before } = inputs;
        job.tally = Tally::default();
        let mut entering = S::uniform_rims(0);
        for (face, beyond) in before.around.into_iter().enumerate() {
            let (there, here) = (S::rim(beyond, face ^ 1), S::rim(before.own, face));
            let blocks = S::rim_mut(&mut entering, face).as_chunks_mut::<16>().0;
            for (number, entering) in blocks.iter_mut().enumerate() {
                let is_visited = S::NEIGHBOURS != 6 || visited.holds_of_rim(face, number);
                if is_visited && let Some(outer) = faces.outer.block(face, number) {
                    let first = 16 * number;
                    let (here, there) = (part(here, first), part(there, first));
                    *entering = fluxes_between(outer, here, there, |part, here, there| {
                        -fluxes.out::<FALLS>(Face::ALL[face], part, here, there)
                    });
                }
            }
        }
        let mut from_below = Aligned([0; 256]);
        from_below.0[..S::STRIDES[1]].copy_from_slice(S::rim(&entering, 2));
        let mut rule = Rule::<S, FALLS> {
            faces,
            fluxes,
            drains: &faces.drains,
            fed,
            visited,
            entering: &entering,
            east: Aligned([0; BATCH + BATCH / 16 * FIRST_OUT]),
            from_below,
            from_north: Aligned([0; 64]),
            moved: Aligned([0; 64]),
            rows: Rows::new(0),
            is_by_rows: cells.is_some(),
            changed,
            tally: &mut job.tally,
        };
        if let Some(cells) = cells {
            rule.some_rows(cells, &mut job.changed_rows);
        } else {
            let cells = job.moisture.cells_mut();
            S::rows_in_place(cells, &mut rule);
            let rims = job.rims.get_or_insert_with(|| Box::new(S::uniform_rims(0)));
            **rims = S::rims_of(cells);
        }
    }
}

/// Returns the fluxes between two rows of cells.
#[inline(always)]
fn fluxes_between<const W: usize>(
    transmissibilities: &[u32; W],
    from: &[u32; W],
    to: &[u32; W],
    flux: impl Fn(u32, u32, u32) -> i32,
) -> [i32; W] {
    let mut flows = [0; W];
    for x in 0..W {
        flows[x] = flux(transmissibilities[x], from[x], to[x]);
    }
    flows
}

/// The fluxes across faces, by the rules.
#[derive(Clone, Copy)]
pub(in crate::automata::humidity) struct Fluxes {
    /// The cap, in units.
    cap: u32,
    /// The fall, in 1/65,536 of the coefficient.
    fall: u32,
    /// The mask of the bits that a flux may have.
    mask: u32,
    heads: Heads,
}

impl Fluxes {
    pub(in crate::automata::humidity) fn of<S: HumidityShape>(rules: &Rules) -> Fluxes {
        Fluxes {
            cap: (f64::from(rules.cap) * f64::from(UNITS)) as u32,
            fall: rules.fall_share(),
            mask: !(rules.least_flow_units() - 1),
            heads: Heads::of::<S>(rules),
        }
    }

    /// Returns the flux out of a cell through a face, in units; negative if it flows in.
    #[inline(always)]
    fn out<const FALLS: bool>(self, face: Face, transmissibility: u32, from: u32, to: u32) -> i32 {
        let from = self.heads.at(face, from);
        let to = self.heads.at(face.opposite(), to);
        match face {
            Face::Down if FALLS => -self.up(transmissibility, to, from),
            Face::Up if FALLS => self.up(transmissibility, from, to),
            _ => self.level(transmissibility, from, to),
        }
    }

    /// Returns whether there is a flow across a face between two cells.
    pub(in crate::automata::humidity) fn flows(
        self,
        face: Face,
        transmissibility: u32,
        from: u32,
        to: u32,
    ) -> bool {
        let flux = match self.fall {
            0 => self.out::<false>(face, transmissibility, from, to),
            _ => self.out::<true>(face, transmissibility, from, to),
        };
        flux != 0
    }

    /// Returns the units that flow out through a face at a draining border, with dry soil beyond.
    #[inline(always)]
    fn drained<const FALLS: bool>(self, face: Face, transmissibility: u32, from: u32) -> u32 {
        let from = self.heads.at(face, from);
        let flow = match face {
            Face::Down if FALLS => -self.up(transmissibility, 0, from),
            _ => self.level(transmissibility, from, 0),
        };
        flow as u32
    }

    /// Returns the flux across a face from a cell with one head to a cell with another at the same
    /// height, in units; negative if it flows back.
    #[inline(always)]
    fn level(self, transmissibility: u32, from: u32, to: u32) -> i32 {
        // Humidity is below 2³¹ units, so differences fit. Multiplying the absolute value rounds
        // towards zero.
        let difference = from as i32 - to as i32;
        let sign = difference >> 31;
        let size = (difference ^ sign) - sign;
        let flow = ((u64::from(size as u32) * u64::from(transmissibility)) >> 32) as u32;
        ((flow & self.mask) as i32 ^ sign) - sign
    }

    /// Returns the flux from a cell to the cell above it where humidity falls, in units; negative
    /// if it flows down.
    #[inline(always)]
    fn up(self, transmissibility: u32, lower: u32, upper: u32) -> i32 {
        // By the limits of the rules this part and six times the transmissibility are at most a
        // half, so that all products and their sum fit.
        let part = ((u64::from(transmissibility) * u64::from(self.fall)) >> 16) as u32;
        let falling = upper.min(self.cap.saturating_sub(lower));
        let difference = upper as i32 - lower as i32;
        let evening = i64::from(transmissibility as i32) * i64::from(difference);
        let down = evening + (u64::from(part) * u64::from(falling)) as i64;
        // The flow upwards is computed with `part` rounded up.
        let up = (-down - i64::from(falling)).max(0);
        let of = |flow: i64| ((flow >> 32) as u32 & self.mask) as i32;
        of(up) - of(down.max(0))
    }
}

/// The number of cells in a batch of rows whose fluxes to the east are computed together.
const BATCH: usize = 256;

/// The number of cells in a page of 4 KB. Most hardware prefetchers stop at the end of a page.
const PAGE: usize = 1024;

struct Rule<'a, S: HumidityShape, const FALLS: bool> {
    faces: &'a Transmissibilities<S>,
    fluxes: Fluxes,
    /// Drains of the remaining rows.
    drains: &'a [Drain],
    /// Fed cells of the remaining rows.
    fed: &'a [Fed],
    /// The rows that are stepped, by the index of their first cell over 16.
    visited: RowMask,
    /// The fluxes into the chunk across its faces.
    entering: &'a S::Rims<i32>,
    /// For each row of a batch, the flux in from the west, then the flux to the east out of each
    /// cell. The fluxes are computed a batch ahead, since they are read at an offset of one cell,
    /// and such reads stall until the stores have reached the cache.
    east: Aligned<[i32; BATCH + BATCH / 16 * FIRST_OUT]>,
    /// The flux up out of the plane below, by cell, and the flux south out of the row to the north.
    from_below: Aligned<[i32; 256]>,
    from_north: Aligned<[i32; 64]>,
    /// Units that flowed out of the cells of the last rows, by x, not yet added to the tally.
    moved: Aligned<[u32; 64]>,
    rows: Rows<u32>,
    /// Whether rows are visited one by one: then moved units are not counted, and changes are not
    /// marked.
    is_by_rows: bool,
    changed: &'a mut CellMask,
    tally: &'a mut Tally,
}

impl<S: HumidityShape, const FALLS: bool> InPlaceRule<u32> for Rule<'_, S, FALLS> {
    #[inline(always)]
    fn row<const W: usize>(&mut self, first: usize, cells: &mut [u32; CHUNK_CELLS]) {
        if first.is_multiple_of(BATCH) {
            self.prefetch::<W>(first + PAGE, cells);
            self.batch::<W>(first, cells);
        }
        if self.is_visited::<W>(first) {
            let new = self.stepped::<W>(first, cells);
            *cells[first..].first_chunk_mut().expect("a row") = new;
        } else {
            self.pass_over::<W>(first, cells);
        }
    }
}

impl<S: HumidityShape, const FALLS: bool> Rule<'_, S, FALLS> {
    /// Visits rows of a cube, and lists the changed rows in `changed_rows`.
    #[inline(always)]
    fn some_rows(&mut self, cells: &[u32; CHUNK_CELLS], changed_rows: &mut Vec<Row>) {
        changed_rows.clear();
        let mut batch = None;
        for first in self.visited.with_those_that_link_in().iter().map(|row| 16 * row) {
            if batch != Some(first / BATCH) {
                batch = Some(first / BATCH);
                self.batch::<16>(first / BATCH * BATCH, cells);
            }
            if !self.is_visited::<16>(first) {
                self.pass_over::<16>(first, cells);
                continue;
            }
            self.skip_to(first);
            let (new, here) = (self.stepped::<16>(first, cells), part::<_, 16>(cells, first));
            if new != *here {
                let differ = (0..16).fold(0, |cells, x| cells | u64::from(new[x] != here[x]) << x);
                mark(self.changed, first, differ << (first % 64));
                changed_rows.push(Row { first: first as u16, cells: new });
            }
        }
    }

    /// Computes the fluxes to the east in a batch of rows.
    #[inline(always)]
    fn batch<const W: usize>(&mut self, first: usize, cells: &[u32; CHUNK_CELLS]) {
        for row in 0..BATCH / W {
            if self.is_visited::<W>(first + row * W) {
                self.fluxes_east::<W>(first, row, cells);
            }
        }
    }

    /// Returns a row after the step.
    #[inline(always)]
    fn stepped<const W: usize>(&mut self, first: usize, cells: &[u32; CHUNK_CELLS]) -> [u32; W] {
        let here: [u32; W] = *part(cells, first);
        let plane = S::STRIDES[1];
        let up = self.fluxes_ahead::<W>(1, first, first % plane, cells);
        let east = &self.east.0[first % BATCH / W * (W + FIRST_OUT)..];
        let (west, east): (&[i32; W], &[i32; W]) =
            (part(east, FIRST_OUT - 1), part(east, FIRST_OUT));
        let from_below: &mut [i32; W] =
            self.from_below.0[first % plane..].first_chunk_mut().expect("a row of the plane");
        let moved: &mut [u32; W] = self.moved.0.first_chunk_mut().expect("a row");
        let mut new = [0; W];
        for x in 0..W {
            // The sum may be negative until the fluxes along z are added.
            new[x] = here[x].wrapping_add_signed(west[x] - east[x] + from_below[x] - up[x]);
            moved[x] += east[x].unsigned_abs() + up[x].unsigned_abs();
        }
        *from_below = up;
        if S::NEIGHBOURS == 6 {
            let along_face = first / plane * W;
            let south = self.fluxes_ahead::<W>(2, first, along_face, cells);
            let from_north: &mut [i32; W] = self.from_north.0.first_chunk_mut().expect("a row");
            let moved: &mut [u32; W] = self.moved.0.first_chunk_mut().expect("a row");
            if first.is_multiple_of(plane) {
                *from_north = *part(S::rim(self.entering, 4), along_face);
            }
            for x in 0..W {
                new[x] = new[x].wrapping_add_signed(from_north[x] - south[x]);
                moved[x] += south[x].unsigned_abs();
            }
            *from_north = south;
        }
        // Less than 2³⁰ units flow across the faces at a cell's larger coordinates, half of what it
        // can hold, even where humidity falls, so the sums of four rows fit `u32`.
        if self.is_by_rows {
            self.moved.0 = [0; 64];
        } else if first / W % 4 == 3 {
            self.tally.moved += self.moved.0.iter().map(|&units| u64::from(units)).sum::<u64>();
            self.moved.0 = [0; 64];
        }
        self.finish(first, &here, new)
    }

    /// Returns whether the row that begins at an index is stepped. In sheets all rows are stepped.
    #[inline(always)]
    fn is_visited<const W: usize>(&self, first: usize) -> bool {
        S::NEIGHBOURS != 6 || self.visited.contains(first / W)
    }

    /// Passes over a row that stays as it is: computes only the fluxes out of it into rows that are
    /// stepped.
    #[inline(always)]
    fn pass_over<const W: usize>(&mut self, first: usize, cells: &[u32; CHUNK_CELLS]) {
        let plane = S::STRIDES[1];
        if self.visited.contains((first + plane) / W) {
            let up = self.fluxes_ahead::<W>(1, first, first % plane, cells);
            self.from_below.0[first % plane..][..W].copy_from_slice(&up);
        }
        if self.visited.contains(first / W + 1) && !(first + W).is_multiple_of(plane) {
            let south = self.fluxes_ahead::<W>(2, first, first / plane * W, cells);
            self.from_north.0[..W].copy_from_slice(&south);
        }
        self.skip_to(first + W);
    }

    /// Skips drains and fed cells up to an index.
    #[inline(always)]
    fn skip_to(&mut self, index: usize) {
        while self.drains.first().is_some_and(|drain| usize::from(drain.index) < index) {
            self.drains = &self.drains[1..];
        }
        while self.fed.first().is_some_and(|fed| usize::from(fed.index) < index) {
            self.fed = &self.fed[1..];
        }
    }

    /// Prefetches the data of a cell that will be read.
    #[inline(always)]
    fn prefetch<const W: usize>(&self, index: usize, cells: &[u32; CHUNK_CELLS]) {
        if index < CHUNK_CELLS {
            hint::black_box((
                cells[index],
                self.faces.inner[0].row::<W>(index)[0],
                self.faces.inner[1].row::<W>(index)[0],
            ));
        }
    }

    /// Computes the fluxes to the east in a row of a batch.
    #[inline(always)]
    fn fluxes_east<const W: usize>(
        &mut self,
        stretch: usize,
        row: usize,
        cells: &[u32; CHUNK_CELLS],
    ) {
        let first = stretch + W * row;
        let (transmissibilities, here) = (self.faces.inner[0].row::<W>(first), part(cells, first));
        let out = &mut self.east.0[(W + FIRST_OUT) * row + FIRST_OUT - 1..][..W + 1];
        // The transmissibility of the last cell is 0, so the value after it is irrelevant. The flux
        // of the last cell across the chunk's face is filled in last.
        let level = |part, here, next| self.fluxes.out::<FALLS>(Face::East, part, here, next);
        let inner = match cells[first + 1..].first_chunk() {
            Some(next) => fluxes_between(transmissibilities, here, next, level),
            None => {
                let turned = core::array::from_fn(|x| here[(x + 1) % W]);
                fluxes_between(transmissibilities, here, &turned, level)
            }
        };
        out[1..].copy_from_slice(&inner);
        out[0] = S::rim(self.entering, 0)[first / W];
        out[W] = -S::rim(self.entering, 1)[first / W];
    }

    /// Returns the fluxes up or south out of a row. `along_face` is the row's place in the chunk's
    /// rim, if the row is at that face.
    #[inline(always)]
    fn fluxes_ahead<const W: usize>(
        &self,
        axis: usize,
        first: usize,
        along_face: usize,
        cells: &[u32; CHUNK_CELLS],
    ) -> [i32; W] {
        let next = first + S::STRIDES[axis];
        let within = if axis == 1 { CHUNK_CELLS } else { S::STRIDES[1] };
        if next % within < S::STRIDES[axis] {
            return part(S::rim(self.entering, 2 * axis + 1), along_face)
                .map(|enters: i32| -enters);
        }
        let transmissibilities = self.faces.inner[axis].row::<W>(first);
        let (here, next) = (part(cells, first), part(cells, next));
        if axis == 1 {
            fluxes_between(transmissibilities, here, next, |part, lower, upper| {
                self.fluxes.out::<FALLS>(Face::Up, part, lower, upper)
            })
        } else {
            fluxes_between(transmissibilities, here, next, |part, here, next| {
                self.fluxes.out::<FALLS>(Face::South, part, here, next)
            })
        }
    }

    /// Returns a row after the step, given the row after all fluxes, and tallies the units that
    /// drains, rain and the cap add and remove.
    #[inline(always)]
    fn finish<const W: usize>(
        &mut self,
        first: usize,
        here: &[u32; W],
        mut new: [u32; W],
    ) -> [u32; W] {
        self.drain(first, here, &mut new);
        self.feed(first, here, &mut new);
        let cap = self.fluxes.cap as i32;
        let over = new.iter().fold(false, |over, &cell| over | (cell as i32 > cap));
        let rain = Self::in_row::<W>(&self.faces.rain, first);
        for x in ones(rain) {
            self.tally.rained += i64::from(here[x]) - i64::from(new[x]);
            new[x] = here[x];
        }
        if over {
            self.run_off(first, &mut new);
        }
        if !self.is_by_rows
            && let Some(changed) = self.rows.differing(first, here, &new)
        {
            mark(self.changed, first, changed);
        }
        new
    }

    #[inline(always)]
    fn drain<const W: usize>(&mut self, first: usize, here: &[u32; W], cells: &mut [u32; W]) {
        while let Some((&drain, rest)) = self.drains.split_first()
            && usize::from(drain.index) < first + W
        {
            let x = usize::from(drain.index) - first;
            let Drain { face, transmissibility, .. } = drain;
            let drained = self.fluxes.drained::<FALLS>(face, transmissibility, here[x]);
            cells[x] = cells[x].wrapping_sub(drained);
            self.tally.drained += u64::from(drained);
            self.tally.moved += u64::from(drained);
            self.drains = rest;
        }
    }

    /// Refills the fed cells of a row up to `full` units, but not above what they held before the
    /// step. Rain cells are skipped: their humidity is fixed.
    #[inline(always)]
    fn feed<const W: usize>(&mut self, first: usize, here: &[u32; W], cells: &mut [u32; W]) {
        while let Some((&Fed { index, full }, rest)) = self.fed.split_first()
            && usize::from(index) < first + W
        {
            let x = usize::from(index) - first;
            let lacks = here[x].min(full).saturating_sub(cells[x]);
            if !self.faces.rain.contains(index.into()) {
                cells[x] += lacks;
                self.tally.fed += u64::from(lacks);
            }
            self.fed = rest;
        }
    }

    /// Returns the cells of a row that are in a mask, with the lowest bit for the first cell.
    #[inline(always)]
    fn in_row<const W: usize>(mask: &CellMask, first: usize) -> u64 {
        mask.words()[first / 64] >> (first % 64) & u64::MAX >> (64 - W)
    }

    fn run_off<const W: usize>(&mut self, first: usize, cells: &mut [u32; W]) {
        for x in ones(!Self::in_row::<W>(&self.faces.held, first) & u64::MAX >> (64 - W)) {
            let over = cells[x].saturating_sub(self.fluxes.cap);
            cells[x] -= over;
            self.tally.runoff += u64::from(over);
        }
    }
}
