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
//! | 9 | `InsertChunks` | number `u32`, then for each its position and the chunk |
//! | 10 | `RemoveChunk` | position |
//! | 11 | `WakeAll` | |
//! | 12 | `SetRules` | evaporation, film evaporation, activity decay `f64`; supply, throughput `u8`; six outer edges, the unloaded one `u8`: 0 wall, 1 drain, 2 held; pools, many parents `u8`: 0 or 1 |
//! | 13 | `SetRules` with an edge [`Level`](Edge::Level) | as of 12, but each edge as below |
//! | 14 | `SetSea` | cell |
//! | 15 | `ClearSea` | cell |
//! | 16 | `FillSea` | region |
//! | 17 | `SetEdge` | column: x and z `i32`, edge, or 4 for none |
//! | 18 | `Freeze` | number `u32`, then each position |
//! | 19 | `Thaw` | the same |
//! | 20 | `RemoveChunks` | number `u32`, then each position |
//! | 21 | `InsertRecords` | number `u32`, then for each the length of its bytes `u32` and its [bytes](ChunkRecord::to_bytes) |
//!
//! An edge is a `u8`: 0 wall, 1 drain, 2 held, 3 level, which its y `i32` follows.
//! A cell or a position is three `i32`, x, y and z; a region is its least and its greatest cell; a
//! chunk is a 0 and one word for all cells, or a 1 and 4096 words. A word is the `u16` of
//! [`Voxel::word`], or a mark beyond the world's end. A tag keeps its form for ever: another form of
//! an edit gets a new one.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Region};
use crate::water::edit::Edit;
use crate::water::record::{ChunkRecord, RecordBytesError};
use crate::water::rules::{Edge, Edges, Rules};
use crate::water::voxel::Voxel;
use core::fmt;
use glam::{IVec2, IVec3};

/// The number of an edge [`Level`](Edge::Level), which its y follows.
const LEVEL: u8 = 3;

/// The number that stands for no edge.
const NO_EDGE: u8 = 4;

/// Why bytes are no [`Edit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditBytesError {
    /// The bytes end within the edit.
    Truncated {
        /// Their number.
        length: usize,
    },
    /// No edit has this tag.
    Tag {
        /// The tag found, at offset 0.
        tag: u8,
    },
    /// A value out of its range.
    Value {
        /// The offset of the value.
        at: usize,
        /// What it should be.
        wanted: &'static str,
        /// The value found.
        found: i64,
    },
    /// The bytes of a chunk's record are wrong.
    Record {
        /// The offset of the record.
        at: usize,
        /// What is wrong with it.
        error: RecordBytesError,
    },
    /// There are bytes after the edit.
    Trailing {
        /// The offset at which the edit ends.
        at: usize,
        /// The number of bytes after it.
        bytes: usize,
    },
}

impl fmt::Display for EditBytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditBytesError::Truncated { length } => {
                write!(f, "an edit goes on after these {length} bytes")
            }
            EditBytesError::Tag { tag } => write!(f, "no edit has the tag {tag}"),
            EditBytesError::Value { at, wanted, found } => {
                write!(f, "byte {at}: expected {wanted}, not {found}")
            }
            EditBytesError::Record { at, error } => write!(f, "the record at byte {at}: {error}"),
            EditBytesError::Trailing { at, bytes } => {
                write!(f, "{bytes} bytes after the edit, which ends at byte {at}")
            }
        }
    }
}

