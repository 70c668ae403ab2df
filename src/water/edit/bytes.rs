//! The fields of edits of water as bytes, beside those of all automata
//! (see [`edit_bytes`](crate::edit_bytes)).
//!
//! | field | bytes |
//! |---|---|
//! | voxel | its [word](Voxel::word), a `u16`, or a mark beyond the world's end |
//! | edge | a `u8`: 0 wall, 1 drain, 2 held, 3 level, which its y, an `i32`, follows; or 4 for none |
//! | rules | evaporation and film evaporation, `f64`; supply and throughput, `u8`; the six outer edges and the unloaded one; pools and many parents, a `u8` each: 0 or 1 |
//! | fixture | a `u8`: 0 drain, 1 tap, 2 to 7 a valve towards the face of index 0 to 5; then the rate, a `u8`; or 255 for none |
//! | record | the number of its bytes, a `u32`, then its [bytes](ChunkRecord::to_bytes) |

use crate::edit_bytes::{EditBytesError, Field, Reader, Writer, refused};
use crate::water::fixture::Fixture;
use crate::water::record::{ChunkRecord, RecordBytesError};
use crate::water::rules::{Edge, Edges, Rules};
use crate::water::voxel::Voxel;

/// The number of an edge [`Level`](Edge::Level), which its y follows.
const LEVEL: u8 = 3;

/// The number that stands for no edge.
const NO_EDGE: u8 = 4;

/// The kind that stands for no fixture.
const NO_FIXTURE: u8 = 255;

/// Values out of range are refused when the edit is made.
impl Field for Rules {
    fn put(&self, out: &mut Writer) {
        let Rules {
            evaporation,
            film_evaporation,
            source_supply,
            throughput,
            edges: Edges { outer, unloaded },
            pools,
            many_parents,
        } = self;
        out.put(evaporation).put(film_evaporation);
        out.put(source_supply).put(throughput);
        outer.iter().chain([unloaded]).for_each(|edge| edge.put(out));
        out.put(&u8::from(*pools)).put(&u8::from(*many_parents));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let (evaporation, film_evaporation) = (from.take()?, from.take()?);
        let (source_supply, throughput) = (from.take()?, from.take()?);
        let mut outer = [Edge::Wall; 6];
        for edge in &mut outer {
            *edge = from.take()?;
        }
        let edges = Edges { outer, unloaded: from.take()? };
        let mut switch = || from.one_of(&[false, true], "0 or 1, a switch");
        let (pools, many_parents) = (switch()?, switch()?);
        Ok(Rules {
            evaporation,
            film_evaporation,
            source_supply,
            throughput,
            edges,
            pools,
            many_parents,
        })
    }
}

impl Field for Edge {
    fn put(&self, out: &mut Writer) {
        match self {
            Edge::Wall => _ = out.put(&0u8),
            Edge::Drain => _ = out.put(&1u8),
            Edge::Held => _ = out.put(&2u8),
            Edge::Level(y) => _ = out.put(&LEVEL).put(y),
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let (at, found) = (from.at(), from.take::<u8>()?);
        match found {
            0 => Ok(Edge::Wall),
            1 => Ok(Edge::Drain),
            2 => Ok(Edge::Held),
            LEVEL => Ok(Edge::Level(from.take()?)),
            _ => Err(refused(at, "0 to 3, an edge", found)),
        }
    }
}

impl Field for Option<Edge> {
    fn put(&self, out: &mut Writer) {
        match self {
            Some(edge) => edge.put(out),
            None => _ = out.put(&NO_EDGE),
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        if matches!(from.peek(), Some(0..=LEVEL)) {
            return from.take().map(Some);
        }
        let (at, found) = (from.at(), from.take()?);
        match found {
            NO_EDGE => Ok(None),
            _ => Err(refused(at, "0 to 4, an edge or none", found)),
        }
    }
}

impl Field for Voxel {
    fn put(&self, out: &mut Writer) {
        out.put(&self.word());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let (at, word) = (from.at(), from.take()?);
        let mark = Voxel::from_raw(word);
        if [Voxel::DRAIN, Voxel::HELD, Voxel::WALL].contains(&mark) {
            return Ok(mark);
        }
        Voxel::from_word(word).map_err(|_| refused(at, "the word of a voxel", word))
    }
}

impl Field for Option<Fixture> {
    fn put(&self, out: &mut Writer) {
        match self {
            Some(fixture) => out.extend(&fixture.bytes()),
            None => _ = out.put(&NO_FIXTURE),
        }
    }

    /// Reads a fixture, or none. A rate out of range is refused when the edit is made.
    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let (at, kind) = (from.at(), from.take::<u8>()?);
        if kind == NO_FIXTURE {
            return Ok(None);
        }
        let wrong = refused(at, "0 to 7 or 255, a fixture or none", kind);
        Fixture::from_bytes([kind, from.take()?]).map(Some).ok_or(wrong)
    }
}

impl Field for ChunkRecord {
    fn put(&self, out: &mut Writer) {
        let bytes = self.to_bytes();
        out.put(&(bytes.len() as u32)).extend(&bytes);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let length: u32 = from.take()?;
        let at = from.at();
        let bytes = from.bytes(length as usize)?;
        ChunkRecord::from_bytes(bytes).map_err(|error| in_edit(error, at, length))
    }

    fn heap_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

/// Returns what is wrong with a record of this length, with the offset in the edit.
fn in_edit(error: RecordBytesError, record: usize, length: u32) -> EditBytesError {
    match error {
        RecordBytesError::Value { at, wanted, found } => refused(record + at, wanted, found),
        RecordBytesError::Version { version } => {
            refused(record, "the version of a record", version)
        }
        RecordBytesError::Checksum { found, .. } => {
            // It takes the last four bytes of the record.
            refused(record + length as usize - 4, "the checksum of the record before it", found)
        }
        RecordBytesError::Truncated { .. } | RecordBytesError::Trailing { .. } => {
            refused(record - 4, "the length of the record after it", length)
        }
    }
}
