//! The laws of worlds under random edits.

use proptest::prelude::*;
use support::world::edits::Run;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn every_law_holds_after_every_edit_and_tick(
        bytes in prop::collection::vec(any::<u8>(), 0..256)
    ) {
        Run::from_bytes(&bytes).run();
    }
}
