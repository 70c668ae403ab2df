//! Which chunks of ground, soil and pressure have been touched since a save last asked, so that it
//! need not look at the others; water keeps its own account of that, see
//! `water/store/touched.rs`, and its periods are used here. Soil and pressure that are awake count
//! as touched in each of their steps and each time a save asks, so that only what is written
//! without waking is noted one by one. Until a save asks, nothing is kept.

use super::World;
use glam::IVec3;

#[cfg(feature = "store")]
use {
    super::tick::Stage, crate::water::Since, core::sync::atomic::AtomicBool,
    core::sync::atomic::Ordering, hashbrown::HashMap,
};

/// When chunks were touched.
#[cfg(feature = "store")]
#[derive(Default)]
pub(super) struct Touched {
    /// Whether a save has asked. Atomic, as one that only reads the world does so, too.
    is_kept: AtomicBool,
    /// The period in which each was last touched, if it was since a save asked.
    periods: HashMap<IVec3, u64>,
}

impl World {
    /// Notes that the ground, soil or pressure of a chunk is touched.
    #[cfg(feature = "store")]
    #[inline]
    pub(super) fn touch(&mut self, chunk: IVec3) {
        if *self.touched.is_kept.get_mut() {
            self.touched.periods.insert(chunk, self.water.period());
        }
    }

    /// Notes nothing: no save will ask.
    #[cfg(not(feature = "store"))]
    #[inline]
    pub(super) fn touch(&mut self, _: IVec3) {}

    /// Notes the chunks whose soil is awake: before each of its steps.
    pub(super) fn touch_awake_soil(&mut self) {
        #[cfg(feature = "store")]
        if *self.touched.is_kept.get_mut() {
            let period = self.water.period();
            let awake = self.soil.awake_positions().map(|chunk| (chunk, period));
            self.touched.periods.extend(awake);
        }
    }

    /// Notes the chunks that explosions have, or that their ground is lent of: before all that may
    /// change or drop one.
    pub(super) fn touch_pressure(&mut self) {
        #[cfg(feature = "store")]
        if *self.touched.is_kept.get_mut() {
            let period = self.water.period();
            let chunks: Vec<IVec3> =
                self.lent().chain(self.blast.chunks().map(|(chunk, _)| chunk)).collect();
            self.touched.periods.extend(chunks.into_iter().map(|chunk| (chunk, period)));
        }
    }
}

#[cfg(feature = "store")]
impl World {
    /// Returns the present as a time since which chunks are touched; `None` while a tick is
    /// underway.
    pub(crate) fn since_now(&self) -> Option<Since> {
        if self.stage != Stage::Rest {
            return None;
        }
        self.touched.is_kept.store(true, Ordering::Relaxed);
        self.water.since_now()
    }

    /// Returns chunks of which a save may have changed since a time, in no order, some of them
    /// twice or gone, and until when that is; `None` for all if that time is of another world.
    pub(crate) fn touched_since(&mut self, since: Option<Since>) -> (Option<Vec<IVec3>>, Since) {
        self.touched.is_kept.store(true, Ordering::Relaxed);
        self.touch_awake_soil();
        self.touch_pressure();
        let (slots, now) = self.water.touched_since(since);
        let Some(since) = since.filter(|since| since.is_of_world(now)) else {
            return (None, now);
        };
        // Chunks that are gone are touched when they come again.
        let World { touched, ground, blast, .. } = self;
        touched.periods.retain(|&chunk, _| {
            ground.chunk(chunk).is_some() || blast.grid().slot(chunk).is_some()
        });
        let periods = touched.periods.iter();
        let of_parts = periods.filter(|&(_, &period)| since.is_reached_by(period));
        let of_water = slots.into_iter().map(|slot| self.water.grid().position_at(slot));
        (Some(of_parts.map(|(&chunk, _)| chunk).chain(of_water).collect()), now)
    }

    /// Returns whether a save of a chunk may have changed since a time.
    pub(crate) fn is_touched_since(&self, chunk: IVec3, since: Since) -> bool {
        let period = self.touched.periods.get(&chunk);
        let slot = self.water.grid().slot(chunk);
        period.is_some_and(|&period| since.is_reached_by(period))
            || slot.is_none_or(|slot| self.water.is_touched_since(slot, since))
    }

    /// Returns whether no tick touches a chunk as it is: its water and its soil sleep or stand
    /// still, and there is no pressure.
    pub(crate) fn rests(&self, chunk: IVec3) -> bool {
        let is_awake = |slot| self.water.grid().awake_at(slot).is_some();
        let is_water_awake = self.water.grid().slot(chunk).is_some_and(is_awake);
        (self.water.is_frozen(chunk) || !is_water_awake && !self.soil.is_awake(chunk))
            && self.blast.grid().slot(chunk).is_none()
    }
}
