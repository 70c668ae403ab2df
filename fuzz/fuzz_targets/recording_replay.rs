//! Damaged recordings of small games, replayed where they can be read.

#![no_main]

use floodplain_fuzz::RecordingRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: RecordingRun| run.replay());
