//! The order in which the cells of one layer of the world draw: a random permutation over all
//! chunks, by a counter-based hash of each cell (bucket sort). A cell's turn does not depend on
//! which other cells draw, nor on the chunk that it lies in.

use crate::chunk::LayerMask;
use crate::grid::Slot;
use crate::water::random::mix;
use crate::water::store::Place;
use glam::IVec3;

/// A cell and its place in the order.
struct Turn {
    order: u64,
    slot: Slot,
    index: u16,
}

/// The cells of one layer of the world that are still to draw.
#[derive(Default)]
pub(super) struct Turns {
    seed: u64,
    /// By the highest byte of the order; none before the first cell. Each bucket is sorted when its
    /// first cell is due, so no step sorts a whole layer.
    buckets: Vec<Vec<Turn>>,
    filled: LayerMask,
    /// The bucket that is sorted, last turn first.
    sorted: Option<usize>,
}

impl Turns {
    /// Begins a layer. Two cells of a layer never have the same place in its order, since [`mix`]
    /// is a bijection of its second argument.
    pub(super) fn begin(&mut self, seed: u64) {
        self.clear();
        self.seed = seed;
    }

    /// Adds a cell of the layer, which lies at `position`. Must not be called after
    /// [`next`](Turns::next) for the same layer.
    #[inline]
    pub(super) fn push(&mut self, place: Place, position: IVec3) {
        let column = u64::from(position.x as u32) | u64::from(position.z as u32) << 32;
        let order = mix(self.seed, column);
        let bucket = (order >> 56) as usize;
        if self.buckets.is_empty() {
            self.buckets.resize_with(256, Vec::new);
        }
        self.filled.insert(bucket);
        self.buckets[bucket].push(Turn { order, slot: place.slot, index: place.index as u16 });
    }

    /// Removes and returns the cell whose turn is next.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Place> {
        let bucket = match self.sorted {
            Some(bucket) => bucket,
            None => self.sort_first()?,
        };
        let turn = self.buckets[bucket].pop();
        if self.buckets[bucket].is_empty() {
            self.filled.remove(bucket);
            self.sorted = None;
        }
        turn.map(|turn| Place::new(turn.slot, usize::from(turn.index)))
    }

    /// Sorts the first bucket that is not empty, and returns its number.
    fn sort_first(&mut self) -> Option<usize> {
        let bucket = self.filled.iter().next()?;
        self.buckets[bucket].sort_unstable_by_key(|turn| core::cmp::Reverse(turn.order));
        self.sorted = Some(bucket);
        self.sorted
    }

    /// Removes all cells.
    pub(super) fn clear(&mut self) {
        for bucket in core::mem::take(&mut self.filled).iter() {
            self.buckets[bucket].clear();
        }
        self.sorted = None;
    }

    /// Frees buffers of more than `most` cells; all of them if `most` is 0.
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

    /// The cells of any subset keep the order that they have among all; each is served once.
    #[test]
    fn the_order_of_two_cells_does_not_depend_on_the_others() {
        let mut random = fastrand::Rng::with_seed(1);
        let cell = |at: usize| {
            let place = Place::new(Slot::NONE, at);
            (place, IVec3::new(at as i32 % 50 - 20, 3, at as i32 / 50 - 7))
        };
        for seed in 0..20 {
            let served = |cells: &[usize]| {
                let mut turns = Turns::default();
                turns.begin(seed);
                cells.iter().map(|&at| cell(at)).for_each(|(place, at)| turns.push(place, at));
                core::iter::from_fn(|| turns.next()).map(|place| place.index).collect::<Vec<_>>()
            };
            let mut cells: Vec<usize> = (0..2_000).collect();
            let all = served(&cells);
            assert_eq!(all.len(), 2_000, "seed {seed}");
            random.shuffle(&mut cells);
            let some = served(&cells[..300]);
            let expected: Vec<usize> =
                all.iter().copied().filter(|at| cells[..300].contains(at)).collect();
            assert_eq!(some, expected, "seed {seed}");
            assert!(!all.is_sorted(), "seed {seed}");
        }
    }
}
