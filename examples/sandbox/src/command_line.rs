//! The command line of the desktop's program.

use crate::model::worlds::Kind;
use crate::options::Options;
use std::ffi::OsString;

pub const HELP: &str = "\
A window to play in with water.

Usage: cargo run --release --manifest-path examples/sandbox/Cargo.toml -- [options]

  --world NAME    valley, dam, u-tube, cave, plain, terraces or hamlet
                  (default: hamlet)
  --script FILE   plays a script: a tick in each frame; ends with it (see src/script/mod.rs)
  --live          lets the script's time pass as for a player, in budgets of time
  --measure       measures what frames cost without a window and its driver, and ends
  --shots DIR     folder for the pictures of the script (default: target/sandbox)
  --save FILE     where K saves and L loads (default: target/sandbox.world)
  --size W H      of the window, in pixels (default: 1280 720)
  --help          this text
";

/// Reads the command line; `None` if help is wanted.
///
/// # Errors
/// One line that says what is wrong.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::{Long, Short, ValueExt};
    let mut options = Options::default();
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("world") => {
                options.world = parser
                    .value()?
                    .parse_with(|name| Kind::from_name(name).ok_or("is none of the worlds"))?;
            }
            Long("script") => options.script = Some(parser.value()?.into()),
            Long("measure") => options.is_measured = true,
            Long("live") => options.is_live = true,
            Long("shots") => options.shots = parser.value()?.into(),
            Long("save") => options.save = parser.value()?.into(),
            Long("size") => options.size = [parser.value()?.parse()?, parser.value()?.parse()?],
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Options>, lexopt::Error> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_are_read() {
        let line = "--world cave --script a.txt --live --shots b --save c --size 640 360";
        let options = Options {
            world: Kind::Cave,
            script: Some("a.txt".into()),
            is_live: true,
            shots: "b".into(),
            save: "c".into(),
            size: [640, 360],
            ..Options::default()
        };
        assert_eq!(read(line).unwrap(), Some(options));
        assert_eq!(read("").unwrap(), Some(Options::default()));
        assert_eq!(read("--world dam --help").unwrap(), None);
    }

    #[test]
    fn errors_are_one_line() {
        for line in ["--world mars", "--size 1", "--size 1 x", "--script", "stray", "-x"] {
            let error = read(line).unwrap_err().to_string();
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
    }
}
