//! Nearest-neighbour search: the cell of a surface that is nearest to another cell, by Manhattan
//! distance. Pieces are grouped into a grid of buckets of 4 × 4 chunk columns, each with a
//! bounding box; buckets and pieces farther than the best cell so far are skipped.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::{Cube, Shape};
use crate::water::pools::body::Piece;
use crate::water::store::{Place, Store};
use core::ops::Range;
use glam::IVec3;
use smallvec::SmallVec;

/// Binary logarithm of the chunks along a side of a block. With four chunks, both the blocks of a
/// wide surface and the pieces of a block are few.
const BLOCK_BITS: u32 = 2;

/// Cells to choose from, as non-empty pieces.
#[derive(Default)]
pub(crate) struct Candidates {
    /// Sorted by block.
    pieces: Vec<Piece>,
    blocks: SmallVec<[Block; 1]>,
    /// The block and the piece of the last cell found, which are usually those of the next one or
    /// near them.
    last: (usize, usize),
}

/// The pieces in a bucket of 4 × 4 chunk columns.
struct Block {
    /// Its pieces that still have cells.
    pieces: Range<usize>,
    /// Lowest corner of the bounding box of their layers.
    low: IVec3,
    /// Highest corner of that box, inclusive.
    high: IVec3,
}

/// Rank of a cell: its distance, then its y, z and x.
type Rank = (u32, [i32; 3]);

/// The nearest cell found so far.
struct Nearest {
    rank: Rank,
    at: (usize, usize),
    place: Place,
}

impl Candidates {
    /// Groups pieces into blocks.
    pub(crate) fn new(store: &Store, mut pieces: Vec<Piece>) -> Self {
        pieces.retain(|piece| piece.cells.any());
        let column = |piece: &Piece| {
            let chunk = store.grid().position_at(piece.slot);
            (chunk.x >> BLOCK_BITS, chunk.z >> BLOCK_BITS)
        };
        let are_in_one = pieces.windows(2).all(|two| column(&two[0]) == column(&two[1]));
        if !are_in_one {
            pieces.sort_unstable_by_key(column);
        }
        let mut blocks = SmallVec::new();
        let mut first = 0;
        for of_block in pieces.chunk_by(|a, b| are_in_one || column(a) == column(b)) {
            let lows = || of_block.iter().map(|piece| lowest(store, piece));
            let low = lows().fold(IVec3::MAX, IVec3::min);
            let high = lows().fold(IVec3::MIN, IVec3::max) + IVec3::new(15, 0, 15);
            blocks.push(Block { pieces: first..first + of_block.len(), low, high });
            first += of_block.len();
        }
        Candidates { pieces, blocks, last: (0, 0) }
    }

    /// Returns the cell nearest to `place`, among equals the one with the lowest y, then z, then
    /// x. `None` if no cell is left.
    pub(crate) fn nearest(&mut self, store: &Store, place: Place) -> Option<Place> {
        let cell = store.position(place);
        let mut best: Option<Nearest> = None;
        // A near cell found first excludes most other pieces by their bounding boxes.
        let (block, piece) = self.last;
        if self.blocks.get(block).is_some_and(|block| block.pieces.contains(&piece)) {
            self.consider(store, cell, (block, piece), &mut best);
        }
        for (number, block) in self.blocks.iter().enumerate() {
            if is_farther(&best, cell, block.low, block.high) {
                continue;
            }
            for at in block.pieces.clone() {
                self.consider(store, cell, (number, at), &mut best);
            }
        }
        let best = best?;
        self.last = best.at;
        Some(best.place)
    }

    /// Replaces `best` by the nearest cell of a piece if that is nearer.
    #[inline]
    fn consider(&self, store: &Store, cell: IVec3, at: (usize, usize), best: &mut Option<Nearest>) {
        let piece = &self.pieces[at.1];
        let low = lowest(store, piece);
        if is_farther(best, cell, low, low + IVec3::new(15, 0, 15)) {
            return;
        }
        let most = best.as_ref().map_or(u32::MAX, |best| best.rank.0);
        let Some(index) = nearest_in(cell, low, piece.cells, most) else { return };
        let there = low + IVec3::new(index as i32 & 15, 0, index as i32 >> 4);
        let rank = (distance(cell, there), key(there));
        if best.as_ref().is_none_or(|best| rank < best.rank) {
            *best =
                Some(Nearest { rank, at, place: Place::in_layer(piece.slot, piece.layer, index) });
        }
    }

    /// Returns the piece of the last cell found.
    pub(crate) fn last_piece(&self) -> Option<&Piece> {
        self.pieces.get(self.last.1)
    }

