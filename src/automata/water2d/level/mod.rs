//! Levelling a body: units move from the highest heads to the lowest, within a step's limits, until
//! the body has one water line. The line is found by bisection. `bodies` finds the bodies; `head`
//! defines the heads by which they are levelled.

pub(super) mod bodies;
pub(super) mod head;

use crate::automata::water2d::cell::Cell;
use crate::automata::water2d::changes::Changes;
use crate::automata::water2d::level::bodies::Piece;
use crate::automata::water2d::level::head::{CELL, head, units_up_to};
use crate::automata::water2d::lines::{self, Cells, Line};
use crate::chunk::ones;

/// A piece with its height above the body's lowest row.
#[derive(Clone, Copy)]
struct PlacedPiece {
    height: i64,
    piece: Piece,
}

/// The units that a cell may give or take, given the water line.
#[derive(Clone, Copy, Default)]
struct Offers {
    /// To give: units two or more heads above the line.
    spare: u64,
    /// To give: units at the first head above the line.
    ready: u64,
    /// To take, up to the line.
    lacking: u64,
    /// To take, at the first head above the line.
    room: u64,
}

/// Levels one body by one step: each cell gives or takes at most `flow` units. Returns the units
/// that moved.
pub(super) fn level(cells: &mut Cells, body: Vec<Piece>, flow: u32, changes: &mut Changes) -> u64 {
    let placed_pieces = placed_pieces(cells, body);
    let (mut volume, mut highest) = (0, 0);
    for PlacedPiece { piece, .. } in &placed_pieces {
        let (units, level) = contents(&line_of(cells, piece), piece.cells);
        (volume, highest) = (volume + units, level.max(highest));
    }
    let line = water_line(&placed_pieces, volume, highest);
    let mut total = Offers::default();
    let mut uneven = Vec::new();
    for &PlacedPiece { height, piece } in &placed_pieces {
        let bounds = bounds(line, height);
        let Offers { spare, ready, lacking, room } =
            offers_of(&line_of(cells, &piece), piece.cells, bounds, flow);
        if spare | ready | lacking | room != 0 {
            uneven.push((piece, bounds));
        }
        total.spare += spare;
        total.ready += ready;
        total.lacking += lacking;
        total.room += room;
    }
    // Units at the first head above the line may move below the line, and spare units may move to
    // that head. Moves between cells at that head are useless.
    let moving = (total.spare + total.ready)
        .min(total.lacking + total.room)
        .min(total.spare.max(total.lacking));
    if moving > 0 {
        exchange(cells, &uneven, total, moving, flow, changes);
    }
    moving
}

/// Sorts the pieces by height, then from west to east, and merges pieces in one row of a chunk: the
/// order in which cells are served must not depend on the flood fill.
fn placed_pieces(cells: &Cells, body: Vec<Piece>) -> Vec<PlacedPiece> {
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
    placed.into_iter().map(|((y, _), piece)| PlacedPiece { height: y - lowest, piece }).collect()
}

/// Returns the row of a piece.
fn line_of(cells: &Cells, piece: &Piece) -> Line {
    lines::row(cells, piece.slot, piece.row)
}

/// Expands a mask to one lane for each cell of a row: −1, all bits set, in the mask, 0 outside.
#[inline(always)]
fn lanes(cells: u64) -> [i32; 64] {
    let mut lanes = [0; 64];
    for (byte, lanes) in cells.to_le_bytes().into_iter().zip(lanes.as_chunks_mut::<8>().0) {
        for (bit, lane) in lanes.iter_mut().enumerate() {
            *lane = -i32::from(byte >> bit & 1);
        }
    }
    lanes
}

/// Returns the sum over the cells of a mask. 64 cells of at most a million units fit 32 bits.
#[inline(always)]
fn sum(cells: &[i32; 64], lanes: &[i32; 64]) -> u64 {
    u64::from(cells.iter().zip(lanes).map(|(cell, lane)| cell & lane).sum::<i32>().unsigned_abs())
}

