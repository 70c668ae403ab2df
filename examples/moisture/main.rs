//! Rain seeping through sand, loam and clay, round boulders, in a slice of ground 240 cells wide.
//! Writes `moisture.gif` and `moisture.png`, and one line of JSON with the ledger.
//!
//! ```text
//! cargo run --release --example moisture -- --out target/moisture
//! ```

mod ground;
mod picture;
#[path = "../shared/png_file.rs"]
mod png_file;

use floodplain::glam::IVec3;
use floodplain::humidity::{HumidityWorld, UNITS};
use indicatif::ProgressBar;
use picture::Film;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Rain seeping through sand, loam and clay, round boulders.

Usage: cargo run --release --example moisture -- [options]

  --out DIR   where the pictures go (default: target/moisture)
  --help      this text
";

/// Steps, those after which the rain stops, and those from one picture to the next.
const STEPS: u64 = 48_000;
const RAIN_STEPS: u64 = 36_000;
const STEPS_A_FRAME: u64 = 600;

fn main() -> ExitCode {
    let answer = match out_folder(std::env::args_os().skip(1)) {
        Ok(None) => Ok(HELP.to_owned()),
        Ok(Some(out)) => run(&out),
        Err(error) => Err(error),
    };
    match answer {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("moisture: {error}");
            ExitCode::from(2)
        }
    }
}

/// What `--out` says; `None` if help is asked for.
fn out_folder(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<PathBuf>, String> {
    use lexopt::prelude::{Long, Short};
    let mut out = PathBuf::from("target/moisture");
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("out") => out = parser.value().map_err(|error| error.to_string())?.into(),
            other => return Err(other.unexpected().to_string()),
        }
    }
    Ok(Some(out))
}

fn run(out: &Path) -> Result<String, String> {
    let mut world = ground::world().map_err(|error| error.to_string())?;
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut film = Film::create(&out.join("moisture.gif"))?;
    let bar = ProgressBar::new(STEPS);
    film.show(&world)?;
    while world.ticks() < STEPS {
        if world.ticks() == RAIN_STEPS {
            stop_rain(&mut world)?;
            picture::save(&out.join("moisture.png"), &world)?;
        }
        world.run(STEPS_A_FRAME);
        film.show(&world)?;
        bar.set_position(world.ticks());
    }
    bar.finish_and_clear();
    film.end()?;
    let ledger = world.ledger().ok_or("this sweep keeps a ledger")?;
    let humidity = |units: i128| units as f64 / f64::from(UNITS);
    let counted: f64 = ground::region().positions().map(|cell| world.humidity(cell)).sum();
    Ok(format!(
        "{{\"steps\":{},\"total\":{:.3},\"rained\":{:.3},\"drained\":{:.3},\"balanced\":{},\"state_hash\":\"{:016x}\"}}\n",
        world.ticks(),
        counted,
        humidity(ledger.placed as i128 + ledger.rained),
        humidity(ledger.drained as i128),
        counted == world.total(),
        world.state_hash(),
    ))
}

fn stop_rain(world: &mut HumidityWorld) -> Result<(), String> {
    let top = ground::region().max().y;
    for x in 0..ground::WIDTH {
        world.clear_rain(IVec3::new(x, top, 0)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused_in_one_line() {
        let read = |line: &str| out_folder(line.split_whitespace().map(OsString::from));
        assert_eq!(read("--out there"), Ok(Some("there".into())));
        assert_eq!(read("--help"), Ok(None));
        for line in ["--rain", "stray", "--out"] {
            assert!(!read(line).unwrap_err().contains('\n'), "{line}");
        }
    }
}
