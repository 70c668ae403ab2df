//! Queued edits against the same edits made by hand between ticks.

use crate::edit_bytes::sent;
use floodplain::snapshot::Saved;
use floodplain::testing::{Op, Watch};
use floodplain::world::World;
use floodplain::{EditReport, EditValue, Ticket};
use floodplain::{water, world};
use std::collections::VecDeque;
use std::fmt::Debug;

/// A world with a line of edits.
pub trait Queues: Watch<Edit: EditValue> + Saved {
    /// What became of an edit.
    type Report: Debug;
    /// Whether those that wait are made before an edit that is refused, too, whatever is wrong with
    /// it. In water some are refused at sight.
    const MAKES_BEFORE_REFUSED: bool;

    fn queue(&mut self, edit: Self::Edit) -> Ticket;
    /// Whether the tick is complete.
    fn slice(&mut self, budget: u64) -> bool;
    fn take_reports(&mut self) -> Vec<Self::Report>;
    /// What is to be reported of an edit that was made by hand after so many ticks.
    fn report(ticket: Ticket, tick: u64, result: Answer<Self>) -> Self::Report;
}

macro_rules! queues {
    ($($world:ty: $kind:ident, $before_refused:literal);+) => {$(
        impl Queues for $world {
            type Report = EditReport<$kind::Outcome, $kind::EditError>;
            const MAKES_BEFORE_REFUSED: bool = $before_refused;

            fn queue(&mut self, edit: $kind::Edit) -> Ticket {
                self.queue(edit)
            }

            fn slice(&mut self, budget: u64) -> bool {
                self.step_within(budget).finished
            }

            fn take_reports(&mut self) -> Vec<Self::Report> {
                self.take_edit_reports()
            }

            fn report(
                ticket: Ticket,
                tick: u64,
                result: Result<$kind::Outcome, $kind::EditError>,
            ) -> Self::Report {
                EditReport { ticket, tick, result }
            }
        }
    )+};
}
queues!(water::WaterWorld: water, false; World: world, true);

/// What an edit came to.
type Answer<W> = Result<<W as Watch>::Outcome, <W as Watch>::Error>;

/// Two equal worlds: one does whole ticks, and gets its edits by hand between them. The other does
/// the same ticks in slices, and has its edits queued after the first slice, or made directly.
struct Pair<W: Queues> {
    by_hand: W,
    queued: W,
    /// Those that are due.
    edits: Vec<W::Edit>,
    /// Of those in line: the ticks before them, and what they came to by hand.
    expected: VecDeque<(u64, Answer<W>)>,
    /// The ticket of the first of them.
    ticket: u64,
    made: usize,
}

/// Makes the edits and ticks in two worlds that are made in the same way. Of edits with another
/// operation than a tick after them the last is made directly, after those that wait. `meanwhile`
/// may do with the second world, in the middle of a tick, what does not change its future. Returns
/// the world whose edits were made by hand, and how many were in line.
pub fn are_those_by_hand<W: Queues>(
    make: impl Fn() -> W,
    budget: u64,
    ops: &[Op<W::Edit>],
    mut meanwhile: impl FnMut(&mut W),
) -> (W, usize) {
    let mut pair = Pair {
        by_hand: make(),
        queued: make(),
        edits: Vec::new(),
        expected: VecDeque::new(),
        ticket: 0,
        made: 0,
    };
    for op in ops {
        match op {
            Op::Edit(edit) => pair.edits.push(edit.clone()),
            Op::Step(ticks) | Op::Run(ticks) => {
                (0..*ticks).for_each(|_| pair.tick(budget, &mut meanwhile));
            }
            Op::Slices(budget) => pair.tick(*budget, &mut meanwhile),
            _ => pair.make_directly(),
        }
    }
    pair.tick(0, &mut meanwhile);
    pair.by_hand.step();
    pair.queued.step();
    pair.compare();
    (pair.by_hand, pair.made)
}

impl<W: Queues> Pair<W> {
    /// One tick of both, and then the edits, which are queued if the tick is underway. In some it
    /// is saved and loaded then.
    fn tick(&mut self, budget: u64, meanwhile: &mut impl FnMut(&mut W)) {
        self.by_hand.step();
        let mut is_finished = self.queued.slice(budget);
        self.take_reports();
        std::mem::take(&mut self.edits).into_iter().for_each(|edit| self.queue(edit));
        if !is_finished {
            meanwhile(&mut self.queued);
            if budget % 3 == 2 {
                self.queued = self.queued.saved_and_loaded().expect("it was saved");
            }
        }
        while !is_finished {
            is_finished = self.queued.slice(budget);
        }
        self.take_reports();
    }

    /// Makes the last edit at once, if there is one, with those that wait before it.
    fn make_directly(&mut self) {
        let Some(last) = self.edits.pop() else { return };
        std::mem::take(&mut self.edits).into_iter().for_each(|edit| self.queue(edit));
        let by_hand = self.by_hand.apply(last.clone());
        // As text, since errors may hold what is no number.
        assert_eq!(format!("{:?}", self.queued.apply(last)), format!("{by_hand:?}"));
        if by_hand.is_ok() || W::MAKES_BEFORE_REFUSED {
            self.compare();
        }
    }

    fn queue(&mut self, edit: W::Edit) {
        let ticket = self.queued.queue(sent(&edit));
        assert_eq!(ticket, Ticket(self.ticket + self.expected.len() as u64));
        let tick = self.by_hand.ticks();
        self.expected.push_back((tick, self.by_hand.apply(edit)));
        self.made += 1;
    }

    /// Reports come in order, each with its ticket.
    fn take_reports(&mut self) {
        for report in self.queued.take_reports() {
            let (tick, result) = self.expected.pop_front().expect("queued");
            let expected = W::report(Ticket(self.ticket), tick, result);
            assert_eq!(format!("{report:?}"), format!("{expected:?}"));
            self.ticket += 1;
        }
    }

    /// Nothing waits, and the worlds are the same, byte for byte.
    fn compare(&mut self) {
        self.take_reports();
        assert!(self.expected.is_empty(), "{} reports missing", self.expected.len());
        assert!(
            are_equal_but_for_tickets(&self.queued.save(), &self.by_hand.save()),
            "other bytes"
        );
    }
}

/// Whether two saves are equal except in the number of tickets that were given, eight bytes in a
/// row, and in the checksum after them of the section that holds it, four.
pub fn are_equal_but_for_tickets(one: &[u8], other: &[u8]) -> bool {
    let differing = |&at: &usize| one[at] != other[at];
    let mut differing = (0..one.len().min(other.len())).filter(differing).peekable();
    for most in [8, 4] {
        let Some(&first) = differing.peek() else { break };
        while differing.next_if(|&at| at < first + most).is_some() {}
    }
    one.len() == other.len() && differing.next().is_none()
}
