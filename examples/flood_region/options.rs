//! The command line.

use floodplain::glam::IVec3;
use floodplain::import::Sources;
use std::ffi::OsString;
use std::path::PathBuf;

pub const HELP: &str = "\
Floods a Minecraft region: opens a hole in it or lets it rain, draws the water from obliquely
above and in a slice, and writes it back as blocks.

Usage: cargo run --release --example flood_region -- [FILE] [options]

  FILE               region file, .mca (default: a gorge with a dam)
  --breach X,Y,Z,R   makes all blocks within R cells of a cell open (default in the gorge: its dam)
  --rain UNITS       units of water, 7 to a full cell, that fall on each column
  --sea Y            sources at and below this height are sea if they hang together with it
  --springs          sources are springs
  --ticks N          ticks to run (default: 1500)
  --out DIR          folder for view.png, slice.png and the new region
                     (default: target/flood_region)
  --help             this text
";

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The region file, unless it is that of the example.
    pub file: Option<PathBuf>,
    /// The middle and the radius of a hole.
    pub breach: Option<(IVec3, i32)>,
    /// Units of rain on each column.
    pub rain: u32,
    pub sources: Sources,
    pub ticks: u64,
    pub out: PathBuf,
}

/// The largest hole.
const MOST_RADIUS: i32 = 64;

/// Reads the command line; `None` if help is wanted.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut options = Options {
        file: None,
        breach: None,
        rain: 0,
        sources: Sources::Finite,
        ticks: 1500,
        out: "target/flood_region".into(),
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("breach") => options.breach = Some(parser.value()?.parse_with(hole)?),
            Long("rain") => options.rain = parser.value()?.parse()?,
            Long("sea") => options.sources = Sources::Sea(parser.value()?.parse()?),
            Long("springs") => options.sources = Sources::Springs,
            Long("ticks") => options.ticks = parser.value()?.parse()?,
            Long("out") => options.out = parser.value()?.into(),
            Short('h') | Long("help") => return Ok(None),
            Value(file) if options.file.is_none() => options.file = Some(file.into()),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

/// Reads the middle and the radius of a hole.
fn hole(text: &str) -> Result<(IVec3, i32), String> {
    let numbers: Result<Vec<i32>, _> = text.split(',').map(str::parse).collect();
    match numbers.as_deref() {
        Ok(&[x, y, z, radius]) if (0..=MOST_RADIUS).contains(&radius) => {
            Ok((IVec3::new(x, y, z), radius))
        }
        _ => Err(format!("a hole is X,Y,Z,R with R from 0 to {MOST_RADIUS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Options>, String> {
        parse(line.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_read() {
        let read = |line| read(line).unwrap().unwrap();
        let line = "r.0.0.mca --breach 1,-2,3,4 --rain 14 --sea 62 --ticks 9 --out there";
        let wanted = Options {
            file: Some("r.0.0.mca".into()),
            breach: Some((IVec3::new(1, -2, 3), 4)),
            rain: 14,
            sources: Sources::Sea(62),
            ticks: 9,
            out: "there".into(),
        };
        assert_eq!(read(line), wanted);
        assert_eq!(read("--springs").sources, Sources::Springs);
        assert_eq!(read("").file, None);
    }

    #[test]
    fn others_are_refused_in_one_line() {
        for line in ["a b", "--breach 1,2,3", "--breach 1,2,3,65", "--rain x", "--sea", "-x"] {
            let error = read(line).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
        assert_eq!(read("--help"), Ok(None));
    }
}
