//! Reads a recording of water that breaks a law, and makes it as small as it gets: delta debugging
//! over its edits, then their ticks, chunks and cells. Writes the least one as a recording (bytes
//! and text), as a scenario, as a Rust test, and as a film strip.
//!
//! ```text
//! cargo run --release --example minimise -- flood.rec --out target/minimise
//! cargo run --release --example minimise -- --hunt 1000 --seed 1
//! ```
//!
//! The second form makes random recordings until one breaks a law, and goes on with that.
//!
//! Exit code 0: no law is broken. 1: one is, and the files are written. 2: the recording cannot be
//! read.

mod case;
mod ddmin;
mod drawing;
mod hunt;
mod laws;
mod options;
#[path = "../shared/png_file.rs"]
mod png_file;
mod shrink;
mod source;
mod strip;

use case::Case;
use floodplain::recording::{Recording, ReplayError};
use floodplain::water::WaterWorld;
use indicatif::{ProgressBar, ProgressStyle};
use laws::Broken;
use options::{Options, What};
use shrink::Shrinker;
use std::path::Path;
use std::process::ExitCode;

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
    // A panic is one of the laws; its message would hide the progress.
    std::panic::set_hook(Box::new(|_| {}));
    match run(&options) {
        Ok(line) if line.is_empty() => ExitCode::SUCCESS,
        Ok(line) => {
            println!("{line}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("minimise: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns a line of JSON about the law that is broken; nothing if none is.
fn run(options: &Options) -> Result<String, String> {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("a template"));
    let found = match &options.what {
        What::File(path) => read(path)?,
        What::Hunt { seed, most } => hunted(*seed, *most, &bar),
    };
    let Some((case, broken, executions)) = found else { return Ok(String::new()) };
    let before = case.edits.len();
    let mut shrinker = Shrinker::new(case, broken, &bar);
    shrinker.run();
    bar.finish_and_clear();
    let Shrinker { case, broken, tried, .. } = shrinker;
    let notes = write(&options.out, &case, &broken)?;
    Ok(format!(
        "{{\"law\":{:?},\"what\":{:?},\"tick\":{},\"executions\":{executions},\"tried\":{tried},\
         \"edits_before\":{before},\"edits\":{},\"ticks\":{},\"chunks\":{},\"drawing\":{notes:?}}}",
        broken.law,
        broken.what,
        broken.tick,
        case.edits.len(),
        case.ticks,
        case.chunks(),
    ))
}

/// A case that breaks a law, and which execution found it.
type Found = Option<(Case, Broken, u64)>;

/// Reads a recording, and returns it if it breaks a law. A state that is not the recorded one, and
/// breaks none, is an error: less of it would have another state than that.
fn read(path: &Path) -> Result<Found, String> {
    let in_file = |error: String| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| in_file(error.to_string()))?;
    let recording = match std::str::from_utf8(&bytes) {
        Ok(text) if text.starts_with("floodplain") => Recording::<WaterWorld>::from_text(text),
        _ => Recording::from_bytes(&bytes),
    };
    let recording = recording.map_err(|error| in_file(error.to_string()))?;
    let case = Case::of(&recording).map_err(|error| in_file(error.to_string()))?;
    if let Some(broken) = laws::check(&case, None) {
        return Ok(Some((case, broken, 1)));
    }
    match recording.replay() {
        Ok(_) => Ok(None),
        Err(ReplayError::Differs(divergence)) => Err(in_file(format!(
            "no law is broken, but this build comes to another state: {divergence}"
        ))),
        Err(error) => Err(in_file(error.to_string())),
    }
}

/// Makes random recordings until one breaks a law.
fn hunted(seed: u64, most: u64, bar: &ProgressBar) -> Found {
    for nth in 0..most {
        if nth.is_multiple_of(16) {
            bar.set_message(format!("{nth} recordings of {most}"));
            bar.tick();
        }
        let case = hunt::case(seed.wrapping_mul(1 << 32).wrapping_add(nth));
        if let Some(broken) = laws::check(&case, None) {
            return Some((case, broken, nth + 1));
        }
    }
    bar.finish_and_clear();
    None
}

/// Writes the files. Returns what became of the drawing.
fn write(out: &Path, case: &Case, broken: &Broken) -> Result<String, String> {
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let save = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    let recording = case.recording();
    save("least.rec", &recording.to_bytes())?;
    save("least.txt", recording.to_text().as_bytes())?;
    save("least.rs", source::test(case, broken).as_bytes())?;
    strip::save(&out.join("least.png"), case, broken)?;
    match drawing::draw(case, broken) {
        Err(reason) => Ok(format!("none: {reason}")),
        Ok(text) => {
            save("least.toml", text.as_bytes())?;
            Ok(match drawing::broken_in(&text) {
                Ok(Some(law)) => format!("breaks too: {law}"),
                Ok(None) => "breaks nothing that a scenario checks".to_owned(),
                Err(error) => format!("refused: {error}"),
            })
        }
    }
}
