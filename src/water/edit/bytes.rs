//! Edits as bytes: a tag, then its fields in little-endian order.
//!
//! | tag | edit | fields |
//! |---|---|---|
//! | 0 | `SetSolid` | cell |
//! | 1 | `ClearSolid` | cell |
//! | 2 | `AddSource` | cell |
//! | 3 | `RemoveSource` | cell |
//! | 4 | `Pour` | cell, units `u32` |
//! | 5 | `Scoop` | cell, units `u32` |
//! | 6 | `FillSolid` | region |
//! | 7 | `FillWater` | region, height `u8` |
//! | 8 | `InsertChunk` | position, chunk |
//! | 9 | `InsertChunks` | list of positions, each with its chunk |
//! | 10 | `RemoveChunk` | position |
//! | 11 | `WakeAll` | |
//! | 12 | `SetRules` | evaporation, film evaporation, activity decay `f64`; supply, throughput `u8`; six outer edges, the unloaded one `u8`: 0 wall, 1 drain, 2 held; pools, many parents `u8`: 0 or 1 |
//! | 13 | `SetRules` with an edge [`Level`](Edge::Level) | as of 12, but each edge as below |
//! | 14 | `SetSea` | cell |
//! | 15 | `ClearSea` | cell |
//! | 16 | `FillSea` | region |
//! | 17 | `SetEdge` | column: x and z `i32`, edge, or 4 for none |
//! | 18 | `Freeze` | list of positions |
//! | 19 | `Thaw` | the same |
//! | 20 | `RemoveChunks` | list of positions |
//! | 21 | `InsertRecords` | list of records, each the number of its bytes `u32` and its [bytes](ChunkRecord::to_bytes) |
//! | 30 | `DrainBody` | cell, units `u32` |
//! | 31 | `FillBody` | cell, units `u32` |
//! | 32 | `SetFixture` | cell, kind `u8`: 0 drain, 1 tap, 2 to 7 a valve towards the face of index 0 to 5, which the rate `u8` follows, or 255 for none |
//!
//! An edge is a `u8`: 0 wall, 1 drain, 2 held, 3 level, which its y `i32` follows.
//! The cells of a chunk are words: the `u16` of [`Voxel::word`], or a mark beyond the world's end.
//! Other fields are as in the edits of all automata, see [`edit_bytes`](crate::edit_bytes). A tag
//! keeps its form for ever: another form of an edit gets a new one.

use crate::edit_bytes::{EditBytesError, Field, Reader, Writer, refused};
use crate::water::edit::Edit;
use crate::water::fixture::Fixture;
use crate::water::record::{ChunkRecord, RecordBytesError};
use crate::water::rules::{Edge, Edges, Rules};
use crate::water::voxel::Voxel;
use glam::IVec2;

/// The number of an edge [`Level`](Edge::Level), which its y follows.
const LEVEL: u8 = 3;

/// The number that stands for no edge.
const NO_EDGE: u8 = 4;

/// The kind that stands for no fixture.
const NO_FIXTURE: u8 = 255;

