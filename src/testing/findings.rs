//! Broken laws by name, and how checks collect them.

use core::fmt;

/// A law that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenLaw {
    /// The name of the law: one of [`LAWS`](super::LAWS), or the name of a law of your own.
    pub law: &'static str,
    /// The number of ticks that the world had run.
    pub tick: u64,
    /// The difference, and where it is.
    pub what: String,
}

impl fmt::Display for BrokenLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tick {}, {}: {}", self.tick, self.law, self.what)
    }
}

/// The laws that were found broken, at least one, in the order in which they were found.
///
/// Its debug output is its text, one law a line, so that `unwrap` prints a report.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokenLaws(Vec<BrokenLaw>);

impl BrokenLaws {
    /// Returns the law that was found broken first.
    pub fn first(&self) -> &BrokenLaw {
        &self.0[0]
    }

    /// Returns all laws that were found broken, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BrokenLaw> {
        self.0.iter()
    }
}

impl fmt::Display for BrokenLaws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, broken) in self.0.iter().enumerate() {
            write!(f, "{}{broken}", if at > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for BrokenLaws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for BrokenLaws {}

/// The laws found broken so far, each with its first case: later cases, in other cells or ticks,
/// mostly follow from it.
#[derive(Debug, Default)]
pub struct Findings {
    tick: u64,
    broken: Vec<BrokenLaw>,
}

impl Findings {
    /// Enters a law as broken unless it `holds`; `what` says what differs, and where.
    pub fn hold(&mut self, law: &'static str, holds: bool, what: impl FnOnce() -> String) {
        if !holds && self.broken.iter().all(|broken| broken.law != law) {
            self.broken.push(BrokenLaw { law, tick: self.tick, what: what() });
        }
    }

    /// Enters a law as broken unless the value found equals the expected one; `of` names the value.
    pub fn same<T: PartialEq + fmt::Debug>(
        &mut self,
        law: &'static str,
        found: &T,
        expected: &T,
        of: impl FnOnce() -> String,
    ) {
        self.hold(law, found == expected, || format!("{}: {found:?}, expected {expected:?}", of()));
    }

    /// Enters the law `edit` as broken unless an edit had the expected outcome, or was refused by
    /// the error variant of the expected name. The fields of errors are not compared, since they
    /// may be NaN.
    pub fn answer<T: PartialEq + fmt::Debug, E: fmt::Debug>(
        &mut self,
        edit: &impl fmt::Debug,
        answer: Result<T, &E>,
        expected: Result<T, &str>,
    ) {
        let answer = answer.map_err(|error| {
            let text = format!("{error:?}");
            text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
        });
        let expected = expected.map_err(str::to_owned);
        self.same(super::law::EDIT, &answer, &expected, || format!("{edit:?}"));
    }

    /// Makes later findings count for this tick.
    pub(super) fn at(&mut self, tick: u64) {
        self.tick = tick;
    }

    /// Returns the laws found broken since the last call as an error.
    pub(super) fn take(&mut self) -> Result<(), BrokenLaws> {
        match core::mem::take(&mut self.broken) {
            none if none.is_empty() => Ok(()),
            some => Err(BrokenLaws(some)),
        }
    }
}
