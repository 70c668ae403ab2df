//! Reading the heights of the ground from a grey PNG.

use png::{BitDepth, ColorType, Decoder};
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
        let read =
            || Dem::decode(BufReader::new(File::open(path).map_err(|error| error.to_string())?));
        read().map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Reads a grey PNG of 8 or 16 bits.
    pub fn decode(bytes: impl BufRead + Seek) -> Result<Dem, String> {
        let mut decoder = Decoder::new(bytes);
        let (width, depth) = decoder.read_header_info().map_err(one_line)?.size();
        if width.max(depth) as usize > MOST_CELLS {
            return Err(format!(
                "a map of {width} by {depth} cells; a side has at most {MOST_CELLS}"
            ));
        }
        let mut reader = decoder.read_info().map_err(one_line)?;
        let (colour, bits) = reader.output_color_type();
        if colour != ColorType::Grayscale || !matches!(bits, BitDepth::Eight | BitDepth::Sixteen) {
            return Err(format!(
                "heights come as a grey PNG of 8 or 16 bits; this one is {colour:?} of {} bits",
                bits as u8
            ));
        }
        let mut raw = vec![0; reader.output_buffer_size().unwrap_or(0)];
        reader.next_frame(&mut raw).map_err(one_line)?;
        let metres = match bits {
            BitDepth::Sixteen => {
                raw.as_chunks().0.iter().map(|&pair| u16::from_be_bytes(pair)).collect()
            }
            _ => raw.into_iter().map(u16::from).collect(),
        };
        Ok(Dem { width: width as usize, depth: depth as usize, metres })
    }

    pub fn cells(&self) -> usize {
        self.metres.len()
    }
}

fn one_line(error: png::DecodingError) -> String {
    error.to_string().replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use png::Encoder;
    use std::io::Cursor;

    /// A PNG of this size, with these bytes for its rows.
    fn png(
        (width, height): (u32, u32),
        (colour, bits): (ColorType, BitDepth),
        rows: &[u8],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width, height);
        encoder.set_color(colour);
        encoder.set_depth(bits);
        encoder.write_header().and_then(|mut writer| writer.write_image_data(rows)).unwrap();
        bytes
    }

    const GREY: (ColorType, BitDepth) = (ColorType::Grayscale, BitDepth::Eight);

    fn decode(bytes: &[u8]) -> Result<Dem, String> {
        Dem::decode(Cursor::new(bytes))
    }

    #[test]
    fn heights_of_8_and_16_bits_are_read_in_metres() {
        let metres = vec![0, 1, 258, 65_535, 4, 5];
        let rows: Vec<u8> = metres.iter().flat_map(|height: &u16| height.to_be_bytes()).collect();
        let wide = png((3, 2), (ColorType::Grayscale, BitDepth::Sixteen), &rows);
        assert_eq!(decode(&wide).unwrap(), Dem { width: 3, depth: 2, metres });
        let narrow = png((1, 2), GREY, &[7, 255]);
        assert_eq!(decode(&narrow).unwrap(), Dem { width: 1, depth: 2, metres: vec![7, 255] });
    }

    #[test]
    fn files_that_are_no_map_of_heights_are_refused_in_one_line() {
        let good = png((40, 40), GREY, &[0; 1600]);
        let colour = png((2, 2), (ColorType::Rgb, BitDepth::Eight), &[0; 12]);
        let transparent = png((2, 2), (ColorType::GrayscaleAlpha, BitDepth::Eight), &[0; 8]);
        let coarse = png((8, 2), (ColorType::Grayscale, BitDepth::One), &[0; 2]);
        let long = png((MOST_CELLS as u32 + 1, 1), GREY, &[0; MOST_CELLS + 1]);
        let cut = [&good[..good.len() / 2], &good[..20], b"", b"P5 2 2 255 abcd"];
        let of_another_kind = [&colour, &transparent, &coarse, &long].map(Vec::as_slice);
        for bytes in cut.into_iter().chain(of_another_kind) {
            let error = decode(bytes).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
        let error = Dem::open(Path::new("no/such/file.png")).unwrap_err();
        assert!(error.starts_with("no/such/file.png: "), "{error}");
    }
}
