//! What has a bound: how long flags outlive what they claim, and how high water rises.

#[path = "support/cells.rs"]
mod cells;
#[path = "support/edits.rs"]
mod edits;
#[path = "support/flags.rs"]
mod flags;
#[path = "support/random.rs"]
mod random;

use edits::{Edit, Watched};
use flags::{clearing_ticks, clears, flagged};
use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::water::{CellFlags, Edge, Edges, Rules};
use proptest::prelude::*;
use random::{bounds, edit, rules};

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn has_source_clears_once_the_sources_are_gone(
        seed in any::<u64>(), rules in rules(), edits in prop::collection::vec(edit(), 1..24)
    ) {
        let mut watched = Watched::new(seed, rules, bounds());
        edits.iter().for_each(|edit| watched.apply(edit));
        flags::has_source_clears(&mut watched.world);
    }

    #[test]
    fn flow_out_clears_once_the_end_is_walled_off(
        seed in any::<u64>(), edits in prop::collection::vec(edit(), 1..24)
    ) {
        let edges = Edges { unloaded: Edge::Wall, ..Edges::DRAINING_SIDES };
        let rules = Rules { edges, activity_decay: 1.0, ..Rules::lossless() };
        let mut watched = Watched::new(seed, rules, bounds());
        edits.iter().filter(|edit| !matches!(edit, Edit::RemoveChunk(_))).for_each(|edit| watched.apply(edit));
        let mut world = watched.world;
        let (min, max) = (bounds().min(), bounds().max());
        for wall in [
            Region::new(min, max.with_x(min.x)),
            Region::new(min.with_x(max.x), max),
            Region::new(min, max.with_z(min.z)),
            Region::new(min.with_z(max.z), max),
        ] {
            prop_assert!(world.fill_solid(wall).is_ok());
        }
        // Activity decays for certain here, and takes 7 ticks a cell; then the flag clears.
        let ticks = 8 * clearing_ticks(&world);
        prop_assert!(clears(&mut world, CellFlags::FLOW_OUT, ticks), "{:?}", flagged(&world, CellFlags::FLOW_OUT));
    }

    /// Two halves with a wall between them, each with springs of its own and no other water: neither fills above its own.
    #[test]
    fn no_water_rises_above_its_source(
        seed in any::<u64>(), throughput in 1u8..=7, many_parents in any::<bool>(),
        ground in prop::collection::vec((0..12i32, 0..12i32, 0..12i32), 0..60),
        springs in prop::array::uniform2(prop::collection::vec((0..5i32, 1..9i32, 0..12i32), 1..4)),
    ) {
        let rules = Rules { throughput, many_parents, ..Rules::lossless() };
        let mut world = Watched::new(seed, rules, bounds()).world;
        let (min, max) = (bounds().min(), bounds().max());
        prop_assert_eq!(world.fill_solid(Region::new(min.with_x(min.x + 5), max.with_x(min.x + 5))), Ok(0));
        for (x, y, z) in ground {
            prop_assert!(world.set_solid(min + IVec3::new(x, y, z)).is_ok());
        }
        let mut heads = [i32::MIN; 2];
        for (half, springs) in springs.into_iter().enumerate() {
            for (x, y, z) in springs {
                let cell = min + IVec3::new(x + 6 * half as i32, y, z);
                prop_assert!(world.clear_solid(cell).is_ok() && world.add_source(cell).is_ok());
                heads[half] = heads[half].max(cell.y);
            }
        }
        for _ in 0..80 {
            world.step();
            for cell in bounds().positions().filter(|&cell| world.height(cell) > 0) {
                let half = usize::from(cell.x > min.x + 5);
                prop_assert!(cell.y <= heads[half], "water at {}, the highest spring at y = {}", cell, heads[half]);
            }
        }
    }
}
