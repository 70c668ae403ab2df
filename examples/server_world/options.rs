//! The command line.

use crate::number::parse as number;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub const HELP: &str = "\
A game server on a World of soil, water and charges: 20 players, 20 ticks a second, 8 ms of each
for the world.

Usage: cargo run --release --example server_world -- [options]

  --players N  players, 1 to 200 (default: 20)
  --ticks N    ticks of the server, 1 to 100000 (default: 1200)
  --budget N   milliseconds of each tick that the world gets, 1 to 50 (default: 8)
  --dry        no rain: what falls on soil keeps it awake for minutes
  --distance N simulate columns at most N from a player, 0 to 4, of those within 4 that a player
               sees, fewer while the world lags behind; the others stand still (default: 2)
  --out DIR    folder for the save file, server_world.redb (default: target/server_world)
  --help       this text
";

/// Options of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub players: usize,
    pub ticks: u64,
    /// What the world gets of each tick.
    pub budget: Duration,
    pub distance: u32,
    pub has_rain: bool,
    pub out: PathBuf,
}

/// Parses the arguments that follow the program's name; `None` if help is wanted.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Options>, String> {
    use lexopt::prelude::{Long, Short};
    let (budget, out) = (Duration::from_millis(8), PathBuf::from("target/server_world"));
    let mut options =
        Options { players: 20, ticks: 1_200, budget, distance: 2, has_rain: true, out };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("players") => options.players = number(&mut parser, "players", 1..=200)? as usize,
            Long("ticks") => options.ticks = number(&mut parser, "ticks", 1..=100_000)?,
            Long("budget") => {
                options.budget = Duration::from_millis(number(&mut parser, "budget", 1..=50)?)
            }
            Long("distance") => options.distance = number(&mut parser, "distance", 0..=4)? as u32,
            Long("dry") => options.has_rain = false,
            Long("out") => options.out = parser.value().map_err(|error| error.to_string())?.into(),
            other => return Err(other.unexpected().to_string()),
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
        let all = read("--players 3 --ticks 9 --budget 5 --distance 1 --dry --out there")
            .unwrap()
            .unwrap();
        let (budget, out) = (Duration::from_millis(5), PathBuf::from("there"));
        assert_eq!(
            all,
            Options { players: 3, ticks: 9, budget, distance: 1, has_rain: false, out }
        );
        assert_eq!(read("").unwrap().unwrap().players, 20);
        check(read, &["--ticks 0", "--players x", "--budget 51", "--out", "stray", "--what 1"]);
    }
}
