//! Any bytes as a Minecraft region file, or as one column of it.

#![no_main]

use floodplain_fuzz::RegionRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: RegionRun| run.run());
