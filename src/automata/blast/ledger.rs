//! The account of all pressure that entered or left a world or a graph.

use crate::chunk::Chunk;
use crate::coords::CHUNK_CELLS;

/// The pressure that entered and left since the start: sums over cells or nodes.
///
/// Loading a chunk or node counts as an edit that changes its pressures from 0, and unloading it as
/// an edit that changes its pressures to 0.
///
/// `total = placed − removed − left − absorbed`, except for rounding. Over 10,000 steps of a grid,
/// which computes in `f32`, the error is up to a millionth of the sum of the absolute values of all
/// pressures that entered or are present; on a graph it is less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ledger {
    /// The sum by which edits raised pressures.
    pub placed: f64,
    /// The sum by which edits lowered pressures, including the pressures of cells that they
    /// removed.
    pub removed: f64,
    /// The sum that flowed out across open borders. Pressure may flow back under the wave rule, so
    /// this sum may fall.
    pub left: f64,
    /// The sum of the remainders below the threshold in chunks that fell silent. Under the wave
    /// rule a remainder may be negative, so this sum may fall.
    pub absorbed: f64,
}

impl Ledger {
    /// Returns the sum that all pressures must have now.
    ///
    /// ```
    /// use floodplain::blast::Ledger;
    /// let ledger = Ledger { placed: 300.0, left: 25.0, ..Ledger::default() };
    /// assert_eq!(ledger.total(), 275.0);
    /// ```
    pub const fn total(&self) -> f64 {
        self.placed - self.removed - self.left - self.absorbed
    }

    /// Returns whether a counted sum agrees with the ledger to the promised precision: a millionth
    /// of all pressures that entered and left plus `there`, the absolute values of the pressures
    /// and flows present. The absolute values can be far larger than the counted sum, and rounding
    /// is relative to them.
    pub(super) fn agrees_with(&self, counted: f64, there: f64) -> bool {
        let through =
            self.placed.abs() + self.removed.abs() + self.left.abs() + self.absorbed.abs();
        (counted - self.total()).abs() <= 1e-6 * (through + there)
    }

    /// Records that an edit changed a pressure.
    pub(super) fn change(&mut self, old: f64, new: f64) {
        if new > old {
            self.placed += new - old;
        } else {
            self.removed += old - new;
        }
    }

    /// Records loaded cells, by the sums of their pressures above and below 0. With a single sum, a
    /// chunk of both signs could add up to zero, and its rounding errors would be measured against
    /// zero.
    pub(super) fn place(&mut self, [above, below]: [f64; 2]) {
        self.placed += above;
        self.removed -= below;
    }

    /// Records unloaded cells, as [`place`](Ledger::place) does loaded ones.
    pub(super) fn remove(&mut self, [above, below]: [f64; 2]) {
        self.removed += above;
        self.placed -= below;
    }
}

/// The units of an account in a pressure of 1.
const UNITS: f64 = (1u64 << 40) as f64;

/// The ledger of a grid: its sums, and the same sums in whole units of 2⁻⁴⁰.
///
/// The entry of a step or an edit for a chunk is rounded to units before it is posted, so that sums
/// of units do not depend on the order of chunks, and the sums of the parts of a divided world add
/// up to the sums of the whole.
#[derive(Clone, Copy, Default)]
pub(super) struct Books {
    pub(super) ledger: Ledger,
    /// The pressure placed, removed, left and absorbed, in units. The counts wrap beyond a pressure
    /// of 2⁸⁷.
    units: [i128; 4],
}

impl Books {
    /// Returns books with the sums of `ledger`. The account begins with these sums rounded to
    /// units, since a snapshot has only the sums. Above 2¹³ the last bit of a sum is more than a
    /// unit.
    #[cfg(feature = "snapshot")]
    pub(super) fn of(ledger: Ledger) -> Books {
        let Ledger { placed, removed, left, absorbed } = ledger;
        let units = [placed, removed, left, absorbed].map(|sum| (sum * UNITS).round() as i128);
        Books { ledger, units }
    }

    /// Returns the pressure placed, removed, left and absorbed, in units.
    #[cfg(feature = "snapshot")]
    pub(super) fn units(&self) -> [i128; 4] {
        self.units
    }

    /// Sets the account in units, and the ledger's sums to the same pressures.
    #[cfg(feature = "snapshot")]
    pub(super) fn set_units(&mut self, units: [i128; 4]) {
        let [placed, removed, left, absorbed] = units.map(|units| units as f64 / UNITS);
        *self = Books { ledger: Ledger { placed, removed, left, absorbed }, units };
    }

    fn add(&mut self, entry: [f64; 4]) {
        for (sum, entry) in self.units.iter_mut().zip(entry) {
            *sum = sum.wrapping_add((entry * UNITS).round() as i128);
        }
    }

    /// Records that an edit changed a pressure.
    pub(super) fn change(&mut self, old: f64, new: f64) {
        self.ledger.change(old, new);
        self.add([(new - old).max(0.0), (old - new).max(0.0), 0.0, 0.0]);
    }

    /// Records loaded cells, by the sums of their pressures above and below 0.
    pub(super) fn place(&mut self, signed: [f64; 2]) {
        self.ledger.place(signed);
        self.add([signed[0], -signed[1], 0.0, 0.0]);
    }

    /// Records unloaded or faded cells, by the sums of their pressures above and below 0.
    pub(super) fn remove(&mut self, signed: [f64; 2]) {
        self.ledger.remove(signed);
        self.add([-signed[1], signed[0], 0.0, 0.0]);
    }

    /// Records an outflow across an open border.
    pub(super) fn leave(&mut self, flow: f64) {
        self.ledger.left += flow;
        self.add([0.0, 0.0, flow, 0.0]);
    }

    /// Records the remainder of a chunk that fell silent.
    pub(super) fn absorb(&mut self, pressure: f64) {
        self.ledger.absorbed += pressure;
        self.add([0.0, 0.0, 0.0, pressure]);
    }
}

/// Returns the sum of a chunk's pressures above 0 and the sum of its pressures below 0.
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

/// Returns the sum of a chunk's pressures.
pub(super) fn sum_of(chunk: &Chunk<f32>) -> f64 {
    match chunk.as_dense() {
        Some(cells) => cells.iter().map(|&cell| f64::from(cell)).sum(),
        None => f64::from(chunk.get(0)) * CHUNK_CELLS as f64,
    }
}
