//! Reads, runs and prints a scenario, for command-line programs.

use crate::scenario::Scenario;
use crate::scenario::error::ScenarioError;
use crate::scenario::run::Run;
use std::io::{self, Write};

/// How a scenario ended. The number is meant as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// All expectations held.
    Held = 0,
    /// An expectation failed.
    Failed = 1,
    /// The file cannot be run.
    Refused = 2,
}

/// Runs the scenario in `text`. Writes one line of JSON for each recorded tick to `out`, right
/// after that tick, and one line for a refusal or for each failed expectation, `name:line:
/// message`, to `err`.
///
/// ```
/// use floodplain::scenario::{Outcome, play};
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let outcome = play("my.toml", "automaton = \"fire\"\nticks = 1", &mut out, &mut err)?;
/// assert_eq!(outcome, Outcome::Refused);
/// assert!(out.is_empty() && err.starts_with(b"my.toml:"));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Writing to `out` or `err` fails.
pub fn play(
    name: &str,
    text: &str,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Outcome> {
    match run(name, text, out, err)? {
        Ok(outcome) => Ok(outcome),
        Err(error) => {
            match error.line {
                0 => writeln!(err, "{name}: {error}")?,
                line => writeln!(err, "{name}:{line}: {error}")?,
            }
            Ok(Outcome::Refused)
        }
    }
}

/// Runs the scenario in `text`. The outer result is that of writing, the inner one that of the
/// scenario.
fn run(
    name: &str,
    text: &str,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Result<Outcome, ScenarioError>> {
    let scenario = match Scenario::from_toml(text) {
        Ok(scenario) => scenario,
        Err(error) => return Ok(Err(error)),
    };
    let mut run = match Run::new(&scenario) {
        Ok(run) => run,
        Err(error) => return Ok(Err(error)),
    };
    loop {
        if run.is_recorded() {
            writeln!(out, "{}", run.record().to_json())?;
        }
        match run.step() {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Ok(Err(error)),
        }
    }
    for failure in run.failures() {
        writeln!(err, "{name}:{}: {failure}", failure.line)?;
    }
    Ok(Ok(if run.failures().is_empty() { Outcome::Held } else { Outcome::Failed }))
}
