//! The picture of the end: the map, enlarged, over a strip with the scale and the key of the colours.

use crate::chart::{self, text};
use crate::draw::{Colour, Ink, palette, water_ink};
use image::{Rgb, RgbImage};
use plotters::prelude::*;
use std::path::Path;

/// Maps up to this long are drawn at two pixels a cell.
const SMALL: usize = 1024;

/// Height of the strip below the map, and the width that its words need, in pixels.
const STRIP: usize = 40;
const STRIP_WIDTH: usize = 640;

/// Depths in units for which the key has a patch.
const KEY: [u16; 6] = [1, 7, 14, 28, 56, 112];

/// Writes the map of these inks as a PNG.
pub fn write(path: &Path, inks: &[Ink], width: usize, metres_per_voxel: f64) -> Result<(), String> {
    let scale = if width.max(inks.len() / width) <= SMALL { 2 } else { 1 };
    let (across, down) = (width * scale, inks.len() / width * scale);
    let size = (across.max(STRIP_WIDTH) as u32, (down + STRIP) as u32);
    let colours = palette();
    let mut picture = RgbImage::from_pixel(size.0, size.1, Rgb([255; 3]));
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        let (x, y) = (x as usize, y as usize);
        if x < across && y < down {
            pixel.0 = colours[usize::from(inks[x / scale + y / scale * width])];
        }
    }
    let mut bytes = picture.into_raw();
    strip(&mut bytes, size, down as i32, scale, width, metres_per_voxel, &colours)
        .map_err(|error| error.to_string())?;
    chart::save(path, bytes, size)
}

fn strip(
    bytes: &mut [u8],
    size: (u32, u32),
    top: i32,
    scale: usize,
    width: usize,
    metres_per_voxel: f64,
    colours: &[Colour],
) -> Result<(), Box<dyn std::error::Error>> {
    let area = BitMapBackend::with_buffer(bytes, size).into_drawing_area();
    let middle = top + STRIP as i32 / 2;
    let cells = [500, 200, 100, 50, 20, 10, 5, 2, 1].into_iter().find(|cells| cells * 5 <= width * 2).unwrap_or(1);
    let end = 12 + (cells * scale) as i32;
    for (from, to) in
        [((12, middle), (end, middle)), ((12, middle - 4), (12, middle + 4)), ((end, middle - 4), (end, middle + 4))]
    {
        area.draw(&PathElement::new([from, to], BLACK.stroke_width(2)))?;
    }
    area.draw(&text(format!("{cells} cells"), (end + 8, middle - 6), 15))?;
    let mut left = size.0 as i32 - 62 * KEY.len() as i32 - 8;
    area.draw(&text("water, m deep".to_owned(), (left - 110, middle - 6), 15))?;
    for depth in KEY {
        let [red, green, blue] = colours[usize::from(water_ink(depth))];
        let patch = [(left, middle - 8), (left + 16, middle + 8)];
        area.draw(&Rectangle::new(patch, RGBColor(red, green, blue).filled()))?;
        let metres = f64::from(depth) / 7.0 * metres_per_voxel;
        let digits = usize::from(metres < 10.0);
        area.draw(&text(format!("{metres:.digits$}"), (left + 21, middle - 6), 15))?;
        left += 62;
    }
    area.present()?;
    Ok(())
}
