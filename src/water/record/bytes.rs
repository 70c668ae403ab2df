//! The bytes of records of chunks, and of the chunk in a record, which has the same form in
//! snapshots.
//!
//! A record:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | version: 1 |
//! | 12 | position: three `i32`, x, y and z, in chunks |
//! | n | the chunk |
//! | n | the number of cells outside the chunk that lost a parent when the chunk was taken out, then for each such cell, in order (y, then z, then x): the difference of its position from that of the first cell of the chunk, or of the cell before in this list, x, y and z as zigzag numbers; its word before the loss, a `u16`; a byte of its parents before the loss, with bit f set if there was one across the face of index f |
//! | 4 | CRC-32 (IEEE) of all bytes before |
//!
//! A chunk:
//!
//! | bytes | what |
//! |---|---|
//! | n | its [cells](crate::codec) in runs, each cell a `u16`, the [word](crate::water::Voxel::word) of its voxel, open beyond the world's bounds |
//! | n | for each cell with the Extra flag, in index order: a byte of its parents, as above |
//! | n | the number of fixtures, then for each, in index order, its index and two bytes: its kind, 0 drain, 1 tap, 2 to 7 a valve towards the face of index 0 to 5, and its rate, 1 to 7 |
//! | n | the number of cells that steady flow leaves, then for each, in index order, its index and a number with three bits for each face, the units that leave across that face |
//!
//! Counts, indices and other numbers without a type are LEB128; values with a type are
//! little-endian.

use crate::chunk::Chunk;
use crate::codec::{DecodeError, Field, Format, Reader, put_varint, put_way, seal};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Shape, sort_key};
use crate::water::cell::CellFlags;
use crate::water::fixture::Fixture;
use crate::water::flow_record::FaceFlows;
use crate::water::record::{CellLists, ChunkRecord, ChunkState, CutCell, are_parents_of};
use crate::water::voxel::Voxel;

const VERSION: u8 = 1;

impl ChunkRecord {
    /// Returns the record as bytes: at least 23, and at most some 8,220 plus 17 for each parent
    /// that is not the first or leads out of the chunk, 4 for each fixture, and 5 for each cell
    /// that steady flow leaves. The bytes mean the same in all later versions of this crate.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        self.position.put(&mut out);
        self.state.put(&mut out);
        put_varint(&mut out, self.cut.len() as u64);
        let mut before = Cube::cell_at(self.position, 0);
        for &CutCell { cell, voxel, parents } in &self.cut {
            put_way(&mut out, before, cell);
            before = cell;
            voxel.put(&mut out);
            out.push(parents);
        }
        seal(&mut out, 0);
        out
    }

    /// Reads the record that [`to_bytes`](ChunkRecord::to_bytes) wrote. Whatever the bytes are,
    /// this takes at most about 9 KB plus eight times their length in memory, and does not panic.
    ///
    /// # Errors
    /// The bytes are no record of this version, are damaged, or go on after the record.
    ///
    /// ```
    /// use floodplain::DecodeProblem;
    /// use floodplain::water::ChunkRecord;
    /// let error = ChunkRecord::from_bytes(&[9]).unwrap_err();
    /// assert_eq!(error.problem, DecodeProblem::Version { found: 9, wanted: 1 });
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<ChunkRecord, DecodeError> {
        ChunkRecord::read(Reader::new(Format::Record, bytes))
    }

    /// Returns the record that takes up all bytes of the reader.
    pub(crate) fn read(mut from: Reader<'_>) -> Result<ChunkRecord, DecodeError> {
        from.version(VERSION)?;
        let mut from = from.sealed()?;
        let position = take_position(&mut from)?;
        let state = from.take()?;
        let cut = take_cut_cells(&mut from, position)?;
        from.finish(ChunkRecord { position, state, cut })
    }
}

