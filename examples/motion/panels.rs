//! Panels beside or below each other, each with a title above and with axes that count cells.

use crate::labels::FAMILY;
use crate::picture::Pixels;
use crate::png_file;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// Margins in pixels: for the numbers of an axis on the left and below, for a title, and between
/// panels.
const LEFT: usize = 30;
const BELOW: usize = 20;
const TITLE: usize = 22;
const GAP: usize = 10;

/// One of the panels of a picture, all of which are as large as each other.
pub struct Panel {
    pub title: String,
    pub pixels: Pixels,
    /// Pixels along the side of a cell.
    pub scale: usize,
    pub across: Axis,
    pub down: Axis,
}

/// The cells along one side of a panel.
#[derive(Clone, Copy)]
pub struct Axis {
    /// The cell on the left or on top.
    pub first: i32,
    /// What is added from a cell to the next: 1, or −1 for heights.
    pub step: i32,
    /// The cells from one number on an axis to the next.
    pub every: i32,
}

impl Axis {
    /// Returns the cells with a number, and how many cells each is from the first.
    fn marks(self, cells: usize) -> impl Iterator<Item = (i32, usize)> {
        let number = move |at: usize| (self.first + self.step * at as i32, at);
        (0..cells).map(number).filter(move |&(cell, _)| cell.rem_euclid(self.every) == 0)
    }
}

/// Writes the panels as a PNG, in rows of `columns` panels.
pub fn save(path: &Path, panels: &[Panel], columns: usize) -> Result<(), String> {
    let [first, ..] = panels else { return Err(format!("{}: no panel", path.display())) };
    let (wide, high) = (LEFT + first.pixels.width + GAP, TITLE + first.pixels.height + BELOW);
    let rows = panels.len().div_ceil(columns);
    let mut whole = Pixels::new(columns * wide, rows * high, [255; 3]);
    let corner = |at: usize| (at % columns * wide + LEFT, at / columns * high + TITLE);
    for (at, panel) in panels.iter().enumerate() {
        let ((left, top), pixels) = (corner(at), &panel.pixels);
        for (y, row) in pixels.colours.chunks_exact(pixels.width).enumerate() {
            for (x, &colour) in row.iter().enumerate() {
                whole.set(left + x, top + y, colour);
            }
        }
    }
    let size = (whole.width as u32, whole.height as u32);
    let mut bytes = whole.colours.as_flattened().to_vec();
    write_words(&mut bytes, size, panels, corner).map_err(|error| error.to_string())?;
    png_file::save(path, &bytes, size)
}

fn write_words(
    bytes: &mut [u8],
    size: (u32, u32),
    panels: &[Panel],
    corner: impl Fn(usize) -> (usize, usize),
) -> Result<(), Box<dyn std::error::Error>> {
    let area = BitMapBackend::with_buffer(bytes, size).into_drawing_area();
    for (at, panel) in panels.iter().enumerate() {
        let (left, top) = corner(at);
        let (left, top) = (left as i32, top as i32);
        let Panel { title, pixels, scale, across, down } = panel;
        write(&area, title, (left, top - 18), 15)?;
        let bottom = top + pixels.height as i32;
        for (cell, at) in across.marks(pixels.width / scale) {
            let x = left + (at * scale) as i32;
            area.draw(&PathElement::new([(x, bottom), (x, bottom + 3)], BLACK))?;
            write(&area, &cell.to_string(), (x + 2, bottom + 3), 12)?;
        }
        for (cell, at) in down.marks(pixels.height / scale) {
            // A height is counted from the lower side of its cell.
            let y = top + ((at + usize::from(down.step < 0)) * scale) as i32;
            area.draw(&PathElement::new([(left - 4, y), (left - 1, y)], BLACK))?;
            write(&area, &format!("{cell:>3}"), (left - 27, y - 6), 12)?;
        }
    }
    Ok(area.present()?)
}

fn write(
    area: &DrawingArea<BitMapBackend<'_>, Shift>,
    words: &str,
    at: (i32, i32),
    size: u32,
) -> Result<(), Box<dyn std::error::Error>> {
    Ok(area.draw(&Text::new(words.to_owned(), at, (FAMILY, size)))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_cells_at_equal_distances() {
        let marks = |first, step, every| -> Vec<(i32, usize)> {
            Axis { first, step, every }.marks(20).collect()
        };
        assert_eq!(marks(9, 1, 16), [(16, 7)]);
        assert_eq!(marks(-17, 1, 16), [(-16, 1), (0, 17)]);
        assert_eq!(marks(9, -1, 8), [(8, 1), (0, 9), (-8, 17)]);
    }
}
