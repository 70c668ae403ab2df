//! Reads a recording of a world of any kind that breaks a law, and makes it as small as it gets:
//! delta debugging over its edits, then their ticks, chunks and cells. Writes the least one as a
//! recording (bytes and text), as a Rust test, as a film strip, and if it is of water as a
//! scenario.
//!
//! ```text
//! cargo run --release --example minimise -- flood.rec --out target/minimise
//! cargo run --release --example minimise -- --hunt 1000 --seed 1
//! cargo run --release --example minimise -- --hunt 1000 --kind graph
//! ```
//!
//! The other forms make random recordings until one breaks a law, and go on with that. The laws are
//! those of `floodplain::testing::LAWS`.
//!
//! Prints what was found: of a broken law one line of JSON, for scripts; otherwise a sentence. Exit
//! code 0: no law is broken, and the states are those that were recorded. 1: a law is broken, or
//! the states are others, and the files are written. 2: the recording cannot be read, or a file
//! cannot be written.

mod case;
#[cfg(test)]
#[path = "../shared/command_line.rs"]
mod command_line;
mod ddmin;
mod difference;
mod drawing;
mod hunt;
mod kinds;
mod laws;
mod options;
#[path = "../shared/png_file.rs"]
mod png_file;
mod shrink;
mod source;
mod strip;

use case::Case;
use floodplain::recording::{Recording, RecordingError};
use floodplain::{DecodeError, DecodeProblem};
use indicatif::{ProgressBar, ProgressStyle};
use kinds::{Kind, for_kind};
use laws::Broken;
use options::{Options, What};
use serde_json::json;
use shrink::Shrinker;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

fn main() -> ExitCode {
    let options = match options::parse(std::env::args_os().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{}", options::help());
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("minimise: {error}");
            return ExitCode::from(2);
        }
    };
    // A panic of a world breaks a law and is caught; printed, its message would hide the progress.
    std::panic::set_hook(Box::new(|panic| *last_panic() = panic.to_string()));
    match catch_unwind(|| run(&options)) {
        Ok(Ok(Found::Nothing(line))) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Ok(Ok(Found::Fault(line))) => {
            println!("{line}");
            ExitCode::FAILURE
        }
        Ok(Err(error)) => {
            eprintln!("minimise: {error}");
            ExitCode::from(2)
        }
        // Of this program itself.
        Err(_) => {
            eprintln!("minimise: {}", last_panic());
            ExitCode::from(2)
        }
    }
}

/// Returns what the last panic said.
fn last_panic() -> MutexGuard<'static, String> {
    static SAID: Mutex<String> = Mutex::new(String::new());
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was found, in a line to print.
#[derive(Debug, PartialEq)]
pub enum Found {
    /// No law is broken, and no state differs.
    Nothing(String),
    /// A law is broken, or the states are others than were recorded.
    Fault(String),
}

/// What was found, or why the recording cannot be read or a file cannot be written.
type Answer = Result<Found, String>;

fn run(options: &Options) -> Answer {
    let out = &options.out;
    match &options.what {
        What::File(path) => {
            let in_file = |error: String| format!("{}: {error}", path.display());
            let bytes = std::fs::read(path).map_err(|error| in_file(error.to_string()))?;
            let read = kinds::NAMES.into_iter().find_map(|name| {
                let read = for_kind!(name, file(&bytes, out), else None);
                read.map(|answer| answer.map_err(in_file))
            });
            read.unwrap_or_else(|| Err(in_file("a recording of no kind that is known".to_owned())))
        }
        What::Hunt { kind, seed, most } => {
            for_kind!(kind, hunted(*seed, *most, out), else Err(format!("no kind {kind}")))
        }
    }
}

