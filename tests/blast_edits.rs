//! Random edits and steps of pressure, on grids and on graphs, against maps of all cells and links
//! that share no code with the kernels. Failures print what replays them.

#[path = "support/blast_edits.rs"]
mod blast_edits;
#[path = "support/blast_map.rs"]
mod blast_map;
#[path = "support/bytes.rs"]
mod bytes;
#[path = "support/graph_edits.rs"]
mod graph_edits;
#[path = "support/probes.rs"]
mod probes;
#[path = "support/twins.rs"]
mod twins;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_edit_and_step_on_a_grid_is_the_maps(
        run in prop::collection::vec(any::<u8>(), 0..192).prop_map(|bytes| blast_edits::Run::from_bytes(&bytes))
    ) {
        run.run();
    }

    #[test]
    fn every_edit_and_step_on_a_graph_is_the_maps(
        run in prop::collection::vec(any::<u8>(), 0..192).prop_map(|bytes| graph_edits::Run::from_bytes(&bytes))
    ) {
        run.run();
    }
}
