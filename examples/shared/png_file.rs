//! Writing a picture of flat colours as a PNG file. Examples and benches that draw include this
//! file as a module.

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Writes red, green and blue bytes, row by row from the top; the error is one line that names the
/// file.
pub fn save(path: &Path, colours: &[u8], (width, height): (u32, u32)) -> Result<(), String> {
    let write = || -> Result<(), EncodingError> {
        let mut encoder = Encoder::new(BufWriter::new(File::create(path)?), width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::High);
        // Rows of flat colours repeat; a filter would hide that from the compression.
        encoder.set_filter(Filter::NoFilter);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(colours)?;
        writer.finish()
    };
    write().map_err(|error| format!("{}: {error}", path.display()))
}
