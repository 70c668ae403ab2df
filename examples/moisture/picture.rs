//! The pictures: soils by their colour, moisture as a blue over it, boulders grey.

use crate::ground::{CLAY, HEIGHT, LOAM, SAND, WIDTH};
use crate::png_file;
use floodplain::glam::IVec3;
use floodplain::humidity::HumidityWorld;
use gif::{Encoder, Frame, Repeat};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Pixels to a cell, along each axis.
const SCALE: usize = 3;
/// Hundredths of a second that a picture stays, and the last one.
const DELAY: u16 = 8;
const LAST_DELAY: u16 = 200;

/// Steps of moisture from dry to wettest.
const WETNESS: usize = 48;
/// Dry sand, loam and clay, and each of them at its wettest.
const SOILS: [(f32, [u8; 3], [u8; 3]); 3] = [
    (SAND, [226, 200, 140], [36, 104, 190]),
    (LOAM, [172, 128, 84], [24, 70, 150]),
    (CLAY, [196, 104, 72], [40, 40, 120]),
];
const ROCK: u8 = (SOILS.len() * WETNESS) as u8;
const ROCK_COLOUR: [u8; 3] = [96, 96, 100];

fn palette() -> Vec<u8> {
    let mut colours = Vec::new();
    for (_, dry, wet) in SOILS {
        for step in 0..WETNESS {
            let share = step as f64 / (WETNESS - 1) as f64;
            colours.extend((0..3).map(|part| {
                let (dry, wet) = (f64::from(dry[part]), f64::from(wet[part]));
                (dry + (wet - dry) * share).round() as u8
            }));
        }
    }
    colours.extend(ROCK_COLOUR);
    colours
}

/// The picture of a world, row by row from the top, as places in the palette.
fn inks(world: &HumidityWorld) -> Vec<u8> {
    let ink = |x: usize, y: usize| {
        let at = IVec3::new((x / SCALE) as i32, HEIGHT - 1 - (y / SCALE) as i32, 0);
        let Some(cell) = world.cell(at).filter(|cell| !cell.is_rock()) else { return ROCK };
        let soil = SOILS.iter().position(|&(soil, ..)| soil == cell.impermeability).unwrap_or(0);
        // By the square root, so that the first moisture shows.
        let share = (cell.humidity / 1000.0).clamp(0.0, 1.0).sqrt();
        (soil * WETNESS) as u8 + (share * (WETNESS - 1) as f64).round() as u8
    };
    let (width, height) = size();
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| ink(x, y)).collect()
}

fn size() -> (usize, usize) {
    (WIDTH as usize * SCALE, HEIGHT as usize * SCALE)
}

/// A film that is being written.
pub struct Film {
    encoder: Encoder<BufWriter<File>>,
    last: Vec<u8>,
}

impl Film {
    pub fn create(path: &Path) -> Result<Film, String> {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (width, height) = size();
        let mut encoder =
            Encoder::new(BufWriter::new(file), width as u16, height as u16, &palette())
                .map_err(said)?;
        encoder.set_repeat(Repeat::Infinite).map_err(said)?;
        Ok(Film { encoder, last: Vec::new() })
    }

    pub fn show(&mut self, world: &HumidityWorld) -> Result<(), String> {
        self.last = inks(world);
        self.write(DELAY)
    }

    /// Lets the last picture stay for a while, and ends the file.
    pub fn end(mut self) -> Result<(), String> {
        self.write(LAST_DELAY)?;
        let mut file = self.encoder.into_inner().map_err(said)?;
        std::io::Write::flush(&mut file).map_err(|error| error.to_string())
    }

    fn write(&mut self, delay: u16) -> Result<(), String> {
        let (width, height) = size();
        let buffer = std::borrow::Cow::Borrowed(&self.last[..]);
        let frame =
            Frame { delay, width: width as u16, height: height as u16, buffer, ..Frame::default() };
        self.encoder.write_frame(&frame).map_err(said)
    }
}

/// Writes the picture of a world as a PNG.
pub fn save(path: &Path, world: &HumidityWorld) -> Result<(), String> {
    let (palette, (width, height)) = (palette(), size());
    let pixels: Vec<u8> =
        inks(world).iter().flat_map(|&ink| palette[usize::from(ink) * 3..][..3].to_vec()).collect();
    png_file::save(path, &pixels, (width as u32, height as u32))
}

fn said(error: gif::EncodingError) -> String {
    error.to_string()
}
