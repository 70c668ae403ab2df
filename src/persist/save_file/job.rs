//! A save of a streamed world that was prepared on the thread of the game, to be written on another
//! one: the chunks that may have changed, copied.

use super::contents::Contents;
use super::streamed::Streamed;
use crate::coords::ChunkPos;
use crate::snapshot::Saved;
use crate::water::{Since, WaterWorld};
use core::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far the jobs of a [`Stream`](super::Stream) have come; shared by it and its jobs.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The number of the last job that is on the disk; the first is 1.
    committed: AtomicU64,
    /// Whether a job was not written since the last one was prepared, so that the next must hold
    /// the whole world.
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

/// The turns of the saves of a file: each takes the next one when its world is read, whichever
/// stream prepares it. Shared by a file and its streams.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<AtomicU64>);

impl Turns {
    /// Returns the next one; the first is 1.
    pub(super) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// A save of a whole world, prepared by no stream, on which the first job of a stream is based.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// Tells the save from others.
    save: Arc<()>,
    /// When it was made.
    pub(super) since: Since,
}

impl Base {
    /// Returns a base for the present state of a world, if it notes the chunks touched from now on.
    pub(super) fn of<W: Saved>(world: &W) -> Option<Base> {
        world.since_now().map(|since| Base { save: Arc::default(), since })
    }
}

/// A chunk that was copied, by its position.
pub(super) type Copied<W> = (ChunkPos, <W as Streamed>::Copy);

/// A save that [`Stream::prepare`](super::Stream::prepare) has copied from a world, and that
/// [`SaveFile::commit`](super::SaveFile::commit) writes, on any thread.
///
/// If a job is dropped or fails, the next one holds the whole world.
pub struct SaveJob<W: Streamed = WaterWorld> {
    pub(super) number: u64,
    /// When it was prepared, among all saves of the file.
    pub(super) turn: u64,
    /// Whether it holds the whole world, not only the changes since the job before.
    pub(super) is_whole: bool,
    /// The save that it follows, if it is the first of its stream.
    pub(super) base: Option<Base>,
    pub(super) progress: Arc<Progress>,
    pub(super) rules: Vec<u8>,
    pub(super) state: Vec<u8>,
    /// Of all loaded chunks, in no order.
    pub(super) positions: Vec<ChunkPos>,
    /// The chunks that may have changed, in no order.
    pub(super) touched: Vec<Copied<W>>,
    /// How many of these were not copied ahead.
    pub(super) copied: usize,
    pub(super) unloaded: Vec<Arc<W::Record>>,
    /// Unloaded chunks that have left the file.
    pub(super) taken: Vec<ChunkPos>,
}

impl<W: Streamed> SaveJob<W> {
    /// Returns the number of loaded chunks that the job holds: those that may have changed since
    /// the job before.
    pub fn chunks(&self) -> usize {
        self.touched.len()
    }

    /// Returns the number of its chunks that were copied when it was prepared, not
    /// [ahead](super::Stream::copy_ahead).
    pub fn chunks_copied(&self) -> usize {
        self.copied
    }

    /// Returns whether the job can be written after that of a number, 0 for none, when the file has
    /// the save of a turn.
    pub(super) fn follows(&self, progress: &Arc<Progress>, number: u64, turn: u64) -> bool {
        let is_next = Arc::ptr_eq(progress, &self.progress) && self.number == number + 1;
        is_next || self.is_whole && self.turn > turn
    }

    /// Returns whether the job is the first of its stream and can be written after a save.
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

    /// Tells the stream that the job is on the disk.
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
