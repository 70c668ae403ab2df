//! The animation: a GIF with one palette, whose frames hold only what changed.

use crate::draw::{CLEAR, Ink, palette};
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;
use std::io::Write;

/// Hundredths of a second that a frame stays, and the last one.
const DELAY: u16 = 6;
const LAST_DELAY: u16 = 250;

/// A film that is being written.
pub struct Film<W: Write> {
    encoder: Encoder<W>,
    width: usize,
    /// What is on the screen; empty before the first frame.
    shown: Vec<Ink>,
}

impl<W: Write> Film<W> {
    pub fn new(to: W, width: usize, height: usize) -> Result<Film<W>, String> {
        let colours = palette().concat();
        let mut encoder = Encoder::new(to, width as u16, height as u16, &colours).map_err(said)?;
        encoder.set_repeat(Repeat::Infinite).map_err(said)?;
        Ok(Film { encoder, width, shown: Vec::new() })
    }

    /// Shows a picture, row by row. A picture without a change waits as long as any other.
    pub fn show(&mut self, inks: &[Ink]) -> Result<(), String> {
        let frame = if self.shown.is_empty() { self.whole(inks) } else { self.difference(inks) };
        self.encoder.write_frame(&frame).map_err(said)?;
        self.shown.clear();
        self.shown.extend_from_slice(inks);
        Ok(())
    }

    /// Lets the last picture stay for a while, and ends the file.
    pub fn end(mut self) -> Result<W, String> {
        let pause = Frame { delay: LAST_DELAY, ..frame(0, 0, 1, vec![CLEAR]) };
        self.encoder.write_frame(&pause).map_err(said)?;
        self.encoder.into_inner().map_err(said)
    }

    fn whole<'a>(&self, inks: &'a [Ink]) -> Frame<'a> {
        Frame { buffer: Cow::Borrowed(inks), ..frame(0, 0, self.width, inks.to_vec()) }
    }

    /// The smallest rectangle with every change; in it, what did not change is clear.
    fn difference(&self, inks: &[Ink]) -> Frame<'static> {
        let (mut left, mut right, mut top, mut bottom) = (self.width, 0, usize::MAX, 0);
        for (at, _) in inks.iter().zip(&self.shown).enumerate().filter(|(_, (new, old))| new != old)
        {
            let (x, y) = (at % self.width, at / self.width);
            (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
        }
        if top > bottom {
            return frame(0, 0, 1, vec![CLEAR]);
        }
        let rows = (top..=bottom).flat_map(|y| (left..=right).map(move |x| (x, y)));
        let ink = |(x, y): (usize, usize)| {
            let at = x + y * self.width;
            if inks[at] == self.shown[at] { CLEAR } else { inks[at] }
        };
        frame(left, top, right - left + 1, rows.map(ink).collect())
    }
}

fn frame(left: usize, top: usize, width: usize, inks: Vec<Ink>) -> Frame<'static> {
    Frame {
        delay: DELAY,
        dispose: DisposalMethod::Keep,
        transparent: Some(CLEAR),
        left: left as u16,
        top: top as u16,
        width: width as u16,
        height: (inks.len() / width) as u16,
        buffer: Cow::Owned(inks),
        ..Frame::default()
    }
}

fn said(error: gif::EncodingError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_hold_the_changed_rectangle_only() {
        let mut film = Film::new(Vec::new(), 4, 3).unwrap();
        let mut picture = vec![1; 12];
        film.show(&picture).unwrap();
        picture[5] = 2;
        picture[10] = 3;
        film.show(&picture).unwrap();
        film.show(&picture).unwrap();
        let bytes = film.end().unwrap();

        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut decoder = options.read_info(&bytes[..]).unwrap();
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            frames.push((frame.left, frame.top, frame.width, frame.buffer.to_vec()));
        }
        let nothing = (0, 0, 1, vec![CLEAR]);
        assert_eq!(frames[0], (0, 0, 4, vec![1; 12]));
        assert_eq!(frames[1], (1, 1, 2, vec![2, CLEAR, CLEAR, 3]));
        assert_eq!(frames[2..], [nothing.clone(), nothing]);
    }
}
