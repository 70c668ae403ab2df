//! Recordings as bytes; the format is in the module's documentation.

use super::error::{Place, RecordingError};
use super::hashes::Check;
use super::packed::Packed;
use super::parts::{Recording, Start};
use crate::coords::sort_key;
use crate::simulation::{EditValue, Simulation};
use crate::snapshot::Saved;
use crate::water::varint::{read_varint, unzigzag, write_varint, zigzag};
use glam::IVec3;

const MAGIC: [u8; 8] = *b"FLDRECRD";
/// The newest version, of bytes and of texts.
pub(super) const VERSION: u16 = 1;
/// Magic, version, kind and length.
const HEADER: usize = 20;
const CHECKSUM: usize = 4;

impl<W: Saved + Simulation> Recording<W> {
    /// Returns the recording as bytes. They are read by all later versions of this crate.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend(W::KIND.number().to_le_bytes());
        out.extend([0; 8]);
        write_varint(&mut out, self.ticks);
        match &self.start {
            Start::Snapshot(packed) => {
                out.push(0);
                put_bytes(&mut out, packed.bytes());
            }
            Start::Generated { name, parameters } => {
                out.push(1);
                put_bytes(&mut out, name.as_bytes());
                put_bytes(&mut out, parameters.as_bytes());
            }
        }
        let by_tick = || self.edits.chunk_by(|one, next| one.0 == next.0);
        write_varint(&mut out, by_tick().count() as u64);
        let mut last = 0;
        for edits in by_tick() {
            write_varint(&mut out, edits[0].0 - last);
            last = edits[0].0;
            put_edits::<W>(&mut out, edits);
        }
        write_varint(&mut out, self.checks.len() as u64);
        let mut last = 0;
        for check in &self.checks {
            write_varint(&mut out, check.tick - last);
            last = check.tick;
            put_check(&mut out, check);
        }
        write_varint(&mut out, self.keyframes.len() as u64);
        let mut last = 0;
        for (tick, packed) in &self.keyframes {
            write_varint(&mut out, tick - last);
            last = *tick;
            put_bytes(&mut out, packed.bytes());
        }
        let length = (out.len() + CHECKSUM) as u64;
        out[HEADER - 8..HEADER].copy_from_slice(&length.to_le_bytes());
        put_checksum(out)
    }

    /// Returns the recording of the bytes of [`to_bytes`](Recording::to_bytes). Snapshots in it are
    /// only looked at when they are used.
    ///
    /// Whatever the bytes are, this does not panic, and takes no more memory than some hundred
    /// times their number. Unpacked, a snapshot may have up to 1366 times the bytes that it takes:
    /// limit the length of recordings from untrusted sources, and the ticks that are replayed.
    ///
    /// # Errors
    /// The bytes are no recording of this kind of world, or are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Recording<W>, RecordingError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(RecordingError::NotARecording);
        }
        let least = (HEADER + CHECKSUM) as u64;
        if (bytes.len() as u64) < least {
            return Err(RecordingError::Length { found: bytes.len(), wanted: least });
        }
        let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        check_kind::<W>(number(8), number(10))?;
        let length = bytes[HEADER - 8..HEADER].iter().rev();
        let wanted = length.fold(0, |length, &byte| length << 8 | u64::from(byte));
        if wanted != bytes.len() as u64 {
            return Err(RecordingError::Length { found: bytes.len(), wanted });
        }
        let mut from = Source { bytes: checked(bytes)?, at: HEADER };
        let recording = from.recording()?;
        from.finish()?;
        Ok(recording)
    }

    /// Returns the edits that were made before a tick, and the number of the tick, as bytes for
    /// [`Recorder::apply_bytes`](super::Recorder::apply_bytes): a number, the edits as they stand
    /// in the bytes of a recording, and a checksum. Six bytes if there are none.
    pub fn tick_bytes(&self, tick: u64) -> Vec<u8> {
        let mut out = Vec::new();
        write_varint(&mut out, tick);
        put_edits::<W>(&mut out, self.edits_at(tick));
        put_checksum(out)
    }
}

/// Returns tick and edits of the bytes of [`Recording::tick_bytes`].
pub(super) fn tick_from_bytes<W: Saved + Simulation>(
    bytes: &[u8],
) -> Result<(u64, Vec<W::Edit>), RecordingError> {
    if bytes.len() < CHECKSUM {
        let wanted = CHECKSUM as u64;
        return Err(RecordingError::Length { found: bytes.len(), wanted });
    }
    let mut from = Source { bytes: checked(bytes)?, at: 0 };
    let tick = from.number()?;
    let edits = from.edits::<W>()?;
    from.finish()?;
    Ok((tick, edits))
}

