//! Which chunks have been touched since a save last asked, so that it need not look at the others.
//! A chunk is touched when a cell of it is written, when it takes part in a tick, when it is
//! inserted, frozen or thawed, and when its changes are taken: whatever its record in a save
//! depends on. Without saves nothing is kept.

use crate::grid::Slot;
use crate::water::store::Store;
#[cfg(feature = "store")]
use core::sync::atomic::{AtomicU64, Ordering};

/// The worlds made so far.
#[cfg(feature = "store")]
static WORLDS: AtomicU64 = AtomicU64::new(0);

/// Periods of a world, each from one question for its touched chunks to the next.
#[cfg(feature = "store")]
pub(super) struct Periods {
    /// Tells the world from others of this process.
    world: u64,
    now: u64,
}

#[cfg(feature = "store")]
impl Default for Periods {
    fn default() -> Self {
        Periods { world: WORLDS.fetch_add(1, Ordering::Relaxed), now: 0 }
    }
}

/// The beginning of a period of a world.
#[cfg(feature = "store")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Since {
    world: u64,
    period: u64,
}

#[cfg(feature = "store")]
impl Since {
    /// Returns whether two times are of the same world.
    pub(crate) fn is_of_world(self, other: Since) -> bool {
        self.world == other.world
    }
}

impl Store {
    /// Records that a chunk is touched.
    #[cfg(feature = "store")]
    #[inline]
    pub(crate) fn touch(&mut self, slot: Slot) {
        self.beside[slot.index()].touched = self.periods.now;
    }

    /// Records nothing: no save will ask.
    #[cfg(not(feature = "store"))]
    #[inline]
    pub(crate) fn touch(&mut self, _: Slot) {}

    /// Returns the chunks touched since a time, in no order, and the time until which that is; all
    /// chunks if that time is of another world. While a tick is underway, they count as touched
    /// after it, too, since a save has them as they were before the tick.
    #[cfg(feature = "store")]
    pub(crate) fn touched_since(
        &mut self,
        since: Option<Since>,
        is_underway: bool,
    ) -> (Vec<Slot>, Since) {
        // They take part in the tick that begins next, or has begun.
        for at in 0..self.grid.awake_slots().len() {
            self.touch(self.grid.awake_slots()[at]);
        }
        // In a frozen chunk, edits of its neighbours may have woken cells.
        let waits = |slot: Slot| {
            self.is_frozen(slot) && self.grid.awake_at(slot).is_some_and(|awake| !awake.is_empty())
        };
        let world = self.periods.world;
        let is_touched = |slot: &Slot| {
            since.is_none_or(|since| {
                since.world != world
                    || self.beside[slot.index()].touched >= since.period
                    || waits(*slot)
            })
        };
        let touched: Vec<Slot> = self.grid.occupied().filter(is_touched).collect();
        self.periods.now += 1;
        if is_underway {
            touched.iter().for_each(|&slot| self.touch(slot));
        }
        (touched, Since { world, period: self.periods.now })
    }

    /// Makes the period of a store of lent chunks that of this one.
    #[cfg(all(feature = "store", feature = "rayon"))]
    pub(super) fn lend_period(&self, borrower: &mut Store) {
        borrower.periods.now = self.periods.now;
    }

    /// Lends nothing: no save will ask.
    #[cfg(all(not(feature = "store"), feature = "rayon"))]
    pub(super) fn lend_period(&self, _: &mut Store) {}
}
