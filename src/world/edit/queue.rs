//! Edits queued for the end of the tick underway, and their outcomes.

use crate::edit_queue::{EditQueue, EditReport, Ticket};
use crate::edit_table::Tabled;
use crate::limits::{ClientEditError, Limits};
use crate::world::World;
use crate::world::edit::{Edit, Outcome};
use crate::world::rules::error::EditError;

/// The edits that wait, and the reports on those that were made.
pub(in crate::world) type Queue = EditQueue<Edit, EditReport<Outcome, EditError>>;

impl World {
    /// Queues an edit. It is made when the tick that is underway is complete, or if there is none,
    /// when the next one begins: in any case by the call that begins a tick, before that tick.
    /// [`take_edit_reports`](World::take_edit_reports) reports its outcome by ticket.
    ///
    /// An edit that is made directly completes the tick that is underway; a queued one does not, so
    /// a game that queues its edits keeps its frame budget. Edits are made in the order in which
    /// they were queued, and one that is made directly has those that wait made first.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, Edit, MaterialId, Outcome, Palette, Rules, World};
    ///
    /// let (air, rock) = (MaterialId(0), MaterialId(1));
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// world.insert_chunk(ChunkPos::ZERO, ChunkContent::from_fn(ChunkPos::ZERO, |_| air))?;
    /// let cell = IVec3::new(8, 3, 8);
    /// let ticket = world.queue(Edit::SetMaterial { cell, material: rock });
    /// assert_eq!(world.material(cell), Some(air));
    /// world.step();
    /// assert_eq!(world.material(cell), Some(rock));
    /// let reports = world.take_edit_reports();
    /// assert_eq!((reports[0].ticket, reports[0].tick), (ticket, 0));
    /// assert!(matches!(reports[0].result, Ok(Outcome::Replaced(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn queue(&mut self, edit: Edit) -> Ticket {
        self.queue.push(edit)
    }

    /// Queues an edit that a client has sent, if it keeps within the limits, also on the edits and
    /// reports that wait; see [`queue`](World::queue).
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

    /// Returns the edits that wait, in order; see [`queue`](World::queue).
    pub fn queued_edits(&self) -> impl ExactSizeIterator<Item = &Edit> {
        self.queue.waiting()
    }

    /// Returns the outcomes of the queued edits that were made since the last call, in the order in
    /// which they were made.
    pub fn take_edit_reports(&mut self) -> Vec<EditReport<Outcome, EditError>> {
        self.queue.take_reports()
    }

    /// Makes the first edit that waits, between ticks. Returns the cells that it counts for.
    pub(in crate::world) fn make_next_edit(&mut self) -> u64 {
        // For the edit itself, nothing waits and no tick has begun.
        let mut queue = core::mem::take(&mut self.queue);
        let mut cells = 0;
        if let Some((ticket, edit)) = queue.pop() {
            cells = edit.scope().cells(self.ground.chunk_count());
            self.water.take_searched();
            let tick = self.tick;
            let result = self.apply(edit);
            if result.is_err() {
                cells = 1;
            }
            cells += self.water.take_searched();
            queue.report(EditReport { ticket, tick, result });
        }
        self.queue = queue;
        cells
    }

    /// Makes all edits that wait, after completing the tick that has begun.
    pub(in crate::world) fn make_queued_edits(&mut self) {
        if self.queue.is_empty() {
            return;
        }
        self.finish_tick();
        while !self.queue.is_empty() {
            self.make_next_edit();
        }
    }
}
