//! Repeats a recording, and finds where it differs.

use super::error::{CellDifference, Divergence, ReplayError};
use super::hashes::{Check, ChunkHashes, hashes_of};
use super::parts::Recording;
use crate::coords::CHUNK_CELLS;
use crate::simulation::Simulation;
use crate::snapshot::Saved;

impl<W: Saved + Simulation> Recording<W> {
    /// Runs all ticks with their edits, compares at each check, and returns the world at the end.
    /// To inspect the world between ticks, use a [`Replay`].
    ///
    /// # Errors
    /// The errors of [`start`](Recording::start), and [`ReplayError::Differs`] at the first check
    /// at which the state differs.
    pub fn replay(&self) -> Result<W, ReplayError> {
        let mut replay = Replay::new(self)?;
        while replay.step()? {}
        Ok(replay.into_world())
    }
}

/// A recording that is replayed, tick by tick.
///
/// ```
/// use floodplain::{ChunkPos, glam::IVec3};
/// use floodplain::recording::{Recorder, Replay};
/// use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
/// use floodplain::Chunk;
///
/// let mut game = Recorder::new(WaterWorld::new(7, Rules::lossless())?).check_every(1);
/// let (position, chunk) = (ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
/// game.apply(Edit::InsertChunk { position, chunk })?;
/// game.apply(Edit::Pour { cell: IVec3::new(3, 2, 3), units: 7 })?;
/// game.run(5);
/// let recording = game.into_recording();
/// let mut replay = Replay::new(&recording)?;
/// while replay.step()? {
///     assert_eq!(replay.world().total(), 7);
/// }
/// assert_eq!(replay.tick(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Replay<'r, W: Saved + Simulation> {
    recording: &'r Recording<W>,
    world: W,
    tick: u64,
    /// How many edits have been made, and how many checks have been compared.
    edited: usize,
    checked: usize,
    /// The hashes of the chunks according to the checks so far.
    chunks: ChunkHashes,
}

impl<'r, W: Saved + Simulation> Replay<'r, W> {
    /// Returns a replay at the start of a recording, and compares the world with the check at the
    /// start, if there is one.
    ///
    /// # Errors
    /// The errors of [`Recording::start`], and [`ReplayError::Differs`].
    pub fn new(recording: &'r Recording<W>) -> Result<Replay<'r, W>, ReplayError> {
        let world = recording.start()?;
        let mut replay = Replay {
            recording,
            world,
            tick: 0,
            edited: 0,
            checked: 0,
            chunks: ChunkHashes::default(),
        };
        replay.compare()?;
        Ok(replay)
    }

    /// Returns the world.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// Returns the number of ticks done.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Ends the replay, and returns its world.
    pub fn into_world(self) -> W {
        self.world
    }

    /// Makes the edits of the next tick, runs the tick, and compares the world with the check at
    /// that tick, if there is one. After the last tick, makes the edits that follow. Returns
    /// whether there was a tick.
    ///
    /// # Errors
    /// [`ReplayError::Differs`]: the state differs from that of the check.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        while let Some((tick, edit)) = self.recording.edits.get(self.edited)
            && *tick <= self.tick
        {
            // An edit that was refused is refused again: a different outcome would show as a
            // different state.
            drop(self.world.apply(edit.clone()));
            self.edited += 1;
        }
        if self.tick == self.recording.ticks {
            return Ok(false);
        }
        self.world.step();
        self.tick += 1;
        self.compare()?;
        Ok(true)
    }

    /// Compares the world with the check at this tick, if there is one.
    fn compare(&mut self) -> Result<(), ReplayError> {
        let Some(check) = self.recording.checks.get(self.checked) else { return Ok(()) };
        if check.tick != self.tick {
            return Ok(());
        }
        self.chunks.note(check);
        let found = self.world.state_hash();
        if found != check.hash {
            let before = self.checked.checked_sub(1).map(|last| self.recording.checks[last].tick);
            return Err(ReplayError::Differs(self.divergence(check, before, found)));
        }
        self.checked += 1;
        Ok(())
    }

    fn divergence(&self, check: &Check, agreed: Option<u64>, found: u64) -> Divergence {
        let chunk = self.chunks.first_difference(&hashes_of(&self.world));
        let recorded = match self.tick {
            0 => None,
            tick => self.recording.keyframe(tick).and_then(Result::ok),
        };
        let cell = chunk.zip(recorded).and_then(|(chunk, recorded)| {
            (0..CHUNK_CELLS).find_map(|index| {
                let ((cell, recorded), (_, found)) =
                    (recorded.describe_cell(chunk, index), self.world.describe_cell(chunk, index));
                (recorded != found).then_some(CellDifference { cell, recorded, found })
            })
        });
        Divergence { tick: check.tick, agreed, recorded: check.hash, found, chunk, cell }
    }
}
