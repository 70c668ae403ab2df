//! Records of chunks in bytes: run-length coding of cells, in which a run repeats what lies one
//! cell, one row or one layer before it (LZ77 with three distances), so that even ground takes
//! little.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | version: 1 |
//! | 12 | position: three `i32`, x, y and z, in chunks |
//! | n | runs, until they hold 4096 cells in index order |
//! | n | for each cell with the Extra flag, in index order: a byte, with bit f set if a parent lies across the face of index f |
//! | n | the number of cells outside the chunk that lost a parent when it went, then for each, in order (y, then z, then x): the way from the least cell of the chunk, or from the one before, x, y, z as zigzag numbers; its word `u16`, as it was before; a byte of its parents, as above |
//! | n | the number of fixtures, then for each, in index order, its index and two bytes: its kind, 0 drain, 1 tap, 2 to 7 a valve towards the face of index 0 to 5, and its rate, 1 to 7 |
//! | n | the number of cells that steady flow leaves, then for each, in index order, its index and a number with three bits for each face, the units that leave across it |
//! | 4 | CRC-32 (IEEE) of all bytes before |
//!
//! Numbers are LEB128; the others are little-endian. A run is a number, 4 n + kind, for n cells, at
//! least one: kind 0 is followed by their n words (`u16`, those of
//! [`Voxel::word`](crate::water::Voxel::word)), kinds 1, 2 and 3 repeat the cells 1, 16 and 256
//! places before. Before the first cell all are open.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Cube, Shape, sort_key};
use crate::water::cell::CellFlags;
use crate::water::fixture::Fixture;
use crate::water::record::{ChunkRecord, CutCell, are_parents_of};
use crate::water::store::flow::steady::FaceFlows;
use crate::water::varint::{VarintError, read_varint, unzigzag, write_varint, zigzag};
use crate::water::voxel::Voxel;
use core::fmt;
use glam::IVec3;

const VERSION: u8 = 1;
const CHECKSUM: usize = 4;
/// How far before a run lies what it repeats, by kind from 1 on: a cell, a row, a layer.
const DISTANCES: [usize; 3] = [1, 16, 256];

/// Why bytes are no [`ChunkRecord`]. Offsets count from the first byte, 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordBytesError {
    /// The version of another format.
    Version {
        /// The version.
        version: u8,
    },
    /// The record goes on after the last byte.
    Truncated {
        /// The number of bytes.
        length: usize,
    },
    /// The bytes are damaged: their checksum is another one.
    Checksum {
        /// The checksum at the end of the bytes.
        found: u32,
        /// That of the bytes.
        computed: u32,
    },
    /// A value out of its range, although the checksum is right.
    Value {
        /// The offset of the value.
        at: usize,
        /// What it should be.
        wanted: &'static str,
        /// The value found.
        found: i64,
    },
    /// There are bytes after the record.
    Trailing {
        /// The offset at which its checksum should be.
        at: usize,
        /// The number of bytes before the checksum.
        bytes: usize,
    },
}

impl fmt::Display for RecordBytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordBytesError::Version { version } => {
                write!(f, "version {version} of a chunk's record, not 1")
            }
            RecordBytesError::Truncated { length } => {
                write!(f, "a chunk's record goes on after these {length} bytes")
            }
            RecordBytesError::Checksum { found, computed } => {
                write!(f, "a damaged record: its checksum is {found:#010x}, not {computed:#010x}")
            }
            RecordBytesError::Value { at, wanted, found } => {
                write!(f, "byte {at}: expected {wanted}, not {found}")
            }
            RecordBytesError::Trailing { at, bytes } => {
                write!(f, "{bytes} bytes after the record, which ends at byte {at}")
            }
        }
    }
}

impl core::error::Error for RecordBytesError {}

