//! Edits queued for the end of the tick underway, and their outcomes.

use crate::codec::Field;
use crate::edit_queue::{EditQueue, EditReport, Ticket, queues};
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

queues! {
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
    WaterWorld, |world| chunks: world.store.grid().chunk_count(), water: world
}
