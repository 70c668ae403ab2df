//! The trees of flows found in a tick. Parents change during a tick only so that the height of
//! their springs stays, so the trees answer for the whole tick what lies within reach. The buffers
//! are kept between searches. A search that the budget interrupts is kept too: the next piece of the
//! tick resumes it before it begins another.

use crate::chunk::LayerMask;
use crate::grid::Slot;
use crate::water::store::Place;
use hashbrown::HashMap;

/// Buffers longer than this many cells are freed between ticks.
const BUFFER: usize = 1 << 12;

/// The roots and forks that the labels of this tick lead to, and a buffer for the way to them.
#[derive(Default)]
pub(crate) struct Trees {
    pub(crate) tops: Vec<Place>,
    /// The cells without a label on the way up from the first of them.
    pub(crate) walked: Vec<Place>,
    pub(crate) forks: Forks,
    /// The search for springs underway.
    pub(crate) springs: Option<SpringSearch>,
    /// The cells of a layer of which it is being found out whether springs feed them.
    pub(crate) supplied: Option<Supplied>,
}

impl Trees {
    /// Forgets the last tick, and frees long buffers.
    pub(crate) fn begin(&mut self) {
        (self.forks, self.springs, self.supplied) = (Forks::default(), None, None);
        for buffer in [&mut self.tops, &mut self.walked] {
            buffer.clear();
            buffer.shrink_to(BUFFER);
        }
    }

    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.tops.capacity() + self.walked.capacity()) * size_of::<Place>()
    }
}

/// A search for the springs that feed a cell: for one at `y` or higher, and if there is none, for
/// any.
pub(crate) struct SpringSearch {
    place: Place,
    y: i32,
    pub(crate) is_for_any: bool,
    /// Cells still to be visited, as a stack, each with the number of forks on the path to it.
    pub(crate) open: Vec<(Place, usize)>,
    /// The forks on the path to the cell visited last, and what was known of them before.
    pub(crate) path: Vec<(Place, Highest)>,
}

impl SpringSearch {
    pub(crate) fn new(place: Place, y: i32) -> Self {
        SpringSearch { place, y, is_for_any: false, open: vec![(place, 0)], path: Vec::new() }
    }

    /// Returns whether this is the search for a cell and a height.
    pub(crate) fn is_for(&self, place: Place, y: i32) -> bool {
        (self.place, self.y) == (place, y)
    }

    /// Begins again, for a spring of any height. What was found out of the forks stays true.
    pub(crate) fn begin_for_any(&mut self) {
        self.is_for_any = true;
        self.open.push((self.place, 0));
        self.path.clear();
    }
}

/// The cells of a layer that springs feed, as far as that is known, by two bounds on the height of
/// the springs.
pub(crate) struct Supplied {
    pub(crate) layer: (Slot, usize),
    pub(crate) cells: LayerMask,
    pub(crate) found: [LayerMask; 2],
    /// The cells of which it is not known yet.
    pub(crate) left: [LayerMask; 2],
}

impl Supplied {
    pub(crate) fn new(layer: (Slot, usize), cells: LayerMask) -> Self {
        Supplied { layer, cells, found: [LayerMask::NONE; 2], left: [cells; 2] }
    }

    /// Returns whether these are cells of a layer.
    pub(crate) fn is_for(&self, layer: (Slot, usize), cells: LayerMask) -> bool {
        (self.layer, self.cells) == (layer, cells)
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
    /// Records the height of a spring that a search found, for the forks on the path to it. Above
    /// the other forks that it visited there is none so high: a depth-first search leaves a fork
    /// when all above it has been visited.
    pub(crate) fn found(&mut self, height: i32, path: Vec<(Place, Highest)>) {
        for (fork, known) in path {
            let at_least = known.at_least.max(Some(height));
            self.highest.insert(fork, Highest { at_least, ..known });
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
            trees.tops.resize(length, Place::NONE);
            trees.walked.resize(length, Place::NONE);
            let kept = if length == 100 { 100..=length } else { 0..=BUFFER };
            trees.begin();
            assert!(trees.tops.is_empty() && trees.walked.is_empty());
            for capacity in [trees.tops.capacity(), trees.walked.capacity()] {
                assert!(kept.contains(&capacity), "{capacity} after {length}");
            }
        }
    }
}
