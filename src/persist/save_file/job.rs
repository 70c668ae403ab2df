//! A save of a streamed world, prepared on the thread of the game and to be written on another one.
//! It holds copies of the chunks that may have changed.

use super::contents::Contents;
use super::streamed::Streamed;
use crate::coords::ChunkPos;
use crate::snapshot::Saved;
use crate::water::{Since, WaterWorld};
use core::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far the jobs of a [`Stream`](super::Stream) have come. The stream and its jobs share it.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The number of the last job that is on the disk; the first is 1.
    committed: AtomicU64,
    /// Whether a job has been dropped without being written since the last job was prepared, so
    /// that the next job must hold the whole world.
    has_failed: AtomicBool,
}

impl Progress {
    /// Returns the number of the last job that is on the disk, 0 for none.
    pub(super) fn committed(&self) -> u64 {
        self.committed.load(Ordering::Acquire)
    }

    /// Returns whether a job has failed since the last call.
    pub(super) fn take_failure(&self) -> bool {
        self.has_failed.swap(false, Ordering::AcqRel)
    }
}

/// The turns of the saves of a file: each save takes the next turn when its world is read,
/// whichever stream prepares it. A file and its streams share the turns.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<AtomicU64>);

impl Turns {
    /// Returns the next turn; the first is 1.
    pub(super) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// A save of a whole world, prepared by no stream, on which the first job of a stream is based.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// The identity of the save.
    save: Arc<()>,
    /// The time of the save.
    pub(super) since: Since,
}

impl Base {
    /// Returns a base for the present state of a world, if the world notes the chunks touched from
    /// now on.
    pub(super) fn of<W: Saved>(world: &W) -> Option<Base> {
        world.since_now().map(|since| Base { save: Arc::default(), since })
    }
}

/// The position and the copy of a chunk.
pub(super) type Copied<W> = (ChunkPos, <W as Streamed>::Copy);

/// A save that [`Stream::prepare`](super::Stream::prepare) has copied from a world, and that
/// [`SaveFile::commit`](super::SaveFile::commit) writes, on any thread.
///
/// If a job is dropped or fails, the next job that is prepared holds the whole world.
pub struct SaveJob<W: Streamed = WaterWorld> {
    pub(super) number: u64,
    /// The turn of the job among all saves of the file.
    pub(super) turn: u64,
    /// Whether the job holds the whole world, not only the changes since the job before.
    pub(super) is_whole: bool,
    /// The save that the job follows, if the job is the first of its stream.
    pub(super) base: Option<Base>,
    pub(super) progress: Arc<Progress>,
    pub(super) rules: Vec<u8>,
    pub(super) state: Vec<u8>,
    /// The positions of all loaded chunks, in no order.
    pub(super) positions: Vec<ChunkPos>,
    /// The chunks that may have changed, in no order.
    pub(super) touched: Vec<Copied<W>>,
    /// The number of touched chunks that were not copied ahead.
    pub(super) copied: usize,
    pub(super) unloaded: Vec<Arc<W::Record>>,
    /// Unloaded chunks that were taken from the stream, whose records the save removes from the
    /// file.
    pub(super) taken: Vec<ChunkPos>,
}

impl<W: Streamed> SaveJob<W> {
    /// Returns the number of loaded chunks that the job holds: the chunks that may have changed
    /// since the job before.
    pub fn chunks(&self) -> usize {
        self.touched.len()
    }

    /// Returns the number of chunks that were copied when the job was prepared, not
    /// [ahead](super::Stream::copy_ahead).
    pub fn chunks_copied(&self) -> usize {
        self.copied
    }

    /// Returns whether the job can be written after the job `number` of the stream of `progress` (0
    /// for none), to a file whose last save is that of `turn`.
    pub(super) fn follows(&self, progress: &Arc<Progress>, number: u64, turn: u64) -> bool {
        let is_next = Arc::ptr_eq(progress, &self.progress) && self.number == number + 1;
        is_next || self.is_whole && self.turn > turn
    }

    /// Returns whether the job is the first of its stream and can be written after `save`.
    pub(super) fn is_first_after(&self, save: Option<&Base>) -> bool {
        let of_job = self.base.as_ref();
        of_job.zip(save).is_some_and(|(base, save)| Arc::ptr_eq(&base.save, &save.save))
    }

    /// Returns the contents to write.
    pub(super) fn contents(&mut self) -> Contents<'_> {
        self.positions.sort_unstable();
        self.touched.sort_unstable_by_key(|&(position, _)| position);
        let mut touched = self.touched.iter().peekable();
        let record = move |position: ChunkPos, out: &mut Vec<u8>| {
            let chunk = touched.next_if(|(touched, _)| *touched == position);
            chunk.map(|(_, chunk)| W::put_copy(chunk, out)).is_some()
        };
        let unloaded =
            self.unloaded.iter().map(|record| (W::position_of(record), W::bytes_of(record)));
        Contents {
            rules: core::mem::take(&mut self.rules),
            state: core::mem::take(&mut self.state),
            positions: core::mem::take(&mut self.positions),
            record: Box::new(record),
            unloaded: Box::new(unloaded),
            taken: &self.taken,
        }
    }

    /// Notes for the stream that the job is on the disk.
    pub(super) fn succeed(self) {
        self.progress.committed.store(self.number, Ordering::Release);
    }
}

impl<W: Streamed> fmt::Debug for SaveJob<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chunks = self.touched.len();
        let job = &mut f.debug_struct("SaveJob");
        job.field("number", &self.number).field("chunks", &chunks).finish_non_exhaustive()
    }
}

impl<W: Streamed> Drop for SaveJob<W> {
    fn drop(&mut self) {
        if self.progress.committed() < self.number {
            self.progress.has_failed.store(true, Ordering::Release);
        }
    }
}
