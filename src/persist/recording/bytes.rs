//! Recordings as bytes; the format is in the module's documentation.

use super::hashes::Check;
use super::parts::{Recording, Start};
use crate::codec::{DecodeError, Field, Format, Reader, put_header, put_varint, put_way, seal};
use crate::coords::ChunkPos;
use crate::simulation::{EditValue, Simulation};
use crate::snapshot::Saved;

const MAGIC: &str = "FLDRECRD";
/// The version of bytes and of texts.
pub(super) const VERSION: u16 = 1;
/// Bytes of the header: magic, version, kind and length.
const HEADER: usize = 20;

impl<W: Saved + Simulation> Recording<W> {
    /// Returns the recording as bytes, which all later versions of this crate can read.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_header(&mut out, MAGIC, VERSION, W::KIND);
        out.extend([0; 8]);
        put_varint(&mut out, self.ticks);
        match &self.start {
            Start::Snapshot(saved) => {
                out.push(0);
                put_bytes(&mut out, saved);
            }
            Start::Generated { name, parameters } => {
                out.push(1);
                put_bytes(&mut out, name.as_bytes());
                put_bytes(&mut out, parameters.as_bytes());
            }
        }
        let by_tick = || self.edits.chunk_by(|one, next| one.0 == next.0);
        put_varint(&mut out, by_tick().count() as u64);
        let mut last = 0;
        for edits in by_tick() {
            put_varint(&mut out, edits[0].0 - last);
            last = edits[0].0;
            put_edits::<W>(&mut out, edits);
        }
        put_varint(&mut out, self.checks.len() as u64);
        let mut last = 0;
        for check in &self.checks {
            put_varint(&mut out, check.tick - last);
            last = check.tick;
            put_check(&mut out, check);
        }
        put_varint(&mut out, self.keyframes.len() as u64);
        let mut last = 0;
        for (tick, saved) in &self.keyframes {
            put_varint(&mut out, tick - last);
            last = *tick;
            put_bytes(&mut out, saved);
        }
        let length = (out.len() + 4) as u64;
        out[HEADER - 8..HEADER].copy_from_slice(&length.to_le_bytes());
        seal(&mut out, 0);
        out
    }

    /// Reads the recording that [`to_bytes`](Recording::to_bytes) wrote. Snapshots in the recording
    /// are read only when they are used.
    ///
    /// Whatever the bytes are, this does not panic, and takes at most about a hundred times their
    /// length in memory. The memory that snapshots take is described in
    /// [`snapshot`](crate::snapshot). Limit the length of recordings from untrusted sources, and
    /// the number of ticks that are replayed.
    ///
    /// # Errors
    /// The bytes are not a recording of this kind of world, or are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Recording<W>, DecodeError> {
        let mut from = Reader::new(Format::Recording, bytes);
        from.header(MAGIC, VERSION, W::KIND)?;
        let length = usize::try_from(from.take::<u64>()?).unwrap_or(usize::MAX);
        let mut from = from.exactly(length)?.sealed()?;
        let recording = take_recording(&mut from)?;
        from.finish(recording)
    }

    /// Returns the edits that were made before a tick, and the number of the tick, as bytes for
    /// [`Recorder::apply_bytes`](super::Recorder::apply_bytes): the tick as a number, the edits as
    /// they stand in the bytes of a recording, and a checksum. Without edits, a tick below 128
    /// takes six bytes.
    pub fn tick_bytes(&self, tick: u64) -> Vec<u8> {
        let mut out = Vec::new();
        put_varint(&mut out, tick);
        put_edits::<W>(&mut out, self.edits_at(tick));
        seal(&mut out, 0);
        out
    }
}

