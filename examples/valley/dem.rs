//! Reading the heights of the ground from a grey PNG.

use image::codecs::png::PngDecoder;
use image::{ExtendedColorType, ImageDecoder, Limits};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::path::Path;

/// The longest side of a map, in cells.
pub const MOST_CELLS: usize = 4096;

/// Heights in metres, row by row from the north-west corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dem {
    pub width: usize,
    pub depth: usize,
    pub metres: Vec<u16>,
}

impl Dem {
    /// Reads a file; the error is one line that names it.
    pub fn open(path: &Path) -> Result<Dem, String> {
        let read = || Dem::decode(BufReader::new(File::open(path).map_err(|error| error.to_string())?));
        read().map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Reads a grey PNG of 8 or 16 bits.
    pub fn decode(bytes: impl BufRead + Seek) -> Result<Dem, String> {
        let mut limits = Limits::default();
        limits.max_image_width = Some(MOST_CELLS as u32);
        limits.max_image_height = Some(MOST_CELLS as u32);
        let mut decoder = PngDecoder::new(bytes).map_err(one_line)?;
        let (width, depth) = decoder.dimensions();
        if width.max(depth) as usize > MOST_CELLS {
            return Err(format!("a map of {width} by {depth} cells; a side has at most {MOST_CELLS}"));
        }
        decoder.set_limits(limits).map_err(one_line)?;
        let kind = decoder.original_color_type();
        if !matches!(kind, ExtendedColorType::L8 | ExtendedColorType::L16) {
            return Err(format!("heights come as a grey PNG of 8 or 16 bits; this one is {kind:?}"));
        }
        let mut raw = vec![0; decoder.total_bytes() as usize];
        decoder.read_image(&mut raw).map_err(one_line)?;
        let metres = match kind {
            ExtendedColorType::L8 => raw.into_iter().map(u16::from).collect(),
            _ => raw.as_chunks().0.iter().map(|&pair| u16::from_ne_bytes(pair)).collect(),
        };
        Ok(Dem { width: width as usize, depth: depth as usize, metres })
    }

    pub fn cells(&self) -> usize {
        self.metres.len()
    }
}

fn one_line(error: image::ImageError) -> String {
    error.to_string().replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, ImageFormat};
    use std::io::Cursor;

    fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.into().write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    fn decode(bytes: &[u8]) -> Result<Dem, String> {
        Dem::decode(Cursor::new(bytes))
    }

    #[test]
    fn both_depths_give_the_stored_metres() {
        let wide = image::ImageBuffer::<image::Luma<u16>, _>::from_raw(3, 2, vec![0, 1, 258, 65_535, 4, 5]).unwrap();
        let dem = decode(&png(wide)).unwrap();
        assert_eq!(dem, Dem { width: 3, depth: 2, metres: vec![0, 1, 258, 65_535, 4, 5] });
        let narrow = image::GrayImage::from_raw(1, 2, vec![7, 255]).unwrap();
        assert_eq!(decode(&png(narrow)).unwrap().metres, [7, 255]);
    }

    #[test]
    fn whatever_is_no_map_of_heights_is_refused_in_one_line() {
        let good = png(image::GrayImage::new(40, 40));
        let colour = png(image::RgbImage::new(2, 2));
        let transparent = png(image::GrayAlphaImage::new(2, 2));
        let long = png(image::GrayImage::new(MOST_CELLS as u32 + 1, 1));
        let broken = [&good[..good.len() / 2], &good[..20], b"", b"P5 2 2 255 abcd", &colour, &transparent, &long];
        for bytes in broken {
            let error = decode(bytes).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
        let error = Dem::open(Path::new("no/such/file.png")).unwrap_err();
        assert!(error.starts_with("no/such/file.png: "), "{error}");
    }
}
