//! Edits in line for the end of the tick that is underway, and what became of them.

use super::World;
use super::error::EditError;
use super::values::{Edit, Outcome};
use crate::automaton::StateHash;
use std::collections::VecDeque;

/// What became of an edit that was [queued](World::queue).
#[derive(Clone, Debug, PartialEq)]
pub struct EditReport {
    /// What [`World::queue`] returned.
    pub ticket: u64,
    /// The number of complete ticks when the edit was made.
    pub tick: u64,
    /// What the edit came to, or why it was refused. A refused edit changed nothing.
    pub result: Result<Outcome, EditError>,
}

/// The edits that wait, and the reports on those that were made.
#[derive(Default)]
pub(super) struct Queue {
    /// In the order in which they are made.
    waiting: VecDeque<Edit>,
    /// While a tick has begun: how many of the first come before it. The others come after it.
    due: usize,
    /// Whether the next tick has begun: from now on, edits come after it.
    has_begun: bool,
    /// The ticket of the first that waits.
    ticket: u64,
    reports: Vec<EditReport>,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Begins a tick, unless one has begun: edits queued until now come before it.
    pub(super) fn begin_tick(&mut self) {
        if !self.has_begun {
            (self.has_begun, self.due) = (true, self.waiting.len());
        }
    }

    pub(super) fn end_tick(&mut self) {
        self.has_begun = false;
    }

    /// Returns how many edits come before the tick that has begun.
    pub(super) fn due(&self) -> usize {
        if self.has_begun { self.due } else { 0 }
    }

    /// Returns the edits that wait, and how many of the first come before the next tick of a world
    /// that is loaded.
    pub(super) fn saved(&self) -> (usize, impl ExactSizeIterator<Item = &Edit>) {
        let before = if self.has_begun { self.due } else { self.waiting.len() };
        (before, self.waiting.iter())
    }

    /// Returns the queue of a loaded world: these edits, of which the first `before` come before
    /// the next tick, or all of them after the tick that has begun.
    #[cfg(feature = "snapshot")]
    pub(super) fn restored(is_underway: bool, before: usize, waiting: VecDeque<Edit>) -> Queue {
        let has_begun = is_underway || before < waiting.len();
        Queue { waiting, due: before, has_begun, ..Queue::default() }
    }

    /// Adds what waits, if anything does: it decides the future.
    pub(super) fn hash(&self, hash: &mut StateHash) {
        if self.is_empty() {
            return;
        }
        let (before, edits) = self.saved();
        hash.add(before as u64);
        for edit in edits {
            let bytes = edit.to_bytes();
            hash.add(bytes.len() as u64);
            bytes.iter().for_each(|&byte| hash.add(byte.into()));
        }
    }

    /// Returns the bytes of the lists; what is in edits and reports of chunks is not counted.
    pub(super) fn memory_bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Edit>()
            + self.reports.capacity() * size_of::<EditReport>()
    }
}

impl World {
    /// Puts an edit in line. It is made when the tick that is underway is complete, or if there is
    /// none, when the next one begins: in any case by the call that begins a tick, before that
    /// tick. Returns a ticket: 0 for the first edit ever queued, then 1, and so on;
    /// [`take_edit_reports`](World::take_edit_reports) tells by ticket what became of it.
    ///
    /// An edit that is made directly completes the tick that is underway; a queued one does not, so
    /// a game that queues its edits keeps its frame budget. Edits are made in the order in which
    /// they were queued, and one that is made directly has those that wait made first.
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::world::{Content, Edit, MaterialId, Outcome, Palette, Rules, World};
    ///
    /// let (air, rock) = (MaterialId(0), MaterialId(1));
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// world.insert_chunk(IVec3::ZERO, Content::from_fn(IVec3::ZERO, |_| air))?;
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
    pub fn queue(&mut self, edit: Edit) -> u64 {
        self.queue.waiting.push_back(edit);
        self.queue.ticket + (self.queue.waiting.len() - 1) as u64
    }

    /// Returns the edits that wait, in order; see [`queue`](World::queue).
    pub fn queued_edits(&self) -> impl ExactSizeIterator<Item = &Edit> {
        self.queue.waiting.iter()
    }

    /// Returns what became of the queued edits that were made since the last call, in the order in
    /// which they were made.
    pub fn take_edit_reports(&mut self) -> Vec<EditReport> {
        core::mem::take(&mut self.queue.reports)
    }

    /// Makes the first edit that waits, between ticks. Returns the cells that it counts for.
    pub(super) fn make_next_edit(&mut self) -> u64 {
        // For the edit itself, nothing waits and no tick has begun.
        let mut queue = core::mem::take(&mut self.queue);
        let mut cells = 0;
        if let Some(edit) = queue.waiting.pop_front() {
            cells = edit.cells();
            let (ticket, tick) = (queue.ticket, self.tick);
            let result = self.apply(edit);
            if result.is_err() {
                cells = 1;
            }
            queue.reports.push(EditReport { ticket, tick, result });
            queue.ticket += 1;
            queue.due = queue.due.saturating_sub(1);
        }
        self.queue = queue;
        cells
    }

    /// Makes all edits that wait, after completing the tick that has begun.
    pub(super) fn make_queued_edits(&mut self) {
        if self.queue.is_empty() {
            return;
        }
        self.finish_tick();
        while !self.queue.is_empty() {
            self.make_next_edit();
        }
    }
}
