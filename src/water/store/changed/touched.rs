//! Which chunks have been touched since the last save, so that a save can skip all other chunks. A
//! chunk is touched when a cell of it is written, when it takes part in a tick, when it is
//! inserted, frozen or thawed, and when its changes are taken: its record in a save depends on
//! nothing else. Without the feature `store`, nothing is recorded.

use crate::grid::Slot;
use crate::water::store::Store;
#[cfg(feature = "store")]
use core::sync::atomic::{AtomicU64, Ordering};

/// The number of worlds made so far in this process.
#[cfg(feature = "store")]
static WORLDS: AtomicU64 = AtomicU64::new(0);

/// Periods of a world. Each lasts from one query of its touched chunks to the next.
#[cfg(feature = "store")]
pub(in crate::water::store) struct Periods {
    /// Distinguishes the world from other worlds of this process.
    world: u64,
    /// Atomic, since a save that only reads the world also begins a period.
    now: AtomicU64,
    /// The period in which the last tick began.
    tick: u64,
}

#[cfg(feature = "store")]
impl Default for Periods {
    fn default() -> Self {
        Periods { world: WORLDS.fetch_add(1, Ordering::Relaxed), now: AtomicU64::new(0), tick: 0 }
    }
}

#[cfg(feature = "store")]
impl Periods {
    #[inline]
    fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Begins a period.
    fn begin(&self) -> Since {
        let period = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        Since { world: self.world, period, soil_steps: 0 }
    }
}

/// The beginning of a period of a world.
#[cfg(feature = "store")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    world: u64,
    period: u64,
    /// For a world of materials, the steps that its soil had done at this time.
    soil_steps: u64,
}

#[cfg(feature = "store")]
impl Since {
    /// Returns whether two times are of the same world.
    pub(crate) fn is_of_world(self, other: Since) -> bool {
        self.world == other.world
    }

    /// Returns this time with the number of steps that the soil of a world of materials had done at
    /// it.
    pub(crate) fn with_soil_steps(self, soil_steps: u64) -> Since {
        Since { soil_steps, ..self }
    }

    pub(crate) fn soil_steps(self) -> u64 {
        self.soil_steps
    }

    /// Returns whether this time is at or before a period of the same world.
    pub(crate) fn is_reached_by(self, period: u64) -> bool {
        self.period <= period
    }
}

/// Records that a chunk is touched.
#[cfg(feature = "store")]
#[inline]
pub(crate) fn touch(store: &mut Store, slot: Slot) {
    store.caches[slot.index()].touched = store.periods.now();
}

/// Records nothing, since no save reads this.
#[cfg(not(feature = "store"))]
#[inline]
pub(crate) fn touch(_: &mut Store, _: Slot) {}

/// Records that a tick begins. The chunks of the tick are touched as they enter its schedule.
#[inline]
#[cfg(feature = "store")]
pub(crate) fn begin_tick_period(store: &mut Store) {
    store.periods.tick = store.periods.now();
}

/// Records nothing, since no save reads this.
#[cfg(not(feature = "store"))]
#[inline]
pub(crate) fn begin_tick_period(_: &mut Store) {}

/// Records that the chunks with awake cells are touched: they take part in the tick that begins
/// next or is underway.
#[cfg(feature = "store")]
fn touch_awake(store: &mut Store) {
    for at in 0..store.grid.awake_slots().len() {
        touch(store, store.grid.awake_slots()[at]);
    }
}

/// Records that the frozen chunks in which cells have woken are touched: edits of neighbouring
/// chunks wake cells in them. While a chunk is frozen, its cells fall asleep only by a write, so
/// comparing the number of awake cells suffices.
#[cfg(feature = "store")]
fn touch_woken_frozen(store: &mut Store) {
    let waits = |slot: &Slot| store.is_frozen(*slot) && store.grid.awake_at(*slot).is_some();
    let waiting: Vec<Slot> = store.grid.occupied().filter(waits).collect();
    for slot in waiting {
        let awake = store.grid.awake_at(slot).map_or(0, |awake| awake.len() as u16);
        let before = &mut store.caches[slot.index()].awake_frozen;
        if core::mem::replace(before, awake) != awake {
            touch(store, slot);
        }
    }
}

/// Returns the number of the current period.
#[cfg(feature = "store")]
pub(crate) fn period(store: &Store) -> u64 {
    store.periods.now()
}

/// Begins a period without reading the world, between two ticks.
#[cfg(feature = "store")]
pub(crate) fn begin_period(store: &Store) -> Since {
    store.periods.begin()
}

/// Returns the chunks that have been touched since `since`, in no particular order, and the time
/// until which this holds. Returns all chunks if `since` is `None` or belongs to another world. If
/// a tick `is_underway`, chunks that may take part in it also count as touched after the returned
/// time, since a save stores them as they were before the tick.
#[cfg(feature = "store")]
pub(crate) fn touched_since(
    store: &mut Store,
    since: Option<Since>,
    is_underway: bool,
) -> (Vec<Slot>, Since) {
    touch_awake(store);
    touch_woken_frozen(store);
    let is_touched = |slot: &Slot| since.is_none_or(|since| is_touched_since(store, *slot, since));
    let touched: Vec<Slot> = store.grid.occupied().filter(is_touched).collect();
    let now = store.periods.begin();
    if is_underway {
        let tick = store.periods.tick;
        for &slot in &touched {
            if store.caches[slot.index()].touched >= tick {
                touch(store, slot);
            }
        }
    }
    (touched, now)
}

/// Returns whether a chunk has been touched since `since`; `true` if `since` belongs to another
/// world.
#[cfg(feature = "store")]
pub(crate) fn is_touched_since(store: &Store, slot: Slot, since: Since) -> bool {
    since.world != store.periods.world || store.caches[slot.index()].touched >= since.period
}

/// Sets the period of a store of lent chunks to this store's period.
#[cfg(all(feature = "store", feature = "rayon"))]
pub(in crate::water::store) fn lend_period(store: &Store, borrower: &mut Store) {
    borrower.periods.now = AtomicU64::new(store.periods.now());
}

/// Lends nothing, since no save reads this.
#[cfg(all(not(feature = "store"), feature = "rayon"))]
pub(in crate::water::store) fn lend_period(_: &Store, _: &mut Store) {}
