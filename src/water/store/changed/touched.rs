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
pub(in crate::water::store) struct Periods {
    /// Tells the world from others of this process.
    world: u64,
    /// Atomic, as a save that only reads the world begins a period, too.
    now: AtomicU64,
    /// That in which the last tick began.
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
    /// Of a world of materials, the steps that soil had done by then.
    soil_steps: u64,
}

#[cfg(feature = "store")]
impl Since {
    /// Returns whether two times are of the same world.
    pub(crate) fn is_of_world(self, other: Since) -> bool {
        self.world == other.world
    }

    /// Returns this time, of a world of materials whose soil has done so many steps by then.
    pub(crate) fn with_soil_steps(self, soil_steps: u64) -> Since {
        Since { soil_steps, ..self }
    }

    pub(crate) fn soil_steps(self) -> u64 {
        self.soil_steps
    }

    /// Returns whether this time has come by a period of the same world.
    pub(crate) fn is_reached_by(self, period: u64) -> bool {
        self.period <= period
    }
}

impl Store {
    /// Records that a chunk is touched.
    #[cfg(feature = "store")]
    #[inline]
    pub(crate) fn touch(&mut self, slot: Slot) {
        self.caches[slot.index()].touched = self.periods.now();
    }

    /// Records nothing: no save will ask.
    #[cfg(not(feature = "store"))]
    #[inline]
    pub(crate) fn touch(&mut self, _: Slot) {}

    /// Records that a tick begins. Its chunks are touched as they enter its schedule.
    #[inline]
    pub(crate) fn begin_tick_period(&mut self) {
        #[cfg(feature = "store")]
        {
            self.periods.tick = self.periods.now();
        }
    }

    /// Records that the chunks with awake cells are touched: they take part in the tick that begins
    /// next, or has begun.
    #[cfg(feature = "store")]
    fn touch_awake(&mut self) {
        for at in 0..self.grid.awake_slots().len() {
            self.touch(self.grid.awake_slots()[at]);
        }
    }

    /// Records that the frozen chunks in which cells have woken are touched: edits of their
    /// neighbours wake some. Until they go on, none of them falls asleep but by a write, so their
    /// number tells.
    #[cfg(feature = "store")]
    fn touch_woken_frozen(&mut self) {
        let waits = |slot: &Slot| self.is_frozen(*slot) && self.grid.awake_at(*slot).is_some();
        let waiting: Vec<Slot> = self.grid.occupied().filter(waits).collect();
        for slot in waiting {
            let awake = self.grid.awake_at(slot).map_or(0, |awake| awake.len() as u16);
            let before = &mut self.caches[slot.index()].awake_frozen;
            if core::mem::replace(before, awake) != awake {
                self.touch(slot);
            }
        }
    }

    /// Returns the number of the period that it is.
    #[cfg(feature = "store")]
    pub(crate) fn period(&self) -> u64 {
        self.periods.now()
    }

    /// Begins a period without a look at the world, between two ticks.
    #[cfg(feature = "store")]
    pub(crate) fn begin_period(&self) -> Since {
        self.periods.begin()
    }

    /// Returns the chunks touched since a time, in no order, and the time until which that is; all
    /// chunks if that time is of another world. While a tick is underway, those that may have a
    /// part in it count as touched after it, too, since a save has them as they were before the
    /// tick.
    #[cfg(feature = "store")]
    pub(crate) fn touched_since(
        &mut self,
        since: Option<Since>,
        is_underway: bool,
    ) -> (Vec<Slot>, Since) {
        self.touch_awake();
        self.touch_woken_frozen();
        let is_touched =
            |slot: &Slot| since.is_none_or(|since| self.is_touched_since(*slot, since));
        let touched: Vec<Slot> = self.grid.occupied().filter(is_touched).collect();
        let now = self.periods.begin();
        if is_underway {
            let tick = self.periods.tick;
            for &slot in &touched {
                if self.caches[slot.index()].touched >= tick {
                    self.touch(slot);
                }
            }
        }
        (touched, now)
    }

    /// Returns whether a chunk was touched since a time; `true` if that is of another world.
    #[cfg(feature = "store")]
    pub(crate) fn is_touched_since(&self, slot: Slot, since: Since) -> bool {
        since.world != self.periods.world || self.caches[slot.index()].touched >= since.period
    }

    /// Makes the period of a store of lent chunks that of this one.
    #[cfg(all(feature = "store", feature = "rayon"))]
    pub(in crate::water::store) fn lend_period(&self, borrower: &mut Store) {
        borrower.periods.now = AtomicU64::new(self.periods.now());
    }

    /// Lends nothing: no save will ask.
    #[cfg(all(not(feature = "store"), feature = "rayon"))]
    pub(in crate::water::store) fn lend_period(&self, _: &mut Store) {}
}
