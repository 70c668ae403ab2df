//! The pictures: soils in their colours, bluer the wetter they are, and grey boulders.

use crate::ground::{CLAY, HEIGHT, LOAM, SAND, WIDTH};
use crate::png_file;
use floodplain::glam::IVec3;
use floodplain::humidity::HumidityWorld;
use std::path::Path;

/// Pixels along the side of a cell.
const SCALE: usize = 3;

/// Steps of moisture from dry to wettest.
const WETNESS: usize = 48;
/// Impermeability of each soil, and its colour when dry and at its wettest.
const SOILS: [(f32, [u8; 3], [u8; 3]); 3] = [
    (SAND, [226, 200, 140], [36, 104, 190]),
    (LOAM, [172, 128, 84], [24, 70, 150]),
    (CLAY, [196, 104, 72], [40, 40, 120]),
];
const ROCK: u8 = (SOILS.len() * WETNESS) as u8;
const ROCK_COLOUR: [u8; 3] = [96, 96, 100];

pub fn palette() -> Vec<[u8; 3]> {
    let mut colours = Vec::new();
    for (_, dry, wet) in SOILS {
        colours.extend((0..WETNESS).map(|step| {
            let share = step as f64 / (WETNESS - 1) as f64;
            std::array::from_fn(|part| {
                let (dry, wet) = (f64::from(dry[part]), f64::from(wet[part]));
                (dry + (wet - dry) * share).round() as u8
            })
        }));
    }
    colours.push(ROCK_COLOUR);
    colours
}

/// The picture of a world, row by row from the top, as indices into the palette.
pub fn draw(world: &HumidityWorld) -> Vec<u8> {
    let ink = |x: usize, y: usize| {
        let at = IVec3::new((x / SCALE) as i32, HEIGHT - 1 - (y / SCALE) as i32, 0);
        let Some(cell) = world.cell(at).filter(|cell| !cell.is_rock()) else { return ROCK };
        let soil = SOILS.iter().position(|&(soil, ..)| soil == cell.impermeability).unwrap_or(0);
        // The square root, so that the first moisture shows.
        let share = (cell.humidity / 1000.0).clamp(0.0, 1.0).sqrt();
        (soil * WETNESS) as u8 + (share * (WETNESS - 1) as f64).round() as u8
    };
    let (width, height) = size();
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| ink(x, y)).collect()
}

/// Pixels across and down.
pub fn size() -> (usize, usize) {
    (WIDTH as usize * SCALE, HEIGHT as usize * SCALE)
}

/// Writes the picture of a world as a PNG.
pub fn save(path: &Path, world: &HumidityWorld) -> Result<(), String> {
    let (palette, (width, height)) = (palette(), size());
    let pixels: Vec<u8> = draw(world).iter().flat_map(|&ink| palette[usize::from(ink)]).collect();
    png_file::save(path, &pixels, (width as u32, height as u32))
}
