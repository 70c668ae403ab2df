//! Springs that flow to the ends of a small world, which is let alone after a few edits.

#![no_main]

use floodplain_fuzz::ArrivalRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: ArrivalRun| run.run());
