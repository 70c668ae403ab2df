//! What the parts of a tick take. With its feature `profiling` the library opens spans of the crate
//! tracing; this subscriber adds up the time that is spent in each, by the clock of the window,
//! which browsers have, too.

use miniquad::date;
use std::cell::RefCell;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{SetGlobalDefaultError, set_global_default};
use tracing::{Event, Metadata, Subscriber};

/// A part of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The phases of the water's tick, in their order.
    Steady,
    Flow,
    Draw,
    Pools,
    Ebb,
    End,
    /// Steps of soil and of explosions, including the parts that are computed ahead.
    Soil,
    Blasts,
    /// What else the world does in a tick: edits, what passes between water and soil, throws.
    Other,
}

impl Part {
    pub const ALL: [Part; 9] = [
        Part::Steady,
        Part::Flow,
        Part::Draw,
        Part::Pools,
        Part::Ebb,
        Part::End,
        Part::Soil,
        Part::Blasts,
        Part::Other,
    ];

    /// Returns the part that a span of the library is of, by its name.
    fn of_span(name: &str) -> Option<Part> {
        Some(match name {
            "water steady" => Part::Steady,
            "water flow" => Part::Flow,
            "water draw" => Part::Draw,
            "water pools" => Part::Pools,
            "water ebb" => Part::Ebb,
            "water end" => Part::End,
            "humidity" | "humidity ahead" => Part::Soil,
            "explosions" | "explosions ahead" => Part::Blasts,
            "world" => Part::Other,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Part::Steady => "steady",
            Part::Flow => "flow",
            Part::Draw => "draw",
            Part::Pools => "pools",
            Part::Ebb => "ebb",
            Part::End => "end",
            Part::Soil => "soil",
            Part::Blasts => "blasts",
            Part::Other => "other",
        }
    }
}

/// A number for each part, in the order of [`Part::ALL`].
pub type ByPart<T> = [T; Part::ALL.len()];

/// The spans that are open, and what has been spent in each part. What is spent in a span within
/// another counts for the inner one.
#[derive(Default)]
struct Account {
    open: Vec<Part>,
    /// When the innermost span was opened or resumed.
    since: f64,
    seconds: ByPart<f64>,
}

impl Account {
    /// Counts the time up to now for the innermost span.
    fn count(&mut self, now: f64) {
        if let Some(&part) = self.open.last() {
            self.seconds[part as usize] += (now - self.since).max(0.0);
        }
        self.since = now;
    }

    fn enter(&mut self, part: Part, now: f64) {
        self.count(now);
        self.open.push(part);
    }

    fn exit(&mut self, now: f64) {
        self.count(now);
        self.open.pop();
    }
}

thread_local! {
    static ACCOUNT: RefCell<Account> = RefCell::default();
}

/// Counts the spans of the library from now on.
///
/// # Errors
/// They are counted already.
pub fn begin() -> Result<(), SetGlobalDefaultError> {
    set_global_default(Counter)
}

/// Returns the seconds in each part since the last call, on this thread.
pub fn take_seconds() -> ByPart<f64> {
    ACCOUNT.with_borrow_mut(|account| std::mem::take(&mut account.seconds))
}

/// The subscriber. A span's id is the number of its part, from 1 on.
struct Counter;

impl Subscriber for Counter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
            && metadata.target().starts_with("floodplain")
            && Part::of_span(metadata.name()).is_some()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let part = Part::of_span(span.metadata().name()).unwrap_or(Part::Other);
        Id::from_u64(part as u64 + 1)
    }

    fn enter(&self, id: &Id) {
        let part = Part::ALL[id.into_u64() as usize - 1];
        ACCOUNT.with_borrow_mut(|account| account.enter(part, date::now()));
    }

    fn exit(&self, _: &Id) {
        ACCOUNT.with_borrow_mut(|account| account.exit(date::now()));
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Sandbox;
    use crate::model::action::Action;
    use crate::model::worlds::Kind;

    #[test]
    fn the_time_of_a_span_within_another_counts_once() {
        let mut account = Account::default();
        account.enter(Part::Other, 10.0);
        account.enter(Part::Flow, 11.0);
        account.exit(15.0);
        account.enter(Part::Ebb, 15.5);
        account.exit(16.0);
        account.exit(18.0);
        account.enter(Part::Flow, 20.0);
        account.exit(20.25);
        let mut seconds = [0.0; Part::ALL.len()];
        seconds[Part::Flow as usize] = 4.25;
        seconds[Part::Ebb as usize] = 0.5;
        seconds[Part::Other as usize] = 3.5;
        assert_eq!((account.seconds, account.open.len()), (seconds, 0));
    }

    #[test]
    fn a_clock_that_is_set_back_takes_nothing_off() {
        let mut account = Account::default();
        account.enter(Part::Flow, 10.0);
        account.exit(9.0);
        assert_eq!(account.seconds, [0.0; Part::ALL.len()]);
    }

    #[test]
    fn the_parts_of_ticks_add_up_to_what_they_take() {
        let mut sandbox = Sandbox::new(Kind::Hamlet).unwrap();
        // Rain gives each phase work that the clock can resolve: the river of the hamlet rests.
        sandbox.act(&Action::Rain(true)).unwrap();
        let (seconds, whole) = tracing::subscriber::with_default(Counter, || {
            take_seconds();
            let begin = date::now();
            for _ in 0..20 {
                sandbox.clock.hurry();
                while sandbox.advance(|progress| progress.visited < 5_000) == Some(false) {}
            }
            (take_seconds(), date::now() - begin)
        });
        for part in [Part::Steady, Part::Flow, Part::Draw, Part::Pools, Part::Ebb, Part::End] {
            assert!(seconds[part as usize] > 0.0, "{part:?}: {seconds:?}");
        }
        let sum: f64 = seconds.iter().sum();
        assert!(sum <= whole && sum > 0.5 * whole, "{sum} of {whole}: {seconds:?}");
        assert_eq!(take_seconds(), [0.0; Part::ALL.len()]);
    }
}
