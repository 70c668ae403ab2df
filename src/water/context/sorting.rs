//! Lists of chunks, bodies and losses, sorted in pieces: bottom-up merge sort over runs that are
//! sorted at once.

use crate::water::context::budget::Budget;

/// Items of a run, which is sorted at once.
const RUN: usize = 256;

/// Items that count as one cell when they are copied from run to run; such a copy takes
/// nanoseconds.
const MERGED_FOR_A_CELL: usize = 8;

/// The same when their keys are found and a run is sorted.
const SORTED_FOR_A_CELL: usize = 2;

/// A list that is being sorted by a key.
pub(crate) struct Sorting<K, T> {
    /// Items without a key yet.
    left: Vec<T>,
    /// Items in sorted runs of `run`, the last of which may be shorter.
    runs: Vec<(K, T)>,
    run: usize,
    /// Items in runs of twice that, as far as they have been merged.
    merged: Vec<(K, T)>,
    /// The next items to be merged, of the two runs underway.
    next: [usize; 2],
    /// The sorted list, as far as it has been copied.
    sorted: Vec<T>,
}

impl<K: Copy + Ord, T: Copy> Sorting<K, T> {
    /// Begins to sort a list, of which one that is not sorted in slices is one run.
    pub(crate) fn new(list: Vec<T>, is_in_slices: bool) -> Self {
        let run = if is_in_slices { RUN } else { list.len().max(1) };
        Sorting {
            runs: Vec::with_capacity(list.len()),
            left: list,
            run,
            merged: Vec::new(),
            next: [0, run],
            sorted: Vec::new(),
        }
    }

    /// Goes on until the budget is spent. Returns the sorted list, once it is complete. Items of
    /// the same key must be equal.
    pub(crate) fn advance(&mut self, key: impl Fn(T) -> K, budget: &mut Budget) -> Option<Vec<T>> {
        while !budget.is_spent() {
            if !self.left.is_empty() {
                budget.spend(self.sort_run(&key).div_ceil(SORTED_FOR_A_CELL));
            } else if self.run < self.runs.len() {
                let most = budget.left() * MERGED_FOR_A_CELL;
                budget.spend(self.merge(most).div_ceil(MERGED_FOR_A_CELL));
            } else if self.sorted.len() < self.runs.len() {
                let most = budget.left() * MERGED_FOR_A_CELL;
                let part = self.runs[self.sorted.len()..].iter().take(most).map(|&(_, item)| item);
                let before = self.sorted.len();
                self.sorted.extend(part);
                budget.spend((self.sorted.len() - before).div_ceil(MERGED_FOR_A_CELL));
            } else {
                return Some(core::mem::take(&mut self.sorted));
            }
        }
        None
    }

    /// Sorts the next run. Returns its length.
    fn sort_run(&mut self, key: impl Fn(T) -> K) -> usize {
        let start = self.runs.len();
        let rest = self.left.len().saturating_sub(self.run);
        self.runs.extend(self.left.drain(rest..).map(|item| (key(item), item)));
        self.runs[start..].sort_unstable_by_key(|&(key, _)| key);
        self.runs.len() - start
    }

    /// Merges up to `most` items of two runs. Returns how many.
    fn merge(&mut self, most: usize) -> usize {
        if self.merged.is_empty() {
            self.merged.reserve_exact(self.runs.len());
        }
        let (before, total) = (self.merged.len(), self.runs.len());
        let begin = before / (2 * self.run) * (2 * self.run);
        let middle = (begin + self.run).min(total);
        let end = (middle + self.run).min(total);
        let [mut one, mut other] = self.next;
        for _ in 0..most.min(end - before) {
            let takes_one = one < middle && (other == end || self.runs[one].0 < self.runs[other].0);
            let from = if takes_one { &mut one } else { &mut other };
            self.merged.push(self.runs[*from]);
            *from += 1;
        }
        self.next = [one, other];
        if self.merged.len() == end {
            self.next = [end, (end + self.run).min(total)];
        }
        let count = self.merged.len() - before;
        if self.merged.len() == total {
            core::mem::swap(&mut self.runs, &mut self.merged);
            self.merged.clear();
            self.run *= 2;
            self.next = [0, self.run.min(total)];
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::grid::Slot;
    use crate::water::rules::Edges;
    use crate::water::store::Store;
    use crate::water::voxel::Voxel;
    use glam::IVec3;

    /// The list equals that of a plain sort, whatever the budgets; each piece is charged, and no
    /// more than so many chunks are moved for a cell.
    #[test]
    fn pieces_sort_as_a_sort_at_once_does() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for at in 0..3_000 {
            store.insert(IVec3::new(at, 0, 0), Chunk::uniform(Voxel::OPEN));
        }
        let all = store.grid().sorted_slots();
        for length in [0, 1, 2, 255, 256, 257, 511, 513, 767, 1_024, 1_500, 3_000] {
            let mut chunks = all[..length].to_vec();
            random.shuffle(&mut chunks);
            let seed = random.u64(..);
            let key = |slot: Slot| crate::water::random::mix(seed, slot.index() as u64);
            let mut expected = chunks.clone();
            expected.sort_by_key(|&slot| key(slot));
            let (mut sorting, mut charged) = (Sorting::new(chunks, true), 0);
            let sorted = loop {
                let mut budget = Budget::new(random.usize(1..300));
                let sorted = sorting.advance(key, &mut budget);
                charged += budget.spent() as usize;
                match sorted {
                    Some(sorted) => break sorted,
                    None => assert!(budget.is_spent(), "{length}"),
                }
            };
            assert_eq!(sorted, expected, "{length}");
            // A pass over all for each time that the runs double, and one that copies them.
            let passes = length.div_ceil(RUN).next_power_of_two().trailing_zeros() as usize + 1;
            // A run that is sorted with less left takes that.
            let least = length.div_ceil(RUN) + passes * length / MERGED_FOR_A_CELL;
            assert!(charged >= least, "{length}: {charged} charged of {least}");
        }
    }
}
