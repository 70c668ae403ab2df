//! The command line.

use crate::number;
use std::ffi::OsString;
use std::path::PathBuf;

pub const HELP: &str = "\
The water of a game server: 50 players, 20 ticks a second, 5 ms of each for the water.

Usage: cargo run --release --example server_tick -- [options]

  --parts      measure the share of each part: runs of whole ticks, with each part left out in turn
  --seconds N  seconds of game time, 1 to 600 (default: 60, with --parts 15)
  --players N  players, 4 to 200 (default: 50)
  --distance N simulate columns at most N from a player, 0 to 4, of those within 4 that a player
               sees, fewer while the water lags behind; the others stand still (default: 2)
  --all        simulate all columns that are loaded
  --out DIR    folder for server_tick.png (default: target/server_tick)
  --help       this text
";

/// Options of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub parts: bool,
    pub seconds: u64,
    pub players: usize,
    /// `None` for all that is loaded.
    pub distance: Option<u32>,
    pub out: PathBuf,
}

/// Parses the arguments that follow the program's name; `None` if help is wanted.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Options>, String> {
    use lexopt::prelude::{Long, Short};
    let out = PathBuf::from("target/server_tick");
    let mut options = Options { parts: false, seconds: 0, players: 50, distance: Some(2), out };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        let name = match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("parts") => {
                options.parts = true;
                continue;
            }
            Long("all") => {
                options.distance = None;
                continue;
            }
            Long(name) => name.to_owned(),
            other => return Err(other.unexpected().to_string()),
        };
        match &name[..] {
            "seconds" => options.seconds = number::parse(&mut parser, &name, 1..=600)?,
            "players" => options.players = number::parse(&mut parser, &name, 4..=200)? as usize,
            "distance" => {
                options.distance = Some(number::parse(&mut parser, &name, 0..=4)? as u32);
            }
            "out" => options.out = parser.value().map_err(|error| error.to_string())?.into(),
            _ => return Err(format!("invalid option '--{name}'")),
        }
    }
    if options.seconds == 0 {
        options.seconds = if options.parts { 15 } else { 60 };
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
        let all =
            read("--parts --seconds 3 --players 9 --distance 3 --out there").unwrap().unwrap();
        let out = PathBuf::from("there");
        let distance = Some(3);
        assert_eq!(all, Options { parts: true, seconds: 3, players: 9, distance, out });
        assert_eq!(read("--all").unwrap().unwrap().distance, None);
        assert_eq!(read("").unwrap().unwrap().distance, Some(2));
        check(read, &["--seconds 0", "--players x", "--players 3", "--out", "stray", "--what 1"]);
    }
}
