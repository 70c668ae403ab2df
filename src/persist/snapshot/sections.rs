//! The frame of a snapshot: header, sections, checksums.

use super::VERSION;
use super::bytes::{Content, Encode};
use super::error::SnapshotError;

const MAGIC: [u8; 8] = *b"FLDPLAIN";
const HEADER: usize = 16;
/// Bytes of a section beside its content: name, length, checksum.
const FRAME: usize = 16;

/// The kind of world in a snapshot, with its number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum Kind {
    /// 1: [`WaterWorld`](crate::water::WaterWorld).
    Water = 1,
    /// 2: [`HumidityWorld`](crate::humidity::HumidityWorld) of sheets.
    HumiditySheet = 2,
    /// 3: [`HumidityWorld`](crate::humidity::HumidityWorld) of cubes.
    HumidityCube = 3,
    /// 4: [`BlastWorld`](crate::blast::BlastWorld) of sheets.
    BlastSheet = 4,
    /// 5: [`BlastWorld`](crate::blast::BlastWorld) of cubes.
    BlastCube = 5,
    /// 6: [`BlastGraph`](crate::blast::BlastGraph).
    BlastGraph = 6,
    /// 7: [`Water2dWorld`](crate::water2d::Water2dWorld).
    Water2d = 7,
    /// 8: [`World`](crate::world::World).
    World = 8,
}

impl Kind {
    /// Returns the number in the file.
    pub const fn number(self) -> u16 {
        self as u16
    }
}

/// Writes a snapshot.
pub(crate) struct Writer {
    out: Vec<u8>,
}

impl Writer {
    pub(crate) fn new(kind: Kind) -> Self {
        let mut out = MAGIC.to_vec();
        VERSION.put(&mut out);
        kind.number().put(&mut out);
        crc32fast::hash(&out).put(&mut out);
        Writer { out }
    }

    /// Appends a section; `name` has four letters.
    pub(crate) fn section(&mut self, name: &'static str, content: impl FnOnce(&mut Vec<u8>)) {
        let start = self.out.len();
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(&[0; 8]);
        let content_start = self.out.len();
        content(&mut self.out);
        let length = (self.out.len() - content_start) as u64;
        self.out[content_start - 8..content_start].copy_from_slice(&length.to_le_bytes());
        crc32fast::hash(&self.out[start..]).put(&mut self.out);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.out
    }
}

/// Reads a snapshot, section by section.
pub(crate) struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Checks the header.
    pub(crate) fn new(bytes: &'a [u8], wanted: Kind) -> Result<Self, SnapshotError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(SnapshotError::NotASnapshot);
        }
        let (header, left) = bytes.split_at_checked(HEADER).ok_or(SnapshotError::Header)?;
        let (checked, checksum) = header.split_at(HEADER - 4);
        if crc32fast::hash(checked).to_le_bytes() != checksum {
            return Err(SnapshotError::Header);
        }
        let number = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        match (number(8), number(10)) {
            (VERSION, kind) if kind == wanted.number() => Ok(Reader { left }),
            (VERSION, found) => Err(SnapshotError::OtherKind { found, wanted }),
            (0, _) => Err(SnapshotError::Header),
            (found, _) => Err(SnapshotError::NewerVersion { found, newest: VERSION }),
        }
    }

    /// Returns the content of the next section, which must have this name.
    pub(crate) fn section(&mut self, name: &'static str) -> Result<Content<'a>, SnapshotError> {
        let truncated = SnapshotError::Truncated { section: name };
        if self.left.len() < FRAME {
            return Err(truncated);
        }
        let length = u64::from_le_bytes(self.left[4..12].try_into().expect("eight bytes"));
        let end = usize::try_from(length).ok().and_then(|length| length.checked_add(FRAME));
        let Some((section, left)) = end.and_then(|end| self.left.split_at_checked(end)) else {
            return Err(truncated);
        };
        let (checked, checksum) = section.split_at(section.len() - 4);
        if !section.starts_with(name.as_bytes())
            || crc32fast::hash(checked).to_le_bytes() != checksum
        {
            return Err(SnapshotError::Damaged { section: name });
        }
        self.left = left;
        Ok(Content::new(name, &checked[12..]))
    }

    /// Refuses bytes after the last section.
    pub(crate) fn finish(self) -> Result<(), SnapshotError> {
        match self.left.len() {
            0 => Ok(()),
            bytes => Err(SnapshotError::Trailing { bytes }),
        }
    }
}
