//! The command line: options, their defaults, and the errors for bad values.

use std::ffi::OsString;
use std::path::PathBuf;

/// Options of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub dem: PathBuf,
    pub metres_per_voxel: f64,
    pub ticks: u64,
    pub seed: u64,
    pub out: PathBuf,
}

/// What the command line requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Run(Options),
    Help,
}

pub const HELP: &str = "\
A storm over real ground, then springs in its valley heads.

Usage: cargo run --release --example valley -- [options]

  --dem FILE            heights in metres, a grey 8- or 16-bit PNG with north up
                        (default: the Jacksboro fault in examples/data)
  --metres-per-voxel M  height of a voxel in metres (default: 4)
  --ticks N             length of the run (default: 480)
  --seed S              seed of the rain and of the water (default: 7)
  --out DIR             folder for the pictures (default: target/valley)
  --help                this text
";

/// The most ticks; fewer than would overflow a count of frames or units.
const MOST_TICKS: u64 = 1_000_000_000;

impl Default for Options {
    fn default() -> Self {
        Options {
            dem: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/jacksboro_dem_m.png")),
            metres_per_voxel: 4.0,
            ticks: 480,
            seed: 7,
            out: PathBuf::from("target/valley"),
        }
    }
}

/// Parses the arguments that follow the program's name.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    use lexopt::prelude::{Long, Short, ValueExt};
    let mut options = Options::default();
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        let name = match argument {
            Short('h') | Long("help") => return Ok(Request::Help),
            Long(name) => name.to_owned(),
            other => return Err(other.unexpected().to_string()),
        };
        let mut text = || -> Result<String, String> {
            let value = parser.value().map_err(|error| error.to_string())?;
            value.string().map_err(|error| format!("--{name}: {error}"))
        };
        match name.as_str() {
            "dem" => options.dem = parser.value().map_err(|error| error.to_string())?.into(),
            "out" => options.out = parser.value().map_err(|error| error.to_string())?.into(),
            "metres-per-voxel" => options.metres_per_voxel = metres(&text()?)?,
            "ticks" => options.ticks = whole("ticks", &text()?, MOST_TICKS)?,
            "seed" => options.seed = whole("seed", &text()?, u64::MAX)?,
            _ => return Err(format!("there is no option --{name}; --help lists them")),
        }
    }
    Ok(Request::Run(options))
}

fn metres(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(metres) if metres.is_finite() && metres > 0.0 => Ok(metres),
        _ => Err(format!("--metres-per-voxel is a number above 0, not {text:?}")),
    }
}

fn whole(name: &str, text: &str, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(value) if value <= most => Ok(value),
        _ => Err(format!("--{name} is a whole number from 0 to {most}, not {text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn every_option_is_read() {
        let line =
            "--dem a.png --metres-per-voxel 2.5 --ticks=0 --seed 18446744073709551615 --out there";
        let options = Options {
            dem: "a.png".into(),
            metres_per_voxel: 2.5,
            ticks: 0,
            seed: u64::MAX,
            out: "there".into(),
        };
        assert_eq!(parsed(line), Ok(Request::Run(options)));
        assert_eq!(parsed(""), Ok(Request::Run(Options::default())));
        assert_eq!(parsed("--seed 1 --help"), Ok(Request::Help));
    }

    #[test]
    fn bad_values_are_refused_in_one_line_that_names_the_option() {
        for value in ["0", "-4", "NaN", "inf", "four", ""] {
            let error = parse(["--metres-per-voxel", value].map(OsString::from)).unwrap_err();
            assert!(error.starts_with("--metres-per-voxel is a number above 0"), "{error}");
        }
        for line in [
            "--ticks -1",
            "--ticks 1.5",
            "--ticks 1000000001",
            "--ticks",
            "--seed x",
            "--rain 3",
            "stray",
            "-x",
        ] {
            let error = parsed(line).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
    }
}