/// Reads a recording and makes it less; `None` if it is of another kind.
fn file<W: Kind>(bytes: &[u8], out: &Path) -> Option<Answer> {
    let recording = match std::str::from_utf8(bytes) {
        Ok(text) if text.starts_with("floodplain") => Recording::<W>::from_text(text),
        _ => Recording::from_bytes(bytes).map_err(RecordingError::Bytes),
    };
    match recording {
        Err(
            RecordingError::Bytes(DecodeError { problem: DecodeProblem::Kind { .. }, .. })
            | RecordingError::Text { problem: DecodeProblem::Kind { .. }, .. },
        ) => None,
        Err(error) => Some(Err(error.to_string())),
        Ok(recording) => Some(minimised(&recording, out)),
    }
}

fn minimised<W: Kind>(recording: &Recording<W>, out: &Path) -> Answer {
    let case = Case::of(recording).map_err(|error| error.to_string())?;
    let bar = bar();
    bar.set_message("all laws, after each edit and tick");
    match laws::check(&case, None) {
        Some(broken) => shrunk((case, broken, 1), &bar, out),
        None => {
            bar.set_message("replay");
            let found = difference::cut(recording, out);
            bar.finish_and_clear();
            found
        }
    }
}

/// Makes random recordings until one breaks a law, and makes that less.
fn hunted<W: Kind>(seed: u64, most: u64, out: &Path) -> Answer {
    let bar = bar();
    for nth in 0..most {
        if nth.is_multiple_of(16) {
            bar.set_message(format!("{nth} recordings of {most}"));
        }
        let case = hunt::case::<W>(seed.wrapping_mul(1 << 32).wrapping_add(nth));
        if let Some(broken) = laws::check(&case, None) {
            return shrunk((case, broken, nth + 1), &bar, out);
        }
    }
    bar.finish_and_clear();
    Ok(Found::Nothing(format!("No law is broken in {most} recordings.")))
}

/// Returns a spinner with the time since now, which turns while a try takes long, too.
fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("a template"));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Writes a case that was found in so many executions, makes it less, and writes that. Returns a
/// line of JSON.
fn shrunk<W: Kind>(
    (case, broken, executions): (Case<W>, Broken, u64),
    bar: &ProgressBar,
    out: &Path,
) -> Answer {
    let before = case.edits.len();
    save(out, "found.rec", &case.recording().to_bytes())?;
    let law = broken.law;
    let mut shrinker = Shrinker::new(case, broken, |case| laws::check(case, Some(law)), bar);
    shrinker.run();
    bar.finish_and_clear();
    let Shrinker { case, broken, tried, .. } = shrinker;
    let [strip, drawing] = write(out, &case, &broken)?;
    let line = json!({
        "law": broken.law,
        "what": broken.what,
        "tick": broken.tick,
        "executions": executions,
        "tried": tried,
        "edits_before": before,
        "edits": case.edits.len(),
        "ticks": case.ticks,
        "chunks": case.chunks(),
        "folder": out.display().to_string(),
        "strip": strip,
        "drawing": drawing,
    });
    Ok(Found::Fault(line.to_string()))
}

/// Writes the files. Returns what became of the film strip and of the drawing.
fn write<W: Kind>(out: &Path, case: &Case<W>, broken: &Broken) -> Result<[String; 2], String> {
    let recording = case.recording();
    save(out, "least.rec", &recording.to_bytes())?;
    save(out, "least.txt", recording.to_text().as_bytes())?;
    save(out, "least.rs", source::test(case, broken).as_bytes())?;
    let strip = strip::save(&out.join("least.png"), case, broken)?;
    let strip = strip.unwrap_or_else(|| "least.png".to_owned());
    let drawing = match W::drawing(case, broken) {
        Err(reason) => format!("none: {reason}"),
        Ok(text) => {
            save(out, "least.toml", text.as_bytes())?;
            match drawing::broken_in(&text) {
                Ok(Some(law)) => format!("breaks too: {law}"),
                Ok(None) => "breaks nothing that a scenario checks".to_owned(),
                Err(error) => format!("refused: {error}"),
            }
        }
    };
    Ok([strip, drawing])
}

/// Writes a file into a folder, which is made if it is not there.
fn save(out: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = out.join(name);
    let written = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&path, bytes));
    written.map_err(|error| format!("{}: {error}", path.display()))
}
