//! The laws of water under random edits: every edit does what it says, every invariant of `validate` holds after every
//! tick, sleep changes nothing, and a closed world comes to rest. Every failure prints the edits that replay it.

#[path = "support/cells.rs"]
mod cells;
#[path = "support/edits.rs"]
mod edits;
#[path = "support/random.rs"]
mod random;

use edits::{Edit, Watched};
use floodplain::glam::IVec3;
use floodplain::water::Rules;
use proptest::prelude::*;
use random::{bounds, edit, rules};

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_law_holds_after_every_edit_and_tick(
        seed in any::<u64>(), rules in rules(), edits in prop::collection::vec(edit(), 1..40)
    ) {
        let mut watched = Watched::new(seed, rules, bounds());
        for edit in &edits {
            watched.apply(edit);
            watched.validate();
        }
    }

    #[test]
    fn a_closed_world_comes_to_rest(seed in any::<u64>(), edits in prop::collection::vec(edit(), 1..20)) {
        let mut watched = Watched::new(seed, Rules::lossless(), bounds());
        for edit in edits.iter().filter(|edit| !matches!(edit, Edit::RemoveChunk(_))) {
            watched.apply(edit);
        }
        let mut world = watched.world;
        for _ in 0..4_000 {
            if world.is_at_rest() {
                break;
            }
            world.step();
        }
        prop_assert!(world.is_at_rest(), "{} cells still awake", world.awake_cells());
        prop_assert_eq!(world.validate(), Ok(()));
        // The step that put the last cell to sleep moved nothing, so nothing is to be drawn as flowing.
        for cell in bounds().positions() {
            prop_assert!(world.current(cell) == IVec3::ZERO, "a current at {} in a world at rest", cell);
        }
    }
}
