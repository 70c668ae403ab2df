//! Edits in line for the end of the tick that is underway, and what became of them.

use crate::automaton::StateHash;
use crate::water::edit::{Edit, EditError, Outcome};
use crate::water::{ChunkRecord, WaterWorld};
use std::collections::VecDeque;

/// What became of an edit that was [queued](WaterWorld::queue).
#[derive(Clone, Debug, PartialEq)]
pub struct EditReport {
    /// What [`WaterWorld::queue`] returned.
    pub ticket: u64,
    /// The number of complete ticks when the edit was made.
    pub tick: u64,
    /// What the edit came to, or why it was refused. A refused edit changed nothing.
    pub result: Result<Outcome, EditError>,
}

/// The edits that wait, and the reports on those that were made.
#[derive(Default)]
pub(crate) struct Queue {
    /// In the order in which they are made.
    waiting: VecDeque<Edit>,
    /// While a tick has begun: how many of the first come before it. The others come after it.
    due: usize,
    /// Whether the next tick has begun: from now on, edits come after it.
    has_begun: bool,
    /// The ticket of the first that waits.
    ticket: u64,
    reports: Vec<EditReport>,
    /// The cells that displaced water has looked at for room.
    searched: u64,
}

impl Queue {
    /// Records that displaced water has looked at so many cells for room.
    pub(super) fn note_search(&mut self, cells: u64) {
        self.searched += cells;
    }

    /// Returns whether a tick has begun and is not complete.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Begins a tick, unless one has begun: edits queued until now come before it.
    pub(crate) fn begin_tick(&mut self) {
        if !self.has_begun {
            (self.has_begun, self.due) = (true, self.waiting.len());
        }
    }

    /// Ends the tick that has begun.
    pub(crate) fn end_tick(&mut self) {
        self.has_begun = false;
    }

    /// Returns how many edits come before the tick that has begun.
    pub(crate) fn due(&self) -> usize {
        if self.has_begun { self.due } else { 0 }
    }

    /// Returns the edits that wait, and how many of the first come before the next tick of a world
    /// that is loaded: a loaded world is between two ticks.
    pub(crate) fn saved(&self) -> (usize, impl ExactSizeIterator<Item = &Edit>) {
        let before = if self.has_begun { self.due } else { self.waiting.len() };
        (before, self.waiting.iter())
    }

    /// Returns the queue of a loaded world: these edits, of which the first `before` come before
    /// the next tick.
    #[cfg(feature = "snapshot")]
    pub(crate) fn restored(before: usize, waiting: VecDeque<Edit>) -> Queue {
        let has_begun = before < waiting.len();
        Queue { waiting, due: before, has_begun, ..Queue::default() }
    }

    /// Adds what waits, if anything does: it decides the future.
    pub(crate) fn hash(&self, hash: &mut StateHash) {
        let (before, edits) = self.saved();
        if self.is_empty() {
            return;
        }
        hash.add(before as u64);
        for edit in edits {
            let bytes = edit.to_bytes();
            hash.add(bytes.len() as u64);
            bytes.iter().for_each(|&byte| hash.add(byte.into()));
        }
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        let removed = |report: &EditReport| match &report.result {
            Ok(Outcome::Removed(chunk)) => chunk.heap_bytes(),
            Ok(Outcome::Records(records)) => heap_bytes(records),
            _ => 0,
        };
        self.waiting.capacity() * size_of::<Edit>()
            + self.waiting.iter().map(Edit::heap_bytes).sum::<usize>()
            + self.reports.capacity() * size_of::<EditReport>()
            + self.reports.iter().map(removed).sum::<usize>()
    }
}

impl Edit {
    /// Returns the bytes held on the heap.
    fn heap_bytes(&self) -> usize {
        match self {
            Edit::InsertChunk { chunk, .. } => chunk.heap_bytes(),
            Edit::InsertChunks(chunks) => {
                size_of_val(&chunks[..])
                    + chunks.iter().map(|(_, chunk)| chunk.heap_bytes()).sum::<usize>()
            }
            Edit::RemoveChunks(positions) | Edit::Freeze(positions) | Edit::Thaw(positions) => {
                size_of_val(&positions[..])
            }
            Edit::InsertRecords(records) => heap_bytes(records),
            _ => 0,
        }
    }
}

