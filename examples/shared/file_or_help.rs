//! The command line of the examples that have no option but `--help`; some take a file.

use std::ffi::OsString;
use std::path::PathBuf;

/// What a command line asks for.
#[derive(Debug, PartialEq)]
pub enum Asked {
    Help,
    /// A run, with the file if one is named.
    Run(Option<PathBuf>),
}

/// Returns what is asked for; anything but help, and a file where one is taken, is refused in one
/// line.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    takes_file: bool,
) -> Result<Asked, String> {
    use lexopt::prelude::{Long, Short, Value};
    let mut file = None;
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Short('h') | Long("help") => return Ok(Asked::Help),
            Value(path) if takes_file && file.is_none() => file = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    Ok(Asked::Run(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_or_help_is_read_and_all_else_is_refused_in_one_line() {
        let read =
            |line: &str, takes_file| parse(line.split_whitespace().map(OsString::from), takes_file);
        assert_eq!(read("", true), Ok(Asked::Run(None)));
        assert_eq!(read("a.toml", true), Ok(Asked::Run(Some("a.toml".into()))));
        assert_eq!(read("-- --help", true), Ok(Asked::Run(Some("--help".into()))));
        for help in ["--help", "-h", "a.toml --help"] {
            assert_eq!(read(help, true), Ok(Asked::Help), "{help}");
        }
        for (line, takes_file) in
            [("a.toml b.toml", true), ("--what", true), ("-x", false), ("a.toml", false)]
        {
            let error = read(line, takes_file).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
    }
}
