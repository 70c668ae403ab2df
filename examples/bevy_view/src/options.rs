//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

pub const HELP: &str = "\
A valley with a lake behind a dam, in a window.

  B                break the dam
  D                dig the block under the mouse
  W                pour water there, as long as the key is down
  S                make a spring there
  mouse, wheel     turn and approach: hold the left button

Usage, in examples/bevy_view: cargo run --release -- [options]

  --client         the world runs on a server, and its mirror is drawn
  --picture FILE   breaks the dam at once, writes a picture (PNG) and ends
  --tick N         the tick of that picture (default: 75)
  --help           this text
";

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Whether a mirror is drawn.
    pub client: bool,
    /// The file of a picture, if one is wanted.
    pub picture: Option<PathBuf>,
    /// The tick in which it is taken.
    pub tick: u64,
}

/// Reads the command line; `None` if help is wanted.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut options = Options { client: false, picture: None, tick: 75 };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("client") => options.client = true,
            Long("picture") => options.picture = Some(parser.value()?.into()),
            Long("tick") => options.tick = parser.value()?.parse()?,
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_file_and_a_tick() {
        let parse = |line: &str| parse(line.split_whitespace().map(OsString::from));
        let wanted = Options { client: true, picture: Some("a.png".into()), tick: 40 };
        assert_eq!(parse("--client --tick 40 --picture a.png").unwrap(), Some(wanted));
        assert_eq!(parse("--help").unwrap(), None);
        assert!(parse("--tick soon").is_err() && parse("--frame 2").is_err());
    }
}
