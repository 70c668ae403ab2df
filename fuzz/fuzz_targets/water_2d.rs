//! Edits and steps of two-dimensional water, with every law after each.

#![no_main]

use floodplain::testing::Run;
use floodplain::water2d::Water2dWorld;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: Run<Water2dWorld>| run.check().unwrap());
