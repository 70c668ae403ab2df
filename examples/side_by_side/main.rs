//! The same breach three times, side by side: in Luanti's own water, as its server recorded it
//! (`examples/side_by_side/record`), in a height field, and here. One renderer draws all three.
//! Writes `side_by_side.gif` and its last picture, and prints a line of JSON with the water of each
//! at the end, in cells.
//!
//! ```text
//! cargo run --release --example side_by_side -- --out target/side_by_side
//! ```

#[path = "../shared/answer.rs"]
mod answer;
#[path = "../shared/film.rs"]
mod film;
mod height_field;
#[path = "../shared/inks.rs"]
mod inks;
#[path = "../shared/labels.rs"]
mod labels;
#[path = "../shared/oblique.rs"]
mod oblique;
mod picture;
#[path = "../shared/png_file.rs"]
mod png_file;
mod recording;
mod scene;

use film::Film;
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Chunk, Cube, Shape};
use height_field::{HeightField, STEP};
use indicatif::ProgressBar;
use inks::{Inks, Picture};
use recording::Recording;
use scene::Block;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
The same breach in Luanti's own water, in a height field, and here.

Usage: cargo run --release --example side_by_side -- [options]

  --out DIR   folder for side_by_side.gif and side_by_side.png (default: target/side_by_side)
  --nodes     prints the scene as text, for examples/side_by_side/record, and draws nothing
  --help      this text
";

const SEED: u64 = 7;

/// Ticks of the water a second, as in most games, and frames.
const TICKS: u32 = 20;
const FRAMES: u32 = 5;
/// Seconds of the film, before the breach and after it, and of its last picture.
const BEFORE: u32 = 1;
const AFTER: u32 = 16;
const PAUSE: u16 = 300;

fn main() -> ExitCode {
    let answer = match parse(std::env::args_os().skip(1)) {
        Ok(Task::Draw(out)) => draw(&out),
        Ok(Task::Nodes) => Ok(scene::text()),
        Ok(Task::Help) => Ok(HELP.to_owned()),
        Err(error) => Err(error.to_string()),
    };
    answer::print("side_by_side", answer)
}

#[derive(Debug, PartialEq)]
enum Task {
    Draw(PathBuf),
    Nodes,
    Help,
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Task, lexopt::Error> {
    use lexopt::prelude::*;
    let mut task = Task::Draw("target/side_by_side".into());
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        task = match argument {
            Long("out") => Task::Draw(parser.value()?.into()),
            Long("nodes") => Task::Nodes,
            Short('h') | Long("help") => return Ok(Task::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(task)
}

/// The three waters.
struct Waters {
    game: Recording,
    field: HeightField,
    world: WaterWorld,
}

impl Waters {
    fn new() -> Result<Waters, Box<dyn std::error::Error>> {
        let region = scene::region();
        let mut world = WaterWorld::with_bounds(SEED, Rules::lossless(), region)?;
        let voxel = |cell: IVec3| match scene::block(cell) {
            Block::Air => Voxel::OPEN,
            Block::Water => Voxel::water(WaterCell::STILL),
            Block::Ground | Block::Stone | Block::Gap => Voxel::SOLID,
        };
        for chunk in Cube::chunks_of(region) {
            let cells = core::array::from_fn(|index| voxel(Cube::cell_at(chunk, index)));
            world.insert_chunk(chunk, Chunk::from_cells(&cells))?;
        }
        Ok(Waters { game: Recording::new(), field: HeightField::new(), world })
    }

    fn breach(&mut self) -> Result<(), String> {
        self.field.breach();
        for cell in scene::gap() {
            self.world.clear_solid(cell).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Runs up to the picture after so many frames since the breach.
    fn run(&mut self, frames: u32) -> Result<(), String> {
        self.game.follow(frames as f32 / FRAMES as f32)?;
        for _ in 0..(1.0 / STEP / FRAMES as f32).round() as u32 {
            self.field.step();
        }
        self.world.run(u64::from(TICKS / FRAMES));
        Ok(())
    }

    fn draw(&self, seconds: Option<f32>) -> Result<Picture, String> {
        let total = self.world.total();
        let units = |cell| f32::from(self.world.units(cell)) / 7.0;
        picture::row(
            seconds,
            [
                picture::Panel {
                    title: "Luanti's own water",
                    share: &|cell| self.game.share(cell),
                    words: format!("{:.0} % of its water", self.percent(self.game.total())),
                },
                picture::Panel {
                    title: "a height field",
                    share: &|cell| self.field.share(cell),
                    words: format!("{:.2} % of its water", self.percent(self.field.total())),
                },
                picture::Panel {
                    title: "floodplain",
                    share: &units,
                    words: format!("{total} of {} units", 7 * scene::lake()),
                },
            ],
        )
    }

    fn percent(&self, cells: f64) -> f64 {
        cells / scene::lake() as f64 * 100.0
    }
}

fn draw(out: &Path) -> Result<String, String> {
    labels::load_font()?;
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut waters = Waters::new().map_err(|error| error.to_string())?;
    let mut pictures = vec![waters.draw(None)?];
    waters.breach()?;
    let bar = ProgressBar::new((AFTER * FRAMES).into());
    for frame in 1..=AFTER * FRAMES {
        waters.run(frame)?;
        pictures.push(waters.draw(Some(frame as f32 / FRAMES as f32))?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    write(&out.join("side_by_side.gif"), &pictures)?;
    let (width, height) = picture::SIZE;
    let last = pictures.last().map(|picture| picture.concat()).unwrap_or_default();
    png_file::save(&out.join("side_by_side.png"), &last, (width as u32, height as u32))?;
    waters.world.validate().map_err(|violation| violation.to_string())?;
    Ok(format!(
        "{{\"seconds\":{AFTER},\"lake\":{},\"luanti\":{:.2},\"height_field\":{:.4},\
         \"floodplain\":{:.4}}}\n",
        scene::lake(),
        waters.game.total(),
        waters.field.total(),
        waters.world.total() as f64 / 7.0,
    ))
}

fn write(path: &Path, pictures: &[Picture]) -> Result<(), String> {
    let inks = Inks::of(pictures.iter().step_by(4));
    let mut film = Film::create(path, picture::SIZE, &inks.palette, (100 / FRAMES) as u16)?;
    let first = inks.draw(&pictures[0]);
    for _ in 0..BEFORE * FRAMES {
        film.show(&first)?;
    }
    for picture in &pictures[1..] {
        film.show(&inks.draw(picture))?;
    }
    film.end(PAUSE)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let read = |line: &str| parse(line.split_whitespace().map(OsString::from));
        assert_eq!(read("--out there").unwrap(), Task::Draw("there".into()));
        assert_eq!(read("--nodes").unwrap(), Task::Nodes);
        assert_eq!(read("--help").unwrap(), Task::Help);
        assert!(read("there").is_err() && read("--out").is_err());
    }

    #[test]
    fn the_flood_passes_the_culvert_here_and_not_in_the_height_field() {
        let mut waters = Waters::new().unwrap();
        let total = waters.world.total();
        waters.breach().unwrap();
        for frame in 1..=AFTER * FRAMES {
            waters.run(frame).unwrap();
        }
        let behind = IVec3::new(45, 4, 20);
        assert!(waters.world.units(behind) > 0 && waters.world.total() == total);
        assert_eq!(waters.field.share(behind), 0.0);
    }
}
