//! Runs a scenario file. The report goes to standard output; errors and failed expectations go to
//! standard error.
//!
//! `cargo run --release --example scenario -- examples/scenarios/u_tube_source.toml`
//!
//! Exit code 0: all expectations held. 1: an expectation failed. 2: the file cannot be run.

use floodplain::scenario::{Outcome, play};
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1) {
        Some(path) => run(&path),
        None => {
            eprintln!("usage: scenario FILE.toml");
            Ok(Outcome::Refused)
        }
    };
    match outcome {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(Outcome::Refused as u8)
        }
    }
}

fn run(path: &str) -> io::Result<Outcome> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return Ok(Outcome::Refused);
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let outcome = play(path, &text, &mut out, &mut io::stderr().lock())?;
    out.flush()?;
    Ok(outcome)
}
