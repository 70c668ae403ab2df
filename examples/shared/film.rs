//! An animated GIF with one palette, in which each frame stores only the rectangle that changed.

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The index that leaves the pixel below as it is. Palettes have at most this many colours.
pub const CLEAR: u8 = 255;

/// A film that is being written, in a loop without end.
pub struct Film<W: Write = BufWriter<File>> {
    encoder: Encoder<W>,
    width: usize,
    /// Hundredths of a second that a frame stays.
    delay: u16,
    /// What is on the screen; empty before the first frame.
    shown: Vec<u8>,
}

impl Film {
    /// Creates the file; the error is one line that names it.
    pub fn create(
        path: &Path,
        size: (usize, usize),
        palette: &[[u8; 3]],
        delay: u16,
    ) -> Result<Film, String> {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Film::new(BufWriter::new(file), size, palette, delay)
    }
}

impl<W: Write> Film<W> {
    fn new(
        to: W,
        (width, height): (usize, usize),
        palette: &[[u8; 3]],
        delay: u16,
    ) -> Result<Film<W>, String> {
        assert!(palette.len() <= usize::from(CLEAR), "the last index means clear");
        let mut colours = palette.to_vec();
        colours.resize(256, [0; 3]);
        let mut encoder =
            Encoder::new(to, width as u16, height as u16, &colours.concat()).map_err(one_line)?;
        encoder.set_repeat(Repeat::Infinite).map_err(one_line)?;
        Ok(Film { encoder, width, delay, shown: Vec::new() })
    }

    /// Adds a picture: indices into the palette, row by row from the top.
    pub fn show(&mut self, picture: &[u8]) -> Result<(), String> {
        let frame = if self.shown.is_empty() {
            self.frame(0, 0, self.width, picture.to_vec())
        } else {
            self.difference(picture)
        };
        self.encoder.write_frame(&frame).map_err(one_line)?;
        self.shown.clear();
        self.shown.extend_from_slice(picture);
        Ok(())
    }

    /// Keeps the last picture for so many hundredths of a second more, and ends the file.
    pub fn end(mut self, pause: u16) -> Result<W, String> {
        let frame = Frame { delay: pause, ..self.frame(0, 0, 1, vec![CLEAR]) };
        self.encoder.write_frame(&frame).map_err(one_line)?;
        let mut to = self.encoder.into_inner().map_err(one_line)?;
        to.flush().map_err(|error| error.to_string())?;
        Ok(to)
    }

    /// The smallest rectangle with every change; pixels in it that did not change are clear.
    fn difference(&self, picture: &[u8]) -> Frame<'static> {
        let (mut left, mut right, mut top, mut bottom) = (self.width, 0, usize::MAX, 0);
        let pixels = picture.iter().zip(&self.shown).enumerate();
        for (at, _) in pixels.filter(|(_, (new, old))| new != old) {
            let (x, y) = (at % self.width, at / self.width);
            (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
        }
        if top > bottom {
            return self.frame(0, 0, 1, vec![CLEAR]);
        }
        let rows = (top..=bottom).flat_map(|y| (left..=right).map(move |x| (x, y)));
        let pixel = |(x, y): (usize, usize)| {
            let at = x + y * self.width;
            if picture[at] == self.shown[at] { CLEAR } else { picture[at] }
        };
        self.frame(left, top, right - left + 1, rows.map(pixel).collect())
    }

    fn frame(&self, left: usize, top: usize, width: usize, pixels: Vec<u8>) -> Frame<'static> {
        Frame {
            delay: self.delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(CLEAR),
            left: left as u16,
            top: top as u16,
            width: width as u16,
            height: (pixels.len() / width) as u16,
            buffer: Cow::Owned(pixels),
            ..Frame::default()
        }
    }
}

fn one_line(error: gif::EncodingError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_hold_the_changed_rectangle_only() {
        let mut film = Film::new(Vec::new(), (4, 3), &[[0; 3]; 4], 6).unwrap();
        let mut picture = vec![1; 12];
        film.show(&picture).unwrap();
        picture[5] = 2;
        picture[10] = 3;
        film.show(&picture).unwrap();
        film.show(&picture).unwrap();
        let bytes = film.end(250).unwrap();

        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut decoder = options.read_info(&bytes[..]).unwrap();
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let (at, pixels) = ((frame.left, frame.top, frame.width), frame.buffer.to_vec());
            frames.push((at, pixels, frame.delay));
        }
        assert_eq!(frames[0], ((0, 0, 4), vec![1; 12], 6));
        assert_eq!(frames[1], ((1, 1, 2), vec![2, CLEAR, CLEAR, 3], 6));
        assert_eq!(frames[2], ((0, 0, 1), vec![CLEAR], 6));
        assert_eq!(frames[3..], [((0, 0, 1), vec![CLEAR], 250)]);
    }
}
