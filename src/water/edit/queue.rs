//! Edits queued for the end of the tick underway, and their outcomes.

use crate::codec::Field;
use crate::edit_queue::{EditQueue, EditReport, Ticket};
use crate::edit_table::Tabled;
use crate::limits::{ClientEditError, Limits};
use crate::water::WaterWorld;
use crate::water::edit::{Edit, EditError, Outcome};

/// The edits that wait, and the reports on those that were made.
pub(crate) type Queue = EditQueue<Edit, EditReport<Outcome, EditError>>;

/// Returns the bytes that a queue holds on the heap.
pub(crate) fn memory_bytes(queue: &Queue) -> usize {
    let removed = |report: &EditReport<Outcome, EditError>| match &report.result {
        Ok(Outcome::Removed(chunk)) => chunk.heap_bytes(),
        Ok(Outcome::Records(records)) => records.heap_bytes(),
        _ => 0,
    };
    queue.memory_bytes() + queue.reports().iter().map(removed).sum::<usize>()
}

impl WaterWorld {
    /// Queues an edit. It is made when the tick that is underway is complete, or if there is none,
    /// at once when the next one begins: in any case by the call that begins a tick, before that
    /// tick. [`take_edit_reports`](WaterWorld::take_edit_reports) reports its outcome by ticket.
    ///
    /// An edit that is made directly completes the tick that is underway, however long that takes.
    /// A queued edit does not, so a game that queues its edits keeps its frame budget. Edits are
    /// made in the order in which they were queued, and those queued while a tick is underway come
    /// after that tick, so the bytes do not depend on the slices in which it is done. What a queued
    /// edit would read is not known before it is made: it may be refused then.
    ///
    /// Each edit counts in [`step_within`](WaterWorld::step_within) for the cells of its region or
    /// chunks, or for one, and for those in which [displaced](WaterWorld::set_solid) water looks
    /// for room, or of a [body](WaterWorld::drain_body) that are visited. It is made in one
    /// piece. Divide edits of large regions.
    ///
    /// An edit that is made directly while others wait comes after them: it has all of them made
    /// first. State hashes and snapshots contain the edits that wait. In a loaded world, those
    /// that were queued while a tick was underway still come after that tick; they may have been
    /// promised to a player. Reports are not saved.
    ///
    /// ```
    /// use floodplain::water::{Edit, Outcome, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
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
    pub fn queue(&mut self, edit: Edit) -> Ticket {
        self.queue.push(edit)
    }

    /// Queues an edit that a client has sent, if it keeps within the limits, also on the edits and
    /// reports that wait; see [`queue`](WaterWorld::queue).
    ///
    /// # Errors
    /// The bytes are no edit, it breaks a limit, or too many wait. Whether the world refuses it is
    /// in its report.
    pub fn queue_bytes(
        &mut self,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Ticket, ClientEditError<EditError>> {
        limits.check_waiting(self.queue.all())?;
        Ok(self.queue(limits.read(bytes)?))
    }

    /// Returns the edits that wait, in order; see [`queue`](WaterWorld::queue).
    pub fn queued_edits(&self) -> impl ExactSizeIterator<Item = &Edit> {
        self.queue.waiting()
    }

    /// Returns the outcomes of the queued edits that were made since the last call, in the order in
    /// which they were made. Until the next call, each report takes about 60 bytes, and the report
    /// of an unloaded chunk also the chunk's memory: a game that queues edits should call this now
    /// and then.
    pub fn take_edit_reports(&mut self) -> Vec<EditReport<Outcome, EditError>> {
        self.queue.take_reports()
    }

    /// Makes the first edit that waits, which must be between ticks. Returns the cells that it
    /// counts for.
    pub(crate) fn make_next_edit(&mut self) -> u64 {
        // For the edit itself, nothing waits and no tick has begun.
        let mut queue = core::mem::take(&mut self.queue);
        let mut cells = 0;
        if let Some((ticket, edit)) = queue.pop() {
            cells = edit.scope().cells(self.store.grid().chunk_count());
            self.take_searched();
            let tick = self.tick;
            let result = self.apply(edit);
            if result.is_err() {
                cells = 1;
            }
            cells += self.take_searched();
            queue.report(EditReport { ticket, tick, result });
        }
        self.queue = queue;
        cells
    }

    /// Returns the number of cells that edits have searched since the last call, for room for
    /// displaced water or through a body.
    pub(crate) fn take_searched(&mut self) -> u64 {
        core::mem::take(&mut self.searched)
    }

    /// Makes all edits that wait, after completing the tick that has begun: a direct edit comes
    /// after the edits queued before it.
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
