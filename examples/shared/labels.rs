//! The font for words in pictures: the ASCII part of DejaVu Sans, which comes with the examples, so
//! that no system font is needed. Its licence is in `examples/data`.

use plotters::style::{FontStyle, register_font};

/// The name by which `plotters` knows the font.
pub const FAMILY: &str = "sans-serif";

/// Registers the font with `plotters`; call it before anything is drawn.
pub fn load_font() -> Result<(), String> {
    register_font(FAMILY, FontStyle::Normal, include_bytes!("../data/labels.ttf"))
        .map_err(|_| "the font for the labels is damaged".to_owned())
}
