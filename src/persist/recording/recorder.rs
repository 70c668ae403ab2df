//! A world that records its edits and ticks.

use super::bytes::tick_from_bytes;
use super::error::{RecordingError, ReplayError};
use super::hashes::{Check, ChunkHashes, hashes_of};
use super::parts::{Recording, Start};
use crate::limits::Limits;
use crate::simulation::{EditValue, Simulation};
use crate::snapshot::Saved;
use std::collections::VecDeque;

/// The number of ticks between two checks by default.
const CHECK_EVERY: u64 = 20;

/// A world with the [recording](Recording) of everything that is done to it. All calls that may
/// change the world go through the recorder; everything else is read from
/// [`world`](Recorder::world).
///
/// A check takes about as long as [`state_hash`](crate::Simulation::state_hash) twice: it reads
/// every cell. Edits are cheap, and take the memory of their values.
pub struct Recorder<W: Saved + Simulation> {
    world: W,
    recording: Recording<W>,
    check_every: u64,
    keyframe_every: u64,
    /// The hashes of the chunks at the last check.
    chunks: ChunkHashes,
    /// Whether a tick has begun and is not complete.
    is_underway: bool,
    /// The edits that wait until the next tick begins.
    waiting: VecDeque<W::Edit>,
    results: Vec<Result<W::Outcome, W::EditError>>,
    /// The limits of edits from other machines.
    limits: Option<Limits>,
}

impl<W: Saved + Simulation> Recorder<W> {
    /// Returns a recorder of a world, whose recording begins with a snapshot of the world.
    /// Completes a tick that is underway.
    pub fn new(world: W) -> Recorder<W> {
        Recorder::begin(world, |world| Start::Snapshot(world.save()))
    }

