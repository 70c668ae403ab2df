//! Which pieces of a body are wide. All units that a wide piece passes have a way through its cells
//! on which no cell passes on more than its throughput.
//!
//! Take a piece that is a union of squares of n × n cells, each one step from the next, and that
//! passes n times a throughput. If fewer than n cells are removed, each square keeps a row and a
//! column, and these stay connected. So fewer than n cells can cut off only corners of squares: j
//! cells in a diagonal cut off j (j + 1) / 2 cells, themselves included. If such a corner never
//! gives, or takes, more units than j cells let through, then all units that the piece passes have
//! a way, by the theorem of max flow and min cut. Units that come from or go to another piece count
//! as given or taken where the pieces touch: at a side of a chunk, j cells cut off j such cells.
//! Each cell is taken to let through no more than the cell of the piece with the least throughput
//! left. If nothing is left there, the piece is not wide.
//!
//! A [`column`](crate::water::pools::column) is always wide. The layer on it is wide, too, if the
//! two together pass no more units than a vertical plane through the column lets through, no units
//! pass between the layer and pieces above it, and no cell of the layer takes more than the
//! throughput.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::water::pools::column::Depth;
use crate::water::pools::network::Network;
use crate::water::pools::plan::{Kind, Plan};
use crate::water::pools::walk::{Walk, least_left};
use crate::water::scratch::Tick;

/// The most cells of a diagonal in a corner.
const MOST: usize = 15;

/// The most units that corners of a piece give, or take, indexed by the number of cells that cut
/// the corner off, less one.
type Corners = [i32; MOST];

/// The units that some cells give or take.
#[derive(Clone, Copy, Default)]
struct Units {
    all: i32,
    /// The most units at one cell.
    each: i32,
}

impl Units {
    fn note(&mut self, units: i32) {
        self.all += units;
        self.each = self.each.max(units);
    }

    /// Adds, for each size of a corner, the most of these units that a corner may have.
    /// `is_at_side` is whether all of them are at cells of one side.
    fn add_to(self, corners: &mut Corners, is_at_side: bool) {
        for (units, cells) in corners.iter_mut().zip(1..) {
            let in_corner = if is_at_side { cells } else { cells * (cells + 1) / 2 };
            *units += self.all.min(self.each.saturating_mul(in_corner));
        }
    }
}

/// Returns the pieces of a walk that are narrow for the units that they have passed in the network
/// of pieces.
pub(crate) fn narrow_pieces(tick: &Tick, plan: &Plan, walk: &Walk, pieces: &Network) -> Vec<bool> {
    let mut corners = corners_of_changes(tick, plan, walk);
    let throughput = i32::from(tick.limits.throughput);
    let taken_at_once: Vec<i32> = corners.iter().map(|[_, taken]| taken[0]).collect();
    let mut is_pressed = vec![false; corners.len()];
    // For each piece, a piece below it with which it is in contact.
    let mut below = vec![None; corners.len()];
    for (edge, contact) in walk.contacts().iter().enumerate() {
        let all = pieces.passed_along(edge);
        let [from, to] = contact.pieces.map(|piece| piece as usize);
        let (giver, taker) = if all > 0 { (from, to) } else { (to, from) };
        let vertical = match contact.touch.face {
            Face::Up => Some([from, to]),
            Face::Down => Some([to, from]),
            _ => None,
        };
        if let Some([lower, upper]) = vertical {
            is_pressed[lower] |= all != 0;
            below[upper] = Some(lower);
        }
        let is_even = contact.capacity == throughput * contact.cells;
        let each = if is_even { ceil(all.abs(), contact.cells) } else { throughput };
        let units = Units { all: all.abs(), each };
        units.add_to(&mut corners[taker][0], contact.touch.face.is_lateral());
        units.add_to(&mut corners[giver][1], contact.touch.face.is_lateral());
    }
    let is_narrow = |(id, corners): (usize, &[Corners; 2])| {
        let is_deep = match walk.pieces[id].depth {
            Depth::Column => true,
            Depth::OnColumn => {
                let passed = |id: usize| pieces.nodes[id].passed();
                let has_way = |&column: &usize| {
                    let abreast = 16 * walk.pieces[column].layers as i32;
                    passed(id) + passed(column) <= throughput * abreast
                };
                let is_even = !is_pressed[id] && taken_at_once[id] <= throughput;
                is_even && below[id].as_ref().is_some_and(has_way)
            }
            Depth::OnFull | Depth::Shallow => false,
        };
        let passed = if is_deep { 0 } else { pieces.nodes[id].passed() };
        let left = if passed > 0 { least_left(tick, walk, &[id]) } else { 0 };
        let is_cut = || {
            let side = ceil(passed, left);
            let mut corners = corners.iter().flat_map(|units| units.iter().zip(1..side));
            corners.any(|(&units, cells)| units > left * cells)
                || !is_union_of_squares(walk.pieces[id].cells, side)
        };
        passed > 0 && (left == 0 || is_cut())
    };
    corners.iter().enumerate().map(is_narrow).collect()
}

