//! Compares a running world with the expectations of its file, tick by tick, and records the first
//! failure of each.

use crate::scenario::automata::subject::Subject;
use crate::scenario::expect::motion::{self, Outflow};
use crate::scenario::expect::{Check, Expect, Measure, Order, Range, Want};
use crate::simulation::StepReport;
use core::fmt;
use glam::IVec3;
use std::collections::VecDeque;

/// The first failure of an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The line of the expectation in the file.
    pub line: usize,
    /// The name of the check, if it has one, and the key of the expectation.
    pub expectation: String,
    /// The value found.
    pub value: String,
    /// The value expected.
    pub wanted: String,
    /// The tick of the failure.
    pub tick: u64,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { expectation, value, wanted, tick, .. } = self;
        write!(f, "{expectation}: {value} at tick {tick}, expected {wanted}")
    }
}

/// A world after a tick.
pub(crate) struct Scene<'a> {
    pub(crate) subject: &'a dyn Subject,
    pub(crate) tick: u64,
    pub(crate) stepped: StepReport,
    pub(crate) rest_tick: Option<u64>,
    /// Whether the tick was the last.
    pub(crate) is_end: bool,
}

#[derive(Default)]
pub(crate) struct Judge {
    failures: Vec<Failure>,
    balance_failed: bool,
    /// For each check, the states of its expectations.
    watches: Vec<Vec<Watch>>,
    /// For each order, the tick at which each group was first wet or full.
    reached: Vec<Vec<Option<u64>>>,
}

/// The state of one expectation between ticks.
#[derive(Default)]
struct Watch {
    failed: bool,
    last_total: Option<f64>,
    /// The units injected since the start minus the units drained, after each of the last ticks.
    kept: VecDeque<f64>,
    outflow: Outflow,
}

impl Judge {
    pub(crate) fn new(expect: &Expect) -> Judge {
        Judge {
            watches: expect
                .checks
                .iter()
                .map(|check| check.wants.iter().map(|_| Watch::default()).collect())
                .collect(),
            reached: expect.orders.iter().map(|order| vec![None; order.groups.len()]).collect(),
            ..Judge::default()
        }
    }

    pub(crate) fn failures(&self) -> &[Failure] {
        &self.failures
    }

    pub(crate) fn look(&mut self, expect: &Expect, scene: &Scene<'_>) {
        if let Some(line) = expect.balanced {
            self.balance(line, scene);
        }
        for (check, watches) in expect.checks.iter().zip(&mut self.watches) {
            if check.when[0] <= scene.tick && scene.tick <= check.when[1] {
                for (want, watch) in check.wants.iter().zip(watches) {
                    self.failures.extend(watch.look(check, want, scene));
                }
            }
        }
        for (order, reached) in expect.orders.iter().zip(&mut self.reached) {
            for ((_, cells), reached) in order.groups.iter().zip(reached) {
                if reached.is_none() && has_reached(order, cells, scene) {
                    *reached = Some(scene.tick);
                }
            }
        }
        if scene.is_end {
            self.look_back(expect, scene);
        }
    }

    fn balance(&mut self, line: usize, scene: &Scene<'_>) {
        // A tick that visited no cells changed none.
        if self.balance_failed || scene.tick > 0 && scene.stepped.visited == 0 && !scene.is_end {
            return;
        }
        if !scene.subject.is_balanced() {
            let counted = format!("{} in the cells", scene.subject.count());
            let total = scene.subject.account().total.to_string();
            self.balance_failed = true;
            self.fail(line, "balanced", counted, total, scene.tick);
        }
    }

    /// Judges the expectations that are decided only after the last tick.
    fn look_back(&mut self, expect: &Expect, scene: &Scene<'_>) {
        if let Some((by, line)) = expect.at_rest_by
            && scene.rest_tick.is_none_or(|tick| tick > by)
        {
            let value = match scene.rest_tick {
                Some(tick) => format!("at rest since tick {tick}"),
                None => format!("not at rest, {} active cells", scene.subject.active_cells()),
            };
            self.fail(line, "at_rest_by", value, format!("rest by tick {by}"), scene.tick);
        }
        if let Some((range, line)) = expect.total {
            let total = scene.subject.count();
            if !range.holds(total) {
                self.fail(line, "total", range.say(total), range.to_string(), scene.tick);
            }
        }
        for (order, reached) in expect.orders.iter().zip(core::mem::take(&mut self.reached)) {
            self.failures.extend(out_of_order(order, &reached, scene.tick));
        }
    }

