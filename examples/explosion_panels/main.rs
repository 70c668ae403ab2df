//! The two figures of the text that the explosion rules come from, a charge by an obstacle and a
//! charge by a door, at its times, with arrows for the flow and the impulse on a figure standing
//! there; and the same under the wave rule. Writes four PNGs and prints one line of JSON for each.
//!
//! ```text
//! cargo run --release --example explosion_panels -- --out target/explosion_panels
//! ```

mod draw;
#[path = "../shared/png_file.rs"]
mod png_file;

use floodplain::Region;
use floodplain::blast::{BlastWorld, Border, Borders, Probe, Rules};
use floodplain::glam::{DVec3, IVec3};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Explosions beside an obstacle and in a door, at several times, under both rules.

Usage: cargo run --release --example explosion_panels -- [options]

  --out DIR   where the pictures go (default: target/explosion_panels)
  --help      this text
";

/// Nodes along each side of the source's world.
const SIZE: i32 = 30;

/// One of the source's two figures.
struct Figure {
    name: &'static str,
    title: &'static str,
    times: &'static [u64],
    /// First and last y of each part of the wall at x = 10.
    walls: &'static [[i32; 2]],
    /// Where somebody stands.
    stands: IVec3,
}

const FIGURES: [Figure; 2] = [
    Figure {
        name: "obstacle",
        title: "A charge by a small obstacle",
        times: &[1, 4, 10, 20, 40, 80, 200],
        walls: &[[14, 16]],
        stands: IVec3::new(5, 21, 0),
    },
    Figure {
        name: "door",
        title: "A charge by a door in a wall",
        times: &[1, 4, 8, 20, 100, 200],
        walls: &[[0, 14], [17, SIZE - 1]],
        stands: IVec3::new(15, 19, 0),
    },
];

/// What is drawn of one time.
struct Panel {
    time: u64,
    /// For every cell, x fastest: none where the wall is.
    cells: Vec<Option<Cell>>,
    stands: IVec3,
    /// On the figure, since the start, per unit of its cross-section.
    impulse: DVec3,
    exposure: f64,
}

/// A cell's pressure, and the flow vector there.
#[derive(Clone, Copy)]
struct Cell {
    pressure: f64,
    flow: DVec3,
}

fn main() -> ExitCode {
    let answer = match parse(std::env::args_os().skip(1)) {
        Ok(Some(out)) => run(&out),
        Ok(None) => Ok(HELP.to_owned()),
        Err(error) => Err(error),
    };
    match answer {
        // Whoever closed the pipe does not want the answer.
        Ok(text) => drop(std::io::stdout().write_all(text.as_bytes())),
        Err(error) => {
            eprintln!("explosion_panels: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// The folder for the pictures; none if help was asked for.
fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<PathBuf>, String> {
    use lexopt::prelude::{Long, Short};
    let mut out = PathBuf::from("target/explosion_panels");
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("out") => out = parser.value().map_err(|error| error.to_string())?.into(),
            other => return Err(other.unexpected().to_string()),
        }
    }
    Ok(Some(out))
}

/// Draws both figures under both rules; a line of JSON for each.
fn run(out: &std::path::Path) -> Result<String, String> {
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut lines = String::new();
    for (rules, rule) in [(Rules::default(), "diffusive"), (Rules::wave(0.25, 0.9), "wave")] {
        for figure in &FIGURES {
            let mut world = figure.world(rules).map_err(|error| error.to_string())?;
            let panels = figure.panels(&mut world).map_err(|error| error.to_string())?;
            let path = out.join(format!("{}_{rule}.png", figure.name));
            draw::write(&path, &format!("{}, {rule} rule", figure.title), &panels)?;
            let last = panels.last().map_or(DVec3::ZERO, |panel| panel.impulse);
            lines += &format!(
                "{{\"figure\":\"{}\",\"rule\":\"{rule}\",\"steps\":{},\"total\":{:.4},\"impulse\":[{:.4},{:.4}]}}\n",
                figure.name,
                world.ticks(),
                world.total(),
                last.x,
                last.y
            );
        }
    }
    Ok(lines)
}

impl Figure {
    /// The world of the figure: closed left and right, and going round from bottom to top.
    fn world(&self, rules: Rules) -> Result<BlastWorld, Box<dyn std::error::Error>> {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(SIZE - 1, SIZE - 1, 0));
        let borders = Borders { y: Border::Periodic, ..Borders::default() };
        let mut world = BlastWorld::with_bounds(rules, bounds, borders)?;
        for &[first, last] in self.walls {
            world.fill_solid(Region::new(IVec3::new(10, first, 0), IVec3::new(10, last, 0)))?;
        }
        world.set_pressure(IVec3::new(9, 15, 0), 300.0)?;
        Ok(world)
    }

    fn panels(&self, world: &mut BlastWorld) -> Result<Vec<Panel>, Box<dyn std::error::Error>> {
        let mut probe = [Probe::new(self.stands, 1.0)?];
        let mut panels = Vec::new();
        for &time in self.times {
            world.run_probed(time - world.ticks(), &mut probe);
            let cell = |cell: IVec3| {
                let pressure = f64::from(world.pressure(cell));
                (!world.is_solid(cell)).then(|| Cell { pressure, flow: world.flow(cell) })
            };
            panels.push(Panel {
                time,
                cells: world.bounds().positions().map(cell).collect(),
                stands: self.stands,
                impulse: probe[0].impulse(),
                exposure: probe[0].exposure(),
            });
        }
        Ok(panels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_there_is_can_be_asked_for() {
        let parsed = |line: &str| parse(line.split_whitespace().map(OsString::from));
        assert_eq!(parsed("--out there"), Ok(Some("there".into())));
        assert_eq!(parsed("--out there --help"), Ok(None));
        for line in ["--out", "--in x", "stray", "-x"] {
            let error = parsed(line).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
    }
}