/// Returns the units that the corners of each piece give, and the units that they take, by a plan.
fn corners_of_changes(tick: &Tick, plan: &Plan, walk: &Walk) -> Vec<[Corners; 2]> {
    let mut all = vec![[Units::default(); 2]; walk.pieces.len()];
    for change in plan.changes() {
        let (place, units) = (change.place, i32::from(change.units));
        let which = usize::from(!matches!(change.kind, Kind::Give));
        if let Some(piece) = walk.piece_of(place) {
            all[piece as usize][which].note(units);
            continue;
        }
        // Three cells outside all pieces may be beside one cell of a square.
        let sides = Face::ALL.map(|face| tick.store.step(place, face));
        for piece in sides.into_iter().filter_map(|side| walk.piece_of(side)) {
            all[piece as usize][which].note(3 * units);
        }
    }
    let corners = |units: Units| {
        let mut corners = [0; MOST];
        units.add_to(&mut corners, false);
        corners
    };
    all.into_iter().map(|both| both.map(corners)).collect()
}

/// Returns a quotient, rounded up.
fn ceil(units: i32, cells: i32) -> i32 {
    (units + cells - 1) / cells
}

/// Returns whether cells are a union of squares with this side, each one step from the next
/// (morphological opening).
fn is_union_of_squares(cells: LayerMask, side: i32) -> bool {
    if cells == LayerMask::ALL || side <= 1 {
        return side <= 16;
    }
    // The first cells of the squares that lie inside `cells`.
    let mut corners = cells;
    for _ in 1..side {
        corners &= corners.across(Face::East);
        corners &= corners.across(Face::South);
    }
    let Some(first) = corners.iter().next() else { return false };
    let mut squares = corners;
    for _ in 1..side {
        squares |= squares.across(Face::West);
        squares |= squares.across(Face::North);
    }
    squares == cells && LayerMask::single(first).flood(corners) == corners
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cells of rows of text, from the north-west corner.
    fn cells(rows: &[&str]) -> LayerMask {
        let row = |(z, row): (usize, &&str)| {
            row.bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'#')
                .map(|(x, _)| 16 * z + x)
                .collect()
        };
        LayerMask::union(rows.iter().enumerate().map(row))
    }

    #[test]
    fn squares_that_overlap_by_all_but_a_row_are_wide() {
        let bend = cells(&["###  ", "#####", "#####", "  ###"]);
        assert!(is_union_of_squares(bend, 2));
        let diagonal = cells(&["##  ", "### ", " ###", "  ##"]);
        assert!(!is_union_of_squares(diagonal, 2), "two of its squares touch by a cell");
        assert!(is_union_of_squares(diagonal, 1));
        let neck = cells(&["###   ###", "#########", "###   ###"]);
        assert!(!is_union_of_squares(neck, 2), "its neck is a cell wide");
        let room = cells(&["####", "####", "####"]);
        assert!(is_union_of_squares(room, 3) && !is_union_of_squares(room, 4));
        assert!(is_union_of_squares(LayerMask::ALL, 16));
    }
}
