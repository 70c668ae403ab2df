//! Random edits and steps of pressure, on grids and on graphs, against maps of all cells and links
//! that share no code with the kernels. Failures print what replays them.

use proptest::prelude::*;
use support::blast::{graph, grid};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn every_edit_and_step_on_a_grid_is_the_maps(
        run in prop::collection::vec(any::<u8>(), 0..192).prop_map(|bytes| grid::Run::from_bytes(&bytes))
    ) {
        run.run();
    }

    #[test]
    fn every_edit_and_step_on_a_graph_is_the_maps(
        run in prop::collection::vec(any::<u8>(), 0..192).prop_map(|bytes| graph::Run::from_bytes(&bytes))
    ) {
        run.run();
    }
}