impl Field for ChunkState {
    fn put(&self, out: &mut Vec<u8>) {
        let ChunkState { cells, lists: CellLists { further_parents, fixtures, steady } } = self;
        cells.put(out);
        out.extend(further_parents.iter().map(|&(_, faces)| faces));
        put_varint(out, fixtures.len() as u64);
        for (index, fixture) in fixtures {
            put_varint(out, (*index).into());
            fixture.put(out);
        }
        put_varint(out, steady.len() as u64);
        for (index, flows) in steady {
            put_varint(out, (*index).into());
            put_varint(out, flows.word().into());
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let at = from.at();
        let cells = from.take()?;
        if has_marks_beyond(&cells) {
            return Err(from.malformed_at(at, "cells of a world, none beyond its end"));
        }
        let further_parents = take_further_parents(from, &cells)?;
        let fixtures = take_listed(from, take_fixture)?;
        let steady = take_listed(from, take_flows)?;
        Ok(ChunkState { cells, lists: CellLists { further_parents, fixtures, steady } })
    }
}

/// Returns whether any of the cells are marks beyond the world's end.
fn has_marks_beyond(cells: &Chunk<Voxel>) -> bool {
    let is_beyond = |&cell: &Voxel| Voxel::from_word(cell.word()).is_err();
    cells.as_dense().map_or_else(|| is_beyond(&cells.get(0)), |cells| cells.iter().any(is_beyond))
}

fn take_position(from: &mut Reader<'_>) -> Result<ChunkPos, DecodeError> {
    let (at, position): (usize, ChunkPos) = (from.at(), from.take()?);
    match Cube::holds_chunk(position) {
        true => Ok(position),
        false => Err(from.refused(at, "the position of a chunk of cells", position.x)),
    }
}

/// Reads the parents of the cells with the Extra flag.
fn take_further_parents(
    from: &mut Reader<'_>,
    cells: &Chunk<Voxel>,
) -> Result<Vec<(u16, u8)>, DecodeError> {
    let has_further = |voxel: Voxel| !voxel.is_mark() && voxel.has(CellFlags::EXTRA);
    if cells.as_uniform().is_some_and(|voxel| !has_further(voxel)) {
        return Ok(Vec::new());
    }
    let mut further = Vec::new();
    for index in 0..CHUNK_CELLS {
        let voxel = cells.get(index);
        if has_further(voxel) {
            further.push((index as u16, take_parents(from, voxel)?));
        }
    }
    Ok(further)
}

/// Reads the faces of the parents of a cell.
fn take_parents(from: &mut Reader<'_>, voxel: Voxel) -> Result<u8, DecodeError> {
    let (at, faces) = (from.at(), from.take()?);
    match are_parents_of(voxel, faces) {
        true => Ok(faces),
        false => Err(from.refused(at, "the faces of a cell's parents", faces)),
    }
}

/// Reads a list of cells with a value for each: the number of cells, then the index and the value
/// of each cell, in order of index.
fn take_listed<T>(
    from: &mut Reader<'_>,
    take: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<(u16, T)>, DecodeError> {
    let mut list: Vec<(u16, T)> = Vec::new();
    for _ in 0..from.varint()? {
        let (at, found) = (from.at(), from.varint()?);
        let next = list.last().map_or(0, |&(last, _)| last + 1);
        let index = u16::try_from(found).ok();
        let index = index.filter(|index| (next..CHUNK_CELLS as u16).contains(index));
        let wrong = || from.malformed_at(at, "the index of a cell after the one before");
        let index = index.ok_or_else(wrong)?;
        list.push((index, take(from)?));
    }
    Ok(list)
}

fn take_fixture(from: &mut Reader<'_>) -> Result<Fixture, DecodeError> {
    let (at, fixture): (usize, Fixture) = (from.at(), from.take()?);
    match fixture.is_valid() {
        true => Ok(fixture),
        false => Err(from.refused(at + 1, "1 to 7, the rate of a fixture", fixture.rate())),
    }
}

fn take_flows(from: &mut Reader<'_>) -> Result<FaceFlows, DecodeError> {
    let (at, word) = (from.at(), from.varint()?);
    let flows = u32::try_from(word).ok().and_then(FaceFlows::from_word);
    let flows = flows.filter(|flows| !flows.is_none());
    flows.ok_or_else(|| from.malformed_at(at, "the flow of a cell"))
}

fn take_cut_cells(from: &mut Reader<'_>, position: ChunkPos) -> Result<Vec<CutCell>, DecodeError> {
    let (mut cut, mut before) = (Vec::new(), Cube::cell_at(position, 0));
    for _ in 0..from.varint()? {
        let (at, cell) = (from.at(), from.way(before)?);
        let is_in_order = |last: &CutCell| sort_key(last.cell) < sort_key(cell);
        if !cut.last().is_none_or(is_in_order) {
            return Err(from.refused(at, "a cell after the one before", cell.x));
        }
        let voxel = from.take()?;
        let at = from.at();
        let parents = take_parents(from, voxel)?;
        if parents == 0 {
            return Err(from.refused(at, "a parent", 0));
        }
        cut.push(CutCell { cell, voxel, parents });
        before = cell;
    }
    Ok(cut)
}
