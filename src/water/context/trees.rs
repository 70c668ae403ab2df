//! The trees of flows met in a tick, and the path that is being searched: parents do not change
//! before the ebb, so they form one forest for the whole tick. Kept from search to search for their
//! buffers.

use crate::coords::Face;
use crate::grid::Slot;
use crate::water::store::parents::Met;
use crate::water::store::{LAYER_CELLS, Place};

/// Cells of a path for which there is room from one tick to the next.
const BUFFER: usize = 1 << 12;

/// The roots of the flows met in this tick, and buffers for searches.
#[derive(Default)]
pub(crate) struct Trees {
    pub(crate) roots: Vec<Place>,
    pub(crate) walked: Vec<Place>,
    pub(crate) path: Path,
    /// Whether a draw has brought a cell to what it may pass on in the tick, since this was last
    /// put back.
    pub(crate) spent: bool,
}

impl Trees {
    /// Forgets the last tick. Long buffers go back to the system.
    pub(crate) fn begin(&mut self) {
        self.roots.clear();
        self.roots.shrink_to(BUFFER);
        self.walked.clear();
        self.walked.shrink_to(BUFFER);
        self.path.cells.clear();
        self.path.cells.shrink_to(BUFFER);
        self.spent = false;
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.roots.capacity() + self.walked.capacity()) * size_of::<Place>()
            + self.path.cells.capacity() * size_of::<PathCell>()
            + self.path.forks.capacity() * size_of::<Fork>()
    }
}

/// A cell of a path, the face that it passes water on across, and the units that it still may.
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

    /// The layer that it lies in.
    pub(crate) fn layer(&self) -> (Slot, usize) {
        (self.slot, usize::from(self.index) / LAYER_CELLS)
    }

    /// Its place in that.
    pub(crate) fn cell(&self) -> usize {
        usize::from(self.index) % LAYER_CELLS
    }
}

/// A path up as far as it has been searched.
#[derive(Default)]
pub(crate) struct Path {
    /// From the cell that was asked first up.
    pub(crate) cells: Vec<PathCell>,
    /// Where it may go on otherwise.
    pub(crate) forks: Vec<Fork>,
    /// Cells all of whose ways were tried and led to heads with nothing to give.
    pub(crate) fruitless: Option<Box<Met>>,
}

/// Where a search may take another way.
pub(crate) struct Fork {
    /// Cells of the path up to here.
    pub(crate) length: usize,
    /// The faces not tried yet, by bit.
    pub(crate) ways: u8,
    /// Whether a way tried ended at a head with nothing to give, so that the cell is not exhausted
    /// for everyone.
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
            trees.walked.resize(length, Place::NONE);
            trees
                .path
                .cells
                .resize(length, PathCell { slot: Slot::NONE, index: 0, exit: Face::Up, left: 0 });
            let kept = if length == 100 { 100..=length } else { 0..=BUFFER };
            trees.begin();
            assert!(
                trees.roots.is_empty()
                    && trees.walked.is_empty()
                    && trees.path.cells.is_empty()
                    && !trees.spent
            );
            for capacity in
                [trees.roots.capacity(), trees.walked.capacity(), trees.path.cells.capacity()]
            {
                assert!(kept.contains(&capacity), "{capacity} after {length}");
            }
        }
    }
}
