//! The trees of flows found in a tick, and the path being searched. Parents do not change before
//! the ebb, so the trees stay valid for the whole tick. The buffers are kept between searches.

use crate::chunk::LAYER_CELLS;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::store::Place;
use crate::water::store::parents::Met;

/// Buffers longer than this many cells are freed between ticks.
const BUFFER: usize = 1 << 12;

/// The roots of the flows found in this tick, and buffers for searches.
#[derive(Default)]
pub(crate) struct Trees {
    pub(crate) roots: Vec<Place>,
    pub(crate) path: Path,
    /// Whether a draw has exhausted a cell since this was last cleared.
    pub(crate) spent: bool,
}

impl Trees {
    /// Forgets the last tick, and frees long buffers.
    pub(crate) fn begin(&mut self) {
        self.roots.clear();
        self.roots.shrink_to(BUFFER);
        self.path.cells.clear();
        self.path.cells.shrink_to(BUFFER);
        self.spent = false;
    }

    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.roots.capacity() * size_of::<Place>()
            + self.path.cells.capacity() * size_of::<PathCell>()
            + self.path.forks.capacity() * size_of::<Fork>()
    }
}

/// A cell of a path, the face through which it passes water on, and the units it may still pass.
#[derive(Clone, Copy)]
pub(crate) struct PathCell {
    pub(crate) slot: Slot,
    pub(crate) index: u16,
    pub(crate) exit: Face,
    pub(crate) left: u8,
}

impl PathCell {
    pub(crate) fn place(&self) -> Place {
        Place::new(self.slot, usize::from(self.index))
    }

    /// Returns its chunk and layer.
    pub(crate) fn layer(&self) -> (Slot, usize) {
        (self.slot, usize::from(self.index) / LAYER_CELLS)
    }

    /// Returns its index within the layer.
    pub(crate) fn cell(&self) -> usize {
        usize::from(self.index) % LAYER_CELLS
    }
}

/// A path towards the root, as far as it has been searched.
#[derive(Default)]
pub(crate) struct Path {
    /// From the cell where the search began, upwards.
    pub(crate) cells: Vec<PathCell>,
    /// Where other parents are still untried.
    pub(crate) forks: Vec<Fork>,
    /// Cells all of whose paths were tried and led to roots with nothing to give.
    pub(crate) fruitless: Option<Box<Met>>,
}

/// A cell of a path with several parents.
pub(crate) struct Fork {
    /// Length of the path up to and including it.
    pub(crate) length: usize,
    /// The faces not tried yet, by bit.
    pub(crate) untried: u8,
    /// Whether a path tried ended at a root with nothing to give, so that the cell itself is not
    /// exhausted.
    pub(crate) nothing: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_begin_empty_and_only_long_ones_go_back() {
        let mut trees = Trees { spent: true, ..Trees::default() };
        for length in [100, 10_000] {
            trees.roots.resize(length, Place::NONE);
            trees
                .path
                .cells
                .resize(length, PathCell { slot: Slot::NONE, index: 0, exit: Face::Up, left: 0 });
            let kept = if length == 100 { 100..=length } else { 0..=BUFFER };
            trees.begin();
            assert!(trees.roots.is_empty() && trees.path.cells.is_empty() && !trees.spent);
            for capacity in [trees.roots.capacity(), trees.path.cells.capacity()] {
                assert!(kept.contains(&capacity), "{capacity} after {length}");
            }
        }
    }
}