impl core::error::Error for EditBytesError {}

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
        let mut out = Writer(Vec::new());
        match self {
            Edit::SetSolid(cell) => out.tag(0).position(*cell),
            Edit::ClearSolid(cell) => out.tag(1).position(*cell),
            Edit::AddSource(cell) => out.tag(2).position(*cell),
            Edit::RemoveSource(cell) => out.tag(3).position(*cell),
            Edit::Pour { cell, units } => out.tag(4).position(*cell).put(&units.to_le_bytes()),
            Edit::Scoop { cell, units } => out.tag(5).position(*cell).put(&units.to_le_bytes()),
            Edit::FillSolid(region) => out.tag(6).region(*region),
            Edit::FillWater { region, height } => out.tag(7).region(*region).put(&[*height]),
            Edit::InsertChunk { position, chunk } => out.tag(8).position(*position).chunk(chunk),
            Edit::InsertChunks(chunks) => {
                // More would take 64 GB.
                out.tag(9).put(&(chunks.len() as u32).to_le_bytes());
                chunks
                    .iter()
                    .fold(&mut out, |out, (position, chunk)| out.position(*position).chunk(chunk))
            }
            Edit::RemoveChunk(position) => out.tag(10).position(*position),
            Edit::WakeAll => out.tag(11),
            Edit::SetRules(rules) => {
                let has_level = rules.edges.all().any(|edge| matches!(edge, Edge::Level(_)));
                out.tag(if has_level { 13 } else { 12 }).rules(rules)
            }
            Edit::SetSea(cell) => out.tag(14).position(*cell),
            Edit::ClearSea(cell) => out.tag(15).position(*cell),
            Edit::FillSea(region) => out.tag(16).region(*region),
            Edit::SetEdge { column, edge } => {
                let [x, z] = column.to_array().map(i32::to_le_bytes);
                let out = out.tag(17).put(&x).put(&z);
                match edge {
                    Some(edge) => out.edge(*edge),
                    None => out.put(&[NO_EDGE]),
                }
            }
            Edit::Freeze(positions) => out.tag(18).positions(positions),
            Edit::Thaw(positions) => out.tag(19).positions(positions),
            Edit::RemoveChunks(positions) => out.tag(20).positions(positions),
            Edit::InsertRecords(records) => {
                out.tag(21).put(&(records.len() as u32).to_le_bytes());
                records.iter().map(ChunkRecord::to_bytes).fold(&mut out, |out, bytes| {
                    out.put(&(bytes.len() as u32).to_le_bytes()).put(&bytes)
                })
            }
        };
        out.0
    }

    /// Returns the edit of the bytes of [`to_bytes`](Edit::to_bytes). Whatever the bytes are, this
    /// takes no more memory than some eight times their number, and 9 KB for each record among
    /// them, and does not panic.
    ///
    /// # Errors
    /// The bytes are no edit, or are longer than one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Edit, EditBytesError> {
        let mut from = Reader { bytes, at: 0 };
        let edit = match from.byte()? {
            0 => Edit::SetSolid(from.position()?),
            1 => Edit::ClearSolid(from.position()?),
            2 => Edit::AddSource(from.position()?),
            3 => Edit::RemoveSource(from.position()?),
            4 => Edit::Pour { cell: from.position()?, units: from.number()? },
            5 => Edit::Scoop { cell: from.position()?, units: from.number()? },
            6 => Edit::FillSolid(from.region()?),
            7 => Edit::FillWater { region: from.region()?, height: from.byte()? },
            8 => Edit::InsertChunk { position: from.position()?, chunk: from.chunk()? },
            9 => {
                let mut chunks = Vec::new();
                for _ in 0..from.number()? {
                    chunks.push((from.position()?, from.chunk()?));
                }
                Edit::InsertChunks(chunks)
            }
            10 => Edit::RemoveChunk(from.position()?),
            11 => Edit::WakeAll,
            12 => Edit::SetRules(from.rules(2)?),
            13 => Edit::SetRules(from.rules(LEVEL)?),
            14 => Edit::SetSea(from.position()?),
            15 => Edit::ClearSea(from.position()?),
            16 => Edit::FillSea(from.region()?),
            17 => {
                let mut axis = || from.take().map(i32::from_le_bytes);
                let column = IVec2::new(axis()?, axis()?);
                Edit::SetEdge { column, edge: from.edge(NO_EDGE)? }
            }
            18 => Edit::Freeze(from.positions()?),
            19 => Edit::Thaw(from.positions()?),
            20 => Edit::RemoveChunks(from.positions()?),
            21 => {
                let mut records = Vec::new();
                for _ in 0..from.number()? {
                    records.push(from.record()?);
                }
                Edit::InsertRecords(records)
            }
            tag => return Err(EditBytesError::Tag { tag }),
        };
        match bytes.len() - from.at {
            0 => Ok(edit),
            more => Err(EditBytesError::Trailing { at: from.at, bytes: more }),
        }
    }
}

/// Appends values.
struct Writer(Vec<u8>);

impl Writer {
    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn tag(&mut self, tag: u8) -> &mut Self {
        self.put(&[tag])
    }

    fn position(&mut self, position: IVec3) -> &mut Self {
        position.to_array().iter().fold(self, |out, number| out.put(&number.to_le_bytes()))
    }

    fn positions(&mut self, positions: &[IVec3]) -> &mut Self {
        self.put(&(positions.len() as u32).to_le_bytes());
        positions.iter().fold(self, |out, &position| out.position(position))
    }

    fn region(&mut self, region: Region) -> &mut Self {
        self.position(region.min()).position(region.max())
    }

    fn rules(&mut self, rules: &Rules) -> &mut Self {
        let Rules {
            evaporation,
            film_evaporation,
            activity_decay,
            source_supply,
            throughput,
            edges,
            pools,
            many_parents,
        } = *rules;
        for chance in [evaporation, film_evaporation, activity_decay] {
            self.put(&chance.to_le_bytes());
        }
        self.put(&[source_supply, throughput]);
        edges.all().for_each(|edge| _ = self.edge(edge));
        self.put(&[pools.into(), many_parents.into()])
    }

    fn edge(&mut self, edge: Edge) -> &mut Self {
        match edge {
            Edge::Wall => self.put(&[0]),
            Edge::Drain => self.put(&[1]),
            Edge::Held => self.put(&[2]),
            Edge::Level(y) => self.put(&[LEVEL]).put(&y.to_le_bytes()),
        }
    }

    fn chunk(&mut self, chunk: &Chunk<Voxel>) -> &mut Self {
        let word = |out: &mut Self, voxel: Voxel| out.0.extend(voxel.word().to_le_bytes());
        match chunk.as_dense() {
            None => word(self.put(&[0]), chunk.get(0)),
            Some(cells) => {
                self.put(&[1]);
                cells.iter().for_each(|&voxel| word(self, voxel));
            }
        }
        self
    }
}

