//! The command line.

use crate::number;
use std::ffi::OsString;
use std::path::PathBuf;

pub const HELP: &str = "\
Chunk updates and cells a second of this machine.

Usage: cargo run --release --example throughput -- [options]

  --samples N     runs of each workload, 1 to 99 (default: 5)
  --threads N     only with so many threads, 1 to 256 (default: with one, and with all)
  --only NAME     only this workload; may also be a long one, which are those of benches/compare
  --against FILE  compare with the throughput.jsonl of an earlier run
  --out DIR       folder for throughput.jsonl and throughput.png (default: target/throughput)
  --help          this text
";

/// Options of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub samples: usize,
    pub threads: Vec<usize>,
    pub only: Option<String>,
    pub against: Option<PathBuf>,
    pub out: PathBuf,
}

/// Returns the options of the arguments that follow the program's name; `None` if help is wanted.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Options>, String> {
    use lexopt::prelude::{Long, Short, ValueExt};
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options {
        samples: 5,
        threads: if all > 1 { vec![1, all] } else { vec![1] },
        only: None,
        against: None,
        out: PathBuf::from("target/throughput"),
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        let name = match argument {
            Short('h') | Long("help") => return Ok(None),
            Long(name) => name.to_owned(),
            other => return Err(other.unexpected().to_string()),
        };
        let mut value = || parser.value().map_err(|error| format!("--{name}: {error}"));
        match &name[..] {
            "samples" => options.samples = number::parse(&mut parser, &name, 1..=99)? as usize,
            "threads" => {
                options.threads = vec![number::parse(&mut parser, &name, 1..=256)? as usize];
            }
            "only" => {
                options.only = Some(value()?.string().map_err(|error| format!("--only: {error}"))?);
            }
            "against" => options.against = Some(value()?.into()),
            "out" => options.out = value()?.into(),
            _ => return Err(format!("invalid option '--{name}'")),
        }
    }
    Ok(Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::{arguments, check};

    #[test]
    fn options_are_read_or_refused_in_one_line() {
        let read = |line: &str| parse(arguments(line));
        let options = read("--samples 3 --threads 2 --only sea --against a.jsonl --out b")
            .expect("valid")
            .expect("a run");
        assert_eq!((options.samples, options.threads), (3, vec![2]));
        assert_eq!(options.only.as_deref(), Some("sea"));
        assert_eq!((options.against, options.out), (Some("a.jsonl".into()), "b".into()));
        check(read, &["--samples 0", "--samples x", "--threads 257", "--what", "more", "--only"]);
    }
}
