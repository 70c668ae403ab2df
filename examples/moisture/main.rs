//! Rain seeping through sand, loam and clay, round boulders, in a slice of ground 240 cells wide.
//! Writes `moisture.gif` and `moisture.png`; prints one line of JSON with the ledger.
//!
//! ```text
//! cargo run --release --example moisture -- --out target/moisture
//! ```

#[path = "../shared/film.rs"]
mod film;
mod ground;
#[path = "../shared/out_folder.rs"]
mod out_folder;
mod picture;
#[path = "../shared/png_file.rs"]
mod png_file;

use film::Film;
use floodplain::glam::IVec3;
use floodplain::humidity::{HumidityWorld, UNITS};
use indicatif::ProgressBar;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Rain seeping through sand, loam and clay, round boulders.

Usage: cargo run --release --example moisture -- [options]

  --out DIR   folder for moisture.gif and moisture.png (default: target/moisture)
  --help      this text
";

/// Steps of the film, the step at which the rain stops, and steps between frames.
const STEPS: u64 = 48_000;
const RAIN_STEPS: u64 = 36_000;
const STEPS_PER_FRAME: u64 = 600;

/// Hundredths of a second that a frame stays, and the last one longer.
const DELAY: u16 = 8;
const PAUSE: u16 = 200;

fn main() -> ExitCode {
    out_folder::run("moisture", HELP, film)
}

/// Runs the rain, writes the film and the picture; returns a line of JSON.
fn film(out: &Path) -> Result<String, String> {
    let mut world = ground::world().map_err(|error| error.to_string())?;
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let path = out.join("moisture.gif");
    let mut film = Film::create(&path, picture::size(), &picture::palette(), DELAY)?;
    let bar = ProgressBar::new(STEPS);
    film.show(&picture::draw(&world))?;
    while world.ticks() < STEPS {
        if world.ticks() == RAIN_STEPS {
            stop_rain(&mut world)?;
            picture::save(&out.join("moisture.png"), &world)?;
        }
        world.run(STEPS_PER_FRAME);
        film.show(&picture::draw(&world))?;
        bar.set_position(world.ticks());
    }
    bar.finish_and_clear();
    film.end(PAUSE)?;
    let ledger = world.ledger().ok_or("this sweep keeps a ledger")?;
    let humidity = |units: i128| units as f64 / f64::from(UNITS);
    Ok(format!(
        "{{\"steps\":{},\"total\":{:.3},\"rained\":{:.3},\"drained\":{:.3},\"balanced\":{},\
         \"state_hash\":\"{:016x}\"}}\n",
        world.ticks(),
        world.total(),
        humidity(ledger.placed as i128 + ledger.rained),
        humidity(ledger.drained as i128),
        world.total() == humidity(ledger.total() as i128),
        world.state_hash(),
    ))
}

fn stop_rain(world: &mut HumidityWorld) -> Result<(), String> {
    let top = ground::region().max().y;
    for x in 0..ground::WIDTH {
        world.clear_rain(IVec3::new(x, top, 0)).map_err(|error| error.to_string())?;
    }
    Ok(())
}