    fn fail(&mut self, line: usize, expectation: &str, value: String, wanted: String, tick: u64) {
        let expectation = expectation.to_owned();
        self.failures.push(Failure { line, expectation, value, wanted, tick });
    }
}

impl Watch {
    fn look(&mut self, check: &Check, want: &Want, scene: &Scene<'_>) -> Option<Failure> {
        if self.failed {
            return None;
        }
        let value = self.wrong_value(check, want, scene)?;
        self.failed = true;
        let expectation = match check.name.as_str() {
            "" => want.name.to_owned(),
            name => format!("{name}: {}", want.name),
        };
        Some(Failure {
            line: want.line,
            expectation,
            value,
            wanted: want.range.to_string(),
            tick: scene.tick,
        })
    }

    /// Returns a value out of range, in words; `None` if all values are in range.
    fn wrong_value(&mut self, check: &Check, want: &Want, scene: &Scene<'_>) -> Option<String> {
        let range = &want.range;
        let subject = scene.subject;
        let one = |value: f64| (!range.holds(value)).then(|| range.say(value));
        match want.measure {
            Measure::Cell(quantity) => {
                let measure = |&cell: &IVec3| Some((cell, subject.measure(quantity, cell)?));
                let values = || check.cells.iter().filter_map(measure);
                if values().next().is_none() {
                    return Some("no cell that has it".to_owned());
                }
                wrong(values(), range)
            }
            Measure::Level => wrong(levels(check, subject), range),
            Measure::Spread => {
                let levels = || levels(check, subject).map(|(_, level)| level);
                one(levels().fold(f64::MIN, f64::max) - levels().fold(f64::MAX, f64::min))
            }
            Measure::Total => one(total(check, subject)),
            Measure::Gain => {
                let total = total(check, subject);
                let last = self.last_total.replace(total).unwrap_or(total);
                one(total - last)
            }
            Measure::AtRest => one(if scene.rest_tick.is_some() { 1.0 } else { 0.0 }),
            Measure::Visited => one(scene.stepped.visited as f64),
            Measure::Entry(name) => one(subject.account().entry(name)),
            Measure::Round(around) => match motion::round(check, around, subject) {
                Some(part) => one(part),
                None => Some("no wet cell around".to_owned()),
            },
            Measure::LevelWhileFlowing(falls) => match motion::unevenness(check, falls, subject) {
                Some(units) => one(units),
                None => Some("no surface".to_owned()),
            },
            Measure::OutflowPerTick(current) | Measure::Share(current) => {
                self.outflow.add(check, current, subject);
                if scene.tick < check.when[1] {
                    return None;
                }
                let of = match want.measure {
                    Measure::Share(_) => self.outflow.drained,
                    _ => self.outflow.ticks,
                };
                if of > 0.0 {
                    one(self.outflow.passed / of)
                } else {
                    Some("nothing drained".to_owned())
                }
            }
            Measure::Steady(window) => {
                let account = subject.account();
                let kept = account.injected - account.drained;
                self.kept.push_back(kept);
                if (self.kept.len() as u64) <= window {
                    return None;
                }
                let gained = kept - self.kept.pop_front()?;
                let words = || format!("{gained} more injected than drained over {window} ticks");
                (!range.holds(gained)).then(words)
            }
        }
    }
}

/// Returns the first value out of range, with its cell.
fn wrong(mut values: impl Iterator<Item = (IVec3, f64)>, range: &Range) -> Option<String> {
    let (cell, value) = values.find(|&(_, value)| !range.holds(value))?;
    Some(format!("{} in cell {cell}", range.say(value)))
}

fn total(check: &Check, subject: &dyn Subject) -> f64 {
    check.cells.iter().map(|&cell| subject.value(cell).max(0.0)).sum()
}

