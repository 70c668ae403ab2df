//! Edits queued for the end of the tick underway, and the reports on the edits that were made, for
//! worlds of water and of materials. A world makes its queued edits itself, one by one, as its
//! ticks allow; the macro `queues` gives both kinds of world the same functions for that.

use crate::edit_table::Tabled;
use crate::state_hash::StateHash;
use core::fmt;
use std::collections::VecDeque;

/// The number of a queued edit: 0 for the first edit ever queued in a world, then 1, and so on. The
/// count is saved with the world, and a loaded world continues it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ticket(pub u64);

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The outcome of an edit that was queued, in a [`WaterWorld`](crate::water::WaterWorld::queue) or
/// a [`World`](crate::world::World::queue).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EditReport<O, E> {
    /// The ticket that `queue` returned.
    pub ticket: Ticket,
    /// The number of complete ticks when the edit was made.
    pub tick: u64,
    /// The outcome of the edit, or why it was refused. A refused edit changed nothing.
    pub result: Result<O, E>,
}

/// The part of a queue that is saved.
pub(crate) struct Waiting<I> {
    /// The ticket of the next edit to be made.
    #[cfg(feature = "snapshot")]
    pub(crate) first: Ticket,
    /// The number of the edits that a loaded world makes before its next tick.
    pub(crate) before: usize,
    /// The edits that wait, in order.
    pub(crate) edits: I,
}

/// The edits that wait, and the reports on the edits that were made.
pub(crate) struct EditQueue<E, R> {
    /// The edits that wait, in the order in which they are made.
    waiting: VecDeque<E>,
    /// While a tick has begun, the number of waiting edits, from the first on, that come before it.
    /// The other edits come after it.
    due: usize,
    /// Whether the next tick has begun. An edit queued from then on comes after it.
    has_begun: bool,
    /// The number of edits that were made, which is the ticket of the first waiting edit.
    made: u64,
    reports: Vec<R>,
}

impl<E, R> Default for EditQueue<E, R> {
    fn default() -> Self {
        let (waiting, reports) = (VecDeque::new(), Vec::new());
        EditQueue { waiting, due: 0, has_begun: false, made: 0, reports }
    }
}

impl<E, R> EditQueue<E, R> {
    /// Queues an edit. Returns its ticket.
    pub(crate) fn push(&mut self, edit: E) -> Ticket {
        self.waiting.push_back(edit);
        Ticket(self.made + (self.waiting.len() - 1) as u64)
    }

    /// Takes the first edit out, to be made now, with its ticket.
    pub(crate) fn pop(&mut self) -> Option<(Ticket, E)> {
        let edit = self.waiting.pop_front()?;
        let ticket = Ticket(self.made);
        self.made += 1;
        self.due = self.due.saturating_sub(1);
        Some((ticket, edit))
    }

    /// Keeps the report on an edit that was made.
    pub(crate) fn report(&mut self, report: R) {
        self.reports.push(report);
    }

    pub(crate) fn take_reports(&mut self) -> Vec<R> {
        core::mem::take(&mut self.reports)
    }

    pub(crate) fn reports(&self) -> &[R] {
        &self.reports
    }

    /// Returns the edits that wait, in order.
    pub(crate) fn waiting(&self) -> impl ExactSizeIterator<Item = &E> {
        self.waiting.iter()
    }