    /// Removes cells from the piece of the last cell found.
    pub(crate) fn remove_from_last(&mut self, cells: LayerMask) {
        let (block, at) = self.last;
        let (Some(block), Some(piece)) = (self.blocks.get_mut(block), self.pieces.get_mut(at))
        else {
            return;
        };
        piece.cells -= cells;
        if piece.cells.is_empty() {
            block.pieces.end -= 1;
            self.pieces.swap(at, block.pieces.end);
        }
    }
}

/// Whether all cells of a box are farther away than `best`.
#[inline]
fn is_farther(best: &Option<Nearest>, cell: IVec3, low: IVec3, high: IVec3) -> bool {
    best.as_ref().is_some_and(|best| best.rank.0 < distance(cell, cell.clamp(low, high)))
}

/// Returns the position of the first cell of a piece's layer.
fn lowest(store: &Store, piece: &Piece) -> IVec3 {
    Cube::cell_at(store.grid().position_at(piece.slot), piece.layer * LAYER_CELLS)
}

/// Manhattan distance: steps from one cell to another in open water.
pub(crate) fn distance(a: IVec3, b: IVec3) -> u32 {
    a.x.abs_diff(b.x).saturating_add(a.y.abs_diff(b.y)).saturating_add(a.z.abs_diff(b.z))
}

fn key(cell: IVec3) -> [i32; 3] {
    [cell.y, cell.z, cell.x]
}

/// Returns the cell of a layer nearest to `cell`, among equals the one with the lowest z, then x;
/// `None` if no cell lies within `most` steps. The layer's first cell lies at `low`.
fn nearest_in(cell: IVec3, low: IVec3, cells: LayerMask, most: u32) -> Option<usize> {
    let (x, z) = (cell.x.saturating_sub(low.x), cell.z.saturating_sub(low.z));
    if !(1..15).contains(&x) && !(1..15).contains(&z) {
        let (east, south) = (x > 0, z > 0);
        let corner = low + IVec3::new(15 * i32::from(east), 0, 15 * i32::from(south));
        let most = most.checked_sub(distance(cell, corner))?;
        return nearest_to_corner(&WITHIN[usize::from(east) + 2 * usize::from(south)], cells, most);
    }
    nearest_in_rows(cell, low, cells, most)
}

/// Returns the cell of a layer nearest to the corner of `within`, among equals the one with the
/// lowest z, then x; `None` if no cell lies within `most` steps.
fn nearest_to_corner(within: &[LayerMask; 31], cells: LayerMask, most: u32) -> Option<usize> {
    let within = &within[..=most.min(30) as usize];
    let steps = within.partition_point(|&within| (cells & within).is_empty());
    (cells & *within.get(steps)?).iter().next()
}

/// [`nearest_in`] for a cell that is not nearest to a corner of the layer, row by row.
fn nearest_in_rows(cell: IVec3, low: IVec3, cells: LayerMask, most: u32) -> Option<usize> {
    // The nearest column to a cell west or east of the layer is the first or the last.
    let x = cell.x.saturating_sub(low.x).clamp(0, 15) as u32;
    let to_column = cell.x.abs_diff(low.x + x as i32).saturating_add(cell.y.abs_diff(low.y));
    let (mut best, mut least) = (None, most);
    for z in 0..16 {
        let row = cells.row(z);
        let to_row = to_column.saturating_add(cell.z.abs_diff(low.z + z as i32));
        if row == 0 || to_row > least {
            continue;
        }
        let (along_row, nearest) = to_nearest(row, x);
        let steps = to_row.saturating_add(along_row);
        if steps < least || steps == least && best.is_none() {
            (best, least) = (Some(z * 16 + nearest), steps);
        }
    }
    best
}

/// For each corner of a layer (north-west, north-east, south-west, south-east), the cells within 0
/// to 30 steps of it.
static WITHIN: [[LayerMask; 31]; 4] = within();

const fn within() -> [[LayerMask; 31]; 4] {
    let mut within = [[LayerMask::NONE; 31]; 4];
    let mut at = 0;
    while at < 4 * 31 * 256 {
        let (corner, steps, cell) = (at / (31 * 256), at / 256 % 31, at % 256);
        let x = if corner % 2 == 0 { cell % 16 } else { 15 - cell % 16 };
        let z = if corner < 2 { cell / 16 } else { 15 - cell / 16 };
        if x + z <= steps {
            within[corner][steps].insert(cell);
        }
        at += 1;
    }
    within
}

