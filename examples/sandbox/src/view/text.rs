//! The font of the screen, drawn once into a texture.

use ab_glyph::{Font as _, FontRef, Glyph, InvalidFont, PxScale, ScaleFont, point};

/// The ASCII part of DejaVu Sans, which comes with the examples.
const FONT: &[u8] = include_bytes!("../../../data/labels.ttf");

/// The side of the texture in pixels.
const SIDE: u16 = 512;

/// A glyph in the texture, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Letter {
    /// How far the next letter lies behind this one.
    pub advance: f32,
    /// From the pen on the base line to the upper left corner.
    pub off: [f32; 2],
    pub size: [f32; 2],
    /// Of its upper left corner in the texture.
    pub at: [f32; 2],
}

/// A font at two sizes, as one texture.
pub struct Font {
    faces: [Face; 2],
    pixels: Vec<u8>,
}

/// One of the sizes of a font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Text,
    Title,
}

/// The letters of a size.
#[derive(Default)]
struct Face {
    letters: Vec<Letter>,
    height: f32,
}

impl Font {
    /// Draws the font at the heights of text and titles in pixels, at most 40 each.
    ///
    /// # Errors
    /// The font that comes with the examples is damaged.
    pub fn new(heights: [f32; 2]) -> Result<Font, InvalidFont> {
        let outlines = FontRef::try_from_slice(FONT)?;
        let side = usize::from(SIDE);
        let mut pixels = vec![0; 4 * side * side];
        // The first pixels are opaque, for rectangles.
        for at in [0, 1, side, side + 1] {
            pixels[4 * at + 3] = 255;
        }
        let mut y = 4;
        let faces = heights.map(|height| Face::draw(&outlines, height, &mut pixels, &mut y));
        Ok(Font { faces, pixels })
    }

    /// Returns the height of a line, in pixels.
    pub fn height(&self, size: Size) -> f32 {
        self.faces[size as usize].height
    }

    /// Returns the letter of a character; a question mark for those that it lacks.
    pub fn letter(&self, size: Size, character: char) -> Letter {
        let index = |character: char| (character as usize).checked_sub(' ' as usize);
        let letter = |character| self.faces[size as usize].letters.get(index(character)?);
        letter(character).or_else(|| letter('?')).copied().unwrap_or_default()
    }

    /// Returns the width of a line, in pixels.
    pub fn width(&self, size: Size, text: &str) -> f32 {
        text.chars().map(|character| self.letter(size, character).advance).sum()
    }

    /// Returns the size of the texture.
    pub fn size(&self) -> (u16, u16) {
        (SIDE, SIDE)
    }

    /// Returns the texture: four bytes a pixel, of which the last is how opaque it is.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }
}

impl Face {
    /// Draws the letters of a size into a texture, in rows from `y` on.
    fn draw(outlines: &FontRef<'_>, height: f32, pixels: &mut [u8], y: &mut usize) -> Face {
        let scale = PxScale::from(height.min(40.0));
        let scaled = outlines.as_scaled(scale);
        let side = usize::from(SIDE);
        let mut face = Face { letters: Vec::new(), height: scaled.height() };
        let (mut x, row) = (4, scaled.height().ceil() as usize + 2);
        for character in ' '..='~' {
            let id = outlines.glyph_id(character);
            let mut letter = Letter { advance: scaled.h_advance(id), ..Letter::default() };
            let glyph = Glyph { id, scale, position: point(0.0, scaled.ascent()) };
            if let Some(outline) = outlines.outline_glyph(glyph) {
                let bounds = outline.px_bounds();
                let (width, height) = (bounds.width() as usize, bounds.height() as usize);
                if x + width + 2 > side {
                    (x, *y) = (4, *y + row);
                }
                outline.draw(|dx, dy, cover| {
                    let at = x + dx as usize + side * (*y + dy as usize);
                    pixels[4 * at + 3] = (cover * 255.0) as u8;
                });
                letter.off = [bounds.min.x, bounds.min.y];
                letter.size = [width as f32, height as f32];
                letter.at = [x as f32, *y as f32];
                x += width + 2;
            }
            face.letters.push(letter);
        }
        *y += row;
        face
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_ascii_fits_into_the_texture() {
        let font = Font::new([20.0, 40.0]).unwrap();
        let side = f32::from(SIDE);
        for (size, character) in [Size::Text, Size::Title]
            .map(|size| ('!'..='~').map(move |c| (size, c)))
            .into_iter()
            .flatten()
        {
            let letter = font.letter(size, character);
            assert!(letter.size[0] > 0.0 && letter.advance > 0.0, "{character}");
            assert!(letter.at[0] + letter.size[0] < side, "{character}");
            assert!(letter.at[1] + letter.size[1] < side, "{character}");
        }
        assert_eq!(font.letter(Size::Text, '→'), font.letter(Size::Text, '?'));
        assert!(font.width(Size::Text, "wide") > font.width(Size::Text, "i"));
        assert!(font.width(Size::Title, "i") > font.width(Size::Text, "i"));
    }
}
