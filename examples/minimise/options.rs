//! The command line.

use crate::kinds::NAMES;
use floodplain::testing::LAWS;
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
  --out DIR folder for the files (default: target/minimise)
  --help    this text

Of a recording that breaks a law, found.rec is what was found, and least.rec what is left of it;
least.txt is that as text, least.rs as a Rust test, least.png as a film strip if the kind has cells,
least.toml as a scenario if it can be drawn. The line of JSON that is printed says what became of
strip and drawing.

A recording that breaks no law, but comes to another state than was recorded, is cut to the ticks in
which that happens, and written as different.rec and different.txt.

Exit code 0: no law is broken, and no state differs. 1: one is, or one does. 2: a file cannot be read
or written.

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
    let laws: String = LAWS.iter().map(|(name, says)| format!("  {name:<17} {says}\n")).collect();
    format!("{HELP}Kinds: {}\n\nLaws:\n{laws}", NAMES.join(", "))
}

/// Returns the options; `None` if help is wanted.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Options>, String> {
    use lexopt::prelude::{Long, Short, Value, ValueExt};
    let mut out = PathBuf::from("target/minimise");
    let (mut file, mut hunt, mut seed, mut kind) = (None, None, None, None);
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        let name = match argument {
            Short('h') | Long("help") => return Ok(None),
            Long(name) => name.to_owned(),
            Value(path) if file.is_none() => {
                file = Some(PathBuf::from(path));
                continue;
            }
            other => return Err(other.unexpected().to_string()),
        };
        let in_option = |error: lexopt::Error| format!("--{name}: {error}");
        let mut value = || parser.value().map_err(in_option);
        match &name[..] {
            "out" => out = value()?.into(),
            "hunt" => hunt = Some(value()?.parse().map_err(in_option)?),
            "seed" => seed = Some(value()?.parse().map_err(in_option)?),
            "kind" => kind = Some(one_of_kinds(&value()?)?),
            _ => return Err(format!("invalid option '--{name}'")),
        }
    }
    let what = match (file, hunt) {
        (Some(path), None) if kind.is_none() && seed.is_none() => What::File(path),
        (None, Some(most)) => {
            let kind = kind.unwrap_or_else(|| NAMES[0].to_owned());
            What::Hunt { kind, seed: seed.unwrap_or(1), most }
        }
        (Some(_), None) => return Err("--kind and --seed are options of --hunt".to_owned()),
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
    use crate::command_line::{arguments, check};

    #[test]
    fn options_are_read_or_refused_in_one_line() {
        let read = |line: &str| parse(arguments(line));
        let out = PathBuf::from("target/minimise");
        let file = Options { what: What::File("a.rec".into()), out: out.clone() };
        assert_eq!(read("a.rec"), Ok(Some(file)));
        let hunt = |kind: &str, seed, most| What::Hunt { kind: kind.to_owned(), seed, most };
        let there = Options { what: hunt("graph", 7, 90), out: "there".into() };
        assert_eq!(read("--hunt 90 --kind graph --seed 7 --out there"), Ok(Some(there)));
        assert_eq!(read("--hunt 5"), Ok(Some(Options { what: hunt("water", 1, 5), out })));
        check(
            read,
            &[
                "",
                "a b",
                "a --hunt 3",
                "a --seed 3",
                "--hunt x",
                "--hunt",
                "--hunt 3 --kind sand",
                "--law x",
            ],
        );
        assert!(read("--hunt x").unwrap_err().starts_with("--hunt: "), "it names the option");
    }

    #[test]
    fn the_help_has_every_kind_and_law() {
        let help = help();
        assert!(
            NAMES.iter().chain(LAWS.iter().map(|(law, _)| law)).all(|name| help.contains(name))
        );
    }
}