/// Returns the bytes that records hold on the heap, their list among them.
fn heap_bytes(records: &[ChunkRecord]) -> usize {
    size_of_val(records) + records.iter().map(ChunkRecord::memory_bytes).sum::<usize>()
}

impl WaterWorld {
    /// Puts an edit in line. It is made when the tick that is underway is complete, or if there is
    /// none, at once when the next one begins: in any case by the call that begins a tick, before
    /// that tick. Returns a ticket: 0 for the first edit ever queued, then 1, and so on; in a loaded
    /// world, 0 for the first that waits. [`take_edit_reports`](WaterWorld::take_edit_reports) tells
    /// by ticket what became of it.
    ///
    /// An edit that is made directly completes the tick that is underway, however long that takes.
    /// A queued edit does not, so a game that queues its edits keeps its frame budget. Edits are
    /// made in the order in which they were queued, and those queued while a tick is underway come
    /// after that tick, so the bytes do not depend on the slices in which it is done. What a queued
    /// edit would read is not known before it is made: it may be refused then.
    ///
    /// Each edit counts in [`step_within`](WaterWorld::step_within) for the cells of its region or
    /// chunks, or for one, and for those in which [displaced](WaterWorld::set_solid) water looks for
    /// room. It is made in one piece. Divide edits of large regions.
    ///
    /// An edit that is made directly while others wait comes after them: it has all of them made
    /// first. State hashes and snapshots contain the edits that wait. In a loaded world, those
    /// that were queued while a tick was underway still come after that tick; they may have been
    /// promised to a player. Reports are not saved.
    ///
    /// ```
    /// use floodplain::water::{Edit, Outcome, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.add_source(IVec3::new(8, 15, 8))?;
    /// world.run(40);
    ///
    /// assert!(!world.step_within(20).finished);
    /// let ticket = world.queue(Edit::SetSolid(IVec3::new(2, 3, 4)));
    /// while !world.step_within(20).finished {}
    /// assert!(!world.is_solid(IVec3::new(2, 3, 4)), "it comes before the next tick");
    /// world.step_within(20);
    /// assert!(world.is_solid(IVec3::new(2, 3, 4)));
    /// let reports = world.take_edit_reports();
    /// assert_eq!((reports[0].ticket, reports[0].tick), (ticket, 41));
    /// assert_eq!(reports[0].result, Ok(Outcome::Displaced(Default::default())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn queue(&mut self, edit: Edit) -> u64 {
        self.queue.waiting.push_back(edit);
        self.queue.ticket + (self.queue.waiting.len() - 1) as u64
    }

    /// Returns the edits that wait, in order; see [`queue`](WaterWorld::queue).
    pub fn queued_edits(&self) -> impl ExactSizeIterator<Item = &Edit> {
        self.queue.waiting.iter()
    }

    /// Returns what became of the queued edits that were made since the last call, in the order in
    /// which they were made. Until the next call, each report takes some 60 bytes, and one of an
    /// unloaded chunk that chunk: a game that queues edits should call this now and then.
    pub fn take_edit_reports(&mut self) -> Vec<EditReport> {
        core::mem::take(&mut self.queue.reports)
    }

    /// Makes the first edit that waits, which must be between ticks. Returns the cells that it
    /// counts for.
    pub(crate) fn make_next_edit(&mut self) -> u64 {
        // For the edit itself, nothing waits and no tick has begun.
        let mut queue = core::mem::take(&mut self.queue);
        let mut cells = 0;
        if let Some(edit) = queue.waiting.pop_front() {
            cells = self.cells_of(&edit);
            let (ticket, tick) = (queue.ticket, self.tick);
            let result = self.apply(edit);
            if result.is_err() {
                cells = 1;
            }
            cells += self.queue.searched;
            queue.reports.push(EditReport { ticket, tick, result });
            queue.ticket += 1;
            queue.due = queue.due.saturating_sub(1);
        }
        self.queue = queue;
        cells
    }

    /// Makes all edits that wait, after completing the tick that has begun: what is edited directly
    /// comes after what was queued before.
    pub(crate) fn make_queued_edits(&mut self) {
        if self.queue.is_empty() {
            return;
        }
        self.finish_tick();
        while !self.queue.is_empty() {
            self.make_next_edit();
        }
    }
}