/// Returns the tick and the edits that [`Recording::tick_bytes`] wrote.
pub(super) fn tick_from_bytes<W: Saved + Simulation>(
    bytes: &[u8],
) -> Result<(u64, Vec<W::Edit>), DecodeError> {
    let mut from = Reader::new(Format::Recording, bytes).sealed()?;
    let tick = from.varint()?;
    let edits = take_edits::<W>(&mut from)?;
    from.finish((tick, edits))
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_edits<W: Saved + Simulation>(out: &mut Vec<u8>, edits: &[(u64, W::Edit)]) {
    put_varint(out, edits.len() as u64);
    edits.iter().for_each(|(_, edit)| put_bytes(out, &edit.to_bytes()));
}

fn put_check(out: &mut Vec<u8>, check: &Check) {
    check.hash.put(out);
    put_varint(out, check.chunks.len() as u64);
    let mut before = ChunkPos::ZERO;
    for &(position, hash) in &check.chunks {
        put_way(out, before, position);
        before = position;
        hash.put(out);
    }
}

/// Reads a length, and returns a reader of that many bytes.
fn counted<'b>(from: &mut Reader<'b>) -> Result<Reader<'b>, DecodeError> {
    let length = from.varint_count(1)?;
    from.part(Format::Recording, length)
}

fn take_bytes(from: &mut Reader<'_>) -> Result<Vec<u8>, DecodeError> {
    Ok(counted(from)?.left().to_vec())
}

fn take_text(from: &mut Reader<'_>) -> Result<String, DecodeError> {
    let at = from.at();
    let text = String::from_utf8(take_bytes(from)?);
    text.map_err(|_| from.malformed_at(at, "a text in UTF-8"))
}

/// Reads a tick as the number of ticks since `last`, at least `least`. The tick is at most `end`.
fn take_tick(
    from: &mut Reader<'_>,
    last: &mut u64,
    least: u64,
    end: u64,
) -> Result<u64, DecodeError> {
    const WANTED: &str = "the ticks to one after the last and not beyond the end";
    let (at, way) = (from.at(), from.varint()?);
    let tick = last.checked_add(way).filter(|&tick| way >= least && tick <= end);
    *last = tick.ok_or_else(|| from.malformed_at(at, WANTED))?;
    Ok(*last)
}

fn take_recording<W: Saved + Simulation>(
    from: &mut Reader<'_>,
) -> Result<Recording<W>, DecodeError> {
    let ticks = from.varint()?;
    let start = match from.one_of(&[true, false], "0, a snapshot, or 1, a generator")? {
        true => Start::Snapshot(take_bytes(from)?),
        false => Start::Generated { name: take_text(from)?, parameters: take_text(from)? },
    };
    let mut edits = Vec::new();
    let mut last = 0;
    for nth in 0..from.varint_count(3)? {
        let tick = take_tick(from, &mut last, nth.min(1) as u64, ticks)?;
        let at = from.at();
        let made = take_edits::<W>(from)?;
        if made.is_empty() {
            return Err(from.malformed_at(at, "the number of edits, at least one"));
        }
        edits.extend(made.into_iter().map(|edit| (tick, edit)));
    }
    let mut checks = Vec::new();
    let mut last = 0;
    for nth in 0..from.varint_count(10)? {
        let tick = take_tick(from, &mut last, nth.min(1) as u64, ticks)?;
        checks.push(take_check(from, tick)?);
    }
    let mut keyframes = Vec::new();
    let mut last = 0;
    for _ in 0..from.varint_count(2)? {
        // The start is not a keyframe.
        let tick = take_tick(from, &mut last, 1, ticks)?;
        keyframes.push((tick, take_bytes(from)?));
    }
    Ok(Recording { start, ticks, edits, checks, keyframes })
}

fn take_edits<W: Saved + Simulation>(from: &mut Reader<'_>) -> Result<Vec<W::Edit>, DecodeError> {
    let count = from.varint_count(2)?;
    let mut take = || {
        let edit = counted(from)?;
        let at = edit.at();
        W::Edit::from_bytes(edit.left()).map_err(|error| DecodeError { at: at + error.at, ..error })
    };
    (0..count).map(|_| take()).collect()
}

fn take_check(from: &mut Reader<'_>, tick: u64) -> Result<Check, DecodeError> {
    let hash = from.take()?;
    let mut chunks: Vec<(ChunkPos, Option<u32>)> = Vec::new();
    for _ in 0..from.varint_count(4)? {
        let before = chunks.last().map(|chunk| chunk.0);
        let (at, position) = (from.at(), from.way(before.unwrap_or_default())?);
        if before.is_some_and(|before| before >= position) {
            return Err(from.malformed_at(at, "the position of a chunk after the one before"));
        }
        chunks.push((position, from.take()?));
    }
    Ok(Check { tick, hash, chunks })
}
