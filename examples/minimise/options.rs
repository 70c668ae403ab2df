//! The command line.

use crate::kinds::NAMES;
use floodplain::testing::law;
use std::ffi::OsString;
use std::path::PathBuf;

const HELP: &str = "\
Makes a recording that breaks a law as small as it gets.

Usage: cargo run --release --example minimise -- FILE [--out DIR]
       cargo run --release --example minimise -- --hunt N [--kind K] [--seed S] [--out DIR]

  FILE      a recording of a world of any kind, as bytes or as text
  --hunt N  make up to N random recordings until one breaks a law
  --kind K  of worlds of this kind (default: water)
  --seed S  the seed of these (default: 1)
  --out DIR folder for found.rec, least.rec, least.txt, least.rs, and where the kind has them,
            least.png and least.toml (default: target/minimise)
  --help    this text

A recording that breaks no law, but comes to another state than was recorded, is cut to the ticks in
which that happens, and written as different.rec and different.txt.

";

/// What is to be made small.
#[derive(Debug, PartialEq)]
pub enum What {
    File(PathBuf),
    Hunt { kind: String, seed: u64, most: u64 },
}

#[derive(Debug, PartialEq)]
pub struct Options {
    pub what: What,
    pub out: PathBuf,
}

pub fn help() -> String {
    let laws: String =
        law::ALL.iter().map(|(name, says)| format!("  {name:<17} {says}\n")).collect();
    format!("{HELP}Kinds: {}\n\nLaws:\n{laws}", NAMES.join(", "))
}

/// Returns the options; `None` if help is wanted.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Options>, String> {
    use lexopt::prelude::{Long, Short, Value, ValueExt};
    let mut out = PathBuf::from("target/minimise");
    let (mut file, mut hunt, mut seed, mut kind) = (None, None, None, None);
    let mut parser = lexopt::Parser::from_args(arguments);
    let one_line = |error: lexopt::Error| error.to_string();
    while let Some(argument) = parser.next().map_err(one_line)? {
        match argument {
            Long("out") => out = parser.value().map_err(one_line)?.into(),
            Long("hunt") => hunt = Some(parser.value().and_then(|n| n.parse()).map_err(one_line)?),
            Long("seed") => seed = Some(parser.value().and_then(|s| s.parse()).map_err(one_line)?),
            Long("kind") => kind = Some(one_of_kinds(&parser.value().map_err(one_line)?)?),
            Short('h') | Long("help") => return Ok(None),
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let what = match (file, hunt) {
        (Some(path), None) if kind.is_none() && seed.is_none() => What::File(path),
        (None, Some(most)) => {
            let kind = kind.unwrap_or_else(|| NAMES[0].to_owned());
            What::Hunt { kind, seed: seed.unwrap_or(1), most }
        }
        _ => return Err("one of FILE and --hunt N is needed; see --help".to_owned()),
    };
    Ok(Some(Options { what, out }))
}

fn one_of_kinds(name: &OsString) -> Result<String, String> {
    let kind = NAMES.into_iter().find(|kind| name == kind);
    let kind = kind.ok_or_else(|| format!("--kind is one of {}", NAMES.join(", ")))?;
    Ok(kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused_in_one_line() {
        let read = |line: &str| parse(line.split_whitespace().map(OsString::from));
        let out = PathBuf::from("target/minimise");
        let file = Options { what: What::File("a.rec".into()), out: out.clone() };
        assert_eq!(read("a.rec"), Ok(Some(file)));
        let hunt = |kind: &str, seed, most| What::Hunt { kind: kind.to_owned(), seed, most };
        let there = Options { what: hunt("graph", 7, 90), out: "there".into() };
        assert_eq!(read("--hunt 90 --kind graph --seed 7 --out there"), Ok(Some(there)));
        assert_eq!(read("--hunt 5"), Ok(Some(Options { what: hunt("water", 1, 5), out })));
        assert_eq!(read("--help"), Ok(None));
        for line in [
            "",
            "a b",
            "a --hunt 3",
            "a --seed 3",
            "--hunt x",
            "--hunt",
            "--hunt 3 --kind sand",
            "--law x",
        ] {
            let error = read(line).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
    }

    #[test]
    fn the_help_has_every_kind_and_law() {
        let help = help();
        assert!(
            NAMES.iter().chain(law::ALL.iter().map(|(law, _)| law)).all(|name| help.contains(name))
        );
    }
}
