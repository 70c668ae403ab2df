//! How a world looks: ground, air, water darker the higher its pressure, and surface cells filled
//! to their level.

use crate::{plan, png_file};
use floodplain::glam::IVec3;
use floodplain::water2d::{Cell, FULL, Water2dWorld};
use std::path::Path;

/// Pixels along the side of a cell.
const SCALE: usize = 4;

// Indices into the palette.
const AIR: u8 = 0;
const GROUND: u8 = 1;
const SHALLOW: u8 = 2;
/// Shades of water, and the pressure, in units, from one to the next.
const SHADES: u8 = 30;
const SHADE: u32 = 13;

/// Pixels across and down.
pub fn size() -> (usize, usize) {
    (plan::size().x as usize * SCALE, plan::size().y as usize * SCALE)
}

pub fn palette() -> Vec<[u8; 3]> {
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

/// Writes a picture of the world as a PNG.
pub fn save(path: &Path, world: &Water2dWorld) -> Result<(), String> {
    let (width, height) = size();
    let colours: Vec<u8> =
        draw(world).iter().flat_map(|&ink| palette()[usize::from(ink)]).collect();
    png_file::save(path, &colours, (width as u32, height as u32))
}

/// The picture, row by row from the top, as indices into the palette.
pub fn draw(world: &Water2dWorld) -> Vec<u8> {
    let (width, height) = size();
    let mut inks = vec![AIR; width * height];
    for (row, inks) in inks.chunks_mut(width).enumerate() {
        let above_floor = height - 1 - row;
        for (x, ink) in inks.iter_mut().enumerate() {
            let at = IVec3::new((x / SCALE) as i32, (above_floor / SCALE) as i32, 0);
            let is_wet = |up: i32| world.level(at + IVec3::Y * up) > 0;
            // Water falls two cells in a step, so a gap between two wet cells is part of the fall.
            *ink = match world.cell(at).unwrap_or(Cell::SOLID) {
                Cell::SOLID => GROUND,
                Cell::AIR if is_wet(1) && is_wet(-1) => SHALLOW,
                cell => shade(cell.level(), above_floor % SCALE, !is_wet(1) && !is_wet(2)),
            };
        }
    }
    inks
}

/// The colour of a pixel row, counted from the bottom of its cell. Only a surface cell has air
/// above its water.
fn shade(level: u32, row: usize, is_surface: bool) -> u8 {
    let filled = (level * SCALE as u32).div_ceil(FULL) as usize;
    if level == 0 || is_surface && row >= filled {
        AIR
    } else {
        SHALLOW + (level.saturating_sub(FULL) / SHADE).min(u32::from(SHADES) - 1) as u8
    }
}
