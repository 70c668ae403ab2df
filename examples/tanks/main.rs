//! Overflowing tanks: a spout fills the first tank, whose pressure drives water through a pipe up a
//! chimney; it overflows into the second and that into the third, which fills a roofed cistern.
//! Writes `tanks.gif`, and `tanks.png`: the moment when the spout runs dry.
//!
//! ```text
//! cargo run --release --example tanks -- --out target/tanks
//! ```

#[path = "../shared/film.rs"]
mod film;
#[path = "../shared/out_folder.rs"]
mod out_folder;
mod picture;
mod plan;
#[path = "../shared/png_file.rs"]
mod png_file;

use film::Film;
use floodplain::glam::IVec3;
use floodplain::water2d::{Rules, Water2dWorld};
use indicatif::ProgressBar;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// Steps of the film, steps between frames, and the step at which the spout runs dry.
const STEPS: u64 = 6000;
const STEPS_PER_FRAME: u64 = 40;
const DRY_FROM: u64 = 4000;

/// Units poured in each step into each cell below the spout.
const SPOUT: u32 = 48;

/// Hundredths of a second that a frame stays, and the last one longer.
const DELAY: u16 = 5;
const PAUSE: u16 = 300;

const HELP: &str = "\
Tanks joined by pipes: two-dimensional water with pressure, as a film.

Usage: cargo run --release --example tanks -- [--out DIR]

  --out DIR  folder for tanks.gif and tanks.png (default: target/tanks)
  --help     this text
";

fn main() -> ExitCode {
    out_folder::run("tanks", HELP, |out| {
        film(out).map_err(|error| format!("{}: {error}", out.display()))
    })
}

/// Runs the water, writes the film and the picture; returns a line of JSON about the end.
fn film(out: &Path) -> Result<String, Box<dyn Error>> {
    std::fs::create_dir_all(out)?;
    let mut world: Water2dWorld = plan::build(Rules::default())?;
    let path = out.join("tanks.gif");
    let mut film = Film::create(&path, picture::size(), &picture::palette(), DELAY)?;
    let bar = ProgressBar::new(STEPS);
    for step in 0..STEPS {
        if step.is_multiple_of(STEPS_PER_FRAME) {
            film.show(&picture::draw(&world))?;
            bar.set_position(step);
        }
        if step == DRY_FROM {
            picture::save(&out.join("tanks.png"), &world)?;
        }
        for x in plan::SPOUT {
            if step < DRY_FROM {
                world.pour(IVec3::new(x, plan::size().y - 1, 0), SPOUT)?;
            }
        }
        world.step();
    }
    bar.finish_and_clear();
    film.show(&picture::draw(&world))?;
    film.end(PAUSE)?;
    Ok(format!(
        "{{\"steps\":{},\"total\":{},\"placed\":{},\"at_rest\":{},\"state_hash\":\"{:016x}\"}}\n",
        world.ticks(),
        world.total(),
        world.ledger().placed,
        world.is_at_rest(),
        world.state_hash(),
    ))
}
