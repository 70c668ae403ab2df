//! A valley fills with water and is saved on the way; the game stops without saving, opens the
//! file again, and continues from the last save.
//!
//! `cargo run --release --example save_load -- [FILE]`. Each line says how many of the valley's
//! chunks a save wrote.

#[path = "shared/answer.rs"]
mod answer;
#[path = "shared/file_or_help.rs"]
mod file_or_help;

use file_or_help::Asked;
use floodplain::glam::IVec3;
use floodplain::save_file::{SaveFile, SaveReport};
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Cube, Region, Shape};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
A valley fills with water and is saved on the way; the game stops without saving, opens the file
again and goes on.

Usage: cargo run --release --example save_load -- [FILE]

  FILE    the file of the save, which must not be there yet and is removed in the end
          (default: valley.floodplain in the folder for temporary files)
  --help  this text
";

/// The last corner of the valley: 256 × 64 × 128 cells, 512 chunks.
const END: IVec3 = IVec3::new(255, 63, 127);

fn main() -> ExitCode {
    let answer = match file_or_help::parse(std::env::args_os().skip(1), true) {
        Ok(Asked::Help) => Ok(HELP.to_owned()),
        Ok(Asked::Run(path)) => {
            let path = path.unwrap_or_else(|| std::env::temp_dir().join("valley.floodplain"));
            let in_file = |error: Box<dyn Error>| format!("{}: {error}", path.display());
            play(&path).map(|()| String::new()).map_err(in_file)
        }
        Err(error) => Err(error),
    };
    answer::print("save_load", answer)
}

/// Fills the valley and saves it every 20 ticks, then loads the file and runs on from the last
/// save.
fn play(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut world = valley()?;
    let mut file = SaveFile::create(path, &world)?;
    println!("the whole valley: {} chunks", world.chunks().count());
    for _ in 0..5 {
        world.run(20);
        print(&world, file.save(&world)?);
    }

    // These ticks are never saved, so they are lost. A power cut would lose no more.
    let saved = world.state_hash();
    world.run(7);
    drop(file);

    let (mut file, mut world) = SaveFile::<WaterWorld>::open(path)?;
    assert_eq!(world.state_hash(), saved, "the world of the last save");
    assert_eq!(world.total(), world.ledger().total(), "with every unit of its water");
    println!("opened at tick {}", world.ticks());
    for _ in 0..5 {
        world.run(20);
        print(&world, file.save(&world)?);
    }
    drop(file);
    std::fs::remove_file(path)?;
    Ok(())
}

fn print(world: &WaterWorld, report: SaveReport) {
    let SaveReport { chunks_written, bytes, .. } = report;
    println!("tick {}: {chunks_written} chunks, {} KB", world.ticks(), bytes / 1000);
}

/// Builds the ground, with a spring high up in the west.
fn valley() -> Result<WaterWorld, Box<dyn Error>> {
    let mut world = WaterWorld::with_bounds(7, Rules::default(), Region::new(IVec3::ZERO, END))?;
    for chunk in Cube::chunks_of(Region::new(IVec3::ZERO, END)) {
        world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN))?;
    }
    for column in Region::new(IVec3::ZERO, END.with_y(0)).positions() {
        world.fill_solid(Region::new(column, column.with_y(ground(column))))?;
    }
    world.add_source(IVec3::new(8, 21, 64))?;
    Ok(world)
}

/// The height of the ground in a column: it falls from west to east, and from both sides towards
/// the middle.
fn ground(column: IVec3) -> i32 {
    20 - column.x / 16 + (column.z - 64).abs() / 2
}
