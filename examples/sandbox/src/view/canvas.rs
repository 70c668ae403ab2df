//! Rectangles and words on the screen.

use super::gpu::Pixel;
use super::text::{Font, Size};

/// A rectangle in pixels, from the upper left corner of the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    /// Returns whether a point lies in it.
    pub fn contains(&self, x: f32, y: f32) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }
}

/// What is drawn over a frame.
pub struct Canvas<'a> {
    font: &'a Font,
    vertices: Vec<Pixel>,
}

impl<'a> Canvas<'a> {
    pub fn new(font: &'a Font) -> Canvas<'a> {
        Canvas { font, vertices: Vec::new() }
    }

    /// Returns the height of a line of text, in pixels.
    pub fn line(&self, size: Size) -> f32 {
        self.font.height(size)
    }

    /// Returns the width of a line of text, in pixels.
    pub fn width(&self, size: Size, text: &str) -> f32 {
        self.font.width(size, text)
    }

    /// Returns the quadrilaterals that were drawn.
    pub fn into_vertices(self) -> Vec<Pixel> {
        self.vertices
    }

    /// Draws a rectangle of two colours, one at the top and one at the bottom.
    pub fn shade(&mut self, area: Area, top: [u8; 4], bottom: [u8; 4]) {
        // A pixel of the texture that is opaque.
        let uv = [1.0 / f32::from(self.font.size().0), 1.0 / f32::from(self.font.size().1)];
        let Area { x, y, width, height } = area;
        let corner = |x, y, colour| Pixel { at: [x, y], uv, colour };
        self.vertices.extend([
            corner(x, y, top),
            corner(x, y + height, bottom),
            corner(x + width, y + height, bottom),
            corner(x + width, y, top),
        ]);
    }

    /// Draws a rectangle of one colour.
    pub fn fill(&mut self, area: Area, colour: [u8; 4]) {
        self.shade(area, colour, colour);
    }

    /// Draws a line of text, from its upper left corner.
    pub fn text(&mut self, x: f32, y: f32, text: &str, colour: [u8; 4]) {
        self.write(Size::Text, [x, y], text, colour);
    }

    /// Draws a title in a panel, in the middle of a width; in small letters if that is too narrow.
    pub fn title(&mut self, width: f32, y: f32, text: &str, [ink, panel]: [[u8; 4]; 2]) {
        const EDGE: f32 = 14.0;
        let fits = self.width(Size::Title, text) + 2.0 * EDGE <= width;
        let size = if fits { Size::Title } else { Size::Text };
        let (line, wide) = (self.line(size), self.width(size, text));
        let x = (width - wide) / 2.0;
        let area = Area { x: x - EDGE, y, width: wide + 2.0 * EDGE, height: line + 12.0 };
        self.fill(area, panel);
        self.write(size, [x, y + 6.0], text, ink);
    }

    fn write(&mut self, size: Size, [x, y]: [f32; 2], text: &str, colour: [u8; 4]) {
        let (mut pen, side) = (x.round(), self.font.size());
        for character in text.chars() {
            let letter = self.font.letter(size, character);
            if letter.size[0] > 0.0 {
                let low = [pen.round() + letter.off[0], y.round() + letter.off[1]];
                self.vertices.extend([(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)].map(
                    |(right, down)| Pixel {
                        at: [low[0] + right * letter.size[0], low[1] + down * letter.size[1]],
                        uv: [
                            (letter.at[0] + right * letter.size[0]) / f32::from(side.0),
                            (letter.at[1] + down * letter.size[1]) / f32::from(side.1),
                        ],
                        colour,
                    },
                ));
            }
            pen += letter.advance;
        }
    }
}
