//! A valley fills with water and is saved on the way; the game stops without saving, opens the
//! file again, and continues from the last save.
//!
//! `cargo run --release --example save_load [FILE]`. Each line says how many of the valley's chunks
//! a save wrote.

use floodplain::glam::IVec3;
use floodplain::save_file::{SaveFile, SaveReport};
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Cube, Region, Shape};
use std::error::Error;
use std::path::PathBuf;

/// The last corner of the valley: 256 × 64 × 128 cells, 512 chunks.
const END: IVec3 = IVec3::new(255, 63, 127);

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("valley.floodplain"), PathBuf::from);
    let mut world = valley()?;
    let mut file = SaveFile::create(&path, &world)?;
    println!("the whole valley: {} chunks", world.chunks().count());
    for _ in 0..5 {
        world.run(20);
        print(&world, file.save(&world)?);
    }

    // These ticks are never saved, so they are lost. A power cut would lose no more.
    let saved = world.state_hash();
    world.run(7);
    drop(file);

    let (mut file, mut world) = SaveFile::<WaterWorld>::open(&path)?;
    assert_eq!(world.state_hash(), saved, "the world of the last save");
    assert_eq!(world.total(), world.ledger().total(), "with every unit of its water");
    println!("opened at tick {}", world.ticks());
    for _ in 0..5 {
        world.run(20);
        print(&world, file.save(&world)?);
    }
    drop(file);
    std::fs::remove_file(&path)?;
    Ok(())
}

fn print(world: &WaterWorld, report: SaveReport) {
    let SaveReport { chunks_written, bytes, .. } = report;
    println!("tick {}: {chunks_written} chunks, {} KB", world.ticks(), bytes / 1000);
}

/// Builds the ground, with a spring high up in the west.
fn valley() -> Result<WaterWorld, Box<dyn Error>> {
    let mut world = WaterWorld::with_bounds(7, Rules::default(), Region::new(IVec3::ZERO, END))?;
    for chunk in Region::new(IVec3::ZERO, Cube::chunk_of(END)).positions() {
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
