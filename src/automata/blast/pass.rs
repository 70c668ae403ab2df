//! What a wave does in a chunk: the diffusive rule over one row for each step, where all links are
//! whole.

use super::flow::{balanced_sum, diffuse, less};
use super::lane::{Ends, Lane, Row, Seam, Stepped};
use super::wavefront::{MOST_STEPS, ROWS};
use crate::automata::changed::differing;
use crate::automata::rows::{FIRST_OUT, part};
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;
use crate::simd::{self, Aligned};

/// A wave as a chunk meets it: of the chunk's row `wave − s`, step s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) wave: usize,
    /// The first step, and the last one; none if it is smaller.
    pub(super) first: usize,
    pub(super) last: usize,
    /// A step that does its first row of the band, and keeps of it what who goes on from below has
    /// to know.
    pub(super) begins: Option<usize>,
    /// A step that has come to the rows which the band above has done.
    pub(super) meets: Option<usize>,
}

impl Pass {
    /// Which of [`Lane::ends`] the wave before has left.
    pub(super) fn before(&self) -> usize {
        (self.wave + 1) % 2
    }

    /// The steps, each with its row.
    fn rows(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let wave = self.wave;
        (self.first..=self.last).map(move |step| (step, wave - step))
    }
}

/// Of each step, from the first on, what flows into the first cell of its row from the west, and to
/// the east out of each cell.
pub(super) type Eastward = Aligned<[[f32; 64 + FIRST_OUT]; MOST_STEPS]>;

/// What lies behind a face.
pub(super) enum Beside<'a> {
    Lane(&'a Lane),
    /// Cells see themselves.
    Wall,
}

impl Beside<'_> {
    /// The cells beside the ends of the rows before each step, from the first on, if this lies
    /// west, 0, or east, 1, of these; `own` are the ends themselves. Of steps that are not
    /// done, anything.
    #[inline(always)]
    fn column(&self, side: usize, pass: &Pass, own: &[f32; MOST_STEPS + 1]) -> [f32; MOST_STEPS] {
        match self {
            Beside::Lane(lane) => *part(&lane.ends[pass.before()][side ^ 1], 0),
            Beside::Wall => *part(own, 0),
        }
    }
}

/// Steps the rows of a chunk that a wave passes. `around` is what lies behind its faces, `eastward`
/// room to work in.
pub(super) fn step_rows(
    conductance: f32,
    lane: &mut Lane,
    around: [Beside<'_>; 4],
    pass: &Pass,
    eastward: &mut Eastward,
) {
    let Lane { pressure, ends, upward, seam, steps, changed, .. } = lane;
    let (cells, upward) = (pressure.cells_mut(), upward.as_deref_mut().expect("waves pass"));
    simd::run(Rows {
        conductance,
        cells,
        ends,
        upward,
        seam,
        steps,
        changed,
        around,
        pass,
        eastward,
    });
}

struct Rows<'a> {
    conductance: f32,
    cells: &'a mut [f32; CHUNK_CELLS],
    ends: &'a mut [Ends; 2],
    upward: &'a mut [Row; MOST_STEPS],
    seam: &'a mut Option<Box<Seam>>,
    steps: &'a mut [Stepped],
    changed: &'a mut CellMask,
    around: [Beside<'a>; 4],
    pass: &'a Pass,
    eastward: &'a mut Eastward,
}

impl simd::Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Rows { conductance, cells, ends, upward, seam, steps, changed, around, pass, eastward } =
            self;
        let [west, east, below, above] = around;
        let own = &ends[pass.before()];
        let seen = [west.column(0, pass, &own[0]), east.column(1, pass, &own[1])];
        flow_east(conductance, pass, own, &seen, cells, eastward);
        let ends = &mut ends[pass.before() ^ 1];
        for (step, row) in pass.rows() {
            let (first, number) = (64 * row, step - 1);
            let here: &[f32; 64] = part(cells, first);
            let upward = &mut upward[number].0;
            if row == 0 {
                *upward = match &below {
                    Beside::Lane(below) => below.upward(step).0,
                    Beside::Wall => [0.0; 64],
                };
            }
            if pass.begins == Some(step) {
                *upward = flows(conductance, part(cells, first - 64), here);
                seam.as_deref_mut().expect("the band begins here").upward[number].0 = *upward;
            }
            let there = match &above {
                _ if row < ROWS - 1 => part(cells, first + 64),
                Beside::Lane(above) => above.row(0),
                Beside::Wall => here,
            };
            let east = &eastward.0[number];
            let east = [part(east, FIRST_OUT - 1), part(east, FIRST_OUT)];
            let mut after = Aligned([0.0; 64]);
            if pass.meets == Some(step) {
                let up = &seam.as_deref().expect("the band above has kept it").upward[number].0;
                exchange(here, east, |x| up[x], upward, &mut after.0);
            } else {
                exchange(
                    here,
                    east,
                    |x| diffuse(conductance, here[x], there[x]),
                    upward,
                    &mut after.0,
                );
            }
            [ends[0][step], ends[1][step]] = [after.0[0], after.0[63]];
            steps[number].note(row, differing(here, &after.0), changed);
            cells[first..][..64].copy_from_slice(&after.0);
        }
    }
}

#[inline(always)]
fn flows(conductance: f32, here: &[f32; 64], there: &[f32; 64]) -> [f32; 64] {
    let mut flows = [0.0; 64];
    for x in 0..64 {
        flows[x] = diffuse(conductance, here[x], there[x]);
    }
    flows
}

/// Works out what flows to the east in all rows that the wave passes, before any of them changes:
/// it is read one cell off, which is slow as long as it has not reached the cache. `ends` and
/// `seen` are the cells at both ends of the rows, and those beside them.
#[inline(always)]
fn flow_east(
    conductance: f32,
    pass: &Pass,
    ends: &Ends,
    seen: &[[f32; MOST_STEPS]; 2],
    cells: &[f32; CHUNK_CELLS],
    eastward: &mut Eastward,
) {
    let mut at_ends = Aligned([[0.0; MOST_STEPS]; 2]);
    for number in 0..MOST_STEPS {
        at_ends.0[0][number] = diffuse(conductance, seen[0][number], ends[0][number]);
        at_ends.0[1][number] = diffuse(conductance, ends[1][number], seen[1][number]);
    }
    for (step, row) in pass.rows() {
        let (here, out): (&[f32; 64], _) = (part(cells, 64 * row), &mut eastward.0[step - 1]);
        let inner: &mut [f32; 64] = out[FIRST_OUT..].first_chunk_mut().expect("a row of flows");
        // What flows out of the last cell is put in its place afterwards.
        if row < ROWS - 1 {
            *inner = flows(conductance, here, part(cells, 64 * row + 1));
        } else {
            let mut next = *here;
            next.rotate_left(1);
            *inner = flows(conductance, here, &next);
        }
        [out[FIRST_OUT - 1], out[FIRST_OUT + 63]] =
            [at_ends.0[0][step - 1], at_ends.0[1][step - 1]];
    }
}

/// Works out what cells have after what flows between them. `west` and `east` are what flows to the
/// east into each and out of it, `upward` what flows up into each and then, as `flow_up` says, out
/// of it.
#[inline(always)]
fn exchange(
    here: &[f32; 64],
    [west, east]: [&[f32; 64]; 2],
    flow_up: impl Fn(usize) -> f32,
    upward: &mut [f32; 64],
    after: &mut [f32; 64],
) {
    for x in 0..64 {
        let up = flow_up(x);
        after[x] = less(here[x], balanced_sum::<4>([east[x] - west[x], up - upward[x], 0.0]));
        upward[x] = up;
    }
}
