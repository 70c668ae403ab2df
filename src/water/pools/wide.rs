//! Which pieces of a body are wide: all that they pass has a way through their cells, so that no
//! cell passes on more than a throughput.
//!
//! A piece is wide if it is a union of squares of n × n cells, each one step from the next, n times
//! a throughput is what it passes, and no cell gives or takes much. If fewer than n cells are taken
//! away, each square keeps a row and a column, and these stay connected. So what fewer cells cut
//! off lies in the corners of squares: j cells, in a diagonal, cut off j (j + 1) / 2 with
//! themselves. If each of those gives g units, they let all of it through up to j = 2 · throughput
//! / g − 1. By the theorem of max flow and min cut, all that the piece passes has a way.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::pools::network::Network;
use crate::water::pools::plan::Plan;
use crate::water::pools::walk::{Piece, Walk};
use crate::water::store::Place;

impl Context<'_> {
    /// Returns, for each piece of a walk, whether it is wide for what it has passed in the network
    /// of pieces.
    pub(crate) fn wide_pieces(&self, plan: &Plan, walk: &Walk, pieces: &Network) -> Vec<bool> {
        let throughput = i32::from(self.limits.throughput);
        let most = self.most_in_corners(plan, walk, pieces);
        let is_wide = |(id, most): (usize, i32)| {
            let (piece, passed) = (walk.pieces[id], pieces.nodes[id].passed());
            let side = (passed + throughput - 1) / throughput.max(1);
            passed <= most && is_union_of_squares(piece.cells, side) && self.is_even(walk, &piece)
        };
        most.into_iter().enumerate().map(is_wide).collect()
    }

    /// Returns the units that each piece may pass without a bottleneck in a corner.
    fn most_in_corners(&self, plan: &Plan, walk: &Walk, pieces: &Network) -> Vec<i32> {
        let throughput = i32::from(self.limits.throughput);
        let mut most = vec![i32::MAX; walk.pieces.len()];
        let mut bound = |piece: u32, units: i32| {
            let most = &mut most[piece as usize];
            *most = units.min(*most);
        };
        for change in plan.changes() {
            let (place, units) = (change.place, i32::from(change.units).max(1));
            if let Some(piece) = walk.piece_of(place) {
                bound(piece, throughput * (2 * throughput / units));
                continue;
            }
            // Three such cells may be beside one cell of a square.
            let sides = Face::ALL.map(|face| self.store.step(place, face));
            for piece in sides.into_iter().filter_map(|side| walk.piece_of(side)) {
                bound(piece, throughput * (2 * throughput / (3 * units)));
            }
        }
        for (edge, contact) in walk.contacts().iter().enumerate() {
            if pieces.left_along(edge) < contact.capacity {
                contact.pieces.into_iter().for_each(|piece| bound(piece, contact.capacity));
            }
        }
        most
    }

    /// Returns whether each cell of a piece may still pass on a throughput.
    fn is_even(&self, walk: &Walk, piece: &Piece) -> bool {
        let at = walk.layer(piece.layer);
        let is_spring = |cell: usize| {
            let place = Place::in_layer(at.slot, at.layer, cell);
            self.store.read(place).has(CellFlags::IS_SOURCE)
        };
        let are_springs_weak = self.limits.supply < self.limits.throughput;
        (piece.cells & self.touched(at.slot, at.layer)).is_empty()
            && !(are_springs_weak && piece.cells.iter().any(is_spring))
    }
}

/// Returns whether cells are a union of squares of so many cells a side, each one step from the
/// next (morphological opening).
fn is_union_of_squares(cells: LayerMask, side: i32) -> bool {
    if cells == LayerMask::ALL || side <= 1 {
        return side <= 16;
    }
    // The first cells of the squares that lie inside.
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