    /// Returns a recorder of a world that a generator has just made: the recording has the
    /// generator's name and parameters in place of a snapshot, so it is small however large the
    /// world is. To replay it, the world is made again: see [`Recording::start_with`].
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::recording::{Recorder, Recording};
    /// use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region};
    ///
    /// fn valley(floor: i32) -> WaterWorld {
    ///     let mut world = WaterWorld::new(7, Rules::lossless()).expect("rules in range");
    ///     world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    ///     let ground = Region::new(IVec3::ZERO, IVec3::new(15, floor, 15));
    ///     world.fill_solid(ground).expect("loaded");
    ///     world
    /// }
    /// let mut game = Recorder::generated(valley(4), "valley", "floor = 4");
    /// game.apply(Edit::AddSource(IVec3::new(8, 9, 8)))?;
    /// game.run(30);
    ///
    /// let mut recording = Recording::<WaterWorld>::from_bytes(&game.recording().to_bytes())?;
    /// assert_eq!(recording.generator(), Some(("valley", "floor = 4")));
    /// assert!(recording.start_with(&valley(5)).is_err(), "another world");
    /// recording.start_with(&valley(4))?;
    /// assert_eq!(recording.replay()?.state_hash(), game.world().state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn generated(world: W, name: &str, parameters: &str) -> Recorder<W> {
        let (name, parameters) = (name.to_owned(), parameters.to_owned());
        Recorder::begin(world, |_| Start::Generated { name, parameters })
    }

    fn begin(mut world: W, start: impl FnOnce(&W) -> Start) -> Recorder<W> {
        world.finish_tick();
        let start = start(&world);
        let (edits, checks, keyframes) = (Vec::new(), Vec::new(), Vec::new());
        let mut recorder = Recorder {
            world,
            recording: Recording { start, ticks: 0, edits, checks, keyframes },
            check_every: CHECK_EVERY,
            keyframe_every: 0,
            chunks: ChunkHashes::default(),
            is_underway: false,
            waiting: VecDeque::new(),
            results: Vec::new(),
            limits: None,
        };
        recorder.check();
        recorder
    }

    /// Sets the number of ticks between two checks, 20 by default. With 0, the only check is that
    /// at the start.
    #[must_use]
    pub fn check_every(mut self, ticks: u64) -> Recorder<W> {
        self.check_every = ticks;
        self
    }

    /// Sets the number of ticks between two whole snapshots in the recording. Undo then repeats
    /// fewer ticks than that, and a replay that differs can name the cell. With 0, the default,
    /// there are no snapshots except the start.
    #[must_use]
    pub fn keyframe_every(mut self, ticks: u64) -> Recorder<W> {
        self.keyframe_every = ticks;
        self
    }

    /// Sets the limits of edits that another machine has [sent](Recorder::apply_bytes). Without
    /// limits, such edits may do everything.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Recorder<W> {
        self.limits = Some(limits);
        self
    }

    /// Returns the world.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// Returns the world, to take its lists of changes and events. An edit or a tick that is made
    /// here is not recorded, so a replay will differ.
    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }

    /// Returns the recording up to now.
    pub fn recording(&self) -> &Recording<W> {
        &self.recording
    }

    /// Returns the recording, and drops the world.
    pub fn into_recording(self) -> Recording<W> {
        self.recording
    }

    /// Returns the world, and gives up the recording. Edits that wait are lost.
    pub fn into_world(self) -> W {
        self.world
    }

    /// Returns the number of complete ticks since the start.
    pub fn ticks(&self) -> u64 {
        self.recording.ticks
    }

    /// Makes an edit at once, after the edits that wait, and returns its outcome. Completes a tick
    /// that is underway first.
    ///
    /// # Errors
    /// The edit was refused, and changed nothing. It is recorded all the same, since a world that
    /// differs may accept it.
    pub fn apply(&mut self, edit: W::Edit) -> Result<W::Outcome, W::EditError> {
        if self.is_underway {
            self.step();
        }
        self.make_waiting();
        self.make(edit)
    }

    /// Queues an edit, which is made when the next tick begins. A tick that is underway is not
    /// completed. Until the edit is made, the hash of the state does not include it.
    /// [`take_results`](Recorder::take_results) returns its outcome.
    pub fn queue(&mut self, edit: W::Edit) {
        self.waiting.push_back(edit);
    }

    /// Returns the outcomes of the queued edits that were made since the last call, in order.
    pub fn take_results(&mut self) -> Vec<Result<W::Outcome, W::EditError>> {
        core::mem::take(&mut self.results)
    }

    /// Makes the edits of one tick that another recorder has [sent](Recording::tick_bytes), and
    /// returns the number of edits that were not refused. Completes a tick that is underway first.
    ///
    /// # Errors
    /// The bytes are damaged, or belong to a tick that is not the next one, or an edit breaks the
    /// [limits](Recorder::limits). No edit is made then, and a tick underway is not completed.
    pub fn apply_bytes(&mut self, bytes: &[u8]) -> Result<usize, RecordingError> {
        let (found, edits) = tick_from_bytes::<W>(bytes)?;
        let wanted = self.ticks() + u64::from(self.is_underway);
        if found != wanted {
            return Err(RecordingError::OtherTick { found, wanted });
        }
        if let Some(limits) = &self.limits {
            for (nth, edit) in edits.iter().enumerate() {
                let checked = edit.check_limits(limits);
                checked.map_err(|error| RecordingError::Limit { nth, error })?;
            }
        }
        if self.is_underway {
            self.step();
        }
        Ok(edits.into_iter().filter(|edit| self.apply(edit.clone()).is_ok()).count())
    }

    /// Runs one tick, or completes the one that is underway.
    pub fn step(&mut self) {
        self.step_within(u64::MAX);
    }

    /// Runs `ticks` ticks.
    pub fn run(&mut self, ticks: u64) {
        (0..ticks).for_each(|_| self.step());
    }

    /// Makes the edits that wait, then does as much of a tick as the budget allows, in worlds that
    /// do ticks in slices: see [`WaterWorld::step_within`](crate::water::WaterWorld::step_within).
    /// In other worlds it does a whole tick. Returns whether the tick is complete. Slices are not
    /// recorded, since the bytes do not depend on them.
    pub fn step_within(&mut self, budget: u64) -> bool {
        if !self.is_underway {
            self.make_waiting();
        }
        self.is_underway = !self.world.step_within(budget).finished;
        if !self.is_underway {
            self.end_tick();
        }
        !self.is_underway
    }

    /// Takes back the last edit and everything that has happened since, so that the world is as it
    /// was before the edit. Edits that wait are dropped. Returns the edit; if there is none,
    /// returns `None` and changes nothing.
    ///
    /// # Errors
    /// The start is the world of a generator and there is no keyframe before the edit, or a
    /// snapshot is refused. Nothing is taken back then.
    pub fn undo(&mut self) -> Result<Option<W::Edit>, ReplayError> {
        let Some(last) = self.recording.edits.len().checked_sub(1) else { return Ok(None) };
        let tick = self.recording.edits[last].0;
        self.world = self.recording.world_before(last)?;
        let mut edits = core::mem::take(&mut self.recording.edits);
        let undone = edits.pop().map(|(_, edit)| edit);
        self.recording.cut(tick);
        self.recording.edits = edits;
        self.begin_again();
        Ok(undone)
    }

    /// Goes back to an earlier tick, before the edits of that tick. Everything after it is dropped,
    /// and so are edits that wait.
    ///
    /// # Errors
    /// There were fewer ticks, or the world at the tick cannot be restored, as in
    /// [`undo`](Recorder::undo).
    pub fn rewind(&mut self, tick: u64) -> Result<(), ReplayError> {
        self.world = self.recording.world_at(tick)?;
        self.recording.cut(tick);
        self.begin_again();
        Ok(())
    }

    /// Drops the tick underway and the edits that wait, and sets the hashes of the chunks to those
    /// of the last check, after the world and the recording were set back.
    fn begin_again(&mut self) {
        self.is_underway = false;
        self.waiting.clear();
        self.chunks = ChunkHashes::default();
        self.recording.checks.iter().for_each(|check| self.chunks.note(check));
    }

    fn make_waiting(&mut self) {
        while let Some(edit) = self.waiting.pop_front() {
            let result = self.make(edit);
            self.results.push(result);
        }
    }

    fn make(&mut self, edit: W::Edit) -> Result<W::Outcome, W::EditError> {
        self.recording.edits.push((self.recording.ticks, edit.clone()));
        self.world.apply(edit)
    }

    fn end_tick(&mut self) {
        self.recording.ticks += 1;
        let ticks = self.recording.ticks;
        let is_due = |every: u64| every > 0 && ticks.is_multiple_of(every);
        if is_due(self.check_every) {
            self.check();
        }
        if is_due(self.keyframe_every) {
            self.recording.keyframes.push((ticks, self.world.save()));
        }
    }

    /// Records the present state of the world.
    fn check(&mut self) {
        let now = hashes_of(&self.world);
        let (tick, hash) = (self.recording.ticks, self.world.state_hash());
        let chunks = self.chunks.changes(&now);
        self.recording.checks.push(Check { tick, hash, chunks });
        self.chunks = now;
    }
}
