//! The account of all pressure that entered or left a world or a graph.

use crate::chunk::Chunk;
use crate::coords::CHUNK_CELLS;

/// Pressure that entered and left since the start, each the sum over cells or nodes.
///
/// To edits, a chunk or node that comes or goes is one whose cells were at 0 before or are after.
///
/// `total = placed − removed − left − absorbed`, but for rounding: over 10,000 steps of a grid,
/// which counts in `f32`, a millionth of all that was entered and of what is there, without signs;
/// less on a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// By how much edits raised pressures.
    pub placed: f64,
    /// By how much edits lowered pressures, or built over them.
    pub removed: f64,
    /// Gone over open borders; under the wave rule it may come back, so that this may fall.
    pub left: f64,
    /// What was left below the threshold where it fell silent; below 0 too under the wave rule, so
    /// that this may fall.
    pub absorbed: f64,
}

impl Ledger {
    /// The sum of all pressures that must be there now.
    ///
    /// ```
    /// use floodplain::blast::Ledger;
    /// let ledger = Ledger { placed: 300.0, left: 25.0, ..Ledger::default() };
    /// assert_eq!(ledger.total(), 275.0);
    /// ```
    pub const fn total(&self) -> f64 {
        self.placed - self.removed - self.left - self.absorbed
    }

    /// Whether a count agrees, as nearly as is promised: a millionth of all that entered and left
    /// and of what is `there`, pressures and flows without their signs. These can be far more
    /// than their sum, and rounding goes by them.
    pub(super) fn agrees_with(&self, counted: f64, there: f64) -> bool {
        let through =
            self.placed.abs() + self.removed.abs() + self.left.abs() + self.absorbed.abs();
        (counted - self.total()).abs() <= 1e-6 * (through + there)
    }

    /// Enters that an edit changed a pressure.
    pub(super) fn change(&mut self, old: f64, new: f64) {
        if new > old {
            self.placed += new - old;
        } else {
            self.removed += old - new;
        }
    }

    /// Enters cells that came, by the sums of their pressures above and below 0. Were these one
    /// sum, a chunk of both signs would come and go as nothing, and its rounding be measured
    /// against nothing.
    pub(super) fn place(&mut self, [above, below]: [f64; 2]) {
        self.placed += above;
        self.removed -= below;
    }

    /// Enters cells that went, as [`place`](Ledger::place) does.
    pub(super) fn remove(&mut self, [above, below]: [f64; 2]) {
        self.removed += above;
        self.placed -= below;
    }
}

/// The sums of a chunk's pressures above 0 and of those below it.
pub(super) fn sums_by_sign(chunk: &Chunk<f32>) -> [f64; 2] {
    let signed = |cell: f32| [f64::from(cell.max(0.0)), f64::from(cell.min(0.0))];
    match chunk.as_dense() {
        Some(cells) => cells
            .iter()
            .map(|&cell| signed(cell))
            .fold([0.0; 2], |sums, cell| [sums[0] + cell[0], sums[1] + cell[1]]),
        None => signed(chunk.get(0)).map(|cell| cell * CHUNK_CELLS as f64),
    }
}

/// The sum of a chunk's pressures.
pub(super) fn sum_of(chunk: &Chunk<f32>) -> f64 {
    match chunk.as_dense() {
        Some(cells) => cells.iter().map(|&cell| f64::from(cell)).sum(),
        None => f64::from(chunk.get(0)) * CHUNK_CELLS as f64,
    }
}
