//! Edits and steps of pressure on a graph, with every law after each.

#![no_main]

use floodplain::blast::BlastGraph;
use floodplain::testing::Run;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: Run<BlastGraph>| run.check().unwrap());
