//! Edits and steps of humidity, with every law after each.

#![no_main]

use floodplain_fuzz::HumidityRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: HumidityRun| run.0.run());
