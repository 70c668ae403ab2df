//! Steady flow: the ledger entries of chunks that sleep.
//!
//! A chunk's step follows from its own cells, the rims around it and its ground. If a step has
//! changed no cell of the chunk, the next step moves the same units over rain, cap and border and
//! from the sources of fed cells, until a neighbour changes at the common face or an edit is made.
//! Both wake the chunk. Until then it sleeps, and every step repeats the ledger entries of the
//! chunk's last step.

use super::ledger::Ledger;
use super::step::job::Tally;
use crate::grid::Slot;
use hashbrown::HashMap;

/// The units that each step posts for sleeping chunks.
#[derive(Default)]
pub(super) struct Steady {
    /// The tallies, none of them empty. Chunks that have woken since their last step may be among
    /// them.
    by_chunk: HashMap<Slot, Tally>,
    /// The sum of the tallies.
    sum: Sum,
}

/// Sums of the fields of a [`Tally`].
#[derive(Default)]
struct Sum {
    fed: u128,
    rained: i128,
    runoff: u128,
    drained: u128,
}

impl Steady {
    /// Records the ledger entry of a step without changes for a chunk that now sleeps.
    pub(super) fn note(&mut self, slot: Slot, tally: Tally) {
        self.forget(slot);
        if tally.has_entries() {
            self.sum.fed += u128::from(tally.fed);
            self.sum.rained += i128::from(tally.rained);
            self.sum.runoff += u128::from(tally.runoff);
            self.sum.drained += u128::from(tally.drained);
            self.by_chunk.insert(slot, tally);
        }
    }

    /// Forgets a chunk that is stepped again, stands still or is removed.
    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(tally) = self.by_chunk.remove(&slot) {
            self.sum.fed -= u128::from(tally.fed);
            self.sum.rained -= i128::from(tally.rained);
            self.sum.runoff -= u128::from(tally.runoff);
            self.sum.drained -= u128::from(tally.drained);
        }
    }

    /// Returns whether there is a steady flow through a chunk while it sleeps.
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.by_chunk.contains_key(&slot)
    }

    /// Returns the units that each step posts for a chunk while it sleeps, without `moved`.
    pub(super) fn of(&self, slot: Slot) -> Tally {
        let known = self.by_chunk.get(&slot).copied().unwrap_or_default();
        Tally { moved: 0, ..known }
    }

    /// Adds the steady flow of a number of steps to a ledger.
    pub(super) fn post(&self, ledger: &mut Ledger, steps: u64) {
        ledger.placed += self.sum.fed * u128::from(steps);
        ledger.rained += self.sum.rained * i128::from(steps);
        ledger.runoff += self.sum.runoff * u128::from(steps);
        ledger.drained += self.sum.drained * u128::from(steps);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.by_chunk.allocation_size()
    }
}
