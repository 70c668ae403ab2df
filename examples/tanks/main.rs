//! Overflowing tanks: a spout fills the first, whose pressure drives water through a pipe up a
//! chimney; it overflows into the second, and that into the third, which fills a roofed cistern.
//! Writes `tanks.gif`, and `tanks.png`: the moment in which the spout runs dry.
//!
//! ```text
//! cargo run --release --example tanks -- --out target/tanks
//! ```

mod picture;
mod plan;
#[path = "../shared/png_file.rs"]
mod png_file;

use floodplain::glam::IVec3;
use floodplain::water2d::{Rules, Water2dWorld};
use indicatif::ProgressBar;
use picture::Film;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Steps of the film, steps between its pictures, and the step after which no more water comes.
const STEPS: u64 = 6000;
const STEPS_A_PICTURE: u64 = 40;
const DRY_FROM: u64 = 4000;

/// Units that fall in each step into each cell below the spout.
const SPOUT: u32 = 48;

const HELP: &str = "\
Tanks joined by pipes: two-dimensional water with pressure, as a film.

Usage: cargo run --release --example tanks -- [--out DIR]

  --out DIR  where tanks.gif and tanks.png go (default: target/tanks)
  --help     this text
";

fn main() -> ExitCode {
    let done = match folder(lexopt::Parser::from_env()) {
        Ok(None) => Ok(HELP.to_owned()),
        Ok(Some(out)) => run(&out),
        Err(error) => Err(error),
    };
    match done {
        // Whoever closed the pipe does not want the answer.
        Ok(text) => drop(std::io::stdout().write_all(text.as_bytes())),
        Err(error) => {
            eprintln!("tanks: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Where the pictures go; `None` if help is wanted.
fn folder(mut arguments: lexopt::Parser) -> Result<Option<PathBuf>, String> {
    use lexopt::prelude::{Long, Short};
    let mut out = PathBuf::from("target/tanks");
    while let Some(argument) = arguments.next().map_err(|error| error.to_string())? {
        match argument {
            Long("out") => out = arguments.value().map_err(|error| error.to_string())?.into(),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected().to_string()),
        }
    }
    Ok(Some(out))
}

/// Runs the water, writes the film and the picture; a line about the end.
fn run(out: &std::path::Path) -> Result<String, String> {
    let said = |error: &dyn std::fmt::Display| format!("{}: {error}", out.display());
    std::fs::create_dir_all(out).map_err(|error| said(&error))?;
    let mut world: Water2dWorld =
        plan::build(Rules::default()).map_err(|error| error.to_string())?;
    let mut film =
        Film::create(&out.join("tanks.gif"), plan::size()).map_err(|error| said(&error))?;
    let bar = ProgressBar::new(STEPS);
    for step in 0..STEPS {
        if step.is_multiple_of(STEPS_A_PICTURE) {
            film.show(&world).map_err(|error| said(&error))?;
            bar.set_position(step);
        }
        if step == DRY_FROM {
            film.save(&world, &out.join("tanks.png")).map_err(|error| said(&error))?;
        }
        for x in plan::SPOUT {
            if step < DRY_FROM {
                world
                    .pour(IVec3::new(x, plan::size().y - 1, 0), SPOUT)
                    .map_err(|error| error.to_string())?;
            }
        }
        world.step();
    }
    bar.finish_and_clear();
    film.end(&world).map_err(|error| said(&error))?;
    let ledger = world.ledger();
    Ok(format!(
        "{{\"steps\":{},\"total\":{},\"placed\":{},\"at_rest\":{},\"state_hash\":\"{:016x}\"}}\n",
        world.ticks(),
        world.total(),
        ledger.placed,
        world.is_at_rest(),
        world.state_hash(),
    ))
}
