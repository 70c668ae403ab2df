//! The frame of a region file: a header of 1,024 places and times, then columns in whole sectors,
//! each with its length and its compression.
//!
//! Decompression is bounded, because a few kilobytes of zeros can stand for gigabytes.

use super::error::ColumnFault;
use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder, ZlibEncoder};
use std::borrow::Cow;
use std::io::Read;

const SECTOR: usize = 4096;

/// The bytes of the header: places, then times.
pub(super) const HEADER: usize = 2 * SECTOR;

/// The most bytes of a column, decompressed. In the game's worlds they have less than one million.
const LONGEST: usize = 1 << 24;

/// The most sectors of a column: the header has a byte for them.
const MOST_SECTORS: usize = 255;

const GZIP: u8 = 1;
pub(super) const ZLIB: u8 = 2;
const PLAIN: u8 = 3;

/// Set in the byte for the compression if the column lies in a file of its own.
const EXTERNAL: u8 = 0x80;

/// Where the header says that a column lies.
#[derive(Clone, Copy)]
pub(super) struct Location {
    pub offset: usize,
    pub sectors: u8,
}

/// A column as it is stored.
pub(super) struct Stored<'a> {
    pub compression: u8,
    pub bytes: &'a [u8],
}

impl Stored<'_> {
    /// Returns whether the column lies in a file of its own.
    pub fn is_external(&self) -> bool {
        self.compression & EXTERNAL != 0
    }
}

/// Returns the places of all columns, in their order in the header.
pub(super) fn places() -> impl Iterator<Item = [u8; 2]> {
    (0..32).flat_map(|z| (0..32).map(move |x| [x, z]))
}

/// Returns the four bytes of a table in the header that belong to a column; zeros beyond it.
fn entry(file: &[u8], table: usize, [x, z]: [u8; 2]) -> [u8; 4] {
    let at = table + 4 * (usize::from(x) + 32 * usize::from(z));
    if x > 31 || z > 31 {
        return [0; 4];
    }
    file.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default()
}

/// Returns where a column lies; `None` if there is none.
pub(super) fn location(file: &[u8], at: [u8; 2]) -> Option<Location> {
    let [high, middle, low, sectors] = entry(file, 0, at);
    let sector = u32::from_be_bytes([0, high, middle, low]) as usize;
    (sector > 0 || sectors > 0).then_some(Location { offset: sector * SECTOR, sectors })
}

/// Returns the column at a place that has one.
pub(super) fn stored(file: &[u8], at: [u8; 2]) -> Result<Stored<'_>, ColumnFault> {
    let outside = ColumnFault::Place { file: file.len() };
    let Some(Location { offset, sectors }) = location(file, at) else { return Err(outside) };
    let body = if offset < HEADER { None } else { file.get(offset..) };
    let Some((&[a, b, c, d, compression], bytes)) = body.and_then(|body| body.split_first_chunk())
    else {
        return Err(outside);
    };
    let length = u32::from_be_bytes([a, b, c, d]);
    // The length counts the byte for the compression, but not its own four. Where addresses have 32
    // bits, the sum and the offset may saturate: no column is so long, and no file.
    let whole = (length as usize).saturating_add(4);
    if length == 0 || whole > usize::from(sectors) * SECTOR {
        return Err(ColumnFault::Length { length, sectors });
    }
    let bytes = bytes.get(..length as usize - 1).ok_or(outside)?;
    Ok(Stored { compression, bytes })
}

/// Decompresses a column.
pub(super) fn inflate<'a>(stored: &Stored<'a>) -> Result<Cow<'a, [u8]>, ColumnFault> {
    match stored.compression {
        GZIP => bounded(GzDecoder::new(stored.bytes)).map(Cow::Owned),
        ZLIB => bounded(ZlibDecoder::new(stored.bytes)).map(Cow::Owned),
        PLAIN => Ok(Cow::Borrowed(stored.bytes)),
        _ if stored.is_external() => Err(ColumnFault::External),
        found => Err(ColumnFault::Compression { found }),
    }
}

fn bounded(from: impl Read) -> Result<Vec<u8>, ColumnFault> {
    let mut bytes = Vec::new();
    from.take(LONGEST as u64 + 1).read_to_end(&mut bytes).map_err(|_| ColumnFault::Inflate)?;
    if bytes.len() > LONGEST {
        return Err(ColumnFault::TooLong { limit: LONGEST });
    }
    Ok(bytes)
}

/// Compresses a column by [`ZLIB`].
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut deflated = Vec::new();
    let read = ZlibEncoder::new(bytes, Compression::default()).read_to_end(&mut deflated);
    // Reading from bytes in memory does not fail.
    read.map(|_| deflated).unwrap_or_default()
}

/// Returns whether a column of so many compressed bytes may be written.
pub(super) fn fits(bytes: usize) -> bool {
    sectors_of(bytes) <= MOST_SECTORS
}

/// Returns the sectors of so many compressed bytes, with the five before them.
fn sectors_of(bytes: usize) -> usize {
    (bytes + 5).div_ceil(SECTOR)
}

/// A region file that is being written, with the times of an old one.
pub(super) struct Writer<'a> {
    old: &'a [u8],
    file: Vec<u8>,
}

impl<'a> Writer<'a> {
    pub fn new(old: &'a [u8]) -> Writer<'a> {
        let times = old.get(SECTOR..HEADER).unwrap_or(&[0; SECTOR]);
        Writer { old, file: [&[0; SECTOR], times].concat() }
    }

    /// Appends a column that [fits](fits).
    pub fn push(&mut self, at: [u8; 2], bytes: Cow<'_, [u8]>, compression: u8) {
        let [x, z] = at.map(usize::from);
        let sector = (self.file.len() / SECTOR) as u32;
        let place = sector << 8 | sectors_of(bytes.len()) as u32;
        self.file[4 * (x + 32 * z)..][..4].copy_from_slice(&place.to_be_bytes());
        self.file.extend_from_slice(&(bytes.len() as u32 + 1).to_be_bytes());
        self.file.push(compression);
        self.file.extend_from_slice(&bytes);
        self.file.resize(self.file.len().next_multiple_of(SECTOR), 0);
    }

    /// Returns the bytes of the file. One without columns stays as it was.
    pub fn finish(self) -> Vec<u8> {
        if self.file.len() == HEADER { self.old.to_vec() } else { self.file }
    }
}
