//! A storm over real ground: rain on the whole map, then springs at its valley heads; the water is
//! finite and drains at the edges. Writes `valley.gif`, `valley.png` and `hydrograph.png`, and
//! prints one line of JSON with the ledger.
//!
//! ```text
//! cargo run --release --example valley -- --help
//! ```

#[path = "../shared/answer.rs"]
mod answer;
mod chart;
mod dem;
mod draw;
#[path = "../shared/film.rs"]
mod film;
mod ground;
#[path = "../shared/labels.rs"]
mod labels;
mod map;
mod options;
#[path = "../shared/png_file.rs"]
mod png_file;
mod rivers;
mod storm;
mod view;

use chart::Record;
use dem::Dem;
use draw::{Ink, Relief};
use film::Film;
use floodplain::CHUNK_CELLS;
use floodplain::water::{Rules, Voxel, WaterWorld};
use ground::Ground;
use indicatif::{ProgressBar, ProgressStyle};
use options::{Options, Request};
use rivers::Rivers;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use storm::Storm;
use view::View;

/// The most frames in the film, not counting the first, and the most points in the hydrograph.
const FRAMES: u64 = 100;
const POINTS: u64 = 240;

/// Hundredths of a second that a frame stays, and the last one longer.
const DELAY: u16 = 6;
const PAUSE: u16 = 250;

fn main() -> ExitCode {
    let answer = match options::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => Ok(options::HELP.to_owned()),
        Ok(Request::Run(options)) => storm(&options),
        Err(error) => Err(error),
    };
    answer::print("valley", answer)
}

/// Runs a storm over the map and writes the pictures; returns the line of JSON.
fn storm(options: &Options) -> Result<String, String> {
    let started = Instant::now();
    labels::load_font()?;
    let dem = Dem::open(&options.dem)?;
    let rivers = Rivers::of(&dem);
    let ground = Ground::new(&dem, &rivers, options.metres_per_voxel)?;
    let mut world = ground.world(options.seed, Rules::default())?;
    create_folder(&options.out)?;

    let mut storm = Storm::new(options.seed, options.ticks, &ground, rivers.heads(&dem));
    let path = options.out.join("valley.gif");
    let mut film = Film::create(&path, (dem.width, dem.depth), &draw::palette(), DELAY)?;
    let relief = Relief::new(&dem);
    let mut view = View::new(&ground);
    let mut record = Record::new();
    let bar = progress_bar(options.ticks);
    film.show(&inks(&relief, &view))?;
    for tick in 0..options.ticks {
        if tick.is_multiple_of(options.ticks.div_ceil(POINTS)) {
            record.push((tick, world.ledger()));
        }
        storm.weather(tick, &ground, &mut world)?;
        world.step();
        if (tick + 1).is_multiple_of(options.ticks.div_ceil(FRAMES)) {
            view.update(&ground, &mut world);
            film.show(&inks(&relief, &view))?;
            bar.set_position(tick + 1);
        }
    }
    record.push((options.ticks, world.ledger()));
    bar.finish_and_clear();

    view.update(&ground, &mut world);
    film.end(PAUSE)?;
    map::write(
        &options.out.join("valley.png"),
        &inks(&relief, &view),
        dem.width,
        options.metres_per_voxel,
    )?;
    chart::hydrograph(&options.out.join("hydrograph.png"), &record, storm.end())?;
    Ok(json(&world, started))
}

fn create_folder(path: &Path) -> Result<(), String> {
    std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn progress_bar(ticks: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} tick {pos} of {len}, {eta} left");
    ProgressBar::new(ticks).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn inks(relief: &Relief, view: &View) -> Vec<Ink> {
    view.water.iter().enumerate().map(|(column, &water)| relief.ink(column, water)).collect()
}

/// The ledger, and whether it balances with the water counted cell by cell.
fn json(world: &WaterWorld, started: Instant) -> String {
    let ledger = world.ledger();
    let units = |voxel: Voxel| voxel.cell().map_or(0, |cell| u64::from(cell.height()));
    let counted: u64 = world
        .chunks()
        .map(|(_, chunk)| match chunk.as_uniform() {
            Some(voxel) => units(voxel) * CHUNK_CELLS as u64,
            None => (0..CHUNK_CELLS).map(|index| units(chunk.get(index))).sum(),
        })
        .sum();
    format!(
        "{{\"ticks\":{},\"seed\":{},\"total\":{counted},\"placed\":{},\"injected\":{},\
         \"removed\":{},\"drained\":{},\"evaporated\":{},\"balanced\":{},\
         \"seconds\":{:.2},\"state_hash\":\"{:016x}\"}}\n",
        world.ticks(),
        world.seed(),
        ledger.placed,
        ledger.injected,
        ledger.removed,
        ledger.drained,
        ledger.evaporated,
        counted == ledger.total(),
        started.elapsed().as_secs_f64(),
        world.state_hash(),
    )
}
