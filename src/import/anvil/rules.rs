//! The content of a block's cell in a world of water, by rules that the caller sets.

use super::block::{Block, is_open_block};
use crate::water::{FULL, Voxel, WaterCell};
use core::fmt;

/// How the game's sources are read: blocks of water of level 0, and waterlogged blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// As seven units each, which flow like all other water: no supply in the world is unlimited.
    #[default]
    Finite,
    /// As springs: all of them give water without end, as in the game. A lake of springs costs
    /// memory and time; for seas use [`Sea`](Sources::Sea).
    Springs,
    /// As the [sea](crate::water::Voxel::SEA), if they are connected to it and are at or below this
    /// y, its level, which is 62 in most worlds of the game. All other sources are
    /// [inland](BlockRules::inland).
    ///
    /// The sea begins at two kinds of sources. One is under the sky: no solid block is above it
    /// among the chunks read. The other kind is in an ocean, by its biome, at the level or, since
    /// ice may cover it, one below. From there it spreads through the faces of sources. So a lake
    /// in a cave is inland however deep it is, unless sources lead to it.
    Sea(i32),
}

/// How sources that are not part of a [`Sea`](Sources::Sea) are read: aquifers, lakes in caves, and
/// all sources above its level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inland {
    /// As seven units each, which flow like all other water.
    #[default]
    Still,
    /// As springs, as in the game. Springs at different heights with a path between them never come
    /// to rest.
    Springs,
}

/// Which blocks are open to water, and which of the game's water is unlimited.
#[derive(Clone, Copy)]
pub struct BlockRules<'a> {
    /// How sources are read. Default [`Sources::Finite`].
    pub sources: Sources,
    /// How sources outside a sea are read. Default [`Inland::Still`].
    pub inland: Inland,
    /// Returns whether water enters a block. It is not called for water, bubbles and the plants
    /// that grow only in water, which are open. If water is to be written back, air must be open
    /// and stone must not. Default [`is_open_block`].
    ///
    /// ```
    /// use floodplain::import::{Block, BlockRules, is_open_block};
    /// let leaky = |block: Block<'_>| block.name().ends_with("_leaves") || is_open_block(block);
    /// let rules = BlockRules { is_open: &leaky, ..BlockRules::default() };
    /// assert!((rules.is_open)(Block::new("minecraft:oak_leaves", &[])));
    /// ```
    pub is_open: &'a dyn Fn(Block<'_>) -> bool,
}

impl Default for BlockRules<'_> {
    fn default() -> Self {
        BlockRules {
            sources: Sources::default(),
            inland: Inland::default(),
            is_open: &is_open_block,
        }
    }
}

impl fmt::Debug for BlockRules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockRules")
            .field("sources", &self.sources)
            .field("inland", &self.inland)
            .finish_non_exhaustive()
    }
}

impl BlockRules<'_> {
    /// Returns the voxel of a source at height `y`.
    pub(super) fn source(&self, y: i32, hangs_together_with_the_sea: bool) -> Voxel {
        match (self.sources, self.inland) {
            (Sources::Sea(level), _) if y <= level && hangs_together_with_the_sea => Voxel::SEA,
            (Sources::Springs, _) | (Sources::Sea(_), Inland::Springs) => {
                Voxel::water(WaterCell::SOURCE)
            }
            (Sources::Finite, _) | (Sources::Sea(_), Inland::Still) => still(FULL),
        }
    }
}

/// The content of a block's cell, regardless of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Ground,
    /// Water that the game calls a source.
    Source,
    /// This many units, 0 to 7.
    Units(u8),
}

impl Held {
    /// Returns the content of a block's cell.
    pub fn of(block: Block<'_>, rules: &BlockRules<'_>) -> Held {
        match block.water_level() {
            Some(0) => Held::Source,
            Some(level @ 1..=7) => Held::Units(8 - level),
            Some(_) => Held::Units(FULL),
            None if !(rules.is_open)(block) => Held::Ground,
            None if block.is_waterlogged() => Held::Source,
            None => Held::Units(0),
        }
    }

    /// Returns the voxel of a cell with this content, where a source becomes `source`.
    pub fn voxel(self, source: Voxel) -> Voxel {
        match self {
            Held::Ground => Voxel::SOLID,
            Held::Source => source,
            Held::Units(height) => still(height),
        }
    }
}

/// Returns a voxel of a world without its flow: ground, sea, spring, or still water.
pub(super) fn plain(voxel: Voxel) -> Voxel {
    match voxel.cell() {
        None => voxel,
        Some(cell) if cell.is_source() => Voxel::water(WaterCell::SOURCE),
        Some(cell) => still(cell.height()),
    }
}

/// Returns an open voxel with `height` units of still water, at most 7.
fn still(height: u8) -> Voxel {
    WaterCell::with_height(height).map_or(Voxel::OPEN, Voxel::water)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_become_heights() {
        let held = |level: &str| {
            Held::of(Block::new("minecraft:water", &[("level", level)]), &BlockRules::default())
        };
        let heights = [(1, 7), (2, 6), (7, 1), (8, 7), (15, 7)];
        for (level, height) in heights {
            assert_eq!(held(&level.to_string()), Held::Units(height), "{level}");
        }
        assert_eq!(held("0"), Held::Source);
    }

    #[test]
    fn sources_are_what_the_rules_say() {
        let source = |sources, inland, y, is_sea| {
            BlockRules { sources, inland, ..BlockRules::default() }.source(y, is_sea)
        };
        let spring = Voxel::water(WaterCell::SOURCE);
        for is_sea in [false, true] {
            for inland in [Inland::Still, Inland::Springs] {
                assert_eq!(source(Sources::Finite, inland, 0, is_sea), still(7));
                assert_eq!(source(Sources::Springs, inland, 0, is_sea), spring);
            }
            assert_eq!(source(Sources::Sea(62), Inland::Still, 63, is_sea), still(7));
            assert_eq!(source(Sources::Sea(62), Inland::Springs, 63, is_sea), spring);
        }
        assert_eq!(source(Sources::Sea(62), Inland::Springs, 62, true), Voxel::SEA);
        assert_eq!(source(Sources::Sea(62), Inland::Springs, 62, false), spring);
        assert_eq!(source(Sources::Sea(62), Inland::Still, 62, false), still(7));
    }

    #[test]
    fn waterlogged_blocks_hold_water_if_they_are_open() {
        let logged = [("waterlogged", "true")];
        let held = |name| Held::of(Block::new(name, &logged), &BlockRules::default());
        assert_eq!(held("minecraft:rail"), Held::Source);
        assert_eq!(held("minecraft:oak_slab"), Held::Ground);
    }
}
