//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

const HELP: &str = "\
Makes a recording that breaks a law of water as small as it gets.

Usage: cargo run --release --example minimise -- FILE [--out DIR]
       cargo run --release --example minimise -- --hunt N [--seed S] [--out DIR]

  FILE      a recording of water, as bytes or as text
  --hunt N  make up to N random recordings until one breaks a law
  --seed S  the seed of these (default: 1)
  --out DIR folder for least.rec, least.txt, least.toml, least.rs and least.png
            (default: target/minimise)
  --help    this text

Laws:
";

/// What is to be made small.
#[derive(Debug, PartialEq)]
pub enum What {
    File(PathBuf),
    Hunt { seed: u64, most: u64 },
}

#[derive(Debug, PartialEq)]
pub struct Options {
    pub what: What,
    pub out: PathBuf,
}

pub fn help() -> String {
    let laws = crate::laws::LAWS.iter().map(|(name, says)| format!("  {name:<9} {says}\n"));
    HELP.chars().chain(laws.collect::<String>().chars()).collect()
}

/// Returns the options; `None` if help is wanted.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Options>, String> {
    use lexopt::prelude::{Long, Short, Value, ValueExt};
    let mut out = PathBuf::from("target/minimise");
    let (mut file, mut hunt, mut seed) = (None, None, 1);
    let mut parser = lexopt::Parser::from_args(arguments);
    let one_line = |error: lexopt::Error| error.to_string();
    while let Some(argument) = parser.next().map_err(one_line)? {
        match argument {
            Long("out") => out = parser.value().map_err(one_line)?.into(),
            Long("hunt") => hunt = Some(parser.value().and_then(|n| n.parse()).map_err(one_line)?),
            Long("seed") => seed = parser.value().and_then(|s| s.parse()).map_err(one_line)?,
            Short('h') | Long("help") => return Ok(None),
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let what = match (file, hunt) {
        (Some(path), None) => What::File(path),
        (None, Some(most)) => What::Hunt { seed, most },
        _ => return Err("one of FILE and --hunt N is needed; see --help".to_owned()),
    };
    Ok(Some(Options { what, out }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused_in_one_line() {
        let read = |line: &str| parse(line.split_whitespace().map(OsString::from));
        let out = PathBuf::from("target/minimise");
        let file = Options { what: What::File("a.rec".into()), out };
        assert_eq!(read("a.rec"), Ok(Some(file)));
        let what = What::Hunt { seed: 7, most: 90 };
        let hunt = Options { what, out: "there".into() };
        assert_eq!(read("--hunt 90 --seed 7 --out there"), Ok(Some(hunt)));
        assert_eq!(read("--help"), Ok(None));
        for line in ["", "a b", "a --hunt 3", "--hunt x", "--hunt", "--law x"] {
            let error = read(line).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
    }
}