/// Returns the surface of every column, in units above height 0. A full cell adds its capacity to
/// the height. The surface of a dry column is its bottom.
fn levels(check: &Check, subject: &dyn Subject) -> impl Iterator<Item = (IVec3, f64)> {
    check.columns.iter().filter_map(move |column| {
        let values = || column.iter().map(|&(height, cell)| (height, cell, subject.value(cell)));
        let wet = values().find(|&(.., value)| value > 0.0);
        let (height, cell, value) =
            wet.or(column.last().map(|&(height, cell)| (height, cell, 0.0)))?;
        Some((cell, f64::from(height) * subject.capacity() + value))
    })
}

fn has_reached(order: &Order, cells: &[IVec3], scene: &Scene<'_>) -> bool {
    let mut values = cells.iter().map(|&cell| scene.subject.value(cell));
    if order.full {
        values.all(|value| value >= scene.subject.capacity())
    } else {
        values.any(|value| value > 0.0)
    }
}

/// Returns the failure of the first group that came too early or never.
fn out_of_order(order: &Order, reached: &[Option<u64>], end: u64) -> Option<Failure> {
    let name = if order.full { "fills" } else { "wets" };
    let failure = |value: String, wanted: String, tick: u64| {
        Some(Failure { line: order.line, expectation: name.to_owned(), value, wanted, tick })
    };
    let mut before: Option<(&str, u64)> = None;
    for ((group, _), tick) in order.groups.iter().zip(reached) {
        match (*tick, before) {
            (None, _) => {
                return failure(format!("\"{group}\" has not come"), "all of them".to_owned(), end);
            }
            (Some(tick), Some((earlier, its))) if tick <= its => {
                return failure(
                    format!("\"{group}\" came"),
                    format!("it after \"{earlier}\", tick {its}"),
                    tick,
                );
            }
            (Some(tick), _) => before = Some((group, tick)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::ChunkPos;
    use crate::scenario::automata::subject::{Account, Refusal};

    /// A world of one cell that loses a unit in tick 3, which no world of this crate does.
    struct Leaky {
        tick: u64,
    }

    impl Subject for Leaky {
        fn write(&mut self, _: &[IVec3], _: char) -> Result<(), Refusal> {
            Ok(())
        }
        fn load(&mut self, _: ChunkPos) -> Result<(), Refusal> {
            Ok(())
        }
        fn step(&mut self) -> StepReport {
            self.tick += 1;
            StepReport { visited: 1, ..StepReport::default() }
        }
        fn active_cells(&self) -> usize {
            1
        }
        fn is_at_rest(&self) -> bool {
            false
        }
        fn count(&self) -> f64 {
            if self.tick < 3 { 5.0 } else { 4.0 }
        }
        fn account(&self) -> Account {
            Account { entries: Vec::new(), total: 5.0, injected: 0.0, drained: 0.0 }
        }
        fn is_balanced(&self) -> bool {
            self.count() == self.account().total
        }
        fn value(&self, _: IVec3) -> f64 {
            self.count()
        }
        fn values_name(&self) -> &'static str {
            "values"
        }
        fn measure(&self, _: usize, _: IVec3) -> Option<f64> {
            None
        }
        fn capacity(&self) -> f64 {
            7.0
        }
        fn state_hash(&self) -> u64 {
            self.tick
        }
        fn validate(&self) -> Result<(), String> {
            Ok(())
        }
    }

    #[test]
    fn an_account_out_of_balance_is_reported_once_at_its_first_tick() {
        let expect = Expect { balanced: Some(17), ..Expect::default() };
        let (mut judge, mut subject) = (Judge::new(&expect), Leaky { tick: 0 });
        for tick in 0..=6 {
            let scene = Scene {
                subject: &subject,
                tick,
                stepped: StepReport { visited: 1, ..StepReport::default() },
                rest_tick: None,
                is_end: tick == 6,
            };
            judge.look(&expect, &scene);
            subject.step();
        }
        let failed: Vec<(usize, String)> =
            judge.failures().iter().map(|failure| (failure.line, failure.to_string())).collect();
        assert_eq!(failed, [(17, "balanced: 4 in the cells at tick 3, expected 5".to_owned())]);
    }
}
