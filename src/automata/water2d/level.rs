//! Levelling a body: units move from where they have the highest heads to where they have the lowest, as far as a step lets
//! them, until the body has one water line.

use super::bodies::Piece;
use super::cell::Cell;
use super::changes::Changes;
use super::head::{CELL, HIGHEST, units_up_to};
use super::lines::{Cells, Line, rows};
use crate::chunk::ones;

/// A piece with its height above the body's lowest row.
struct Shelf {
    height: i64,
    piece: Piece,
}

/// What a cell may do under a water line, in units.
#[derive(Clone, Copy, Default)]
struct Offers {
    /// Give, what lies above the line by two heads and more.
    spare: u64,
    /// Give, what lies on the first head above the line.
    ready: u64,
    /// Take, up to the line.
    lacking: u64,
    /// Take, to the first head above the line.
    room: u64,
}

/// Levels one body by one step: each cell gives or takes `flow` units at most. Returns the units that moved.
pub(super) fn level(cells: &mut Cells, body: Vec<Piece>, flow: u32, changes: &mut Changes) -> u64 {
    let shelves = shelves(cells, body);
    let volume = shelves.iter().map(|shelf| volume(cells, &shelf.piece)).sum();
    let line = water_line(&shelves, volume);
    let mut total = Offers::default();
    let mut uneven = Vec::new();
    for shelf in &shelves {
        let bounds = bounds(line, shelf.height);
        if has_offers(cells, &shelf.piece, bounds) {
            uneven.push((shelf.piece, bounds));
            for cell in ones(shelf.piece.cells) {
                let Offers { spare, ready, lacking, room } = offers(at(cells, &shelf.piece, cell), bounds, flow);
                total.spare += spare;
                total.ready += ready;
                total.lacking += lacking;
                total.room += room;
            }
        }
    }
    // Units with the first head above the line may move below it, and spare ones to it; from it to it none need to.
    let moving = (total.spare + total.ready).min(total.lacking + total.room).min(total.spare.max(total.lacking));
    if moving > 0 {
        exchange(cells, &uneven, total, moving, flow, changes);
    }
    moving
}

/// The pieces by height, then from west to east, all of a body's cells in one row of a chunk together: in which order the
/// cells are served must not depend on how the body was flooded.
fn shelves(cells: &Cells, body: Vec<Piece>) -> Vec<Shelf> {
    let position = |piece: &Piece| {
        let chunk = cells.position_at(piece.slot);
        (i64::from(chunk.y) * 64 + piece.row as i64, chunk.x)
    };
    let mut placed: Vec<_> = body.into_iter().map(|piece| (position(&piece), piece)).collect();
    placed.sort_unstable_by_key(|&(position, _)| position);
    placed.dedup_by(|(position, piece), (last_position, last)| {
        let same_row = position == last_position;
        last.cells |= if same_row { piece.cells } else { 0 };
        same_row
    });
    let lowest = placed.first().map_or(0, |&((y, _), _)| y);
    placed.into_iter().map(|((y, _), piece)| Shelf { height: y - lowest, piece }).collect()
}

fn at(cells: &Cells, piece: &Piece, x: usize) -> i32 {
    cells.chunk_at(piece.slot).get(64 * piece.row + x).0
}

/// The row of a piece, and whether all of it belongs to the piece.
fn whole_row<'c>(cells: &'c Cells, piece: &Piece) -> Option<&'c Line> {
    let dense = cells.chunk_at(piece.slot).as_dense()?;
    (piece.cells == u64::MAX).then(|| &rows(dense)[piece.row])
}

/// Units in a piece.
fn volume(cells: &Cells, piece: &Piece) -> u64 {
    // Rows have 64 cells of a million units at most, so 32 bits are enough.
    let sum: i32 = match whole_row(cells, piece) {
        Some(row) => row.iter().map(|cell| cell.0).sum(),
        None => ones(piece.cells).map(|x| at(cells, piece, x)).sum(),
    };
    u64::from(sum.unsigned_abs())
}

