//! Writes a region file with new bytes for some of its columns. Sectors are allocated as the game
//! does: the column's own sectors if it still fits, otherwise the first free sectors that suffice
//! (first fit), otherwise new ones at the end.
//!
//! All other data stays byte by byte and in its place: columns that could not be read, overlapping
//! columns, and sectors outside all columns.

use super::sectors::{HEADER, Location, SECTOR, ZLIB, location, places, sectors_of};
use core::ops::Range;

/// A region file that is being written.
pub(super) struct Writer {
    file: Vec<u8>,
    /// For each sector, the number of columns that claim it, plus one in the header.
    claims: Vec<u16>,
    /// Columns whose places are beyond the end of the old file, where other columns may be written.
    outside: Vec<[u8; 2]>,
}

impl Writer {
    pub fn new(old: &[u8]) -> Writer {
        let mut writer = Writer { file: old.to_vec(), claims: Vec::new(), outside: Vec::new() };
        writer.claim(0..HEADER / SECTOR);
        for at in places() {
            match location(old, at) {
                Some(location) if location.offset < old.len() => writer.claim(sectors(location)),
                Some(_) => writer.outside.push(at),
                None => {}
            }
        }
        writer
    }

    fn claim(&mut self, sectors: Range<usize>) {
        if self.claims.len() < sectors.end {
            self.claims.resize(sectors.end, 0);
        }
        self.claims[sectors].iter_mut().for_each(|claims| *claims += 1);
    }

    fn is_free(&self, mut sectors: Range<usize>) -> bool {
        sectors.all(|sector| self.claims.get(sector).is_none_or(|&claims| claims == 0))
    }

    /// Returns the first of `needed` consecutive free sectors.
    fn first_fit(&self, needed: usize) -> usize {
        let mut start = 0;
        for (sector, &claims) in self.claims.iter().enumerate() {
            if claims > 0 {
                start = sector + 1;
            } else if sector + 1 - start == needed {
                break;
            }
        }
        start
    }

    /// Writes new bytes of a column that is in the file, compressed by [`ZLIB`]. They must
    /// [fit](super::sectors::fits).
    pub fn replace(&mut self, at: [u8; 2], bytes: &[u8]) {
        // Columns beyond the file's end are cleared, as the game does when it opens a file.
        for outside in core::mem::take(&mut self.outside) {
            self.write_entry(outside, 0);
        }
        let Some(old) = location(&self.file, at).map(sectors) else { return };
        self.claims[old.clone()].iter_mut().for_each(|claims| *claims -= 1);
        let needed = sectors_of(bytes.len());
        let is_enough = self.is_free(old.start..old.start + needed);
        let start = if is_enough { old.start } else { self.first_fit(needed) };
        self.claim(start..start + needed);
        self.write_entry(at, (start as u32) << 8 | needed as u32);
        let end = (start + needed) * SECTOR;
        // The file grows by bytes 0xff: after a truncated column, zeros could be mistaken for the
        // rest of it.
        self.file.resize(self.file.len().max(end), 0xff);
        let frame = [&(bytes.len() as u32 + 1).to_be_bytes()[..], &[ZLIB], bytes].concat();
        let (column, padding) = self.file[start * SECTOR..end].split_at_mut(frame.len());
        column.copy_from_slice(&frame);
        padding.fill(0);
    }

    fn write_entry(&mut self, [x, z]: [u8; 2], entry: u32) {
        let at = 4 * (usize::from(x) + 32 * usize::from(z));
        self.file[at..at + 4].copy_from_slice(&entry.to_be_bytes());
    }

    /// Returns the bytes of the file.
    pub fn finish(self) -> Vec<u8> {
        self.file
    }
}

/// Returns the sectors that the header gives a column.
fn sectors(location: Location) -> Range<usize> {
    let start = location.offset / SECTOR;
    start..start + usize::from(location.sectors)
}
