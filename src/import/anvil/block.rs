//! Blocks with their names in the game, and which of them are open to water.

use hashbrown::HashSet;
use std::sync::LazyLock;

/// A block of a region file: its name and the properties of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    name: &'a str,
    properties: &'a [(&'a str, &'a str)],
}

impl<'a> Block<'a> {
    /// Returns the block with this name and these properties, whose names and values are as in the
    /// file.
    ///
    /// ```
    /// use floodplain::import::Block;
    /// let block = Block::new("minecraft:rail", &[("shape", "north_south")]);
    /// assert_eq!(block.name(), "minecraft:rail");
    /// assert_eq!(block.property("shape"), Some("north_south"));
    /// assert_eq!(block.property("waterlogged"), None);
    /// ```
    pub const fn new(name: &'a str, properties: &'a [(&'a str, &'a str)]) -> Block<'a> {
        Block { name, properties }
    }

    /// Returns the name with its namespace, as `minecraft:stone`. A block that a file before 1.13
    /// stores as a number has its name in 1.12, except `minecraft:grass_block` and
    /// `minecraft:snow_block`, because later versions use these names for plants and layers.
    /// Numbers above 255, which mods use, are named `legacy:256` and so on.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the value of a property. Blocks stored as numbers have one property, `data`, 0 to
    /// 15.
    pub fn property(&self, name: &str) -> Option<&'a str> {
        self.properties.iter().find(|(key, _)| *key == name).map(|&(_, value)| value)
    }

    /// Returns the name without the namespace of the game; `None` for a block of a mod.
    fn plain_name(&self) -> Option<&'a str> {
        self.name.strip_prefix("minecraft:")
    }

    /// Returns the level of the water that the block is or always holds: 0 for a source, 1 to 7 for
    /// flowing water, 8 and more for falling water. `None` if the block is neither water, nor
    /// bubbles, nor a plant that grows only in water.
    pub(super) fn water_level(&self) -> Option<u8> {
        match self.plain_name()? {
            "water" | "flowing_water" => {
                let level = self.property("level").or(self.property("data"));
                Some(level.and_then(|level| level.parse().ok()).unwrap_or(0))
            }
            "bubble_column" | "kelp" | "kelp_plant" | "seagrass" | "tall_seagrass" => Some(0),
            _ => None,
        }
    }

    /// Returns whether the block can hold water in its cell and holds it.
    pub(super) fn is_waterlogged(&self) -> bool {
        self.property("waterlogged") == Some("true")
    }
}

/// Returns whether water enters a block: the default of
/// [`BlockRules::is_open`](crate::import::BlockRules::is_open). Air is open, and so are the blocks
/// that water in the game washes away or flows around: plants, torches, rails, redstone, carpets,
/// signs, ladders, buttons, banners, corals, layers of snow. All other blocks are solid: leaves,
/// fences, slabs, doors, lava, ice, and the blocks of mods.
///
/// ```
/// use floodplain::import::{Block, is_open_block};
/// assert!(is_open_block(Block::new("minecraft:poppy", &[])));
/// assert!(is_open_block(Block::new("minecraft:birch_sapling", &[])));
/// assert!(!is_open_block(Block::new("minecraft:oak_leaves", &[])));
/// ```
pub fn is_open_block(block: Block<'_>) -> bool {
    let Some(name) = block.plain_name() else { return false };
    match name {
        // Eight layers are a whole block.
        "snow" => block.property("layers") != Some("8"),
        "snow_layer" => block.property("data") != Some("7"),
        _ => {
            name.starts_with(OPEN_BEGINNING)
                || OPEN_NAMES.contains(name)
                || OPEN_ENDINGS.iter().any(|ending| name.ends_with(ending))
        }
    }
}

static OPEN_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| OPEN.split_whitespace().collect());

/// The beginning and the endings of names of open blocks.
const OPEN_BEGINNING: &str = "potted_";
const OPEN_ENDINGS: [&str; 16] = [
    "_air",
    "_banner",
    "_button",
    "_candle",
    "_carpet",
    "_coral",
    "_coral_fan",
    "_coral_wall_fan",
    "_pressure_plate",
    "_rail",
    "_sapling",
    "_sign",
    "_skull",
    "_torch",
    "_tulip",
    "_wall_head",
];

/// Names of open blocks, including names of 1.12, by kind: air, plants, crops, blocks on walls and
/// floors, redstone.
const OPEN: &str = "
    air structure_void light grass short_grass tall_grass tallgrass fern large_fern deadbush
    dead_bush bush short_dry_grass tall_dry_grass leaf_litter firefly_bush vine glow_lichen
    sculk_vein cave_vines cave_vines_plant weeping_vines weeping_vines_plant twisting_vines
    twisting_vines_plant hanging_moss pale_hanging_moss spore_blossom small_dripleaf big_dripleaf
    big_dripleaf_stem pink_petals wildflowers sapling nether_sprouts hanging_roots crimson_roots
    warped_roots mangrove_propagule lily_pad waterlily frogspawn sea_pickle sugar_cane reeds
    sweet_berry_bush cocoa brown_mushroom red_mushroom crimson_fungus warped_fungus yellow_flower
    red_flower double_plant dandelion golden_dandelion torchflower poppy blue_orchid allium
    azure_bluet oxeye_daisy cornflower lily_of_the_valley wither_rose sunflower lilac rose_bush
    peony pitcher_plant open_eyeblossom closed_eyeblossom cactus_flower wheat carrots potatoes
    beetroots nether_wart melon_stem pumpkin_stem attached_melon_stem attached_pumpkin_stem
    torchflower_crop pitcher_crop torch carpet rail ladder lever button candle web cobweb fire
    soul_fire end_rod skull flower_pot creeper_head dragon_head piglin_head player_head zombie_head
    scaffolding lantern soul_lantern chain iron_chain redstone_wire tripwire tripwire_hook repeater
    comparator unpowered_repeater powered_repeater unpowered_comparator powered_comparator";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_open_only_once() {
        let names: Vec<&str> = OPEN.split_whitespace().collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name}");
            assert!(!OPEN_ENDINGS.iter().any(|ending| name.ends_with(ending)), "{name}");
        }
    }

    #[test]
    fn snow_mods_and_names_that_only_sound_open_are_distinguished() {
        let snow = |layers| is_open_block(Block::new("minecraft:snow", &[("layers", layers)]));
        assert!(snow("7") && !snow("8"));
        assert!(!is_open_block(Block::new("mod:torch", &[])));
        assert!(!is_open_block(Block::new("torch", &[])));
        for solid in ["piston_head", "mangrove_roots", "tube_coral_block", "sea_lantern", "lava"] {
            assert!(!is_open_block(Block::new(&format!("minecraft:{solid}"), &[])), "{solid}");
        }
    }

    #[test]
    fn levels_are_those_of_water_and_of_plants_in_it() {
        let level = |name, properties| Block::new(name, properties).water_level();
        assert_eq!(level("minecraft:water", &[("level", "8")]), Some(8));
        assert_eq!(level("minecraft:flowing_water", &[("data", "3")]), Some(3));
        assert_eq!(level("minecraft:water", &[]), Some(0));
        assert_eq!(level("minecraft:kelp", &[("age", "3")]), Some(0));
        assert_eq!(level("minecraft:lava", &[("level", "0")]), None);
    }
}