/// Returns the distance and the column of the cell nearest to column `x` in a non-empty row, among
/// equals the one to the west.
fn to_nearest(row: u16, x: u32) -> (u32, usize) {
    let row = u32::from(row);
    let (west, east) = (row & ((2 << x) - 1), (row >> x).trailing_zeros());
    match west.checked_ilog2() {
        Some(west) if x - west <= east => (x - west, west as usize),
        _ => (east, (x + east) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::rules::Edges;
    use crate::water::voxel::Voxel;

    /// Surfaces in up to a hundred chunks, from which cells are removed until none is left.
    #[test]
    fn the_nearest_candidate_is_that_of_an_exhaustive_search() {
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
            for _ in 0..[1, 3, 100][seed as usize % 3] {
                let chunk = IVec3::new(random.i32(-9..9), random.i32(-1..2), random.i32(-9..9));
                store.insert(chunk, Chunk::uniform(Voxel::OPEN));
            }
            let slots = store.grid().sorted_slots();
            let mut pieces: Vec<Piece> = Vec::new();
            for &slot in &slots {
                for _ in 0..random.usize(..3) {
                    let sparse = random.u64(..) & random.u64(..) & random.u64(..);
                    let cells =
                        LayerMask::from_words(core::array::from_fn(|_| random.u64(..) & sparse));
                    pieces.push(Piece { slot, layer: pieces.len() % 16, cells });
                }
            }
            let of_piece = |piece: &Piece| {
                let Piece { slot, layer, .. } = *piece;
                piece.cells.iter().map(move |cell| Place::in_layer(slot, layer, cell))
            };
            let mut left: Vec<Place> = pieces.iter().flat_map(of_piece).collect();
            let mut candidates = Candidates::new(&store, pieces);
            loop {
                let from = Place::new(slots[random.usize(..slots.len())], random.usize(..4096));
                let rank = |&place: &Place| {
                    let (here, there) = (store.position(from), store.position(place));
                    let apart = (here - there).abs();
                    (apart.x + apart.y + apart.z, there.y, there.z, there.x)
                };
                let nearest = candidates.nearest(&store, from);
                assert_eq!(nearest, left.iter().copied().min_by_key(rank), "seed {seed}");
                let Some(place) = nearest else { break };
                let piece = *candidates.last_piece().expect("one was found");
                assert_eq!((piece.slot, piece.layer), (place.slot, place.layer()), "seed {seed}");
                assert!(piece.cells.contains(place.cell()), "seed {seed}");
                let gone = random.u64(..) | random.u64(..);
                let mut gone =
                    LayerMask::from_words(core::array::from_fn(|_| random.u64(..) & gone));
                gone.insert(place.cell());
                candidates.remove_from_last(gone);
                left.retain(|at| {
                    (at.slot, at.layer()) != (place.slot, place.layer())
                        || !gone.contains(at.cell())
                });
            }
            assert!(left.is_empty(), "seed {seed}");
        }
    }

    #[test]
    fn the_nearest_cell_of_a_layer_is_that_of_an_exhaustive_search() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut far_from_corner, mut too_far) = (0, 0);
        for round in 0..3_000 {
            let near = |random: &mut fastrand::Rng| {
                IVec3::from_array(core::array::from_fn(|_| random.i32(-40..40)))
            };
            let (cell, low, most) = (near(&mut random), near(&mut random), random.u32(..120));
            let mut cells = LayerMask::from_words(core::array::from_fn(|_| {
                random.u64(..) & random.u64(..) & random.u64(..)
            }));
            if round % 2 == 0 {
                // At most one cell, which is often far from the corner nearest to `cell`.
                let mut words = [0; 4];
                words[random.usize(..4)] = 1u64.unbounded_shl(random.u32(..80));
                cells = LayerMask::from_words(words);
            }
            let rank = |index: usize| {
                let there = low + IVec3::new(index as i32 & 15, 0, index as i32 >> 4);
                (distance(cell, there), key(there))
            };
            let expected = cells.iter().map(|index| (rank(index), index)).min();
            let expected =
                expected.filter(|((steps, _), _)| *steps <= most).map(|(_, index)| index);
            assert_eq!(nearest_in(cell, low, cells, most), expected, "round {round}");
            let in_layer = cell.clamp(low, low + IVec3::new(15, 0, 15));
            let (x, z) = (in_layer.x - low.x, in_layer.z - low.z);
            if matches!((x, z), (0 | 15, 0 | 15)) {
                let steps = expected.map(|index| {
                    distance(in_layer, low + IVec3::new(index as i32 & 15, 0, index as i32 >> 4))
                });
                far_from_corner += usize::from(steps.is_some_and(|steps| steps > 20));
                too_far += usize::from(cells.any() && steps.is_none());
            }
        }
        assert!(
            far_from_corner > 30 && too_far > 100,
            "{far_from_corner} far from the corner, {too_far} too far"
        );
    }
}