/// Reads values from front to back.
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], EditBytesError> {
        let left = self.bytes.get(self.at..).and_then(|left| left.first_chunk());
        self.at += N;
        left.copied().ok_or(EditBytesError::Truncated { length: self.bytes.len() })
    }

    fn byte(&mut self) -> Result<u8, EditBytesError> {
        self.take().map(u8::from_le_bytes)
    }

    fn number(&mut self) -> Result<u32, EditBytesError> {
        self.take().map(u32::from_le_bytes)
    }

    fn position(&mut self) -> Result<IVec3, EditBytesError> {
        let mut axis = || self.take().map(i32::from_le_bytes);
        Ok(IVec3::new(axis()?, axis()?, axis()?))
    }

    fn positions(&mut self) -> Result<Vec<IVec3>, EditBytesError> {
        (0..self.number()?).map(|_| self.position()).collect()
    }

    fn region(&mut self) -> Result<Region, EditBytesError> {
        let (min, at) = (self.position()?, self.at);
        let max = self.position()?;
        match (0..3).find(|&axis| max[axis] < min[axis]) {
            None => Ok(Region::new(min, max)),
            Some(axis) => Err(EditBytesError::Value {
                at: at + 4 * axis,
                wanted: "a greatest cell that is not below the least one",
                found: max[axis].into(),
            }),
        }
    }

    /// Reads rules with edges up to the number `most`. Values out of range are refused when the
    /// edit is made.
    fn rules(&mut self, most: u8) -> Result<Rules, EditBytesError> {
        let mut chance = || self.take().map(f64::from_le_bytes);
        let (evaporation, film_evaporation, activity_decay) = (chance()?, chance()?, chance()?);
        let (source_supply, throughput) = (self.byte()?, self.byte()?);
        let mut edge = || Ok(self.edge(most)?.unwrap_or(Edge::Wall));
        let mut outer = [Edge::Wall; 6];
        for outer in &mut outer {
            *outer = edge()?;
        }
        let edges = Edges { outer, unloaded: edge()? };
        let mut switch = || self.one_of([false, true], "0 or 1, a switch");
        let (pools, many_parents) = (switch()?, switch()?);
        Ok(Rules {
            evaporation,
            film_evaporation,
            activity_decay,
            source_supply,
            throughput,
            edges,
            pools,
            many_parents,
        })
    }

    /// Reads an edge with a number up to `most`; `None` for [`NO_EDGE`].
    fn edge(&mut self, most: u8) -> Result<Option<Edge>, EditBytesError> {
        const WANTED: [&str; 3] = ["0 to 2, an edge", "0 to 3, an edge", "0 to 4, an edge or none"];
        let (at, found) = (self.at, self.byte()?);
        Ok(match found {
            0 => Some(Edge::Wall),
            1 => Some(Edge::Drain),
            2 => Some(Edge::Held),
            LEVEL if most >= LEVEL => Some(Edge::Level(self.take().map(i32::from_le_bytes)?)),
            NO_EDGE if most >= NO_EDGE => None,
            _ => {
                let wanted = WANTED[usize::from(most.clamp(2, 4)) - 2];
                return Err(EditBytesError::Value { at, wanted, found: found.into() });
            }
        })
    }

    /// Reads a byte, the index of one of these values.
    fn one_of<T: Copy, const N: usize>(
        &mut self,
        values: [T; N],
        wanted: &'static str,
    ) -> Result<T, EditBytesError> {
        let (at, found) = (self.at, self.byte()?);
        let value = values.get(usize::from(found)).copied();
        value.ok_or(EditBytesError::Value { at, wanted, found: found.into() })
    }

    fn record(&mut self) -> Result<ChunkRecord, EditBytesError> {
        let length = self.number()? as usize;
        let at = self.at;
        let bytes = self.bytes.get(at..).and_then(|left| left.get(..length));
        self.at = at.saturating_add(length);
        let bytes = bytes.ok_or(EditBytesError::Truncated { length: self.bytes.len() })?;
        ChunkRecord::from_bytes(bytes).map_err(|error| EditBytesError::Record { at, error })
    }

    fn chunk(&mut self) -> Result<Chunk<Voxel>, EditBytesError> {
        if !self.one_of([false, true], "0 or 1, the form of a chunk")? {
            return Ok(Chunk::uniform(self.voxel()?));
        }
        let mut cells = [Voxel::OPEN; CHUNK_CELLS];
        for cell in &mut cells {
            *cell = self.voxel()?;
        }
        Ok(Chunk::from_cells(&cells))
    }

    fn voxel(&mut self) -> Result<Voxel, EditBytesError> {
        let at = self.at;
        let word = u16::from_le_bytes(self.take()?);
        let mark = Voxel::from_raw(word);
        if [Voxel::DRAIN, Voxel::HELD, Voxel::WALL].contains(&mark) {
            return Ok(mark);
        }
        let wanted = "the word of a voxel";
        Voxel::from_word(word).map_err(|_| EditBytesError::Value { at, wanted, found: word.into() })
    }
}
