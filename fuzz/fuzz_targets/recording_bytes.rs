//! Damaged recordings of small games: refused with the place, or a recording that reads back as
//! itself.

#![no_main]

use floodplain_fuzz::RecordingRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: RecordingRun| run.read());
