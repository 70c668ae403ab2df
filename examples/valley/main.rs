//! A storm over real ground: rain on the whole map, then springs at its valley heads, on finite
//! water that drains at the edges. Writes `valley.gif`, `valley.png` and `hydrograph.png`, and one
//! line of JSON with the ledger.
//!
//! ```text
//! cargo run --release --example valley -- --help
//! ```

mod chart;
mod dem;
mod draw;
mod film;
mod ground;
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
use floodplain::water::WaterWorld;
use ground::Ground;
use indicatif::{ProgressBar, ProgressStyle};
use options::{Options, Request};
use rivers::Rivers;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use storm::Storm;
use view::View;

/// The most pictures in the film, without the first, and points in the hydrograph.
const FRAMES: u64 = 100;
const POINTS: u64 = 240;

fn main() -> ExitCode {
    let answer = match options::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => Ok(options::HELP.to_owned()),
        Ok(Request::Run(options)) => run(&options).map(|json| json + "\n"),
        Err(error) => Err(error),
    };
    match answer {
        // Whoever closed the pipe does not want the answer.
        Ok(text) => drop(std::io::stdout().write_all(text.as_bytes())),
        Err(error) => {
            eprintln!("valley: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Reads the map, runs the water over it, writes the pictures; the line of JSON.
fn run(options: &Options) -> Result<String, String> {
    let started = Instant::now();
    chart::load_font()?;
    let dem = Dem::open(&options.dem)?;
    let rivers = Rivers::of(&dem);
    let ground = Ground::new(&dem, &rivers, options.metres_per_voxel)?;
    let mut world = ground.world(options.seed)?;
    std::fs::create_dir_all(&options.out).map_err(|error| at(&options.out, error))?;

    let mut storm = Storm::new(options.seed, options.ticks, &ground, rivers.heads(&dem));
    let film_path = options.out.join("valley.gif");
    let film = File::create(&film_path).map_err(|error| at(&film_path, error))?;
    let mut film = Film::new(BufWriter::new(film), dem.width, dem.depth)?;
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
    film.end()?.flush().map_err(|error| at(&film_path, error))?;
    map::write(
        &options.out.join("valley.png"),
        &inks(&relief, &view),
        dem.width,
        options.metres_per_voxel,
    )?;
    chart::hydrograph(&options.out.join("hydrograph.png"), &record, storm.end())?;
    Ok(json(&world, started.elapsed().as_secs_f64()))
}

fn progress_bar(ticks: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} tick {pos} of {len}, {eta} left");
    ProgressBar::new(ticks).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn inks(relief: &Relief, view: &View) -> Vec<Ink> {
    view.water.iter().enumerate().map(|(column, &water)| relief.ink(column, water)).collect()
}

/// The ledger, and whether it is what one finds by counting the water of every cell.
fn json(world: &WaterWorld, seconds: f64) -> String {
    let ledger = world.ledger();
    let units =
        |voxel: floodplain::water::Voxel| voxel.cell().map_or(0, |cell| u64::from(cell.height()));
    let counted: u64 = world
        .chunks()
        .map(|(_, chunk)| match chunk.as_uniform() {
            Some(voxel) => units(voxel) * CHUNK_CELLS as u64,
            None => (0..CHUNK_CELLS).map(|index| units(chunk.get(index))).sum(),
        })
        .sum();
    format!(
        "{{\"ticks\":{},\"seed\":{},\"total\":{counted},\"placed\":{},\"injected\":{},\"removed\":{},\"drained\":{},\
         \"evaporated\":{},\"balanced\":{},\"seconds\":{seconds:.2},\"state_hash\":\"{:016x}\"}}",
        world.ticks(),
        world.seed(),
        ledger.placed,
        ledger.injected,
        ledger.removed,
        ledger.drained,
        ledger.evaporated,
        counted == ledger.total(),
        world.state_hash(),
    )
}

fn at(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
