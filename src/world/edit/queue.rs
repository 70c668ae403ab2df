//! Edits queued for the end of the tick underway, and their outcomes.

use crate::edit_queue::{EditQueue, EditReport, Ticket, queues};
use crate::limits::{ClientEditError, Limits};
use crate::world::World;
use crate::world::edit::{Edit, Outcome};
use crate::world::rules::error::EditError;

/// The queued edits, and the reports on the edits that were made.
pub(in crate::world) type Queue = EditQueue<Edit, EditReport<Outcome, EditError>>;

queues! {
    /// Queues an edit. It is made when the tick that is underway is complete, or, if no tick is
    /// underway, when the next one begins: in either case by the call that begins a tick, before
    /// that tick. [`take_edit_reports`](World::take_edit_reports) reports its outcome by ticket.
    ///
    /// An edit that is made directly completes the tick that is underway; a queued one does not, so
    /// a game that queues its edits keeps its frame budget. Edits are made in the order in which
    /// they were queued. Before an edit is made directly, all queued edits are made.
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
    World, |world| chunks: world.ground.chunk_count(), water: world.water
}
