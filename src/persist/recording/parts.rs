//! A recording: how a world began, the edits before each tick, checks and keyframes.

use super::error::{Divergence, ReplayError};
use super::hashes::{Check, ChunkHashes, hashes_of};
use crate::simulation::{EditValue, Simulation};
use crate::snapshot::Saved;
use core::fmt;

/// How a recorded world begins.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// The bytes of a snapshot.
    Snapshot(Vec<u8>),
    /// The world of a generator that is not part of the recording.
    Generated { name: String, parameters: String },
}

/// A recording of a world: its start, its edits by tick, the number of ticks it ran, and its state
/// at some of them. A [`Recorder`](super::Recorder) makes it.
///
/// Ticks count from the start of the recording. The edits of a tick are the edits made before that
/// tick, so the edits of tick 0 come first.
pub struct Recording<W: Saved + Simulation> {
    pub(super) start: Start,
    pub(super) ticks: u64,
    /// Ascending by tick.
    pub(super) edits: Vec<(u64, W::Edit)>,
    pub(super) checks: Vec<Check>,
    pub(super) keyframes: Vec<(u64, Vec<u8>)>,
}

impl<W: Saved + Simulation> Clone for Recording<W> {
    fn clone(&self) -> Self {
        let Recording { start, ticks, edits, checks, keyframes } = self;
        Recording {
            start: start.clone(),
            ticks: *ticks,
            edits: edits.clone(),
            checks: checks.clone(),
            keyframes: keyframes.clone(),
        }
    }
}

/// Recordings are equal if their bytes are. Edits are compared as bytes, since an edit may hold a
/// NaN, which does not equal itself.
impl<W: Saved + Simulation> PartialEq for Recording<W> {
    fn eq(&self, other: &Self) -> bool {
        let bytes = |(tick, edit): &(u64, W::Edit)| (*tick, edit.to_bytes());
        self.start == other.start
            && self.ticks == other.ticks
            && self.edits.iter().map(bytes).eq(other.edits.iter().map(bytes))
            && self.checks == other.checks
            && self.keyframes == other.keyframes
    }
}

impl<W: Saved + Simulation> fmt::Debug for Recording<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("kind", &W::KIND)
            .field("ticks", &self.ticks)
            .field("edits", &self.edits.len())
            .field("checks", &self.checks.len())
            .field("keyframes", &self.keyframes.len())
            .finish()
    }
}

