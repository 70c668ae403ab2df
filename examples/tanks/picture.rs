//! How a world looks: ground, air, a surface cell as full as it is, and water the darker the more
//! pressure it is under.

use crate::png_file;
use floodplain::glam::IVec3;
use floodplain::water2d::{Cell, FULL, Water2dWorld};
use gif::{Encoder, Frame, Repeat};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Pixels along the side of a cell.
const SCALE: usize = 4;

/// Hundredths of a second for each picture, and for the last.
const DELAY: u16 = 5;
const LAST_DELAY: u16 = 300;

const AIR: u8 = 0;
const GROUND: u8 = 1;
const SHALLOW: u8 = 2;
/// Shades of water, and the pressure, in units, from one to the next.
const SHADES: u8 = 30;
const SHADE: u32 = 13;

/// A film that is being written.
pub struct Film {
    encoder: Encoder<BufWriter<File>>,
    /// Cells.
    size: IVec3,
}

impl Film {
    pub fn create(path: &Path, size: IVec3) -> Result<Film, Box<dyn Error>> {
        let [width, height] = pixels(size).map(|side| side as u16);
        let mut encoder =
            Encoder::new(BufWriter::new(File::create(path)?), width, height, &palette().concat())?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Film { encoder, size })
    }

    /// Adds a picture of the world as it is.
    pub fn show(&mut self, world: &Water2dWorld) -> Result<(), Box<dyn Error>> {
        self.write(draw(world, self.size), DELAY)
    }

    /// Adds the last picture.
    pub fn end(mut self, world: &Water2dWorld) -> Result<(), Box<dyn Error>> {
        self.write(draw(world, self.size), LAST_DELAY)
    }

    /// Writes a picture of the world into a file of its own.
    pub fn save(&self, world: &Water2dWorld, path: &Path) -> Result<(), Box<dyn Error>> {
        let [width, height] = pixels(self.size).map(|side| side as u32);
        let inks = draw(world, self.size);
        let colours: Vec<u8> = inks.iter().flat_map(|&ink| palette()[ink as usize]).collect();
        Ok(png_file::save(path, &colours, (width, height))?)
    }

    fn write(&mut self, inks: Vec<u8>, delay: u16) -> Result<(), Box<dyn Error>> {
        let [width, height] = pixels(self.size).map(|side| side as u16);
        let frame = Frame { width, height, delay, buffer: inks.into(), ..Frame::default() };
        Ok(self.encoder.write_frame(&frame)?)
    }
}

fn pixels(size: IVec3) -> [usize; 2] {
    [size.x as usize * SCALE, size.y as usize * SCALE]
}

fn palette() -> Vec<[u8; 3]> {
    let mut colours = vec![[244, 241, 232], [92, 80, 70]];
    let blend = |from: f32, to: f32, shade: u8| {
        (from + (to - from) * f32::from(shade) / f32::from(SHADES - 1)) as u8
    };
    colours.extend(
        (0..SHADES).map(|shade| {
            [blend(120., 6., shade), blend(190., 30., shade), blend(238., 110., shade)]
        }),
    );
    colours
}

/// The picture, row by row from the top, as places in the palette.
fn draw(world: &Water2dWorld, size: IVec3) -> Vec<u8> {
    let [width, height] = pixels(size);
    let mut inks = vec![AIR; width * height];
    for (row, inks) in inks.chunks_mut(width).enumerate() {
        let above_floor = height - 1 - row;
        for (x, ink) in inks.iter_mut().enumerate() {
            let at = IVec3::new((x / SCALE) as i32, (above_floor / SCALE) as i32, 0);
            let is_wet = |up: i32| world.level(at + IVec3::Y * up) > 0;
            // Water falls two cells in a step: what lies between two parts of a fall belongs to it.
            *ink = match world.cell(at).unwrap_or(Cell::SOLID) {
                Cell::SOLID => GROUND,
                Cell::AIR if is_wet(1) && is_wet(-1) => SHALLOW,
                cell => shade(cell.level(), above_floor % SCALE, !is_wet(1) && !is_wet(2)),
            };
        }
    }
    inks
}

/// The ink of a pixel row, counted from the bottom of its cell. Only a surface leaves room above
/// it.
fn shade(level: u32, row: usize, is_surface: bool) -> u8 {
    let filled = (level * SCALE as u32).div_ceil(FULL) as usize;
    if level == 0 || is_surface && row >= filled {
        AIR
    } else {
        SHALLOW + (level.saturating_sub(FULL) / SHADE).min(u32::from(SHADES) - 1) as u8
    }
}
