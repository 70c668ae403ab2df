//! The roots of flows: which root a cell's water comes from, and what it offers.
//!
//! Cells with one parent form trees. A tree is labelled lazily: a search goes up to the first
//! labelled cell and labels its path, as path compression in a union–find does. Above a fork, where
//! a cell has several parents, a depth-first search with cached bounds finds the highest spring.
//!
//! Both are as long as the flows are, so each question takes a budget. It returns `None` when that
//! is spent, and goes on from there when it is asked again.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::grid::Slot;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::context::trees::{Highest, SpringSearch, Supplied};
use crate::water::store::{Place, Store, head};

/// Mark of the label of a cell above which flows join, so that it may have more than one root. The
/// rest of the label is that of the first fork above it, in place of a root.
const JOINED: u32 = 1 << 31;

/// Returns whether a label is that of a cell above which flows join.
pub(crate) fn is_joined(tree: u32) -> bool {
    tree & JOINED != 0
}

/// The purpose of a draw, which determines what a root offers.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// To leave the world: any root offers its water, one at the sea what the sea gives.
    Leave,
    /// To fill a cell at height `y` (in cells) with the hydraulic head `head` (in units). A cell
    /// that is `connected` to a spring draws from springs only, others from the sea as well. It may
    /// therefore sleep while they lie too low, and misses nothing.
    Fill { y: i32, head: i64, connected: bool },
    /// To rise into a cell at height `y`: the spring must lie higher.
    Rise { y: i32 },
}

