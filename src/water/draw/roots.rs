//! The roots of flows: which one a cell's water comes from, and what it has to give. A cell's tree
//! is labelled when it is first asked for, as in the labelling of connected components.

use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::store::{LAYER_CELLS, Place, Store, head};
use hashbrown::HashMap;

/// The tree of a cell above which flows join, so that it has more than one root.
pub(crate) const JOINED: u32 = u32::MAX;

/// What water is drawn for, which decides what a head has to offer.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// To leave the world: any head will do.
    Leave,
    /// To fill a cell at this height above y = 0 in cells, whose own head is given in units. A cell
    /// that has a source draws from sources only: it may sleep while they lie too low, and must
    /// miss nothing by that.
    Fill { y: i32, head: i64, sourced: bool },
    /// To rise into a cell at this height: the source must lie higher.
    Rise { y: i32 },
}

/// What is known of the sources that feed forks, at which flows join. True as long as no ties
/// change.
#[derive(Default)]
pub(crate) struct Forks {
    highest: HashMap<Place, Highest>,
}

/// Bounds of the height of the highest source that feeds a fork.
#[derive(Clone, Copy, Default)]
struct Highest {
    at_least: Option<i32>,
    below: Option<i32>,
}

impl Forks {
    /// Notes the height of a source that a search has found, and what was known before it of the
    /// forks it met. All ways that it went lead through the first of them.
    fn found(&mut self, height: i32, met: Vec<(Place, Highest)>) {
        for (number, (fork, mut known)) in met.into_iter().enumerate() {
            if number == 0 {
                known.at_least = known.at_least.max(Some(height));
            }
            self.highest.insert(fork, known);
        }
    }
}

