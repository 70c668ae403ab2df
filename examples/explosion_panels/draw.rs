//! The pictures: a row of panels, each a map of pressure with arrows, and a strip with the key.

use crate::labels::{self, FAMILY};
use crate::{Cell, Panel, SIZE, png_file};
use floodplain::glam::DVec3;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// Pixels: a cell's side, gaps between panels, the title above, the words below, and the key.
const CELL: i32 = 9;
const GAP: i32 = 14;
const TITLE: i32 = 40;
const WORDS: i32 = 62;
const KEY: i32 = 46;
const PANEL: i32 = CELL * SIZE;

/// Panels in a row.
const COLUMNS: i32 = 4;

/// Every so many cells along each axis have an arrow.
const EVERY: i32 = 3;

/// Colours follow the logarithm of the pressure: `MOST` and above is darkest, `MOST * LEAST` and
/// below lightest.
const MOST: f64 = 30.0;
const LEAST: f64 = 0.001;

type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

/// Writes the panels as one PNG.
pub fn write(path: &Path, title: &str, panels: &[Panel]) -> Result<(), String> {
    labels::load_font()?;
    let rows = (panels.len() as i32 + COLUMNS - 1) / COLUMNS;
    let width = GAP + COLUMNS * (PANEL + GAP);
    let height = TITLE + rows * (PANEL + WORDS) + KEY;
    let mut bytes = vec![0; (width * height * 3) as usize];
    paint(&mut bytes, (width, height), title, panels).map_err(|error| error.to_string())?;
    png_file::save(path, &bytes, (width as u32, height as u32))
}