impl Context<'_> {
    /// Returns the units that a root offers for a need.
    pub(crate) fn offer(&self, place: Place, need: Need) -> u8 {
        let voxel = self.store.read(place);
        let y = self.store.grid().position_at(place.slot).y * 16 + place.layer() as i32;
        if voxel.has(CellFlags::IS_SOURCE) {
            let reaches = match need {
                Need::Leave => true,
                Need::Fill { y: wanted, .. } => y >= wanted,
                Need::Rise { y: wanted } => y > wanted,
            };
            return if reaches { self.limits.supply } else { 0 };
        }
        let half = |own: i64, wanted: i64| ((own - wanted).max(0) / 2).min(i64::from(FULL)) as u8;
        let at = LayerMask::single(place.cell());
        if let Some(sea) = self.store.sea_levels(place.slot, place.layer(), at) {
            return match need {
                Need::Leave => FULL,
                Need::Fill { connected: false, head: wanted, .. } => half(sea.high.0, wanted),
                Need::Fill { .. } | Need::Rise { .. } => 0,
            };
        }
        match need {
            Need::Leave => voxel.height(),
            Need::Fill { connected: true, .. } => 0,
            Need::Fill { head: wanted, .. } => {
                voxel.height().min(half(head(y, voxel.height()), wanted))
            }
            Need::Rise { .. } => 0,
        }
    }

    /// Whether a cell is fed by springs and all of them lie below `y`. A cell cut off from its
    /// spring counts as within reach until it loses its HasSource flag: it may be asleep, and must
    /// miss nothing. Returns `None` if the budget is spent.
    pub(crate) fn is_out_of_reach(
        &mut self,
        place: Place,
        y: i32,
        budget: &mut Budget,
    ) -> Option<bool> {
        let tree = self.tree_of(place, budget)?;
        let top = self.top_of(tree);
        if !is_joined(tree) {
            return Some(self.spring_height(top).is_some_and(|height| height < y));
        }
        let pending = self.work.trees.springs.take().filter(|search| search.is_for(top, y));
        let mut search = pending.unwrap_or_else(|| SpringSearch::new(top, y));
        if !search.is_for_any {
            match self.is_fed_from(&mut search, y, budget) {
                Some(true) => return Some(false),
                Some(false) => search.begin_for_any(),
                None => {}
            }
        }
        let is_fed =
            if search.is_for_any { self.is_fed_from(&mut search, i32::MIN, budget) } else { None };
        if is_fed.is_none() {
            self.work.trees.springs = Some(search);
        }
        is_fed
    }

    /// Returns those of `cells` of a layer that a spring at its height or higher feeds, and those
    /// that one two cells above it or higher feeds. They draw from it, and take nothing from their
    /// pool, nor does what lies over them. Returns `None` if the budget is spent.
    pub(crate) fn supplied(
        &mut self,
        slot: Slot,
        layer: usize,
        cells: LayerMask,
        budget: &mut Budget,
    ) -> Option<[LayerMask; 2]> {
        let connected = cells & self.store.connected(slot, layer);
        if connected.is_empty() || self.limits.supply == 0 {
            return Some([LayerMask::NONE; 2]);
        }
        let y = self.store.layer_y(slot, layer);
        let pending = self.work.trees.supplied.take();
        let pending = pending.filter(|pending| pending.is_for((slot, layer), connected));
        let mut supplied = pending.unwrap_or_else(|| Supplied::new((slot, layer), connected));
        let is_done = [y, y.saturating_add(2)]
            .into_iter()
            .enumerate()
            .all(|(bound, y)| self.find_supplied(&mut supplied, bound, y, budget));
        if !is_done {
            self.work.trees.supplied = Some(supplied);
            return None;
        }
        Some(supplied.found)
    }

    /// Finds the cells left at a bound that a spring at `y` or higher feeds. Returns whether that
    /// is done; if not, the budget is spent.
    fn find_supplied(
        &mut self,
        supplied: &mut Supplied,
        bound: usize,
        y: i32,
        budget: &mut Budget,
    ) -> bool {
        let is_below = |height: Option<i32>| height.is_none_or(|height| height < y);
        if is_below(self.store.highest_source()) {
            return true;
        }
        if !is_below(self.store.lowest_source()) {
            supplied.found[bound] = supplied.cells;
            return true;
        }
        let (slot, layer) = supplied.layer;
        for cell in supplied.left[bound].iter() {
            let place = Place::in_layer(slot, layer, cell);
            if !budget.spend(1) {
                return false;
            }
            let Some(is_out_of_reach) = self.is_out_of_reach(place, y, budget) else {
                return false;
            };
            supplied.left[bound].remove(cell);
            if !is_out_of_reach {
                supplied.found[bound].insert(cell);
            }
        }
        true
    }

    /// Whether any spring that feeds the cell of a search lies at `y` or higher. Returns `None` if
    /// the budget is spent.
    fn is_fed_from(
        &mut self,
        search: &mut SpringSearch,
        y: i32,
        budget: &mut Budget,
    ) -> Option<bool> {
        while let Some(&(place, forks)) = search.open.last() {
            if !budget.spend(1) {
                return None;
            }
            search.open.pop();
            search.path.truncate(forks);
            let parents = self.store.parents_of(place);
            let mut height = self.spring_height(place);
            let highest = &mut self.work.trees.forks.highest;
            if parents.count_ones() > 1 {
                let known = highest.get(&place).copied().unwrap_or_default();
                if known.below.is_some_and(|below| below <= y) {
                    continue;
                }
                height = height.max(known.at_least);
                // Prevents a second visit. Becomes true once all above the fork has been searched.
                highest.insert(place, Highest { below: Some(y), ..known });
                search.path.push((place, known));
            }
            if let Some(height) = height.filter(|&height| height >= y) {
                self.work.trees.forks.found(height, core::mem::take(&mut search.path));
                return Some(true);
            }
            let above = Store::faces(parents).map(|face| self.store.step(place, face));
            let above = above.filter(|parent| parent.is_some());
            // Past the cells of one parent each, where that is known.
            let top = |parent| self.label_at(parent).map_or(parent, |tree| self.top_of(tree));
            let forks = search.path.len();
            search.open.extend(above.map(|parent| (top(parent), forks)));
        }
        Some(false)
    }

    /// Returns the height of a spring in cells, `None` if the cell is not a spring.
    fn spring_height(&self, place: Place) -> Option<i32> {
        let height = self.store.grid().position_at(place.slot).y * 16 + place.layer() as i32;
        self.store.read(place).has(CellFlags::IS_SOURCE).then_some(height)
    }

    /// Returns the label of a cell's tree in this tick, from 1, marked if flows join above
    /// ([`is_joined`]); `None` if the budget
    /// is spent.
    pub(super) fn tree_of(&mut self, place: Place, budget: &mut Budget) -> Option<u32> {
        // First, so that a question about another cell leaves the walk underway as it is.
        if let Some(tree) = self.label_at(place) {
            return Some(tree);
        }
        let mut walked = core::mem::take(&mut self.work.trees.walked);
        if walked.first() != Some(&place) {
            walked.clear();
            walked.push(place);
        }
        let tree = self.label_walked(&mut walked, budget);
        self.work.trees.walked = walked;
        tree
    }

    /// Walks up from the last cell walked to one whose label can be told, and labels the cells
    /// walked, from there down. Returns the label of the first; `None` if the budget is spent.
    fn label_walked(&mut self, walked: &mut Vec<Place>, budget: &mut Budget) -> Option<u32> {
        let mut tree = None;
        while let Some(&at) = walked.last() {
            if !budget.spend(1) {
                return None;
            }
            if tree.is_none() {
                let parents = self.store.parents_of(at);
                let parent = Store::faces(parents).next().map(|face| self.store.step(at, face));
                tree = match parent.filter(|parent| parent.is_some()) {
                    _ if parents.count_ones() > 1 => Some(self.new_label(at) | JOINED),
                    Some(parent) => {
                        let known = self.label_at(parent);
                        if known.is_none() {
                            walked.push(parent);
                            continue;
                        }
                        known
                    }
                    None => Some(self.new_label(at)),
                };
            }
            self.label(at, tree.unwrap_or_default());
            walked.pop();
        }
        tree
    }

    /// Returns a label that no cell has yet, for those below a root or fork.
    pub(super) fn new_label(&mut self, top: Place) -> u32 {
        self.work.trees.tops.push(top);
        self.work.trees.tops.len() as u32
    }

    /// Returns the root or, if flows join above, the first fork that a label leads to.
    fn top_of(&self, tree: u32) -> Place {
        self.work.trees.tops[(tree & !JOINED) as usize - 1]
    }

    /// Returns the label of a cell, if it has one.
    fn label_at(&self, place: Place) -> Option<u32> {
        let trees = self.work.get(place.slot, place.layer())?.trees.as_ref()?;
        Some(trees[place.cell()]).filter(|&tree| tree != 0)
    }

    /// Returns the root of a tree; `None` for no label (0), or if flows join above.
    #[inline]
    pub(crate) fn root_of(&self, tree: u32) -> Option<Place> {
        (tree != 0 && !is_joined(tree)).then(|| self.top_of(tree))
    }

    /// Labels a cell with a tree.
    pub(crate) fn label(&mut self, place: Place, tree: u32) {
        let work = self.work.join(self.store, place.slot, place.layer());
        work.trees.get_or_insert_with(|| Box::new([0; LAYER_CELLS]))[place.cell()] = tree;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::CHUNK_CELLS;
    use crate::water::context::test_worlds;
    use crate::water::voxel::Voxel;

    /// Asks again and again, with a small budget each time, and returns the answer.
    fn ask<T>(mut question: impl FnMut(&mut Budget) -> Option<T>) -> T {
        loop {
            if let Some(answer) = question(&mut Budget::new(3)) {
                return answer;
            }
        }
    }

    /// Reference: the heights of all springs that feed a cell.
    fn springs_above(store: &Store, place: Place) -> Vec<i32> {
        let is_spring = |place: &Place| store.read(*place).has(CellFlags::IS_SOURCE);
        test_worlds::ancestors(store, place)
            .into_iter()
            .filter(is_spring)
            .map(|place| store.position(place).y)
            .collect()
    }

    #[test]
    fn a_cell_is_out_of_reach_if_all_its_springs_lie_below() {
        let (mut joined, mut answers) = (0, [0, 0]);
        for seed in 0..24 {
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let mut tick = test_worlds::tick(&mut world);
            for place in places {
                let voxel = tick.store.read(place);
                if voxel.is_mark() || !voxel.is_connected() {
                    continue;
                }
                joined += usize::from(voxel.has(CellFlags::EXTRA));
                let springs = springs_above(tick.store, place);
                for y in (-6..8).map(|y| if seed % 2 == 0 { y } else { 1 - y }) {
                    let expected = !springs.is_empty() && springs.iter().all(|&height| height < y);
                    assert_eq!(
                        ask(|budget| tick.is_out_of_reach(place, y, budget)),
                        expected,
                        "seed {seed}: {place:?} at {y}"
                    );
                    answers[usize::from(expected)] += 1;
                }
            }
        }
        assert!(
            joined > 20 && answers[0] > 1_000 && answers[1] > 1_000,
            "{joined} joined, {answers:?}"
        );
    }

    #[test]
    fn a_cell_is_supplied_if_a_spring_lies_at_its_height_or_two_cells_above() {
        let mut found = [0, 0];
        for seed in 0..24 {
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let tick = &mut test_worlds::tick(&mut world);
            let layers = slots.into_iter().flat_map(|slot| (0..16).map(move |at| (slot, at)));
            for (slot, layer) in layers {
                let y = tick.store.layer_y(slot, layer);
                let supplied = ask(|budget| tick.supplied(slot, layer, LayerMask::ALL, budget));
                for (bound, y) in [y, y + 2].into_iter().enumerate() {
                    let is_supplied = |&cell: &usize| {
                        let place = Place::in_layer(slot, layer, cell);
                        let springs = springs_above(tick.store, place);
                        let highest = tick.store.highest_source().is_some_and(|top| top >= y);
                        let is_out = !springs.is_empty() && springs.iter().all(|&top| top < y);
                        highest && !is_out
                    };
                    let connected = tick.store.connected(slot, layer);
                    let expected: LayerMask = connected.iter().filter(is_supplied).collect();
                    assert_eq!(supplied[bound], expected, "seed {seed}: {slot:?}, {layer}");
                    found[bound] += expected.count();
                }
            }
        }
        assert!(found.iter().all(|&found| found > 20), "{found:?} supplied");
    }

    #[test]
    fn each_fork_is_visited_once_however_many_paths_lead_there() {
        let mut world = test_worlds::weave();
        let opposite = Place::new(world.store.grid().sorted_slots()[0], CHUNK_CELLS - 1);
        let mut tick = test_worlds::tick(&mut world);
        let mut is_out_of_reach = |y| ask(|budget| tick.is_out_of_reach(opposite, y, budget));
        assert!(!is_out_of_reach(0) && is_out_of_reach(1));
    }

    #[test]
    fn a_tree_has_one_root_unless_flows_join_above() {
        let mut counts = [0, 0];
        for seed in 0..12 {
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let mut tick = test_worlds::tick(&mut world);
            for place in places.into_iter().filter(|place| place.index % 3 == 0) {
                let (mut at, mut parents) = (place, tick.store.parents_of(place));
                let mut path = vec![at];
                while parents.count_ones() == 1 {
                    at = Store::faces(parents)
                        .map(|face| tick.store.step(at, face))
                        .next()
                        .expect("one parent");
                    path.push(at);
                    parents = tick.store.parents_of(at);
                }
                let has_label = |place: &&Place| tick.label_at(**place).is_some();
                let unlabelled = path.iter().take_while(|place| !has_label(place)).count();
                let mut charged = 0;
                let tree = ask(|budget| {
                    let tree = tick.tree_of(place, budget);
                    charged += budget.spent() as usize;
                    tree
                });
                assert!(
                    (unlabelled..=2 * unlabelled).contains(&charged),
                    "seed {seed}: {charged} for {unlabelled} cells"
                );
                assert_eq!(is_joined(tree), parents != 0, "seed {seed}: {place:?}");
                assert_eq!(
                    tick.root_of(tree),
                    (parents == 0).then_some(at),
                    "seed {seed}: {place:?}"
                );
                let again = tick.tree_of(place, &mut Budget::new(0));
                assert_eq!(again, Some(tree), "seed {seed}: {place:?}, again");
                let trees =
                    tick.work.get(place.slot, place.layer()).and_then(|work| work.trees.as_ref());
                assert_eq!(
                    trees.map(|trees| trees[place.cell()]),
                    Some(tree),
                    "seed {seed}: {place:?}"
                );
                counts[usize::from(parents != 0)] += usize::from(at != place);
            }
        }
        assert!(counts.iter().all(|&count| count > 10), "{counts:?} below a root and below a join");
    }

    #[test]
    fn a_root_offers_what_the_need_allows() {
        let mut world = test_worlds::springs(1);
        let supply = world.rules.source_supply;
        let places = test_worlds::places(&world);
        let tick = test_worlds::tick(&mut world);
        for place in places.into_iter().filter(|place| place.index % 7 == 0) {
            let y = tick.store.position(place).y;
            if tick.store.read(place).is_mark() || tick.store.read(place).has(CellFlags::IS_SOURCE)
            {
                continue;
            }
            for height in 0..8 {
                tick.store.write(place, Voxel::OPEN.with_height(height));
                assert_eq!(tick.offer(place, Need::Leave), height);
                assert_eq!(
                    tick.offer(place, Need::Rise { y: y - 1 }),
                    0,
                    "only springs have pressure"
                );
                for own in -20..20 {
                    let wanted = head(y, 0) + own;
                    let half = u8::try_from((i64::from(height) - own) / 2).unwrap_or(0);
                    let need = |connected| Need::Fill { y, head: wanted, connected };
                    assert_eq!(
                        tick.offer(place, need(false)),
                        half.min(height),
                        "{height} over {own}"
                    );
                    assert_eq!(
                        tick.offer(place, need(true)),
                        0,
                        "a cell connected to a spring draws from springs only"
                    );
                }
            }
            tick.store.write(place, Voxel::water(crate::water::WaterCell::SOURCE));
            for connected in [false, true] {
                for (above, given) in [(-1, supply), (0, supply), (1, 0)] {
                    let need = Need::Fill { y: y + above, head: head(y + above, 0), connected };
                    assert_eq!(tick.offer(place, need), given, "{above} above the spring");
                }
            }
            for (above, given) in [(-1, supply), (0, 0), (1, 0)] {
                assert_eq!(
                    tick.offer(place, Need::Rise { y: y + above }),
                    given,
                    "{above} above the spring"
                );
            }
            assert_eq!(tick.offer(place, Need::Leave), supply);
        }
    }
}
