//! Edits and ticks of a small water world, with every law after each.

#![no_main]

use floodplain_fuzz::EditRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: EditRun| run.run());