impl ChunkRecord {
    /// Returns the record as bytes: at least 24, at most some 8,220 and 17 for each parent that is
    /// not the first or leads out of the chunk. They mean the same in all later versions of this
    /// crate.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        self.position.to_array().iter().for_each(|axis| out.extend(axis.to_le_bytes()));
        put_cells(&mut out, &self.cells);
        out.extend(self.further_parents.iter().map(|&(_, faces)| faces));
        write_varint(&mut out, self.cut.len() as u64);
        let mut before = Cube::cell_at(self.position, 0);
        for &CutCell { cell, voxel, parents } in &self.cut {
            for axis in 0..3 {
                let way = i64::from(cell[axis]) - i64::from(before[axis]);
                write_varint(&mut out, zigzag(way));
            }
            before = cell;
            out.extend(voxel.word().to_le_bytes());
            out.push(parents);
        }
        write_varint(&mut out, self.fixtures.len() as u64);
        for &(index, fixture) in &self.fixtures {
            write_varint(&mut out, index.into());
            out.extend(fixture.bytes());
        }
        write_varint(&mut out, self.steady.len() as u64);
        for &(index, flows) in &self.steady {
            write_varint(&mut out, index.into());
            write_varint(&mut out, flows.word().into());
        }
        let checksum = crc32fast::hash(&out);
        out.extend(checksum.to_le_bytes());
        out
    }

    /// Returns the record of the bytes of [`to_bytes`](ChunkRecord::to_bytes). Whatever the bytes
    /// are, this takes no more memory than some 9 KB and eight times their number, and does not
    /// panic.
    ///
    /// # Errors
    /// The bytes are no record of this version, are damaged, or are longer than one.
    ///
    /// ```
    /// use floodplain::water::{ChunkRecord, RecordBytesError};
    /// let error = ChunkRecord::from_bytes(&[9]);
    /// assert_eq!(error, Err(RecordBytesError::Version { version: 9 }));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<ChunkRecord, RecordBytesError> {
        match bytes.first() {
            Some(&version) if version != VERSION => {
                return Err(RecordBytesError::Version { version });
            }
            _ => {}
        }
        let truncated = RecordBytesError::Truncated { length: bytes.len() };
        let (content, checksum) = bytes.split_last_chunk::<CHECKSUM>().ok_or(truncated)?;
        let (found, computed) = (u32::from_le_bytes(*checksum), crc32fast::hash(content));
        if found != computed {
            return Err(RecordBytesError::Checksum { found, computed });
        }
        let mut from = Reader { bytes: content, at: 1 };
        let position = from.position()?;
        let cells = from.cells()?;
        let further_parents = from.further_parents(&cells)?;
        let cut = from.cut_cells(position)?;
        let (fixtures, steady) = (from.fixtures()?, from.steady()?);
        match content.len() - from.at {
            0 => Ok(ChunkRecord { position, cells, further_parents, fixtures, steady, cut }),
            more => Err(RecordBytesError::Trailing { at: from.at, bytes: more }),
        }
    }
}

/// Appends the cells of a chunk: at each place the longest run that repeats something, if there is
/// one of two cells or more.
fn put_cells(out: &mut Vec<u8>, chunk: &Chunk<Voxel>) {
    let uniform;
    let cells = match chunk.as_dense() {
        Some(cells) => cells,
        None => {
            uniform = [chunk.get(0); CHUNK_CELLS];
            &uniform
        }
    };
    let (mut at, mut literal) = (0, 0);
    while at < CHUNK_CELLS {
        let lengths = DISTANCES.map(|distance| repeated(cells, at, distance));
        let (kind, length) = (1..).zip(lengths).max_by_key(|&(_, length)| length).unwrap_or((1, 0));
        if length < 2 {
            at += 1;
            continue;
        }
        put_literal(out, &cells[literal..at]);
        write_varint(out, (length as u64) << 2 | kind);
        at += length;
        literal = at;
    }
    put_literal(out, &cells[literal..]);
}

/// Returns how many cells from `at` on are equal to those `distance` before them.
fn repeated(cells: &[Voxel; CHUNK_CELLS], at: usize, distance: usize) -> usize {
    let before = |at: usize| at.checked_sub(distance).map_or(Voxel::OPEN, |at| cells[at]);
    (at..CHUNK_CELLS).take_while(|&at| cells[at] == before(at)).count()
}

/// Appends a run of cells as they are, unless it is empty.
fn put_literal(out: &mut Vec<u8>, cells: &[Voxel]) {
    if !cells.is_empty() {
        write_varint(out, (cells.len() as u64) << 2);
        cells.iter().for_each(|voxel| out.extend(voxel.word().to_le_bytes()));
    }
}

