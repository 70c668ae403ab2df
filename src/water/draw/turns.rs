//! The order in which the cells of one layer of the world draw: a random permutation over all
//! chunks, by counter-based hashes of rows and cells (stratified sampling, bucket sort). The turn
//! of a cell depends neither on which other cells draw nor on the chunk of the cell.
//!
//! In each row of 16 cells, one cell, drawn at random, is the first. The first cells of all rows
//! draw before the rest of the layer. Mostly their draws exhaust what springs can give, so of a
//! wide film only one cell in 16 is hashed.

use crate::chunk::LayerMask;
use crate::water::random::mix;
use core::cmp::Reverse;
use glam::IVec3;

/// A cell: its layer by number, its index there, and its place in the order.
#[derive(Clone, Copy)]
struct Turn {
    order: u64,
    layer: u32,
    cell: u8,
}

/// The cells of one layer of the world that are still to draw.
#[derive(Default)]
pub(super) struct Turns {
    seed: u64,
    /// The turns, in buckets by the highest byte of their order; there are no buckets before the
    /// first cell is added. Each bucket is sorted when its first cell is due, so no step sorts a
    /// whole layer.
    buckets: Vec<Vec<Turn>>,
    filled: LayerMask,
    /// The bucket that is sorted, last turn first.
    sorted: Option<usize>,
    /// Whether the cells that are not the first of their row are added now, instead of the first
    /// cells.
    is_late: bool,
    /// Whether any cells that are not the first of their row have been left for later.
    left_out: bool,
}

/// Returns the column of a cell as one number.
fn column(position: IVec3) -> u64 {
    u64::from(position.x as u32) | u64::from(position.z as u32) << 32
}

impl Turns {
    /// Begins a layer. Two cells of a layer never have the same place in the order, since [`mix`]
    /// is a bijection of its second argument.
    pub(super) fn begin(&mut self, seed: u64) {
        self.clear();
        self.seed = seed;
        (self.is_late, self.left_out) = (false, false);
    }

    /// Begins to take the cells that are not the first of their row, after the turns of the first
    /// cells. Returns `false` if no cells have been left for later. All cells that still draw must
    /// be added once more.
    pub(super) fn begin_late(&mut self) -> bool {
        self.is_late = true;
        core::mem::take(&mut self.left_out)
    }

    /// Adds the cells of `cells` that take their turns now. They are in a layer of a chunk that has
    /// its first cell at `origin`. No cell may be added that comes before a cell that
    /// [`next`](Turns::next) has returned. Returns the number of cells added.
    pub(super) fn push(&mut self, layer: u32, cells: LayerMask, origin: IVec3) -> usize {
        let first = self.first_of_rows(cells, origin);
        let due = if self.is_late { cells - first } else { cells & first };
        self.left_out |= !self.is_late && due != cells;
        for cell in due.iter() {
            let position = origin + IVec3::new(cell as i32 & 15, 0, cell as i32 >> 4);
            self.push_cell(layer, cell, mix(self.seed, column(position)));
        }
        due.count() as usize
    }

    fn push_cell(&mut self, layer: u32, cell: usize, order: u64) {
        if self.buckets.is_empty() {
            self.buckets.resize_with(256, Vec::new);
        }
        let bucket = (order >> 56) as usize;
        self.filled.insert(bucket);
        self.buckets[bucket].push(Turn { order, layer, cell: cell as u8 });
    }

    /// Returns the first cell of each row in which there are `cells`. The first cell need not be
    /// one of `cells`.
    fn first_of_rows(&self, cells: LayerMask, origin: IVec3) -> LayerMask {
        let seed = mix(self.seed, u64::MAX);
        let rows = (0..16).filter(|&row| cells.row(row) != 0);
        let first = |row: usize| mix(seed, column(origin + IVec3::Z * row as i32)) >> 60;
        rows.map(|row| 16 * row + first(row) as usize).collect()
    }

    /// Removes the next cell in order, and returns it with its layer; `None` if no cell is left.
    /// Cells for which `takes_turn` is false when their bucket is sorted are dropped.
    #[inline]
    pub(super) fn next(
        &mut self,
        takes_turn: impl FnMut(u32, usize) -> bool,
    ) -> Option<(u32, usize)> {
        let bucket = match self.sorted {
            Some(bucket) => bucket,
            None => self.sort_next(takes_turn)?,
        };
        let turn = self.buckets[bucket].pop();
        if self.buckets[bucket].is_empty() {
            self.sorted = None;
        }
        turn.map(|turn| (turn.layer, usize::from(turn.cell)))
    }

    /// Returns whether the next cells have been sorted.
    pub(super) fn has_sorted(&self) -> bool {
        self.sorted.is_some()
    }

    /// Sorts the first bucket with cells that take turns. Returns its number.
    fn sort_next(&mut self, mut takes_turn: impl FnMut(u32, usize) -> bool) -> Option<usize> {
        while let Some(first) = self.filled.iter().next() {
            self.filled.remove(first);
            let bucket = &mut self.buckets[first];
            bucket.retain(|turn| takes_turn(turn.layer, usize::from(turn.cell)));
            if !bucket.is_empty() {
                bucket.sort_unstable_by_key(|turn| Reverse(turn.order));
                self.sorted = Some(first);
                return self.sorted;
            }
        }
        None
    }

    /// Removes all cells.
    pub(super) fn clear(&mut self) {
        for bucket in core::mem::take(&mut self.filled).iter().chain(self.sorted.take()) {
            self.buckets[bucket].clear();
        }
    }

    /// Frees buffers of more than `most` cells, or all buffers if `most` is 0.
    pub(super) fn shrink(&mut self, most: usize) {
        if most == 0 {
            *self = Turns::default();
        }
        self.buckets.iter_mut().for_each(|bucket| bucket.shrink_to(most));
    }

    /// Returns the bytes held.
    pub(super) fn memory_bytes(&self) -> usize {
        let bytes = |bucket: &Vec<Turn>| bucket.capacity() * size_of::<Turn>();
        self.buckets.capacity() * size_of::<Vec<Turn>>()
            + self.buckets.iter().map(bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any subset of the cells comes in the order of the whole set, without repetition.
    #[test]
    fn the_order_of_two_cells_does_not_depend_on_the_others() {
        // 40 chunks in a row.
        for (seed, count) in [(0, 2_000), (1, 2_000), (2, 2_000), (3, 10_000)] {
            let served = |cells: &[usize]| -> Vec<usize> {
                let mut turns = Turns::default();
                turns.begin(seed);
                let mut served = Vec::new();
                loop {
                    for layer in 0..40 {
                        let here = cells.iter().filter(|&at| at / 256 == layer);
                        let here: LayerMask = here.map(|at| at % 256).collect();
                        turns.push(layer as u32, here, IVec3::new(16 * layer as i32 - 64, 5, -16));
                    }
                    while let Some((layer, cell)) = turns.next(|_, _| true) {
                        served.push(layer as usize * 256 + cell);
                    }
                    if !turns.begin_late() {
                        return served;
                    }
                }
            };
            let mut cells: Vec<usize> = (0..count).collect();
            let all = served(&cells);
            assert_eq!(all.len(), count, "seed {seed}");
            assert!(!all.is_sorted(), "seed {seed}");
            if count > 4096 {
                continue;
            }
            let mut shuffler = fastrand::Rng::with_seed(seed);
            shuffler.shuffle(&mut cells);
            let expected: Vec<usize> =
                all.iter().copied().filter(|at| cells[..300].contains(at)).collect();
            assert_eq!(served(&cells[..300]), expected, "seed {seed}");
        }
    }
}