impl Context<'_> {
    /// Units that a head would give for a need.
    pub(crate) fn offer(&self, place: Place, need: Need) -> u8 {
        let voxel = self.store.read(place);
        let y = self.store.grid().position_at(place.slot).y * 16 + (place.layer()) as i32;
        if voxel.has(CellFlags::IS_SOURCE) {
            let reaches = match need {
                Need::Leave => true,
                Need::Fill { y: wanted, .. } => y >= wanted,
                Need::Rise { y: wanted } => y > wanted,
            };
            return if reaches { self.limits.supply } else { 0 };
        }
        match need {
            Need::Leave => voxel.height(),
            Need::Fill { sourced: true, .. } => 0,
            Need::Fill { head: wanted, .. } => {
                let half = (head(y, voxel.height()) - wanted).max(0) / 2;
                voxel.height().min(half.min(i64::from(FULL)) as u8)
            }
            Need::Rise { .. } => 0,
        }
    }

    /// Whether a cell is fed by sources and all of them lie below `y`. A cell cut from its source,
    /// which will lose its flag when that news reaches it, counts as within reach until then:
    /// it may be asleep, and must miss nothing by that.
    pub(crate) fn is_out_of_reach(&mut self, place: Place, y: i32, forks: &mut Forks) -> bool {
        let tree = self.tree_of(place);
        if tree != JOINED {
            let head = self.work.trees.roots[tree as usize - 1];
            return self.source_height(head).is_some_and(|height| height < y);
        }
        !self.is_fed_from(place, y, forks) && self.is_fed_from(place, i32::MIN, forks)
    }

    /// Whether any source that feeds a cell lies at `y` or higher.
    fn is_fed_from(&self, place: Place, y: i32, forks: &mut Forks) -> bool {
        let mut open = vec![place];
        let mut met = Vec::new();
        while let Some(place) = open.pop() {
            let parents = self.store.parents_of(place);
            let mut source = self.source_height(place);
            if parents.count_ones() > 1 {
                let known = forks.highest.get(&place).copied().unwrap_or_default();
                if known.below.is_some_and(|below| below <= y) {
                    continue;
                }
                source = source.max(known.at_least);
                // It is not gone through twice. If the search is in vain, this is true.
                forks.highest.insert(place, Highest { below: Some(y), ..known });
                met.push((place, known));
            }
            if let Some(height) = source.filter(|&height| height >= y) {
                forks.found(height, met);
                return true;
            }
            let above = Store::faces(parents).map(|face| self.store.step(place, face));
            open.extend(above.filter(|parent| parent.is_some()));
        }
        false
    }

    /// The height of a source's cell, or `None` if the cell is no source.
    fn source_height(&self, place: Place) -> Option<i32> {
        let height = self.store.grid().position_at(place.slot).y * 16 + (place.layer()) as i32;
        self.store.read(place).has(CellFlags::IS_SOURCE).then_some(height)
    }

    /// The number of the tree that a cell belongs to in this tick, from 1, or [`JOINED`].
    fn tree_of(&mut self, place: Place) -> u32 {
        let mut walked = core::mem::take(&mut self.work.trees.walked);
        walked.clear();
        let mut at = place;
        let tree = loop {
            let known = self.work.get(at.slot, at.layer()).and_then(|work| work.trees.as_ref());
            let known = known.map_or(0, |trees| trees[at.cell()]);
            if known != 0 {
                break known;
            }
            walked.push(at);
            let parents = self.store.parents_of(at);
            if parents.count_ones() > 1 {
                break JOINED;
            }
            let parent = Store::faces(parents).next().map(|face| self.store.step(at, face));
            match parent {
                Some(parent) if parent.is_some() => at = parent,
                _ => {
                    self.work.trees.roots.push(at);
                    break self.work.trees.roots.len() as u32;
                }
            }
        };
        for &place in &walked {
            self.label(place, tree);
        }
        self.work.trees.walked = walked;
        tree
    }

    /// The head of a tree, unless that is unknown or flows join above.
    #[inline]
    pub(crate) fn root_of(&self, tree: u32) -> Option<Place> {
        match tree {
            0 | JOINED => None,
            tree => self.work.trees.roots.get(tree as usize - 1).copied(),
        }
    }

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

    /// The heights of all sources above a cell, by a walk over all its ways up.
    fn sources_above(store: &Store, place: Place) -> Vec<i32> {
        let is_source = |place: &Place| store.read(*place).has(CellFlags::IS_SOURCE);
        test_worlds::ancestors(store, place)
            .into_iter()
            .filter(is_source)
            .map(|place| store.position(place).y)
            .collect()
    }

    #[test]
    fn out_of_reach_is_what_all_sources_lie_below() {
        let (mut joined, mut answers) = (0, [0, 0]);
        for seed in 0..24 {
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let mut tick = test_worlds::tick(&mut world);
            let mut forks = Forks::default();
            for place in places {
                let voxel = tick.store.read(place);
                if voxel.is_mark() || !voxel.is_sourced() {
                    continue;
                }
                joined += usize::from(voxel.has(CellFlags::EXTRA));
                let sources = sources_above(tick.store, place);
                for y in (-6..8).map(|y| if seed % 2 == 0 { y } else { 1 - y }) {
                    let expected = !sources.is_empty() && sources.iter().all(|&height| height < y);
                    assert_eq!(
                        tick.is_out_of_reach(place, y, &mut forks),
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
    fn each_fork_is_walked_through_once_however_many_ways_lead_there() {
        let mut world = test_worlds::weave();
        let opposite = Place::new(world.store.grid().sorted_slots()[0], CHUNK_CELLS - 1);
        let mut tick = test_worlds::tick(&mut world);
        let mut forks = Forks::default();
        let mut is_out_of_reach = |y| tick.is_out_of_reach(opposite, y, &mut forks);
        assert!(!is_out_of_reach(0) && is_out_of_reach(1));
    }

    #[test]
    fn a_tree_has_one_head_unless_flows_join_above() {
        let mut counts = [0, 0];
        for seed in 0..12 {
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let mut tick = test_worlds::tick(&mut world);
            for place in places.into_iter().filter(|place| place.index % 3 == 0) {
                let (mut at, mut parents) = (place, tick.store.parents_of(place));
                while parents.count_ones() == 1 {
                    at = Store::faces(parents)
                        .map(|face| tick.store.step(at, face))
                        .next()
                        .expect("one parent");
                    parents = tick.store.parents_of(at);
                }
                let tree = tick.tree_of(place);
                assert_eq!(tree == JOINED, parents != 0, "seed {seed}: {place:?}");
                assert_eq!(
                    tick.root_of(tree),
                    (parents == 0).then_some(at),
                    "seed {seed}: {place:?}"
                );
                assert_eq!(tick.tree_of(place), tree, "seed {seed}: {place:?}, asked again");
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
        assert!(counts.iter().all(|&count| count > 10), "{counts:?} below a head and below a join");
    }

    #[test]
    fn a_head_offers_what_the_need_can_have() {
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
                    "only sources have pressure"
                );
                for own in -20..20 {
                    let wanted = head(y, 0) + own;
                    let half = u8::try_from((i64::from(height) - own) / 2).unwrap_or(0);
                    let need = |sourced| Need::Fill { y, head: wanted, sourced };
                    assert_eq!(
                        tick.offer(place, need(false)),
                        half.min(height),
                        "{height} over {own}"
                    );
                    assert_eq!(
                        tick.offer(place, need(true)),
                        0,
                        "who has a source draws from sources only"
                    );
                }
            }
            tick.store.write(place, Voxel::water(crate::water::WaterCell::SOURCE));
            for sourced in [false, true] {
                for (above, given) in [(-1, supply), (0, supply), (1, 0)] {
                    let need = Need::Fill { y: y + above, head: head(y + above, 0), sourced };
                    assert_eq!(tick.offer(place, need), given, "{above} above the source");
                }
            }
            for (above, given) in [(-1, supply), (0, 0), (1, 0)] {
                assert_eq!(
                    tick.offer(place, Need::Rise { y: y + above }),
                    given,
                    "{above} above the source"
                );
            }
            assert_eq!(tick.offer(place, Need::Leave), supply);
        }
    }
}
