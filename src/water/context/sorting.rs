//! The chunks of a tick, sorted in pieces: bottom-up merge sort over runs that are sorted at once.

use crate::grid::Slot;
use crate::water::context::budget::Budget;

/// Chunks of a run, which is sorted at once.
const RUN: usize = 256;

/// Chunks that count as one cell when they are copied from run to run; such a copy takes
/// nanoseconds.
const MERGED_FOR_A_CELL: usize = 8;

/// The same when their keys are found and a run is sorted.
const SORTED_FOR_A_CELL: usize = 2;

/// A list of chunks that is being sorted by a key.
pub(crate) struct Sorting<K> {
    /// Chunks without a key yet.
    left: Vec<Slot>,
    /// Chunks in sorted runs of `run`, the last of which may be shorter.
    runs: Vec<(K, Slot)>,
    run: usize,
    /// Chunks in runs of twice that, as far as they have been merged.
    merged: Vec<(K, Slot)>,
    /// The next chunks to be merged, of the two runs underway.
    next: [usize; 2],
    /// The sorted list, as far as it has been copied.
    sorted: Vec<Slot>,
}

impl<K: Copy + Ord> Sorting<K> {
    /// Returns whether a list is so short that it is sorted at once.
    pub(crate) fn is_short(chunks: &[Slot]) -> bool {
        chunks.len() <= RUN
    }

    /// Begins to sort chunks.
    pub(crate) fn new(chunks: Vec<Slot>) -> Self {
        Sorting {
            runs: Vec::with_capacity(chunks.len()),
            left: chunks,
            run: RUN,
            merged: Vec::new(),
            next: [0, RUN],
            sorted: Vec::new(),
        }
    }

    /// Goes on until the budget is spent. Returns the sorted list, once it is complete. Two chunks
    /// must not have the same key.
    pub(crate) fn advance(
        &mut self,
        key: impl Fn(Slot) -> K,
        budget: &mut Budget,
    ) -> Option<Vec<Slot>> {
        while !budget.is_spent() {
            if !self.left.is_empty() {
                budget.spend(self.sort_run(&key).div_ceil(SORTED_FOR_A_CELL));
            } else if self.run < self.runs.len() {
                let most = budget.left() * MERGED_FOR_A_CELL;
                budget.spend(self.merge(most).div_ceil(MERGED_FOR_A_CELL));
            } else if self.sorted.len() < self.runs.len() {
                let most = budget.left() * MERGED_FOR_A_CELL;
                let part = self.runs[self.sorted.len()..].iter().take(most).map(|&(_, slot)| slot);
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
    fn sort_run(&mut self, key: impl Fn(Slot) -> K) -> usize {
        let start = self.runs.len();
        let rest = self.left.len().saturating_sub(RUN);
        self.runs.extend(self.left.drain(rest..).map(|slot| (key(slot), slot)));
        self.runs[start..].sort_unstable_by_key(|&(key, _)| key);
        self.runs.len() - start
    }

    /// Merges up to `most` chunks of two runs. Returns how many.
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
            let (mut sorting, mut charged) = (Sorting::new(chunks), 0);
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
            let least = length / SORTED_FOR_A_CELL + passes * length / MERGED_FOR_A_CELL;
            assert!(charged >= least, "{length}: {charged} charged of {least}");
        }
    }
}