/// Reads values from front to back.
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], RecordBytesError> {
        let left = self.bytes.get(self.at..).and_then(|left| left.first_chunk());
        self.at += N;
        // The checksum is not among these bytes.
        let length = self.bytes.len() + CHECKSUM;
        left.copied().ok_or(RecordBytesError::Truncated { length })
    }

    fn number(&mut self) -> Result<u64, RecordBytesError> {
        let at = self.at;
        read_varint(self.bytes, &mut self.at).map_err(|fault| match fault {
            VarintError::Truncated => {
                RecordBytesError::Truncated { length: self.bytes.len() + CHECKSUM }
            }
            VarintError::TooLong => value(at, "a number of 64 bits", -1),
        })
    }

    fn position(&mut self) -> Result<IVec3, RecordBytesError> {
        let at = self.at;
        let mut axis = || self.take().map(i32::from_le_bytes);
        let position = IVec3::new(axis()?, axis()?, axis()?);
        if Cube::holds_chunk(position) {
            Ok(position)
        } else {
            Err(value(at, "the position of a chunk of cells", position.x.into()))
        }
    }

    fn voxel(&mut self) -> Result<Voxel, RecordBytesError> {
        let at = self.at;
        let word = u16::from_le_bytes(self.take()?);
        Voxel::from_word(word).map_err(|_| value(at, "the word of a voxel", word.into()))
    }

    fn cells(&mut self) -> Result<Chunk<Voxel>, RecordBytesError> {
        let mut cells = [Voxel::OPEN; CHUNK_CELLS];
        let mut next = 0;
        while next < CHUNK_CELLS {
            let (at, run) = (self.at, self.number()?);
            let length = usize::try_from(run >> 2).unwrap_or(usize::MAX);
            if length == 0 || length > CHUNK_CELLS - next {
                return Err(value(at, "a run within the chunk", run as i64));
            }
            let end = next + length;
            match (run as usize & 3).checked_sub(1).map(|kind| DISTANCES[kind]) {
                None => {
                    for cell in &mut cells[next..end] {
                        *cell = self.voxel()?;
                    }
                }
                Some(distance) => {
                    for at in next..end {
                        cells[at] = at.checked_sub(distance).map_or(Voxel::OPEN, |at| cells[at]);
                    }
                }
            }
            next = end;
        }
        Ok(Chunk::from_cells(&cells))
    }

    /// Reads the parents of the cells with the Extra flag.
    fn further_parents(
        &mut self,
        cells: &Chunk<Voxel>,
    ) -> Result<Vec<(u16, u8)>, RecordBytesError> {
        let mut further = Vec::new();
        for index in 0..CHUNK_CELLS {
            let voxel = cells.get(index);
            if voxel.is_mark() || !voxel.has(CellFlags::EXTRA) {
                continue;
            }
            further.push((index as u16, self.parents(voxel)?));
        }
        Ok(further)
    }

    /// Reads the faces of the parents of a cell.
    fn parents(&mut self, voxel: Voxel) -> Result<u8, RecordBytesError> {
        let at = self.at;
        let [faces] = self.take()?;
        if are_parents_of(voxel, faces) {
            Ok(faces)
        } else {
            Err(value(at, "the faces of a cell's parents", faces.into()))
        }
    }

    /// Reads the index of a cell, at least `next`.
    fn index(&mut self, next: u16) -> Result<u16, RecordBytesError> {
        let (at, found) = (self.at, self.number()?);
        let index = u16::try_from(found).ok();
        let index = index.filter(|index| (next..CHUNK_CELLS as u16).contains(index));
        index.ok_or(value(at, "the index of a cell after the one before", found as i64))
    }

    /// Reads the steady flow.
    fn steady(&mut self) -> Result<Vec<(u16, FaceFlows)>, RecordBytesError> {
        let mut steady: Vec<(u16, FaceFlows)> = Vec::new();
        for _ in 0..self.number()? {
            let index = self.index(steady.last().map_or(0, |&(last, _)| last + 1))?;
            let (at, word) = (self.at, self.number()?);
            let flows = u32::try_from(word).ok().and_then(FaceFlows::from_word);
            let flows = flows.filter(|flows| !flows.is_none());
            steady.push((index, flows.ok_or(value(at, "the flow of a cell", word as i64))?));
        }
        Ok(steady)
    }

    fn fixtures(&mut self) -> Result<Vec<(u16, Fixture)>, RecordBytesError> {
        let mut fixtures: Vec<(u16, Fixture)> = Vec::new();
        for _ in 0..self.number()? {
            let index = self.index(fixtures.last().map_or(0, |&(last, _)| last + 1))?;
            let (at, bytes) = (self.at, self.take()?);
            let fixture = Fixture::from_bytes(bytes).filter(|fixture| fixture.is_valid());
            let wrong = value(at, "a fixture", u16::from_le_bytes(bytes).into());
            fixtures.push((index, fixture.ok_or(wrong)?));
        }
        Ok(fixtures)
    }

    fn cut_cells(&mut self, position: IVec3) -> Result<Vec<CutCell>, RecordBytesError> {
        let (mut cut, mut before) = (Vec::new(), Cube::cell_at(position, 0));
        for _ in 0..self.number()? {
            let at = self.at;
            let mut cell = before;
            for axis in 0..3 {
                let (at, way) = (self.at, unzigzag(self.number()?));
                let there = way.checked_add(before[axis].into());
                let there = there.and_then(|there| i32::try_from(there).ok());
                cell[axis] = there.ok_or_else(|| value(at, "the way to a cell", way))?;
            }
            let is_in_order = |last: &CutCell| sort_key(last.cell) < sort_key(cell);
            if !cut.last().is_none_or(is_in_order) {
                return Err(value(at, "a cell after the one before", cell.x.into()));
            }
            let voxel = self.voxel()?;
            let at = self.at;
            let parents = self.parents(voxel)?;
            if parents == 0 {
                return Err(value(at, "a parent", 0));
            }
            cut.push(CutCell { cell, voxel, parents });
            before = cell;
        }
        Ok(cut)
    }
}

fn value(at: usize, wanted: &'static str, found: i64) -> RecordBytesError {
    RecordBytesError::Value { at, wanted, found }
}
