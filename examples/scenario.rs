//! Runs a scenario file. The report goes to standard output; errors and failed expectations go to
//! standard error.
//!
//! `cargo run --release --example scenario -- examples/scenarios/u_tube_source.toml`
//!
//! Exit code 0: all expectations held. 1: an expectation failed. 2: the file cannot be run.

#[path = "shared/file_or_help.rs"]
mod file_or_help;

use file_or_help::Asked;
use floodplain::scenario::{Outcome, play};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Runs a world that is drawn in text, and compares it with what is expected of it.

Usage: cargo run --release --example scenario -- FILE

  FILE    a scenario; examples are in examples/scenarios
  --help  this text

Prints a report in JSON. Exit code 0: all expectations held. 1: an expectation failed. 2: the file
cannot be run.
";

fn main() -> ExitCode {
    let outcome = match file_or_help::parse(std::env::args_os().skip(1), true) {
        Ok(Asked::Help) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Ok(Asked::Run(Some(path))) => run(&path),
        Ok(Asked::Run(None)) => Err("a FILE is needed; see --help".to_owned()),
        Err(error) => Err(error),
    };
    outcome.map_or_else(
        |error| {
            eprintln!("scenario: {error}");
            ExitCode::from(Outcome::Refused as u8)
        },
        |outcome| ExitCode::from(outcome as u8),
    )
}

fn run(path: &Path) -> Result<Outcome, String> {
    let name = path.display().to_string();
    let in_file = |error: io::Error| format!("{name}: {error}");
    let text = std::fs::read_to_string(path).map_err(in_file)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let outcome = play(&name, &text, &mut out, &mut io::stderr().lock()).map_err(in_file)?;
    out.flush().map_err(in_file)?;
    Ok(outcome)
}
