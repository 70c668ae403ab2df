//! The film at the head of the README: a charge breaks the dam of a lake, the flood runs down the
//! valley past its village, and moisture spreads in the banks, where a slice of them is cut off to
//! show it. Ground, water, moisture and pressure are one [`World`]. Writes `dam.gif` and `dam.png`;
//! prints one line of JSON with the ledger.
//!
//! ```text
//! cargo run --release --example dam -- --out target/dam
//! ```

mod camera;
mod colours;
#[path = "../shared/film.rs"]
mod film;
mod ground;
#[path = "../shared/inks.rs"]
mod inks;
mod light;
mod noise;
#[path = "../shared/out_folder.rs"]
mod out_folder;
mod pieces;
#[path = "../shared/png_file.rs"]
mod png_file;
mod scene;

use camera::{Camera, Picture};
use film::Film;
use floodplain::world::World;
use indicatif::ProgressBar;
use inks::Inks;
use pieces::Pieces;
use scene::Scene;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
A charge breaks a dam: the lake runs down the valley, and moisture spreads in its banks.

Usage: cargo run --release --example dam -- [options]

  --out DIR   folder for dam.gif and dam.png (default: target/dam)
  --help      this text
";

const SEED: u64 = 7;

/// The film: frames, and ticks in each, from the charge on. It is slow while the dam breaks, faster
/// while the flood runs off, and a time-lapse while the ground drinks and gives back.
const ACTS: [(u64, u64); 3] = [(12, 1), (22, 6), (24, 48)];

/// The frames after which a slice of the block is cut off, cells to a frame, and where that ends:
/// in the bank of the river.
const CUT_AFTER: u64 = 36;
const CUT_EACH: i32 = 4;
const CUT_END: i32 = 72;
const STILL_FRAMES: usize = 8;

/// The tick of `dam.png`.
const POSTER_TICK: u64 = 156;

const FILM_SIZE: (usize, usize) = (480, 270);
const POSTER_SIZE: (usize, usize) = (800, 450);

/// Hundredths of a second that a frame stays, and the last one longer.
const DELAY: u16 = 6;
const PAUSE: u16 = 150;

fn main() -> ExitCode {
    out_folder::run("dam", HELP, film)
}

fn film(out: &Path) -> Result<String, String> {
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut world = ground::world(SEED).map_err(|error| error.to_string())?;
    let pictures = run(&mut world, &out.join("dam.png"))?;
    write(&out.join("dam.gif"), &pictures)?;
    account(&world)
}

/// Lets the charge go off, and takes the pictures of the film and the poster.
fn run(world: &mut World, poster: &Path) -> Result<Vec<Picture>, String> {
    let camera = Camera::new(FILM_SIZE.0, FILM_SIZE.1);
    let bar = ProgressBar::new(ACTS.iter().map(|(frames, _)| frames).sum());
    let (mut scene, mut pieces) = (Scene::new(world), Pieces::default());
    let mut shot = camera.take(&scene);
    let mut pictures = vec![shot.smooth.clone()];
    world.charge(ground::charge(), 6.5, 520.0).map_err(|error| error.to_string())?;
    for (frames, ticks) in ACTS {
        for _ in 0..frames {
            for _ in 0..ticks {
                world.step();
                pieces.throw(&world.take_events(), ground::charge());
                pieces.step(world);
                if world.ticks() == POSTER_TICK {
                    scene.update(world, pieces.cells());
                    save(poster, &scene)?;
                }
            }
            scene.update(world, pieces.cells());
            let cut = bar.position().saturating_sub(CUT_AFTER) as i32 * CUT_EACH;
            scene.cut((ground::SIZE.z - cut).max(CUT_END));
            shot = camera.take_after(&scene, &shot);
            pictures.push(shot.smooth.clone());
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(pictures)
}

fn save(path: &Path, scene: &Scene) -> Result<(), String> {
    let (width, height) = POSTER_SIZE;
    let picture = Camera::new(width, height).take(scene).smooth;
    png_file::save(path, &picture.concat(), (width as u32, height as u32))
}

fn write(path: &Path, pictures: &[Picture]) -> Result<(), String> {
    let inks = Inks::of(pictures.iter().step_by(8));
    let mut film = Film::create(path, FILM_SIZE, &inks.palette, DELAY)?;
    let first = inks.draw(&pictures[0]);
    for _ in 0..STILL_FRAMES {
        film.show(&first)?;
    }
    for picture in &pictures[1..] {
        film.show(&inks.draw(picture))?;
    }
    film.end(PAUSE)?;
    Ok(())
}

/// Returns the ledger as a line of JSON, after checking it against every cell of water and soil.
fn account(world: &World) -> Result<String, String> {
    world.validate().map_err(|violation| violation.to_string())?;
    let ledger = world.ledger();
    let is_balanced = ledger.came_in() - ledger.went_out() == world.total();
    assert!(is_balanced, "water is neither made nor lost");
    Ok(format!(
        "{{\"ticks\":{},\"placed\":{},\"drained\":{},\"evaporated\":{},\"soaked\":{},\
         \"sprung\":{},\"ebbed\":{},\"thrown\":{},\"water\":{},\"balanced\":{}}}\n",
        world.ticks(),
        ledger.water.placed,
        ledger.water.drained,
        ledger.water.evaporated,
        ledger.soaked,
        ledger.sprung,
        ledger.ebbed,
        ledger.thrown,
        world.water().total(),
        is_balanced,
    ))
}
