//! The cells of a chunk, and masks of them.
//!
//! A chunk is a 0 and one value for all its cells, or a 1 and runs. The runs together hold 4096
//! cells in index order, which are not all equal. A run of n cells, at least one, begins with a
//! [varint](super::varint), 8 n + kind. Kind 0 is followed by the values of the n cells. Kinds 1 to
//! 4 repeat the cells 1, 16, 64 and 256 places before (LZ77 with four distances: a cell, a row of a
//! cube and of a sheet, and a layer of a cube), so that even ground takes little. A repeating run
//! has at least two cells and is the longest that can begin at its place; of equally long ones, the
//! highest kind is taken. A run of kind 0 ends where a repeating run can begin, or at the last
//! cell. So equal chunks have equal bytes, and other bytes are refused.
//!
//! A mask is 512 bytes, cell i as bit i mod 8 of byte i div 8.

use super::error::DecodeError;
use super::reader::{Field, Reader};
use super::varint::put_varint;
use crate::chunk::{CellMask, Chunk};
use crate::coords::CHUNK_CELLS;

/// The distance from a run back to the cells that it repeats, by kind from 1 on.
const DISTANCES: [usize; 4] = [1, 16, 64, 256];

impl<T: Field + Copy + PartialEq> Field for Chunk<T> {
    /// Appends the chunk. Equal cells take the short form, however they are stored, so that equal
    /// chunks have equal bytes.
    fn put(&self, out: &mut Vec<u8>) {
        match self.as_dense().filter(|cells| cells.iter().any(|cell| *cell != cells[0])) {
            None => {
                out.push(0);
                self.get(0).put(out);
            }
            Some(cells) => {
                out.push(1);
                put_runs(out, cells);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if !from.one_of(&[false, true], "0 or 1, the form of a chunk")? {
            return from.take().map(Chunk::uniform);
        }
        let (at, runs) = (from.at(), from.left());
        let cells = take_runs(from)?;
        let chunk = Chunk::from_cells(&cells);
        if chunk.as_dense().is_none() {
            return Err(from.malformed_at(at, "cells that are not all equal"));
        }
        let mut again = Vec::new();
        put_runs(&mut again, &cells);
        match runs[..from.at() - at] == again[..] {
            true => Ok(chunk),
            false => Err(from.malformed_at(at, "the longest runs of these cells")),
        }
    }

    fn heap_bytes(&self) -> usize {
        Chunk::heap_bytes(self)
    }
}

/// Appends cells as runs: at each place the longest run that repeats cells, if it has two or more.
fn put_runs<T: Field + Copy + PartialEq>(out: &mut Vec<u8>, cells: &[T; CHUNK_CELLS]) {
    let (mut at, mut literal) = (0, 0);
    while at < CHUNK_CELLS {
        let lengths = DISTANCES.map(|distance| repeated(cells, at, distance));
        let (kind, length) = (1..).zip(lengths).max_by_key(|&(_, length)| length).unwrap_or((1, 0));
        if length < 2 {
            at += 1;
            continue;
        }
        put_literal(out, &cells[literal..at]);
        put_varint(out, (length as u64) << 3 | kind);
        at += length;
        literal = at;
    }
    put_literal(out, &cells[literal..]);
}

/// Returns the number of cells from `at` on that equal the cells `distance` before them.
fn repeated<T: PartialEq>(cells: &[T; CHUNK_CELLS], at: usize, distance: usize) -> usize {
    let Some(from) = at.checked_sub(distance) else { return 0 };
    let (now, before) = (&cells[at..], &cells[from..]);
    // Whole rows are compared at once, then the cells of the first row that differs.
    let rows = now.chunks_exact(16).zip(before.chunks_exact(16));
    let even = 16 * rows.take_while(|(now, before)| now == before).count();
    let rest = now[even..].iter().zip(&before[even..]);
    even + rest.take_while(|(now, before)| now == before).count()
}

/// Appends a run of cells as they are, unless it is empty.
fn put_literal<T: Field>(out: &mut Vec<u8>, cells: &[T]) {
    if !cells.is_empty() {
        put_varint(out, (cells.len() as u64) << 3);
        cells.iter().for_each(|cell| cell.put(out));
    }
}

fn take_runs<T: Field + Copy>(from: &mut Reader<'_>) -> Result<[T; CHUNK_CELLS], DecodeError> {
    const WANTED: &str = "a run of cells within the chunk";
    let (at, run) = (from.at(), from.varint()?);
    // The first run repeats nothing, and its first cell stands for the cells not read yet.
    if run & 7 != 0 || run >> 3 == 0 || run >> 3 > CHUNK_CELLS as u64 {
        return Err(from.malformed_at(at, WANTED));
    }
    let mut cells = [from.take()?; CHUNK_CELLS];
    let mut next = (run >> 3) as usize;
    for cell in &mut cells[1..next] {
        *cell = from.take()?;
    }
    while next < CHUNK_CELLS {
        let (at, run) = (from.at(), from.varint()?);
        let length = usize::try_from(run >> 3).unwrap_or(usize::MAX);
        let distance = match run & 7 {
            0 => Some(0),
            kind => DISTANCES.get(kind as usize - 1).copied(),
        };
        let fits = (1..=CHUNK_CELLS - next).contains(&length);
        let distance = distance.filter(|&distance| fits && distance <= next);
        let end = next + if fits { length } else { 0 };
        match distance.ok_or_else(|| from.malformed_at(at, WANTED))? {
            0 => {
                for cell in &mut cells[next..end] {
                    *cell = from.take()?;
                }
            }
            distance => (next..end).for_each(|at| cells[at] = cells[at - distance]),
        }
        next = end;
    }
    Ok(cells)
}

impl Field for CellMask {
    fn put(&self, out: &mut Vec<u8>) {
        self.words().iter().for_each(|word| word.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut mask = CellMask::EMPTY;
        for word in mask.words_mut() {
            *word = from.take()?;
        }
        Ok(mask)
    }
}
