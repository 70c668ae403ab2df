//! The three panels of a picture, with their words.

use crate::inks::Picture;
use crate::labels::FAMILY;
use crate::oblique::{Blocks, Colour, Look, View};
use crate::scene::{self, Block};
use floodplain::glam::{IVec3, Vec3};
use plotters::prelude::*;

/// Pixels of the picture.
pub const SIZE: (usize, usize) = (3 * PANEL.0, PANEL.1);
const PANEL: (usize, usize) = (300, 250);
/// The part of a panel above the blocks.
const HEAD: usize = 24;

const VIEW: View = View {
    width: PANEL.0,
    height: PANEL.1 - HEAD,
    towards: Vec3::new(0.55, 0.95, 1.0),
    background: PAPER,
};
const PAPER: Colour = [250, 250, 248];
const EARTH: Colour = [150, 128, 96];
const GRASS: Colour = [134, 168, 92];
const STONE: Colour = [170, 166, 160];

/// One of the waters.
pub struct Panel<'a> {
    pub title: &'a str,
    /// The share of a cell that is water.
    pub share: &'a dyn Fn(IVec3) -> f32,
    pub words: String,
}

/// Draws panels side by side, as so many seconds after the breach; `None` before it.
pub fn row(seconds: Option<f32>, panels: [Panel<'_>; 3]) -> Result<Picture, String> {
    let is_open = seconds.is_some();
    let drawn: Vec<Picture> = panels.iter().map(|panel| blocks(is_open, panel.share)).collect();
    let mut pixels = vec![PAPER; SIZE.0 * HEAD];
    for y in 0..VIEW.height {
        for panel in &drawn {
            pixels.extend_from_slice(&panel[y * VIEW.width..][..VIEW.width]);
        }
    }
    let mut bytes = pixels.concat();
    let area = BitMapBackend::with_buffer(&mut bytes, (SIZE.0 as u32, SIZE.1 as u32));
    write(&area.into_drawing_area(), seconds, &panels).map_err(|error| error.to_string())?;
    Ok(bytes.as_chunks().0.to_vec())
}

fn write(
    area: &DrawingArea<BitMapBackend<'_>, plotters::coord::Shift>,
    seconds: Option<f32>,
    panels: &[Panel<'_>],
) -> Result<(), Box<dyn std::error::Error>> {
    let text = |words: &str, at: (i32, i32), height: i32| {
        area.draw(&Text::new(words.to_owned(), at, (FAMILY, height).into_font()))
    };
    for (index, panel) in (0..).zip(panels) {
        let left = index * PANEL.0 as i32 + 12;
        text(panel.title, (left, 6), 19)?;
        text(&panel.words, (left, PANEL.1 as i32 - 22), 15)?;
    }
    if let Some(seconds) = seconds {
        text(&format!("{seconds:4.1} s"), (SIZE.0 as i32 - 60, 6), 19)?;
    }
    area.present()?;
    Ok(())
}

fn blocks(is_open: bool, share: &dyn Fn(IVec3) -> f32) -> Picture {
    let look = |cell: IVec3| match scene::block(cell) {
        Block::Ground if scene::block(cell + IVec3::Y) == Block::Air => Look::Ground(GRASS),
        Block::Ground => Look::Ground(EARTH),
        Block::Stone => Look::Ground(STONE),
        Block::Gap if !is_open => Look::Ground(STONE),
        Block::Air | Block::Water | Block::Gap => match share(cell) {
            share if share > 0.0 => Look::Water(share),
            _ => Look::Open,
        },
    };
    Blocks::new(scene::region(), look).draw(VIEW)
}
