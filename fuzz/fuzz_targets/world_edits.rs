//! Edits and ticks of a small world of materials, with every law after each.

#![no_main]

use floodplain_fuzz::WorldRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: WorldRun| {
    run.0.run();
});