impl Edit {
    /// Returns the edit as bytes: 1 to 64, or for each chunk up to 8,205 and five more, for each
    /// position of a list 12 and five more, for each record its [bytes](ChunkRecord::to_bytes) and
    /// four. They mean the same in all later versions of this crate.
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::water::{Edit, EditBytesError};
    ///
    /// let edit = Edit::Pour { cell: IVec3::new(1, -2, 3), units: 7 };
    /// let bytes = edit.to_bytes();
    /// assert_eq!(bytes.len(), 17);
    /// assert_eq!(Edit::from_bytes(&bytes), Ok(edit));
    /// assert_eq!(Edit::from_bytes(&[99]), Err(EditBytesError::Tag { tag: 99 }));
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let tagged = Writer::tagged;
        match self {
            Edit::SetSolid(cell) => tagged(0).put(cell).finish(),
            Edit::ClearSolid(cell) => tagged(1).put(cell).finish(),
            Edit::AddSource(cell) => tagged(2).put(cell).finish(),
            Edit::RemoveSource(cell) => tagged(3).put(cell).finish(),
            Edit::Pour { cell, units } => tagged(4).put(cell).put(units).finish(),
            Edit::Scoop { cell, units } => tagged(5).put(cell).put(units).finish(),
            Edit::FillSolid(region) => tagged(6).put(region).finish(),
            Edit::FillWater { region, height } => tagged(7).put(region).put(height).finish(),
            Edit::InsertChunk { position, chunk } => tagged(8).put(position).put(chunk).finish(),
            Edit::InsertChunks(chunks) => tagged(9).put(chunks).finish(),
            Edit::RemoveChunk(position) => tagged(10).put(position).finish(),
            Edit::WakeAll => tagged(11).finish(),
            Edit::SetRules(rules) => {
                let has_level = rules.edges.all().any(|edge| matches!(edge, Edge::Level(_)));
                put_rules(&mut tagged(if has_level { 13 } else { 12 }), rules).finish()
            }
            Edit::SetSea(cell) => tagged(14).put(cell).finish(),
            Edit::ClearSea(cell) => tagged(15).put(cell).finish(),
            Edit::FillSea(region) => tagged(16).put(region).finish(),
            Edit::SetEdge { column, edge } => {
                let mut out = tagged(17);
                out.put(&column.x).put(&column.y);
                match edge {
                    Some(edge) => put_edge(&mut out, *edge).finish(),
                    None => out.put(&NO_EDGE).finish(),
                }
            }
            Edit::Freeze(positions) => tagged(18).put(positions).finish(),
            Edit::Thaw(positions) => tagged(19).put(positions).finish(),
            Edit::RemoveChunks(positions) => tagged(20).put(positions).finish(),
            Edit::InsertRecords(records) => tagged(21).put(records).finish(),
            Edit::DrainBody { cell, units } => tagged(30).put(cell).put(units).finish(),
            Edit::FillBody { cell, units } => tagged(31).put(cell).put(units).finish(),
            Edit::SetFixture { cell, fixture } => tagged(32).put(cell).put(fixture).finish(),
        }
    }

    /// Returns the edit of the bytes of [`to_bytes`](Edit::to_bytes). Whatever the bytes are, this
    /// takes no more memory than some eight times their number, and 9 KB for each record among
    /// them, and does not panic.
    ///
    /// # Errors
    /// The bytes are no edit, or are longer than one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Edit, EditBytesError> {
        let mut from = Reader::new(bytes);
        let edit = match from.take::<u8>()? {
            0 => Edit::SetSolid(from.take()?),
            1 => Edit::ClearSolid(from.take()?),
            2 => Edit::AddSource(from.take()?),
            3 => Edit::RemoveSource(from.take()?),
            4 => Edit::Pour { cell: from.take()?, units: from.take()? },
            5 => Edit::Scoop { cell: from.take()?, units: from.take()? },
            6 => Edit::FillSolid(from.take()?),
            7 => Edit::FillWater { region: from.take()?, height: from.take()? },
            8 => Edit::InsertChunk { position: from.take()?, chunk: from.take()? },
            9 => Edit::InsertChunks(from.take()?),
            10 => Edit::RemoveChunk(from.take()?),
            11 => Edit::WakeAll,
            12 => Edit::SetRules(take_rules(&mut from, 2)?),
            13 => Edit::SetRules(take_rules(&mut from, LEVEL)?),
            14 => Edit::SetSea(from.take()?),
            15 => Edit::ClearSea(from.take()?),
            16 => Edit::FillSea(from.take()?),
            17 => {
                let column = IVec2::new(from.take()?, from.take()?);
                Edit::SetEdge { column, edge: take_edge(&mut from, NO_EDGE)? }
            }
            18 => Edit::Freeze(from.take()?),
            19 => Edit::Thaw(from.take()?),
            20 => Edit::RemoveChunks(from.take()?),
            21 => Edit::InsertRecords(from.take()?),
            30 => Edit::DrainBody { cell: from.take()?, units: from.take()? },
            31 => Edit::FillBody { cell: from.take()?, units: from.take()? },
            32 => Edit::SetFixture { cell: from.take()?, fixture: from.take()? },
            tag => return Err(EditBytesError::Tag { tag }),
        };
        from.finish(edit)
    }
}

fn put_rules<'w>(out: &'w mut Writer, rules: &Rules) -> &'w mut Writer {
    let Rules {
        evaporation,
        film_evaporation,
        source_supply,
        throughput,
        edges,
        pools,
        many_parents,
    } = *rules;
    out.put(&evaporation).put(&film_evaporation);
    out.put(&source_supply).put(&throughput);
    edges.all().for_each(|edge| _ = put_edge(out, edge));
    out.put(&u8::from(pools)).put(&u8::from(many_parents))
}

fn put_edge(out: &mut Writer, edge: Edge) -> &mut Writer {
    match edge {
        Edge::Wall => out.put(&0u8),
        Edge::Drain => out.put(&1u8),
        Edge::Held => out.put(&2u8),
        Edge::Level(y) => out.put(&LEVEL).put(&y),
    }
}

/// Reads rules with edges up to the number `most`. Values out of range are refused when the edit is
/// made.
fn take_rules(from: &mut Reader<'_>, most: u8) -> Result<Rules, EditBytesError> {
    let (evaporation, film_evaporation) = (from.take()?, from.take()?);
    let (source_supply, throughput) = (from.take()?, from.take()?);
    let mut edge = || Ok(take_edge(from, most)?.unwrap_or(Edge::Wall));
    let mut outer = [Edge::Wall; 6];
    for outer in &mut outer {
        *outer = edge()?;
    }
    let edges = Edges { outer, unloaded: edge()? };
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

/// Reads an edge with a number up to `most`; `None` for [`NO_EDGE`].
fn take_edge(from: &mut Reader<'_>, most: u8) -> Result<Option<Edge>, EditBytesError> {
    const WANTED: [&str; 3] = ["0 to 2, an edge", "0 to 3, an edge", "0 to 4, an edge or none"];
    let (at, found) = (from.at(), from.take::<u8>()?);
    Ok(match found {
        0 => Some(Edge::Wall),
        1 => Some(Edge::Drain),
        2 => Some(Edge::Held),
        LEVEL if most >= LEVEL => Some(Edge::Level(from.take()?)),
        NO_EDGE if most >= NO_EDGE => None,
        _ => return Err(refused(at, WANTED[usize::from(most.clamp(2, 4)) - 2], found)),
    })
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
