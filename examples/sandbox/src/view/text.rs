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

/// A font at one size, as a texture.
pub struct Font {
    letters: Vec<Letter>,
    pixels: Vec<u8>,
    height: f32,
}

impl Font {
    /// Draws the font at a height in pixels, at most 40.
    ///
    /// # Errors
    /// The font that comes with the examples is damaged.
    pub fn new(pixels: f32) -> Result<Font, InvalidFont> {
        let outlines = FontRef::try_from_slice(FONT)?;
        let scale = PxScale::from(pixels.min(40.0));
        let scaled = outlines.as_scaled(scale);
        let side = usize::from(SIDE);
        let mut font =
            Font { letters: Vec::new(), pixels: vec![0; 4 * side * side], height: scaled.height() };
        // The first pixels are opaque, for rectangles.
        for at in [0, 1, side, side + 1] {
            font.pixels[4 * at + 3] = 255;
        }
        let (mut x, mut y, row) = (4, 4, scaled.height().ceil() as usize + 2);
        for character in ' '..='~' {
            let id = outlines.glyph_id(character);
            let mut letter = Letter { advance: scaled.h_advance(id), ..Letter::default() };
            let glyph = Glyph { id, scale, position: point(0.0, scaled.ascent()) };
            if let Some(outline) = outlines.outline_glyph(glyph) {
                let bounds = outline.px_bounds();
                let (width, height) = (bounds.width() as usize, bounds.height() as usize);
                if x + width + 2 > side {
                    (x, y) = (4, y + row);
                }
                outline.draw(|dx, dy, cover| {
                    let at = x + dx as usize + side * (y + dy as usize);
                    font.pixels[4 * at + 3] = (cover * 255.0) as u8;
                });
                letter.off = [bounds.min.x, bounds.min.y];
                letter.size = [width as f32, height as f32];
                letter.at = [x as f32, y as f32];
                x += width + 2;
            }
            font.letters.push(letter);
        }
        Ok(font)
    }

    /// Returns the height of a line, in pixels.
    pub fn height(&self) -> f32 {
        self.height
    }

    /// Returns the letter of a character; a question mark for those that it lacks.
    pub fn letter(&self, character: char) -> Letter {
        let index = |character: char| (character as usize).checked_sub(' ' as usize);
        let letter = |character| self.letters.get(index(character)?);
        letter(character).or_else(|| letter('?')).copied().unwrap_or_default()
    }

    /// Returns the width of a line, in pixels.
    pub fn width(&self, text: &str) -> f32 {
        text.chars().map(|character| self.letter(character).advance).sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_ascii_fits_into_the_texture() {
        let font = Font::new(40.0).unwrap();
        let side = f32::from(SIDE);
        for character in '!'..='~' {
            let letter = font.letter(character);
            assert!(letter.size[0] > 0.0 && letter.advance > 0.0, "{character}");
            assert!(letter.at[0] + letter.size[0] < side, "{character}");
            assert!(letter.at[1] + letter.size[1] < side, "{character}");
        }
        assert_eq!(font.letter('→'), font.letter('?'));
        assert!(font.width("wide") > font.width("i"));
    }
}