/// Returns the units in the cells of a row, and the highest level among these cells.
fn contents(line: &Line, cells: u64) -> (u64, i32) {
    let (levels, lanes) = (line.map(|cell| cell.0), lanes(cells));
    let highest =
        levels.iter().zip(&lanes).fold(0, |highest, (level, lane)| highest.max(level & lane));
    (sum(&levels, &lanes), highest)
}

/// Returns the water line: the highest head, above the floor of the lowest row, up to which the
/// body's water suffices for all units. It is at most the head of the `highest` level in the
/// highest row.
fn water_line(placed_pieces: &[PlacedPiece], volume: u64, highest: i32) -> i64 {
    let mut sizes: Vec<(i64, u64)> = Vec::new();
    for placed in placed_pieces {
        let cells = u64::from(placed.piece.cells.count_ones());
        match sizes.last_mut() {
            Some((height, size)) if *height == placed.height => *size += cells,
            _ => sizes.push((placed.height, cells)),
        }
    }
    let units = |&(height, size): &(i64, u64), line: i64| {
        size * u64::from(bounds(line, height)[0].unsigned_abs())
    };
    let fits = |line: i64| sizes.iter().map(|size| units(size, line)).sum::<u64>() <= volume;
    let top = sizes.last().map_or(0, |&(height, _)| height);
    let (mut fitting, mut beyond) = (0, head(top, i64::from(highest).max(1)) + 1);
    while fitting + 1 < beyond {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) { fitting = middle } else { beyond = middle }
    }
    fitting
}

/// Returns the level of a cell at this height if it is filled up to the line, and if it is filled
/// up to one head above the line.
fn bounds(line: i64, height: i64) -> [i32; 2] {
    let above_floor = line - height * CELL;
    [units_up_to(above_floor), units_up_to(above_floor + 1)]
}

/// Returns the sum of the offers of a row's cells.
fn offers_of(line: &Line, cells: u64, [least, most]: [i32; 2], flow: u32) -> Offers {
    let (lanes, flow, choice) = (lanes(cells), flow as i32, i32::from(least != most));
    Offers {
        spare: sum(&line.map(|cell| (cell.0 - most).max(0).min(flow)), &lanes),
        ready: sum(&line.map(|cell| i32::from(cell.0 == most) & choice), &lanes),
        lacking: sum(&line.map(|cell| (least - cell.0).max(0).min(flow)), &lanes),
        room: sum(&line.map(|cell| i32::from(cell.0 == least) & choice), &lanes),
    }
}

/// Returns the offers of one cell.
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

/// Moves units from giving to taking cells, in proportion to their offers.
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
        let line = line_of(cells, &piece);
        for x in ones(piece.cells) {
            let level = line[x].0;
            let offer = offers(level, bounds, flow);
            let given = spare.of(offer.spare) + ready.of(offer.ready);
            let taken = lacking.of(offer.lacking) + room.of(offer.room);
            if given != taken {
                // A share is at most its offer, which is at most `flow`.
                let level = Cell(level + taken as i32 - given as i32);
                cells.chunk_at_mut(piece.slot).set(64 * piece.row + x, level);
                changes.add(piece.slot, 64 * piece.row + x);
            }
        }
    }
}

/// Splits `part` in proportion to offers that add up to `whole`. Remainders are carried over from
/// offer to offer, as in Bresenham's line algorithm, so that the shares add up to `part`.
struct Share {
    part: u64,
    whole: u64,
    /// The remainder carried over, in parts of `whole`.
    remainder: u64,
}

impl Share {
    fn new(part: u64, whole: u64) -> Share {
        Share { part, whole, remainder: 0 }
    }

    #[inline]
    fn of(&mut self, offer: u64) -> u64 {
        if self.part == self.whole || offer == 0 || self.part == 0 {
            return if self.part == 0 { 0 } else { offer };
        }
        // No overflow: offers are at most 100, and `whole` is less than 2⁵⁰, since no body has that
        // many cells.
        self.remainder += offer * self.part;
        let share = self.remainder / self.whole;
        self.remainder -= share * self.whole;
        share
    }
}
