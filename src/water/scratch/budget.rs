//! The budget of a piece of a tick, in cells, and what is charged to later pieces.

use crate::chunk::LAYER_CELLS;

/// The cells charged for freeing the record of a chunk.
pub(crate) const CHUNK_COST: usize = 4;

/// Cells that have been visited and are still to be charged to budgets.
#[derive(Default)]
pub(crate) struct Debt(usize);

impl Debt {
    /// Adds cells that have been visited.
    pub(crate) fn add(&mut self, cells: usize) {
        self.0 += cells;
    }

    /// Charges the cells to a budget, as far as it goes. Returns whether any of the budget
    /// is left.
    #[inline]
    pub(crate) fn pay(&mut self, budget: &mut Budget) -> bool {
        let paid = self.0.min(budget.left());
        self.0 -= paid;
        budget.spend(paid);
        !budget.is_spent()
    }
}

/// The cells that a piece of a tick may still visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    cells: usize,
    left: usize,
}

impl Budget {
    /// Returns a budget of `cells`.
    pub(crate) fn new(cells: usize) -> Self {
        Budget { cells, left: cells }
    }

    /// Returns the budget of one piece: 256, the cells of a layer of a chunk.
    pub(crate) fn of_a_piece() -> Self {
        Budget::new(LAYER_CELLS)
    }

    /// Charges `cells` to the budget, or the rest if that is less. Returns whether any cells were
    /// left before.
    #[inline]
    pub(crate) fn spend(&mut self, cells: usize) -> bool {
        let may = self.left > 0;
        self.left = self.left.saturating_sub(cells);
        may
    }

    /// Returns the cells that are left.
    #[inline]
    pub(crate) fn left(self) -> usize {
        self.left
    }

    /// Returns whether the budget is spent.
    #[inline]
    pub(crate) fn is_spent(self) -> bool {
        self.left == 0
    }

    /// Returns the cells that were charged.
    pub(crate) fn spent(self) -> u64 {
        (self.cells - self.left) as u64
    }
}
