//! Chunks that come and go while water moves, with every law after each edit and tick.

#![no_main]

use floodplain_fuzz::StreamRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: StreamRun| run.run());
