//! In which order waves go over the rows of chunks that one thread steps; see
//! [`wavefront`](super::wavefront).

use super::lane::{Lane, Row};
use super::pass::{Beside, Eastward, Pass, step_rows};
use super::wavefront::{MOST_STEPS, Neighbour, ROWS};
use crate::automata::rows::FIRST_OUT;
use crate::simd::Aligned;
use core::ops::Range;

/// A row of chunks, by x. A place is empty while its chunk is stepped.
pub(super) type Chunks = Vec<Option<Box<Lane>>>;

/// What a strip of rows of chunks is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// A band: what it can do alone.
    Band { goes_on_below: bool, goes_on_above: bool },
    /// The last row of chunks of a band and the first one of the next: what is left to do there.
    Border,
}

/// Rows of chunks that one thread steps, from the smallest y up.
pub(super) struct Strip {
    pub(super) rows: Vec<Chunks>,
    pub(super) phase: Phase,
}

impl Phase {
    /// The waves to do, counted from the strip's first row, of so many rows of chunks.
    fn waves(self, rows: usize, steps: usize) -> Range<usize> {
        match self {
            Phase::Band { goes_on_above: true, .. } => 0..ROWS * rows,
            Phase::Band { .. } => 0..ROWS * rows + steps + 1,
            Phase::Border => ROWS..ROWS + 2 * steps,
        }
    }

    /// What a wave does in a row of chunks. The wave is counted from its first row.
    fn pass(self, row: usize, wave: usize, steps: usize) -> Pass {
        let (mut first, mut last) = ((wave + 1).saturating_sub(ROWS).max(1), wave.min(steps));
        let (mut begins, mut meets) = (None, None);
        match self {
            Phase::Band { goes_on_below: true, .. } if row == 0 => {
                last = last.min(wave / 2);
                begins = (wave.is_multiple_of(2) && (1..=steps).contains(&(wave / 2)))
                    .then_some(wave / 2);
            }
            Phase::Border if row == 1 => {
                first = first.max(wave / 2 + 1);
                meets = (wave % 2 == 1).then_some(wave / 2 + 1);
            }
            _ => {}
        }
        Pass { wave, first, last, begins, meets }
    }

    fn is_above_a_band(self, row: usize) -> bool {
        row == 0 && matches!(self, Phase::Band { goes_on_below: true, .. })
    }
}

impl Strip {
    /// Does so many steps, as far as the strip can.
    pub(super) fn run(&mut self, conductance: f32, steps: usize) {
        let mut eastward: Box<Eastward> = Box::new(Aligned([[0.0; 64 + FIRST_OUT]; MOST_STEPS]));
        let mut spare = Vec::new();
        for wave in self.phase.waves(self.rows.len(), steps) {
            let lowest = wave.saturating_sub(ROWS + steps).div_ceil(ROWS);
            let highest = (wave / ROWS).min(self.rows.len() - 1);
            for row in (lowest..=highest).rev() {
                let pass = self.phase.pass(row, wave - ROWS * row, steps);
                self.prepare(row, &pass, &mut spare);
                if pass.first <= pass.last || pass.wave < ROWS {
                    self.pass(row, &pass, conductance, &mut eastward);
                }
                if pass.wave == ROWS + steps {
                    spare.extend(self.rows[row].iter_mut().flatten().filter_map(|lane| lane.end()));
                }
            }
        }
    }

    /// Prepares a row of chunks for a wave. `spare` is room of rows over which all waves have gone.
    fn prepare(&mut self, row: usize, pass: &Pass, spare: &mut Vec<Box<[Row; MOST_STEPS]>>) {
        let lanes = self.rows[row].iter_mut().flatten();
        if pass.wave == 0 {
            lanes.for_each(|lane| lane.begin(spare.pop(), self.phase.is_above_a_band(row)));
        } else if let Some(step) = pass.meets {
            lanes.for_each(|lane| lane.recall_ends(pass, step - 1));
        }
    }

    /// Steps the rows of cells that a wave passes in a row of chunks.
    fn pass(&mut self, row: usize, pass: &Pass, conductance: f32, eastward: &mut Eastward) {
        for at in 0..self.rows[row].len() {
            let mut lane = self.rows[row][at].take().expect("each has its turn alone");
            let around = core::array::from_fn(|face| self.beside(row, face, lane.around[face]));
            step_rows(conductance, &mut lane, around, pass, eastward);
            lane.leave(pass);
            self.rows[row][at] = Some(lane);
        }
    }

    /// What lies behind a face of a chunk of this row. Where that is another strip's it is not
    /// asked for: a band keeps away from where it goes on, and at a border only the rows next
    /// to it are stepped.
    fn beside(&self, row: usize, face: usize, there: Neighbour) -> Beside<'_> {
        let row = match face {
            2 => row.checked_sub(1),
            3 => Some(row + 1),
            _ => Some(row),
        };
        match (there, row.and_then(|row| self.rows.get(row))) {
            (Neighbour::Member { at, .. }, Some(row)) => {
                Beside::Lane(row[at as usize].as_ref().expect("another lane"))
            }
            _ => Beside::Wall,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashbrown::HashMap;

    /// Every step of every row is done once, and after what it needs: of a column of chunks in
    /// bands, each phase by itself.
    #[test]
    fn steps_of_rows_come_after_what_they_need() {
        for (steps, heights, is_ring) in
            [(1, vec![3], true), (16, vec![2, 3], false), (7, vec![2, 2, 4], true)]
        {
            let rows: usize = heights.iter().sum();
            let (mut done, mut at) = (HashMap::new(), 0);
            let row_at = |row: isize| match row.rem_euclid((ROWS * rows) as isize) {
                within if is_ring || within == row => Some(within as usize),
                _ => None,
            };
            let mut strips = Vec::new();
            for (number, &height) in heights.iter().enumerate() {
                let goes_on_below = is_ring || number > 0;
                let goes_on_above = is_ring || number + 1 < heights.len();
                strips.push((at, height, Phase::Band { goes_on_below, goes_on_above }));
                at += height;
            }
            let borders: Vec<_> =
                strips.iter().map(|&(at, ..)| at).skip(usize::from(!is_ring)).collect();
            strips.extend(
                borders.into_iter().map(|above| ((above + rows - 1) % rows, 2, Phase::Border)),
            );
            for (clock, &(at, height, phase)) in strips.iter().enumerate() {
                for wave in phase.waves(height, steps) {
                    for row in (0..=(wave / ROWS).min(height - 1)).rev() {
                        let pass = phase.pass(row, wave - ROWS * row, steps);
                        for step in pass.first..=pass.last {
                            let cells = row_at((ROWS * (at + row) + pass.wave - step) as isize)
                                .expect("in the column");
                            let before = |row: isize| {
                                row_at(row).is_none_or(|row| done.contains_key(&(step - 1, row)))
                            };
                            assert!(
                                step == 1 || (-1..2).all(|side| before(cells as isize + side)),
                                "{step}, {cells}"
                            );
                            assert_eq!(
                                done.insert((step, cells), clock),
                                None,
                                "step {step} of row {cells}"
                            );
                        }
                    }
                }
            }
            assert_eq!(done.len(), steps * ROWS * rows, "{steps} steps");
        }
    }
}
