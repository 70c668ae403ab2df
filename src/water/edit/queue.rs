//! Edits queued for the end of the tick underway, and their outcomes.

use crate::codec::Field;
use crate::edit_queue::{EditQueue, EditReport, Ticket, queues};
use crate::limits::{ClientEditError, Limits};
use crate::water::WaterWorld;
use crate::water::edit::{Edit, EditError, Outcome};

/// The edits that wait, and the reports on edits that have been made.
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
    /// Queues an edit, and returns its ticket. The edit is made after the tick that is underway, if
    /// any, and before the next tick, by the call that begins that next tick.
    /// [`take_edit_reports`](WaterWorld::take_edit_reports) reports the outcome by ticket.
    ///
    /// An edit that is made directly completes the tick that is underway, however long that takes.
    /// A queued edit does not, so a game that queues its edits keeps its frame budget. Edits are
    /// made in the order in which they were queued, and edits queued while a tick is underway come
    /// after that tick, so the bytes do not depend on the slices in which the tick is done. A
    /// queued edit is checked only when it is made: it may be refused then.
    ///
    /// In [`step_within`](WaterWorld::step_within), each edit counts for the cells of its region or
    /// chunks, or else for one cell, plus the cells visited in search of room for
    /// [displaced](WaterWorld::set_solid) water or through a [body](WaterWorld::drain_body). It is
    /// made in one piece, so divide edits of large regions.
    ///
    /// A direct edit first makes all edits that wait in the queue. State hashes and snapshots
    /// contain the edits that wait. In a loaded world, edits that were queued while a tick was
    /// underway still come after that tick, since they may have been promised to a player. Reports
    /// are not saved.
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