/// The highest head, above the floor of the lowest row, up to which the body has water enough for all units.
fn water_line(shelves: &[Shelf], volume: u64) -> i64 {
    let mut sizes: Vec<(i64, u64)> = Vec::new();
    for shelf in shelves {
        let cells = u64::from(shelf.piece.cells.count_ones());
        match sizes.last_mut() {
            Some((height, size)) if *height == shelf.height => *size += cells,
            _ => sizes.push((shelf.height, cells)),
        }
    }
    let units = |&(height, size): &(i64, u64), line: i64| size * u64::from(bounds(line, height)[0].unsigned_abs());
    let fits = |line: i64| sizes.iter().map(|size| units(size, line)).sum::<u64>() <= volume;
    let top = sizes.last().map_or(0, |&(height, _)| height);
    let (mut fitting, mut beyond) = (0, top * CELL + HIGHEST + 1);
    while fitting + 1 < beyond {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) { fitting = middle } else { beyond = middle }
    }
    fitting
}

/// The level of a cell at this height that is filled up to the line, and up to one head above it.
fn bounds(line: i64, height: i64) -> [i32; 2] {
    let above_floor = line - height * CELL;
    [units_up_to(above_floor), units_up_to(above_floor + 1)]
}

/// Whether any cell of a piece may have something to give or take.
fn has_offers(cells: &Cells, piece: &Piece, [least, most]: [i32; 2]) -> bool {
    let off = |off: bool, cell: &Cell| off | (cell.0 != least);
    least != most
        || match whole_row(cells, piece) {
            Some(row) => row.iter().fold(false, off),
            None => ones(piece.cells).any(|x| at(cells, piece, x) != least),
        }
}

#[inline]
fn offers(level: i32, [least, most]: [i32; 2], flow: u32) -> Offers {
    let limited = |units: i32| u64::from(units.max(0).unsigned_abs().min(flow));
    let single = |yes: bool| u64::from(yes && least != most);
    Offers {
        spare: limited(level - most),
        ready: single(level == most),
        lacking: limited(least - level),
        room: single(level == least),
    }
}

/// Moves units from cells that offer to give to cells that offer to take, in fair shares.
fn exchange(
    cells: &mut Cells,
    uneven: &[(Piece, [i32; 2])],
    total: Offers,
    moving: u64,
    flow: u32,
    changes: &mut Changes,
) {
    let (from_spare, to_lacking) = (moving.min(total.spare), moving.min(total.lacking));
    let mut spare = Share::new(from_spare, total.spare);
    let mut ready = Share::new(moving - from_spare, total.ready);
    let mut lacking = Share::new(to_lacking, total.lacking);
    let mut room = Share::new(moving - to_lacking, total.room);
    for &(piece, bounds) in uneven {
        for x in ones(piece.cells) {
            let level = at(cells, &piece, x);
            let offer = offers(level, bounds, flow);
            let given = spare.of(offer.spare) + ready.of(offer.ready);
            let taken = lacking.of(offer.lacking) + room.of(offer.room);
            if given != taken {
                // Shares are offers at most, and these at most `flow`.
                let level = Cell(level + taken as i32 - given as i32);
                cells.chunk_at_mut(piece.slot).set(64 * piece.row + x, level);
                changes.add(piece.slot, 64 * piece.row + x);
            }
        }
    }
}

/// `part` of `whole`, split among offers that add up to `whole`: after each, what was handed out is the same part of what was
/// offered, rounded down.
struct Share {
    part: u64,
    whole: u64,
    offered: u64,
    handed_out: u64,
}

impl Share {
    fn new(part: u64, whole: u64) -> Share {
        Share { part, whole: whole.max(1), offered: 0, handed_out: 0 }
    }

    fn of(&mut self, offer: u64) -> u64 {
        if offer == 0 || self.part == 0 {
            return 0;
        }
        self.offered += offer;
        // Less than 2⁶⁴, as `part` is not more than `whole`.
        let due = (u128::from(self.offered) * u128::from(self.part) / u128::from(self.whole)) as u64;
        due - core::mem::replace(&mut self.handed_out, due)
    }
}
