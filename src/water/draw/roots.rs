//! The roots of flows: which root a cell's water comes from, and what it offers.
//!
//! Cells with one parent form trees. A tree is labelled lazily: a search goes up to the first
//! labelled cell and labels its path, as path compression in a union–find does.

use crate::chunk::LAYER_CELLS;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::store::{Place, head};

/// Label of a cell above which flows join, so that it may have more than one root.
pub(crate) const JOINED: u32 = u32::MAX;

/// The purpose of a draw, which determines what a root offers.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// To leave the world: any root offers its water.
    Leave,
    /// To fill a cell at height `y` (in cells) with the hydraulic head `head` (in units). A cell
    /// that is `connected` to a spring draws from springs only. It may therefore sleep while they
    /// lie too low, and misses nothing.
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
        match need {
            Need::Leave => voxel.height(),
            Need::Fill { connected: true, .. } => 0,
            Need::Fill { head: wanted, .. } => {
                let half = (head(y, voxel.height()) - wanted).max(0) / 2;
                voxel.height().min(half.min(i64::from(FULL)) as u8)
            }
            Need::Rise { .. } => 0,
        }
    }

    /// Returns the root of a tree; `None` for no label (0) or [`JOINED`].
    #[inline]
    pub(crate) fn root_of(&self, tree: u32) -> Option<Place> {
        match tree {
            0 | JOINED => None,
            tree => self.work.trees.roots.get(tree as usize - 1).copied(),
        }
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
    use crate::water::context::test_worlds;
    use crate::water::voxel::Voxel;

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