impl<W: Saved + Simulation> Recording<W> {
    /// Returns a recording that begins with this world, has these edits and `ticks` ticks, and no
    /// checks: it can be replayed, but not compared.
    ///
    /// Edits are sorted by tick; the edits of one tick keep their order. Edits of a tick after the
    /// last one are made at the end.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::recording::Recording;
    /// use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
    /// use floodplain::Chunk;
    ///
    /// let world = WaterWorld::new(7, Rules::lossless())?;
    /// let (position, chunk) = (ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
    /// let pour = Edit::Pour { cell: IVec3::new(1, 9, 1), units: 5 };
    /// let edits = vec![(3, pour), (0, Edit::InsertChunk { position, chunk })];
    /// let recording = Recording::new(&world, edits, 10);
    /// assert_eq!(recording.edits()[1].0, 3);
    /// assert_eq!(recording.replay()?.total(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(world: &W, mut edits: Vec<(u64, W::Edit)>, ticks: u64) -> Recording<W> {
        edits.iter_mut().for_each(|(tick, _)| *tick = (*tick).min(ticks));
        edits.sort_by_key(|&(tick, _)| tick);
        let start = Start::Snapshot(world.save());
        Recording { start, ticks, edits, checks: Vec::new(), keyframes: Vec::new() }
    }

    /// Returns the number of ticks.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns the edits, each with the tick before which it was made, in the order in which they
    /// were made.
    pub fn edits(&self) -> &[(u64, W::Edit)] {
        &self.edits
    }

    /// Returns the edits that were made before a tick.
    pub fn edits_at(&self, tick: u64) -> &[(u64, W::Edit)] {
        let from = self.edits.partition_point(|edit| edit.0 < tick);
        let to = self.edits.partition_point(|edit| edit.0 <= tick);
        &self.edits[from..to]
    }

    /// Returns the state of the world at some ticks, in order.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// Returns the ticks at which there is a whole snapshot, in order; the start is not among them.
    pub fn keyframes(&self) -> impl ExactSizeIterator<Item = u64> {
        self.keyframes.iter().map(|&(tick, _)| tick)
    }

    /// Returns the name and the parameters of the generator that made the start; `None` if the
    /// start is a snapshot.
    pub fn generator(&self) -> Option<(&str, &str)> {
        match &self.start {
            Start::Snapshot(_) => None,
            Start::Generated { name, parameters } => Some((name, parameters)),
        }
    }

    /// Sets the world at the start, for a recording that begins with the world of a
    /// [generator](Recording::generator).
    ///
    /// # Errors
    /// The world is not the one that was recorded. The recording is unchanged then.
    pub fn start_with(&mut self, world: &W) -> Result<(), ReplayError> {
        if let Some(check) = self.checks.first().filter(|check| check.tick == 0) {
            let mut recorded = ChunkHashes::default();
            recorded.note(check);
            let found = world.state_hash();
            if found != check.hash {
                let divergence = Divergence {
                    tick: 0,
                    agreed: None,
                    recorded: check.hash,
                    found,
                    chunk: recorded.first_difference(&hashes_of(world)),
                    cell: None,
                };
                return Err(ReplayError::Differs(divergence));
            }
        }
        self.start = Start::Snapshot(world.save());
        Ok(())
    }

    /// Returns the world at the start.
    ///
    /// # Errors
    /// The start is the world of a generator, or its snapshot is refused.
    pub fn start(&self) -> Result<W, ReplayError> {
        match &self.start {
            Start::Snapshot(saved) => load(0, saved),
            Start::Generated { name, .. } => Err(ReplayError::Generator { name: name.clone() }),
        }
    }

    /// Returns the world after `tick` ticks, before the edits of that tick. It is the world of the
    /// last keyframe up to that tick, after the edits and ticks that followed.
    ///
    /// # Errors
    /// The recording is shorter, there is no keyframe up to the tick and the start is the world of
    /// a generator, or a snapshot is refused.
    pub fn world_at(&self, tick: u64) -> Result<W, ReplayError> {
        if tick > self.ticks {
            return Err(ReplayError::Beyond { wanted: tick, end: self.ticks });
        }
        let (from, mut world) = self.last_keyframe(tick)?;
        for tick in from..tick {
            self.edits_at(tick).iter().for_each(|(_, edit)| drop(world.apply(edit.clone())));
            world.step();
        }
        Ok(world)
    }

    /// Returns the world as it was just before an edit, by its place in
    /// [`edits`](Recording::edits).
    ///
    /// # Errors
    /// There are fewer edits, or [`world_at`](Recording::world_at) fails at the tick of the edit.
    pub fn world_before(&self, edit: usize) -> Result<W, ReplayError> {
        let Some(&(tick, _)) = self.edits.get(edit) else {
            let (wanted, end) = (edit as u64, self.edits.len() as u64);
            return Err(ReplayError::Beyond { wanted, end });
        };
        let mut world = self.world_at(tick)?;
        let first = self.edits.partition_point(|edit| edit.0 < tick);
        for (_, edit) in &self.edits[first..edit] {
            drop(world.apply(edit.clone()));
        }
        Ok(world)
    }

    /// Returns a recording of the ticks from `from` until `to` alone: it begins with the
    /// [world](Recording::world_at) after the first `from` ticks, and has the edits, checks and
    /// keyframes of the ticks up to `to`. A `to` after the last tick counts as the last tick.
    /// Edits made after the last tick are in the part only if `to` is the last tick or later.
    ///
    /// ```
    /// use floodplain::recording::Recorder;
    /// use floodplain::water::{Rules, WaterWorld};
    ///
    /// let mut game = Recorder::new(WaterWorld::new(7, Rules::lossless())?).check_every(5);
    /// game.run(40);
    /// let part = game.recording().part(10, 20)?;
    /// let checks: Vec<u64> = part.checks().iter().map(|check| check.tick).collect();
    /// assert_eq!((part.ticks(), checks), (10, vec![0, 5, 10]));
    /// assert_eq!(part.replay()?.ticks(), 20, "the world counts on");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`world_at`](Recording::world_at).
    pub fn part(&self, from: u64, to: u64) -> Result<Recording<W>, ReplayError> {
        let world = self.world_at(from)?;
        let mut part = self.clone();
        if to < self.ticks {
            part.cut(to.max(from));
        }
        let mut chunks = ChunkHashes::default();
        let before = part.checks.partition_point(|check| check.tick < from);
        part.checks.drain(..before).for_each(|check| chunks.note(&check));
        if let Some(first) = part.checks.first_mut() {
            // The check lists the changes since a check that is gone, but a first check must list
            // all chunks.
            chunks.note(first);
            first.chunks = ChunkHashes::default().changes(&chunks);
        }
        part.start = Start::Snapshot(world.save());
        part.ticks -= from;
        part.edits.retain(|edit| edit.0 >= from);
        part.keyframes.retain(|keyframe| keyframe.0 > from);
        part.edits.iter_mut().for_each(|edit| edit.0 -= from);
        part.checks.iter_mut().for_each(|check| check.tick -= from);
        part.keyframes.iter_mut().for_each(|keyframe| keyframe.0 -= from);
        Ok(part)
    }

    /// Returns the tick and the world of the last keyframe up to a tick, or of the start if there
    /// is none.
    fn last_keyframe(&self, tick: u64) -> Result<(u64, W), ReplayError> {
        let after = self.keyframes.partition_point(|keyframe| keyframe.0 <= tick);
        match self.keyframes[..after].last() {
            Some((tick, saved)) => Ok((*tick, load(*tick, saved)?)),
            None => Ok((0, self.start()?)),
        }
    }

    /// Returns the world of the keyframe at a tick, if there is one.
    pub(super) fn keyframe(&self, tick: u64) -> Option<Result<W, ReplayError>> {
        let at = self.keyframes.binary_search_by_key(&tick, |keyframe| keyframe.0).ok()?;
        Some(load(tick, &self.keyframes[at].1))
    }

    /// Ends the recording at a tick, before the edits of that tick.
    pub(super) fn cut(&mut self, tick: u64) {
        self.ticks = tick;
        self.edits.retain(|edit| edit.0 < tick);
        self.checks.retain(|check| check.tick <= tick);
        self.keyframes.retain(|keyframe| keyframe.0 <= tick);
    }
}

/// Returns the world of a snapshot.
fn load<W: Saved + Simulation>(tick: u64, saved: &[u8]) -> Result<W, ReplayError> {
    W::load(saved).map_err(|error| ReplayError::Snapshot { tick, error })
}
