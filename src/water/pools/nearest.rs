//! Nearest-neighbour search: which cell of a surface is nearest to another cell. Its pieces are
//! looked at in blocks of chunks, the near ones first (a grid of buckets).

use crate::chunk::LayerMask;
use crate::coords::{Cube, Shape};
use crate::water::pools::body::Piece;
use crate::water::store::{LAYER_CELLS, Place, Store};
use core::ops::Range;
use glam::IVec3;
use smallvec::SmallVec;

/// Chunks along a side of a block, as a power of two: four of them keep both the blocks of a wide
/// surface and the pieces of a block few.
const BLOCK_BITS: u32 = 2;

/// Cells to choose from, in pieces none of which is empty.
#[derive(Default)]
pub(crate) struct Candidates {
    /// Block by block.
    pieces: Vec<Piece>,
    blocks: SmallVec<[Block; 1]>,
    /// The block and the piece of the cell that was found last: mostly the next is not far from
    /// it.
    last: (usize, usize),
}

/// The pieces that lie in one column of chunks, four wide.
struct Block {
    /// Those of its pieces that still have cells.
    pieces: Range<usize>,
    /// The corners of the box of the layers they lie in.
    low: IVec3,
    high: IVec3,
}

/// A cell as it is ranked: steps to it, then its y, z and x.
type Rank = (u32, [i32; 3]);

/// The nearest cell met so far.
struct Nearest {
    rank: Rank,
    at: (usize, usize),
    place: Place,
}

impl Candidates {
    /// The cells of these pieces.
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

    /// The nearest to a cell: among equals the one with the lowest y, then z, then x. `None` if no
    /// cell is left.
    pub(crate) fn nearest(&mut self, store: &Store, place: Place) -> Option<Place> {
        let cell = store.position(place);
        let mut best: Option<Nearest> = None;
        // What is near goes first: of the others, hardly any piece is looked at then.
        let (block, piece) = self.last;
        if self.blocks.get(block).is_some_and(|block| block.pieces.contains(&piece)) {
            self.look_at(store, cell, (block, piece), &mut best);
        }
        for (number, block) in self.blocks.iter().enumerate() {
            if is_farther(&best, cell, block.low, block.high) {
                continue;
            }
            for at in block.pieces.clone() {
                self.look_at(store, cell, (number, at), &mut best);
            }
        }
        let best = best?;
        self.last = best.at;
        Some(best.place)
    }

    /// Takes the nearest cell of a piece for the best, if it is.
    #[inline]
    fn look_at(&self, store: &Store, cell: IVec3, at: (usize, usize), best: &mut Option<Nearest>) {
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

    /// The piece of the cell that was found last.
    pub(crate) fn last_piece(&self) -> Option<&Piece> {
        self.pieces.get(self.last.1)
    }

    /// Takes cells out of the piece of the cell that was found last.
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

/// Whether all cells of a box are farther away than the best.
#[inline]
fn is_farther(best: &Option<Nearest>, cell: IVec3, low: IVec3, high: IVec3) -> bool {
    best.as_ref().is_some_and(|best| best.rank.0 < distance(cell, cell.clamp(low, high)))
}

/// The first cell of a piece's layer.
fn lowest(store: &Store, piece: &Piece) -> IVec3 {
    Cube::cell_at(store.grid().position_at(piece.slot), piece.layer * LAYER_CELLS)
}

/// Steps from one cell to another in open water.
pub(crate) fn distance(a: IVec3, b: IVec3) -> u32 {
    a.x.abs_diff(b.x).saturating_add(a.y.abs_diff(b.y)).saturating_add(a.z.abs_diff(b.z))
}

fn key(cell: IVec3) -> [i32; 3] {
    [cell.y, cell.z, cell.x]
}

/// The cell of a layer that is nearest to `cell`, among equals the one with the lowest z and then
/// x; `None` if the layer has none within `most` steps. The layer's first cell lies at `low`.
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

/// The cell of a layer that is nearest to a corner, among equals the one with the lowest z and then
/// x; `None` if the layer has none within `most` steps.
fn nearest_to_corner(within: &[LayerMask; 31], cells: LayerMask, most: u32) -> Option<usize> {
    let within = &within[..=most.min(30) as usize];
    let steps = within.partition_point(|&within| (cells & within).is_empty());
    (cells & *within.get(steps)?).iter().next()
}

/// Like [`nearest_in`], row by row.
fn nearest_in_rows(cell: IVec3, low: IVec3, cells: LayerMask, most: u32) -> Option<usize> {
    // A cell to the west of the layer is nearest to its first column, as one in that column is.
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

/// For each corner of a layer, the north-western, north-eastern, south-western and south-eastern,
/// the cells within so many steps of it, 0 to 30.
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

/// The cell of a row, in which there is one, that is nearest to column `x`: how many steps it is
/// away, and its own column. Among equals the one to the west.
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

    /// Surfaces of pieces in up to a hundred chunks, from which cells are taken until none is left.
    #[test]
    fn the_nearest_candidate_is_that_of_a_look_at_all() {
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
                    let few = random.u64(..) & random.u64(..) & random.u64(..);
                    let cells =
                        LayerMask::from_words(core::array::from_fn(|_| random.u64(..) & few));
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
    fn the_nearest_cell_is_that_of_a_look_at_all() {
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
                // One cell or none, so that it is often far from the corner that is nearest to
                // `cell`.
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
