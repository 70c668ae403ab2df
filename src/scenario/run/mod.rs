//! Runs a scenario: edits, ticks, records and expectations, one tick at a time or all at once.

pub(crate) mod play;
pub(crate) mod record;

use crate::scenario::automata::subject::Subject;
use crate::scenario::error::{Problem, ScenarioError};
use crate::scenario::expect::judge::{Failure, Judge, Scene};
use crate::scenario::run::record::{LayerRecord, Record};
use crate::scenario::{Action, Scenario};
use crate::simulation::StepReport;
use glam::IVec3;

/// The result of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The recorded ticks, in order; the last tick is always among them.
    pub records: Vec<Record>,
    /// The expectations that failed, in order of failure.
    pub failures: Vec<Failure>,
}

/// A running scenario, for access between ticks. [`Scenario::run`] runs all of a scenario at once.
///
/// ```
/// use floodplain::scenario::{Run, Scenario};
/// let scenario =
///     Scenario::from_toml("automaton = \"water\"\nticks = 5\nlayer = [{ rows = [\"7..\"] }]")?;
/// let mut run = Run::new(&scenario)?;
/// while run.step()? {
///     assert_eq!(run.validate(), Ok(()));
///     assert!(run.is_balanced());
/// }
/// assert_eq!(run.tick(), 5);
/// # Ok::<(), floodplain::scenario::ScenarioError>(())
/// ```
pub struct Run<'a> {
    scenario: &'a Scenario,
    subject: Box<dyn Subject + 'a>,
    judge: Judge,
    tick: u64,
    stepped: StepReport,
    rest_tick: Option<u64>,
    /// The number of edits made so far.
    edited: usize,
}

impl<'a> Run<'a> {
    /// Starts the world as it is drawn, at tick 0.
    ///
    /// # Errors
    /// The world refuses the drawing.
    pub fn new(scenario: &'a Scenario) -> Result<Run<'a>, ScenarioError> {
        let subject = scenario
            .setup
            .start(scenario.seed, &scenario.drawing)
            .map_err(ScenarioError::of_world)?;
        let mut run = Run {
            scenario,
            subject,
            judge: Judge::new(&scenario.expect),
            tick: 0,
            stepped: StepReport::default(),
            rest_tick: None,
            edited: 0,
        };
        run.look();
        Ok(run)
    }

    /// Makes the edits of the next tick and runs it; returns `false` if all ticks have been run.
    ///
    /// # Errors
    /// The world refuses an edit.
    pub fn step(&mut self) -> Result<bool, ScenarioError> {
        if self.tick == self.scenario.ticks {
            return Ok(false);
        }
        self.tick += 1;
        while let Some(edit) = self.scenario.edits.get(self.edited)
            && edit.at == self.tick
        {
            let done = match &edit.action {
                Action::Write { cells, with } => self.subject.write(cells, *with),
                Action::Load(chunk) => self.subject.load(*chunk),
            };
            done.map_err(|error| {
                Problem::Edit { tick: edit.at, message: error.to_string() }.at_line(edit.line)
            })?;
            self.edited += 1;
            self.rest_tick = self.rest_tick.filter(|_| self.subject.is_at_rest());
        }
        self.stepped = self.subject.step();
        self.look();
        Ok(true)
    }

    /// Returns the number of ticks run.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Returns whether the current tick belongs in the report.
    pub fn is_recorded(&self) -> bool {
        self.tick == self.scenario.ticks || self.scenario.record.binary_search(&self.tick).is_ok()
    }

    /// Returns the state after the current tick.
    pub fn record(&self) -> Record {
        let region = self.scenario.drawing.region();
        let (min, max) = (region.min(), region.max());
        let value = |x, y, z| self.subject.value(IVec3::new(x, y, z));
        let row = |y, z| (min.x..=max.x).map(|x| value(x, y, z)).collect();
        let layer = |y| LayerRecord { y, rows: (min.z..=max.z).map(|z| row(y, z)).collect() };
        let account = self.subject.account();
        let total = self.subject.count();
        Record {
            tick: self.tick,
            total,
            balanced: self.subject.is_balanced(),
            account: account.entries,
            at_rest: self.rest_tick.is_some(),
            rest_tick: self.rest_tick,
            active_cells: self.subject.active_cells(),
            moved: self.stepped.moved,
            state_hash: self.subject.state_hash(),
            values_name: self.subject.values_name(),
            layers: (min.y..=max.y).map(layer).collect(),
        }
    }

    /// Returns whether the sum of the cells equals the account's total.
    pub fn is_balanced(&self) -> bool {
        self.subject.is_balanced()
    }

    /// Checks all laws of the automaton over the whole world, which is slow.
    ///
    /// # Errors
    /// A law is broken; the error names the first broken law.
    pub fn validate(&self) -> Result<(), String> {
        self.subject.validate()
    }

    /// Returns the expectations that have failed so far.
    pub fn failures(&self) -> &[Failure] {
        self.judge.failures()
    }

    fn look(&mut self) {
        self.rest_tick =
            if self.subject.is_at_rest() { self.rest_tick.or(Some(self.tick)) } else { None };
        let scene = Scene {
            subject: self.subject.as_ref(),
            tick: self.tick,
            stepped: self.stepped,
            rest_tick: self.rest_tick,
            is_end: self.tick == self.scenario.ticks,
        };
        self.judge.look(&self.scenario.expect, &scene);
    }
}

impl Scenario {
    /// Runs all ticks. The size of a drawing is limited in cells only: two small layers a million
    /// apart, or a pattern with large repeats, are a few bytes of text and may take many seconds a
    /// tick. Limit the time of scenarios from untrusted sources.
    ///
    /// # Errors
    /// The world refuses the drawing or an edit. An expectation that fails is no error; it is in
    /// the report.
    pub fn run(&self) -> Result<Report, ScenarioError> {
        let mut run = Run::new(self)?;
        let mut report = Report::default();
        loop {
            if run.is_recorded() {
                report.records.push(run.record());
            }
            if !run.step()? {
                break;
            }
        }
        report.failures = run.failures().to_vec();
        Ok(report)
    }
}