/// Refuses recordings of other kinds and of newer versions.
pub(super) fn check_kind<W: Saved + Simulation>(
    version: u16,
    kind: u16,
) -> Result<(), RecordingError> {
    match (version, kind) {
        (0, _) => Err(RecordingError::NotARecording),
        (VERSION, kind) if kind == W::KIND.number() => Ok(()),
        (VERSION, found) => Err(RecordingError::OtherKind { found, wanted: W::KIND }),
        (found, _) => Err(RecordingError::NewerVersion { found, newest: VERSION }),
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_checksum(mut out: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&out);
    out.extend(checksum.to_le_bytes());
    out
}

/// Returns the bytes before the checksum, if that is right. There must be enough for one.
fn checked(bytes: &[u8]) -> Result<&[u8], RecordingError> {
    let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    let found = checksum.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    let computed = crc32fast::hash(content);
    if found == computed { Ok(content) } else { Err(RecordingError::Checksum { found, computed }) }
}

fn put_edits<W: Saved + Simulation>(out: &mut Vec<u8>, edits: &[(u64, W::Edit)]) {
    write_varint(out, edits.len() as u64);
    edits.iter().for_each(|(_, edit)| put_bytes(out, &edit.to_bytes()));
}

fn put_check(out: &mut Vec<u8>, check: &Check) {
    out.extend(check.hash.to_le_bytes());
    write_varint(out, check.chunks.len() as u64);
    let mut before = IVec3::ZERO;
    for &(position, hash) in &check.chunks {
        for axis in 0..3 {
            write_varint(out, zigzag(i64::from(position[axis]) - i64::from(before[axis])));
        }
        before = position;
        out.push(u8::from(hash.is_some()));
        hash.iter().for_each(|hash| out.extend(hash.to_le_bytes()));
    }
}

/// Bytes that are read from front to back.
struct Source<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Source<'b> {
    /// Returns the error that what comes here is not as wanted.
    fn refused(&self, wanted: &'static str) -> RecordingError {
        RecordingError::Value { at: Place::Byte(self.at), wanted }
    }

    fn number(&mut self) -> Result<u64, RecordingError> {
        let wrong = self.refused("a number");
        read_varint(self.bytes, &mut self.at).map_err(|_| wrong)
    }

    fn bytes(&mut self, count: usize) -> Result<&'b [u8], RecordingError> {
        let wrong = self.refused("more bytes");
        let bytes = self.bytes[self.at..].get(..count).ok_or(wrong)?;
        self.at += count;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordingError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    /// Reads the number of what follows: each takes at least so many bytes.
    fn count(&mut self, bytes: usize) -> Result<usize, RecordingError> {
        let wrong = self.refused("a number of what follows");
        let count = self.number()?;
        let left = (self.bytes.len() - self.at) / bytes;
        usize::try_from(count).ok().filter(|&count| count <= left).ok_or(wrong)
    }

    /// Reads bytes after their number.
    fn counted(&mut self) -> Result<&'b [u8], RecordingError> {
        let count = self.count(1)?;
        self.bytes(count)
    }

    fn text(&mut self) -> Result<String, RecordingError> {
        let wrong = self.refused("a text in UTF-8");
        String::from_utf8(self.counted()?.to_vec()).map_err(|_| wrong)
    }

    fn packed(&mut self) -> Result<Packed, RecordingError> {
        let wrong = self.refused("a packed snapshot");
        Packed::checked(self.counted()?).ok_or(wrong)
    }

    fn finish(self) -> Result<(), RecordingError> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.refused("the end")) }
    }

    /// Reads a tick after `last`, by the way from there: at least `least`, at most to `end`.
    fn tick(&mut self, last: &mut u64, least: u64, end: u64) -> Result<u64, RecordingError> {
        let wrong = self.refused("the ticks to one after the last and not beyond the end");
        let way = self.number()?;
        let tick =
            last.checked_add(way).filter(|&tick| way >= least && tick <= end).ok_or(wrong)?;
        *last = tick;
        Ok(tick)
    }

    fn recording<W: Saved + Simulation>(&mut self) -> Result<Recording<W>, RecordingError> {
        let ticks = self.number()?;
        let wrong = self.refused("0, a snapshot, or 1, a generator");
        let start = match self.array::<1>()? {
            [0] => Start::Snapshot(self.packed()?),
            [1] => Start::Generated { name: self.text()?, parameters: self.text()? },
            _ => return Err(wrong),
        };
        let mut edits = Vec::new();
        let mut last = 0;
        for nth in 0..self.count(3)? {
            let tick = self.tick(&mut last, nth.min(1) as u64, ticks)?;
            let wrong = self.refused("the number of edits, at least one");
            let made = self.edits::<W>()?;
            if made.is_empty() {
                return Err(wrong);
            }
            edits.extend(made.into_iter().map(|edit| (tick, edit)));
        }
        let mut checks = Vec::new();
        let mut last = 0;
        for nth in 0..self.count(10)? {
            let tick = self.tick(&mut last, nth.min(1) as u64, ticks)?;
            checks.push(self.check(tick)?);
        }
        let mut keyframes = Vec::new();
        let mut last = 0;
        for _ in 0..self.count(3)? {
            // The start is none.
            let tick = self.tick(&mut last, 1, ticks)?;
            keyframes.push((tick, self.packed()?));
        }
        Ok(Recording { start, ticks, edits, checks, keyframes })
    }

    fn edits<W: Saved + Simulation>(&mut self) -> Result<Vec<W::Edit>, RecordingError> {
        (0..self.count(2)?)
            .map(|_| {
                let bytes = self.counted()?;
                let at = Place::Byte(self.at - bytes.len());
                W::Edit::from_bytes(bytes).map_err(|error| RecordingError::Edit { at, error })
            })
            .collect()
    }

    fn check(&mut self, tick: u64) -> Result<Check, RecordingError> {
        let hash = u64::from_le_bytes(self.array()?);
        let mut chunks = Vec::new();
        let mut before: Option<IVec3> = None;
        for _ in 0..self.count(4)? {
            let wrong = self.refused("the position of a chunk after the one before");
            let mut position = before.unwrap_or_default();
            for axis in 0..3 {
                let to = i64::from(position[axis]).checked_add(unzigzag(self.number()?));
                position[axis] = to.and_then(|to| i32::try_from(to).ok()).ok_or(wrong.clone())?;
            }
            if before.replace(position).is_some_and(|before| sort_key(before) >= sort_key(position))
            {
                return Err(wrong);
            }
            let wrong = self.refused("0, a chunk that is gone, or 1 and a hash");
            let hash = match self.array::<1>()? {
                [0] => None,
                [1] => Some(u32::from_le_bytes(self.array()?)),
                _ => return Err(wrong),
            };
            chunks.push((position, hash));
        }
        Ok(Check { tick, hash, chunks })
    }
}
