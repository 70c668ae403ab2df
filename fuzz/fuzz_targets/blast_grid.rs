//! Edits and steps of pressure on a grid, with every law after each.

#![no_main]

use floodplain_fuzz::BlastRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: BlastRun| run.0.run());
