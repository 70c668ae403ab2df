//! The command line of the examples that only draw: `--out DIR` and `--help`.

#[path = "answer.rs"]
mod answer;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs an example: `draw` gets the folder for its pictures and returns the text to print.
pub fn run(name: &str, help: &str, draw: fn(&Path) -> Result<String, String>) -> ExitCode {
    let default = Path::new("target").join(name);
    let answer = match parse(std::env::args_os().skip(1), default) {
        Ok(Some(out)) => draw(&out),
        Ok(None) => Ok(help.to_owned()),
        Err(error) => Err(error),
    };
    answer::print(name, answer)
}

/// Returns the folder for the pictures; `None` if help is wanted.
fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    default: PathBuf,
) -> Result<Option<PathBuf>, String> {
    use lexopt::prelude::{Long, Short};
    let mut out = default;
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Long("out") => out = parser.value().map_err(|error| error.to_string())?.into(),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected().to_string()),
        }
    }
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused_in_one_line() {
        let read = |line: &str| {
            parse(line.split_whitespace().map(OsString::from), PathBuf::from("default"))
        };
        assert_eq!(read(""), Ok(Some("default".into())));
        assert_eq!(read("--out there"), Ok(Some("there".into())));
        assert_eq!(read("--out there --help"), Ok(None));
        for line in ["--out", "--in x", "stray", "-x"] {
            let error = read(line).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
    }
}