    /// Returns the number of queued edits and of untaken reports together.
    pub(crate) fn all(&self) -> usize {
        self.waiting.len() + self.reports.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns whether a tick has begun and is not complete.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Begins a tick, unless one has begun. The edits queued until now come before it.
    pub(crate) fn begin_tick(&mut self) {
        if !self.has_begun {
            (self.has_begun, self.due) = (true, self.waiting.len());
        }
    }

    /// Ends the tick that has begun.
    pub(crate) fn end_tick(&mut self) {
        self.has_begun = false;
    }

    /// Returns the number of edits that come before the tick that has begun.
    pub(crate) fn due(&self) -> usize {
        if self.has_begun { self.due } else { 0 }
    }

    /// Returns the saved state of the queue.
    pub(crate) fn saved(&self) -> Waiting<impl ExactSizeIterator<Item = &E>> {
        let before = if self.has_begun { self.due } else { self.waiting.len() };
        Waiting {
            #[cfg(feature = "snapshot")]
            first: Ticket(self.made),
            before,
            edits: self.waiting.iter(),
        }
    }

    /// Returns the queue of a loaded world. If a tick is underway, all edits come after that tick.
    #[cfg(feature = "snapshot")]
    pub(crate) fn restored(is_underway: bool, saved: Waiting<VecDeque<E>>) -> Self {
        let Waiting { first, before, edits: waiting } = saved;
        let has_begun = is_underway || before < waiting.len();
        EditQueue { waiting, due: before, has_begun, made: first.0, reports: Vec::new() }
    }

    /// Adds the bytes of the waiting edits, if there are any, because they decide the future.
    pub(crate) fn hash(&self, hash: &mut StateHash, bytes: impl Fn(&E) -> Vec<u8>) {
        if self.is_empty() {
            return;
        }
        let Waiting { before, edits, .. } = self.saved();
        hash.add(before as u64);
        for bytes in edits.map(bytes) {
            hash.add(bytes.len() as u64);
            bytes.iter().for_each(|&byte| hash.add(byte.into()));
        }
    }

    /// Returns the heap memory of the lists and of the edits in bytes, without the memory that
    /// reports hold.
    pub(crate) fn memory_bytes(&self) -> usize
    where
        E: Tabled,
    {
        self.waiting.capacity() * size_of::<E>()
            + self.waiting.iter().map(E::heap_bytes).sum::<usize>()
            + self.reports.capacity() * size_of::<R>()
    }
}

/// Implements the queue of a world: `queue` with its docs, its other functions for games, and the
/// functions that make waiting edits one by one. `$chunks` is the number of loaded chunks, and
/// `$water` the world of water in which edits search.
macro_rules! queues {
    (
        $(#[$about:meta])*
        $world:ident, |$this:ident| chunks: $chunks:expr, water: $water:expr
    ) => {
        impl $world {
            $(#[$about])*
            pub fn queue(&mut self, edit: Edit) -> Ticket {
                self.queue.push(edit)
            }

            /// Queues an edit that a client has sent, if it keeps within the limits, including the
            /// limit on waiting edits and reports; see [`queue`](Self::queue).
            ///
            /// # Errors
            /// The bytes are no edit, the edit breaks a limit, or too many edits and reports wait.
            /// If the world refuses the edit, the report on it says so.
            pub fn queue_bytes(
                &mut self,
                bytes: &[u8],
                limits: &Limits,
            ) -> Result<Ticket, ClientEditError<EditError>> {
                limits.check_waiting(self.queue.all())?;
                Ok(self.queue(limits.read(bytes)?))
            }

            /// Returns the edits that wait, in order; see [`queue`](Self::queue).
            pub fn queued_edits(&self) -> impl ExactSizeIterator<Item = &Edit> {
                self.queue.waiting()
            }

            /// Returns the outcomes of the queued edits that were made since the last call, in the
            /// order in which they were made. Until the next call, each report takes about 60
            /// bytes, and the report of an unloaded chunk also the chunk's memory: a game that
            /// queues edits should call this now and then.
            pub fn take_edit_reports(&mut self) -> Vec<EditReport<Outcome, EditError>> {
                self.queue.take_reports()
            }

            /// Makes the first waiting edit. To be called between ticks only. Returns the cells
            /// that the edit costs in a budget.
            pub(crate) fn make_next_edit(&mut self) -> u64 {
                // While the edit is made, the queue is empty and no tick has begun.
                let mut queue = core::mem::take(&mut self.queue);
                let mut cells = 0;
                if let Some((ticket, edit)) = queue.pop() {
                    let $this = &mut *self;
                    cells = $crate::edit_table::Tabled::scope(&edit).cells($chunks);
                    $water.take_searched();
                    let tick = self.tick;
                    let result = self.apply(edit);
                    if result.is_err() {
                        cells = 1;
                    }
                    let $this = &mut *self;
                    cells += $water.take_searched();
                    queue.report(EditReport { ticket, tick, result });
                }
                self.queue = queue;
                cells
            }

            /// Makes all waiting edits, after completing the tick that has begun: a direct edit
            /// comes after the edits queued before it.
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
    };
}
pub(crate) use queues;
