//! Water that a spring has lifted and cannot lift any more: the spring is gone, and another one that
//! lies no higher feeds the cells below. What hangs on a parent that changes is awake in the next
//! tick, so only awake cells are asked, before anything moves in it.

use crate::coords::Face;
use crate::grid::Slot;
use crate::water::context::Tick;
use crate::water::context::budget::Budget;
use crate::water::store::parents::with_parents;
use crate::water::store::{LAYER_ROWS, Place};

/// The search for such cells, layer by layer.
#[derive(Default)]
pub(crate) struct Unlifted {
    /// The layers that were searched, counted over the chunks of the tick.
    searched: usize,
    /// What was found.
    places: Vec<Place>,
}

impl Tick<'_> {
    /// Begins the search.
    pub(crate) fn begin_lift(&mut self) {
        self.scratch.unlifted.places.clear();
        let all = 16 * self.scratch.schedule.members().len();
        self.scratch.unlifted.searched = if self.store.take_rerouted() { 0 } else { all };
    }

    /// Searches the next layers for awake cells with a parent below them whose spring lies no
    /// higher than they do. Returns the cells looked at; `None` if all are searched.
    pub(crate) fn find_unlifted(&mut self) -> Option<u64> {
        let mut budget = Budget::of_a_piece();
        while !budget.is_spent() {
            let at = self.scratch.unlifted.searched;
            let Some(&slot) = self.scratch.schedule.members().get(at / 16) else { break };
            budget.spend(self.find_unlifted_in(slot, at % 16));
            self.scratch.unlifted.searched += 1;
        }
        (budget.spent() > 0).then(|| budget.spent())
    }

    /// Searches a layer. Returns the cells looked at.
    fn find_unlifted_in(&mut self, slot: Slot, layer: usize) -> usize {
        let connected = self.awake(slot, layer) & self.store.connected(slot, layer);
        if connected.is_empty() {
            return 1;
        }
        let mut looked = LAYER_ROWS;
        let [_, _, pressed, ..] = self.store.parent_planes(slot, layer);
        for cell in (connected & pressed).iter() {
            let place = Place::in_layer(slot, layer, cell);
            let below = self.store.step(place, Face::Down);
            let (spring, cells) = self.store.spring_height_over(below);
            looked += cells;
            if spring.is_some_and(|y| y <= self.store.layer_y(slot, layer)) {
                self.scratch.unlifted.places.push(place);
            }
        }
        looked
    }

    /// Takes the parents below from the cells that were found. Adds those that have others to
    /// `unchecked`, and the others, which are not connected any more, to `cut_off`.
    pub(super) fn drop_unlifting_parents(
        &mut self,
        unchecked: &mut Vec<Place>,
        cut_off: &mut Vec<Place>,
    ) {
        for place in core::mem::take(&mut self.scratch.unlifted.places) {
            let voxel = self.store.read(place);
            let parents = self.store.parents_in(place, voxel);
            let left = parents & !(1 << Face::Down.index());
            if left == parents {
                continue;
            }
            if left == 0 {
                self.sever(place, voxel, unchecked);
                cut_off.push(place);
                continue;
            }
            self.put(place, voxel);
            let voxel = with_parents(self.store.keep_parents(place, left, voxel), left);
            self.put(place, voxel);
            self.store.wake_descendants(place);
            unchecked.push(place);
        }
    }
}
