//! The trees of flows found in a tick. Parents change during a tick only so that the height of
//! their springs stays, so the trees answer for the whole tick what lies within reach. The buffers
//! are kept between searches.

use crate::water::store::Place;
use hashbrown::HashMap;

/// Buffers longer than this many cells are freed between ticks.
const BUFFER: usize = 1 << 12;

/// The roots of the flows found in this tick, and a buffer for the way to them.
#[derive(Default)]
pub(crate) struct Trees {
    pub(crate) roots: Vec<Place>,
    pub(crate) walked: Vec<Place>,
    pub(crate) forks: Forks,
}

impl Trees {
    /// Forgets the last tick, and frees long buffers.
    pub(crate) fn begin(&mut self) {
        self.forks = Forks::default();
        for buffer in [&mut self.roots, &mut self.walked] {
            buffer.clear();
            buffer.shrink_to(BUFFER);
        }
    }

    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.roots.capacity() + self.walked.capacity()) * size_of::<Place>()
    }
}

/// Cached bounds on the springs that feed forks, the cells with several parents. Valid for the
/// whole tick, see above.
#[derive(Default)]
pub(crate) struct Forks {
    pub(crate) highest: HashMap<Place, Highest>,
}

/// Bounds on the height of the highest spring that feeds a fork.
#[derive(Clone, Copy, Default)]
pub(crate) struct Highest {
    pub(crate) at_least: Option<i32>,
    pub(crate) below: Option<i32>,
}

impl Forks {
    /// Records the height of a spring that a search found, and restores the former bounds of the
    /// forks it visited. Only the first fork is certain to be fed by the spring: all paths searched
    /// lead through it.
    pub(crate) fn found(&mut self, height: i32, visited: Vec<(Place, Highest)>) {
        for (number, (fork, mut known)) in visited.into_iter().enumerate() {
            if number == 0 {
                known.at_least = known.at_least.max(Some(height));
            }
            self.highest.insert(fork, known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_begin_empty_and_only_long_ones_go_back() {
        let mut trees = Trees::default();
        for length in [100, 10_000] {
            trees.roots.resize(length, Place::NONE);
            trees.walked.resize(length, Place::NONE);
            let kept = if length == 100 { 100..=length } else { 0..=BUFFER };
            trees.begin();
            assert!(trees.roots.is_empty() && trees.walked.is_empty());
            for capacity in [trees.roots.capacity(), trees.walked.capacity()] {
                assert!(kept.contains(&capacity), "{capacity} after {length}");
            }
        }
    }
}
