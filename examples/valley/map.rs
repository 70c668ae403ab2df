//! The map at the end of the run, enlarged, above a strip with its scale and the key of the
//! colours.

use crate::draw::{Colour, Ink, palette, water_ink};
use crate::labels::FAMILY;
use crate::png_file;
use floodplain::water::FULL;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// Maps up to this long are drawn at two pixels a cell.
const SMALL: usize = 1024;

/// Height of the strip below the map and the width of its words, in pixels.
const STRIP: usize = 40;
const STRIP_WIDTH: usize = 640;

/// Distance between patches of the key, in pixels.
const PATCH: i32 = 62;

/// Depths in the key, in units.
const KEY: [u16; 6] = [1, 7, 14, 28, 56, 112];

/// Writes the map as a PNG.
pub fn write(path: &Path, inks: &[Ink], width: usize, metres_per_voxel: f64) -> Result<(), String> {
    let scale = if width.max(inks.len() / width) <= SMALL { 2 } else { 1 };
    let (across, down) = (width * scale, inks.len() / width * scale);
    let size = (across.max(STRIP_WIDTH) as u32, (down + STRIP) as u32);
    let colours = palette();
    let mut bytes = vec![255; size.0 as usize * size.1 as usize * 3];
    for (y, row) in bytes.chunks_exact_mut(size.0 as usize * 3).take(down).enumerate() {
        for (x, pixel) in row.as_chunks_mut().0.iter_mut().take(across).enumerate() {
            *pixel = colours[usize::from(inks[x / scale + y / scale * width])];
        }
    }
    let strip = Strip {
        area: BitMapBackend::with_buffer(&mut bytes, size).into_drawing_area(),
        middle: (down + STRIP / 2) as i32,
    };
    strip
        .scale_bar(width, scale)
        .and_then(|()| strip.key(size.0 as i32, metres_per_voxel, &colours))
        .map_err(|error| error.to_string())?;
    drop(strip);
    png_file::save(path, &bytes, size)
}

/// The strip below the map; `middle` is in pixels from the top.
struct Strip<'b> {
    area: DrawingArea<BitMapBackend<'b>, Shift>,
    middle: i32,
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Strip<'_> {
    /// A bar of a round number of cells, at most two fifths of the map's width.
    fn scale_bar(&self, width: usize, scale: usize) -> Drawn {
        let round = [500, 200, 100, 50, 20, 10, 5, 2, 1].into_iter();
        let cells = round.clone().find(|cells| cells * 5 <= width * 2).unwrap_or(1);
        let (left, right) = (12, 12 + (cells * scale) as i32);
        let (top, bottom) = (self.middle - 4, self.middle + 4);
        let bar = [(left, self.middle), (right, self.middle)];
        for line in [bar, [(left, top), (left, bottom)], [(right, top), (right, bottom)]] {
            self.area.draw(&PathElement::new(line, BLACK.stroke_width(2)))?;
        }
        self.words(format!("{cells} cells"), right + 8)
    }

    /// Patches of water with their depths in metres, at the right.
    fn key(&self, width: i32, metres_per_voxel: f64, colours: &[Colour]) -> Drawn {
        let first = width - PATCH * KEY.len() as i32 - 8;
        self.words("water, m deep".to_owned(), first - 110)?;
        for (left, depth) in (first..).step_by(PATCH as usize).zip(KEY) {
            let [red, green, blue] = colours[usize::from(water_ink(depth))];
            let patch = [(left, self.middle - 8), (left + 16, self.middle + 8)];
            self.area.draw(&Rectangle::new(patch, RGBColor(red, green, blue).filled()))?;
            self.words(metres(f64::from(depth) / f64::from(FULL) * metres_per_voxel), left + 21)?;
        }
        Ok(())
    }

    fn words(&self, words: String, left: i32) -> Drawn {
        let font = (FAMILY, 15).into_font();
        Ok(self.area.draw(&Text::new(words, (left, self.middle - 6), font))?)
    }
}

/// Formats metres with few digits.
fn metres(metres: f64) -> String {
    match metres {
        1e4.. | ..0.01 => format!("{metres:.0e}"),
        10.0.. => format!("{metres:.0}"),
        1.0.. => format!("{metres:.1}"),
        _ => format!("{metres:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels;
    use std::fs::File;
    use std::io::BufReader;

    #[test]
    fn maps_of_any_size_are_drawn() {
        labels::load_font().unwrap();
        let path =
            std::env::temp_dir().join(format!("floodplain-valley-{}.png", std::process::id()));
        for (width, depth) in [(1, 1), (403, 2), (1500, 3)] {
            write(&path, &vec![water_ink(7); width * depth], width, 1e-9).unwrap();
            let read =
                png::Decoder::new(BufReader::new(File::open(&path).unwrap())).read_info().unwrap();
            let (across, down) = read.info().size();
            let scale = if width > SMALL { 1 } else { 2 };
            assert_eq!(down as usize, depth * scale + STRIP);
            assert!(across as usize >= width * scale);
        }
        std::fs::remove_file(&path).unwrap();
        assert!(write(&path.join("no/such"), &[0], 1, 4.0).is_err());
    }

    #[test]
    fn metres_are_short() {
        assert_eq!([0.571, 4.0, 64.0, 1e-9].map(metres), ["0.57", "4.0", "64", "1e-9"]);
    }
}
