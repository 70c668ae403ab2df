//! Random edits and steps of pressure, on grids and on graphs, against maps of all cells and links
//! that share no code with the kernels. Failures print what replays them.

use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::{Cube, Sheet};
use proptest::prelude::*;
use strategies::runs;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn every_edit_and_step_on_sheets_is_the_maps(run in runs::<BlastWorld<Sheet>>(0..16)) {
        run.check().unwrap();
    }

    #[test]
    fn every_edit_and_step_on_cubes_is_the_maps(run in runs::<BlastWorld<Cube>>(0..16)) {
        run.check().unwrap();
    }

    #[test]
    fn every_edit_and_step_on_a_graph_is_the_maps(run in runs::<BlastGraph>(16..64)) {
        run.check().unwrap();
    }
}
