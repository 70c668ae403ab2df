//! Levelling: the bodies with something awake or moving are walked through, and a pass is made over
//! each that is not level.
//!
//! What is done in a tick follows from seed, tick and water alone. A body that is not level has an
//! awake cell, so none is missed; others that are walked through are left as they are. A large body
//! in which water flows waits for a tick that is drawn for its size. The passes come in the order of
//! a hash.

use crate::chunk::LayerMask;
use crate::grid::Slot;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::Pools;
use crate::water::pools::layer::Levels;
use crate::water::pools::walk::{Extent, Walk};
use crate::water::store::{LAYER_ROWS, Place};
use core::cmp::Reverse;
use core::ops::Range;

/// Bodies of so many pieces are levelled in each tick; those of twice as many, while water flows in
/// them, in every second one by chance, and so on.
const IN_EACH_TICK: usize = 512;

/// What is known of a body is kept if it has more pieces: others are walked through in less time
/// than it takes to keep it.
const SMALL: usize = 8;

/// The difference of levels at which water moves in a body.
pub(crate) const STEP: i64 = 2;

/// How far a tick's levelling has come.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Not begun.
    #[default]
    Rest,
    /// What is known follows the water.
    Refresh,
    /// Bodies that are not level are found.
    Find,
    /// Passes are made over them.
    Pass,
}

impl Context<'_> {
    /// Finds the bodies that are not level. Returns the cells charged; `None` if that is done.
    pub(crate) fn find_bodies(&mut self, pools: &mut Pools) -> Option<u64> {
        let mut budget = Budget::of_a_piece();
        while pools.pays(&mut budget) {
            match pools.stage {
                Stage::Rest => {
                    pools.walk.begin(false);
                    pools.stage = Stage::Refresh;
                }
                Stage::Refresh => match self.store.next_news() {
                    Some((slot, marks)) => {
                        let looked =
                            pools.labels.refresh(self, slot, marks.levels, marks.structure);
                        pools.debt += 1 + LAYER_ROWS * looked;
                    }
                    None => pools.stage = Stage::Find,
                },
                Stage::Find => match self.work.next_in_sweep() {
                    Some((slot, layer)) => {
                        pools.debt += 1;
                        self.find_in(pools, slot, layer);
                    }
                    None => {
                        let key = |&(key, place): &(u64, Place)| {
                            Reverse((key, self.store.position(place).to_array()))
                        };
                        pools.unlevel.sort_by_cached_key(key);
                        pools.stage = Stage::Pass;
                        break;
                    }
                },
                Stage::Pass => break,
            }
        }
        (budget.spent() > 0).then(|| budget.spent())
    }

    /// Levels the bodies that were found. Returns the cells charged; `None` if that is done.
    pub(crate) fn level_bodies(&mut self, pools: &mut Pools) -> Option<u64> {
        let mut budget = Budget::of_a_piece();
        while pools.pays(&mut budget) {
            if pools.stage != Stage::Pass {
                break;
            }
            match pools.unlevel.pop() {
                Some((_, place)) => self.level_body(pools, place),
                None => {
                    let is_quiet = self.work.schedule.members().is_empty();
                    pools.end(is_quiet);
                }
            }
        }
        (budget.spent() > 0).then(|| budget.spent())
    }

    /// Walks through the bodies of a layer in which something is awake or has moved, but for those
    /// that are known to be level.
    fn find_in(&mut self, pools: &mut Pools, slot: Slot, layer: usize) {
        let touched = self.touched(slot, layer);
        let cells = (touched | self.awake(slot, layer)) & self.store.layer(slot, layer).wet;
        if cells.is_empty() {
            return;
        }
        let cells = cells - pools.labels.level_cells(slot, layer);
        if cells.is_empty() {
            return;
        }
        let index = pools.walk.enter(self, slot, layer);
        let mut cells = cells & pools.walk.layer(index).supported;
        while let Some(cell) = cells.iter().next() {
            if pools.walk.piece_at(index, cell).is_none() {
                self.judge(pools, (index, cell));
            }
            let piece = pools.walk.piece_at(index, cell);
            let of_piece = piece.map_or(LayerMask::NONE, |at| pools.walk.pieces[at as usize].cells);
            cells -= of_piece | LayerMask::single(cell);
        }
    }

    /// Walks through the body of a cell, and notes it if it is not level.
    fn judge(&mut self, pools: &mut Pools, from: (u32, usize)) {
        let most = IN_EACH_TICK << self.work.random().trailing_zeros().min(40);
        let (body, extent) = pools.walk.explore(self, from, most);
        pools.debt += LAYER_ROWS * body.len();
        if extent == Extent::Larger {
            return;
        }
        let levels = pools.walk.levels(self, body.clone());
        if levels.differ_by(STEP) {
            pools.unlevel.extend(pools.walk.anchor(self, body));
        } else if body.len() > SMALL {
            pools.keep(body, levels);
        }
    }

    /// Makes a pass over the body of a cell, if it still is of one.
    fn level_body(&mut self, pools: &mut Pools, place: Place) {
        let walk = &mut pools.walk;
        walk.begin(true);
        let layer = walk.enter(self, place.slot, place.layer());
        if !walk.layer(layer).supported.contains(place.cell()) {
            return;
        }
        let (body, _) = walk.explore(self, (layer, place.cell()), usize::MAX);
        pools.debt += LAYER_ROWS * body.len();
        let levels = walk.levels(self, body);
        if levels.differ_by(STEP) && self.pass_over(walk, levels) == 0 {
            self.wake_cell(place);
        }
    }
}

impl Pools {
    /// Keeps that a body lies within these levels.
    fn keep(&mut self, body: Range<usize>, levels: Levels) {
        let walk = &self.walk;
        let pieces = walk.pieces[body].iter().map(|piece| {
            let layer = walk.layer(piece.layer);
            (layer.slot, layer.layer, &piece.cells)
        });
        self.labels.add(pieces, levels);
    }

    /// Ends the levelling of a tick; of one in which nothing is awake, it frees what it worked with.
    fn end(&mut self, is_quiet: bool) {
        self.walk.begin(false);
        self.unlevel = Vec::new();
        self.stage = Stage::Rest;
        if is_quiet {
            self.walk = Walk::default();
        }
    }

    /// Charges to the budget what was done at once. Returns whether any of it is left.
    fn pays(&mut self, budget: &mut Budget) -> bool {
        let paid = self.debt.min(budget.left());
        self.debt -= paid;
        budget.spend(paid);
        !budget.is_spent()
    }
}
