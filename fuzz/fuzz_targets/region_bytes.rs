//! Damaged messages, records and saves of water over regions, or any bytes in their place: refused,
//! or a world that keeps every law.

#![no_main]

use floodplain_fuzz::RegionBytesRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: RegionBytesRun| run.run());
