//! A chunk while several steps go over it row by row, and what it shows to those around it; see
//! [`wavefront`](super::wavefront).
//!
//! Steps are counted from 1 here, and step 0 stands for what was before the first.

use super::pass::Pass;
use super::wavefront::{MOST_STEPS, Neighbour, ROWS};
use crate::automata::rows::part;
use crate::chunk::{CellMask, Chunk};
use crate::coords::CHUNK_CELLS;
use crate::simd::Aligned;
use core::hint;

/// Something for each cell of a row.
pub(super) type Row = Aligned<[f32; 64]>;

/// The first and the last cells of the rows that a wave passes: by side and step.
pub(super) type Ends = [[f32; MOST_STEPS + 1]; 2];

/// Rows that are fetched from memory at a time: a processor waits for many as long as for one.
const FETCHED: usize = 4;

/// Cells in a cache line.
const LINE: usize = 16;

/// A chunk that is stepped.
pub(super) struct Lane {
    pub(super) pressure: Chunk<f32>,
    /// By face.
    pub(super) around: [Neighbour; 4],
    /// As even waves leave them, and odd ones.
    pub(super) ends: [Ends; 2],
    /// By step, from the first on, what flowed up out of the last row. While waves pass.
    pub(super) upward: Option<Box<[Row; MOST_STEPS]>>,
    /// At the lower end of a band that lies above another.
    pub(super) seam: Option<Box<Seam>>,
    /// From the first on.
    pub(super) steps: Vec<Stepped>,
    /// The cells that changed in any step.
    pub(super) changed: CellMask,
    /// The cells at each face after the last step.
    pub(super) rims: [[f32; 64]; 4],
}

/// What a band keeps for who goes on from the band below: by step, of the first row that it did in
/// the step.
pub(super) struct Seam {
    /// Its ends, after the step.
    ends: Ends,
    /// What flowed up into it; from the first step on.
    pub(super) upward: [Row; MOST_STEPS],
}

/// What came of a step of a chunk.
#[derive(Clone, Copy, Default)]
pub(super) struct Stepped {
    /// Cells that changed.
    pub(super) changed: u32,
    /// The places in a row where any cell did.
    columns: u64,
    /// Whether any did in the first row, and in the last one.
    rows: [bool; 2],
}

impl Stepped {
    /// By face, whether cells at it changed.
    pub(super) fn touched(&self) -> [bool; 4] {
        [self.columns & 1 != 0, self.columns >> 63 != 0, self.rows[0], self.rows[1]]
    }

    /// Notes which cells of a row changed.
    #[inline(always)]
    pub(super) fn note(&mut self, row: usize, cells: u64, changed: &mut CellMask) {
        self.changed += cells.count_ones();
        self.columns |= cells;
        self.rows[0] |= row == 0 && cells != 0;
        self.rows[1] |= row == ROWS - 1 && cells != 0;
        changed.words_mut()[row] |= cells;
    }
}

impl Lane {
    pub(super) fn new(pressure: Chunk<f32>, around: [Neighbour; 4], steps: usize) -> Self {
        Lane {
            pressure,
            around,
            ends: [[[0.0; MOST_STEPS + 1]; 2]; 2],
            upward: None,
            seam: None,
            steps: vec![Stepped::default(); steps],
            changed: CellMask::EMPTY,
            rims: [[0.0; 64]; 4],
        }
    }

    /// A row of its cells.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[f32; 64] {
        part(self.cells(), 64 * row)
    }

    fn cells(&self) -> &[f32; CHUNK_CELLS] {
        self.pressure.as_dense().expect("a wave has come")
    }

    /// What flowed up out of the last row that this step did.
    pub(super) fn upward(&self, step: usize) -> &Row {
        &self.upward.as_deref().expect("waves pass")[step - 1]
    }

    /// Prepares for the first wave.
    pub(super) fn begin(&mut self, upward: Option<Box<[Row; MOST_STEPS]>>, is_above_a_band: bool) {
        const NOTHING: Row = Aligned([0.0; 64]);
        self.upward = upward.or_else(|| Some(Box::new([NOTHING; MOST_STEPS])));
        if is_above_a_band {
            self.seam = Some(Box::new(Seam { ends: self.ends[0], upward: [NOTHING; MOST_STEPS] }));
        }
        self.pressure.cells_mut();
    }

    /// Gives back its room when all waves have passed. A level chunk is stored as one number again,
    /// so that not all are cells at a time.
    pub(super) fn end(&mut self) -> Option<Box<[Row; MOST_STEPS]>> {
        self.pressure.canonicalize();
        self.upward.take()
    }

    /// Puts in place what the ends of a row were after a step, which the band above has done.
    pub(super) fn recall_ends(&mut self, pass: &Pass, step: usize) {
        let seam = self.seam.as_deref().expect("the band above has kept it");
        for (ends, kept) in self.ends[pass.before()].iter_mut().zip(&seam.ends) {
            ends[step] = kept[step];
        }
    }

    /// Shows the row that the next wave enters, has it fetched from memory, and keeps what others
    /// will ask for.
    pub(super) fn leave(&mut self, pass: &Pass) {
        let now = pass.before() ^ 1;
        if pass.wave < ROWS {
            let row = self.row(pass.wave);
            let [first, last] = [row[0], row[63]];
            [self.ends[now][0][0], self.ends[now][1][0]] = [first, last];
            self.fetch(pass.wave);
        }
        let ends = &self.ends[now];
        if let Some(seam) = &mut self.seam
            && let Some(step) = pass.begins.or((pass.wave == 0).then_some(0))
        {
            for (kept, ends) in seam.ends.iter_mut().zip(ends) {
                kept[step] = ends[step];
            }
        }
        let steps = self.steps.len();
        if (pass.first..=pass.last).contains(&steps) {
            let row = pass.wave - steps;
            [self.rims[0][row], self.rims[1][row]] = [ends[0][steps], ends[1][steps]];
            if row == 0 || row == ROWS - 1 {
                self.rims[if row == 0 { 2 } else { 3 }] = *self.row(row);
            }
        }
    }

    /// Has rows fetched that waves are about to enter, some at a time.
    fn fetch(&self, row: usize) {
        if row.is_multiple_of(FETCHED) {
            let rows = &self.cells()[64 * row..][..64 * FETCHED];
            rows.iter().step_by(LINE).for_each(|&cell| _ = hint::black_box(cell));
        }
    }
}
