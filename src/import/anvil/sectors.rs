//! The frame of a region file: a header of 1,024 places and times, then columns in whole sectors,
//! each with its length and its compression.
//!
//! Decompression is bounded, because a few kilobytes can decompress to gigabytes of zeros.

use super::error::{ColumnFault, Failure};
use crate::import::budget::Work;
use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder, ZlibEncoder};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::io::Read;

pub(super) const SECTOR: usize = 4096;

/// The bytes before a column's data: its length, and its compression.
const FRAME: usize = 5;

/// The bytes of the header: places, then times.
pub(super) const HEADER: usize = 2 * SECTOR;

/// The most bytes of a column when decompressed. Columns of the game's worlds have fewer than one
/// million.
const LONGEST: usize = 1 << 24;

/// The most sectors of a column: the header has a byte for them.
const MOST_SECTORS: usize = 255;

const GZIP: u8 = 1;
pub(super) const ZLIB: u8 = 2;
const PLAIN: u8 = 3;

/// The bit that is set in the compression byte if the column is in a separate file.
const EXTERNAL: u8 = 0x80;

/// The place of a column in the file, as given in the header.
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
    /// Returns whether the column is in a separate file.
    fn is_external(&self) -> bool {
        self.compression & EXTERNAL != 0
    }
}

/// Returns the places of all columns, in their order in the header.
pub(super) fn places() -> impl Iterator<Item = [u8; 2]> {
    (0..32).flat_map(|z| (0..32).map(move |x| [x, z]))
}

/// Returns the four bytes of a table in the header that belong to a column; zeros if x or z is
/// above 31.
fn entry(file: &[u8], table: usize, [x, z]: [u8; 2]) -> [u8; 4] {
    let at = table + 4 * (usize::from(x) + 32 * usize::from(z));
    if x > 31 || z > 31 {
        return [0; 4];
    }
    file.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default()
}

/// Returns where a column is in the file; `None` if there is no column at the place `at`. An offset
/// beyond the range of a 32-bit `usize` saturates; no file in memory is that long.
pub(super) fn location(file: &[u8], at: [u8; 2]) -> Option<Location> {
    let [high, middle, low, sectors] = entry(file, 0, at);
    let sector = u32::from_be_bytes([0, high, middle, low]) as usize;
    (sector > 0 || sectors > 0)
        .then_some(Location { offset: sector.saturating_mul(SECTOR), sectors })
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
    // The length counts the byte for the compression, but not its own four bytes. Where addresses
    // have 32 bits, the sum may saturate, but no column is that long.
    let whole = (length as usize).saturating_add(4);
    if length == 0 || whole > usize::from(sectors) * SECTOR {
        return Err(ColumnFault::Length { length, sectors });
    }
    let bytes = bytes.get(..length as usize - 1).ok_or(outside)?;
    Ok(Stored { compression, bytes })
}

/// Columns that the header places at the same byte of the file: just one in a sound file.
pub(super) struct Extent<'a> {
    /// The places in the header, in their order.
    pub places: Vec<[u8; 2]>,
    pub offset: usize,
    pub stored: Result<Stored<'a>, ColumnFault>,
}

impl Extent<'_> {
    /// Returns the offset of the end of the column; `None` if the column could not be found.
    fn end(&self) -> Option<usize> {
        self.stored.as_ref().ok().map(|stored| self.offset + FRAME + stored.bytes.len())
    }
}

/// Returns the columns that the header places in the file, in order of the first places. Columns
/// that begin at the same byte are together. Columns that overlap otherwise count as damaged, since
/// none of them can be trusted. So no byte of the file is read twice.
pub(super) fn extents(file: &[u8]) -> Vec<Extent<'_>> {
    let mut extents: Vec<Extent<'_>> = Vec::new();
    let mut by_offset: HashMap<usize, usize> = HashMap::new();
    for at in places() {
        let Some(Location { offset, .. }) = location(file, at) else { continue };
        let stored = stored(file, at);
        match by_offset.get(&offset) {
            Some(&same) if stored.is_ok() => extents[same].places.push(at),
            _ => {
                if stored.is_ok() {
                    by_offset.insert(offset, extents.len());
                }
                extents.push(Extent { places: vec![at], offset, stored });
            }
        }
    }
    refuse_overlaps(&mut extents);
    extents
}

fn refuse_overlaps(extents: &mut [Extent<'_>]) {
    let mut ends: Vec<(usize, usize)> =
        (0..extents.len()).filter_map(|at| Some((extents[at].end()?, at))).collect();
    ends.sort_by_key(|&(_, at)| extents[at].offset);
    // The end and the index of the column that reaches farthest among the columns that begin
    // before.
    let mut farthest: Option<(usize, usize)> = None;
    for (end, at) in ends {
        if let Some((other_end, other)) = farthest
            && extents[at].offset < other_end
        {
            for (one, with) in [(at, other), (other, at)] {
                let with = extents[with].places[0];
                extents[one].stored = Err(ColumnFault::Overlap { with });
            }
        }
        farthest = farthest.max(Some((end, at)));
    }
}

/// Decompresses a column, and charges the work.
pub(super) fn inflate<'a>(stored: &Stored<'a>, work: &mut Work) -> Result<Cow<'a, [u8]>, Failure> {
    let bytes = match stored.compression {
        GZIP => Cow::Owned(bounded(GzDecoder::new(stored.bytes), work)?),
        ZLIB => Cow::Owned(bounded(ZlibDecoder::new(stored.bytes), work)?),
        PLAIN => Cow::Borrowed(stored.bytes),
        _ if stored.is_external() => return Err(ColumnFault::External.into()),
        found => return Err(ColumnFault::Compression { found }.into()),
    };
    work.take(bytes.len() as u64)?;
    Ok(bytes)
}

fn bounded(from: impl Read, work: &Work) -> Result<Vec<u8>, Failure> {
    let most = work.left().min(LONGEST as u64);
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes).map_err(|_| ColumnFault::Inflate)?;
    match bytes.len() {
        length if length as u64 <= most => Ok(bytes),
        length if length > LONGEST => Err(ColumnFault::TooLong { limit: LONGEST }.into()),
        _ => Err(work.over().into()),
    }
}

/// Compresses a column by [`ZLIB`].
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut deflated = Vec::new();
    let read = ZlibEncoder::new(bytes, Compression::default()).read_to_end(&mut deflated);
    // Reading from bytes in memory does not fail.
    read.map(|_| deflated).unwrap_or_default()
}

/// Returns whether a column of this many compressed bytes may be written.
pub(super) fn fits(bytes: usize) -> bool {
    sectors_of(bytes) <= MOST_SECTORS
}

/// Returns the number of sectors for this many compressed bytes and the five bytes before them.
pub(super) fn sectors_of(bytes: usize) -> usize {
    (bytes + FRAME).div_ceil(SECTOR)
}
