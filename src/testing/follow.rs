//! Recordings that are repeated in a watched world.

use super::findings::{BrokenLaw, BrokenLaws};
use super::law;
use super::watch::Watch;
use super::watched::Watched;
use crate::recording::{Recording, ReplayError};
use crate::simulation::Simulation;
use crate::snapshot::Saved;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Functions for recordings, with the feature `recording`: for the worlds of this crate, whose
/// edits are values.
impl<W: Watch + Saved + Simulation<Edit = <W as Watch>::Edit>> Watched<W> {
    /// Returns the world with which a recording begins, to be watched.
    ///
    /// # Errors
    /// The errors of [`Recording::start`].
    pub fn of(recording: &Recording<W>) -> Result<Watched<W>, ReplayError> {
        recording.start()?;
        Ok(Watched::new(|| recording.start().expect("a start that was just made")))
    }

    /// Repeats a recording, edit by edit and tick by tick, and stops at the first broken law whose
    /// name is `wanted`. Returns that law; `None` if no such law was broken. After each tick the
    /// changes are taken. At the end, the world is [left to itself](Watch::let_alone). A world that
    /// must come to rest is run until it rests, or breaks `comes_to_rest`.
    ///
    /// A panic breaks `no_panic`, in the tick that it interrupts. It ends the run even if
    /// that law is not wanted. Its message is printed by the panic hook, as that of any panic.
    ///
    /// ```
    /// use floodplain::{Chunk, ChunkPos};
    /// use floodplain::glam::IVec3;
    /// use floodplain::recording::Recorder;
    /// use floodplain::testing::Watched;
    /// use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
    ///
    /// let mut game = Recorder::new(WaterWorld::new(7, Rules::lossless())?);
    /// let (position, chunk) = (ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
    /// game.apply(Edit::InsertChunk { position, chunk })?;
    /// game.run(3);
    /// game.apply(Edit::Pour { cell: IVec3::new(8, 5, 8), units: 7 })?;
    /// game.run(9);
    ///
    /// let recording = game.into_recording();
    /// assert_eq!(Watched::of(&recording)?.follow(&recording, |_| true), None);
    /// let is_dry = |world: &WaterWorld| match world.total() {
    ///     0 => Ok(()),
    ///     units => Err(format!("{units} units")),
    /// };
    /// let watched = Watched::of(&recording)?.with_law("dry", is_dry);
    /// let broken = watched.follow(&recording, |law| law == "dry").unwrap();
    /// assert_eq!(broken.to_string(), "tick 3, dry: 7 units");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follow(
        mut self,
        recording: &Recording<W>,
        wanted: impl Fn(&str) -> bool,
    ) -> Option<BrokenLaw> {
        let mut tick = Watch::ticks(self.world());
        let run = AssertUnwindSafe(|| self.first_broken(recording, &wanted, &mut tick));
        catch_unwind(run).unwrap_or_else(|panic| {
            let broken = BrokenLaw { law: law::NO_PANIC, tick, what: message(&*panic) };
            wanted(broken.law).then_some(broken)
        })
    }

    /// Returns the first broken law that is wanted. Keeps in `tick` the number of the tick that was
    /// done last, or is underway.
    fn first_broken(
        &mut self,
        recording: &Recording<W>,
        wanted: &impl Fn(&str) -> bool,
        tick: &mut u64,
    ) -> Option<BrokenLaw> {
        let first = |found: Result<(), BrokenLaws>| {
            found.err().and_then(|broken| broken.iter().find(|one| wanted(one.law)).cloned())
        };
        for at in 0..=recording.ticks() {
            for (_, edit) in recording.edits_at(at) {
                // A refused edit breaks no law.
                drop(self.edit(edit.clone()));
                if let Some(broken) = first(self.take_found()) {
                    return Some(broken);
                }
            }
            if at < recording.ticks() {
                *tick += 1;
                self.step();
                self.take_changes();
            } else {
                self.rest();
            }
            if let Some(broken) = first(self.take_found()) {
                return Some(broken);
            }
        }
        None
    }
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