fn paint(bytes: &mut [u8], (width, height): (i32, i32), title: &str, panels: &[Panel]) -> Drawn {
    let area = BitMapBackend::with_buffer(bytes, (width as u32, height as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    text(&area, title, (GAP, 11), 22)?;
    for (index, panel) in (0..).zip(panels) {
        let corner =
            (GAP + index % COLUMNS * (PANEL + GAP), TITLE + index / COLUMNS * (PANEL + WORDS));
        Map { area: &area, corner }.draw(panel)?;
    }
    key(&area, height - KEY)?;
    area.present()?;
    Ok(())
}

/// One panel: where it is drawn, and its upper left pixel.
struct Map<'a, 'b> {
    area: &'a Area<'b>,
    corner: (i32, i32),
}

impl Map<'_, '_> {
    fn draw(&self, panel: &Panel) -> Drawn {
        for (index, cell) in (0..).zip(&panel.cells) {
            let (left, top) = self.pixel(index % SIZE, index / SIZE);
            let colour = cell.map_or(WALL, |cell| colour(cell.pressure));
            self.area
                .draw(&Rectangle::new([(left, top), (left + CELL, top + CELL)], colour.filled()))?;
        }
        let frame = [self.corner, (self.corner.0 + PANEL, self.corner.1 + PANEL)];
        self.area.draw(&Rectangle::new(frame, RGBColor(150, 150, 150)))?;
        for (index, cell) in (0..).zip(&panel.cells) {
            let (x, y) = (index % SIZE, index / SIZE);
            if x % EVERY == 1
                && y % EVERY == 1
                && let Some(cell) = cell
            {
                self.flow(x, y, cell)?;
            }
        }
        self.figure(panel)
    }

    /// The upper left pixel of a cell; y goes up.
    fn pixel(&self, x: i32, y: i32) -> (i32, i32) {
        (self.corner.0 + x * CELL, self.corner.1 + (SIZE - 1 - y) * CELL)
    }

    fn middle(&self, x: i32, y: i32) -> (i32, i32) {
        let (left, top) = self.pixel(x, y);
        (left + CELL / 2, top + CELL / 2)
    }

    /// An arrow along the flow at a cell; its length follows the logarithm of the flow.
    fn flow(&self, x: i32, y: i32, cell: &Cell) -> Drawn {
        let strength = (cell.flow.length() / 1e-4).log10() / 4.0;
        if strength <= 0.0 {
            return Ok(());
        }
        let length = f64::from(EVERY * CELL) * (0.25 + 0.55 * strength.min(1.0));
        let arrow = cell.flow.normalize_or_zero() * length;
        let (left, top) = self.middle(x, y);
        let from = (left - (arrow.x / 2.0).round() as i32, top + (arrow.y / 2.0).round() as i32);
        self.arrow(from, arrow, RGBColor(30, 60, 150).stroke_width(1), 4.0)
    }

    /// The figure, an arrow along its impulse so far, and the sizes in words.
    fn figure(&self, panel: &Panel) -> Drawn {
        let place = self.middle(panel.stands.x, panel.stands.y);
        if panel.impulse.length() > 1e-3 {
            let length = (20.0 + 12.0 * panel.impulse.length().log10()).clamp(14.0, 60.0);
            self.arrow(place, panel.impulse.normalize() * length, RED.stroke_width(3), 9.0)?;
        }
        self.area.draw(&Circle::new(place, 5, BLACK.filled()))?;
        self.area.draw(&Circle::new(place, 3, RGBColor(255, 225, 90).filled()))?;
        let below = self.corner.1 + PANEL;
        text(self.area, &format!("t = {}", panel.time), (self.corner.0 + 2, below + 6), 18)?;
        let words = format!(
            "impulse {}, exposure {}",
            short(panel.impulse.length()),
            short(panel.exposure)
        );
        text(self.area, &words, (self.corner.0 + 2, below + 29), 14)
    }

    fn arrow(&self, from: (i32, i32), along: DVec3, style: ShapeStyle, head: f64) -> Drawn {
        arrow(self.area, from, along, style, head)
    }
}

/// An arrow whose shaft starts at `from`; y goes up.
fn arrow(area: &Area<'_>, from: (i32, i32), along: DVec3, style: ShapeStyle, head: f64) -> Drawn {
    let to = |vector: DVec3| (from.0 + vector.x.round() as i32, from.1 - vector.y.round() as i32);
    let back = -along.normalize_or_zero() * head;
    let side = DVec3::new(-back.y, back.x, 0.0) * 0.5;
    area.draw(&PathElement::new([from, to(along)], style))?;
    area.draw(&PathElement::new(
        [to(along + back + side), to(along), to(along + back - side)],
        style,
    ))?;
    Ok(())
}

const WALL: RGBColor = RGBColor(139, 90, 43);

/// White at 0, yellow to dark red above, blue below (rarefied air, which only the wave rule makes).
fn colour(pressure: f64) -> RGBColor {
    const HOT: [[f64; 3]; 5] = [
        [255.0, 255.0, 255.0],
        [255.0, 240.0, 178.0],
        [254.0, 178.0, 76.0],
        [227.0, 74.0, 51.0],
        [110.0, 0.0, 20.0],
    ];
    const COLD: [[f64; 3]; 5] = [
        [255.0, 255.0, 255.0],
        [222.0, 235.0, 247.0],
        [158.0, 202.0, 225.0],
        [66.0, 146.0, 198.0],
        [8.0, 48.0, 107.0],
    ];
    let scale = ((pressure.abs() / MOST).max(LEAST).log10() / LEAST.log10()).clamp(0.0, 1.0);
    let at = (1.0 - scale) * 4.0;
    let (low, part) = ((at as usize).min(3), at - at.floor().min(3.0));
    let ramp = if pressure < 0.0 { COLD } else { HOT };
    let [red, green, blue] =
        [0, 1, 2].map(|i| (ramp[low][i] * (1.0 - part) + ramp[low + 1][i] * part).round() as u8);
    RGBColor(red, green, blue)
}

/// The key: what colours and arrows mean.
fn key(area: &Area<'_>, top: i32) -> Drawn {
    let middle = top + 16;
    text(area, "pressure", (GAP, middle - 7), 15)?;
    for (index, pressure) in (0..).zip([-3.0, -0.3, 0.03, 0.3, 3.0, 30.0]) {
        let left = GAP + 76 + index * 70;
        let patch = [(left, middle - 8), (left + 16, middle + 8)];
        area.draw(&Rectangle::new(patch, colour(pressure).filled()))?;
        area.draw(&Rectangle::new(patch, RGBColor(150, 150, 150)))?;
        text(area, &format!("{pressure}"), (left + 21, middle - 7), 14)?;
    }
    let left = GAP + 76 + 6 * 70 + 10;
    arrow(area, (left, middle), DVec3::X * 22.0, RGBColor(30, 60, 150).stroke_width(1), 4.0)?;
    text(area, "flow (length by its logarithm)", (left + 30, middle - 7), 15)?;
    let left = left + 270;
    area.draw(&Circle::new((left, middle), 5, BLACK.filled()))?;
    area.draw(&Circle::new((left, middle), 3, RGBColor(255, 225, 90).filled()))?;
    arrow(area, (left + 5, middle), DVec3::X * 26.0, RED.stroke_width(3), 9.0)?;
    text(area, "a figure and the impulse on it since t = 0", (left + 40, middle - 7), 15)
}

fn text(area: &Area<'_>, words: &str, at: (i32, i32), height: i32) -> Drawn {
    area.draw(&Text::new(words.to_owned(), at, (FAMILY, height).into_font()))?;
    Ok(())
}

/// A number in few digits.
fn short(value: f64) -> String {
    if value >= 10.0 { format!("{value:.1}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_darkens_and_suction_is_blue() {
        let RGBColor(_, strong, _) = colour(20.0);
        let RGBColor(_, weak, _) = colour(0.1);
        assert!(strong < weak);
        assert_eq!(colour(0.0), WHITE);
        let RGBColor(red, _, blue) = colour(-5.0);
        assert!(blue > red);
    }
}
